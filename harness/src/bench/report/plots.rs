//! The plots. Each says by itself what it shows, in which unit, and which way is better.

use interop_codec::Format;

use super::svg::{Anchor, Axis, Drawing};
use crate::bench::print::{digits, rate, time};
use crate::bench::record::{Cell, Operation, Record, case_title};
use crate::bench::recorded::{Conclusion, Recorded};
use crate::bench::stats;

/// A plot with the name of its file, without ending.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Plot {
    /// `throughput-Sample`.
    pub name: String,
    /// What it shows, in a line.
    pub title: String,
    /// The picture.
    pub svg: String,
}

const INK: &str = "#222222";
const FAINT: &str = "#dddddd";
const GREY: &str = "#666666";
const MARGIN: f64 = 16.0;
const LABELS: f64 = 250.0;

/// A colour a format, from the palette of Okabe and Ito, which people with any kind of colour
/// vision tell apart.
pub const fn colour(format: Format) -> &'static str {
    match format {
        Format::Protobuf => "#0072B2",
        Format::Fory => "#D55E00",
        Format::ForyConsistent => "#E69F00",
        Format::Flatbuffers => "#009E73",
        Format::Msgpack => "#CC79A7",
        Format::Json => "#56B4E9",
    }
}

/// All plots of a record.
pub fn all(record: &Record) -> Vec<Plot> {
    let mut plots = Vec::new();
    let mut cases: Vec<(&str, &str)> = Vec::new();
    for cell in &record.cells {
        let case = (cell.model.as_str(), cell.set.as_str());
        if !cases.contains(&case) {
            cases.push(case);
        }
    }
    for &(model, set) in &cases {
        plots.push(throughput(record, model, set));
        plots.push(distribution(record, model, set));
    }
    if !record.sizes.is_empty() {
        plots.push(sizes(record));
    }
    if !record.cells.is_empty() {
        plots.push(heat_map(record));
    }
    let tables = record.recorded.iter();
    plots.extend(tables.filter_map(advantages));
    plots
}

fn case_file(kind: &str, model: &str, set: &str) -> String {
    match set {
        "canonical" => format!("{kind}-{model}"),
        set => format!("{kind}-{model}-{set}"),
    }
}

/// The rows of a case, in the order of operations.
fn rows<'r>(record: &'r Record, model: &str, set: &str) -> Vec<&'r [Cell]> {
    let rows = record.rows().into_iter();
    rows.filter(|row| row[0].model == model && row[0].set == set)
        .collect()
}

fn legend(drawing: &mut Drawing, x: f64, y: f64, formats: &[Format]) {
    let mut x = x;
    for format in formats {
        drawing.rect(x, y - 9.0, 11.0, 11.0, colour(*format));
        drawing.text(x + 15.0, y, 11.0, Anchor::Start, INK, format.name());
        x += 32.0 + 7.0 * format.name().len() as f64;
    }
}

fn formats_of<'c>(cells: impl IntoIterator<Item = &'c Cell>) -> Vec<Format> {
    let cells: Vec<_> = cells.into_iter().collect();
    let used = |format: &Format| cells.iter().any(|cell| cell.format == *format);
    Format::ALL.into_iter().filter(used).collect()
}

fn grid(drawing: &mut Drawing, axis: &Axis, top: f64, bottom: f64, label: impl Fn(f64) -> String) {
    for tick in axis.ticks() {
        let x = axis.at(tick);
        drawing.line((x, top), (x, bottom), FAINT, 1.0);
        drawing.text(x, bottom + 13.0, 10.0, Anchor::Middle, GREY, &label(tick));
    }
}

fn heading(drawing: &mut Drawing, title: &str, subtitle: &str) {
    drawing.text(MARGIN, 24.0, 16.0, Anchor::Start, INK, title);
    drawing.text(MARGIN, 42.0, 11.0, Anchor::Start, GREY, subtitle);
}

fn contestant(cell: &Cell) -> String {
    format!("{} · {}", cell.implementation, cell.format)
}

