//! What a run measures: cases, contestants, and the cells that the arguments leave.

use interop_codec::{Document, Format, Value};

use super::names::{self, Filter};
use super::record::{Operation, cell_name};
use crate::exit::{Failure, Result};
use crate::golden::{Model, Store};
use crate::subject::{Catalog, Subject, canonical_model};
use crate::values;

/// Sizes that the five data types come in.
pub const SIZES: [&str; 3] = ["small", "medium", "large"];

/// Corpus and value set of the models' version 2, with the values of version 1.
const EVOLVED: (&str, &str) = ("v2", "canonical");

/// A value to be written and read.
pub struct Case {
    /// Model, as in file names.
    pub model: String,
    /// Value set or size.
    pub set: String,
    /// Its message.
    pub subject: Subject,
    /// The value.
    pub value: Document,
    /// Version 2 of the message and the same value in it, for runs with a schema mismatch.
    pub evolved: Option<(Subject, Document)>,
}

impl Case {
    /// True when the value holds a map of several entries, which may be written in any order.
    pub fn has_free_order(&self) -> bool {
        fn in_value(value: &Value) -> bool {
            match value {
                Value::Map(entries) => {
                    entries.len() > 1 || entries.iter().any(|(_, value)| in_value(value))
                }
                Value::List(values) => values.iter().any(in_value),
                Value::Message(message) => message.iter().any(|(_, value)| in_value(value)),
                _ => false,
            }
        }
        let message = self.value.message();
        message.is_some_and(|message| message.iter().any(|(_, value)| in_value(value)))
    }
}

/// A library that can be timed, in one format.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Contestant {
    /// Language that it is written for.
    pub language: String,
    /// "go/fory-go".
    pub name: String,
    /// Of the library.
    pub version: String,
    /// Format.
    pub format: Format,
    /// Full names of the messages that it can be timed with; none for all.
    pub models: Option<Vec<String>>,
    /// Whether it can read with another version of the schema than it writes with.
    pub evolves: bool,
}

impl Contestant {
    fn takes(&self, case: &Case) -> bool {
        let models = self.models.as_ref();
        models.is_none_or(|models| models.iter().any(|model| model == case.subject.name()))
    }
}

/// A cell to be timed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Planned {
    /// Its name.
    pub name: String,
    /// Index of the contestant.
    pub contestant: usize,
    /// Index of the case.
    pub case: usize,
    /// Operation.
    pub operation: Operation,
}

/// What the arguments ask for.
#[derive(Debug, Default)]
pub struct Wanted {
    /// Models, in any spelling.
    pub models: Vec<String>,
    /// Formats.
    pub formats: Vec<Format>,
    /// Operations; serialize and deserialize when none.
    pub operations: Vec<Operation>,
    /// Implementations, by "lang/name" or by name.
    pub implementations: Vec<String>,
    /// Sizes of the data types.
    pub sizes: Vec<String>,
    /// Name filter.
    pub filter: Filter,
    /// Version 1 is written and version 2 read.
    pub schema_mismatch: bool,
}

