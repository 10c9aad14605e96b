//! A library with one message type: what the peer asks of it, and what is measured.

use std::hint::black_box;
use std::marker::PhantomData;

use crate::cell::{Cell, Op, Runner, runner};
use crate::neutral::{Kind, Slot, Tree, canonical};

/// Which library in which format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Library {
    /// Name, without version.
    pub name: &'static str,
    /// Its version.
    pub version: &'static str,
    /// Format; "none" for libraries that have one of their own.
    pub format: &'static str,
    /// Name of what it writes in the golden tree.
    pub writer: &'static str,
    /// Full names of the messages that it serves.
    pub models: &'static [&'static str],
}

/// How a library writes and reads one message type.
pub trait Codec<M>: Clone + 'static {
    /// What is kept from one call of [`Codec::write`] to the next.
    type Scratch: Default + 'static;

    /// The library's error of reading.
    type Error: 'static;

    /// Writes into what was used before; gives where it lies.
    ///
    /// # Errors
    /// The library's own words.
    fn write<'s>(&self, message: &M, scratch: &'s mut Self::Scratch) -> Result<&'s [u8], String>;

    /// Writes to memory of its own.
    ///
    /// # Errors
    /// As [`Codec::write`].
    fn write_fresh(&self, message: &M) -> Result<Vec<u8>, String> {
        let mut scratch = Self::Scratch::default();
        self.write(message, &mut scratch).map(<[u8]>::to_vec)
    }

    /// Reads a message.
    ///
    /// # Errors
    /// The library's own.
    fn read(&self, bytes: &[u8]) -> Result<M, Self::Error>;

    /// The library's own words.
    fn words(error: Self::Error) -> String;

    /// Reads into a message that was used before; none where the library can't.
    fn read_into(&self) -> Option<fn(&mut M, &[u8]) -> bool> {
        None
    }

    /// Reads without an object of its own; none where the library can't.
    fn view(&self) -> Option<fn(&[u8]) -> bool> {
        None
    }
}

/// An operation as the peer protocol has it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operation {
    /// Object to bytes.
    Serialize,
    /// Bytes to object.
    Deserialize,
    /// Both.
    Roundtrip,
}

/// Runs an operation a number of times.
pub type Batch<'a> = dyn FnMut(u64) -> Result<(), String> + 'a;

/// A library with a message type, whichever these are.
pub trait Contestant {
    /// The library.
    fn library(&self) -> Library;

    /// Builds the library's object and serializes it.
    ///
    /// # Errors
    /// The library's words where it refuses the value.
    fn encode(&self, tree: &Tree) -> Result<Vec<u8>, String>;

    /// Parses bytes and reads the library's object.
    ///
    /// # Errors
    /// The library's words where it refuses the bytes.
    fn decode(&self, bytes: &[u8]) -> Result<Tree, String>;

    /// Parses bytes and serializes that very object.
    ///
    /// # Errors
    /// The library's words where it refuses the bytes.
    fn reencode(&self, bytes: &[u8]) -> Result<Vec<u8>, String>;

    /// Hands `drive` a function that runs `operation` a number of times, and gives the bytes of
    /// the last result: those written, or what the object read is written as.
    ///
    /// # Errors
    /// The library's words, or what `drive` says.
    fn time(
        &self,
        tree: &Tree,
        operation: Operation,
        drive: &mut dyn FnMut(&mut Batch<'_>) -> Result<(), String>,
    ) -> Result<Vec<u8>, String>;

    /// All operations, after making sure that the library writes and reads this value. Where
    /// `input` is given, reads are timed on it instead of on what the library writes.
    ///
    /// # Errors
    /// When a value read differs.
    fn cell(&self, tree: &Tree, input: Option<&[u8]>) -> Result<Cell, String>;
}

/// The contestant of a codec and a message type.
pub struct Pair<C, M> {
    codec: C,
    library: Library,
    message: PhantomData<M>,
}

impl<C: Codec<M>, M: Slot + 'static> Pair<C, M> {
    /// A pair, boxed.
    pub fn boxed(codec: C, library: Library) -> Box<dyn Contestant> {
        Box::new(Self {
            codec,
            library,
            message: PhantomData,
        })
    }

    fn load(tree: &Tree) -> Result<M, String> {
        M::load(&Kind::Message(tree.clone()))
    }

    fn save(message: &M) -> Result<Tree, String> {
        match message.save()? {
            Some(Kind::Message(tree)) => Ok(tree),
            _ => Err("the object is no message".to_owned()),
        }
    }

    fn read(&self, bytes: &[u8]) -> Result<M, String> {
        read(&self.codec, bytes).map_err(C::words)
    }

    fn verify(&self, what: &str, message: &M, wanted: &Tree) -> Result<(), String> {
        if canonical(&Self::save(message)?) == *wanted {
            Ok(())
        } else {
            Err(format!("{} {what} another value", self.library.name))
        }
    }
}

// The library's code is compiled once for each of its messages and called by everything here:
// copies of it in each loop would take minutes to compile, and measure no better.

#[inline(never)]
fn read<C: Codec<M>, M>(codec: &C, bytes: &[u8]) -> Result<M, C::Error> {
    codec.read(bytes)
}

