//! The committed models are what the generator makes of the schemas today.

use std::path::Path;

#[test]
fn models_are_not_stale() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let proto = root.join("../../proto");
    let files = [proto.join("bench.proto"), proto.join("suite.proto")];
    let schema = interop_schema::proto::compile_files(&files, &[proto]).unwrap();
    let generated = interop_codegen::generate(&schema, &Default::default()).unwrap();
    assert_eq!(generated.len(), 3);
    for (path, text) in generated {
        let committed = std::fs::read_to_string(root.join("src").join(&path)).unwrap();
        assert!(
            committed == text,
            "src/{path} is stale; run `cargo run -p interop-codegen --example models`"
        );
    }
}
