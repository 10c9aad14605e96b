//! `generate`: Rust source for a schema.

use std::io::Write;

use interop_codegen::{Options, generate, with_modules};

use crate::cli::GenerateArgs;
use crate::exit::{COMPATIBLE, Failure, Result};
use crate::subject::proto_schema;
use crate::values::write_atomically;

pub(super) fn run(args: &GenerateArgs, out: &mut dyn Write) -> Result<u8> {
    let schema = proto_schema(&args.proto, &args.includes)?;
    let options = Options {
        packages: args.packages.clone(),
    };
    let files = generate(&schema, &options)
        .map_err(|error| Failure::refused(format!("{}: {error}", args.proto.display())))?;
    // All text is there before the first file is touched.
    for (path, text) in with_modules(files) {
        let path = args.out.join(path);
        if let Some(dir) = path.parent() {
            std::fs::create_dir_all(dir)
                .map_err(|error| Failure::usage(format!("{}: {error}", dir.display())))?;
        }
        write_atomically(&path, text.as_bytes())?;
        writeln!(out, "{}: {} lines", path.display(), text.lines().count())?;
    }
    let version = env!("CARGO_PKG_VERSION");
    writeln!(out)?;
    writeln!(
        out,
        "Cargo.toml needs interop-runtime = \"{version}\", by version or by path to rust/runtime; no other dependency."
    )?;
    Ok(COMPATIBLE)
}
