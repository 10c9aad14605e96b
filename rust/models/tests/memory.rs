//! The compiled codec on good and on broken input, small enough to run under Miri:
//! `cargo +nightly miri test -p interop-models --test memory`. Run natively, every cut and every
//! byte of the small golden files is tried; under Miri, a sample of them.

use std::path::{Path, PathBuf};

use interop_models::protobuf as bench;
use interop_models::{
    Codec, Decode, Encode, FlatBuffers, Fory, ForyConsistent, Json, MessagePack, Protobuf,
    TryCodec, TryEncode,
};

fn golden() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../golden/protobuf")
}

/// The golden protobuf bytes of `model`, in every value set that has it.
fn inputs(model: &str) -> Vec<Vec<u8>> {
    let mut inputs = Vec::new();
    for set in ["canonical", "extreme", "unicode", "zero"] {
        let listed = std::fs::read_dir(golden().join(set)).unwrap();
        let mut paths: Vec<PathBuf> = listed.map(|entry| entry.unwrap().path()).collect();
        paths.sort();
        let found = paths.iter().find(|path| {
            let stem = path.file_stem().unwrap().to_string_lossy();
            stem.split('@').next() == Some(model)
        });
        inputs.extend(found.map(|path| std::fs::read(path).unwrap()));
    }
    assert!(!inputs.is_empty(), "no golden file of {model}");
    inputs
}

/// Every place of `len` natively, about a dozen under Miri.
fn places(len: usize) -> impl Iterator<Item = usize> {
    let step = if cfg!(miri) { (len / 12).max(1) } else { 1 };
    (0..len).step_by(step)
}

/// Reads every cut of `bytes`, and `bytes` with each byte changed; into a fresh and a used value.
/// A change that is read gives a value that can be written and read again.
fn break_apart<F, M>(bytes: &[u8])
where
    M: Codec + Decode<F> + Encode<Protobuf> + Decode<Protobuf>,
{
    // Exact allocations, so that a byte read past the end is seen.
    let read = |input: &[u8], used: &mut M| {
        let input: Box<[u8]> = input.into();
        let fresh = M::decode::<F>(&input);
        let into = used.decode_into::<F>(&input);
        assert_eq!(fresh.is_ok(), into.is_ok());
        match fresh {
            Ok(value) => {
                let again = value.encode_to_vec::<Protobuf>();
                assert_eq!(again.len(), value.encoded_len::<Protobuf>());
                assert!(M::decode::<Protobuf>(&again).is_ok());
            }
            Err(error) => assert!(error.offset() <= input.len()),
        }
    };
    let mut used = M::decode::<F>(bytes).unwrap();
    for cut in places(bytes.len()) {
        read(&bytes[..cut], &mut used);
    }
    let mut changed = bytes.to_vec();
    for at in places(bytes.len()) {
        for change in [0x01, 0x80, 0xff] {
            changed[at] ^= change;
            read(&changed, &mut used);
            changed[at] ^= change;
        }
    }
}

fn infallible<F, M>(value: &M)
where
    M: Codec + PartialEq + Encode<F> + Decode<F> + Encode<Protobuf> + Decode<Protobuf>,
{
    let bytes = value.encode_to_vec::<F>();
    assert_eq!(bytes.len(), value.encoded_len::<F>());
    // Behind other bytes, and into a buffer that is large enough already.
    let mut behind = Vec::with_capacity(bytes.len() * 2 + 64);
    behind.extend([7; 3]);
    value.encode_into::<F>(&mut behind);
    assert_eq!(behind[3..], bytes);
    assert!(M::decode::<F>(&bytes).unwrap() == *value);
    break_apart::<F, M>(&bytes);
}

fn fallible<F, M>(value: &M)
where
    M: TryCodec + PartialEq + TryEncode<F> + Decode<F> + Encode<Protobuf> + Decode<Protobuf>,
{
    // A value without a form in the format has been refused before a byte was written.
    let Ok(bytes) = value.try_encode_to_vec::<F>() else {
        return;
    };
    let mut behind = vec![7; 3];
    value.try_encode_into::<F>(&mut behind).unwrap();
    assert_eq!(behind[3..], bytes);
    break_apart::<F, M>(&bytes);
}

fn every_format<M>(model: &str)
where
    M: Codec
        + TryCodec
        + PartialEq
        + Encode<Protobuf>
        + Decode<Protobuf>
        + Encode<Fory>
        + Decode<Fory>
        + Encode<ForyConsistent>
        + Decode<ForyConsistent>
        + TryEncode<MessagePack>
        + Decode<MessagePack>
        + TryEncode<Json>
        + Decode<Json>
        + TryEncode<FlatBuffers>
        + Decode<FlatBuffers>,
{
    for input in inputs(model) {
        let value = M::decode::<Protobuf>(&input).unwrap();
        infallible::<Protobuf, M>(&value);
        infallible::<Fory, M>(&value);
        infallible::<ForyConsistent, M>(&value);
        fallible::<MessagePack, M>(&value);
        fallible::<Json, M>(&value);
        fallible::<FlatBuffers, M>(&value);
    }
}

#[test]
fn numeric_struct() {
    every_format::<bench::NumericStruct>("NumericStruct");
}

#[test]
fn fixed_numeric_struct() {
    every_format::<bench::FixedNumericStruct>("FixedNumericStruct");
}

#[test]
fn sample() {
    every_format::<bench::Sample>("Sample");
}

#[test]
fn media_content() {
    every_format::<bench::MediaContent>("MediaContent");
}

#[test]
fn numeric_struct_list() {
    every_format::<bench::NumericStructList>("NumericStructList");
}
