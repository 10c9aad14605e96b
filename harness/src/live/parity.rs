//! Refusal parity: whether all readers take or refuse broken and odd input alike, and read the
//! same where they take it.
//!
//! Inputs are mutations of small encodings by our own codec, and those of the test vectors. Each
//! reader is held against one answer an input: [`specified`] or [`customary`].

use std::collections::BTreeMap;
use std::rc::Rc;

use interop_codec::{Dialect, Document, Format};
use interop_wire::Limits;

use super::case::{Cases, View};
use super::matrix::{OURS, Stage, passing_of};
use super::mutate::{Class, mutations};
use super::readings::{InputId, Read};
use super::unknown::without_unknown;
use crate::check::plan::{Cell, NotRun, Op, Selection, Source};
use crate::check::run::{Outcome, encode};
use crate::exit::Result;
use crate::explain::Trace;
use crate::value_diff::first_difference;
use crate::vectors::Vector;
use crate::verdict::Verdict;

/// Largest encoding that is mutated, in bytes: what differs shall be small enough to look at.
const MAX_BYTES: usize = 512;
/// Longest input shown in full, in bytes.
const MAX_SHOWN_BYTES: usize = 96;
/// Mutations have no writer.
const MUTATED: &str = "mutated";
/// Vectors neither.
const VECTORS: &str = "vectors";

/// Inputs that are judged together, in one cell a reader.
struct Group {
    /// What the cell's name starts with, without the reader.
    case: Origin,
    view: View,
    format: Format,
    /// The unbroken bytes, where inputs are mutations.
    base: Option<InputId>,
    inputs: Vec<Input>,
}

impl Group {
    /// True where a specification says of every input whether it is good: protobuf's and
    /// ProtoJSON's, and the test vectors' own.
    fn is_specified(&self) -> bool {
        self.base.is_none() || matches!(self.format, Format::Protobuf | Format::Json)
    }
}

enum Origin {
    /// Index of a case, and how its bytes are broken.
    Case(usize, Class),
    /// Name of a vector.
    Vector(String),
}

struct Input {
    id: InputId,
    /// What was done to it; empty for a vector's.
    what: String,
}

/// All inputs.
pub(super) struct Parity {
    groups: Vec<Group>,
}

/// Adds the schemas of the test vectors that have one, so that peers can be brought them; gives
/// what is to be read.
///
/// # Errors
/// None so far as the vectors are well-formed; what is not is reported by its own cell.
pub(super) fn vector_views(
    cases: &mut Cases,
    vectors: &[Vector],
    selection: &Selection,
) -> Vec<(String, View, Format, Vec<Vec<u8>>)> {
    let mut views = Vec::new();
    if !selection.takes_prefix("parity/") {
        return views;
    }
    for vector in vectors {
        if !selection.takes_case(VECTORS, &vector.id, "") {
            continue;
        }
        let Some(question) = crate::vectors::question(vector) else {
            continue;
        };
        let view = View {
            subject: question.subject,
            schema: Some(cases.add_schema(question.descriptor_set)),
        };
        views.push((vector.id.clone(), view, question.format, question.inputs));
    }
    views
}

impl Parity {
    /// Has every input read by everyone. The conversation is one of its own: what breaks in it
    /// costs no other cell.
    pub(super) fn ask(
        stage: &mut Stage<'_>,
        vectors: Vec<(String, View, Format, Vec<Vec<u8>>)>,
    ) -> Result<Self> {
        let mut groups = Vec::new();
        if !stage.selection.takes_prefix("parity/") {
            return Ok(Self { groups });
        }
        for (index, case) in stage.cases.all.iter().enumerate() {
            if case.view.schema.is_some() || !case.is_first_set {
                continue;
            }
            for format in Format::ALL {
                let dialect = Dialect::default_of(format);
                let encoded = encode(&case.view.subject, format, &case.value, &dialect);
                let Ok(Ok(bytes)) = encoded else { continue };
                if bytes.len() > MAX_BYTES || !stage.selection.takes_format(format) {
                    continue;
                }
                let trace = Trace::of(&case.view.subject, format, &bytes, Limits::DEFAULT);
                let base = stage.readings.input(&case.view, format, &bytes);
                let mut classes: BTreeMap<Class, Vec<Input>> = BTreeMap::new();
                for mutation in mutations(&bytes, &trace) {
                    let id = stage.readings.input(&case.view, format, &mutation.bytes);
                    classes.entry(mutation.class).or_default().push(Input {
                        id,
                        what: mutation.what,
                    });
                }
                groups.extend(classes.into_iter().map(|(class, inputs)| Group {
                    case: Origin::Case(index, class),
                    view: case.view.clone(),
                    format,
                    base: Some(base),
                    inputs,
                }));
            }
        }
        for (id, view, format, inputs) in vectors {
            let inputs = inputs.iter().map(|bytes| Input {
                id: stage.readings.input(&view, format, bytes),
                what: String::new(),
            });
            groups.push(Group {
                inputs: inputs.collect(),
                case: Origin::Vector(id),
                view,
                format,
                base: None,
            });
        }
        for group in &groups {
            let inputs = group.inputs.iter().map(|input| input.id);
            for id in group.base.into_iter().chain(inputs) {
                stage.readings.ask_all(id, stage.roster, &mut stage.talks);
            }
        }
        stage.run_talks()?;
        Ok(Self { groups })
    }

