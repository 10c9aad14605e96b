//! Which cells there are: derived from MANIFEST and the vectors, then filtered.

use interop_codec::Format;
use serde::{Deserialize, Serialize};
use wildmatch::WildMatch;

use super::shard::Shard;
use crate::cli::Filters;
use crate::exit::{Failure, Result};
use crate::golden::{File, Manifest};
use crate::subject::canonical_model;
use crate::vectors::Vector;
use crate::verdict::Verdict;

/// What is done in a cell.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Op {
    /// The file is decoded and held against the value of its set.
    Read,
    /// The value is encoded in the writer's dialect and held against the file.
    Write,
    /// The file is decoded with the other version of its schema, that of this corpus.
    ReadAs(String),
    /// A test vector is answered.
    Answer,
    /// A live implementation writes the value.
    LiveWrite,
    /// Bytes of a writer are read by this live implementation.
    LiveRead(String),
    /// Bytes of all writers are parsed and serialized again by a live implementation.
    Relay,
    /// The same with fields that the schema lacks, which must be kept.
    RelayUnknown,
    /// What relays wrote is read by this live implementation.
    RelayRead(String),
    /// The value of a version that peers must be brought is written.
    VersionWrite,
    /// Bytes of one version of a schema are read with another version, that of a corpus.
    VersionRead {
        /// The corpus whose version the reader has.
        corpus: String,
        /// The reader.
        reader: String,
    },
    /// Broken bytes are read by this live implementation.
    Parity {
        /// How they are broken.
        class: String,
        /// The reader.
        reader: String,
    },
    /// The input of a test vector is read by this live implementation.
    ParityVector(String),
}

/// What a cell is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Kind {
    /// Bytes are read to the value that they stand for.
    Read,
    /// A value is written.
    Write,
    /// What is parsed and serialized again arrives.
    Relay,
    /// Broken and odd input is taken or refused by all readers alike.
    Parity,
    /// Bytes of one version of a schema are read with another.
    Evolution,
    /// A test vector is answered right.
    Vector,
}

impl Op {
    /// The last part of the cell's name.
    pub fn name(&self) -> String {
        match self {
            Self::Read => "read".to_owned(),
            Self::Write => "write".to_owned(),
            Self::ReadAs(corpus) => format!("read-as-{corpus}"),
            Self::Answer => "answer".to_owned(),
            Self::LiveWrite => "write".to_owned(),
            Self::LiveRead(reader) | Self::RelayRead(reader) => format!("read-by/{reader}"),
            Self::Relay => "relay".to_owned(),
            Self::RelayUnknown => "unknown-fields".to_owned(),
            Self::VersionWrite => "write".to_owned(),
            Self::VersionRead { corpus, reader } => format!("as-{corpus}/read-by/{reader}"),
            Self::Parity { class, reader } => format!("{class}/read-by/{reader}"),
            Self::ParityVector(reader) => format!("read-by/{reader}"),
        }
    }

    /// What it is about.
    pub const fn kind(&self) -> Kind {
        match self {
            Self::Read | Self::LiveRead(_) => Kind::Read,
            Self::Write | Self::LiveWrite => Kind::Write,
            Self::ReadAs(_) | Self::VersionWrite | Self::VersionRead { .. } => Kind::Evolution,
            Self::Answer => Kind::Vector,
            Self::Relay | Self::RelayUnknown | Self::RelayRead(_) => Kind::Relay,
            Self::Parity { .. } | Self::ParityVector(_) => Kind::Parity,
        }
    }
}

/// Where a cell's bytes come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Source {
    /// Index into the manifest's files.
    File(usize),
    /// Index into the plan's vectors.
    Vector(usize),
    /// A live implementation or a golden file read by one.
    Live,
}

/// One question of the check.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Cell {
    /// `fory/canonical/Sample@java/read`, `vectors/pb-neg-zero`.
    pub name: String,
    /// The bytes.
    pub source: Source,
    /// Corpus, or "vectors".
    pub corpus: String,
    /// Format.
    pub format: Format,
    /// Value set; empty for a vector.
    pub set: String,
    /// Model; empty for a vector.
    pub model: String,
    /// Writer; empty for a vector.
    pub writer: String,
    /// What is done.
    pub op: Op,
}

impl Cell {
    /// The verdict that this cell passes with. JSON is compared by value, so that no verdict on
    /// bytes is given.
    pub fn passing(&self) -> Verdict {
        match (&self.op, self.format) {
            (Op::Read | Op::ReadAs(_), Format::Json) => Verdict::EqualValue,
            _ => Verdict::Identical,
        }
    }
}

/// Cells that are never run, and why.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct NotRun {
    /// What.
    pub what: String,
    /// How many cells.
    pub cells: usize,
    /// Why.
    pub reason: String,
}

/// All cells in the order of MANIFEST, the vectors behind them.
#[derive(Debug)]
pub struct Plan {
    /// The cells.
    pub cells: Vec<Cell>,
    /// The vectors.
    pub vectors: Vec<Vector>,
    /// What the plan leaves out.
    pub not_run: Vec<NotRun>,
}

