//! The machine and the programs of a run, as far as the system tells.

use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::peer::process::first_line;

/// Where a run happened. What the system does not tell is "not known" or empty.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Environment {
    /// Start of the run, seconds since 1970.
    pub started_unix_s: u64,
    /// The start as YYYY-MM-DDThh:mm:ssZ.
    pub started: String,
    /// The command as it was given.
    pub command: Vec<String>,
    /// Version of interop-check.
    pub tool_version: String,
    /// Commit of the checkout, with "+changes" when it was not clean.
    pub commit: String,
    /// Operating system.
    pub os: String,
    /// Kernel and machine.
    pub kernel: String,
    /// Model of the processor.
    pub cpu: String,
    /// Logical processors that may be used.
    pub cpus: usize,
    /// Instruction set extensions.
    pub cpu_flags: Vec<String>,
    /// How the clock is governed, where that can be read.
    pub governor: String,
    /// Installed memory in bytes.
    pub memory_bytes: u64,
    /// Load average of the last minute at the start.
    pub load_before: Option<f64>,
    /// And at the end.
    pub load_after: Option<f64>,
    /// Compiler that built interop-check.
    pub compiler: String,
    /// Allocator of the interop-check process.
    pub allocator: String,
    /// The peers.
    pub peers: Vec<Peer>,
}

/// A peer that took part.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Peer {
    /// Name of its process.
    pub name: String,
    /// Language.
    pub language: String,
    /// Runtime and version, in its own words.
    pub runtime: String,
    /// Libraries with their versions.
    pub libraries: Vec<(String, String)>,
}

impl Environment {
    /// Looks around. `root` is the checkout.
    pub fn of_this_machine(root: &Path) -> Self {
        let cpuinfo = read("/proc/cpuinfo");
        let started_unix_s = std::time::SystemTime::now()
            .duration_since(std::time::UNIX_EPOCH)
            .map_or(0, |since| since.as_secs());
        Self {
            started_unix_s,
            started: utc(started_unix_s),
            command: std::env::args().collect(),
            tool_version: env!("CARGO_PKG_VERSION").to_owned(),
            commit: commit(root),
            os: os_name(),
            kernel: line(&["uname", "-srm"]),
            cpu: colon_value(&cpuinfo, "model name").unwrap_or_else(|| "not known".to_owned()),
            cpus: std::thread::available_parallelism().map_or(1, usize::from),
            cpu_flags: colon_value(&cpuinfo, "flags")
                .or_else(|| colon_value(&cpuinfo, "Features"))
                .map(|flags| flags.split_whitespace().map(str::to_owned).collect())
                .unwrap_or_default(),
            governor: {
                let path = "/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor";
                let text = read(path).trim().to_owned();
                if text.is_empty() {
                    "not known".to_owned()
                } else {
                    text
                }
            },
            memory_bytes: colon_value(&read("/proc/meminfo"), "MemTotal")
                .and_then(|text| text.split(' ').next()?.parse::<u64>().ok())
                .map_or(0, |kib| kib * 1024),
            load_before: load(),
            load_after: None,
            compiler: line(&["rustc", "--version"]),
            allocator: "system".to_owned(),
            peers: Vec::new(),
        }
    }

    /// Looks at the load again, at the end of a run.
    pub fn finish(&mut self) {
        self.load_after = load();
    }

    /// A short name of the machine for file names.
    pub fn host_slug(&self) -> String {
        let text = format!("{}-{}cpu", self.cpu, self.cpus).to_lowercase();
        let slug: String = text
            .chars()
            .map(|c| if c.is_ascii_alphanumeric() { c } else { '-' })
            .collect();
        let words: Vec<_> = slug.split('-').filter(|word| !word.is_empty()).collect();
        words.join("-")
    }
}

fn read(path: &str) -> String {
    std::fs::read_to_string(path).unwrap_or_default()
}

fn line(argv: &[&str]) -> String {
    let argv: Vec<String> = argv.iter().map(|&arg| arg.to_owned()).collect();
    first_line(&argv).unwrap_or_else(|| "not known".to_owned())
}

fn load() -> Option<f64> {
    read("/proc/loadavg").split(' ').next()?.parse().ok()
}

fn os_name() -> String {
    let release = read("/etc/os-release");
    let name = release
        .lines()
        .find_map(|line| line.strip_prefix("PRETTY_NAME="));
    name.map_or_else(
        || std::env::consts::OS.to_owned(),
        |name| name.trim_matches('"').to_owned(),
    )
}

fn commit(root: &Path) -> String {
    let root = root.to_string_lossy().into_owned();
    let git = |args: &[&str]| {
        let mut argv = vec!["git".to_owned(), "-C".to_owned(), root.clone()];
        argv.extend(args.iter().map(|&arg| arg.to_owned()));
        first_line(&argv)
    };
    let head = git(&["rev-parse", "HEAD"]).filter(|head| head.len() == 40);
    match head {
        None => "not known".to_owned(),
        Some(head) => match git(&["status", "--porcelain", "--untracked-files=no"]) {
            Some(_) => format!("{head}+changes"),
            None => head,
        },
    }
}

/// The value behind `key : value` of a file such as /proc/cpuinfo.
fn colon_value(text: &str, key: &str) -> Option<String> {
    text.lines().find_map(|line| {
        let (found, value) = line.split_once(':')?;
        (found.trim() == key).then(|| value.trim().to_owned())
    })
}

/// Seconds since 1970 as YYYY-MM-DDThh:mm:ssZ.
fn utc(unix_s: u64) -> String {
    let (days, of_day) = (unix_s / 86_400, unix_s % 86_400);
    // Days since 0000-03-01 in the proleptic Gregorian calendar: the leap day comes last in
    // such a year, which makes months a linear function.
    let shifted = days + 719_468;
    let (era, of_era) = (shifted / 146_097, shifted % 146_097);
    let year_of_era = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month = (5 * of_year + 2) / 153;
    let day = of_year - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    let year = year_of_era + era * 400 + u64::from(month <= 2);
    let (hour, minute, second) = (of_day / 3600, of_day / 60 % 60, of_day % 60);
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}Z")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_are_those_of_the_calendar() {
        assert_eq!(utc(0), "1970-01-01T00:00:00Z");
        assert_eq!(utc(951_782_400), "2000-02-29T00:00:00Z");
        assert_eq!(utc(1_796_083_199), "2026-11-30T23:59:59Z");
    }

    #[test]
    fn the_machine_is_described() {
        let environment = Environment::of_this_machine(Path::new("."));
        assert!(environment.cpus >= 1);
        assert!(!environment.command.is_empty());
        assert!(environment.host_slug().ends_with("cpu"));
        assert!(!environment.host_slug().contains(' '));
    }

    #[test]
    fn values_are_found_by_their_key() {
        assert_eq!(
            colon_value("a\t: 1\nb : x y\n", "b").as_deref(),
            Some("x y")
        );
        assert_eq!(colon_value("a: 1", "c"), None);
    }
}