    /// Adds the cells.
    pub(super) fn judge(&self, stage: &mut Stage<'_>) {
        let mut unfit = 0;
        for group in &self.groups {
            let Some(first) = group.inputs.first() else {
                continue;
            };
            let readers = stage.readings.readers(first.id, stage.roster);
            if readers.is_empty() {
                continue;
            }
            let answers: Vec<Answers> = group
                .inputs
                .iter()
                .map(|input| Answers::of(stage, group, input.id, &readers))
                .collect();
            for reader in std::iter::once(None).chain(readers.into_iter().map(Some)) {
                if !reads_base(stage, group, reader) {
                    unfit += 1;
                    continue;
                }
                let cell = cell_of(stage, group, stage.reader_name(reader));
                stage.push(cell, |stage| judge_reader(stage, group, &answers, reader));
            }
        }
        if unfit > 0 {
            stage.live.not_run.push(NotRun {
                what: "broken input for readers that misread the unbroken bytes".to_owned(),
                cells: unfit,
                reason: "their cells of the unbroken bytes say why".to_owned(),
            });
        }
    }
}

/// True when the reader reads the unbroken bytes as our codec does.
fn reads_base(stage: &Stage<'_>, group: &Group, reader: Option<usize>) -> bool {
    group.base.is_none_or(|base| {
        match (stage.readings.of(reader, base), stage.readings.ours(base)) {
            (Ok(read), Ok(ours)) => read == ours,
            _ => false,
        }
    })
}

fn cell_of(stage: &Stage<'_>, group: &Group, reader: &str) -> Cell {
    let format = group.format;
    let reader = reader.to_owned();
    let (corpus, set, model, writer, name, op) = match &group.case {
        Origin::Case(case, class) => {
            let case = &stage.cases.all[*case];
            let op = Op::Parity {
                class: class.name(),
                reader,
            };
            let name = format!("parity/{format}/{}/{}/{}", case.set, case.model, op.name());
            let of = (case.corpus.as_str(), case.set.as_str(), case.model.as_str());
            (of.0, of.1, of.2, MUTATED, name, op)
        }
        Origin::Vector(id) => {
            let op = Op::ParityVector(reader);
            let name = format!("parity/{format}/vectors/{id}/{}", op.name());
            (VECTORS, id.as_str(), "", VECTORS, name, op)
        }
    };
    Cell {
        name,
        source: Source::Live,
        corpus: corpus.to_owned(),
        format,
        set: set.to_owned(),
        model: model.to_owned(),
        writer: writer.to_owned(),
        op,
    }
}

/// What readers made of an input: a value without unknown fields, which not all libraries show,
/// or nothing.
type Answer = Option<Rc<Document>>;

/// All answers to an input.
struct Answers {
    /// The one that counts.
    reference: Answer,
    /// How many libraries gave it, of how many.
    agreeing: (usize, usize),
    ours: Answer,
    others: BTreeMap<usize, Answer>,
}

impl Answers {
    fn of(stage: &Stage<'_>, group: &Group, input: InputId, readers: &[usize]) -> Self {
        let schema = &group.view.subject.schema;
        let plain = |read: &Read| -> Answer {
            let document = read.as_ref().ok()?;
            Some(Rc::new(without_unknown(schema, document)))
        };
        let ours = plain(stage.readings.ours(input));
        let others: BTreeMap<usize, Answer> = readers
            .iter()
            .map(|&reader| (reader, plain(stage.readings.of(Some(reader), input))))
            .collect();
        // One vote a process and answer: three libraries on one parser are one opinion.
        let mut voters: Vec<(usize, &Answer)> = Vec::new();
        for (&reader, answer) in &others {
            let vote = (stage.roster.implementations[reader].program, answer);
            if reads_base(stage, group, Some(reader)) && !voters.contains(&vote) {
                voters.push(vote);
            }
        }
        let votes: Vec<&Answer> = voters.into_iter().map(|(_, answer)| answer).collect();
        let reference = match group.is_specified() {
            true => specified(&ours, &votes),
            false => customary(&ours, &votes),
        };
        let reference = reference.clone();
        let all = others.values();
        let agreeing = all.filter(|answer| **answer == reference).count();
        Self {
            agreeing: (agreeing, others.len()),
            reference,
            ours,
            others,
        }
    }

