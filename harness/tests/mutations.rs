//! Every single-byte flip and every truncation of the binary golden files, with hashes out of
//! the way: the codec alone must notice, in bounded time, without a panic.
//!
//! A flip is noticed by a decoding error with its byte offset, by another value with its field
//! path, or, the value being the same, by the bytes that the writer's dialect would have written,
//! with field path and cause. The last kind is harmless to a reader; which bytes are of that kind
//! is listed, with the reason, in `golden/value-neutral-flips.txt`.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use interop_check::explain::{Cause, Trace, compare};
use interop_check::golden::{File, Store};
use interop_check::subject::{Catalog, Subject};
use interop_check::value_diff::first_difference;
use interop_codec::{DecodeOptions, Document, Error, Format};
use interop_wire::Limits;

/// Positions tried in a file before only every n-th is.
const MAX_POSITIONS: usize = 400;

/// Flips tried at each position: the lowest bit, the highest, all.
const MASKS: [u8; 3] = [0x01, 0x80, 0xff];

struct Case<'s> {
    file: &'s File,
    subject: Subject,
    bytes: Vec<u8>,
    value: Document,
}

fn golden() -> Store {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("../golden");
    Store::find(Some(&dir)).unwrap()
}

fn cases(store: &Store) -> Vec<Case<'_>> {
    let mut catalog = Catalog::default();
    let files = store.manifest.files.iter();
    files
        .filter(|file| file.format.is_binary())
        .filter_map(|file| {
            let model = store.manifest.model(&file.corpus, &file.model).unwrap();
            let subject = catalog.subject(store, model).unwrap();
            let bytes = store.read(&file.file).unwrap();
            // Files that are refused as they stand are known failures of the check.
            let value = decode(&subject, file.format, &bytes).ok()?;
            Some(Case {
                file,
                subject,
                bytes,
                value,
            })
        })
        .collect()
}

fn decode(subject: &Subject, format: Format, bytes: &[u8]) -> Result<Document, Error> {
    let options = DecodeOptions::default();
    interop_codec::decode(&subject.schema, subject.id, format, bytes, options)
}

/// Runs `work` over the cases on all processors and collects the complaints.
fn complaints(cases: &[Case<'_>], work: impl Fn(&Case<'_>) -> Vec<String> + Sync) -> Vec<String> {
    let jobs = std::thread::available_parallelism().map_or(1, |jobs| jobs.get());
    let next = std::sync::atomic::AtomicUsize::new(0);
    std::thread::scope(|scope| {
        let threads: Vec<_> = (0..jobs)
            .map(|_| {
                scope.spawn(|| {
                    let mut all = Vec::new();
                    while let Some(case) =
                        cases.get(next.fetch_add(1, std::sync::atomic::Ordering::Relaxed))
                    {
                        all.extend(work(case));
                    }
                    all
                })
            })
            .collect();
        threads
            .into_iter()
            .flat_map(|thread| thread.join().unwrap())
            .collect()
    })
}

fn positions(len: usize) -> impl Iterator<Item = usize> {
    (0..len).step_by(len.div_ceil(MAX_POSITIONS).max(1))
}

