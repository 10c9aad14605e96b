//! Tables that others published, beside what was measured now.
//!
//! Only ratios within one table travel between machines. Each recorded table is therefore
//! turned into Fory's advantages over the other formats, and each advantage is held against
//! the same one measured now in the same language; where that language's library does not run
//! here, against the reference run that is kept beside the tables.

use interop_codec::Format;
use serde::{Deserialize, Serialize};

use super::record::{Cell, Operation};
use super::stats::{self, Estimate};
use crate::exit::{Failure, Result};
use crate::golden::{DataKind, Store};

/// A factor that two machines may differ by without anything being different.
const SAME_SIZE: f64 = 1.5;

/// A table as its file has it.
#[derive(Clone, Debug, Deserialize)]
struct Table {
    id: String,
    #[serde(default)]
    language: Option<String>,
    metric: Metric,
    #[serde(default)]
    harness: String,
    host: String,
    #[serde(default)]
    commit: String,
    #[serde(default)]
    note: String,
    #[serde(default)]
    source: String,
    rows: Vec<Row>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Metric {
    OpsPerSec,
    NsPerOp,
}

#[derive(Clone, Debug, Deserialize)]
struct Row {
    #[serde(default)]
    language: Option<String>,
    #[serde(default)]
    implementation: Option<String>,
    model: String,
    #[serde(default)]
    size: Option<String>,
    operation: String,
    format: String,
    #[serde(default)]
    ops_per_sec: Option<f64>,
    #[serde(default)]
    ns_per_op: Option<f64>,
}

impl Row {
    fn ns(&self, metric: Metric) -> Option<f64> {
        match metric {
            Metric::OpsPerSec => self.ops_per_sec.map(|rate| 1e9 / rate),
            Metric::NsPerOp => self.ns_per_op,
        }
        .filter(|ns| ns.is_finite() && *ns > 0.0)
    }

    fn set(&self) -> &str {
        self.size.as_deref().unwrap_or("canonical")
    }
}

/// All tables of a golden directory.
#[derive(Clone, Debug, Default)]
pub struct Tables {
    published: Vec<Table>,
    reference: Option<Table>,
}

/// A published table beside what was measured.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Recorded {
    /// Name of the table.
    pub id: String,
    /// Language.
    pub language: String,
    /// How it was measured.
    pub harness: String,
    /// Host as recorded.
    pub host: String,
    /// Commit as recorded.
    pub commit: String,
    /// What is known of its making.
    pub note: String,
    /// Where it was published.
    pub source: String,
    /// The figures, in nanoseconds an operation.
    pub figures: Vec<Figure>,
    /// Advantages, each compared or with the reason why not.
    pub advantages: Vec<Advantage>,
}

/// A published figure.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Figure {
    /// Model.
    pub model: String,
    /// Value set or size.
    pub set: String,
    /// Operation.
    pub operation: Operation,
    /// Format.
    pub format: Format,
    /// Nanoseconds an operation.
    pub ns_per_op: f64,
}

/// How many times as fast as another format Fory was, then and now.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Advantage {
    /// Model, as the table calls it.
    pub model: String,
    /// Value set or size.
    pub set: String,
    /// Operation.
    pub operation: Operation,
    /// The other format.
    pub over: Format,
    /// As recorded: above 1, Fory was the faster.
    pub recorded: f64,
    /// As measured, the pair that decides first.
    pub now: Vec<Now>,
    /// What that says.
    pub conclusion: Conclusion,
    /// Why it was not compared, or why it does not agree, as far as the measurements show.
    pub reason: String,
}

/// An advantage as measured.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Now {
    /// The Fory implementation.
    pub fory: String,
    /// The other.
    pub other: String,
    /// Model that both were timed with, where it is not the table's.
    pub model: String,
    /// "this run", or the reference run's name.
    pub source: String,
    /// The advantage.
    pub advantage: Estimate,
}

/// What a comparison of advantages says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Conclusion {
    /// The same side, and within a factor of 1.5.
    Agrees,
    /// The same side, another size.
    OtherSize,
    /// The other side, or no side that the interval shows.
    OtherSign,
    /// Nothing to compare with.
    NotCompared,
}