    fn by(&self, reader: Option<usize>) -> &Answer {
        match reader {
            None => &self.ours,
            Some(reader) => &self.others[&reader],
        }
    }
}

/// The answer that readers are held against where a specification decides: our codec's, which
/// follows it, unless at least three processes give one other answer and none gives ours.
fn specified<'a>(ours: &'a Answer, votes: &[&'a Answer]) -> &'a Answer {
    match votes {
        [first, rest @ ..]
            if rest.len() >= 2 && *first != ours && rest.iter().all(|other| other == first) =>
        {
            first
        }
        _ => ours,
    }
}

/// The answer that readers are held against where none decides: what most of all voters give,
/// our codec among them; our codec's where no answer has most.
fn customary<'a>(ours: &'a Answer, votes: &[&'a Answer]) -> &'a Answer {
    let all = || votes.iter().copied().chain([ours]);
    let count = |answer| all().filter(|other| *other == answer).count();
    let mut answers = all();
    answers
        .find(|answer| count(*answer) * 2 > votes.len() + 1)
        .unwrap_or(ours)
}

/// How a reader's answer differs from the reference, worst first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Fault {
    Crashed,
    Timeout,
    OtherValue,
    Accepts,
    Refuses,
}

impl Fault {
    fn of(read: &Read, answer: &Answer, reference: &Answer) -> Option<Self> {
        match (read, answer, reference) {
            (Err(failed), ..) if failed.verdict == Verdict::Crashed => Some(Self::Crashed),
            (Err(failed), ..) if failed.verdict == Verdict::Timeout => Some(Self::Timeout),
            (_, Some(_), None) => Some(Self::Accepts),
            (_, None, Some(_)) => Some(Self::Refuses),
            (_, Some(value), Some(wanted)) if value != wanted => Some(Self::OtherValue),
            _ => None,
        }
    }

    fn verdict(self) -> Verdict {
        match self {
            Self::Crashed => Verdict::Crashed,
            Self::Timeout => Verdict::Timeout,
            Self::OtherValue | Self::Accepts => Verdict::DifferentValue,
            Self::Refuses => Verdict::Refused,
        }
    }

    fn words(self) -> &'static str {
        match self {
            Self::Crashed => "dies of",
            Self::Timeout => "does not come back from",
            Self::OtherValue => "reads another value in",
            Self::Accepts => "reads what is to be refused in",
            Self::Refuses => "refuses what is to be read in",
        }
    }
}

fn judge_reader(
    stage: &Stage<'_>,
    group: &Group,
    answers: &[Answers],
    reader: Option<usize>,
) -> Outcome {
    let passes_with = passing_of(group.format);
    let mut faults: BTreeMap<Fault, Vec<usize>> = BTreeMap::new();
    for (index, (input, answers)) in group.inputs.iter().zip(answers).enumerate() {
        let read = stage.readings.of(reader, input.id);
        let fault = Fault::of(read, answers.by(reader), &answers.reference);
        // To refuse broken input is safe: a fault only where a specification calls it good.
        let fault = fault.filter(|fault| *fault != Fault::Refuses || group.is_specified());
        if let Some(fault) = fault {
            faults.entry(fault).or_default().push(index);
        }
    }
    let Some((worst, indices)) = faults.first_key_value() else {
        return Outcome::plain(passes_with, passes_with);
    };
    let smallest = indices
        .iter()
        .min_by_key(|&&index| stage.readings.bytes(group.inputs[index].id).len());
    let smallest = *smallest.expect("a fault has an input");
    let counts: Vec<String> = faults
        .iter()
        .map(|(fault, indices)| {
            format!(
                "{} {} of {}",
                fault.words(),
                indices.len(),
                group.inputs.len()
            )
        })
        .collect();
    let input = &group.inputs[smallest];
    let answers = &answers[smallest];
    let read = stage.readings.of(reader, input.id);
    let detail = match (worst, read, &answers.reference) {
        (Fault::OtherValue, Ok(_), Some(wanted)) => {
            let found = answers.by(reader).as_ref().unwrap_or(wanted);
            first_difference(&group.view.subject.schema, wanted, found).map_or_else(
                String::new,
                |difference| {
                    format!(
                        "field {}: expected {}, read {}",
                        difference.path, difference.expected, difference.found
                    )
                },
            )
        }
        (_, Err(failed), _) => failed.text.clone(),
        (_, Ok(_), _) => match stage.readings.ours(input.id) {
            Err(failed) => format!("{OURS}: {}", failed.text),
            Ok(_) => String::new(),
        },
    };
    let (agreeing, all) = answers.agreeing;
    let mut message = format!(
        "{}; smallest: {}",
        counts.join(", "),
        show(stage.readings.bytes(input.id), group.format)
    );
    for more in [&input.what, &detail] {
        if !more.is_empty() {
            message.push_str(&format!("; {more}"));
        }
    }
    message.push_str(&format!(
        "; {agreeing} of {all} libraries answer as expected"
    ));
    Outcome::saying(worst.verdict(), passes_with, message)
}

