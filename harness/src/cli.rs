//! What can be asked on the command line.

use std::path::PathBuf;

use clap::{Args, CommandFactory, FromArgMatches, Parser, Subcommand, ValueEnum};
use interop_codec::Format;

use crate::check::shard::Shard;
use crate::exit::{self, Exit};

/// Tells whether libraries of the same serialization format agree across languages, and why
/// not. Without a command, checks the golden files.
#[derive(Debug, Parser)]
#[command(
    name = "interop-check",
    version,
    args_conflicts_with_subcommands = true,
    after_help = "Exit status: 0 compatible, 1 a difference that is not known or refused input, \
                  2 bad usage, configuration or an empty selection, 3 the harness itself failed."
)]
pub struct Cli {
    /// What to do; `check` when absent.
    #[command(subcommand)]
    pub command: Option<Command>,
    /// Arguments of the bare command, which is `check`.
    #[command(flatten)]
    pub check: CheckArgs,
}

/// The commands.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Read every golden file to its value and write it again in its writers' dialects.
    Check(CheckArgs),
    /// Put the results of all shards of a check together, with the exit status of the whole.
    Merge(MergeArgs),
    /// Show what there is: golden files, their cases, the dialects.
    List(ListArgs),
    /// Look after the golden files.
    #[command(subcommand)]
    Golden(GoldenCommand),
    /// Look after the known failures: which there are, and what the check of today needs.
    #[command(subcommand)]
    Known(KnownCommand),
    /// JSON values to bytes.
    Encode(EncodeArgs),
    /// Bytes to JSON values, on one line.
    Decode(DecodeArgs),
    /// Bytes of one format to bytes of another.
    Transcode(TranscodeArgs),
    /// Show every byte of an encoded message with its field, meaning and value.
    Explain(ExplainArgs),
    /// Align two encodings of a message by field and name why their bytes differ.
    Diff(DiffArgs),
    /// Run test vectors: small inputs with their right answers, one JSON object a line.
    Vectors(VectorsArgs),
    /// Print a schema in another schema language.
    Schema(SchemaArgs),
    /// Write Rust types and codecs for a schema: the compiled codec.
    #[command(after_help = GENERATE_HELP)]
    Generate(GenerateArgs),
    /// Build, list and check the peers: the real libraries of other languages.
    #[command(subcommand)]
    Peers(PeersCommand),
    /// Measure what each library costs, all in one run.
    Bench(Box<crate::bench::args::BenchArgs>),
    /// Print the encoded size of every model in every format.
    Sizes(crate::bench::args::SizesArgs),
    /// Make a report with plots of a run.
    Report(crate::bench::args::ReportArgs),
    /// Say where the time goes: a flame graph of each cell under measurement.
    Profile(Box<crate::bench::args::ProfileArgs>),
}

/// What to do with peers.
#[derive(Debug, Subcommand)]
pub enum PeersCommand {
    /// Build peers into target/peers; peers whose toolchain is missing are skipped and named.
    Build {
        #[command(flatten)]
        #[allow(missing_docs)]
        peers: PeersArgs,
        /// Build with symbols into target/peers-debug, for bench --debug and profile --debug.
        #[arg(long)]
        debug: bool,
    },
    /// Start the peers and list what they offer.
    List(PeersArgs),
    /// Say what is missing, and the command that installs it.
    Doctor(PeersArgs),
    /// Hold the running peers against the support table.
    Support {
        #[command(flatten)]
        #[allow(missing_docs)]
        peers: PeersArgs,
        /// Write the table anew from what runs.
        #[arg(long)]
        write: bool,
    },
}

/// Which peers.
#[derive(Clone, Debug, Default, Args)]
pub struct PeersArgs {
    /// Languages; all when absent.
    #[arg(value_name = "LANG")]
    pub languages: Vec<String>,
    /// Folder of the peers; else harness/peers beside the golden files.
    #[arg(long, value_name = "DIR")]
    pub peers: Option<PathBuf>,
    #[command(flatten)]
    #[allow(missing_docs)]
    pub golden: GoldenDir,
}

/// How results are printed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Output {
    /// For a terminal.
    #[default]
    Human,
    /// One JSON object.
    Json,
}

