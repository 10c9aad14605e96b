//! Message types of the libraries that generate them, plain types for those that derive, and for
//! all of them the way to and from the neutral tree: all from the shared schemas.
//!
//! Two generators are programs: Google's protoc and flatc, in the very versions of their runtime
//! crates. They are looked for at `$PROTOC`, `$FLATC`, and where the Rust peer's build script
//! puts them; where one is missing, its library is left out.

mod families;
mod google;
mod neutral;
mod plain_proto;
mod tables;
mod tools;
mod types;

use std::error::Error;
use std::path::{Path, PathBuf};

use interop_schema::Schema;

/// Schema files whose messages are models.
const FILES: [&str; 2] = ["bench.proto", "suite.proto"];

fn main() -> Result<(), Box<dyn Error>> {
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../..");
    let proto = root.join("proto");
    println!("cargo::rerun-if-changed={}", proto.display());
    println!("cargo::rerun-if-changed=build");
    let out = PathBuf::from(std::env::var("OUT_DIR")?);
    let files: Vec<PathBuf> = FILES.iter().map(|file| proto.join(file)).collect();
    let set = interop_schema::proto::descriptor_set(&files, std::slice::from_ref(&proto))?;
    let schema = interop_schema::proto::from_descriptor_set(&set)?;

    let set_path = out.join("schema.binpb");
    std::fs::write(&set_path, &set)?;
    prost_build::Config::new()
        .file_descriptor_set_path(&set_path)
        .skip_protoc_run()
        .compile_protos(&FILES, &["."])?;
    let peer = interop_schema::proto::descriptor_set(
        &[proto.join("peer.proto")],
        std::slice::from_ref(&proto),
    )?;
    let peer_path = out.join("peer.binpb");
    std::fs::write(&peer_path, &peer)?;
    prost_build::Config::new()
        .file_descriptor_set_path(&peer_path)
        .skip_protoc_run()
        .compile_protos(&["peer.proto"], &["."])?;
    let buffa = out.join("buffa");
    std::fs::create_dir_all(&buffa)?;
    buffa_build::Config::new()
        .descriptor_set(&set_path)
        .files(&FILES)
        .out_dir(&buffa)
        .generate_json(true)
        .include_file("mod.rs")
        .compile()?;

    let clean = out.join("plain_proto");
    let clean_files = plain_proto::write(&schema, &clean)?;
    quick(&clean, &clean_files, &out)?;
    std::fs::write(out.join("serde_types.rs"), types::plain(&schema)?)?;
    std::fs::write(out.join("json_types.rs"), types::json(&schema)?)?;
    let cases = neutral::with_cases(&root)?;
    let mut trees = families::neutral(&schema, &cases)?;

    for name in ["flatc", "google_protoc"] {
        println!("cargo::rustc-check-cfg=cfg({name})");
    }
    let tools = tools::Tools::find(&root)?;
    if let Some(protoc) = &tools.protoc {
        google::generate(protoc, &clean, &clean_files, &out.join("google"))?;
        trees.push_str(&google::neutral(&schema, &cases)?);
        println!("cargo::rustc-cfg=google_protoc");
    }
    if let Some(flatc) = &tools.flatc {
        tables::generate(flatc, &schema, &out.join("flatbuffers"))?;
        trees.push_str(&tables::neutral(&schema, &cases)?);
        println!("cargo::rustc-cfg=flatc");
    }
    std::fs::write(out.join("neutral.rs"), trees)?;
    std::fs::write(out.join("versions.rs"), versions()?)?;
    Ok(())
}

/// Constants for the libraries' versions: those that `Cargo.toml` pins.
fn versions() -> Result<String, Box<dyn Error>> {
    println!("cargo::rerun-if-changed=Cargo.toml");
    let manifest = std::fs::read_to_string("Cargo.toml")?;
    let rustc = std::process::Command::new(std::env::var("RUSTC")?)
        .arg("--version")
        .output()?;
    let rustc = String::from_utf8(rustc.stdout)?;
    let mut out = format!("pub(crate) const RUSTC: &str = {:?};\n", rustc.trim());
    for line in manifest.lines() {
        let Some((name, rest)) = line.split_once(" = ") else {
            continue;
        };
        if let Some((_, version)) = rest.split_once("\"=") {
            let version = version.split('"').next().unwrap_or_default();
            let name = name.replace('-', "_").to_uppercase();
            if !out.contains(&format!(" {name}:")) {
                out.push_str(&format!("pub(crate) const {name}: &str = {version:?};\n"));
            }
        }
    }
    Ok(out)
}

/// pb-rs knows no custom options, so that it is given the schema without.
fn quick(protos: &Path, files: &[String], out: &Path) -> Result<(), Box<dyn Error>> {
    let dir = out.join("quick");
    std::fs::create_dir_all(&dir)?;
    let inputs: Vec<PathBuf> = files.iter().map(|file| protos.join(file)).collect();
    let includes = [protos.to_owned()];
    let config = pb_rs::ConfigBuilder::new(&inputs, None, Some(&dir), &includes)?;
    let config = config.dont_use_cow(true).build();
    pb_rs::types::FileDescriptor::run(&config)?;
    // It takes a message with packed fixed-width fields for one that borrows even where it has
    // made it one that owns.
    for file in files {
        let path = dir.join(file).with_extension("rs");
        let text = std::fs::read_to_string(&path)?;
        let lines = text.lines().map(|line| {
            if line.starts_with("    pub ") {
                line.replace("<'a>", "")
            } else {
                line.to_owned()
            }
        });
        std::fs::write(&path, lines.collect::<Vec<_>>().join("\n"))?;
    }
    Ok(())
}

/// The messages and the well-known types that they use, but not Fory's options.
pub fn models(schema: &Schema) -> impl Iterator<Item = &interop_schema::Message> {
    schema
        .messages
        .iter()
        .filter(|message| is_model(&message.package) || message.well_known.is_some())
        .filter(|message| message.package != "google.protobuf" || is_used(schema, message))
}

/// True for a package of the models.
pub fn is_model(package: &str) -> bool {
    package != "fory" && !package.starts_with("google")
}

fn is_used(schema: &Schema, message: &interop_schema::Message) -> bool {
    use interop_schema::Type;
    fn refers(schema: &Schema, ty: &Type, to: &str) -> bool {
        match ty {
            Type::Message(id) => schema.message(*id).full_name == to,
            Type::List(slot) | Type::Set(slot) => refers(schema, &slot.ty, to),
            Type::Map(_, value) => refers(schema, &value.ty, to),
            _ => false,
        }
    }
    let all = schema.messages.iter().filter(|m| is_model(&m.package));
    all.flat_map(|message| &message.fields)
        .any(|field| refers(schema, &field.ty, &message.full_name))
}
