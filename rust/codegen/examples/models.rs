//! Writes the models anew, and those of their tests:
//! `cargo run -p interop-codegen --example models`.

use std::path::{Path, PathBuf};

fn write(files: &[PathBuf], include: &Path, to: &Path) -> Result<(), Box<dyn std::error::Error>> {
    let schema = interop_schema::proto::compile_files(files, &[include.to_owned()])?;
    for (path, text) in interop_codegen::generate(&schema, &interop_codegen::Options::default())? {
        let path = to.join(path);
        if let Some(parent) = path.parent() {
            std::fs::create_dir_all(parent)?;
        }
        std::fs::write(path, text)?;
    }
    Ok(())
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../models");
    let proto = root.join("../../proto");
    let files = [proto.join("bench.proto"), proto.join("suite.proto")];
    write(&files, &proto, &root.join("src"))?;
    let kinds = root.join("tests/kinds");
    write(&[kinds.join("kinds.proto")], &kinds, &kinds)
}