fn throughput(record: &Record, model: &str, set: &str) -> Plot {
    const BAR: f64 = 15.0;
    const PLOT: f64 = 520.0;
    let rows = rows(record, model, set);
    let bars: usize = rows.iter().map(|row| row.len()).sum();
    let height = 84.0 + bars as f64 * BAR + rows.len() as f64 * 62.0;
    let mut drawing = Drawing::new(LABELS + PLOT + 130.0, height);
    let title = format!("Throughput: {}", case_title(model, set));
    let rates = |row: &[Cell]| {
        let rate = |cell: &Cell| cell.ops_per_sec.median;
        let low = row.iter().map(rate).fold(f64::INFINITY, f64::min);
        (low, row.iter().map(rate).fold(0.0, f64::max))
    };
    heading(
        &mut drawing,
        &title,
        "operations a second, longer is faster; whiskers: 95 % bootstrap interval of the median",
    );
    legend(
        &mut drawing,
        MARGIN,
        62.0,
        &formats_of(rows.concat().iter()),
    );
    let mut y = 84.0;
    for row in rows {
        let (low, high) = rates(row);
        let axis = Axis::fitting(low, high, LABELS, LABELS + PLOT);
        let scale = if axis.log { ", log scale" } else { "" };
        let heading = format!("{}{scale}", row[0].operation.name());
        drawing.text(MARGIN, y + 8.0, 13.0, Anchor::Start, INK, &heading);
        y += 16.0;
        let bottom = y + row.len() as f64 * BAR;
        grid(&mut drawing, &axis, y, bottom, rate);
        for cell in row {
            let middle = y + BAR / 2.0;
            drawing.text(
                LABELS - 6.0,
                middle + 4.0,
                10.0,
                Anchor::End,
                INK,
                &contestant(cell),
            );
            let end = axis.at(cell.ops_per_sec.median);
            drawing.rect(
                LABELS,
                y + 2.0,
                end - LABELS,
                BAR - 4.0,
                colour(cell.format),
            );
            let (from, to) = (
                axis.at(cell.ops_per_sec.low),
                axis.at(cell.ops_per_sec.high),
            );
            drawing.line((from, middle), (to, middle), INK, 1.2);
            let label = format!(
                "{}/s, {}x",
                rate(cell.ops_per_sec.median),
                digits(cell.factor)
            );
            drawing.text(
                to.max(end) + 5.0,
                middle + 4.0,
                10.0,
                Anchor::Start,
                GREY,
                &label,
            );
            y += BAR;
        }
        y += 46.0;
    }
    Plot {
        name: case_file("throughput", model, set),
        svg: drawing.finish(&title),
        title,
    }
}