impl Conclusion {
    /// In words.
    pub const fn words(self) -> &'static str {
        match self {
            Self::Agrees => "agrees",
            Self::OtherSize => "same sign, other size",
            Self::OtherSign => "sign not reproduced",
            Self::NotCompared => "not compared",
        }
    }
}

impl Tables {
    /// Loads every recorded table that MANIFEST lists.
    ///
    /// # Errors
    /// Exit 2 when one does not parse.
    pub fn load(store: &Store) -> Result<Self> {
        let mut tables = Self::default();
        for file in &store.manifest.data {
            if file.kind != DataKind::Recorded || !file.file.ends_with(".json") {
                continue;
            }
            let table: Table = serde_json::from_slice(&store.read(&file.file)?)
                .map_err(|error| Failure::usage(format!("{}: {error}", file.file)))?;
            // A published table is of one language; the reference run is of several.
            if table.language.is_some() {
                tables.published.push(table);
            } else {
                tables.reference = Some(table);
            }
        }
        Ok(tables)
    }

    /// Number of published figures.
    pub fn figures(&self) -> usize {
        self.published.iter().map(|table| table.rows.len()).sum()
    }

    /// Holds the tables against cells measured now.
    pub fn compare(&self, cells: &[Cell]) -> Vec<Recorded> {
        let published = self.published.iter();
        published
            .map(|table| compare(table, self.reference.as_ref(), cells))
            .collect()
    }
}

fn compare(table: &Table, reference: Option<&Table>, cells: &[Cell]) -> Recorded {
    let language = table.language.clone().unwrap_or_default();
    let figures: Vec<Figure> = table
        .rows
        .iter()
        .filter_map(|row| {
            Some(Figure {
                model: row.model.clone(),
                set: row.set().to_owned(),
                operation: operation(&row.operation)?,
                format: row.format.parse().ok()?,
                ns_per_op: row.ns(table.metric)?,
            })
        })
        .collect();
    let mut advantages = Vec::new();
    for fory in figures
        .iter()
        .filter(|figure| figure.format == Format::Fory)
    {
        let others = figures.iter().filter(|other| {
            other.format != Format::Fory
                && (&other.model, &other.set, other.operation)
                    == (&fory.model, &fory.set, fory.operation)
        });
        for other in others {
            let recorded = other.ns_per_op / fory.ns_per_op;
            let mut now = live(&language, fory, other.format, &table.note, cells);
            if let Some(reference) = reference {
                now.extend(of_reference(reference, &language, fory, other.format));
            }
            let fixed = fixed_width(fory, &table.note);
            let (conclusion, reason) = conclude(recorded, &now, &language, other.format, fixed);
            advantages.push(Advantage {
                model: fory.model.clone(),
                set: fory.set.clone(),
                operation: fory.operation,
                over: other.format,
                recorded,
                now,
                conclusion,
                reason,
            });
        }
    }
    Recorded {
        id: table.id.clone(),
        language,
        harness: table.harness.clone(),
        host: table.host.clone(),
        commit: table.commit.clone(),
        note: table.note.clone(),
        source: table.source.clone(),
        figures,
        advantages,
    }
}

/// True for figures of a table that timed fixed-width integers under the plain model's name.
fn fixed_width(figure: &Figure, note: &str) -> bool {
    figure.model.starts_with("NumericStruct") && note.contains("FixedNumericStruct")
}

fn operation(name: &str) -> Option<Operation> {
    match name {
        "serialize" => Some(Operation::Serialize),
        "deserialize" => Some(Operation::Deserialize),
        _ => None,
    }
}

/// The peer's name for a language in a table.
fn peer_language(language: &str) -> String {
    match language {
        "C++" => "cpp".to_owned(),
        "JavaScript" => "javascript".to_owned(),
        other => other.to_lowercase(),
    }
}

