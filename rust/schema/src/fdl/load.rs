//! A file and all that it imports, each parsed once, imports first.

use std::collections::HashMap;

use super::ast::{File, Name};
use super::lexer::error_at;
use super::parser::parse;
use crate::Error;

/// A parsed file.
#[derive(Debug)]
pub(super) struct Unit {
    /// Name for error messages.
    pub name: String,
    pub file: File,
    /// Indices of the units whose types it sees: its imports and theirs.
    pub visible: Vec<usize>,
}

/// A source text that a resolver found.
pub(super) struct Source {
    /// The same for every way to name the file.
    pub key: String,
    /// Name for error messages.
    pub name: String,
    pub text: String,
}

/// Finds the file that an import names.
pub(super) trait Resolver {
    /// `from` is the key of the importing file. `Ok(None)` when there is no such file.
    ///
    /// # Errors
    /// The reason why a file that is there can't be read.
    fn find(&self, from: &str, import: &str) -> Result<Option<Source>, String>;
}

/// Imports nested deeper than this are refused; files import one another a few levels deep.
const MAX_IMPORT_DEPTH: usize = 64;

pub(super) fn load(roots: Vec<Source>, resolver: &dyn Resolver) -> Result<Vec<Unit>, Error> {
    let mut loader = Loader {
        resolver,
        units: Vec::new(),
        done: HashMap::new(),
        open: Vec::new(),
    };
    for root in roots {
        if !loader.done.contains_key(&root.key) {
            loader.add(root)?;
        }
    }
    Ok(loader.units)
}

struct Loader<'r> {
    resolver: &'r dyn Resolver,
    units: Vec<Unit>,
    done: HashMap<String, usize>,
    /// Key and name of the files whose imports are being loaded.
    open: Vec<(String, String)>,
}

impl Loader<'_> {
    fn add(&mut self, source: Source) -> Result<usize, Error> {
        let Source { key, name, text } = source;
        let file = parse(&name, &text)?;
        self.open.push((key.clone(), name.clone()));
        let mut visible = Vec::new();
        for import in &file.imports {
            let index = self.import(&key, &name, import)?;
            for seen in std::iter::once(index).chain(self.units[index].visible.clone()) {
                if !visible.contains(&seen) {
                    visible.push(seen);
                }
            }
        }
        self.open.pop();
        let index = self.units.len();
        self.units.push(Unit {
            name,
            file,
            visible,
        });
        self.done.insert(key, index);
        Ok(index)
    }

    fn import(&mut self, key: &str, file: &str, import: &Name) -> Result<usize, Error> {
        let wrong = |text: String| error_at(file, import.place, text);
        let found = self.resolver.find(key, &import.text);
        let found = found.map_err(|error| wrong(format!("{}: {error}", import.text)))?;
        let found = found.ok_or_else(|| wrong(format!("no file {:?} to import", import.text)))?;
        if let Some(index) = self.done.get(&found.key) {
            return Ok(*index);
        }
        if let Some(start) = self.open.iter().position(|(key, _)| *key == found.key) {
            let circle: Vec<_> = self.open[start..].iter().map(|(_, n)| n.as_str()).collect();
            return Err(wrong(format!(
                "the imports run in a circle: {} -> {}",
                circle.join(" -> "),
                found.name
            )));
        }
        if self.open.len() > MAX_IMPORT_DEPTH {
            return Err(wrong(format!(
                "imports nest deeper than {MAX_IMPORT_DEPTH}"
            )));
        }
        self.add(found)
    }
}
