//! Values as files: JSON in its two forms, or protobuf bytes.

use std::io::{Read, Write};
use std::path::Path;

use interop_codec::{DecodeOptions, Dialect, Document, Format};
use interop_wire::Limits;

use crate::cli::JsonForm;
use crate::exit::{Failure, Result};
use crate::subject::Subject;

/// Parses a value in the JSON form given.
///
/// # Errors
/// A sentence with place and reason.
pub fn parse_json(
    subject: &Subject,
    form: JsonForm,
    text: &[u8],
    limits: Limits,
) -> std::result::Result<Document, String> {
    match form {
        JsonForm::Proto => decode(subject, Format::Json, text, limits),
        JsonForm::Neutral => {
            interop_codec::neutral::parse(&subject.schema, subject.id, text, limits)
                .map_err(|error| error.to_string())
        }
    }
}

/// Prints a value in the JSON form given, on one line.
///
/// # Errors
/// When the value has no form in JSON.
pub fn print_json(
    subject: &Subject,
    form: JsonForm,
    document: &Document,
) -> std::result::Result<String, String> {
    match form {
        JsonForm::Proto => {
            let dialect = Dialect::default_of(Format::Json);
            let bytes = interop_codec::encode(&subject.schema, document, Format::Json, &dialect)
                .map_err(|error| error.to_string())?;
            String::from_utf8(bytes).map_err(|error| error.to_string())
        }
        JsonForm::Neutral => interop_codec::neutral::print(&subject.schema, subject.id, document)
            .map_err(|error| error.to_string()),
    }
}

/// Parses the value file of a golden case: `.pb` is protobuf, everything else the subject's
/// JSON form.
///
/// # Errors
/// A sentence with place and reason.
pub fn parse_file(
    subject: &Subject,
    name: &str,
    bytes: &[u8],
) -> std::result::Result<Document, String> {
    if name.ends_with(".pb") {
        decode(subject, Format::Protobuf, bytes, Limits::DEFAULT)
    } else {
        parse_json(subject, subject.form, bytes, Limits::DEFAULT)
    }
}

fn decode(
    subject: &Subject,
    format: Format,
    bytes: &[u8],
    limits: Limits,
) -> std::result::Result<Document, String> {
    let options = DecodeOptions { limits, sink: None };
    interop_codec::decode(&subject.schema, subject.id, format, bytes, options)
        .map_err(|error| error.to_string())
}

/// Reads a file, or standard input for `-`; at most `limit` bytes and one more.
///
/// # Errors
/// Exit 2 when it can't be read.
pub fn read_input(path: &Path, limit: usize) -> Result<Vec<u8>> {
    let fail = |error| Failure::usage(format!("{}: {error}", path.display()));
    let mut bytes = Vec::new();
    // One byte more than allowed is enough for the decoder to refuse the input.
    let take = (limit as u64).saturating_add(1);
    if path == Path::new("-") {
        std::io::stdin().lock().take(take).read_to_end(&mut bytes)
    } else {
        let file = std::fs::File::open(path).map_err(fail)?;
        file.take(take).read_to_end(&mut bytes)
    }
    .map_err(fail)?;
    Ok(bytes)
}

/// Writes to a file, or to `stdout` when there is none. A file appears whole or not at all.
///
/// # Errors
/// Exit 2 when the file can't be written.
pub fn write_output(path: Option<&Path>, bytes: &[u8], stdout: &mut dyn Write) -> Result<()> {
    match path {
        None => {
            stdout.write_all(bytes)?;
            stdout.flush()?;
            Ok(())
        }
        Some(path) => write_atomically(path, bytes),
    }
}

/// Replaces a file by way of a temporary one beside it.
///
/// # Errors
/// Exit 2 when it can't be written.
pub fn write_atomically(path: &Path, bytes: &[u8]) -> Result<()> {
    let fail =
        |error: &dyn std::fmt::Display| Failure::usage(format!("{}: {error}", path.display()));
    // A device or pipe can't be replaced, and must not be.
    if path.exists() && !path.is_file() {
        return std::fs::write(path, bytes).map_err(|error| fail(&error));
    }
    let dir = match path.parent() {
        Some(dir) if !dir.as_os_str().is_empty() => dir,
        _ => Path::new("."),
    };
    let mut file = tempfile::Builder::new()
        .prefix(".interop-check-")
        .permissions_for_new_files()
        .tempfile_in(dir)
        .map_err(|error| fail(&error))?;
    file.write_all(bytes).map_err(|error| fail(&error))?;
    file.persist(path).map_err(|error| fail(&error.error))?;
    Ok(())
}

/// Temporary files are private by default; what replaces a file others read must not be.
trait NewFilePermissions {
    fn permissions_for_new_files(&mut self) -> &mut Self;
}

impl NewFilePermissions for tempfile::Builder<'_, '_> {
    #[cfg(unix)]
    fn permissions_for_new_files(&mut self) -> &mut Self {
        use std::os::unix::fs::PermissionsExt;
        self.permissions(std::fs::Permissions::from_mode(0o666))
    }

    #[cfg(not(unix))]
    fn permissions_for_new_files(&mut self) -> &mut Self {
        self
    }
}
