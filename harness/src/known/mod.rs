//! Known failures: a file that says which cells fail, how, why, and until when that is
//! acceptable. An entry that no longer tells the truth fails the check as a new failure does.

pub mod update;

use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};

use serde::Deserialize;
use wildmatch::WildMatch;

use crate::exit::{Failure, Result};
use crate::verdict::Verdict;

/// An entry of the file.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Entry {
    /// Glob on the cell's name; `*` and `?` match `/` too, `{a,b}` either of its parts.
    pub pattern: String,
    #[serde(skip)]
    globs: Vec<WildMatch>,
    /// The verdict that each matching cell has.
    pub verdict: Verdict,
    /// What each matching cell's message starts with.
    pub message: String,
    /// Why it fails.
    pub reason: String,
    /// Where that is reported or documented.
    pub link: String,
    /// The smallest input that shows it, in words, JSON or hex.
    pub input: String,
    /// Who keeps the entry.
    pub owner: String,
    /// The day on which the entry was made, as YYYY-MM-DD.
    pub since: String,
    /// The last day on which it holds, as YYYY-MM-DD.
    pub expires: String,
}

/// All entries.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct KnownFailures {
    /// In file order; the first that matches a cell counts.
    #[serde(default)]
    pub known: Vec<Entry>,
}

impl KnownFailures {
    /// Reads the file.
    ///
    /// # Errors
    /// Exit 2 when it can't be read or does not parse.
    pub fn load(path: &Path) -> Result<Self> {
        let fail =
            |error: &dyn std::fmt::Display| Failure::usage(format!("{}: {error}", path.display()));
        let text = std::fs::read_to_string(path).map_err(|error| fail(&error))?;
        Self::parse(&text).map_err(|error| fail(&error))
    }

    /// Parses the file's text (TOML).
    ///
    /// # Errors
    /// A sentence with line and column.
    pub fn parse(text: &str) -> std::result::Result<Self, String> {
        let mut all: Self = toml::from_str(text).map_err(|error| error.to_string())?;
        for entry in &mut all.known {
            let globs = alternatives(&entry.pattern)?;
            entry.globs = globs.iter().map(|glob| WildMatch::new(glob)).collect();
            for (name, text) in [("since", &entry.since), ("expires", &entry.expires)] {
                if !is_date(text) {
                    return Err(format!(
                        "{}: {name} must be a date as YYYY-MM-DD, not {text:?}",
                        entry.pattern
                    ));
                }
            }
            let fields = [
                ("reason", &entry.reason),
                ("link", &entry.link),
                ("input", &entry.input),
                ("owner", &entry.owner),
            ];
            for (name, text) in fields {
                if let Some(fault) = fault_in(text) {
                    return Err(format!("{}: {name} {fault}", entry.pattern));
                }
            }
        }
        Ok(all)
    }
}

impl Entry {
    /// True when the pattern matches the cell's name.
    pub fn matches(&self, cell: &str) -> bool {
        self.globs.iter().any(|glob| glob.matches(cell))
    }

    /// True when `today` is past the last day.
    pub fn is_expired(&self, today: &str) -> bool {
        // Dates of this form order as text.
        today > self.expires.as_str()
    }

    /// What is wrong with taking this entry as the excuse for a cell; `None` when it is one.
    pub fn contradiction(&self, verdict: Verdict, message: &str) -> Option<String> {
        if verdict != self.verdict {
            return Some(format!("known as {}, is {verdict}", self.verdict));
        }
        if !message.starts_with(&self.message) {
            return Some(format!("known with the message {:?}", self.message));
        }
        None
    }
}

/// What is wrong with a text that somebody has to have thought about.
fn fault_in(text: &str) -> Option<&'static str> {
    const SAYS_NOTHING: [&str; 8] = ["todo", "tbd", "fixme", "xxx", "n/a", "none", "unknown", "?"];
    let text = text.trim().to_ascii_lowercase();
    if text.is_empty() {
        Some("is empty")
    } else if SAYS_NOTHING.contains(&text.trim_end_matches(['.', '!', ':']))
        || text.starts_with("todo")
    {
        Some("says nothing")
    } else {
        None
    }
}

/// The patterns that `{a,b}` in one stands for; braces do not nest.
fn alternatives(pattern: &str) -> std::result::Result<Vec<String>, String> {
    let Some((before, rest)) = pattern.split_once('{') else {
        return Ok(vec![pattern.to_owned()]);
    };
    let (inside, after) = rest
        .split_once('}')
        .ok_or_else(|| format!("{pattern}: `{{` without `}}`"))?;
    let tails = alternatives(after)?;
    let all = inside.split(',').flat_map(|part| {
        tails
            .iter()
            .map(move |tail| format!("{before}{part}{tail}"))
    });
    Ok(all.collect())
}

