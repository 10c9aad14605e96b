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

# With symbols and frame pointers, so that profilers can name and unwind.
flags=
if [ "${PEER_SYMBOLS:-}" = 1 ]; then flags="-g -fno-omit-frame-pointer"; fi
cmake -S "$here" -B "$build/cmake" -DPROTO_DIR="$root/proto" -DCMAKE_BUILD_TYPE=Release \
    -DCMAKE_CXX_FLAGS="$flags"
cmake --build "$build/cmake" --parallel
mark_built "$build" "$digest"
