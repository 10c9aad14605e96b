//! From a difference to its cause, format by format. What counts is what the decoder says the
//! bytes mean, and the bytes.

use interop_codec::{Format, Part, Path, Segment, Span};

use super::{Cause, Difference};

/// The cause of a difference. `other` are the spans of a side that lacks the bytes, if one does.
pub(super) fn cause(
    format: Format,
    difference: &Difference,
    other: &[Span],
    same_value: bool,
) -> Cause {
    let unknown = |segment: &Segment| matches!(segment, Segment::Unknown(_));
    if difference.path.segments.iter().any(unknown) {
        return Cause::UnknownFields;
    }
    if !same_value && says_another_value(difference, other) {
        return Cause::Value;
    }
    match format {
        Format::Protobuf => protobuf(difference, other),
        Format::Json => json(difference),
        Format::Msgpack => Cause::Unnamed,
        Format::Flatbuffers => Cause::Unnamed,
        Format::Fory | Format::ForyConsistent => Cause::Unnamed,
    }
}

/// True when payload bytes differ in what they say, or only one side has the field at all.
fn says_another_value(difference: &Difference, other: &[Span]) -> bool {
    match (&difference.a, &difference.b) {
        (Some(a), Some(b)) => difference.part == Part::Payload && a.value != b.value,
        _ => !has_field(other, &difference.path),
    }
}

/// True when any span belongs to the field at `path` or to something inside it.
fn has_field(spans: &[Span], path: &Path) -> bool {
    spans
        .iter()
        .any(|span| span.path.segments.starts_with(&path.segments))
}

fn either_means(difference: &Difference, what: &str) -> bool {
    [&difference.a, &difference.b]
        .into_iter()
        .flatten()
        .any(|side| side.meaning.contains(what))
}

fn protobuf(difference: &Difference, other: &[Span]) -> Cause {
    match (&difference.a, &difference.b) {
        (Some(_), Some(_)) if either_means(difference, "length") => Cause::Consequence,
        (Some(_), Some(_)) => Cause::IntegerForm,
        _ if has_field(other, &difference.path) => Cause::Packing,
        _ => Cause::DefaultWritten,
    }
}

fn json(difference: &Difference) -> Cause {
    let quoted = [&difference.a, &difference.b]
        .into_iter()
        .flatten()
        .any(|side| side.bytes.starts_with(b"\""));
    match (&difference.a, &difference.b) {
        _ if either_means(difference, "white space") => Cause::Whitespace,
        (Some(_), Some(_)) if difference.part == Part::Metadata => Cause::FieldNameStyle,
        (Some(_), Some(_)) if quoted => Cause::Escapes,
        (Some(_), Some(_)) => Cause::NumberText,
        (Some(side), None) | (None, Some(side)) if side.meaning.contains("null") => {
            Cause::NullWritten
        }
        (Some(side), None) | (None, Some(side)) if side.meaning == "punctuation" => {
            Cause::Consequence
        }
        _ => Cause::DefaultWritten,
    }
}
