//! Writes the models anew: `cargo run -p interop-codegen --example models`.

use std::path::Path;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../models");
    let proto = root.join("../../proto");
    let files = [proto.join("bench.proto"), proto.join("suite.proto")];
    let schema = interop_schema::proto::compile_files(&files, &[proto])?;
    for (path, text) in interop_codegen::generate(&schema, &interop_codegen::Options::default())? {
        let path = root.join("src").join(path);
        if let Some(parent) = path.parent() {
            std::fs::create_dir_all(parent)?;
        }
        std::fs::write(path, text)?;
    }
    Ok(())
}
