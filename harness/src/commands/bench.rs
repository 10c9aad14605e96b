use std::io::Write;
use std::path::Path;

use crate::bench::args::{
    BenchArgs, BenchCommand, BenchOutput, MISMATCH_VARIABLE, ProfileArgs, ReportArgs, RunArgs,
    SizesArgs,
};
use crate::bench::compare::{Comparison, Gate, compare, false_alarms};
use crate::bench::names::Filter;
use crate::bench::native::Preset;
use crate::bench::plan::Wanted;
use crate::bench::record::{Record, Sizes};
use crate::bench::stats::Verdict;
use crate::bench::{encoded_sizes, measure, print, profile, report};
use crate::cli::Output;
use crate::exit::{COMPATIBLE, DIFFERENT, Failure, Result};
use crate::golden::Store;
use crate::values::write_atomically;

/// Change below which a baseline says nothing; 0.05 is 5 %.
const BASELINE_MARGIN: f64 = 0.05;

pub(super) fn bench(args: &BenchArgs, out: &mut dyn Write) -> Result<u8> {
    match &args.command {
        None => run(args, out),
        Some(BenchCommand::Record {
            run,
            native,
            dir,
            runs,
        }) => record(run, native.preset(), (dir, *runs), out),
        Some(BenchCommand::Compare {
            before,
            after,
            margin,
            output,
        }) => {
            let comparison = compare(
                &Record::load(before)?,
                &Record::load(after)?,
                margin / 100.0,
            )?;
            match output {
                Output::Human => print::comparison(out, &comparison)?,
                Output::Json => super::print_json(out, &to_value(&comparison)?)?,
            }
            Ok(slower(&comparison))
        }
        Some(BenchCommand::Gate { runs, out: file }) => gate(runs, file, out),
    }
}

fn settled(args: &RunArgs) -> Result<RunArgs> {
    args.settled(std::env::var(MISMATCH_VARIABLE).ok().as_deref())
}

fn run(args: &BenchArgs, out: &mut dyn Write) -> Result<u8> {
    let run = settled(&args.run)?;
    // What a long run ends in is looked at before it starts.
    let baseline = args.baseline.as_deref().map(Record::load).transpose()?;
    let gate = args.gate.as_deref().map(Gate::load).transpose()?;
    let store = Store::find(run.golden.golden.as_deref())?;
    let filter = Filter::new(run.filter.as_deref())?;
    if filter.wants_sizes() && !filter.takes(["BM_Fory_Sample_Serialize"]) {
        let cases = run.wanted()?.cases(&store)?;
        print_sizes(out, &encoded_sizes(&cases), args.output)?;
        return Ok(COMPATIBLE);
    }
    let record = measure(&run, args.native.preset(), &store)?;
    match args.output {
        BenchOutput::Human => print::human(out, &record)?,
        BenchOutput::Json => out.write_all(record.to_json()?.as_bytes())?,
        BenchOutput::Csv => print::csv(out, &record)?,
        BenchOutput::Markdown => out.write_all(report::markdown(&record, &[])?.as_bytes())?,
    }
    let mut code = COMPATIBLE;
    // Machine-readable output stays alone on standard output.
    let mut stderr = std::io::stderr();
    let mut notes: &mut dyn Write = if args.output == BenchOutput::Human {
        out
    } else {
        &mut stderr
    };
    if let Some(directory) = &args.report {
        report::write(&record, directory, "", &mut notes)?;
    }
    if let Some(baseline) = baseline {
        let comparison = compare(&baseline, &record, BASELINE_MARGIN)?;
        print::comparison(&mut notes, &comparison)?;
        code = code.max(slower(&comparison));
    }
    if let Some(gate) = gate {
        let gated = gate.check(&record);
        print::gated(&mut notes, &gated)?;
        if gated.compared == 0 {
            return Err(
                Failure::usage("the run has none of the gate's ratios").hint(
                    "run the same models, formats and peers as those that the gate was made of",
                ),
            );
        }
        if !gated.alarms.is_empty() {
            code = DIFFERENT;
        }
    }
    Ok(code)
}

fn slower(comparison: &Comparison) -> u8 {
    let slower = |change: &crate::bench::compare::Change| change.verdict == Verdict::Slower;
    if comparison.changes.iter().any(slower) {
        DIFFERENT
    } else {
        COMPATIBLE
    }
}