/// How the check's result is printed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum CheckOutput {
    /// For a terminal.
    #[default]
    Human,
    /// One JSON object.
    Json,
    /// A JSON object a line: each cell, then a summary.
    Jsonl,
    /// JUnit XML.
    Junit,
    /// For a comment on a pull request.
    Markdown,
    /// Annotations of a GitHub workflow.
    Github,
}

/// Where the golden files are.
#[derive(Clone, Debug, Default, Args)]
pub struct GoldenDir {
    /// Directory of the golden files; else golden/ here or in a directory above.
    #[arg(long, value_name = "DIR")]
    pub golden: Option<PathBuf>,
}

/// Which cells.
#[derive(Clone, Debug, Default, Args)]
pub struct Filters {
    /// Only these formats.
    #[arg(
        long = "format",
        visible_alias = "serializer",
        value_name = "FORMAT",
        value_delimiter = ','
    )]
    pub formats: Vec<Format>,
    /// Only these models.
    #[arg(
        long = "model",
        visible_alias = "data",
        value_name = "MODEL",
        value_delimiter = ','
    )]
    pub models: Vec<String>,
    /// Only these value sets.
    #[arg(long = "set", value_name = "SET", value_delimiter = ',')]
    pub sets: Vec<String>,
    /// Only files of these writers.
    #[arg(long = "writer", value_name = "WRITER", value_delimiter = ',')]
    pub writers: Vec<String>,
    /// Only these corpora (bench, suite, v2, types).
    #[arg(long = "corpus", value_name = "CORPUS", value_delimiter = ',')]
    pub corpora: Vec<String>,
    /// Only cells whose name matches, such as 'fory/*/Sample@java/read'; a pattern without
    /// * or ? matches anywhere in the name.
    #[arg(short = 'k', value_name = "GLOB")]
    pub patterns: Vec<String>,
}

/// Arguments of `check`.
#[derive(Clone, Debug, Default, Args)]
pub struct CheckArgs {
    #[command(flatten)]
    #[allow(missing_docs)]
    pub golden: GoldenDir,
    #[command(flatten)]
    #[allow(missing_docs)]
    pub filters: Filters,
    #[command(flatten)]
    #[allow(missing_docs)]
    pub live: crate::live::LiveArgs,
    /// Judge files even where their hash is not the recorded one, and say nothing of the hash.
    #[arg(long)]
    pub no_verify_hash: bool,
    /// Known failures, instead of known-failures.toml beside the golden files.
    #[arg(long, value_name = "FILE")]
    pub known_failures: Option<PathBuf>,
    /// Threads; as many as there are processors when absent.
    #[arg(long, value_name = "N")]
    pub jobs: Option<usize>,
    /// Only the cases of shard K of N; `merge` puts the --output json of all shards together.
    #[arg(long, value_name = "K/N")]
    pub shard: Option<Shard>,
    #[command(flatten)]
    #[allow(missing_docs)]
    pub results: ResultArgs,
}

/// Where the check's result goes.
#[derive(Clone, Debug, Default, Args)]
pub struct ResultArgs {
    /// How to print the result.
    #[arg(long, value_enum, default_value_t)]
    pub output: CheckOutput,
    /// Also write an HTML page that needs nothing beside it, DIR/index.html.
    #[arg(long, value_name = "DIR")]
    pub report: Option<PathBuf>,
}

/// Arguments of `merge`.
#[derive(Clone, Debug, Args)]
pub struct MergeArgs {
    #[command(flatten)]
    #[allow(missing_docs)]
    pub golden: GoldenDir,
    #[command(flatten)]
    #[allow(missing_docs)]
    pub results: ResultArgs,
    /// What check --shard K/N --output json printed, of every shard.
    #[arg(value_name = "FILE", required = true)]
    pub files: Vec<PathBuf>,
}

/// Arguments of `list`.
#[derive(Clone, Debug, Args)]
pub struct ListArgs {
    #[command(flatten)]
    #[allow(missing_docs)]
    pub golden: GoldenDir,
    #[command(flatten)]
    #[allow(missing_docs)]
    pub filters: Filters,
    /// List cases (model and value set) instead of files.
    #[arg(long, conflicts_with_all = ["dialects", "cells"])]
    pub cases: bool,
    /// List the cells that `check` would run.
    #[arg(long, conflicts_with = "dialects")]
    pub cells: bool,
    /// List the dialects of every format with their choices.
    #[arg(long)]
    pub dialects: bool,
    /// How to print the result.
    #[arg(long, value_enum, default_value_t)]
    pub output: Output,
}

