#!/bin/sh
# Usage: build.sh ROOT BUILD
# Installs the locked packages into BUILD, and makes the descriptor sets.
set -eu
root=$1
build=$2
here=$(cd "$(dirname "$0")" && pwd)
. "$here/../stamp.sh"

mkdir -p "$build"
digest=$(inputs_digest "$here" "$here/../stamp.sh" "$root/proto")
if up_to_date "$build" "$digest"; then exit 0; fi

descriptor_sets "$root" "$build"
# Sources are copied too: node looks for packages beside the file that imports them.
rm -f "$build"/*.mjs
cp "$here"/*.mjs "$here"/package.json "$here"/package-lock.json "$here"/.npmrc "$build/"
cd "$build"
npm ci --ignore-scripts --no-audit --no-fund --silent >&2
mark_built "$build" "$digest"
