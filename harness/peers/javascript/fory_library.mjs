// Apache Fory, where its package is installed beside this file or on NODE_PATH.

import { createRequire } from "node:module";

import { Plain, Refused } from "./neutral.mjs";
import { DURATION, TIMESTAMP, isTime } from "./schema.mjs";

const PACKAGE = "@apache-fory/core";
const require = createRequire(import.meta.url);

function load() {
  try {
    const library = require(PACKAGE);
    return { Fory: library.default, Type: library.Type, version: require(`${PACKAGE}/package.json`).version };
  } catch (error) {
    if (error.code !== "MODULE_NOT_FOUND") throw error;
    return undefined;
  }
}

const library = load();

const SCALARS = {
  bool: "bool",
  string: "string",
  bytes: "binary",
  float: "float32",
  double: "float64",
};
const ARRAYS = {
  bool: ["boolArray", (values) => values],
  int32: ["int32Array", (values) => Int32Array.from(values)],
  int64: ["int64Array", (values) => BigInt64Array.from(values)],
  float32: ["float32Array", (values) => Float32Array.from(values)],
  float64: ["float64Array", (values) => Float64Array.from(values)],
};
const NO_HISTORY_LIMIT = 1 << 30;

const elementOfArray = (field) => /^array<(\w+)>$/.exec(field.foryType ?? "")?.[1];

function typeOf(field) {
  const { Type } = library;
  const element = elementOfArray(field);
  if (element !== undefined) return Type[ARRAYS[element][0]]();
  if (field.isMap) return Type.map(itemType(field.key), itemType(field.item));
  return field.repeated ? Type.list(itemType(field)) : itemType(field);
}

function itemType(field) {
  const { Type } = library;
  if (field.kind === "message") {
    if (field.message.name === TIMESTAMP) return Type.timestamp();
    if (field.message.name === DURATION) return Type.duration();
    return Type.struct(field.message.foryId);
  }
  if (field.kind === "enum") {
    return Type.enum(field.enumId, Object.fromEntries(field.enum.values.map((value) => [value.name, value.number])));
  }
  // "fixed int32": an encoding and a type.
  const [name, encoding] = (field.foryType || field.kind).split(" ").reverse();
  return Type[SCALARS[name] ?? name](encoding === undefined ? undefined : { encoding });
}

/** Every type that can be reached is registered by number; a message may not contain itself. */
function serves(plan, above = []) {
  if (isTime(plan)) return true;
  if (plan.foryId === undefined || above.includes(plan)) return false;
  return plan.fields.every((field) => field.message === undefined || serves(field.message, [...above, plan]));
}

class Codec {
  writer = "javascript";

  constructor(schema, compatible) {
    this.format = compatible ? "fory" : "fory-consistent";
    this.models = schema.models.filter((name) => serves(schema.plans.get(name)));
    this.fory = new library.Fory({
      ref: false,
      compatible,
      maxSchemaVersionsPerType: NO_HISTORY_LIMIT,
      maxAverageSchemaVersionsPerType: NO_HISTORY_LIMIT,
    });
    this.registered = new Map();
    this.models.forEach((name) => this.#register(schema.plans.get(name)));
    this.plain = new Plain({
      maps: "map",
      list: (field, values) => {
        const element = elementOfArray(field);
        return element === undefined ? values : ARRAYS[element][1](values);
      },
      message: timeOf,
      tree: timeTree,
    });
  }

  // A struct is registered after those that it holds.
  #register(plan) {
    if (isTime(plan) || this.registered.has(plan.name)) return;
    for (const field of plan.fields) {
      const reached = field.isMap ? field.item.message : field.message;
      if (reached !== undefined) this.#register(reached);
    }
    const fields = plan.fields.map((field) => {
      const nullable = field.foryNullable && !field.repeated;
      return [field.name, typeOf(field).setNullable(nullable).setId(field.number)];
    });
    const type = library.Type.struct(plan.foryId, Object.fromEntries(fields));
    this.registered.set(plan.name, this.fory.register(type));
  }

  native(plan, tree) {
    return this.plain.objectOf(plan, tree);
  }

  tree(plan, object) {
    return this.plain.treeOf(plan, object);
  }

  serializer(plan) {
    return this.registered.get(plan.name).serialize;
  }

  parser(plan) {
    return this.registered.get(plan.name).deserialize;
  }
}

// A Date holds milliseconds.
function timeOf(field, tree) {
  if (!isTime(field.message)) return undefined;
  const part = (number) => tree.fields.find((entry) => entry.number === number)?.value.kind.value ?? 0n;
  const nanos = Number(part(2));
  if (nanos % 1_000_000 !== 0) throw new Refused(`${field.name}: a Date holds milliseconds, not ${nanos} ns`);
  const millis = Number(part(1)) * 1000 + nanos / 1_000_000;
  return field.message.name === TIMESTAMP ? new Date(millis) : millis;
}

function timeTree(field, value) {
  if (!isTime(field.message)) return undefined;
  const millis = Number(value);
  const seconds = Math.floor(millis / 1000);
  const parts = [BigInt(seconds), BigInt(Math.round((millis - seconds * 1000) * 1_000_000))];
  const fields = parts.map((part, i) => ({ number: i + 1, value: { kind: { case: "signed", value: part } } }));
  return { fields: fields.filter(({ value: { kind } }) => kind.value !== 0n) };
}

export function implementations(schema) {
  if (library === undefined) {
    return [{ name: "fory-javascript", version: "", codecs: [], unavailable: `not installed: ${PACKAGE}` }];
  }
  return [
    { name: "fory-javascript", version: library.version, codecs: [new Codec(schema, true), new Codec(schema, false)] },
  ];
}