/// Commands on the golden files.
#[derive(Debug, Subcommand)]
pub enum GoldenCommand {
    /// Compare every file with MANIFEST: hashes, missing files, files that it does not list.
    Verify(VerifyArgs),
    /// Write every file again, with our own codec under its writer's dialect or (--live) with the
    /// libraries themselves, and show what would change and why.
    Regenerate(RegenerateArgs),
    /// Take in files that a library wrote elsewhere.
    Import(ImportArgs),
    /// Add a model or a value set, written by our own codec.
    Add(AddArgs),
}

/// Arguments of `golden verify`.
#[derive(Clone, Debug, Args)]
pub struct VerifyArgs {
    #[command(flatten)]
    #[allow(missing_docs)]
    pub golden: GoldenDir,
    /// How to print the result.
    #[arg(long, value_enum, default_value_t)]
    pub output: Output,
}

/// Arguments of `golden regenerate`.
#[derive(Clone, Debug, Args)]
pub struct RegenerateArgs {
    #[command(flatten)]
    #[allow(missing_docs)]
    pub golden: GoldenDir,
    #[command(flatten)]
    #[allow(missing_docs)]
    pub filters: Filters,
    #[command(flatten)]
    #[allow(missing_docs)]
    pub live: RegenerateLiveArgs,
    /// Take the new files: with --live those of the libraries that wrote them, else those of
    /// writer `interop`. A file is never replaced by what another writer wrote.
    #[arg(long)]
    pub accept: bool,
}

/// Which libraries write golden files again.
#[derive(Clone, Debug, Default, Args)]
pub struct RegenerateLiveArgs {
    /// Let the built peers write the files of their libraries. Files of libraries that do not
    /// run here, or in another version than MANIFEST records, are named and left alone.
    #[arg(long)]
    pub live: bool,
    /// Only the peers of these languages.
    #[arg(long, value_name = "LANG", value_delimiter = ',', requires = "live")]
    pub target: Vec<String>,
    /// Folder of the peers; else harness/peers beside the golden files.
    #[arg(long, value_name = "DIR", requires = "live")]
    pub peers: Option<PathBuf>,
}

/// Arguments of `golden import`.
#[derive(Clone, Debug, Args)]
pub struct ImportArgs {
    #[command(flatten)]
    #[allow(missing_docs)]
    pub golden: GoldenDir,
    /// Name of the writer, as file names have it.
    #[arg(long, value_name = "NAME")]
    pub writer: String,
    /// Where the files come from: `library` (name, version and settings; required), `host`,
    /// `made` (YYYY-MM-DD), `command`, and `dialect` where the dialect that reproduces the writer
    /// is called otherwise.
    #[arg(long, value_name = "KEY=VALUE", num_args = 1.., required = true)]
    pub provenance: Vec<String>,
    /// Directory of the files, laid out as the golden directory is: FORMAT/SET/MODEL.bin, in a
    /// folder of its own (v2, types) where that has one.
    #[arg(value_name = "DIR")]
    pub dir: PathBuf,
}

/// Arguments of `golden add`.
#[derive(Clone, Debug, Args)]
pub struct AddArgs {
    #[command(flatten)]
    #[allow(missing_docs)]
    pub golden: GoldenDir,
    #[command(flatten)]
    #[allow(missing_docs)]
    pub subject: SubjectArgs,
    /// The value set that the values belong to.
    #[arg(long, value_name = "SET")]
    pub set: String,
    /// Formats to write; all when absent.
    #[arg(
        long = "format",
        visible_alias = "serializer",
        value_name = "FORMAT",
        value_delimiter = ','
    )]
    pub formats: Vec<Format>,
    /// Values as JSON.
    #[arg(value_name = "VALUES.json")]
    pub values: PathBuf,
}

/// Commands on the known failures.
#[derive(Debug, Subcommand)]
pub enum KnownCommand {
    /// Show every entry with its age and the days that it still holds.
    List(KnownListArgs),
    /// Run the check and write the file that it needs: entries that nothing needs any more go, and
    /// what fails anew gets one, with a reason that is asked for.
    Update(Box<KnownUpdateArgs>),
}

