//! Fory's schema language (`.fdl`) into a [`Schema`].
//!
//! The rules are those of "Schema IDL" in Fory's compiler documentation and of its compiler:
//! the number of a field is its Fory tag id; a message-typed field is nullable, any other field
//! where it says `optional`; a type without an id gets one hashed from its full name, or goes by
//! namespace and name under `option enable_auto_type_id = false;`.
//!
//! Three things go beyond that compiler. `nullable = false` takes the null flag from a message
//! field (the compiler reads over it). `set<T>` names a set, and collections nest. Keywords may
//! name fields.
//!
//! ```
//! let schema = interop_schema::fdl::compile_text(
//!     "shop.fdl",
//!     "package shop; message Item [id=7] { string name = 1; list<Item> parts = 2; }",
//! )
//! .unwrap();
//! assert_eq!(schema.lookup("shop.Item").is_some(), true);
//! ```

use std::path::{Path, PathBuf};

use crate::{Error, Schema};

mod ast;
mod fields;
mod lexer;
mod load;
mod lower;
mod parser;
#[cfg(test)]
mod tests;

use load::{Resolver, Source};

/// A schema from the text of one `.fdl` file without imports; `name` stands in error messages.
///
/// # Errors
/// [`Error::Source`] with file, line and column.
pub fn compile_text(name: &str, text: &str) -> Result<Schema, Error> {
    compile_sources(&[(name, text)])
}

/// A schema from the texts of several `.fdl` files. An import names a file of the list, either
/// as it is named there or relative to the importing file.
///
/// # Errors
/// [`Error::Source`] with file, line and column.
pub fn compile_sources(sources: &[(&str, &str)]) -> Result<Schema, Error> {
    let texts = Texts(sources);
    let roots = sources.iter().map(|source| texts.source(source)).collect();
    lower::lower(&load::load(roots, &texts)?)
}

/// A schema from `.fdl` files on disk. An import is looked up beside the importing file, then
/// in `includes` in order.
///
/// # Errors
/// [`Error::Compile`] for a file that can't be read, [`Error::Source`] with file, line and column
/// for what is wrong in one.
pub fn compile_files(files: &[PathBuf], includes: &[PathBuf]) -> Result<Schema, Error> {
    let roots = files.iter().map(|file| {
        read(file).map_err(|error| Error::Compile(format!("{}: {error}", file.display())))
    });
    let roots = roots.collect::<Result<_, _>>()?;
    lower::lower(&load::load(roots, &Disk(includes))?)
}

struct Texts<'s>(&'s [(&'s str, &'s str)]);

impl Texts<'_> {
    fn source(&self, (name, text): &(&str, &str)) -> Source {
        Source {
            key: plain_path(name),
            name: (*name).to_owned(),
            text: (*text).to_owned(),
        }
    }
}

impl Resolver for Texts<'_> {
    fn find(&self, from: &str, import: &str) -> Result<Option<Source>, String> {
        let folder = from.rsplit_once('/').map_or("", |(folder, _)| folder);
        let beside = plain_path(&format!("{folder}/{import}"));
        let given = plain_path(import);
        let found = [beside, given].into_iter().find_map(|wanted| {
            let mut sources = self.0.iter();
            sources.find(|(name, _)| plain_path(name) == wanted)
        });
        Ok(found.map(|source| self.source(source)))
    }
}

/// `path` without empty and `.` parts, `..` taken back where it can be.
fn plain_path(path: &str) -> String {
    let mut parts: Vec<&str> = Vec::new();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." if parts.last().is_some_and(|last| *last != "..") => {
                parts.pop();
            }
            part => parts.push(part),
        }
    }
    parts.join("/")
}

struct Disk<'i>(&'i [PathBuf]);

impl Resolver for Disk<'_> {
    fn find(&self, from: &str, import: &str) -> Result<Option<Source>, String> {
        let folder = Path::new(from).parent().map(Path::to_owned);
        for folder in folder.iter().chain(self.0) {
            let path = folder.join(import);
            if path.is_file() {
                return read(&path).map(Some).map_err(|error| error.to_string());
            }
        }
        Ok(None)
    }
}

fn read(path: &Path) -> std::io::Result<Source> {
    Ok(Source {
        key: path.canonicalize()?.to_string_lossy().into_owned(),
        name: path.display().to_string(),
        text: std::fs::read_to_string(path)?,
    })
}
