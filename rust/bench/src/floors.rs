//! What no codec can beat: copying the bytes, and cloning and dropping the value.

use interop_contestants::cell::{Cell, Op, runner};

/// The floors for `value` and its encoded `bytes`.
pub fn cell<M: Clone + 'static>(value: M, bytes: Vec<u8>) -> Cell {
    let len = bytes.len();
    let (source, mut buffer) = (bytes.clone(), Vec::with_capacity(len));
    let copy = runner(move || {
        buffer.clear();
        buffer.extend_from_slice(std::hint::black_box(&source));
        std::hint::black_box(buffer.as_ptr());
    });
    let fresh = runner(move || std::hint::black_box(&bytes).to_vec());
    let clone = runner(move || std::hint::black_box(&value).clone());
    Cell {
        contestant: "floor",
        version: "",
        bytes: len,
        ops: vec![
            (Op::WriteReused, copy),
            (Op::WriteFresh, fresh),
            (Op::ReadOwned, clone),
        ],
    }
}
