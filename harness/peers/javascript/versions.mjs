// Versions of installed packages.

import { readFileSync } from "node:fs";

export function version(name) {
  return JSON.parse(readFileSync(new URL(`node_modules/${name}/package.json`, import.meta.url), "utf8")).version;
}
