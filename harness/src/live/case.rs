//! The cases of a live run: values to be written and read in every format, each with the other
//! versions of its schema.

use std::collections::{HashMap, HashSet};

use interop_codec::{Document, Format};

use super::roster::Implementation;
use crate::check::plan::Selection;
use crate::exit::{Failure, Result};
use crate::golden::{Model, Store};
use crate::subject::{Catalog, EMBEDDED, Subject, embedded_descriptor_set};
use crate::values;

/// A message as peers know it.
#[derive(Clone, Debug)]
pub(super) struct View {
    /// The message.
    pub(super) subject: Subject,
    /// Index of the schema that a peer must be brought first; `None` for the messages that
    /// peers are built with.
    pub(super) schema: Option<usize>,
}

impl View {
    /// True when the implementation serves the message in its format.
    pub(super) fn is_offered_by(&self, implementation: &Implementation) -> bool {
        let capability = &implementation.capability;
        match self.schema {
            Some(_) => capability.schemas,
            None => {
                let mut models = capability.models.iter();
                models.any(|model| model == self.subject.name())
            }
        }
    }
}

/// A value to be written and read.
pub(super) struct Case {
    pub(super) corpus: String,
    pub(super) set: String,
    pub(super) model: String,
    pub(super) view: View,
    pub(super) value: Document,
    /// The first set of its model that MANIFEST lists.
    pub(super) is_first_set: bool,
    pub(super) versions: Vec<Version>,
}

/// Another version of a case's message.
pub(super) struct Version {
    /// The corpus that has it.
    pub(super) corpus: String,
    pub(super) view: View,
    /// The case's value under this version, or why it does not fit.
    pub(super) value: std::result::Result<Document, String>,
}

/// All cases, and the schemas that peers must be brought for some.
#[derive(Default)]
pub(super) struct Cases {
    pub(super) all: Vec<Case>,
    /// Serialized FileDescriptorSets.
    pub(super) schemas: Vec<Vec<u8>>,
}

impl Cases {
    /// The distinct cases of the models with a `.proto`, in the order of MANIFEST.
    ///
    /// # Errors
    /// Exit 2 when a schema or value of the golden directory is unusable.
    pub(super) fn load(store: &Store, selection: &Selection) -> Result<Self> {
        let mut cases = Self::default();
        let mut views = Views {
            store,
            catalog: Catalog::default(),
            sources: HashMap::new(),
        };
        let mut seen = HashSet::new();
        for file in &store.manifest.files {
            if !seen.insert((&file.corpus, &file.set, &file.model))
                || !selection.takes_case(&file.corpus, &file.set, &file.model)
            {
                continue;
            }
            let Some(model) = store.manifest.model(&file.corpus, &file.model) else {
                continue;
            };
            if model.proto.is_none() {
                continue;
            }
            let view = views.of(model, &mut cases.schemas)?;
            let bytes = store.read(&file.values)?;
            let value = values::parse_file(&view.subject, &file.values, &bytes)
                .map_err(|error| Failure::usage(format!("{}: {error}", file.values)))?;
            let mut versions = Vec::new();
            for other in other_versions(store, model) {
                let view = views.of(other, &mut cases.schemas)?;
                versions.push(Version {
                    corpus: other.corpus.clone(),
                    value: values::parse_file(&view.subject, &file.values, &bytes),
                    view,
                });
            }
            cases.all.push(Case {
                corpus: file.corpus.clone(),
                set: file.set.clone(),
                model: file.model.clone(),
                view,
                value,
                is_first_set: first_set(store, model) == Some(&file.set),
                versions,
            });
        }
        Ok(cases)
    }

    /// The schema's index, behind all others if it is new.
    pub(super) fn add_schema(&mut self, schema: Vec<u8>) -> usize {
        add(&mut self.schemas, schema)
    }
}

fn first_set<'s>(store: &'s Store, model: &Model) -> Option<&'s String> {
    let mut files = store.manifest.files.iter();
    let first = files.find(|file| file.corpus == model.corpus && file.model == model.model);
    first.map(|file| &file.set)
}

/// The models of the same name of which `model` is another version.
fn other_versions<'s>(store: &'s Store, model: &Model) -> Vec<&'s Model> {
    let models = store.manifest.models.iter();
    let of_this = models.filter(|other| other.model == model.model && other.proto.is_some());
    of_this
        .filter(|other| {
            other.evolves.as_ref() == Some(&model.corpus)
                || model.evolves.as_ref() == Some(&other.corpus)
        })
        .collect()
}

fn add(schemas: &mut Vec<Vec<u8>>, schema: Vec<u8>) -> usize {
    let known = schemas.iter().position(|other| *other == schema);
    known.unwrap_or_else(|| {
        schemas.push(schema);
        schemas.len() - 1
    })
}

struct Views<'s> {
    store: &'s Store,
    catalog: Catalog,
    /// Schemas by their source.
    sources: HashMap<String, usize>,
}

impl Views<'_> {
    fn of(&mut self, model: &Model, schemas: &mut Vec<Vec<u8>>) -> Result<View> {
        let subject = self.catalog.subject(self.store, model)?;
        let source = model.proto.as_deref().unwrap_or_default();
        // Peers are built with the first versions.
        let schema = match (&model.evolves, self.sources.get(source)) {
            (None, _) => None,
            (Some(_), Some(&schema)) => Some(schema),
            (Some(_), None) => {
                let schema = add(schemas, self.descriptor_set(source)?);
                self.sources.insert(source.to_owned(), schema);
                Some(schema)
            }
        };
        Ok(View { subject, schema })
    }

    fn descriptor_set(&self, source: &str) -> Result<Vec<u8>> {
        if EMBEDDED.iter().any(|(name, _)| *name == source) {
            return embedded_descriptor_set(source);
        }
        let text = String::from_utf8_lossy(&self.store.read(source)?).into_owned();
        interop_schema::proto::descriptor_set_of_sources(&[(source, &text)])
            .map_err(|error| Failure::usage(format!("{source}: {error}")))
    }
}

/// Bytes that somebody wrote for a case.
pub(super) struct Written {
    /// Index of the case.
    pub(super) case: usize,
    pub(super) format: Format,
    /// An implementation, our own codec, or "golden:" with the writers of a file.
    pub(super) writer: String,
    pub(super) bytes: std::result::Result<Vec<u8>, super::talks::Failed>,
}

impl Written {
    /// True for what a live implementation or our codec wrote in this run.
    pub(super) fn is_live(&self) -> bool {
        !self.writer.starts_with("golden:")
    }
}
