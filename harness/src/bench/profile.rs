//! Where the time goes: a sampling profiler attached to the process of a cell while its loop
//! runs, and a flame graph of what it saw.

use std::collections::BTreeMap;
use std::io::Write;
use std::path::Path;
use std::time::Duration;

use super::args::RunArgs;
use super::environment::Environment;
use super::report::svg::{Anchor, Drawing};
use super::source::{Ask, Everyone, Source, Stop};
use crate::exit::{Failure, Result};
use crate::golden::Store;
use crate::live::folders;
use crate::peer::process::{first_line, output_of};
use crate::values::write_atomically;

/// Cells that one call profiles at most; each takes its whole duration.
const MOST_CELLS: usize = 24;

/// Samples a second; a prime, so that it does not beat with anything periodic.
const FREQUENCY_HZ: u32 = 997;

/// Variables that make runtimes tell the profiler the names of what they compile.
const NAMED_FRAMES: [(&str, &str); 3] = [
    ("JAVA_TOOL_OPTIONS", "-XX:+PreserveFramePointer"),
    (
        "NODE_OPTIONS",
        "--perf-basic-prof --interpreted-frames-native-stack",
    ),
    ("PYTHONPERFSUPPORT", "1"),
];

/// Profiles every cell that the arguments select, one after another.
///
/// # Errors
/// Exit 2 when they select nothing or too much; exit 3 when there is no profiler, or it fails.
pub fn profile(args: &RunArgs, directory: &Path, store: &Store, out: &mut dyn Write) -> Result<()> {
    let wanted = args.wanted()?;
    let cases = wanted.cases(store)?;
    let (mut roster, own) = super::roster(args, store)?;
    for program in &mut roster.programs {
        for (name, value) in NAMED_FRAMES {
            program.env.insert(name.to_owned(), value.to_owned());
        }
    }
    let mut everyone = Everyone::assemble(&roster, own)?;
    let contestants = everyone.contestants.clone();
    let cells = wanted.cells(&cases, &contestants)?;
    if cells.is_empty() || cells.len() > MOST_CELLS {
        return Err(Failure::usage(format!(
            "{} cells to profile, each on its own; between 1 and {MOST_CELLS} make sense",
            cells.len()
        ))
        .hint("narrow them with --data, --serializer, --op, --implementation or --filter"));
    }
    let perf = ["perf".to_owned(), "--version".to_owned()];
    let Some(version) = first_line(&perf).filter(|line| line.starts_with("perf")) else {
        return Err(
            Failure::harness("no profiler: perf is not installed or does not run")
                .hint("on Debian: apt-get install linux-perf"),
        );
    };
    std::fs::create_dir_all(directory)
        .map_err(|error| Failure::usage(format!("{}: {error}", directory.display())))?;
    let environment = Environment::of_this_machine(&folders(store).root);
    let stamp: String = environment
        .started
        .chars()
        .filter(char::is_ascii_alphanumeric)
        .collect();
    writeln!(out, "profiler: {version}, {FREQUENCY_HZ} samples a second")?;
    for cell in &cells {
        let (case, contestant) = (&cases[cell.case], &contestants[cell.contestant]);
        if let Err(stop) = everyone.check(case, contestant) {
            match stop {
                Stop::Interrupted => break,
                Stop::LeftOut(reason) => writeln!(out, "{}: left out: {reason}", cell.name)?,
            }
            continue;
        }
        let Some(process) = everyone.process_id(contestant) else {
            writeln!(out, "{}: its process is gone", cell.name)?;
            continue;
        };
        let slug: String = cell
            .name
            .chars()
            .map(|c| if c.is_ascii_alphanumeric() { c } else { '-' })
            .collect();
        let file = |ending: &str| directory.join(format!("{stamp}-{slug}.{ending}"));
        let data = file("perf.data");
        let recorder = {
            let argv = record_command(process, args.duration, &data);
            std::thread::spawn(move || output_of(&argv))
        };
        // The loop outlasts the recorder a little, so that no sample falls outside it.
        let ask = Ask {
            warmup: Duration::from_millis(50),
            duration: args.duration + Duration::from_millis(200),
            batch: Duration::from_millis(1),
        };
        let measured = everyone.measure(case, contestant, cell, ask);
        let recorded = recorder
            .join()
            .map_err(|_| Failure::harness("the profiler's thread died"))?;
        recorded.map_err(|error| {
            Failure::harness(error).hint("perf needs kernel.perf_event_paranoid at 2 or lower")
        })?;
        match measured {
            Ok(_) => {}
            Err(Stop::Interrupted) => break,
            Err(Stop::LeftOut(reason)) => {
                writeln!(out, "{}: left out: {reason}", cell.name)?;
                continue;
            }
        }
        if contestant.language == "java" {
            // Writes the names of compiled methods where perf looks for them; without it the
            // graph has addresses there.
            let jcmd = [
                "jcmd".to_owned(),
                process.to_string(),
                "Compiler.perfmap".to_owned(),
            ];
            let _ = output_of(&jcmd);
        }
        let (script, _) = output_of(&script_command(&data)).map_err(Failure::harness)?;
        let stacks = fold(&String::from_utf8_lossy(&script));
        let total: u64 = stacks.values().sum();
        let folded: String = stacks
            .iter()
            .map(|(stack, count)| format!("{stack} {count}\n"))
            .collect();
        write_atomically(&file("folded"), folded.as_bytes())?;
        let svg = flame_graph(&cell.name, &stacks);
        write_atomically(&file("svg"), svg.as_bytes())?;
        writeln!(
            out,
            "{}: {total} samples, {}",
            cell.name,
            file("svg").display()
        )?;
        out.flush()?;
    }
    everyone.finish();
    Ok(())
}