fn to_value<T: serde::Serialize>(value: &T) -> Result<serde_json::Value> {
    serde_json::to_value(value)
        .map_err(|error| Failure::harness(format!("the result can't be printed: {error}")))
}

fn create(directory: &Path) -> Result<()> {
    std::fs::create_dir_all(directory)
        .map_err(|error| Failure::usage(format!("{}: {error}", directory.display())))
}

fn record(
    args: &RunArgs,
    native: Option<Preset>,
    (directory, runs): (&Path, u32),
    out: &mut dyn Write,
) -> Result<u8> {
    let args = settled(args)?;
    let store = Store::find(args.golden.golden.as_deref())?;
    create(directory)?;
    for _ in 0..runs {
        let record = measure(&args, native, &store)?;
        let environment = &record.environment;
        let stamp: String = environment
            .started
            .chars()
            .filter(char::is_ascii_alphanumeric)
            .collect();
        let name = format!("{stamp}-{}", environment.host_slug());
        let mut path = directory.join(format!("{name}.json"));
        for again in 2.. {
            if !path.exists() {
                break;
            }
            path = directory.join(format!("{name}-{again}.json"));
        }
        write_atomically(&path, record.to_json()?.as_bytes())?;
        writeln!(out, "{}: {} cells", path.display(), record.cells.len())?;
        out.flush()?;
        if !record.complete {
            break;
        }
    }
    Ok(COMPATIBLE)
}

fn gate(files: &[std::path::PathBuf], file: &Path, out: &mut dyn Write) -> Result<u8> {
    let runs: Vec<Record> = files
        .iter()
        .map(|file| Record::load(file))
        .collect::<Result<_>>()?;
    let runs: Vec<&Record> = runs.iter().collect();
    let gate = Gate::of(&runs)?;
    let (compared, alarms) = false_alarms(&runs)?;
    gate.save(file)?;
    let mut margins: Vec<f64> = gate.ratios.iter().map(|agreed| agreed.margin).collect();
    margins.sort_by(f64::total_cmp);
    let percent = |q: f64| print::digits(100.0 * crate::bench::stats::quantile(&margins, q));
    writeln!(
        out,
        "{}: {} ratios of {} runs, margins {} % to {} %, median {} %\n\
         each run held against the gate of the others: {alarms} alarms in {compared} comparisons",
        file.display(),
        gate.ratios.len(),
        gate.runs,
        percent(0.0),
        percent(1.0),
        percent(0.5)
    )?;
    Ok(COMPATIBLE)
}

pub(super) fn sizes(args: &SizesArgs, out: &mut dyn Write) -> Result<u8> {
    let store = Store::find(args.golden.golden.as_deref())?;
    let wanted = Wanted {
        models: args.models.clone(),
        ..Wanted::default()
    };
    let sizes = encoded_sizes(&wanted.cases(&store)?);
    print_sizes(out, &sizes, args.output)?;
    Ok(COMPATIBLE)
}

fn print_sizes(out: &mut dyn Write, sizes: &[Sizes], output: BenchOutput) -> Result<()> {
    match output {
        BenchOutput::Human => print::sizes(out, sizes),
        BenchOutput::Json => {
            super::print_json(out, &serde_json::json!({ "sizes": to_value(&sizes)? }))
        }
        BenchOutput::Markdown => print::markdown_sizes(out, sizes),
        BenchOutput::Csv => {
            writeln!(out, "model,set,format,bytes")?;
            for size in sizes {
                for (format, bytes) in &size.bytes {
                    let bytes = bytes.map_or_else(String::new, |bytes| bytes.to_string());
                    writeln!(out, "{},{},{format},{bytes}", size.model, size.set)?;
                }
            }
            Ok(())
        }
    }
}

pub(super) fn report(args: &ReportArgs, mut out: &mut dyn Write) -> Result<u8> {
    let record = Record::load(&args.json_file)?;
    report::write(&record, &args.output_dir, &args.plot_prefix, &mut out)?;
    Ok(COMPATIBLE)
}

pub(super) fn profile(args: &ProfileArgs, out: &mut dyn Write) -> Result<u8> {
    let run = settled(&args.run)?;
    let store = Store::find(run.golden.golden.as_deref())?;
    profile::profile(&run, &args.output_dir, &store, out)?;
    Ok(COMPATIBLE)
}