fn distribution(record: &Record, model: &str, set: &str) -> Plot {
    const LINE: f64 = 18.0;
    const PLOT: f64 = 600.0;
    let rows = rows(record, model, set);
    let lines: usize = rows.iter().map(|row| row.len()).sum();
    let height = 84.0 + lines as f64 * LINE + rows.len() as f64 * 62.0;
    let mut drawing = Drawing::new(LABELS + PLOT + 40.0, height);
    let title = format!("Distribution of samples: {}", case_title(model, set));
    heading(
        &mut drawing,
        &title,
        "time an operation of each batch (dots), left is faster; box: middle half; bar: median; \
         log scale",
    );
    legend(
        &mut drawing,
        MARGIN,
        62.0,
        &formats_of(rows.concat().iter()),
    );
    let mut y = 84.0;
    for row in rows {
        let sorted: Vec<Vec<f64>> = row
            .iter()
            .map(|cell| {
                let mut samples = cell.samples.concat();
                samples.sort_by(f64::total_cmp);
                samples
            })
            .collect();
        let low = sorted
            .iter()
            .filter_map(|s| s.first())
            .fold(f64::INFINITY, |a, b| a.min(*b));
        let high = sorted
            .iter()
            .filter_map(|s| s.last())
            .fold(0.0_f64, |a, b| a.max(*b));
        let axis = Axis::logarithmic(low.max(1e-3), high.max(1e-3), LABELS, LABELS + PLOT);
        drawing.text(
            MARGIN,
            y + 8.0,
            13.0,
            Anchor::Start,
            INK,
            row[0].operation.name(),
        );
        y += 16.0;
        let bottom = y + row.len() as f64 * LINE;
        grid(&mut drawing, &axis, y, bottom, time);
        for (cell, samples) in row.iter().zip(&sorted) {
            let middle = y + LINE / 2.0;
            drawing.text(
                LABELS - 6.0,
                middle + 4.0,
                10.0,
                Anchor::End,
                INK,
                &contestant(cell),
            );
            let at = |q: f64| axis.at(stats::quantile(samples, q));
            drawing.rect(
                at(0.25),
                y + 3.0,
                (at(0.75) - at(0.25)).max(1.5),
                LINE - 6.0,
                FAINT,
            );
            for sample in stats::thinned(samples, 80) {
                drawing.dot(axis.at(sample), middle, 1.6, colour(cell.format));
            }
            drawing.line((at(0.5), y + 2.0), (at(0.5), y + LINE - 2.0), INK, 1.6);
            y += LINE;
        }
        y += 46.0;
    }
    Plot {
        name: case_file("distribution", model, set),
        svg: drawing.finish(&title),
        title,
    }
}

fn sizes(record: &Record) -> Plot {
    const BAR: f64 = 11.0;
    const PLOT: f64 = 560.0;
    let shown = |size: &crate::bench::record::Sizes| {
        size.bytes
            .iter()
            .filter(|(_, bytes)| bytes.is_some())
            .count()
    };
    let bars: usize = record.sizes.iter().map(shown).sum();
    let height = 110.0 + bars as f64 * BAR + record.sizes.len() as f64 * 10.0;
    let label_width = 190.0;
    let mut drawing = Drawing::new(label_width + PLOT + 110.0, height);
    let title = "Encoded sizes".to_owned();
    let values = || {
        let sizes = record.sizes.iter().flat_map(|size| &size.bytes);
        sizes.filter_map(|(_, bytes)| bytes.map(|bytes| bytes as f64))
    };
    let low = values().fold(f64::INFINITY, f64::min).max(1.0);
    let axis = Axis::fitting(
        low,
        values().fold(1.0, f64::max),
        label_width,
        label_width + PLOT,
    );
    let scale = if axis.log { "; log scale" } else { "" };
    heading(
        &mut drawing,
        &title,
        &format!("bytes of a case, shorter is smaller; default choices of each format{scale}"),
    );
    legend(&mut drawing, MARGIN, 62.0, &Format::ALL);
    let mut y = 78.0;
    grid(&mut drawing, &axis, y, height - 30.0, |value| {
        if value >= 1000.0 {
            rate(value)
        } else {
            format!("{value:.0}")
        }
    });
    for size in &record.sizes {
        let bars = shown(size) as f64;
        let name = case_title(&size.model, &size.set);
        let middle = y + bars * BAR / 2.0 + 4.0;
        drawing.text(label_width - 8.0, middle, 11.0, Anchor::End, INK, &name);
        for (format, bytes) in &size.bytes {
            let Some(bytes) = bytes else { continue };
            let end = axis.at(*bytes as f64);
            drawing.rect(
                label_width,
                y + 1.0,
                end - label_width,
                BAR - 2.0,
                colour(*format),
            );
            drawing.text(
                end + 4.0,
                y + 9.0,
                9.0,
                Anchor::Start,
                GREY,
                &bytes.to_string(),
            );
            y += BAR;
        }
        y += 10.0;
    }
    Plot {
        name: "sizes".to_owned(),
        svg: drawing.finish(&title),
        title,
    }
}

