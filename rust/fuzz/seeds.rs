//! `cargo run --manifest-path rust/fuzz/Cargo.toml --bin seeds`: fills `corpus/` of each target
//! with the golden files, the byte that selects their message in front.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

const TARGETS: [(&str, &str); 6] = [
    ("protobuf", "protobuf"),
    ("fory", "fory"),
    ("fory-consistent", "fory_consistent"),
    ("json", "json"),
    ("msgpack", "msgpack"),
    ("flatbuffers", "flatbuffers"),
];

fn files(dir: &Path, found: &mut Vec<PathBuf>) -> io::Result<()> {
    for entry in fs::read_dir(dir)? {
        let path = entry?.path();
        if path.is_dir() {
            files(&path, found)?;
        } else {
            found.push(path);
        }
    }
    Ok(())
}

fn main() -> io::Result<()> {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    for (format, target) in TARGETS {
        let corpus = here.join("corpus").join(target);
        fs::create_dir_all(&corpus)?;
        let mut found = Vec::new();
        files(&here.join("../../golden").join(format), &mut found)?;
        let mut count = 0;
        for path in found {
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            // `Model.bin`, `Model@writers.bin`, `Model-size.bin`
            let model = name.split(['@', '.', '-']).next().unwrap_or_default();
            let mut messages = interop_fuzz::MESSAGES.iter();
            let selector = messages.position(|message| message.rsplit('.').next() == Some(model));
            // The set keeps names apart: `extreme-Sample@java.bin`.
            let set = path.parent().and_then(Path::file_name).unwrap_or_default();
            if let Some(selector) = selector {
                let mut seed = vec![selector as u8];
                seed.extend(fs::read(&path)?);
                fs::write(
                    corpus.join(format!("{}-{name}", set.to_string_lossy())),
                    seed,
                )?;
                count += 1;
            }
        }
        println!("{target}: {count} seeds");
    }
    let corpus = here.join("corpus/schema");
    fs::create_dir_all(&corpus)?;
    for (name, package) in [("bench.proto", "protobuf"), ("suite.proto", "suite")] {
        let proto = here.join("../../proto");
        let set = interop_schema::proto::descriptor_set(&[proto.join(name)], &[proto])
            .map_err(io::Error::other)?;
        fs::write(corpus.join(name), [&[0], &set[..]].concat())?;
        let schema = interop_schema::proto::from_descriptor_set(&set).map_err(io::Error::other)?;
        let text = interop_schema::emit::fdl::emit(&schema, package).map_err(io::Error::other)?;
        fs::write(
            corpus.join(format!("{name}.fdl")),
            [&[1], text.as_bytes()].concat(),
        )?;
    }
    println!("schema: 4 seeds");
    Ok(())
}
