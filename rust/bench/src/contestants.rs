//! All that take part, case by case.

use interop_bench_setup::cases::Case;
use interop_contestants::cell::Cell;
use interop_contestants::libraries::{self, schemaless};
use interop_contestants::protocol::Tree;

use crate::ours;

/// Those that meet in one format.
pub struct Group {
    /// The format.
    pub format: &'static str,
    /// Ours first where it takes part, the floors last.
    pub cells: Vec<Cell>,
}

/// The groups of a case that `wanted` takes by format. Every contestant has been seen to hold the
/// case's value.
///
/// # Errors
/// When one does not.
pub fn groups(case: &Case, wanted: impl Fn(&str) -> bool) -> Result<Vec<Group>, String> {
    let full_name = libraries::MODELS
        .iter()
        .find(|name| name.rsplit('.').next() == Some(case.model))
        .ok_or_else(|| format!("no model named {}", case.model))?;
    let tree = tree_of(full_name, &case.bytes)?;
    let mut groups = Vec::new();
    for (format, ours, floor) in ours::formats(case.model, &case.bytes)? {
        if !wanted(format) {
            continue;
        }
        let mut cells: Vec<Cell> = vec![ours.cell];
        // Everybody reads the same bytes.
        let input = match format {
            "protobuf" => &case.bytes,
            _ => &ours.encoded,
        };
        cells.extend(others(format, full_name, &tree, Some(input))?);
        cells.push(floor);
        groups.push(Group { format, cells });
    }
    if wanted(schemaless::FORMAT) {
        groups.push(Group {
            format: schemaless::FORMAT,
            cells: others(schemaless::FORMAT, full_name, &tree, None)?,
        });
    }
    Ok(groups)
}

/// The value of protobuf bytes, read by a library of the format.
fn tree_of(full_name: &str, bytes: &[u8]) -> Result<Tree, String> {
    let all = libraries::all();
    let found = all
        .iter()
        .find(|listed| listed.library.format == "protobuf");
    let made = found.and_then(|listed| (listed.with)(full_name));
    made.ok_or("no protobuf library")?.decode(bytes)
}

/// All contestants in `format` but our own. They read `input` where it is theirs to read.
fn others(
    format: &str,
    full_name: &str,
    tree: &Tree,
    input: Option<&[u8]>,
) -> Result<Vec<Cell>, String> {
    libraries::all()
        .into_iter()
        .filter(|listed| listed.library.format == format)
        .filter(|listed| !listed.library.name.starts_with("interop"))
        .filter_map(|listed| (listed.with)(full_name))
        .map(|contestant| contestant.cell(tree, input))
        .collect()
}
