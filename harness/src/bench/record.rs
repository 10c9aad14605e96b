//! What a run leaves behind: one JSON document with everything that its report needs.

use std::path::Path;

use interop_codec::Format;
use serde::{Deserialize, Serialize};

use super::environment::Environment;
use super::names;
use super::native::NativeCell;
use super::recorded::Recorded;
use super::stats::{self, Estimate};
use crate::exit::{Failure, Result};

/// Version of the document's layout.
pub const VERSION: u32 = 1;

/// What is timed.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, clap::ValueEnum,
)]
#[serde(rename_all = "lowercase")]
pub enum Operation {
    /// A prepared object to bytes.
    Serialize,
    /// Bytes to an object, which is dropped.
    Deserialize,
    /// Both.
    Roundtrip,
}

impl Operation {
    /// The name in cells and tables.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Serialize => "serialize",
            Self::Deserialize => "deserialize",
            Self::Roundtrip => "roundtrip",
        }
    }
}

/// How a run measured.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Settings {
    /// Measured time a cell, all rounds together.
    pub duration_s: f64,
    /// Rounds planned.
    pub rounds: usize,
    /// Rounds done by every cell; less after Ctrl-C.
    pub rounds_done: usize,
    /// Unmeasured time of a cell before its first round.
    pub first_warmup_ms: f64,
    /// Unmeasured time before each further round.
    pub warmup_ms: f64,
    /// Length that batches are calibrated to.
    pub batch_ms: f64,
    /// Whether version 1 was written and version 2 read.
    pub schema_mismatch: bool,
    /// Whether the peers were those built with symbols.
    pub debug: bool,
}

/// A timed cell.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Cell {
    /// `fory/canonical/Sample/serialize@go/fory-go`.
    pub name: String,
    /// Language of the peer.
    pub language: String,
    /// "go/fory-go".
    pub implementation: String,
    /// Of the library.
    pub version: String,
    /// Format.
    pub format: Format,
    /// Model.
    pub model: String,
    /// Value set or size.
    pub set: String,
    /// Operation.
    pub operation: Operation,
    /// Length of the implementation's own encoding.
    pub bytes: u64,
    /// Nanoseconds an operation.
    pub ns_per_op: Estimate,
    /// Operations a second.
    pub ops_per_sec: Estimate,
    /// Time over that of the fastest cell of the same row; 1 for the fastest.
    pub factor: f64,
    /// Nanoseconds an operation of each batch, round by round, thinned.
    pub samples: Vec<Vec<f64>>,
}

impl Cell {
    /// Case, operation: what cells must share to be compared.
    pub fn row(&self) -> (String, String, Operation) {
        (self.model.clone(), self.set.clone(), self.operation)
    }

    /// "Sample, serialize" or "Person (small), serialize".
    pub fn row_title(&self) -> String {
        format!(
            "{}, {}",
            case_title(&self.model, &self.set),
            self.operation.name()
        )
    }
}

/// A case in words.
pub fn case_title(model: &str, set: &str) -> String {
    match set {
        "canonical" => model.to_owned(),
        set => format!("{model} ({set})"),
    }
}

/// A cell's name.
pub fn cell_name(
    format: Format,
    set: &str,
    model: &str,
    operation: Operation,
    implementation: &str,
) -> String {
    format!(
        "{format}/{set}/{model}/{}@{implementation}",
        operation.name()
    )
}

/// Every name of a cell: ours and the well-known ones.
pub fn all_names(cell: &Cell) -> Vec<String> {
    let mut names = names::well_known(cell.format, &cell.model, &cell.set, cell.operation);
    names.push(cell.name.clone());
    names
}

/// Encoded sizes of a case.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sizes {
    /// Model.
    pub model: String,
    /// Value set or size.
    pub set: String,
    /// Bytes by format, in the order of the formats; none where the format can't carry the
    /// case.
    pub bytes: Vec<(Format, Option<u64>)>,
}

