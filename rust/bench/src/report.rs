//! Rows, as JSON and as a table.

use std::fmt::Write as _;

use interop_contestants::cell::Op;
use serde_json::{Value, json};

use crate::measure::Measured;

/// A contestant's result for one operation on one case.
pub struct Row {
    format: String,
    model: String,
    set: String,
    op: Op,
    contestant: String,
    version: String,
    ns_median: f64,
    ns_low: f64,
    ns_high: f64,
    bytes: usize,
    allocations: u64,
    ratio_to_best_peer: Option<f64>,
    ratio_to_floor: Option<f64>,
}

fn median(values: &mut [f64]) -> f64 {
    values.sort_by(f64::total_cmp);
    let middle = values.len() / 2;
    match values.len() {
        0 => f64::NAN,
        len if len % 2 == 1 => values[middle],
        _ => (values[middle - 1] + values[middle]) / 2.0,
    }
}

/// Bounds of the median's 95 percent interval by resampling.
fn interval(values: &[f64]) -> (f64, f64) {
    const RESAMPLES: usize = 400;
    let mut state = 0x9e37_79b9_7f4a_7c15u64;
    let mut medians: Vec<f64> = (0..RESAMPLES)
        .map(|_| {
            let mut sample: Vec<f64> = values
                .iter()
                .map(|_| {
                    state = state
                        .wrapping_mul(0x5851_f42d_4c95_7f2d)
                        .wrapping_add(0x1405);
                    values[(state >> 33) as usize % values.len()]
                })
                .collect();
            median(&mut sample)
        })
        .collect();
    medians.sort_by(f64::total_cmp);
    (
        medians[RESAMPLES / 40],
        medians[RESAMPLES - 1 - RESAMPLES / 40],
    )
}

/// Rows of one group; ratios are taken round by round, since both sides of a round met the same
/// machine.
pub fn rows(format: &str, model: &str, set: &str, op: Op, group: Vec<Measured>) -> Vec<Row> {
    let medians: Vec<f64> = group
        .iter()
        .map(|m| median(&mut m.rounds_ns.clone()))
        .collect();
    let is_peer = |m: &Measured| m.contestant != "floor" && !m.contestant.starts_with("interop");
    let best = (0..group.len())
        .filter(|i| is_peer(&group[*i]))
        .min_by(|a, b| medians[*a].total_cmp(&medians[*b]));
    let floor = group.iter().position(|m| m.contestant == "floor");
    let ratio = |above: usize, below: usize| {
        let pairs = group[above].rounds_ns.iter().zip(&group[below].rounds_ns);
        let mut ratios: Vec<f64> = pairs.map(|(a, b)| a / b).collect();
        median(&mut ratios)
    };
    let mut rows = Vec::new();
    for (i, measured) in group.iter().enumerate() {
        let (ns_low, ns_high) = interval(&measured.rounds_ns);
        rows.push(Row {
            format: format.to_owned(),
            model: model.to_owned(),
            set: set.to_owned(),
            op,
            contestant: measured.contestant.to_owned(),
            version: measured.version.to_owned(),
            ns_median: medians[i],
            ns_low,
            ns_high,
            bytes: measured.bytes,
            allocations: measured.allocations,
            ratio_to_best_peer: best
                .filter(|_| measured.contestant.starts_with("interop"))
                .map(|best| ratio(best, i)),
            ratio_to_floor: floor.map(|floor| ratio(i, floor)),
        });
    }
    rows
}

fn rounded(value: f64) -> Value {
    json!((value * 100.0).round() / 100.0)
}

/// All rows and what they were measured on.
pub fn json(host: &Value, rows: &[Row]) -> String {
    let rows: Vec<Value> = rows
        .iter()
        .map(|row| {
            json!({
                "format": row.format,
                "model": row.model,
                "set": row.set,
                "op": row.op.name(),
                "contestant": row.contestant,
                "version": row.version,
                "ns_median": rounded(row.ns_median),
                "ns_low": rounded(row.ns_low),
                "ns_high": rounded(row.ns_high),
                "bytes": row.bytes,
                "allocations": row.allocations,
                "ratio_to_best_peer": row.ratio_to_best_peer.map(rounded),
                "ratio_to_floor": row.ratio_to_floor.map(rounded),
            })
        })
        .collect();
    let report = json!({ "metric": "ns/op", "host": host, "rows": rows });
    serde_json::to_string_pretty(&report).unwrap_or_default()
}

/// A table a reader can scan: ours against the best peer, cell by cell.
pub fn markdown(host: &Value, rows: &[Row]) -> String {
    let mut out = String::new();
    for (name, value) in host.as_object().into_iter().flatten() {
        // Text without its quotes.
        let text = value
            .as_str()
            .map_or_else(|| value.to_string(), str::to_owned);
        let _ = writeln!(out, "- {name}: {text}");
    }
    out.push_str(
        "\n| format | model | set | op | contestant | ns/op | Mop/s | allocations | peer / ours | over floor |\n|---|---|---|---|---|---|---|---|---|---|\n",
    );
    let ratio = |ratio: Option<f64>| ratio.map_or(String::new(), |ratio| format!("{ratio:.2}"));
    for row in rows {
        let _ = writeln!(
            out,
            "| {} | {} | {} | {} | {} {} | {:.1} | {:.2} | {} | {} | {} |",
            row.format,
            row.model,
            row.set,
            row.op.name(),
            row.contestant,
            row.version,
            row.ns_median,
            1000.0 / row.ns_median,
            row.allocations,
            ratio(row.ratio_to_best_peer),
            ratio(row.ratio_to_floor),
        );
    }
    out
}