impl Wanted {
    /// The cases asked for: canonical values of the benchmark's models and the data types in
    /// their sizes.
    ///
    /// # Errors
    /// Exit 2 when a model is unknown, or a value or schema of the golden files unusable.
    pub fn cases(&self, store: &Store) -> Result<Vec<Case>> {
        let mut catalog = Catalog::default();
        let mut cases = Vec::new();
        let mut known: Vec<&str> = Vec::new();
        let models: Vec<String> = self.models.iter().map(|m| canonical_model(m)).collect();
        for model in &store.manifest.models {
            let files: Vec<(String, String)> = match model.corpus.as_str() {
                "bench" | "fixed" => {
                    let file = format!("values/canonical/{}.json", model.model);
                    vec![("canonical".to_owned(), file)]
                }
                "suite" => SIZES
                    .iter()
                    .map(|size| {
                        (
                            (*size).to_owned(),
                            format!("suite/{}-{size}.pb", model.model),
                        )
                    })
                    .collect(),
                _ => continue,
            };
            known.push(&model.model);
            let asked = models.is_empty()
                || models
                    .iter()
                    .any(|name| name.eq_ignore_ascii_case(&model.model));
            if !asked {
                continue;
            }
            for (set, file) in files {
                // A model that is named stays even where it comes in one size only.
                let one_size = model.corpus != "suite" && !models.is_empty();
                let sized = self.sizes.is_empty() || self.sizes.contains(&set) || one_size;
                let file = match store.manifest.files.iter().find(|entry| {
                    (&entry.corpus, &entry.model, &entry.set) == (&model.corpus, &model.model, &set)
                }) {
                    Some(entry) => entry.values.clone(),
                    None => file,
                };
                if !sized || !store.path(&file).is_file() {
                    continue;
                }
                let evolved = if self.schema_mismatch {
                    let entry = store.manifest.files.iter().find(|entry| {
                        entry.corpus == EVOLVED.0
                            && entry.set == EVOLVED.1
                            && entry.model == model.model
                    });
                    let evolved = store.manifest.model(EVOLVED.0, &model.model);
                    let (Some(entry), Some(evolved)) = (entry, evolved) else {
                        continue;
                    };
                    Some(load(store, &mut catalog, evolved, &entry.values)?)
                } else {
                    None
                };
                let (subject, value) = load(store, &mut catalog, model, &file)?;
                cases.push(Case {
                    model: model.model.clone(),
                    set,
                    subject,
                    value,
                    evolved,
                });
            }
        }
        for model in &models {
            if !known.iter().any(|known| known.eq_ignore_ascii_case(model)) {
                return Err(Failure::usage(format!("no model named {model}"))
                    .hint(format!("known models: {}", known.join(", "))));
            }
        }
        if cases.is_empty() && self.schema_mismatch {
            return Err(Failure::usage("no model asked for has a version 2")
                .hint("--schema-mismatch is for the models of bench.proto, canonical values"));
        }
        if cases.is_empty() {
            return Err(
                Failure::usage("the golden files have no value of these models")
                    .hint("interop-check list --cases shows what there is"),
            );
        }
        Ok(cases)
    }

    /// The operations asked for.
    pub fn operations(&self) -> Vec<Operation> {
        if self.operations.is_empty() {
            vec![Operation::Serialize, Operation::Deserialize]
        } else {
            self.operations.clone()
        }
    }

    fn takes_contestant(&self, contestant: &Contestant) -> bool {
        let format = self.formats.is_empty() || self.formats.contains(&contestant.format);
        let named = self.implementations.is_empty()
            || self.implementations.iter().any(|wanted| {
                let local = contestant.name.split_once('/').map(|(_, local)| local);
                *wanted == contestant.name || Some(wanted.as_str()) == local
            });
        format && named && (contestant.evolves || !self.schema_mismatch)
    }

    /// The cells, case by case and operation by operation.
    ///
    /// # Errors
    /// Exit 2 for an implementation that nobody has, or when nothing is left.
    pub fn cells(&self, cases: &[Case], contestants: &[Contestant]) -> Result<Vec<Planned>> {
        for wanted in &self.implementations {
            let only = Wanted {
                implementations: vec![wanted.clone()],
                ..Wanted::default()
            };
            if !contestants.iter().any(|known| only.takes_contestant(known)) {
                let mut names: Vec<_> = contestants.iter().map(|c| c.name.as_str()).collect();
                names.dedup();
                return Err(Failure::usage(format!("no implementation named {wanted}"))
                    .hint(format!("known here: {}", names.join(", "))));
            }
        }
        let mut cells = Vec::new();
        for (case_index, case) in cases.iter().enumerate() {
            for operation in self.operations() {
                for (index, contestant) in contestants.iter().enumerate() {
                    if !self.takes_contestant(contestant) || !contestant.takes(case) {
                        continue;
                    }
                    let name = cell_name(
                        contestant.format,
                        &case.set,
                        &case.model,
                        operation,
                        &contestant.name,
                    );
                    let known =
                        names::well_known(contestant.format, &case.model, &case.set, operation);
                    let all = known.iter().map(String::as_str).chain([name.as_str()]);
                    if self.filter.takes(all) {
                        cells.push(Planned {
                            name,
                            contestant: index,
                            case: case_index,
                            operation,
                        });
                    }
                }
            }
        }
        if cells.is_empty() && !self.filter.wants_sizes() {
            return Err(Failure::usage("the arguments leave nothing to measure")
                .hint("interop-check peers list says what each peer offers"));
        }
        Ok(cells)
    }
}

