//! The program that callgrind watches: every operation once warmed up, then counted.

use std::hint::black_box;

use interop_bench_setup::cases;
use interop_bench_setup::models::{Model, Visitor, visit};
use interop_models::{
    Decode, Encode, FlatBuffers, Fory, ForyConsistent, Json, MessagePack, Protobuf,
};

/// Callgrind counts inside of this function only. Its name is unlike any other, for callgrind
/// finds it by a pattern.
#[inline(never)]
fn counted_by_callgrind(operation: &mut dyn FnMut(), times: u32) {
    for _ in 0..times {
        operation();
    }
    // Something to do behind the last call, or it would become a jump.
    black_box(times);
}

/// Callgrind writes a part of its report each time this function is left. It is not the one
/// that is counted: callgrind 3.19 does not do both for one function.
#[inline(never)]
fn part_of_callgrinds_report(operation: &mut dyn FnMut(), times: u32) {
    counted_by_callgrind(operation, times);
    black_box(times);
}

/// The pattern of what is counted.
pub const COUNTED: &str = "*counted_by_callgrind*";

/// The pattern of what ends a part of the report.
pub const PART: &str = "*part_of_callgrinds_report*";

/// Runs all operations whose cell contains `filter`, and prints a line for each in order: the
/// cell and the number of calls counted.
///
/// # Errors
/// When a golden file is not there, or we do not read what we write.
pub fn run(filter: &str) -> Result<(), String> {
    let mut cases = cases::canonical()?;
    cases.extend(cases::suite(&["small", "medium", "large"])?);
    for case in cases {
        let cells = Cells {
            name: format!("{}/{}", case.model, case.set),
            bytes: &case.bytes,
            filter,
        };
        visit(case.model, cells)??;
    }
    Ok(())
}

struct Cells<'a> {
    name: String,
    bytes: &'a [u8],
    filter: &'a str,
}

impl Visitor for Cells<'_> {
    type Output = Result<(), String>;

    fn visit<M: Model>(self) -> Self::Output {
        let value = M::decode::<Protobuf>(self.bytes).map_err(|error| error.to_string())?;
        self.format::<M, Protobuf>("protobuf", &value)?;
        self.format::<M, Fory>("fory", &value)?;
        self.format::<M, ForyConsistent>("fory-consistent", &value)?;
        self.format::<M, Json>("json", &value)?;
        self.format::<M, MessagePack>("msgpack", &value)?;
        self.format::<M, FlatBuffers>("flatbuffers", &value)
    }
}

impl Cells<'_> {
    fn format<M, F>(&self, format: &str, value: &M) -> Result<(), String>
    where
        M: Model + Encode<F> + Decode<F>,
    {
        let encoded = value.encode_to_vec::<F>();
        if M::decode::<F>(&encoded).map_err(|error| error.to_string())? != *value {
            return Err(format!(
                "{format}/{}: we write another value than we read",
                self.name
            ));
        }
        let count = |op: &str, operation: &mut dyn FnMut()| {
            let cell = format!("{format}/{}/{op}", self.name);
            if !cell.contains(self.filter) {
                return;
            }
            // Several calls even out what an allocator does now and then; a large value does
            // that by itself, and counting is slow.
            let times = if encoded.len() < 4096 { 8 } else { 1 };
            for _ in 0..2 {
                operation();
            }
            part_of_callgrinds_report(operation, times);
            println!("{cell} {times}");
        };
        let mut buffer = Vec::new();
        count("write-reused", &mut || {
            buffer.clear();
            black_box(value).encode_into::<F>(&mut buffer);
            black_box(buffer.as_ptr());
        });
        count("write-fresh", &mut || {
            black_box(&black_box(value).encode_to_vec::<F>());
        });
        count("encoded-len", &mut || {
            black_box(black_box(value).encoded_len::<F>());
        });
        count("read-owned", &mut || {
            black_box(&M::decode::<F>(black_box(&encoded)));
        });
        let mut used = value.clone();
        count("read-reused", &mut || {
            black_box(&used.decode_into::<F>(black_box(&encoded)));
        });
        Ok(())
    }
}
