//! What the fuzz targets hold of every input.
//!
//! - Neither engine panics, and memory and time stay bounded (libFuzzer's own limits).
//! - Both accept an input, with the same value, or both refuse it.
//! - An error's offset lies within the input.
//! - The spans of a decode do not overlap; where the input is good, they cover all of it.
//! - A value that was read can be written and is the same when it is read again.
//!
//! An input's first byte selects the message, the rest is what is decoded.

use std::fmt::Debug;
use std::path::Path;
use std::sync::LazyLock;

use interop_codec::{DecodeOptions, Dialect, Document, Format, Span};
use interop_models::{
    Codec, Decode, Encode, FlatBuffers, Fory, ForyConsistent, Json, MessagePack, Protobuf,
    TryCodec, TryEncode,
};
use interop_models::{protobuf as bench, suite};
use interop_schema::{MessageId, Schema};

static SCHEMA: LazyLock<Schema> = LazyLock::new(|| {
    let proto = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../proto");
    let files = [proto.join("bench.proto"), proto.join("suite.proto")];
    interop_schema::proto::compile_files(&files, &[proto]).expect("the schemas compile")
});

/// The messages by the byte that selects them.
pub const MESSAGES: [&str; 12] = [
    "protobuf.NumericStruct",
    "protobuf.Sample",
    "protobuf.MediaContent",
    "protobuf.NumericStructList",
    "protobuf.SampleList",
    "protobuf.MediaContentList",
    "protobuf.FixedNumericStruct",
    "suite.SimpleStruct",
    "suite.Person",
    "suite.Company",
    "suite.ECommerceData",
    "suite.SystemData",
];

/// A format of the compiled engine that writes `M`; `None` where the value has no form in it.
pub trait Writes<M> {
    /// The bytes of `message`.
    fn write(message: &M) -> Option<Vec<u8>>;
}

macro_rules! writes {
    ($bound:ident, $format:ty, $write:expr) => {
        impl<M: Codec + TryCodec + $bound<$format>> Writes<M> for $format {
            fn write(message: &M) -> Option<Vec<u8>> {
                let write: fn(&M) -> Option<Vec<u8>> = $write;
                write(message)
            }
        }
    };
}

writes!(Encode, Protobuf, |message| Some(
    message.encode_to_vec::<Protobuf>()
));
writes!(Encode, Fory, |message| Some(
    message.encode_to_vec::<Fory>()
));
writes!(Encode, ForyConsistent, |message| Some(
    message.encode_to_vec::<ForyConsistent>()
));
writes!(TryEncode, Json, |message| message
    .try_encode_to_vec::<Json>()
    .ok());
writes!(TryEncode, MessagePack, |message| message
    .try_encode_to_vec::<MessagePack>()
    .ok());
writes!(TryEncode, FlatBuffers, |message| message
    .try_encode_to_vec::<FlatBuffers>()
    .ok());

/// Tries `data` in the format given by type and by name.
pub fn both_engines<F>(format: Format, data: &[u8])
where
    F: Writes<bench::NumericStruct>
        + Writes<bench::Sample>
        + Writes<bench::MediaContent>
        + Writes<bench::NumericStructList>
        + Writes<bench::SampleList>
        + Writes<bench::MediaContentList>
        + Writes<bench::FixedNumericStruct>
        + Writes<suite::SimpleStruct>
        + Writes<suite::Person>
        + Writes<suite::Company>
        + Writes<suite::ECommerceData>
        + Writes<suite::SystemData>,
    bench::NumericStruct: Decode<F>,
    bench::Sample: Decode<F>,
    bench::MediaContent: Decode<F>,
    bench::NumericStructList: Decode<F>,
    bench::SampleList: Decode<F>,
    bench::MediaContentList: Decode<F>,
    bench::FixedNumericStruct: Decode<F>,
    suite::SimpleStruct: Decode<F>,
    suite::Person: Decode<F>,
    suite::Company: Decode<F>,
    suite::ECommerceData: Decode<F>,
    suite::SystemData: Decode<F>,
{
    let Some((&selector, input)) = data.split_first() else {
        return;
    };
    let index = usize::from(selector) % MESSAGES.len();
    let id = SCHEMA
        .message_by_name(MESSAGES[index])
        .expect("a message of the schemas");
    match index {
        0 => one::<F, bench::NumericStruct>(format, id, input),
        1 => one::<F, bench::Sample>(format, id, input),
        2 => one::<F, bench::MediaContent>(format, id, input),
        3 => one::<F, bench::NumericStructList>(format, id, input),
        4 => one::<F, bench::SampleList>(format, id, input),
        5 => one::<F, bench::MediaContentList>(format, id, input),
        6 => one::<F, bench::FixedNumericStruct>(format, id, input),
        7 => one::<F, suite::SimpleStruct>(format, id, input),
        8 => one::<F, suite::Person>(format, id, input),
        9 => one::<F, suite::Company>(format, id, input),
        10 => one::<F, suite::ECommerceData>(format, id, input),
        _ => one::<F, suite::SystemData>(format, id, input),
    }
}

