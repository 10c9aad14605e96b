//! The check's result as annotations of GitHub's workflow commands: an error each for what is
//! wrong, and the closing sentence as a notice.

use std::io::Write;

use super::digest::{problems, summary};
use super::judge::{Conclusion, Report};
use crate::exit::Result;
use crate::golden::Store;

/// Errors printed before the rest is only counted; GitHub shows ten of a step.
const MAX_SHOWN: usize = 50;

/// Prints the report.
///
/// # Errors
/// When the output can't be written.
pub fn print(out: &mut dyn Write, report: &Report, store: &Store) -> Result<()> {
    let problems = problems(report, store);
    let folder = store.root.file_name().unwrap_or_default().to_string_lossy();
    for problem in problems.iter().take(MAX_SHOWN) {
        let mut message = problem.why.clone();
        if let Some(place) = &problem.place {
            message.push_str(&format!("\nat: {place}"));
        }
        if !problem.causes.is_empty() {
            message.push_str(&format!("\ncauses: {}", problem.causes.join(", ")));
        }
        if !problem.also.is_empty() {
            message.push_str(&format!("\nalso in {} more cells", problem.also.len()));
        }
        if let Some(replay) = &problem.replay {
            message.push_str(&format!("\nreplay: {replay}"));
        }
        let file = problem.file.as_ref();
        let file = file.map(|file| format!("file={},", property(&format!("{folder}/{file}"))));
        writeln!(
            out,
            "::error {}title={}::{}",
            file.unwrap_or_default(),
            property(&problem.title),
            data(&message)
        )?;
    }
    if problems.len() > MAX_SHOWN {
        let more = problems.len() - MAX_SHOWN;
        writeln!(out, "::error title=interop-check::and {more} more")?;
    }
    let conclusion = report.conclusion();
    let level = match conclusion {
        Conclusion::Compatible => "notice",
        Conclusion::Different | Conclusion::Incomplete => "error",
    };
    let text = data(&summary(report));
    writeln!(
        out,
        "::{level} title=interop-check {}::{text}",
        conclusion.name()
    )?;
    Ok(())
}

/// Escapes a command's message.
fn data(text: &str) -> String {
    text.replace('%', "%25")
        .replace('\r', "%0D")
        .replace('\n', "%0A")
}

/// Escapes a value in front of the message, where `:` and `,` end it.
fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_ends_a_command_is_escaped() {
        assert_eq!(data("50 %\r\nx: a, b"), "50 %25%0D%0Ax: a, b");
        assert_eq!(property("a:b,c%"), "a%3Ab%2Cc%25");
    }
}
