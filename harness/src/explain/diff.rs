//! Two encodings side by side, aligned by field path and meaning rather than by offset.

use std::collections::HashMap;

use interop_codec::{Document, Format, Part, Path, Segment, Span, Value};
use interop_schema::Schema;

use super::decide::{self, Fields, Values};
use super::{Cause, Trace};
use crate::value_diff::value_at;

/// A run of bytes on one side of a difference.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Side {
    /// Offset of the first byte.
    pub offset: usize,
    /// The bytes.
    pub bytes: Vec<u8>,
    /// What they mean, in the format's own terms.
    pub meaning: String,
    /// What they say.
    pub value: String,
}

/// One difference; a side is absent where the other has bytes that it lacks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// The field.
    pub path: Path,
    /// What the bytes are for.
    pub part: Part,
    /// Why they differ.
    pub cause: Cause,
    /// In the first encoding.
    pub a: Option<Side>,
    /// In the second.
    pub b: Option<Side>,
}

/// All differences of two encodings.
#[derive(Clone, Debug)]
pub struct Comparison {
    /// In order of offset.
    pub differences: Vec<Difference>,
    /// Both decode to the same value.
    pub same_value: bool,
}

impl Comparison {
    /// The causes with the number of differences that each explains, most frequent first.
    pub fn causes(&self) -> Vec<(Cause, usize)> {
        let mut counts: Vec<(Cause, usize)> = Vec::new();
        for difference in &self.differences {
            match counts
                .iter_mut()
                .find(|(cause, _)| *cause == difference.cause)
            {
                Some((_, count)) => *count += 1,
                None => counts.push((difference.cause, 1)),
            }
        }
        counts.sort_by_key(|&(cause, count)| (std::cmp::Reverse(count), cause));
        counts
    }

    /// The difference that says most: the first that does not merely follow from another.
    pub fn leading(&self) -> Option<&Difference> {
        let mut all = self.differences.iter();
        let own = all.find(|difference| {
            !matches!(
                difference.cause,
                Cause::Consequence | Cause::TypedefHeaderHash
            )
        });
        own.or_else(|| self.differences.first())
    }
}

/// Compares two traced encodings of the same message in the same format.
pub fn compare(
    schema: &Schema,
    format: Format,
    a: (&[u8], &Trace),
    b: (&[u8], &Trace),
) -> Comparison {
    let same_value = match (&a.1.result, &b.1.result) {
        (Ok(a), Ok(b)) => a == b,
        _ => false,
    };
    if a.0 == b.0 {
        return Comparison {
            differences: Vec::new(),
            same_value,
        };
    }
    let mut values = ValuesAt::new(schema, a.1, b.1);
    let pairs = align(&a.1.spans, &b.1.spans, &mut values);
    let moved = moved(&pairs);
    let fields = [Fields::of(&a.1.spans), Fields::of(&b.1.spans)];
    let mut differences: Vec<Difference> = Vec::new();
    for (pair, moved) in pairs.iter().zip(moved) {
        let side = |bytes: &[u8], spans: &[Span], index: Option<usize>| {
            index.map(|index| side(bytes, &spans[index]))
        };
        let (side_a, side_b) = (side(a.0, &a.1.spans, pair.a), side(b.0, &b.1.spans, pair.b));
        let same_bytes = match (&side_a, &side_b) {
            (Some(a), Some(b)) => a.bytes == b.bytes,
            _ => false,
        };
        // What has kept its place on both sides is no difference, whatever moved around it.
        let same_place = match (&side_a, &side_b) {
            (Some(a), Some(b)) => a.offset == b.offset,
            _ => false,
        };
        if same_bytes && (!moved || same_place) {
            continue;
        }
        let span = match (pair.a, pair.b) {
            (Some(index), _) => &a.1.spans[index],
            (None, Some(index)) => &b.1.spans[index],
            (None, None) => continue,
        };
        let mut difference = Difference {
            path: span.path.clone(),
            part: span.part,
            cause: Cause::Unnamed,
            a: side_a,
            b: side_b,
        };
        difference.cause = if same_bytes {
            order_cause(format, &difference.path, &mut values)
        } else {
            let other = &fields[usize::from(pair.a.is_some())];
            decide::cause(format, &difference, other, values.at(&difference.path))
        };
        follow_header(differences.last(), &mut difference);
        push_or_join(&mut differences, difference);
    }
    Comparison {
        differences,
        same_value,
    }
}