/// The same advantage in this run: the fastest Fory implementation of the language against
/// each implementation of the other format, the fastest first. Our own codec is left aside,
/// since the tables are about the published libraries.
fn live(language: &str, fory: &Figure, over: Format, note: &str, cells: &[Cell]) -> Vec<Now> {
    let language = peer_language(language);
    let mut models = vec![fory.model.as_str()];
    // A table that timed fixed-width integers is answered with the model that has them first.
    if fixed_width(fory, note) && fory.model == "NumericStruct" {
        models.insert(0, "FixedNumericStruct");
    }
    let mut found = Vec::new();
    for model in models {
        let side = |format: Format| {
            let mut side: Vec<&Cell> = cells
                .iter()
                .filter(|cell| {
                    cell.language == language
                        && !cell.implementation.contains("interop")
                        && cell.format == format
                        && cell.model == model
                        && cell.set == fory.set
                        && cell.operation == fory.operation
                })
                .collect();
            side.sort_by(|a, b| a.ns_per_op.median.total_cmp(&b.ns_per_op.median));
            side
        };
        let Some(&best) = side(Format::Fory).first() else {
            continue;
        };
        found.extend(side(over).into_iter().map(|other| Now {
            fory: best.implementation.clone(),
            other: other.implementation.clone(),
            model: model.to_owned(),
            source: "this run".to_owned(),
            advantage: stats::ratio(&other.samples, &best.samples, true),
        }));
    }
    found
}

/// The same advantage in the reference run, which has no samples: intervals are points.
fn of_reference(table: &Table, language: &str, fory: &Figure, over: Format) -> Vec<Now> {
    let side = |format: Format| {
        let mut side: Vec<(&str, f64)> = table
            .rows
            .iter()
            .filter(|row| {
                // Views and reused targets are other questions than the tables'.
                let same = match fory.operation {
                    Operation::Serialize => row.operation.starts_with("serialize"),
                    Operation::Deserialize => row.operation == "deserialize",
                    Operation::Roundtrip => false,
                };
                same && row.language.as_deref() == Some(language)
                    && row.format == format.name()
                    && row.model == fory.model
                    && row.set() == fory.set
            })
            .filter_map(|row| Some((row.implementation.as_deref()?, row.ns(table.metric)?)))
            .collect();
        side.sort_by(|a, b| a.1.total_cmp(&b.1));
        let mut kept: Vec<(&str, f64)> = Vec::new();
        for one in side {
            if !kept.iter().any(|known| known.0 == one.0) {
                kept.push(one);
            }
        }
        kept
    };
    let Some(&(name, ns)) = side(Format::Fory).first() else {
        return Vec::new();
    };
    let now = side(over).into_iter().map(|(other, other_ns)| {
        let advantage = other_ns / ns;
        Now {
            fory: name.to_owned(),
            other: other.to_owned(),
            model: fory.model.clone(),
            source: table.id.clone(),
            advantage: Estimate {
                median: advantage,
                low: advantage,
                high: advantage,
            },
        }
    });
    now.collect()
}

fn judge(recorded: f64, now: &Estimate) -> Conclusion {
    let same_side = if recorded >= 1.0 {
        now.low >= 1.0
    } else {
        now.high <= 1.0
    };
    let same_size = (now.median / recorded).ln().abs() <= SAME_SIZE.ln();
    match (same_side, same_size) {
        (true, true) => Conclusion::Agrees,
        (true, false) => Conclusion::OtherSize,
        (false, _) => Conclusion::OtherSign,
    }
}

