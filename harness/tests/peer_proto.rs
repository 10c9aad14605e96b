//! The committed Rust types of the peer protocol are those of `proto/peer.proto`.

use std::path::Path;

#[test]
fn generated_types_are_fresh() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let committed = root.join("harness/src/peer/proto.rs");
    let set = protox::compile(["peer.proto"], [root.join("proto")]).unwrap();
    let out = tempfile::tempdir().unwrap();
    prost_build::Config::new()
        .out_dir(out.path())
        .compile_fds(set)
        .unwrap();
    let fresh = std::fs::read_to_string(out.path().join("interop.peer.rs")).unwrap();
    if std::env::var_os("UPDATE_GENERATED").is_some() {
        std::fs::write(&committed, &fresh).unwrap();
    }
    let committed = std::fs::read_to_string(committed).unwrap_or_default();
    assert!(
        committed == fresh,
        "harness/src/peer/proto.rs is stale: run this test with UPDATE_GENERATED=1"
    );
}