/// Something that was not timed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LeftOut {
    /// Cell or peer.
    pub what: String,
    /// Why.
    pub reason: String,
}

/// A run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Record {
    /// [`VERSION`].
    pub version: u32,
    /// False when the run was stopped before its end.
    pub complete: bool,
    /// Where it ran.
    pub environment: Environment,
    /// How.
    pub settings: Settings,
    /// What was timed, fastest first within each row.
    pub cells: Vec<Cell>,
    /// Encoded sizes, written by our codec under its default dialects.
    pub sizes: Vec<Sizes>,
    /// What was not.
    pub left_out: Vec<LeftOut>,
    /// The recorded tables beside what was measured.
    pub recorded: Vec<Recorded>,
    /// The same cells as the languages' own tools timed them, where they were asked.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub native: Vec<NativeCell>,
}

impl Record {
    /// Reads a record.
    ///
    /// # Errors
    /// Exit 2 when it is none.
    pub fn load(path: &Path) -> Result<Self> {
        let fail = |error: &dyn std::fmt::Display| {
            Failure::usage(format!("{}: {error}", path.display()))
                .hint("it takes the JSON of: interop-check bench --output json, or bench record")
        };
        let text = std::fs::read(path).map_err(|error| fail(&error))?;
        let record: Self = serde_json::from_slice(&text).map_err(|error| fail(&error))?;
        if record.version != VERSION {
            let text = format!("version {} of the layout, not {VERSION}", record.version);
            return Err(fail(&text));
        }
        Ok(record)
    }

    /// The document.
    ///
    /// # Errors
    /// Exit 3 when it can't be printed, which a number that is not finite would cause.
    pub fn to_json(&self) -> Result<String> {
        let text = serde_json::to_string(self)
            .map_err(|error| Failure::harness(format!("the record can't be printed: {error}")))?;
        Ok(lined(&text))
    }

    /// Orders cells by row, the fastest first, and sets their factors.
    pub fn rank(&mut self) {
        let mut rows: Vec<_> = Vec::new();
        for cell in &self.cells {
            let row = cell.row();
            if !rows.contains(&row) {
                rows.push(row);
            }
        }
        let place = |cell: &Cell| rows.iter().position(|row| *row == cell.row());
        self.cells.sort_by(|a, b| {
            let times = (a.ns_per_op.median, b.ns_per_op.median);
            place(a).cmp(&place(b)).then(times.0.total_cmp(&times.1))
        });
        let mut fastest: Option<((String, String, Operation), f64)> = None;
        for cell in &mut self.cells {
            let row = cell.row();
            let best = match &fastest {
                Some((known, best)) if *known == row => *best,
                _ => cell.ns_per_op.median,
            };
            fastest = Some((row, best));
            cell.factor = if best > 0.0 {
                cell.ns_per_op.median / best
            } else {
                1.0
            };
        }
    }

    /// The cells row by row.
    pub fn rows(&self) -> Vec<&[Cell]> {
        self.cells.chunk_by(|a, b| a.row() == b.row()).collect()
    }

    /// The cell of this name.
    pub fn cell(&self, name: &str) -> Option<&Cell> {
        self.cells.iter().find(|cell| cell.name == name)
    }
}

/// A cell of the samples given.
pub fn timed(mut cell: Cell, samples: &[Vec<f64>]) -> Cell {
    /// Batches kept of each round.
    const KEPT: usize = 24;
    cell.ns_per_op = stats::estimate(samples);
    cell.ops_per_sec = cell.ns_per_op.per_second();
    let rounded = |round: &Vec<f64>| -> Vec<f64> {
        let thin = stats::thinned(round, KEPT);
        thin.iter().map(|ns| rounded_to(*ns, 5)).collect()
    };
    cell.samples = samples.iter().map(rounded).collect();
    cell
}

