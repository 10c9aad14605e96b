//! `generate` for a schema that it has not seen: what it writes compiles in a crate of its own, and
//! agrees with the dynamic engine in every format.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use interop_codec::{DecodeOptions, Dialect, Format};

fn here(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/generate")
        .join(name)
}

fn generate(proto: &Path, out: &Path) -> Output {
    Command::new(env!("CARGO_BIN_EXE_interop-check"))
        .args(["generate", "--proto"])
        .arg(proto)
        .arg("--out")
        .arg(out)
        .output()
        .unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

#[test]
fn an_unseen_schema_compiles_and_agrees_with_the_dynamic_engine() {
    let dir = tempfile::tempdir().unwrap();
    let root = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("..")
        .canonicalize()
        .unwrap();
    let proto = here("unseen.proto");
    let done = generate(&proto, &dir.path().join("src/schema"));
    assert!(done.status.success(), "{}", text(&done.stderr));
    assert!(
        text(&done.stdout).contains("interop-runtime"),
        "{}",
        text(&done.stdout)
    );

    let schema = interop_schema::proto::compile_files(&[proto], &[here("")]).unwrap();
    let id = schema.message_by_name("my.match.v1.Option").unwrap();
    let json = std::fs::read(here("value.json")).unwrap();
    let options = DecodeOptions::default();
    let value = interop_codec::decode(&schema, id, Format::Json, &json, options).unwrap();
    // Through the bytes that the generated code reads, so that both have maps in the same order.
    let dialect = Dialect::default_of(Format::Protobuf);
    let bytes = interop_codec::encode(&schema, &value, Format::Protobuf, &dialect).unwrap();
    let options = DecodeOptions::default();
    let value = interop_codec::decode(&schema, id, Format::Protobuf, &bytes, options).unwrap();
    let encode = |format| {
        interop_codec::encode(&schema, &value, format, &Dialect::default_of(format)).unwrap()
    };

    let manifest = format!(
        "[package]\nname = \"generated\"\nversion = \"0.0.0\"\nedition = \"2024\"\n\n\
         [dependencies]\ninterop-runtime = {{ path = {:?} }}\n\n[workspace]\n",
        root.join("rust/runtime")
    );
    std::fs::write(dir.path().join("Cargo.toml"), manifest).unwrap();
    std::fs::copy(root.join("Cargo.lock"), dir.path().join("Cargo.lock")).unwrap();
    std::fs::copy(here("main.rs.txt"), dir.path().join("src/main.rs")).unwrap();
    let input = dir.path().join("input");
    std::fs::write(&input, encode(Format::Protobuf)).unwrap();
    let run = Command::new(env!("CARGO"))
        .args(["run", "--quiet", "--offline", "--manifest-path"])
        .arg(dir.path().join("Cargo.toml"))
        .arg("--")
        .args([&input, dir.path()])
        .env("CARGO_TARGET_DIR", dir.path().join("target"))
        .output()
        .unwrap();
    assert!(run.status.success(), "{}", text(&run.stderr));

    for format in [
        Format::Protobuf,
        Format::Fory,
        Format::ForyConsistent,
        Format::Flatbuffers,
        Format::Msgpack,
        Format::Json,
    ] {
        let written = std::fs::read(dir.path().join(format.name())).unwrap();
        assert_eq!(text(&written), text(&encode(format)), "{format}");
        assert_eq!(written, encode(format), "{format}");
    }
}

#[test]
fn what_is_unsupported_is_refused_by_name_and_nothing_is_written() {
    let dir = tempfile::tempdir().unwrap();
    let cases = [
        (
            "syntax = \"proto2\"; package p; message M { required int32 a = 1; }",
            "p.M.a",
        ),
        (
            "syntax = \"proto2\"; package p; message M { optional group G = 1 {} }",
            "p.M.g",
        ),
        (
            "syntax = \"proto2\"; package p; enum E { A = 0; } message M { optional E e = 1; }",
            "p.E",
        ),
        (
            "syntax = \"proto3\"; package p; message A { message B {} } message AB {}",
            "p.AB",
        ),
    ];
    for (source, name) in cases {
        let proto = dir.path().join("a.proto");
        std::fs::write(&proto, source).unwrap();
        let out = dir.path().join("out");
        let done = generate(&proto, &out);
        let error = text(&done.stderr);
        assert_eq!(done.status.code(), Some(1), "{error}");
        assert!(error.contains(&format!("{name}: ")), "{error}");
        assert!(!out.exists());
    }
    let done = generate(&dir.path().join("none.proto"), &dir.path().join("out"));
    assert_eq!(done.status.code(), Some(2));
}