fn record_command(process: u32, duration: Duration, data: &Path) -> Vec<String> {
    let (frequency, process) = (FREQUENCY_HZ.to_string(), process.to_string());
    let seconds = format!("{:.3}", duration.as_secs_f64());
    let data = data.to_string_lossy();
    // The processor's clock where it can be had, which a virtual machine often hides.
    let argv = [
        "perf",
        "record",
        "-q",
        "-e",
        "cpu-clock:u",
        "-F",
        &frequency,
        "-g",
        "-p",
        &process,
        "-o",
        &data,
        "--",
        "sleep",
        &seconds,
    ];
    argv.iter().map(|arg| (*arg).to_owned()).collect()
}

fn script_command(data: &Path) -> Vec<String> {
    let data = data.to_string_lossy();
    let argv = ["perf", "script", "-i", &data, "-F", "comm,ip,sym,dso"];
    argv.iter().map(|arg| (*arg).to_owned()).collect()
}

/// The stacks of `perf script`, from the root to the leaf and joined by semicolons, with how
/// often each was seen. A sample is a line that is not indented, its frames below it from the
/// leaf to the root, and an empty line.
fn fold(script: &str) -> BTreeMap<String, u64> {
    let mut stacks = BTreeMap::new();
    let mut thread = "";
    let mut frames: Vec<String> = Vec::new();
    for line in script.lines().chain([""]) {
        let text = line.trim();
        if text.is_empty() {
            if !frames.is_empty() {
                frames.push(thread.to_owned());
                frames.reverse();
                *stacks.entry(frames.join(";")).or_insert(0) += 1;
                frames.clear();
            }
        } else if line.starts_with([' ', '\t']) {
            frames.push(frame_name(text));
        } else {
            thread = text;
        }
    }
    stacks
}

/// A frame is `ADDRESS SYMBOL (FILE)`; without a symbol, the file stands for it.
fn frame_name(text: &str) -> String {
    let (_, rest) = text.split_once(' ').unwrap_or(("", text));
    let (symbol, file) = rest.rsplit_once(" (").unwrap_or((rest, ""));
    let name = match symbol.trim() {
        "" | "[unknown]" => {
            let file = file.trim_end_matches(')');
            let name = file.rsplit('/').next().unwrap_or(file);
            format!("[{name}]")
        }
        symbol => symbol.to_owned(),
    };
    name.replace(';', ":")
}

