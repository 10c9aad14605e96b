//! All that take part, case by case.

use interop_bench_setup::cases::Case;
use interop_contestants::cell::Cell;
use interop_contestants::{fory_cells, protobuf_cells};

use crate::ours;

/// Those that meet in one format.
pub struct Group {
    /// The format.
    pub format: &'static str,
    /// Ours first, the floors last.
    pub cells: Vec<Cell>,
}

/// The groups of a case. Every contestant has been seen to hold the case's value.
///
/// # Errors
/// When one does not.
pub fn groups(case: &Case) -> Result<Vec<Group>, String> {
    let mut groups = Vec::new();
    for (format, ours, floor) in ours::formats(case.model, &case.bytes)? {
        let mut cells: Vec<Cell> = vec![ours.cell];
        match format {
            "protobuf" => cells.extend(protobuf_cells::protobuf(case.model, &case.bytes)?),
            "fory" => cells.extend(fory_cells::fory(case.model, &ours.encoded, true)?),
            _ => cells.extend(fory_cells::fory(case.model, &ours.encoded, false)?),
        }
        cells.push(floor);
        groups.push(Group { format, cells });
    }
    Ok(groups)
}