/// Arguments of `known list`.
#[derive(Clone, Debug, Args)]
pub struct KnownListArgs {
    #[command(flatten)]
    #[allow(missing_docs)]
    pub golden: GoldenDir,
    /// Known failures, instead of known-failures.toml beside the golden files.
    #[arg(long, value_name = "FILE")]
    pub known_failures: Option<PathBuf>,
    /// How to print the result.
    #[arg(long, value_enum, default_value_t)]
    pub output: Output,
}

/// Arguments of `known update`. What is said of new failures holds for all of them; several
/// findings are taken one after another, each with its -k.
#[derive(Clone, Debug, Args)]
pub struct KnownUpdateArgs {
    #[command(flatten)]
    #[allow(missing_docs)]
    pub golden: GoldenDir,
    #[command(flatten)]
    #[allow(missing_docs)]
    pub filters: Filters,
    #[command(flatten)]
    #[allow(missing_docs)]
    pub live: crate::live::LiveArgs,
    /// Known failures, instead of known-failures.toml beside the golden files.
    #[arg(long, value_name = "FILE")]
    pub known_failures: Option<PathBuf>,
    /// Threads; as many as there are processors when absent.
    #[arg(long, value_name = "N")]
    pub jobs: Option<usize>,
    /// Why the new failures fail; asked for on a terminal when absent.
    #[arg(long, value_name = "TEXT")]
    pub reason: Option<String>,
    /// Where that is reported or documented; asked for when absent.
    #[arg(long, value_name = "URL")]
    pub link: Option<String>,
    /// The smallest input that shows it; asked for when absent.
    #[arg(long, value_name = "TEXT")]
    pub input: Option<String>,
    /// Who keeps the entries; asked for when absent.
    #[arg(long, value_name = "NAME")]
    pub owner: Option<String>,
    /// The last day on which the new entries hold; a year from now when absent.
    #[arg(long, value_name = "YYYY-MM-DD")]
    pub expires: Option<String>,
}

/// Which message of which schema.
#[derive(Clone, Debug, Default, Args)]
pub struct SubjectArgs {
    /// A built-in model, such as NumericStruct, Sample, MediaContent, Person (case does not
    /// matter).
    #[arg(long, visible_alias = "data", value_name = "MODEL", conflicts_with_all = ["proto", "fdl", "message"])]
    pub model: Option<String>,
    /// A .proto file (or a serialized FileDescriptorSet, ending in .binpb, .desc or .pb).
    #[arg(
        long,
        value_name = "FILE",
        conflicts_with = "fdl",
        requires = "message"
    )]
    pub proto: Option<PathBuf>,
    /// Directory to search for imports.
    #[arg(short = 'I', long = "include", value_name = "DIR")]
    pub includes: Vec<PathBuf>,
    /// A Fory schema file.
    #[arg(long, value_name = "FILE", requires = "message")]
    pub fdl: Option<PathBuf>,
    /// Full name of the message; the package may be left out where that is not ambiguous.
    #[arg(long, value_name = "pkg.Message")]
    pub message: Option<String>,
    /// Identify Fory fields by name even where the schema numbers them.
    #[arg(long)]
    pub field_names: bool,
}

/// The JSON form of values.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum JsonForm {
    /// ProtoJSON with original field names.
    Proto,
    /// Exact: 64-bit integers and floats as decimal strings, bytes as hex, maps as pairs.
    Neutral,
}

/// Bounds on what a decoder takes.
#[derive(Clone, Copy, Debug, Default, Args)]
pub struct LimitArgs {
    /// Deepest nesting (default 100).
    #[arg(long, value_name = "LEVELS")]
    pub max_depth: Option<u32>,
    /// Largest input in bytes (default 2147483647).
    #[arg(long, value_name = "BYTES")]
    pub max_message_bytes: Option<usize>,
    /// Memory for decoded values beyond four times the input, in bytes (default 268435456).
    #[arg(long, value_name = "BYTES")]
    pub max_expansion_bytes: Option<usize>,
}

impl LimitArgs {
    /// The limits in force.
    pub fn limits(&self) -> interop_wire::Limits {
        let default = interop_wire::Limits::DEFAULT;
        interop_wire::Limits {
            depth: self.max_depth.unwrap_or(default.depth),
            message_bytes: self.max_message_bytes.unwrap_or(default.message_bytes),
            expansion_bytes: self.max_expansion_bytes.unwrap_or(default.expansion_bytes),
        }
    }
}