fn load(
    store: &Store,
    catalog: &mut Catalog,
    model: &Model,
    file: &str,
) -> Result<(Subject, Document)> {
    let subject = catalog.subject(store, model)?;
    let bytes = store.read(file)?;
    let value = values::parse_file(&subject, file, &bytes)
        .map_err(|error| Failure::usage(format!("{file}: {error}")))?;
    Ok((subject, value))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn store() -> Store {
        Store::find(None).unwrap()
    }

    fn contestant(name: &str, format: Format) -> Contestant {
        Contestant {
            language: name.split('/').next().unwrap().to_owned(),
            name: name.to_owned(),
            version: "1".to_owned(),
            format,
            models: None,
            evolves: false,
        }
    }

    fn wanted(pattern: Option<&str>) -> Wanted {
        Wanted {
            models: vec!["struct".to_owned(), "Person".to_owned()],
            sizes: vec!["small".to_owned()],
            filter: Filter::new(pattern).unwrap(),
            ..Wanted::default()
        }
    }

    #[test]
    fn models_come_in_their_sets_and_sizes() {
        let all = Wanted::default().cases(&store()).unwrap();
        assert_eq!(all.len(), 7 + 5 * 3);
        let small = Wanted {
            sizes: vec!["small".to_owned()],
            ..Wanted::default()
        };
        assert_eq!(small.cases(&store()).unwrap().len(), 5);
        let unknown = Wanted {
            models: vec!["Nothing".to_owned()],
            ..Wanted::default()
        };
        let failure = unknown.cases(&store()).err().unwrap();
        assert!(failure.hint.unwrap().contains("MediaContentList"));
        let named = Wanted {
            models: vec!["Sample".to_owned(), "Person".to_owned()],
            sizes: vec!["large".to_owned()],
            ..Wanted::default()
        };
        assert_eq!(named.cases(&store()).unwrap().len(), 2);
    }

    #[test]
    fn cells_are_selected_by_every_argument() {
        let contestants = [
            contestant("go/fory-go", Format::Fory),
            contestant("java/protobuf-java", Format::Protobuf),
        ];
        let cells = |wanted: &Wanted| {
            let cases = wanted.cases(&store()).unwrap();
            wanted.cells(&cases, &contestants)
        };
        assert_eq!(cells(&wanted(None)).unwrap().len(), 8);
        let one = cells(&wanted(Some("^BM_Fory_NumericStruct_Serialize$"))).unwrap();
        assert_eq!(
            one[0].name,
            "fory/canonical/NumericStruct/serialize@go/fory-go"
        );
        assert_eq!(one.len(), 1);
        let round = Wanted {
            operations: vec![Operation::Roundtrip],
            implementations: vec!["protobuf-java".to_owned()],
            ..wanted(None)
        };
        assert_eq!(cells(&round).unwrap().len(), 2);
        let format = Wanted {
            formats: vec![Format::Json],
            ..wanted(None)
        };
        assert_eq!(cells(&format).unwrap_err().code, crate::exit::USAGE);
        let nobody = Wanted {
            implementations: vec!["nobody".to_owned()],
            ..wanted(None)
        };
        assert!(cells(&nobody).unwrap_err().text.contains("nobody"));
        assert!(
            cells(&wanted(Some("PrintSerializedSizes")))
                .unwrap()
                .is_empty()
        );
    }
}
