//! The check's result as Markdown for a comment on a pull request: the conclusion, what is
//! wrong, who differs from most, and the matrix folded away.

use std::fmt::Write as _;
use std::io::Write;

use super::digest::{Matrix, Problem, count_text, odd_lines, problems, summary};
use super::judge::{Conclusion, Report};
use crate::exit::Result;
use crate::golden::Store;

/// A comment on GitHub holds 65,536 characters; what is wrong gets most of them.
const MAX_PROBLEMS_CHARS: usize = 40_000;
/// Further cells of a problem that are named.
const MAX_ALSO: usize = 10;

/// Prints the report.
///
/// # Errors
/// When the output can't be written.
pub fn print(out: &mut dyn Write, report: &Report, store: &Store) -> Result<()> {
    let sign = match report.conclusion() {
        Conclusion::Compatible => "✅ compatible",
        Conclusion::Different => "❌ different",
        Conclusion::Incomplete => "⚠️ incomplete",
    };
    writeln!(
        out,
        "### interop-check: {sign}\n\n{}",
        text(&summary(report))
    )?;
    let problems = problems(report, store);
    let mut left_chars = MAX_PROBLEMS_CHARS;
    for (index, problem) in problems.iter().enumerate() {
        let block = details(problem);
        let chars = block.chars().count();
        if chars > left_chars {
            writeln!(out, "\n... and {} more", problems.len() - index)?;
            break;
        }
        left_chars -= chars;
        write!(out, "\n{block}")?;
    }
    print_odd_ones(out, report)?;
    print_matrix(out, &Matrix::of(report))
}

fn details(problem: &Problem) -> String {
    let mut block = String::new();
    let cells = match problem.also.len() {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    // Writing into a string never fails.
    let _ = writeln!(
        block,
        "<details><summary>❌ <code>{}</code>{cells}</summary>\n\n{}\n",
        html(&problem.title),
        text(&problem.why)
    );
    let mut item = |name: &str, value: &str| {
        let _ = writeln!(block, "- {name}: {}", code(value));
    };
    if let Some(file) = &problem.file {
        item("file", file);
    }
    if let Some(place) = &problem.place {
        item("at", place);
    }
    if !problem.causes.is_empty() {
        item("causes", &problem.causes.join(", "));
    }
    if let Some(replay) = &problem.replay {
        item("replay", replay);
    }
    for also in problem.also.iter().take(MAX_ALSO) {
        item("also", also);
    }
    block.push_str("\n</details>\n");
    block
}

fn print_odd_ones(out: &mut dyn Write, report: &Report) -> Result<()> {
    let lines = odd_lines(report);
    if lines.is_empty() {
        return Ok(());
    }
    writeln!(
        out,
        "\n<details><summary>Writers that differ from most</summary>\n"
    )?;
    writeln!(out, "| format | writer | differs in |\n|---|---|---|")?;
    for [format, writer, what] in lines {
        writeln!(out, "| {format} | {} | {} |", text(&writer), text(&what))?;
    }
    writeln!(out, "\n</details>")?;
    Ok(())
}

fn print_matrix(out: &mut dyn Write, matrix: &Matrix) -> Result<()> {
    writeln!(
        out,
        "\n<details><summary>Cells by writer and format: passed (known to fail) failed!</summary>\n"
    )?;
    write!(out, "| writer |")?;
    for format in &matrix.formats {
        write!(out, " {format} |")?;
    }
    write!(out, "\n|---|")?;
    for _ in &matrix.formats {
        write!(out, "--:|")?;
    }
    writeln!(out)?;
    for (writer, row) in &matrix.rows {
        write!(out, "| {} |", text(writer))?;
        for counts in row {
            let text = counts.map_or_else(String::new, count_text);
            write!(out, " {text} |")?;
        }
        writeln!(out)?;
    }
    writeln!(out, "\n</details>")?;
    Ok(())
}

/// Escapes for HTML.
fn html(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
}

/// Escapes running text and table cells: what a library says must stay what it says.
fn text(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '\r' | '\n' => out.push(' '),
            // A mention would notify somebody.
            '@' => out.push_str("&#64;"),
            '\\' | '`' | '*' | '_' | '[' | ']' | '|' | '~' | '#' => {
                out.push('\\');
                out.push(c);
            }
            _ => out.push(c),
        }
    }
    out
}

/// A code span: fenced by more backticks than the text has in a row.
fn code(text: &str) -> String {
    let text = text.replace(['\r', '\n'], " ");
    let longest = text.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat(longest + 1);
    let pad = if longest > 0 { " " } else { "" };
    format!("{fence}{pad}{text}{pad}{fence}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_libraries_say_stays_text() {
        assert_eq!(text("a|b <i> @you\n*x*"), "a\\|b &lt;i> &#64;you \\*x\\*");
        assert_eq!(code("a"), "`a`");
        assert_eq!(code("a`b``c"), "``` a`b``c ```");
    }
}