/// Arguments of `encode`.
#[derive(Clone, Debug, Args)]
pub struct EncodeArgs {
    #[command(flatten)]
    #[allow(missing_docs)]
    pub subject: SubjectArgs,
    /// Format to write.
    #[arg(long, visible_alias = "serializer", value_name = "FORMAT")]
    pub format: Format,
    /// Dialect to write, by writer name (see `list --dialects`); ours when absent.
    #[arg(long, value_name = "DIALECT")]
    pub dialect: Option<String>,
    /// JSON form of the values; neutral with --fdl, else proto.
    #[arg(long, value_enum)]
    pub json: Option<JsonForm>,
    #[command(flatten)]
    #[allow(missing_docs)]
    pub limits: LimitArgs,
    /// File to write; standard output when absent.
    #[arg(short, long, value_name = "OUT")]
    pub out: Option<PathBuf>,
    /// Values as JSON; standard input when absent or -.
    #[arg(value_name = "VALUES.json", default_value = "-")]
    pub values: PathBuf,
}

/// Arguments of `decode`.
#[derive(Clone, Debug, Args)]
pub struct DecodeArgs {
    #[command(flatten)]
    #[allow(missing_docs)]
    pub subject: SubjectArgs,
    /// Format to read.
    #[arg(long, visible_alias = "serializer", value_name = "FORMAT")]
    pub format: Format,
    /// JSON form to print; neutral with --fdl, else proto.
    #[arg(long, value_enum)]
    pub json: Option<JsonForm>,
    #[command(flatten)]
    #[allow(missing_docs)]
    pub limits: LimitArgs,
    /// Bytes; standard input when absent or -.
    #[arg(value_name = "FILE", default_value = "-")]
    pub file: PathBuf,
}

/// Arguments of `transcode`.
#[derive(Clone, Debug, Args)]
pub struct TranscodeArgs {
    #[command(flatten)]
    #[allow(missing_docs)]
    pub subject: SubjectArgs,
    /// Format to read.
    #[arg(long, value_name = "FORMAT")]
    pub from: Format,
    /// Format to write.
    #[arg(long, value_name = "FORMAT")]
    pub to: Format,
    /// Dialect to write, by writer name; ours when absent.
    #[arg(long, value_name = "DIALECT")]
    pub dialect: Option<String>,
    #[command(flatten)]
    #[allow(missing_docs)]
    pub limits: LimitArgs,
    /// File to write; standard output when absent.
    #[arg(short, long, value_name = "OUT")]
    pub out: Option<PathBuf>,
    /// Bytes; standard input when absent or -.
    #[arg(value_name = "FILE", default_value = "-")]
    pub file: PathBuf,
}

/// Arguments of `explain`.
#[derive(Clone, Debug, Args)]
pub struct ExplainArgs {
    #[command(flatten)]
    #[allow(missing_docs)]
    pub golden: GoldenDir,
    #[command(flatten)]
    #[allow(missing_docs)]
    pub subject: SubjectArgs,
    /// Format of the bytes; for a golden file known from MANIFEST.
    #[arg(long, visible_alias = "serializer", value_name = "FORMAT")]
    pub format: Option<Format>,
    /// Without FILE: explain the golden files of this value set (needs --model).
    #[arg(long, value_name = "SET", conflicts_with = "file")]
    pub set: Option<String>,
    /// Without FILE: of this writer.
    #[arg(long, value_name = "WRITER", requires = "set")]
    pub writer: Option<String>,
    #[command(flatten)]
    #[allow(missing_docs)]
    pub limits: LimitArgs,
    /// How to print the result.
    #[arg(long, value_enum, default_value_t)]
    pub output: Output,
    /// Bytes; - for standard input.
    #[arg(value_name = "FILE", required_unless_present = "set")]
    pub file: Option<PathBuf>,
}

/// Arguments of `diff`.
#[derive(Clone, Debug, Args)]
pub struct DiffArgs {
    #[command(flatten)]
    #[allow(missing_docs)]
    pub golden: GoldenDir,
    #[command(flatten)]
    #[allow(missing_docs)]
    pub subject: SubjectArgs,
    /// Format of both; for golden files known from MANIFEST.
    #[arg(long, visible_alias = "serializer", value_name = "FORMAT")]
    pub format: Option<Format>,
    #[command(flatten)]
    #[allow(missing_docs)]
    pub limits: LimitArgs,
    /// How to print the result.
    #[arg(long, value_enum, default_value_t)]
    pub output: Output,
    /// One encoding.
    #[arg(value_name = "A")]
    pub a: PathBuf,
    /// The other.
    #[arg(value_name = "B")]
    pub b: PathBuf,
}