/// What the two values have at each path, looked up once.
struct ValuesAt<'t> {
    schema: &'t Schema,
    documents: Option<(&'t Document, &'t Document)>,
    seen: HashMap<Path, Values>,
}

impl<'t> ValuesAt<'t> {
    fn new(schema: &'t Schema, a: &'t Trace, b: &'t Trace) -> Self {
        Self {
            schema,
            documents: a.result.as_ref().ok().zip(b.result.as_ref().ok()),
            seen: HashMap::new(),
        }
    }

    fn at(&mut self, path: &Path) -> Values {
        let Some((a, b)) = self.documents else {
            return Values::Unknown;
        };
        if let Some(values) = self.seen.get(path) {
            return *values;
        }
        let (a, b) = (
            value_at(self.schema, a, path),
            value_at(self.schema, b, path),
        );
        let values = match (a, b) {
            (Some(a), Some(b)) if a != b => Values::Different,
            (Some(Value::Map(_)), Some(_)) => Values::SameMap,
            (Some(_), Some(_)) | (None, None) => Values::Same,
            (Some(_), None) | (None, Some(_)) => Values::Different,
        };
        self.seen.insert(path.clone(), values);
        values
    }
}

/// Type information that only one side has follows from the collection's header before it,
/// which says whether there is any.
fn follow_header(before: Option<&Difference>, difference: &mut Difference) {
    let one_sided = difference.a.is_none() || difference.b.is_none();
    if let Some(before) = before
        && one_sided
        && before.path == difference.path
        && matches!(difference.cause, Cause::TypeMeta | Cause::MapOrder)
        && matches!(
            before.cause,
            Cause::ListHeader | Cause::MapHeader | Cause::NullChunk
        )
    {
        difference.cause = before.cause;
    }
}

/// Bytes that one side lacks as a whole (tag and value, say) make one difference.
fn push_or_join(differences: &mut Vec<Difference>, next: Difference) {
    if let Some(last) = differences.last_mut()
        && last.path == next.path
        && last.cause == next.cause
    {
        let joined = match (&mut last.a, &last.b, &next.a, &next.b) {
            (Some(side), None, Some(more), None) => join(side, more),
            _ => match (&last.a, &mut last.b, &next.a, &next.b) {
                (None, Some(side), None, Some(more)) => join(side, more),
                _ => false,
            },
        };
        if joined {
            last.part = last.part.max(next.part);
            return;
        }
    }
    differences.push(next);
}

/// Appends bytes that follow directly; false when they don't.
fn join(side: &mut Side, more: &Side) -> bool {
    if side.offset + side.bytes.len() != more.offset {
        return false;
    }
    side.bytes.extend(&more.bytes);
    side.meaning = format!("{}, {}", side.meaning, more.meaning);
    side.value = format!("{}, {}", side.value, more.value);
    true
}

fn side(bytes: &[u8], span: &Span) -> Side {
    Side {
        offset: span.start,
        bytes: bytes[span.start..span.end].to_vec(),
        meaning: span.meaning.clone(),
        value: span.value.clone(),
    }
}

/// Indices of the spans that stand for the same thing on both sides.
struct Pair {
    a: Option<usize>,
    b: Option<usize>,
}