/// Spans lie apart; those of good input leave no byte out.
fn check_spans(mut spans: Vec<Span>, len: usize, whole: bool) {
    spans.sort_unstable_by_key(|span| span.start);
    let mut covered = 0;
    for Span { start, end, .. } in spans {
        assert!(
            start < end && end <= len,
            "span {start}..{end} of {len} bytes"
        );
        assert!(start >= covered, "spans overlap at {start}");
        assert!(!whole || start == covered, "no span for {covered}..{start}");
        covered = end;
    }
    assert!(!whole || covered == len, "no span for {covered}..{len}");
}

fn one<F, M>(format: Format, id: MessageId, input: &[u8])
where
    F: Writes<M>,
    M: Codec + Decode<F> + Encode<Protobuf>,
{
    let dynamic = interop_codec::decode(&SCHEMA, id, format, input, DecodeOptions::default());
    let mut spans = Vec::new();
    let options = DecodeOptions::traced(&mut spans);
    let traced = interop_codec::decode(&SCHEMA, id, format, input, options);
    agree("with and without spans", &dynamic, &traced);
    check_spans(spans, input.len(), dynamic.is_ok());
    if let Err(error) = &dynamic {
        let offset = error.offset.unwrap_or(0);
        assert!(offset <= input.len(), "{error}");
    }

    let compiled = M::decode::<F>(input);
    if let Err(error) = &compiled {
        assert!(error.offset() <= input.len(), "{error}");
    }
    let as_dynamic = compiled.as_ref().map(|message| {
        let bytes = message.encode_to_vec::<Protobuf>();
        assert_eq!(bytes.len(), message.encoded_len::<Protobuf>());
        let read = interop_codec::protobuf::decode(&SCHEMA, id, &bytes, DecodeOptions::default());
        Document::of(read.expect("what the compiled engine writes is read"))
    });
    agree("dynamic and compiled", &dynamic, &as_dynamic);

    if let (Ok(document), Ok(message)) = (&dynamic, &compiled) {
        let dialect = Dialect::default_of(format);
        let written = interop_codec::encode(&SCHEMA, document, format, &dialect);
        let ours = F::write(message);
        assert_eq!(written.is_ok(), ours.is_some(), "{written:?}");
        for bytes in written.iter().chain(ours.iter()) {
            let again = interop_codec::decode(&SCHEMA, id, format, bytes, DecodeOptions::default());
            agree("once and again", &dynamic, &again);
        }
    }
}

/// Both are the same value, or both are errors.
fn agree<A: Debug, B: Debug>(what: &str, left: &Result<Document, A>, right: &Result<Document, B>) {
    match (left, right) {
        (Ok(left), Ok(right)) => assert!(left == right, "{what}: {left:?}\n{right:?}"),
        (Err(_), Err(_)) => {}
        _ => panic!("{what}: {left:?}\n{right:?}"),
    }
}

/// Tries `data` as a descriptor set, or as text of an FDL file: never a panic. A schema that is
/// taken can be derived for other compilers.
pub fn schema(data: &[u8]) {
    let Some((&selector, input)) = data.split_first() else {
        return;
    };
    let schema = if selector % 2 == 0 {
        interop_schema::proto::from_descriptor_set(input)
    } else {
        match std::str::from_utf8(input) {
            Ok(text) => interop_schema::fdl::compile_text("fuzzed.fdl", text),
            Err(_) => return,
        }
    };
    if let Ok(schema) = schema {
        drop(interop_schema::emit::fdl::emit(&schema, "fuzzed"));
    }
}