/// Arguments of `vectors`.
#[derive(Clone, Debug, Args)]
pub struct VectorsArgs {
    /// How to print the result.
    #[arg(long, value_enum, default_value_t)]
    pub output: Output,
    /// Files of vectors, one JSON object a line.
    #[arg(value_name = "FILE", required = true)]
    pub files: Vec<PathBuf>,
}

/// A schema language to print.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum SchemaLanguage {
    /// Fory's schema language, for foryc.
    Fdl,
    /// FlatBuffers, for flatc.
    Fbs,
    /// A serialized google.protobuf.FileDescriptorSet.
    Descriptor,
}

/// Arguments of `schema`.
#[derive(Clone, Debug, Args)]
pub struct SchemaArgs {
    /// A .proto file; the built-in bench.proto when absent.
    #[arg(long, value_name = "FILE", conflicts_with = "model_set")]
    pub proto: Option<PathBuf>,
    /// Directory to search for imports.
    #[arg(short = 'I', long = "include", value_name = "DIR")]
    pub includes: Vec<PathBuf>,
    /// A built-in schema: bench, suite or v2.
    #[arg(long, value_name = "NAME")]
    pub model_set: Option<String>,
    /// Root message of a FlatBuffers schema, and the package of a Fory schema; the last message
    /// of the file when absent.
    #[arg(long, value_name = "pkg.Message")]
    pub message: Option<String>,
    /// Language to print.
    #[arg(long, value_enum)]
    pub to: SchemaLanguage,
    /// File to write; standard output when absent.
    #[arg(short, long, value_name = "OUT")]
    pub out: Option<PathBuf>,
}

/// What `generate` writes, and what it doesn't.
const GENERATE_HELP: &str = "\
Writes a module: DIR/mod.rs and a file for each package. Name it with `mod` and depend on
interop-runtime; nothing else is needed. For each message there is a type that owns its fields and a
view that borrows them, with protobuf, ProtoJSON, MessagePack, FlatBuffers and both modes of Fory.

Refused, with the field's full name: proto2 groups, required fields, extensions, closed enums,
message sets, and names that become the same in Rust. Fory is left out for messages that it can't
carry as structs known by number; ProtoJSON for those of google.protobuf with a form of their own.";

/// Arguments of `generate`.
#[derive(Clone, Debug, Args)]
pub struct GenerateArgs {
    /// A .proto file or a serialized FileDescriptorSet.
    #[arg(long, value_name = "FILE")]
    pub proto: PathBuf,
    /// Directory to search for imports.
    #[arg(short = 'I', long = "include", value_name = "DIR")]
    pub includes: Vec<PathBuf>,
    /// Only these packages, with all that they refer to.
    #[arg(long = "package", value_name = "PACKAGE", value_delimiter = ',')]
    pub packages: Vec<String>,
    /// Directory for the module; it is made where it is missing, and files in it are replaced.
    #[arg(short, long, value_name = "DIR")]
    pub out: PathBuf,
}

/// Parses the arguments of the process.
///
/// # Errors
/// The code to leave with when there is nothing more to do: help and version were printed, or
/// the usage error with a hint.
pub fn parse() -> Result<Cli, Exit> {
    let matches = Cli::command().try_get_matches();
    matches
        .and_then(|matches| Cli::from_arg_matches(&matches))
        .map_err(|error| {
            // Nothing better can be done when the terminal is gone.
            let _ = error.print();
            if error.use_stderr() {
                Exit(exit::USAGE)
            } else {
                Exit(exit::COMPATIBLE)
            }
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_definition_is_consistent() {
        Cli::command().debug_assert();
    }

    #[test]
    fn the_benchmarks_names_are_accepted() {
        let cli = Cli::try_parse_from([
            "interop-check",
            "encode",
            "--data",
            "sample",
            "--serializer",
            "fory",
        ]);
        match cli.unwrap().command {
            Some(Command::Encode(args)) => {
                assert_eq!(args.subject.model.as_deref(), Some("sample"));
                assert_eq!(args.format, Format::Fory);
            }
            other => panic!("{other:?}"),
        }
    }
}