fn conclude(
    recorded: f64,
    now: &[Now],
    language: &str,
    over: Format,
    fixed: bool,
) -> (Conclusion, String) {
    let Some(first) = now.first() else {
        let reason = format!(
            "no {language} implementation of fory and of {over} was timed on this model, neither \
             in this run nor in the reference run"
        );
        return (Conclusion::NotCompared, reason);
    };
    let conclusion = judge(recorded, &first.advantage);
    if conclusion == Conclusion::Agrees {
        return (conclusion, String::new());
    }
    // An experiment explains it when changing one side or the model restores the figure.
    let shown = now[1..]
        .iter()
        .find(|other| judge(recorded, &other.advantage) == Conclusion::Agrees);
    let reason = match shown {
        Some(other) if other.model != first.model => format!(
            "{} instead of {} gives {:.2}: the width of the integers decides",
            other.model, first.model, other.advantage.median
        ),
        Some(other) if other.other.contains("object conversion") => format!(
            "with the conversion of objects inside the timed part ({}, {}) it is {:.2}: the \
             table's figure holds that conversion",
            other.other, other.source, other.advantage.median
        ),
        Some(other) => format!(
            "{} against {} ({}) gives {:.2}: which library stands for {over} decides",
            other.fory, other.other, other.source, other.advantage.median
        ),
        None if fixed && !first.model.starts_with("Fixed") => {
            "the table timed fixed-width integers, what was measured here are varints".to_owned()
        }
        None => "no pair measured here reproduces it; versions, machine and settings all differ \
                 from the table's"
            .to_owned(),
    };
    (conclusion, reason)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bench::record;

    fn tables() -> Tables {
        Tables::load(&Store::find(None).unwrap()).unwrap()
    }

    #[test]
    fn all_published_figures_are_loaded() {
        let tables = tables();
        assert_eq!(tables.figures(), 138);
        let recorded = tables.compare(&[]);
        let figures: usize = recorded.iter().map(|table| table.figures.len()).sum();
        assert_eq!(figures, 138);
        let advantages: usize = recorded.iter().map(|table| table.advantages.len()).sum();
        assert_eq!(advantages, 12 * 2 + 6 + 30 * 2);
        for table in &recorded {
            assert!(!table.host.is_empty() && !table.commit.is_empty());
            for advantage in &table.advantages {
                let compared = advantage.conclusion == Conclusion::Agrees;
                assert!(compared || !advantage.reason.is_empty());
            }
        }
    }

    #[test]
    fn advantages_are_other_over_fory() {
        let recorded = tables().compare(&[]);
        let java = recorded
            .iter()
            .find(|table| table.id == "java-xlang")
            .unwrap();
        let first = &java.advantages[0];
        assert_eq!(
            (first.model.as_str(), first.over),
            ("NumericStruct", Format::Protobuf)
        );
        assert!((first.recorded - 46_787_647.0 / 33_024_161.0).abs() < 1e-9);
        let rust = recorded
            .iter()
            .find(|table| table.id == "rust-first")
            .unwrap();
        let first = &rust.advantages[0];
        assert!((first.recorded - 378.09 / 624.88).abs() < 1e-9);
        assert_eq!(first.conclusion, Conclusion::NotCompared);
    }

    #[test]
    fn a_run_is_compared_by_language_and_fixed_width_model() {
        use Operation::Serialize;
        let record = record::tests::record(&[
            (
                "java/fory-java",
                Format::Fory,
                "FixedNumericStruct",
                Serialize,
                100.0,
            ),
            (
                "java/protobuf-java",
                Format::Protobuf,
                "FixedNumericStruct",
                Serialize,
                142.0,
            ),
            (
                "java/fory-java",
                Format::Fory,
                "NumericStruct",
                Serialize,
                100.0,
            ),
            (
                "java/protobuf-java",
                Format::Protobuf,
                "NumericStruct",
                Serialize,
                300.0,
            ),
            (
                "go/protobuf-go",
                Format::Protobuf,
                "NumericStruct",
                Serialize,
                1.0,
            ),
        ]);
        let recorded = tables().compare(&record.cells);
        let java = recorded
            .iter()
            .find(|table| table.id == "java-xlang")
            .unwrap();
        let first = &java.advantages[0];
        assert_eq!(first.conclusion, Conclusion::Agrees);
        assert_eq!(first.now[0].model, "FixedNumericStruct");
        assert_eq!(first.now[1].model, "NumericStruct");
        assert!((first.now[0].advantage.median - 1.42).abs() < 1e-3);
    }

    fn now(other: &str, advantage: f64) -> Now {
        Now {
            fory: "f".to_owned(),
            other: other.to_owned(),
            model: "M".to_owned(),
            source: "this run".to_owned(),
            advantage: Estimate {
                median: advantage,
                low: advantage * 0.9,
                high: advantage * 1.1,
            },
        }
    }

    #[test]
    fn conclusions_look_at_side_then_size() {
        let conclude = |now: &[Now]| conclude(3.0, now, "Java", Format::Protobuf, false);
        assert_eq!(conclude(&[now("a", 2.5)]).0, Conclusion::Agrees);
        assert_eq!(conclude(&[now("a", 1.3)]).0, Conclusion::OtherSize);
        assert_eq!(conclude(&[now("a", 1.05)]).0, Conclusion::OtherSign);
        assert_eq!(conclude(&[]).0, Conclusion::NotCompared);
        let (conclusion, reason) = conclude(&[now("a", 0.8), now("b with object conversion", 3.1)]);
        assert_eq!(conclusion, Conclusion::OtherSign);
        assert!(reason.contains("conversion of objects"), "{reason}");
    }
}
