//! The committed models are what the generator makes of the schemas.

use std::path::{Path, PathBuf};

fn check(files: &[PathBuf], include: &Path, dir: &Path) {
    let schema = interop_schema::proto::compile_files(files, &[include.to_owned()]).unwrap();
    let options = interop_codegen::Options::default();
    for (path, text) in interop_codegen::generate(&schema, &options).unwrap() {
        let committed = std::fs::read_to_string(dir.join(&path)).unwrap_or_default();
        let line = committed
            .lines()
            .zip(text.lines())
            .take_while(|(a, b)| a == b)
            .count()
            + 1;
        assert!(
            committed == text,
            "{path} is stale from line {line} on: run \
             `cargo run -p interop-codegen --example models`"
        );
    }
}

#[test]
fn models_are_generated_from_the_schemas() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let proto = root.join("../../proto");
    let files = [proto.join("bench.proto"), proto.join("suite.proto")];
    check(&files, &proto, &root.join("src"));
}

#[test]
fn models_of_the_tests_are_generated_from_their_schema() {
    let kinds = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/kinds");
    check(&[kinds.join("kinds.proto")], &kinds, &kinds);
}