impl Plan {
    /// The plan of everything.
    pub fn full(manifest: &Manifest, vectors: Vec<Vector>) -> Self {
        let mut cells = Vec::new();
        for (index, file) in manifest.files.iter().enumerate() {
            for writer in &file.writers {
                let mut push = |op: Op| {
                    cells.push(Cell {
                        name: format!("{}@{writer}/{}", file.case(), op.name()),
                        source: Source::File(index),
                        corpus: file.corpus.clone(),
                        format: file.format,
                        set: file.set.clone(),
                        model: file.model.clone(),
                        writer: writer.clone(),
                        op,
                    });
                };
                push(Op::Read);
                if file.format.is_binary() {
                    push(Op::Write);
                }
                for other in other_versions(manifest, file) {
                    push(Op::ReadAs(other));
                }
            }
        }
        for (index, vector) in vectors.iter().enumerate() {
            cells.push(Cell {
                name: format!("vectors/{}", vector.id),
                source: Source::Vector(index),
                corpus: "vectors".to_owned(),
                format: vector.format,
                set: String::new(),
                model: String::new(),
                writer: String::new(),
                op: Op::Answer,
            });
        }
        let mut plan = Self {
            cells,
            vectors,
            not_run: Vec::new(),
        };
        plan.count_not_run();
        plan
    }

    /// Leaves the cells of one shard.
    pub fn cut(&mut self, shard: Shard) {
        self.cells.retain(|cell| shard.takes_cell(cell));
        self.count_not_run();
    }

    fn count_not_run(&mut self) {
        let json = |cell: &&Cell| cell.op == Op::Read && !cell.format.is_binary();
        let cells = self.cells.iter().filter(json).count();
        self.not_run.clear();
        if cells > 0 {
            self.not_run.push(NotRun {
                what: "writing json".to_owned(),
                cells,
                reason: "json is compared by value, not by text".to_owned(),
            });
        }
    }
}

/// Corpora that have another version of the file's model and files of its format.
fn other_versions(manifest: &Manifest, file: &File) -> Vec<String> {
    let models = manifest
        .models
        .iter()
        .filter(|model| model.model == file.model);
    let pairs = models.filter_map(|model| {
        let older = model.evolves.as_ref()?;
        if *older == file.corpus {
            Some(&model.corpus)
        } else if model.corpus == file.corpus {
            Some(older)
        } else {
            None
        }
    });
    let has_format = |corpus: &&String| {
        let mut files = manifest.files.iter();
        files.any(|other| other.corpus == **corpus && other.format == file.format)
    };
    pairs.filter(has_format).cloned().collect()
}

/// The filters of the command line.
#[derive(Debug)]
pub struct Selection {
    formats: Vec<Format>,
    models: Vec<String>,
    sets: Vec<String>,
    writers: Vec<String>,
    corpora: Vec<String>,
    patterns: Vec<WildMatch>,
    shard: Option<Shard>,
}

impl Selection {
    /// # Errors
    /// Exit 2 when a pattern is empty.
    pub fn new(filters: &Filters) -> Result<Self> {
        let mut patterns = Vec::new();
        for pattern in &filters.patterns {
            if pattern.is_empty() {
                return Err(Failure::usage("-k needs a pattern"));
            }
            let whole = pattern.contains(['*', '?']);
            patterns.push(if whole {
                WildMatch::new(pattern)
            } else {
                WildMatch::new(&format!("*{pattern}*"))
            });
        }
        Ok(Self {
            formats: filters.formats.clone(),
            models: filters.models.iter().map(|m| canonical_model(m)).collect(),
            sets: filters.sets.clone(),
            writers: filters.writers.clone(),
            corpora: filters.corpora.clone(),
            patterns,
            shard: None,
        })
    }

    /// The same, of one shard.
    #[must_use]
    pub fn of_shard(self, shard: Option<Shard>) -> Self {
        Self { shard, ..self }
    }

    /// True when nothing is filtered out, apart from what other shards run.
    pub fn is_everything(&self) -> bool {
        self.formats.is_empty()
            && self.models.is_empty()
            && self.sets.is_empty()
            && self.writers.is_empty()
            && self.corpora.is_empty()
            && self.patterns.is_empty()
    }

    /// True when the cell is asked for.
    pub fn takes(&self, cell: &Cell) -> bool {
        let any = |names: &[String], name: &str| {
            names.is_empty() || names.iter().any(|wanted| wanted.eq_ignore_ascii_case(name))
        };
        self.takes_format(cell.format)
            && any(&self.models, &cell.model)
            && any(&self.sets, &cell.set)
            && any(&self.writers, &cell.writer)
            && any(&self.corpora, &cell.corpus)
            && (self.patterns.is_empty() || self.patterns.iter().any(|p| p.matches(&cell.name)))
    }

    /// True when cells of this format may be asked for.
    pub fn takes_format(&self, format: Format) -> bool {
        self.formats.is_empty() || self.formats.contains(&format)
    }

    /// True when a cell whose name starts so may be asked for; a cheap test that spares work.
    pub fn takes_prefix(&self, prefix: &str) -> bool {
        let may = |pattern: &WildMatch| {
            let pattern = pattern.pattern();
            let fixed = pattern.split(['*', '?']).next().unwrap_or_default();
            fixed.starts_with(prefix) || prefix.starts_with(fixed)
        };
        self.patterns.is_empty() || self.patterns.iter().any(may)
    }

    /// True when cells of this case may be asked for, whatever their format and writer.
    pub fn takes_case(&self, corpus: &str, set: &str, model: &str) -> bool {
        let any = |names: &[String], name: &str| {
            names.is_empty() || names.iter().any(|wanted| wanted.eq_ignore_ascii_case(name))
        };
        any(&self.models, model)
            && any(&self.sets, set)
            && any(&self.corpora, corpus)
            && self
                .shard
                .is_none_or(|shard| shard.takes(corpus, set, model))
    }

    /// Indices of the cells asked for, in order.
    pub fn select(&self, plan: &Plan) -> Vec<usize> {
        let cells = plan.cells.iter().enumerate();
        cells
            .filter(|(_, cell)| self.takes(cell))
            .map(|(index, _)| index)
            .collect()
    }
}