/// Bytes as hex, or as text where the format is text.
fn show(bytes: &[u8], format: Format) -> String {
    let shown = &bytes[..bytes.len().min(MAX_SHOWN_BYTES)];
    let mut text = if format.is_binary() {
        shown.iter().map(|byte| format!("{byte:02x}")).collect()
    } else {
        shown.escape_ascii().to_string()
    };
    if bytes.is_empty() {
        text.push_str("nothing");
    }
    if shown.len() < bytes.len() {
        text.push_str(&format!("... ({} bytes)", bytes.len()));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::subject::Subject;
    use interop_codec::{DecodeOptions, decode};

    fn value(json: &str) -> Answer {
        let subject = Subject::built_in("NumericStruct").unwrap();
        let options = DecodeOptions::default();
        let read = decode(
            &subject.schema,
            subject.id,
            Format::Json,
            json.as_bytes(),
            options,
        );
        Some(Rc::new(read.unwrap()))
    }

    #[test]
    fn our_codec_is_the_reference_unless_it_stands_alone() {
        let (a, b, none) = (value("{\"f1\":1}"), value("{\"f1\":2}"), None);
        assert_eq!(specified(&a, &[&b, &b, &b]), &b);
        assert_eq!(specified(&none, &[&b, &b, &b]), &b);
        assert_eq!(specified(&a, &[&b, &b, &none]), &a, "they disagree");
        assert_eq!(specified(&a, &[&b, &b, &a]), &a, "one agrees");
        assert_eq!(specified(&a, &[&b, &b]), &a, "two are too few");
        assert_eq!(specified(&a, &[]), &a);
    }

    #[test]
    fn most_voters_decide_where_no_specification_does() {
        let (a, b, none) = (value("{\"f1\":1}"), value("{\"f1\":2}"), None);
        assert_eq!(customary(&a, &[&b, &b]), &b);
        assert_eq!(
            customary(&none, &[&b, &b, &a]),
            &none,
            "two of four are not most"
        );
        assert_eq!(customary(&a, &[&b]), &a);
        assert_eq!(customary(&a, &[]), &a);
    }

    #[test]
    fn faults_have_their_verdicts() {
        let (a, b) = (value("{\"f1\":1}"), value("{\"f1\":2}"));
        let took = |answer: &Answer| Ok(Rc::clone(answer.as_ref().unwrap()));
        let failed = |verdict| {
            Err(super::super::talks::Failed {
                verdict,
                text: String::new(),
            })
        };
        let of = |read: &Read, answer: &Answer, wanted: &Answer| Fault::of(read, answer, wanted);
        assert_eq!(of(&took(&a), &a, &a), None);
        assert_eq!(of(&took(&a), &a, &b), Some(Fault::OtherValue));
        assert_eq!(of(&took(&a), &a, &None), Some(Fault::Accepts));
        let refused = failed(Verdict::Refused);
        assert_eq!(of(&refused, &None, &None), None);
        assert_eq!(of(&refused, &None, &a), Some(Fault::Refuses));
        // Whatever is expected, a crash is no answer.
        let crashed = failed(Verdict::Crashed);
        assert_eq!(of(&crashed, &None, &None), Some(Fault::Crashed));
        let late = failed(Verdict::Timeout);
        assert_eq!(of(&late, &None, &a), Some(Fault::Timeout));
    }

    #[test]
    fn inputs_are_shown_whole_while_small() {
        assert_eq!(show(&[0, 0xff], Format::Protobuf), "00ff");
        assert_eq!(show(b"{\"", Format::Json), "{\\\"");
        assert_eq!(show(&[], Format::Protobuf), "nothing");
        assert!(show(&[7; 200], Format::Fory).ends_with("07... (200 bytes)"));
    }
}
