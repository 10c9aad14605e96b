//! What a contestant offers for one case in one format.

use std::hint::black_box;

/// An operation that is measured. Reads include dropping the value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Op {
    /// Into a buffer that is cleared and used again.
    WriteReused,
    /// Into a buffer of its own.
    WriteFresh,
    /// To a value of its own.
    ReadOwned,
    /// Into a value that is used again.
    ReadReused,
    /// To a value that borrows from the input.
    ReadView,
    /// Written to a fresh buffer and read back.
    RoundTrip,
}

impl Op {
    /// All of them.
    pub const ALL: [Op; 6] = [
        Op::WriteReused,
        Op::WriteFresh,
        Op::ReadOwned,
        Op::ReadReused,
        Op::ReadView,
        Op::RoundTrip,
    ];

    /// Name in reports.
    pub const fn name(self) -> &'static str {
        match self {
            Op::WriteReused => "write-reused",
            Op::WriteFresh => "write-fresh",
            Op::ReadOwned => "read-owned",
            Op::ReadReused => "read-reused",
            Op::ReadView => "read-view",
            Op::RoundTrip => "roundtrip",
        }
    }
}

/// Runs an operation a number of times.
pub type Runner = Box<dyn FnMut(u32)>;

/// A contestant's operations for one case in one format.
pub struct Cell {
    /// Name, without version.
    pub contestant: &'static str,
    /// Version of the library.
    pub version: &'static str,
    /// Encoded size in bytes.
    pub bytes: usize,
    /// What it can do.
    pub ops: Vec<(Op, Runner)>,
}

/// A loop around `operation`, whose result is consumed and dropped.
pub fn runner<T>(mut operation: impl FnMut() -> T + 'static) -> Runner {
    Box::new(move |times| {
        for _ in 0..times {
            // Looked at where it lies: moving it would be timed too.
            let result = operation();
            black_box(&result);
        }
    })
}

/// The usual operations from an encoder into a buffer and a decoder.
pub fn cell<M: Clone + 'static, E: 'static>(
    contestant: &'static str,
    version: &'static str,
    value: M,
    bytes: Vec<u8>,
    encode: impl Fn(&M, &mut Vec<u8>) + Clone + 'static,
    encode_fresh: impl Fn(&M) -> Vec<u8> + Clone + 'static,
    decode: impl Fn(&[u8]) -> Result<M, E> + Clone + 'static,
) -> Cell {
    let mut ops: Vec<(Op, Runner)> = Vec::new();
    let len = bytes.len();
    let (source, mut buffer) = (value.clone(), Vec::new());
    ops.push((
        Op::WriteReused,
        runner(move || {
            buffer.clear();
            encode(black_box(&source), &mut buffer);
            black_box(buffer.as_ptr());
        }),
    ));
    let (source, fresh) = (value.clone(), encode_fresh.clone());
    ops.push((Op::WriteFresh, runner(move || fresh(black_box(&source)))));
    let (input, read) = (bytes, decode.clone());
    ops.push((Op::ReadOwned, runner(move || read(black_box(&input)))));
    ops.push((
        Op::RoundTrip,
        runner(move || decode(&encode_fresh(black_box(&value)))),
    ));
    Cell {
        contestant,
        version,
        bytes: len,
        ops,
    }
}
