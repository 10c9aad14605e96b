//! The check's result as JUnit XML: a suite a format, a test case a cell.

use std::io::Write;
use std::time::Duration;

use interop_codec::Format;
use quick_junit::{NonSuccessKind, Report as Xml, TestCase, TestCaseStatus, TestSuite};

use super::digest::{Problem, Subject, VECTORS, place, problems, replay, why};
use super::judge::{CellReport, Report, State};
use crate::exit::{Failure, Result};
use crate::golden::Store;

/// Prints the report. A known failure is a skipped test with its reason; what concerns no cell
/// stands in the suite "interop-check", a failed peer as an error.
///
/// # Errors
/// When the output can't be written.
pub fn print(out: &mut dyn Write, report: &Report, store: &Store) -> Result<()> {
    let mut xml = Xml::new("interop-check");
    xml.set_time(Duration::from_millis(report.elapsed_ms));
    for format in Format::ALL {
        let mut suite = TestSuite::new(format.name());
        let cells = report.cells.iter();
        suite.add_test_cases(cells.filter(|cell| cell.cell.format == format).map(test));
        if !suite.test_cases.is_empty() {
            xml.add_test_suite(suite);
        }
    }
    let problems = problems(report, store);
    let others = problems.iter().filter(|one| one.subject != Subject::Cells);
    let others: Vec<_> = others.map(test_of_problem).collect();
    if !others.is_empty() {
        let mut suite = TestSuite::new("interop-check");
        suite.add_test_cases(others);
        xml.add_test_suite(suite);
    }
    let text = xml
        .to_string()
        .map_err(|error| Failure::harness(format!("cannot write JUnit XML: {error}")))?;
    out.write_all(text.as_bytes())?;
    Ok(())
}

fn test(cell: &CellReport) -> TestCase {
    let status = match cell.state {
        State::Passed => TestCaseStatus::success(),
        State::Known => {
            let mut status = TestCaseStatus::skipped();
            status.set_message(why(cell));
            status
        }
        State::Failed => {
            let mut status = TestCaseStatus::non_success(NonSuccessKind::Failure);
            status.set_type(cell.outcome.verdict.name());
            status.set_message(why(cell));
            let place = place(cell).map(|place| format!("at: {place}\n"));
            let replay = format!("replay: {}", replay(cell));
            status.set_description(place.unwrap_or_default() + &replay);
            status
        }
    };
    let mut test = TestCase::new(cell.cell.name.as_str(), status);
    let writer = cell.cell.writer.as_str();
    test.set_classname(if writer.is_empty() { VECTORS } else { writer });
    test
}

fn test_of_problem(problem: &Problem) -> TestCase {
    let kind = match problem.subject {
        Subject::Peer => NonSuccessKind::Error,
        _ => NonSuccessKind::Failure,
    };
    let mut status = TestCaseStatus::non_success(kind);
    status.set_message(problem.why.as_str());
    let mut test = TestCase::new(problem.title.as_str(), status);
    test.set_classname(match problem.subject {
        Subject::File => "files",
        Subject::Peer => "peers",
        Subject::Support => "support table",
        Subject::Known => "known failures",
        Subject::Cells => "cells",
    });
    test
}
