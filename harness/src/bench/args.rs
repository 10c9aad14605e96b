//! What `bench`, `sizes`, `report` and `profile` take.

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, Subcommand, ValueEnum};
use interop_codec::Format;

use super::names::Filter;
use super::native::Preset;
use super::plan::{SIZES, Wanted};
use super::record::Operation;
use crate::cli::{GoldenDir, Output};
use crate::exit::{Failure, Result};

/// The variable that stands for `--schema-mismatch`, as in Fory's benchmarks.
pub const MISMATCH_VARIABLE: &str = "FORY_BENCH_SCHEMA_MISMATCH";

/// How a run is printed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum BenchOutput {
    /// For a terminal.
    #[default]
    Human,
    /// The whole record, as `report` and `bench compare` take it.
    Json,
    /// One line a cell.
    Csv,
    /// Tables.
    Markdown,
}

/// What is measured, and how.
#[derive(Clone, Debug, Default, Args)]
pub struct RunArgs {
    #[command(flatten)]
    #[allow(missing_docs)]
    pub golden: GoldenDir,
    /// Folder of the peers; else harness/peers beside the golden files.
    #[arg(long, value_name = "DIR")]
    pub peers: Option<PathBuf>,
    /// Only these models, such as struct, sample, mediacontent, Person.
    #[arg(
        long = "data",
        visible_alias = "model",
        value_name = "MODEL",
        value_delimiter = ','
    )]
    pub models: Vec<String>,
    /// Only these formats.
    #[arg(
        long = "serializer",
        visible_alias = "format",
        value_name = "FORMAT",
        value_delimiter = ','
    )]
    pub formats: Vec<Format>,
    /// Operations; serialize and deserialize when absent.
    #[arg(long = "op", value_enum, value_name = "OP", value_delimiter = ',')]
    pub operations: Vec<Operation>,
    /// Only the peers of these languages.
    #[arg(long = "lang", value_name = "LANG", value_delimiter = ',')]
    pub languages: Vec<String>,
    /// Only these implementations, such as go/fory-go or protobuf-java.
    #[arg(long = "implementation", value_name = "NAME", value_delimiter = ',')]
    pub implementations: Vec<String>,
    /// Measured seconds a cell, all rounds together.
    #[arg(long, value_name = "S", default_value = "0.3", value_parser = seconds)]
    pub duration: Duration,
    /// Only cells with a matching name, such as BM_Fory_NumericStruct_Serialize;
    /// BM_PrintSerializedSizes prints encoded sizes.
    #[arg(long, value_name = "REGEX")]
    pub filter: Option<String>,
    /// Only these sizes of the data types that come in three.
    #[arg(long = "size", value_name = "SIZE", value_delimiter = ',', value_parser = clap::builder::PossibleValuesParser::new(SIZES))]
    pub sizes: Vec<String>,
    /// Write with version 1 of the schema and read with version 2, where one int32 is an int64.
    /// Fory only. FORY_BENCH_SCHEMA_MISMATCH=1 does the same.
    #[arg(long)]
    pub schema_mismatch: bool,
    /// Use the peers built with symbols (target/peers-debug, from peers build --debug).
    #[arg(long)]
    pub debug: bool,
}

impl RunArgs {
    /// The arguments with what the environment adds.
    ///
    /// # Errors
    /// Exit 2 when a schema mismatch is asked of anything but fory.
    pub fn settled(&self, mismatch_variable: Option<&str>) -> Result<Self> {
        let mut settled = self.clone();
        let by_variable = mismatch_variable.is_some_and(|value| !matches!(value, "" | "0"));
        settled.schema_mismatch |= by_variable;
        if !settled.schema_mismatch {
            return Ok(settled);
        }
        if let Some(other) = settled
            .formats
            .iter()
            .find(|format| **format != Format::Fory)
        {
            let asked = if self.schema_mismatch {
                "--schema-mismatch"
            } else {
                MISMATCH_VARIABLE
            };
            return Err(Failure::usage(format!(
                "{asked} is for fory only; {other} can't be measured with it"
            ))
            .hint("leave --serializer out, or say --serializer fory"));
        }
        settled.formats = vec![Format::Fory];
        Ok(settled)
    }

    /// What they select.
    ///
    /// # Errors
    /// Exit 2 for a filter that is no regular expression.
    pub fn wanted(&self) -> Result<Wanted> {
        Ok(Wanted {
            models: self.models.clone(),
            formats: self.formats.clone(),
            operations: self.operations.clone(),
            implementations: self.implementations.clone(),
            sizes: self.sizes.clone(),
            filter: Filter::new(self.filter.as_deref())?,
            schema_mismatch: self.schema_mismatch,
        })
    }
}

/// Whether the languages' own benchmark tools measure too.
#[derive(Clone, Copy, Debug, Default, Args)]
pub struct NativeArgs {
    /// Have each language's own tool, such as testing.B or pyperf, time the same cells
    /// afterwards, as a cross-check.
    #[arg(long, conflicts_with = "schema_mismatch")]
    pub native: bool,
    /// How the own tools are set: as long as our loop, or as the recorded tables were made.
    #[arg(long, value_enum, requires = "native")]
    pub preset: Option<Preset>,
}

impl NativeArgs {
    /// The tools' setting, if they are asked for.
    pub fn preset(self) -> Option<Preset> {
        self.native.then(|| self.preset.unwrap_or_default())
    }
}