/// Pairs spans of the same path and meaning in their order, then what is left of the same path
/// and part. The result is in order of the first side, with what only the second has inserted
/// behind its neighbour there.
fn align(a: &[Span], b: &[Span], values: &mut ValuesAt<'_>) -> Vec<Pair> {
    let mut partner_of_a: Vec<Option<usize>> = vec![None; a.len()];
    let mut taken_b = vec![false; b.len()];
    let mut pass = |key: &mut dyn FnMut(&Span) -> Option<(Path, String)>| {
        let mut waiting: HashMap<(Path, String), std::collections::VecDeque<usize>> =
            HashMap::new();
        for (index, span) in b.iter().enumerate() {
            if !taken_b[index]
                && let Some(key) = key(span)
            {
                waiting.entry(key).or_default().push_back(index);
            }
        }
        for (index, span) in a.iter().enumerate() {
            if partner_of_a[index].is_some() {
                continue;
            }
            let partner = key(span)
                .and_then(|key| waiting.get_mut(&key))
                .and_then(|queue| queue.pop_front());
            if let Some(partner) = partner {
                partner_of_a[index] = Some(partner);
                taken_b[partner] = true;
            }
        }
    };
    // The keys of a map lie at the map's own path; they pair by what they say.
    pass(&mut |span| {
        let key = span.part == Part::Payload && values.at(&span.path) == Values::SameMap;
        key.then(|| (span.path.clone(), span.value.clone()))
    });
    pass(&mut |span| Some((span.path.clone(), span.meaning.clone())));
    pass(&mut |span| Some((span.path.clone(), span.part.name().to_owned())));

    let pairs: Vec<Pair> = partner_of_a
        .iter()
        .enumerate()
        .map(|(index, &partner)| Pair {
            a: Some(index),
            b: partner,
        })
        .collect();
    let mut place_of_b = vec![0; b.len()];
    for (place, pair) in pairs.iter().enumerate() {
        if let Some(index) = pair.b {
            place_of_b[index] = place + 1;
        }
    }
    let mut inserts: Vec<(usize, usize)> = Vec::new();
    let mut place = 0;
    for index in 0..b.len() {
        if taken_b[index] {
            place = place_of_b[index];
        } else {
            inserts.push((place, index));
        }
    }
    inserts.sort_unstable();
    let mut merged = Vec::with_capacity(pairs.len() + inserts.len());
    let mut inserts = inserts.into_iter().peekable();
    let mut insert_up_to = |merged: &mut Vec<Pair>, place: usize| {
        while let Some((_, index)) = inserts.next_if(|&(at, _)| at <= place) {
            merged.push(Pair {
                a: None,
                b: Some(index),
            });
        }
    };
    for (place, pair) in pairs.into_iter().enumerate() {
        insert_up_to(&mut merged, place);
        merged.push(pair);
    }
    insert_up_to(&mut merged, usize::MAX);
    merged
}

/// Which pairs lie in another order on the second side: all that are not on a longest
/// increasing run.
fn moved(pairs: &[Pair]) -> Vec<bool> {
    let both: Vec<(usize, usize)> = pairs
        .iter()
        .enumerate()
        .filter(|(_, pair)| pair.a.is_some())
        .filter_map(|(place, pair)| Some((place, pair.b?)))
        .collect();
    // tails[k]: index into `both` of the smallest end of an increasing run of length k + 1.
    let mut tails: Vec<usize> = Vec::new();
    let mut before: Vec<Option<usize>> = vec![None; both.len()];
    for (index, &(_, b)) in both.iter().enumerate() {
        let length = tails.partition_point(|&tail| both[tail].1 < b);
        before[index] = length.checked_sub(1).map(|shorter| tails[shorter]);
        if length == tails.len() {
            tails.push(index);
        } else {
            tails[length] = index;
        }
    }
    let mut moved = vec![false; pairs.len()];
    for &(place, _) in &both {
        moved[place] = true;
    }
    let mut at = tails.last().copied();
    while let Some(index) = at {
        moved[both[index].0] = false;
        at = before[index];
    }
    moved
}

fn order_cause(format: Format, path: &Path, values: &mut ValuesAt<'_>) -> Cause {
    let mut segments = path.segments.iter();
    let in_map = segments.any(|segment| matches!(segment, Segment::Key(_)));
    if in_map || values.at(path) == Values::SameMap {
        Cause::MapOrder
    } else if format == Format::Flatbuffers {
        Cause::ChildOrder
    } else {
        Cause::FieldOrder
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn span(start: usize, path: &str, meaning: &str) -> Span {
        Span {
            start,
            end: start + 1,
            part: Part::Payload,
            path: Path {
                segments: vec![Segment::Field(path.to_owned())],
            },
            meaning: meaning.to_owned(),
            value: String::new(),
        }
    }

    #[test]
    fn aligns_by_field_and_finds_the_moved_one() {
        let a = [
            span(0, "x", "value"),
            span(1, "y", "value"),
            span(2, "z", "value"),
        ];
        let b = [
            span(0, "y", "value"),
            span(1, "new", "value"),
            span(2, "z", "value"),
            span(3, "x", "value"),
        ];
        let schema = Schema::default();
        let mut values = ValuesAt {
            schema: &schema,
            documents: None,
            seen: HashMap::new(),
        };
        let pairs = align(&a, &b, &mut values);
        let shown: Vec<_> = pairs.iter().map(|pair| (pair.a, pair.b)).collect();
        assert_eq!(
            shown,
            [
                (Some(0), Some(3)),
                (Some(1), Some(0)),
                (None, Some(1)),
                (Some(2), Some(2))
            ]
        );
        assert_eq!(moved(&pairs), [true, false, false, false]);
    }
}
