#!/bin/sh
# Usage: build.sh ROOT BUILD
# Generates and compiles into BUILD/classes, with the libraries in BUILD/lib.
set -eu
root=$1
build=$2
here=$(cd "$(dirname "$0")" && pwd)
. "$here/../stamp.sh"

mkdir -p "$build"
digest=$(inputs_digest "$here" "$here/../stamp.sh" "$root/proto")
if up_to_date "$build" "$digest"; then exit 0; fi

rm -rf "$build/classes" "$build/lib"
mvn --batch-mode --quiet --file "$here/pom.xml" \
    -Dbuild.dir="$build" -Dproto.dir="$root/proto" process-classes >&2
mark_built "$build" "$digest"
