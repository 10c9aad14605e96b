//! From a difference to its cause, format by format. What counts is what the decoder says the
//! bytes mean, and the bytes.

use std::collections::HashSet;

use interop_codec::{Format, Part, Path, Segment, Span};

use super::{Cause, Difference, Side};

/// The fields that one side has bytes of, and the fields around those.
pub(super) struct Fields(HashSet<Path>);

impl Fields {
    /// The fields of these spans.
    pub(super) fn of(spans: &[Span]) -> Self {
        let mut paths: HashSet<Path> = HashSet::new();
        for span in spans {
            let mut path = span.path.clone();
            while !paths.contains(&path) {
                paths.insert(path.clone());
                if path.segments.pop().is_none() {
                    break;
                }
            }
        }
        Self(paths)
    }

    fn contain(&self, path: &Path) -> bool {
        self.0.contains(path)
    }
}

/// What the values have at the path of a difference.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Values {
    /// Both have the same there, or neither has anything.
    Same,
    /// The same map, whose keys are parts of it.
    SameMap,
    /// They differ.
    Different,
    /// One of the encodings does not decode.
    Unknown,
}

/// The cause of a difference. `other` are the fields of a side that lacks the bytes, if one
/// does.
pub(super) fn cause(
    format: Format,
    difference: &Difference,
    other: &Fields,
    values: Values,
) -> Cause {
    let unknown = |segment: &Segment| matches!(segment, Segment::Unknown(_));
    if difference.path.segments.iter().any(unknown) {
        return Cause::UnknownFields;
    }
    let another = match values {
        Values::Same | Values::SameMap => false,
        Values::Different => difference.part == Part::Payload || is_one_sided(difference),
        Values::Unknown => says_another_value(difference, other),
    };
    if another {
        return Cause::Value;
    }
    if values == Values::SameMap && is_key(difference) {
        return Cause::MapOrder;
    }
    match format {
        Format::Protobuf => protobuf(difference, other),
        Format::Json => json(difference),
        Format::Msgpack => msgpack(difference),
        Format::Flatbuffers => flatbuffers(difference),
        Format::Fory | Format::ForyConsistent => fory(difference),
    }
}

fn is_one_sided(difference: &Difference) -> bool {
    difference.a.is_none() || difference.b.is_none()
}

/// True when both sides have bytes of a map's own that say different things: keys.
fn is_key(difference: &Difference) -> bool {
    match (&difference.a, &difference.b) {
        (Some(a), Some(b)) => {
            a.value != b.value
                && (difference.part == Part::Payload || a.meaning.contains("string header"))
        }
        _ => false,
    }
}

/// True when payload bytes differ in what they say, or only one side has the field at all.
fn says_another_value(difference: &Difference, other: &Fields) -> bool {
    match (&difference.a, &difference.b) {
        (Some(a), Some(b)) => difference.part == Part::Payload && a.value != b.value,
        _ => !other.contain(&difference.path),
    }
}

fn either_means(difference: &Difference, what: &str) -> bool {
    [&difference.a, &difference.b]
        .into_iter()
        .flatten()
        .any(|side| side.meaning.contains(what))
}

fn protobuf(difference: &Difference, other: &Fields) -> Cause {
    match (&difference.a, &difference.b) {
        (Some(_), Some(_)) if either_means(difference, "length") => Cause::Consequence,
        (Some(_), Some(_)) => Cause::IntegerForm,
        _ if other.contain(&difference.path) => Cause::Packing,
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

fn msgpack(difference: &Difference) -> Cause {
    let sides = [&difference.a, &difference.b].into_iter().flatten();
    let says = |what: &str| {
        let mut sides = sides.clone();
        sides.any(|side| side.meaning.contains(what) || side.value.contains(what))
    };
    if says("float") {
        return Cause::FloatAsInt;
    }
    if says("nil") {
        return Cause::NullWritten;
    }
    match (&difference.a, &difference.b) {
        (Some(_), Some(_)) if difference.part == Part::Metadata => Cause::FieldNameStyle,
        (Some(_), Some(_)) => Cause::IntegerForm,
        _ => Cause::DefaultWritten,
    }
}

fn flatbuffers(difference: &Difference) -> Cause {
    if either_means(difference, "padding") || either_means(difference, "unused") {
        return Cause::Padding;
    }
    if either_means(difference, "vtable") {
        return Cause::Vtable;
    }
    if either_means(difference, "offset") {
        return Cause::Consequence;
    }
    match (&difference.a, &difference.b) {
        (Some(_), Some(_)) => Cause::IntegerForm,
        _ => Cause::DefaultWritten,
    }
}

fn fory(difference: &Difference) -> Cause {
    let sides = || [&difference.a, &difference.b].into_iter().flatten();
    let Some(side) = sides().next() else {
        return Cause::Unnamed;
    };
    match side.meaning.as_str() {
        "TypeDef header" => Cause::TypedefHeaderHash,
        "TypeDef field" => typedef_field(difference.a.as_ref(), difference.b.as_ref()),
        "schema hash" => Cause::SchemaHash,
        "string header" if sides().all(|side| side.value.ends_with(" 0 bytes")) => {
            Cause::EmptyStringHeader
        }
        "string header" | "string" => Cause::StringCoder,
        "elements header" => Cause::ListHeader,
        "chunk header" if sides().any(|side| side.value.contains("null")) => Cause::NullChunk,
        "chunk header" => Cause::MapHeader,
        "null flag" | "root flag" | "reference flag" | "object number" => Cause::ReferenceFlag,
        "chunk size" => Cause::MapOrder,
        meaning if meaning.starts_with("TypeDef") => Cause::TypeMeta,
        meaning if meaning.contains("type id") || meaning.contains("name") => Cause::TypeMeta,
        _ if difference.part == Part::Metadata => Cause::TypeMeta,
        _ if difference.a.is_some() && difference.b.is_some() => Cause::IntegerForm,
        _ => Cause::Unnamed,
    }
}

/// TypeDefs spell a type as `list<string?>`; `?` says nullable and `&` tracked.
fn typedef_field(a: Option<&Side>, b: Option<&Side>) -> Cause {
    let (Some(a), Some(b)) = (a, b) else {
        return Cause::TypedefField;
    };
    let without = |text: &str, marks: &[char]| text.replace(marks, "");
    let inside = |text: &str| text.split_once('<').map(|(_, inner)| inner.to_owned());
    if without(&a.value, &['?']) == without(&b.value, &['?']) {
        return if inside(&a.value) == inside(&b.value) {
            Cause::TypedefField
        } else {
            Cause::TypedefElementNullable
        };
    }
    if without(&a.value, &['?', '&']) == without(&b.value, &['?', '&']) {
        return Cause::TypedefReference;
    }
    let outside = |text: &str| text.split('<').next().unwrap_or_default().to_owned();
    if outside(&a.value) == outside(&b.value) {
        Cause::TypedefElementKind
    } else {
        Cause::TypedefField
    }
}
