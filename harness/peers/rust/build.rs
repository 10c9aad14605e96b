//! Message types of the protobuf libraries, from the shared schemas.

use std::path::PathBuf;

use prost::Message as _;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let proto = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../proto");
    println!("cargo::rerun-if-changed={}", proto.display());
    let out = PathBuf::from(std::env::var("OUT_DIR")?);
    let files = ["bench.proto", "suite.proto"];
    let set = protox::compile(files, [&proto])?;
    let set_path = out.join("schema.binpb");
    std::fs::write(&set_path, set.encode_to_vec())?;

    prost_build::Config::new().compile_fds(set)?;

    let buffa = out.join("buffa");
    std::fs::create_dir_all(&buffa)?;
    buffa_build::Config::new()
        .descriptor_set(&set_path)
        .files(&files)
        .out_dir(&buffa)
        .include_file("mod.rs")
        .compile()?;
    Ok(())
}