/// Arguments of `bench`.
#[derive(Clone, Debug, Args)]
#[command(args_conflicts_with_subcommands = true)]
pub struct BenchArgs {
    /// What to do with runs; without it, one is made and printed.
    #[command(subcommand)]
    pub command: Option<BenchCommand>,
    #[command(flatten)]
    #[allow(missing_docs)]
    pub run: RunArgs,
    #[command(flatten)]
    #[allow(missing_docs)]
    pub native: NativeArgs,
    /// How to print the run.
    #[arg(long, value_enum, default_value_t)]
    pub output: BenchOutput,
    /// Write REPORT.md, an HTML page and plots into this directory.
    #[arg(long, value_name = "DIR")]
    pub report: Option<PathBuf>,
    /// Compare with an earlier run; exit 1 when a cell became slower.
    #[arg(long, value_name = "FILE")]
    pub baseline: Option<PathBuf>,
    /// Hold ratios against agreed ones; exit 1 when one rose beyond its margin.
    #[arg(long, value_name = "FILE")]
    pub gate: Option<PathBuf>,
}

/// What can be done with runs.
#[derive(Clone, Debug, Subcommand)]
pub enum BenchCommand {
    /// Make runs and keep each as a JSON file with the host's description.
    Record {
        #[command(flatten)]
        #[allow(missing_docs)]
        run: Box<RunArgs>,
        #[command(flatten)]
        #[allow(missing_docs)]
        native: NativeArgs,
        /// Directory to keep them in.
        #[arg(long, value_name = "DIR", default_value = "bench-history")]
        dir: PathBuf,
        /// How many runs, one after another.
        #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=100))]
        runs: u32,
    },
    /// Compare two runs cell by cell; exit 1 when a cell became slower.
    Compare {
        /// The earlier run.
        #[arg(value_name = "A.json")]
        before: PathBuf,
        /// The later one.
        #[arg(value_name = "B.json")]
        after: PathBuf,
        /// Change in percent below which nothing is said.
        #[arg(long, value_name = "PERCENT", default_value = "5", value_parser = percent)]
        margin: f64,
        /// How to print the result.
        #[arg(long, value_enum, default_value_t)]
        output: Output,
    },
    /// Make a gate file from repeated runs of the same programs: agreed ratios, each with the
    /// margin that the repetition needs. Says how often it would have raised a false alarm.
    Gate {
        /// The runs.
        #[arg(value_name = "RUN.json", required = true)]
        runs: Vec<PathBuf>,
        /// File to write.
        #[arg(long, value_name = "FILE")]
        out: PathBuf,
    },
}

/// Arguments of `sizes`.
#[derive(Clone, Debug, Args)]
pub struct SizesArgs {
    #[command(flatten)]
    #[allow(missing_docs)]
    pub golden: GoldenDir,
    /// Only these models.
    #[arg(
        long = "data",
        visible_alias = "model",
        value_name = "MODEL",
        value_delimiter = ','
    )]
    pub models: Vec<String>,
    /// How to print the result.
    #[arg(long, value_enum, default_value_t)]
    pub output: BenchOutput,
}

/// Arguments of `report`.
#[derive(Clone, Debug, Args)]
pub struct ReportArgs {
    /// The run, as bench --output json or bench record wrote it.
    #[arg(long, value_name = "FILE")]
    pub json_file: PathBuf,
    /// Directory to write to.
    #[arg(long, value_name = "DIR")]
    pub output_dir: PathBuf,
    /// What the names of the plots start with.
    #[arg(long, value_name = "P", default_value = "", value_parser = file_name_part)]
    pub plot_prefix: String,
}

/// Arguments of `profile`. Each cell is watched for the duration.
#[derive(Clone, Debug, Args)]
pub struct ProfileArgs {
    #[command(flatten)]
    #[allow(missing_docs)]
    pub run: RunArgs,
    /// Directory to write to.
    #[arg(long, value_name = "DIR", default_value = "profile_output")]
    pub output_dir: PathBuf,
}

fn seconds(text: &str) -> std::result::Result<Duration, String> {
    const LONGEST_S: f64 = 3600.0;
    match text.parse::<f64>() {
        Ok(seconds) if (0.001..=LONGEST_S).contains(&seconds) => {
            Ok(Duration::from_secs_f64(seconds))
        }
        _ => Err("it takes seconds from 0.001 to 3600, such as 0.5".to_owned()),
    }
}

fn percent(text: &str) -> std::result::Result<f64, String> {
    match text.parse::<f64>() {
        Ok(percent) if (0.0..=1000.0).contains(&percent) => Ok(percent),
        _ => Err("it takes percent from 0 to 1000".to_owned()),
    }
}

fn file_name_part(text: &str) -> std::result::Result<String, String> {
    if text.contains(['/', '\\']) || text.contains("..") {
        return Err("it is part of a file name, not a path; --output-dir says where".to_owned());
    }
    Ok(text.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_are_bounded() {
        assert_eq!(seconds("0.5"), Ok(Duration::from_millis(500)));
        for bad in ["0", "-1", "nan", "inf", "x", "1e9"] {
            assert!(seconds(bad).is_err(), "{bad}");
        }
        assert!(percent("-1").is_err());
        assert_eq!(percent("2.5"), Ok(2.5));
        assert!(file_name_part("../x").is_err());
    }

    #[test]
    fn a_schema_mismatch_is_for_fory_only() {
        let args = RunArgs {
            schema_mismatch: true,
            ..RunArgs::default()
        };
        assert_eq!(args.settled(None).unwrap().formats, [Format::Fory]);
        let json = RunArgs {
            formats: vec![Format::Json],
            ..RunArgs::default()
        };
        assert_eq!(json.settled(Some("0")).unwrap().formats, [Format::Json]);
        let failure = json.settled(Some("1")).unwrap_err();
        assert_eq!(failure.code, crate::exit::USAGE);
        assert!(failure.text.contains(MISMATCH_VARIABLE), "{failure}");
        let consistent = RunArgs {
            formats: vec![Format::Fory, Format::ForyConsistent],
            ..args
        };
        assert!(consistent.settled(None).is_err());
    }
}
