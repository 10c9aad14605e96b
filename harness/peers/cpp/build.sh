#!/bin/sh
# Usage: build.sh ROOT BUILD
# Configures and builds BUILD/cmake/peer.
set -eu
root=$1
build=$2
here=$(cd "$(dirname "$0")" && pwd)
. "$here/../stamp.sh"

mkdir -p "$build"
digest=$(inputs_digest "$here" "$here/../stamp.sh" "$root/proto")
if up_to_date "$build" "$digest"; then exit 0; fi

cmake -S "$here" -B "$build/cmake" -DPROTO_DIR="$root/proto" -DCMAKE_BUILD_TYPE=Release
cmake --build "$build/cmake" --parallel
mark_built "$build" "$digest"