fn rounded_to(value: f64, digits: i32) -> f64 {
    if value == 0.0 || !value.is_finite() {
        return value;
    }
    let scale = 10f64.powi(digits - 1 - value.abs().log10().floor() as i32);
    (value * scale).round() / scale
}

/// One cell a line, so that kept records can be read as text.
fn lined(text: &str) -> String {
    let mut out = text.replace("},{\"name\"", "},\n{\"name\"");
    out = out.replace("\"cells\":[", "\n\"cells\":[\n");
    out = out.replace("\"sizes\":[", "\n\"sizes\":[");
    out.push('\n');
    out
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// A record with the cells (implementation, format, model, operation, ns).
    pub(crate) fn record(cells: &[(&str, Format, &str, Operation, f64)]) -> Record {
        let cells = cells
            .iter()
            .map(|&(implementation, format, model, operation, ns)| {
                let samples: Vec<Vec<f64>> = (0..8)
                    .map(|round| {
                        (0..5)
                            .map(|batch| {
                                ns * (1.0 + 0.002 * f64::from(round) + 0.001 * f64::from(batch))
                            })
                            .collect()
                    })
                    .collect();
                let language = implementation.split('/').next().unwrap_or_default();
                let cell = Cell {
                    name: cell_name(format, "canonical", model, operation, implementation),
                    language: language.to_owned(),
                    implementation: implementation.to_owned(),
                    version: "1".to_owned(),
                    format,
                    model: model.to_owned(),
                    set: "canonical".to_owned(),
                    operation,
                    bytes: 100,
                    ns_per_op: stats::estimate(&samples),
                    ops_per_sec: stats::estimate(&samples).per_second(),
                    factor: 1.0,
                    samples: Vec::new(),
                };
                timed(cell, &samples)
            });
        let mut record = Record {
            version: VERSION,
            complete: true,
            environment: Environment::default(),
            settings: Settings {
                duration_s: 0.1,
                rounds: 8,
                rounds_done: 8,
                first_warmup_ms: 1.0,
                warmup_ms: 1.0,
                batch_ms: 1.0,
                schema_mismatch: false,
                debug: false,
            },
            cells: cells.collect(),
            sizes: vec![Sizes {
                model: "Sample".to_owned(),
                set: "canonical".to_owned(),
                bytes: vec![(Format::Protobuf, Some(380)), (Format::Fory, None)],
            }],
            left_out: Vec::new(),
            recorded: Vec::new(),
            native: Vec::new(),
        };
        record.rank();
        record
    }

    #[test]
    fn the_fastest_of_a_row_comes_first_with_factor_one() {
        use Operation::{Deserialize, Serialize};
        let record = record(&[
            ("go/a", Format::Fory, "Sample", Serialize, 300.0),
            ("go/b", Format::Fory, "Sample", Deserialize, 50.0),
            ("java/c", Format::Protobuf, "Sample", Serialize, 100.0),
        ]);
        let rows = record.rows();
        assert_eq!(rows.len(), 2);
        assert_eq!(rows[0][0].implementation, "java/c");
        assert_eq!(rows[0][0].factor, 1.0);
        assert!((rows[0][1].factor - 3.0).abs() < 0.01);
        assert_eq!(rows[1][0].factor, 1.0);
    }

    #[test]
    fn a_record_survives_its_file() {
        let record = record(&[("go/a", Format::Fory, "Sample", Operation::Serialize, 312.5)]);
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("run.json");
        std::fs::write(&path, record.to_json().unwrap()).unwrap();
        assert_eq!(Record::load(&path).unwrap(), record);
        std::fs::write(&path, "{}").unwrap();
        assert_eq!(Record::load(&path).unwrap_err().code, crate::exit::USAGE);
    }

    #[test]
    fn samples_keep_five_digits() {
        assert_eq!(rounded_to(123.456_789, 5), 123.46);
        assert_eq!(rounded_to(0.0, 5), 0.0);
        assert_eq!(rounded_to(98_765_432.0, 5), 98_765_000.0);
    }
}