/// True for a date as YYYY-MM-DD.
pub(crate) fn is_date(text: &str) -> bool {
    let bytes = text.as_bytes();
    bytes.len() == 10
        && bytes.iter().enumerate().all(|(index, byte)| match index {
            4 | 7 => *byte == b'-',
            _ => byte.is_ascii_digit(),
        })
}

/// The day after so many days.
pub fn days_from_now(days: u64) -> String {
    date_of(days_since_epoch() + days)
}

/// The current day in UTC as YYYY-MM-DD.
pub fn today() -> String {
    date_of(days_since_epoch())
}

fn days_since_epoch() -> u64 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH);
    now.map_or(0, |now| now.as_secs() / 86_400)
}

/// Days from one date to another, both as YYYY-MM-DD; negative when the second is earlier.
pub fn days_between(from: &str, to: &str) -> i64 {
    day_of(to) - day_of(from)
}

/// The day of a date, counted from 0000-03-01; the inverse of [`date_of`] but for where it
/// begins. What is no number counts as 0.
fn day_of(date: &str) -> i64 {
    let mut parts = date.splitn(3, '-').map(|part| part.parse().unwrap_or(0));
    let mut next = || parts.next().unwrap_or(0_i64);
    let (year, month, day) = (next(), next(), next());
    // Years begin in March, so that the leap day comes last.
    let year = year - i64::from(month <= 2);
    let month_from_march = (month + 9) % 12;
    let leap_days = year.div_euclid(4) - year.div_euclid(100) + year.div_euclid(400);
    365 * year + leap_days + (153 * month_from_march + 2) / 5 + day - 1
}

/// The date of a day counted from 1970-01-01, by the proleptic Gregorian calendar.
fn date_of(days_since_epoch: u64) -> String {
    // Eras of 400 years that start on March 1st, so that the leap day comes last.
    let days = days_since_epoch + 719_468;
    let (era, day_of_era) = (days / 146_097, days % 146_097);
    let year_of_era =
        (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month_from_march = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month_from_march + 2) / 5 + 1;
    let month = (month_from_march + 2) % 12 + 1;
    let year = year_of_era + era * 400 + u64::from(month <= 2);
    format!("{year:04}-{month:02}-{day:02}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn braces_stand_for_either_part() {
        let all = alternatives("a/{b,c}@{d,}e").unwrap();
        assert_eq!(all, ["a/b@de", "a/b@e", "a/c@de", "a/c@e"]);
        assert!(alternatives("a{b").is_err());
    }

    #[test]
    fn dates() {
        assert_eq!(date_of(0), "1970-01-01");
        assert_eq!(date_of(11_016), "2000-02-29");
        assert_eq!(date_of(11_017), "2000-03-01");
        assert_eq!(date_of(20_787), "2026-11-30");
        for day in (0..60_000).step_by(37) {
            assert_eq!(days_between("1970-01-01", &date_of(day)), day as i64);
        }
        assert_eq!(days_between("2027-01-31", "2026-12-01"), -61);
    }

    #[test]
    fn an_entry_excuses_only_what_it_says() {
        let text = r#"
            [[known]]
            pattern = "msgpack/*/Sample@cpp-native/read"
            verdict = "different-value"
            message = "field float_value"
            reason = "r"
            link = "l"
            input = "i"
            owner = "o"
            since = "2026-12-01"
            expires = "2027-01-31"
        "#;
        let entry = &KnownFailures::parse(text).unwrap().known[0];
        assert!(entry.matches("msgpack/extreme/Sample@cpp-native/read"));
        assert!(!entry.matches("msgpack/extreme/Sample@cpp-native/write"));
        let holds = |verdict, message| entry.contradiction(verdict, message).is_none();
        assert!(holds(Verdict::DifferentValue, "field float_value: x"));
        assert!(!holds(Verdict::DifferentValue, "field other"));
        assert!(!holds(Verdict::Refused, "field float_value: x"));
        assert!(!entry.is_expired("2027-01-31"));
        assert!(entry.is_expired("2027-02-01"));
        assert!(KnownFailures::parse(&text.replace("2027-01-31", "soon")).is_err());
        assert!(KnownFailures::parse(&text.replace("owner", "keeper")).is_err());
        for nothing in ["", " ", "TODO", "todo: find out", "tbd.", "?"] {
            let text = text.replace("\"r\"", &format!("{nothing:?}"));
            assert!(KnownFailures::parse(&text).unwrap_err().contains("reason"));
        }
    }
}