/// From near white to a dark blue: lightness alone carries the value, so that it survives any
/// kind of colour vision and grey print. The second is the colour of text on it.
fn heat(factor: f64) -> (String, &'static str) {
    const MOST: f64 = 1000.0;
    let part = (factor.max(1.0).ln() / f64::ln(MOST)).min(1.0);
    let mix = |from: f64, to: f64| (from + (to - from) * part).round() as u8;
    let fill = format!(
        "#{:02x}{:02x}{:02x}",
        mix(247.0, 8.0),
        mix(251.0, 48.0),
        mix(255.0, 107.0)
    );
    (fill, if part > 0.45 { "#ffffff" } else { INK })
}

fn heat_map(record: &Record) -> Plot {
    const WIDTH: f64 = 46.0;
    const HEIGHT: f64 = 17.0;
    const HEAD: f64 = 210.0;
    let rows = record.rows();
    let mut contestants: Vec<(Format, &str)> = Vec::new();
    for cell in &record.cells {
        let key = (cell.format, cell.implementation.as_str());
        if !contestants.contains(&key) {
            contestants.push(key);
        }
    }
    contestants.sort();
    let width = LABELS + rows.len() as f64 * WIDTH + 120.0;
    let height = HEAD + contestants.len() as f64 * HEIGHT + 30.0;
    let mut drawing = Drawing::new(width.max(720.0), height);
    let title = "Time relative to the fastest of each column".to_owned();
    heading(
        &mut drawing,
        &title,
        "1 is the fastest contestant of that model and operation; darker is slower (log scale); \
         empty: not timed",
    );
    for (column, row) in rows.iter().enumerate() {
        let x = LABELS + (column as f64 + 0.6) * WIDTH;
        let operation = match row[0].operation {
            Operation::Serialize => "write",
            Operation::Deserialize => "read",
            Operation::Roundtrip => "both",
        };
        let label = format!("{} {operation}", case_title(&row[0].model, &row[0].set));
        drawing.text_up(x, HEAD - 6.0, 10.0, &label);
    }
    for (line, (format, implementation)) in contestants.iter().enumerate() {
        let y = HEAD + line as f64 * HEIGHT;
        let label = format!("{implementation} · {format}");
        drawing.rect(MARGIN - 10.0, y + 3.0, 8.0, HEIGHT - 6.0, colour(*format));
        drawing.text(LABELS - 6.0, y + 12.0, 10.0, Anchor::End, INK, &label);
        for (column, row) in rows.iter().enumerate() {
            let cell = row
                .iter()
                .find(|cell| cell.format == *format && cell.implementation == *implementation);
            let Some(cell) = cell else { continue };
            let x = LABELS + column as f64 * WIDTH;
            let (fill, ink) = heat(cell.factor);
            drawing.rect(x + 0.5, y + 0.5, WIDTH - 1.0, HEIGHT - 1.0, &fill);
            let text = if cell.factor == 1.0 {
                "1".to_owned()
            } else {
                digits(cell.factor)
            };
            drawing.text(x + WIDTH / 2.0, y + 12.0, 9.0, Anchor::Middle, ink, &text);
        }
    }
    Plot {
        name: "heat-map".to_owned(),
        svg: drawing.finish(&title),
        title,
    }
}

