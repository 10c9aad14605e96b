#!/bin/sh
# Usage: build.sh ROOT BUILD
# Makes BUILD/venv with the pinned libraries, and the descriptor sets. Nothing to do if BUILD is
# up to date.
set -eu
root=$1
build=$2
here=$(cd "$(dirname "$0")" && pwd)
. "$here/../stamp.sh"

mkdir -p "$build"
digest=$(inputs_digest "$here/requirements.txt" "$here/build.sh" "$here/../stamp.sh" "$root/proto")
if up_to_date "$build" "$digest"; then exit 0; fi

descriptor_sets "$root" "$build"
python3 -m venv "$build/venv"
"$build/venv/bin/python" -m pip install --quiet --requirement "$here/requirements.txt"
mark_built "$build" "$digest"
