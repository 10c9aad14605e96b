//! `.proto` sources and serialized FileDescriptorSets into a [`Schema`].

use std::path::{Path, PathBuf};

use protox::file::{
    ChainFileResolver, File, FileResolver, GoogleFileResolver, IncludeFileResolver,
};

use crate::{Error, Schema, descriptor, lower};

/// The text of `fory/options.proto`, which schemas may import without having it on disk.
pub const FORY_OPTIONS: &str = include_str!("../../../proto/fory/options.proto");

/// A schema from a serialized `google.protobuf.FileDescriptorSet` (proto2, proto3, edition
/// 2023). Feature sets of editions are resolved here.
///
/// # Errors
/// [`Error::Descriptor`] when the bytes are no descriptor set or name a type they lack.
pub fn from_descriptor_set(bytes: &[u8]) -> Result<Schema, Error> {
    lower::lower(&descriptor::parse_set(bytes)?)
}

/// A schema from `.proto` files on disk. `includes` are searched in order for imports; the
/// well-known types and `fory/options.proto` are built in.
///
/// # Errors
/// [`Error::Compile`] with file, line and column.
pub fn compile_files(files: &[PathBuf], includes: &[PathBuf]) -> Result<Schema, Error> {
    from_descriptor_set(&descriptor_set(files, includes)?)
}

/// The serialized FileDescriptorSet of `.proto` files on disk, imports included.
///
/// # Errors
/// As for [`compile_files`].
pub fn descriptor_set(files: &[PathBuf], includes: &[PathBuf]) -> Result<Vec<u8>, Error> {
    let mut resolver = ChainFileResolver::new();
    for include in includes {
        resolver.add(IncludeFileResolver::new(include.clone()));
    }
    // A file given by a path outside every include directory stands for itself.
    for file in files {
        if let Some(parent) = file.parent() {
            let parent = if parent.as_os_str().is_empty() {
                Path::new(".")
            } else {
                parent
            };
            resolver.add(IncludeFileResolver::new(parent.to_owned()));
        }
    }
    let names = files
        .iter()
        .map(|file| import_name(file, includes))
        .collect::<Result<Vec<_>, _>>()?;
    compile(resolver, &names)
}

fn import_name(file: &Path, includes: &[PathBuf]) -> Result<String, Error> {
    let inside = includes.iter().find_map(|dir| file.strip_prefix(dir).ok());
    let name = match inside {
        Some(name) => Some(name.as_os_str()),
        None => file.file_name(),
    };
    let name = name.and_then(|name| name.to_str());
    name.map(str::to_owned)
        .ok_or_else(|| Error::Compile(format!("{}: not a file name", file.display())))
}

/// A schema from the text of one `.proto` file, which may import the well-known types and
/// `fory/options.proto`.
///
/// # Errors
/// [`Error::Compile`] with line and column.
pub fn compile_text(text: &str) -> Result<Schema, Error> {
    compile_sources(&[("schema.proto", text)])
}

/// A schema from the texts of several `.proto` files, named as they import one another.
///
/// # Errors
/// [`Error::Compile`] with file, line and column.
pub fn compile_sources(sources: &[(&str, &str)]) -> Result<Schema, Error> {
    from_descriptor_set(&descriptor_set_of_sources(sources)?)
}

/// The serialized FileDescriptorSet of the texts of several `.proto` files, imports included.
///
/// # Errors
/// [`Error::Compile`] with file, line and column.
pub fn descriptor_set_of_sources(sources: &[(&str, &str)]) -> Result<Vec<u8>, Error> {
    let mut resolver = ChainFileResolver::new();
    for (name, text) in sources {
        resolver.add(Source {
            name: (*name).to_owned(),
            text: (*text).to_owned(),
        });
    }
    let names: Vec<_> = sources.iter().map(|(name, _)| (*name).to_owned()).collect();
    compile(resolver, &names)
}

fn compile(mut resolver: ChainFileResolver, names: &[String]) -> Result<Vec<u8>, Error> {
    resolver.add(Source {
        name: "fory/options.proto".to_owned(),
        text: FORY_OPTIONS.to_owned(),
    });
    resolver.add(GoogleFileResolver::new());
    let mut compiler = protox::Compiler::with_file_resolver(resolver);
    compiler.include_imports(true);
    for name in names {
        compiler
            .open_file(name)
            .map_err(|error| Error::Compile(report(&error)))?;
    }
    Ok(compiler.encode_file_descriptor_set())
}

fn report(error: &protox::Error) -> String {
    // protox puts file, line and column into the Debug form of parse errors only.
    let text = format!("{error:?}");
    if text.contains(".proto:") {
        text
    } else {
        error.to_string()
    }
}

struct Source {
    name: String,
    text: String,
}

impl FileResolver for Source {
    fn open_file(&self, name: &str) -> Result<File, protox::Error> {
        if name == self.name {
            File::from_source(name, &self.text)
        } else {
            Err(protox::Error::file_not_found(name))
        }
    }
}