/// The recorded advantages of a table beside those measured; nothing when none was measured.
fn advantages(table: &Recorded) -> Option<Plot> {
    const LINE: f64 = 17.0;
    const PLOT: f64 = 480.0;
    let compared: Vec<_> = table
        .advantages
        .iter()
        .filter(|one| one.conclusion != Conclusion::NotCompared)
        .collect();
    if compared.is_empty() {
        return None;
    }
    let label_width = 300.0;
    let height = 120.0 + compared.len() as f64 * LINE;
    let mut drawing = Drawing::new(label_width + PLOT + 170.0, height);
    let title = format!("Recorded and measured: {} ({})", table.id, table.language);
    heading(
        &mut drawing,
        &title,
        "how many times as fast as the other format Fory is, right of 1 it is the faster; log scale",
    );
    drawing.diamond(MARGIN + 6.0, 58.0, 5.0, GREY);
    drawing.text(MARGIN + 16.0, 62.0, 11.0, Anchor::Start, INK, "recorded");
    drawing.dot(MARGIN + 96.0, 58.0, 4.5, "#D55E00");
    drawing.text(
        MARGIN + 106.0,
        62.0,
        11.0,
        Anchor::Start,
        INK,
        "measured, with interval",
    );
    let values = || {
        let each = compared.iter();
        each.flat_map(|one| {
            let now = one.now.first().map(|now| now.advantage);
            [
                Some(one.recorded),
                now.map(|now| now.low),
                now.map(|now| now.high),
                Some(1.0),
            ]
        })
        .flatten()
    };
    let low = values().fold(f64::INFINITY, f64::min);
    let high = values().fold(0.0, f64::max);
    let axis = Axis::logarithmic(low, high, label_width, label_width + PLOT);
    let mut y = 78.0;
    let bottom = y + compared.len() as f64 * LINE;
    grid(&mut drawing, &axis, y, bottom, digits);
    drawing.line((axis.at(1.0), y), (axis.at(1.0), bottom), GREY, 1.5);
    for one in compared {
        let middle = y + LINE / 2.0;
        let label = format!(
            "{}, {}, over {}",
            case_title(&one.model, &one.set),
            one.operation.name(),
            one.over
        );
        drawing.text(
            label_width - 8.0,
            middle + 4.0,
            10.0,
            Anchor::End,
            INK,
            &label,
        );
        if let Some(now) = one.now.first() {
            let at = |value: f64| axis.at(value);
            let (from, to) = (at(now.advantage.low), at(now.advantage.high));
            let recorded = at(one.recorded);
            drawing.line(
                (recorded, middle),
                (at(now.advantage.median), middle),
                FAINT,
                2.0,
            );
            drawing.line((from, middle), (to, middle), "#D55E00", 2.0);
            drawing.dot(at(now.advantage.median), middle, 4.0, "#D55E00");
        }
        drawing.diamond(axis.at(one.recorded), middle, 4.5, GREY);
        let words = one.conclusion.words();
        drawing.text(
            label_width + PLOT + 8.0,
            middle + 4.0,
            10.0,
            Anchor::Start,
            GREY,
            words,
        );
        y += LINE;
    }
    Some(Plot {
        name: format!("recorded-{}", table.id),
        svg: drawing.finish(&title),
        title,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bench::record::tests::record;

    #[test]
    fn every_kind_of_plot_is_made() {
        let record = record(&[
            ("go/a", Format::Fory, "Sample", Operation::Serialize, 100.0),
            (
                "python/b",
                Format::Json,
                "Sample",
                Operation::Serialize,
                90_000.0,
            ),
            (
                "go/a",
                Format::Fory,
                "Sample",
                Operation::Deserialize,
                120.0,
            ),
        ]);
        let plots = all(&record);
        let names: Vec<_> = plots.iter().map(|plot| plot.name.as_str()).collect();
        assert_eq!(
            names,
            [
                "throughput-Sample",
                "distribution-Sample",
                "sizes",
                "heat-map"
            ]
        );
        let throughput = &plots[0].svg;
        assert!(throughput.contains("serialize, log scale"), "{throughput}");
        assert!(!throughput.contains("deserialize, log scale"));
        for plot in &plots {
            assert!(
                !plot.svg.contains("NaN") && !plot.svg.contains("inf"),
                "{}",
                plot.name
            );
        }
    }

    #[test]
    fn a_record_without_cells_has_no_plots_of_them() {
        let mut empty = record(&[]);
        empty.sizes.clear();
        assert!(all(&empty).is_empty());
    }

    #[test]
    fn the_heat_grows_darker() {
        assert_eq!(heat(1.0).0, "#f7fbff");
        assert_eq!(heat(1e9).0, "#08306b");
        assert_eq!(heat(1e9).1, "#ffffff");
    }
}