#[inline(never)]
fn write<'s, C: Codec<M>, M>(
    codec: &C,
    message: &M,
    scratch: &'s mut C::Scratch,
) -> Result<&'s [u8], String> {
    codec.write(message, scratch)
}

#[inline(never)]
fn write_fresh<C: Codec<M>, M>(codec: &C, message: &M) -> Result<Vec<u8>, String> {
    codec.write_fresh(message)
}

impl<C: Codec<M>, M: Slot + 'static> Contestant for Pair<C, M> {
    fn library(&self) -> Library {
        self.library
    }

    fn encode(&self, tree: &Tree) -> Result<Vec<u8>, String> {
        write_fresh(&self.codec, &Self::load(tree)?)
    }

    fn decode(&self, bytes: &[u8]) -> Result<Tree, String> {
        Self::save(&self.read(&aligned(bytes))?)
    }

    fn reencode(&self, bytes: &[u8]) -> Result<Vec<u8>, String> {
        write_fresh(&self.codec, &self.read(&aligned(bytes))?)
    }

    fn time(
        &self,
        tree: &Tree,
        operation: Operation,
        drive: &mut dyn FnMut(&mut Batch<'_>) -> Result<(), String>,
    ) -> Result<Vec<u8>, String> {
        let codec = &self.codec;
        let message = Self::load(tree)?;
        let encoded = aligned(&write_fresh(codec, &message)?);
        let mut scratch = C::Scratch::default();
        // Results are looked at where they lie: moving them would be timed too.
        match operation {
            Operation::Serialize => drive(&mut |times| {
                for _ in 0..times {
                    let bytes = write(codec, black_box(&message), &mut scratch)?;
                    black_box(bytes.as_ptr());
                }
                Ok(())
            })?,
            Operation::Deserialize => drive(&mut |times| {
                for _ in 0..times {
                    let read = read(codec, black_box(&encoded));
                    black_box(&read);
                    if let Err(error) = read {
                        return Err(C::words(error));
                    }
                }
                Ok(())
            })?,
            Operation::Roundtrip => drive(&mut |times| {
                for _ in 0..times {
                    let bytes = write(codec, black_box(&message), &mut scratch)?;
                    let read = read(codec, bytes);
                    black_box(&read);
                    if let Err(error) = read {
                        return Err(C::words(error));
                    }
                }
                Ok(())
            })?,
        }
        // The same again, untimed: the last result is gone.
        if operation == Operation::Serialize {
            return write(codec, &message, &mut scratch).map(<[u8]>::to_vec);
        }
        write_fresh(codec, &self.read(&encoded)?)
    }

    fn cell(&self, tree: &Tree, input: Option<&[u8]>) -> Result<Cell, String> {
        let wanted = canonical(tree);
        let message = Self::load(tree)?;
        self.verify("holds", &message, &wanted)?;
        let own = write_fresh(&self.codec, &message)?;
        self.verify("writes", &self.read(&aligned(&own))?, &wanted)?;
        let input = aligned(input.unwrap_or(&own));
        self.verify("reads", &self.read(&input)?, &wanted)?;
        let mut ops: Vec<(Op, Runner)> = Vec::new();
        let message = std::rc::Rc::new(message);
        let (codec, source, mut scratch) = (self.codec.clone(), message.clone(), Default::default());
        ops.push((
            Op::WriteReused,
            runner(move || {
                let bytes = write(&codec, black_box(&source), &mut scratch);
                bytes.map(<[u8]>::as_ptr).is_ok()
            }),
        ));
        let (codec, source) = (self.codec.clone(), message.clone());
        ops.push((
            Op::WriteFresh,
            runner(move || write_fresh(&codec, black_box(&source))),
        ));
        let (codec, bytes) = (self.codec.clone(), input.clone());
        ops.push((Op::ReadOwned, runner(move || read(&codec, black_box(&bytes)))));
        if let Some(read_into) = self.codec.read_into() {
            let (bytes, mut used) = (input.clone(), Self::load(tree)?);
            if !read_into(&mut used, &bytes) {
                return Err(format!("{} refuses to read again", self.library.name));
            }
            self.verify("reads again", &used, &wanted)?;
            ops.push((
                Op::ReadReused,
                runner(move || read_into(&mut used, black_box(&bytes))),
            ));
        }
        if let Some(view) = self.codec.view() {
            let bytes = input;
            if !view(&bytes) {
                return Err(format!("{} refuses to view", self.library.name));
            }
            ops.push((Op::ReadView, runner(move || view(black_box(&bytes)))));
        }
        let codec = self.codec.clone();
        ops.push((
            Op::RoundTrip,
            runner(move || {
                let mut scratch = C::Scratch::default();
                let bytes = write(&codec, black_box(&message), &mut scratch);
                bytes.map(|bytes| {
                    black_box(&read(&codec, bytes));
                })
            }),
        ));
        Ok(Cell {
            contestant: self.library.name,
            version: self.library.version,
            bytes: own.len(),
            ops,
        })
    }
}

/// Bytes where every library can take them: rkyv wants alignment.
fn aligned(bytes: &[u8]) -> rkyv::util::AlignedVec {
    let mut aligned = rkyv::util::AlignedVec::with_capacity(bytes.len());
    aligned.extend_from_slice(bytes);
    aligned
}