#[test]
fn every_flip_is_noticed() {
    let store = golden();
    let text = std::fs::read_to_string(store.path("value-neutral-flips.txt")).unwrap();
    let mut listed: BTreeSet<(&str, &str)> = BTreeSet::new();
    for line in text
        .lines()
        .filter(|line| !line.is_empty() && !line.starts_with('#'))
    {
        let mut parts = line.split('|').map(str::trim);
        let (Some(format), Some(meaning), Some(reason)) =
            (parts.next(), parts.next(), parts.next())
        else {
            panic!("format | meaning | reason: {line}");
        };
        assert!(!reason.is_empty(), "no reason: {line}");
        assert!(listed.insert((format, meaning)), "listed twice: {line}");
    }
    let cases = cases(&store);
    let neutral = std::sync::Mutex::new(BTreeMap::<(String, String), String>::new());
    let complaints = complaints(&cases, |case| {
        let format = case.file.format;
        let original = Trace::of(&case.subject, format, &case.bytes, Limits::DEFAULT);
        let mut complaints = Vec::new();
        let mut flipped = case.bytes.clone();
        for position in positions(case.bytes.len()) {
            for mask in MASKS {
                flipped[position] ^= mask;
                let place = format!("{} byte {position} ^ {mask:#04x}", case.file.file);
                match decode(&case.subject, format, &flipped) {
                    Err(error) if error.offset.is_none() => {
                        complaints.push(format!("{place}: an error without an offset: {error}"));
                    }
                    Err(_) => {}
                    Ok(value) if value != case.value => {
                        let schema = &case.subject.schema;
                        if first_difference(schema, &case.value, &value).is_none() {
                            complaints.push(format!("{place}: another value, but no field named"));
                        }
                    }
                    Ok(_) => {
                        let trace = Trace::of(&case.subject, format, &flipped, Limits::DEFAULT);
                        let comparison = compare(
                            &case.subject.schema,
                            format,
                            (&flipped, &trace),
                            (&case.bytes, &original),
                        );
                        let unnamed = comparison
                            .differences
                            .iter()
                            .find(|difference| difference.cause == Cause::Unnamed);
                        if comparison.differences.is_empty() || unnamed.is_some() {
                            complaints.push(format!("{place}: same value, no cause: {unnamed:?}"));
                        }
                        let span = original
                            .spans
                            .iter()
                            .find(|span| (span.start..span.end).contains(&position));
                        let meaning = span.map_or("", |span| &span.meaning);
                        let key = (format.name().to_owned(), meaning.to_owned());
                        neutral.lock().unwrap().entry(key).or_insert(place);
                    }
                }
                flipped[position] ^= mask;
            }
        }
        complaints
    });
    let neutral = neutral.into_inner().unwrap();
    let missing: Vec<_> = neutral
        .iter()
        .filter(|((format, meaning), _)| !listed.contains(&(format, meaning)))
        .map(|((format, meaning), place)| format!("{format} | {meaning} | (seen in {place})"))
        .collect();
    assert!(
        missing.is_empty(),
        "value-neutral, but not listed:\n{}",
        missing.join("\n")
    );
    for &(format, meaning) in &listed {
        let key = (format.to_owned(), meaning.to_owned());
        assert!(
            neutral.contains_key(&key),
            "listed, but noticed: {format} | {meaning}"
        );
    }
    assert!(
        complaints.is_empty(),
        "{}: {:#?}",
        complaints.len(),
        &complaints[..complaints.len().min(20)]
    );
}

#[test]
fn every_truncation_gives_a_value_or_a_placed_error() {
    let store = golden();
    let cases = cases(&store);
    let complaints = complaints(&cases, |case| {
        let mut complaints = Vec::new();
        for len in positions(case.bytes.len()) {
            let cut = &case.bytes[..len];
            if let Err(error) = decode(&case.subject, case.file.format, cut) {
                match error.offset {
                    Some(offset) if offset <= len => {}
                    _ => complaints.push(format!(
                        "{} cut to {len} bytes: no offset inside: {error}",
                        case.file.file
                    )),
                }
            }
        }
        complaints
    });
    assert!(complaints.is_empty(), "{complaints:#?}");
}

#[test]
fn spans_cover_every_byte_once() {
    let store = golden();
    let cases = cases(&store);
    let complaints = complaints(&cases, |case| {
        let trace = Trace::of(
            &case.subject,
            case.file.format,
            &case.bytes,
            Limits::DEFAULT,
        );
        let faults = trace.coverage_faults().into_iter();
        faults
            .map(|fault| format!("{}: {fault}", case.file.file))
            .collect()
    });
    assert!(complaints.is_empty(), "{complaints:#?}");
}
