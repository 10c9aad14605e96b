# Sourced by each peer's build.sh. Makes a build idempotent: it is skipped when the stamp in the
# build directory holds the digest of everything that goes into it.
#
# Usage: inputs_digest PATH...   prints a digest of the files below the paths
#        up_to_date BUILD DIGEST true if BUILD was made from DIGEST
#        mark_built BUILD DIGEST

inputs_digest() {
    find "$@" -type f ! -path '*/__pycache__/*' ! -path '*/node_modules/*' -print0 |
        LC_ALL=C sort -z | xargs -0 sha256sum | sha256sum | cut -d' ' -f1
}

up_to_date() {
    [ -f "$1/stamp" ] && [ "$(cat "$1/stamp")" = "$2" ]
}

mark_built() {
    printf '%s\n' "$2" > "$1/stamp"
}

# The schema that every generic mapping works from: descriptor sets of proto/, and of the peer
# protocol. Usage: descriptor_sets ROOT BUILD
descriptor_sets() {
    protoc -I "$1/proto" --include_imports --descriptor_set_out="$2/models.binpb" bench.proto suite.proto
    protoc -I "$1/proto" --include_imports --descriptor_set_out="$2/peer.binpb" peer.proto
}