#[derive(Default)]
struct Node {
    count: u64,
    below: BTreeMap<String, Node>,
}

/// A flame graph: width is the share of samples, the root at the top.
fn flame_graph(title: &str, stacks: &BTreeMap<String, u64>) -> String {
    const WIDTH: f64 = 1200.0;
    const LINE: f64 = 17.0;
    const TOP: f64 = 52.0;
    let mut root = Node::default();
    let mut deepest = 0;
    for (stack, count) in stacks {
        root.count += count;
        let mut node = &mut root;
        for (depth, name) in stack.split(';').enumerate() {
            deepest = deepest.max(depth + 1);
            node = node.below.entry(name.to_owned()).or_default();
            node.count += count;
        }
    }
    let mut drawing = Drawing::new(WIDTH, TOP + deepest as f64 * LINE + 10.0);
    drawing.text(10.0, 22.0, 15.0, Anchor::Start, "#222222", title);
    let subtitle = format!(
        "{} samples; width: share of samples, from the root (top) to the leaf; names in tool tips",
        root.count
    );
    drawing.text(10.0, 40.0, 11.0, Anchor::Start, "#666666", &subtitle);
    // No recursion: a profile of a recursive function is as deep as its stack.
    let mut open = vec![(&root, 10.0, TOP)];
    let scale = (WIDTH - 20.0) / root.count.max(1) as f64;
    while let Some((node, x, y)) = open.pop() {
        let mut x = x;
        for (name, child) in &node.below {
            let width = child.count as f64 * scale;
            let share = 100.0 * child.count as f64 / root.count.max(1) as f64;
            let tip = format!("{name} ({share:.1} %)");
            drawing.frame(x, y, (width, LINE), tint(name), &tip);
            open.push((child, x, y + LINE));
            x += width;
        }
    }
    drawing.finish(title)
}

/// The same colour for the same name, all light enough for dark text.
fn tint(name: &str) -> &'static str {
    const TINTS: [&str; 6] = [
        "#f6c89f", "#f3d9a4", "#f0b99a", "#e9cfae", "#f7dcb9", "#edc08a",
    ];
    let digest = super::source::fnv1a_64(name.as_bytes());
    TINTS[(digest % TINTS.len() as u64) as usize]
}

#[cfg(test)]
mod tests {
    use super::*;

    const SCRIPT: &str = "\
peer 
\t    55d0 write_varint (/build/peer)
\t    55d1 encode (/build/peer)

peer 
\t    55d0 write_varint (/build/peer)
\t    55d1 encode (/build/peer)

peer 
\t    7f00 [unknown] (/usr/lib/libc.so.6)
";

    #[test]
    fn samples_are_folded_from_root_to_leaf() {
        let stacks = fold(SCRIPT);
        assert_eq!(stacks["peer;encode;write_varint"], 2);
        assert_eq!(stacks["peer;[libc.so.6]"], 1);
        assert_eq!(stacks.len(), 2);
    }

    #[test]
    fn frames_are_as_wide_as_their_share() {
        let svg = flame_graph("a cell", &fold(SCRIPT));
        assert!(svg.contains("encode (66.7 %)"), "{svg}");
        assert!(svg.contains("3 samples"));
        let empty = flame_graph("none", &BTreeMap::new());
        assert!(!empty.contains("NaN"));
    }

    #[test]
    fn the_profiler_ends_by_itself() {
        let argv = record_command(7, Duration::from_millis(1500), Path::new("x"));
        assert_eq!(
            argv[argv.len() - 2..],
            ["sleep".to_owned(), "1.500".to_owned()]
        );
        assert!(argv.windows(2).any(|pair| pair == ["-p", "7"]));
    }
}
