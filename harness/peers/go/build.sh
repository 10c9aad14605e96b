#!/bin/sh
# Usage: build.sh ROOT BUILD
# Copies the sources to BUILD/src, generates the protobuf code there, and builds BUILD/peer.
set -eu
root=$1
build=$2
here=$(cd "$(dirname "$0")" && pwd)
. "$here/../stamp.sh"

mkdir -p "$build"
digest=$(inputs_digest "$here" "$here/../stamp.sh" "$root/proto")
if up_to_date "$build" "$digest"; then exit 0; fi

rm -rf "$build/src"
mkdir -p "$build/src" "$build/bin"
cp "$here"/*.go "$here/go.mod" "$here/go.sum" "$build/src/"
descriptor_sets "$root" "$build"
cp "$build/models.binpb" "$build/src/"
cd "$build/src"
export GOFLAGS=-mod=readonly
go build -o "$build/bin/protoc-gen-go" google.golang.org/protobuf/cmd/protoc-gen-go
protoc -I "$root/proto" --plugin="$build/bin/protoc-gen-go" --go_out=. \
    --go_opt=module=interopcheck/peer \
    --go_opt=Mfory/options.proto=interopcheck/peer/forypb \
    --go_opt=Mbench.proto=interopcheck/peer/benchpb \
    --go_opt=Msuite.proto=interopcheck/peer/suitepb \
    --go_opt=Mpeer.proto=interopcheck/peer/peerpb \
    fory/options.proto bench.proto suite.proto peer.proto
go build -o "$build/peer" .
mark_built "$build" "$digest"
