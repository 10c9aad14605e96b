//! Who read what in which bytes: each distinct byte string is put to each reader once, whichever
//! cells ask.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::rc::Rc;

use interop_codec::{Document, Format};

use super::case::View;
use super::roster::Roster;
use super::talks::{Failed, Talks, Ticket};
use crate::check::run::decode;
use crate::peer::proto::reply;
use crate::peer::tree::from_tree;
use crate::subject::Subject;
use crate::verdict::Verdict;

/// A reading of some bytes: the document, or why there is none.
pub(super) type Read = std::result::Result<Rc<Document>, Failed>;

/// Bytes to be read as a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct InputId(usize);

#[derive(PartialEq, Eq, Hash)]
struct Key {
    schema: Option<usize>,
    model: String,
    format: Format,
    bytes: Rc<[u8]>,
}

struct Input {
    view: View,
    format: Format,
    bytes: Rc<[u8]>,
    ours: Read,
    /// By implementation.
    others: BTreeMap<usize, Read>,
}

/// All readings.
pub(super) struct Readings {
    ids: HashMap<Key, InputId>,
    inputs: Vec<Input>,
    waiting: Vec<(InputId, usize, Ticket)>,
    /// What is asked for or known.
    asked: HashSet<(InputId, usize)>,
    /// What stands where nobody asked.
    unasked: Read,
}

impl Default for Readings {
    fn default() -> Self {
        Self {
            ids: HashMap::new(),
            inputs: Vec::new(),
            waiting: Vec::new(),
            asked: HashSet::new(),
            unasked: Err(Failed {
                verdict: Verdict::Unsupported,
                text: "never asked".to_owned(),
            }),
        }
    }
}

impl Readings {
    /// The input of these bytes, read by our own codec at once.
    pub(super) fn input(&mut self, view: &View, format: Format, bytes: &[u8]) -> InputId {
        let bytes: Rc<[u8]> = Rc::from(bytes);
        let key = Key {
            schema: view.schema,
            model: view.subject.name().to_owned(),
            format,
            bytes: Rc::clone(&bytes),
        };
        *self.ids.entry(key).or_insert_with(|| {
            let ours = match decode(&view.subject, format, &bytes) {
                Ok(Ok(document)) => Ok(Rc::new(document)),
                Ok(Err(error)) => Err(Failed::refused(error)),
                Err(panic) => Err(Failed::crashed(panic)),
            };
            self.inputs.push(Input {
                view: view.clone(),
                format,
                bytes,
                ours,
                others: BTreeMap::new(),
            });
            InputId(self.inputs.len() - 1)
        })
    }

    /// Asks every implementation that can read the input to do so.
    pub(super) fn ask_all(&mut self, input: InputId, roster: &Roster, talks: &mut Talks<'_>) {
        for reader in self.readers(input, roster) {
            if self.asked.insert((input, reader)) {
                let of = &self.inputs[input.0];
                let (view, by) = (&of.view, &roster.implementations[reader]);
                let ticket = talks.decode(by, view.schema, view.subject.name(), &of.bytes);
                self.waiting.push((input, reader, ticket));
            }
        }
    }

    /// The implementations that can read the input.
    pub(super) fn readers(&self, input: InputId, roster: &Roster) -> Vec<usize> {
        let of = &self.inputs[input.0];
        let all = roster.implementations.iter().enumerate();
        all.filter(|(_, by)| {
            by.capability.decode && by.format == of.format && of.view.is_offered_by(by)
        })
        .map(|(index, _)| index)
        .collect()
    }

    /// Takes the answers once the talks ran.
    pub(super) fn gather(&mut self, talks: &mut Talks<'_>) {
        for (input, reader, ticket) in self.waiting.drain(..) {
            let of = &mut self.inputs[input.0];
            let read = match talks.take(ticket) {
                Err(failed) => Err(failed),
                Ok(reply::Body::Decode(decoded)) => {
                    document(&of.view.subject, &decoded.value.unwrap_or_default())
                }
                Ok(_) => Err(Failed::crashed("another kind of answer".to_owned())),
            };
            // Most readers agree: one document for all of them.
            let read = match (read, &of.ours) {
                (Ok(read), Ok(ours)) if *read == **ours => Ok(Rc::clone(ours)),
                (read, _) => read,
            };
            of.others.insert(reader, read);
        }
    }

    /// What our own codec read.
    pub(super) fn ours(&self, input: InputId) -> &Read {
        &self.inputs[input.0].ours
    }

    /// What a reader read: an implementation that was asked before, or our own codec.
    pub(super) fn of(&self, reader: Option<usize>, input: InputId) -> &Read {
        let input = &self.inputs[input.0];
        match reader {
            None => &input.ours,
            Some(reader) => input.others.get(&reader).unwrap_or(&self.unasked),
        }
    }

    pub(super) fn bytes(&self, input: InputId) -> &[u8] {
        &self.inputs[input.0].bytes
    }
}

fn document(subject: &Subject, tree: &crate::peer::proto::Tree) -> Read {
    from_tree(&subject.schema, subject.id, tree)
        .map(|message| Rc::new(Document::of(message)))
        .map_err(|text| Failed {
            verdict: Verdict::DifferentValue,
            text: format!("a value that does not fit the schema: {text}"),
        })
}
