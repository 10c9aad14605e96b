//! Where measurements come from: live peers, and our own dynamic codec in this process.

use std::collections::HashMap;
use std::future::Future;
use std::hint::black_box;
use std::pin::Pin;
use std::sync::LazyLock;
use std::time::{Duration, Instant};

use interop_codec::{DecodeOptions, Dialect, Document, Format};

use super::environment::Peer;
use super::plan::{Case, Contestant, Planned};
use super::record::Operation;
use crate::exit::{Failure, Result};
use crate::live::roster::Roster;
use crate::peer::proto::{self, bench, reply, request};
use crate::peer::supervise::{Bounds, Held};
use crate::peer::tree::{from_tree, to_tree};
use crate::value_diff::first_difference;

/// One measurement to be made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ask {
    /// Unmeasured time first.
    pub warmup: Duration,
    /// Measured time, at least.
    pub duration: Duration,
    /// Length that batches are calibrated to.
    pub batch: Duration,
}

/// One round of one cell.
#[derive(Clone, Debug, PartialEq)]
pub struct Round {
    /// Nanoseconds an operation, of each batch.
    pub ns_per_op: Vec<f64>,
    /// FNV-1a 64 over the last result's bytes.
    pub checksum: u64,
    /// Length of those bytes.
    pub bytes: u64,
}

/// Bytes that a contestant wrote for a case and read back to the same value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Checked {
    /// Their length.
    pub bytes: u64,
    /// FNV-1a 64 over them.
    pub checksum: u64,
}

/// Why there is no measurement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Stop {
    /// This cell can't be timed.
    LeftOut(String),
    /// The user wants the run to end.
    Interrupted,
}

/// Something that can be measured.
pub trait Source {
    /// Has the contestant write the case and read it back.
    ///
    /// # Errors
    /// When the value does not survive, with what is wrong.
    fn check(&mut self, case: &Case, contestant: &Contestant)
    -> std::result::Result<Checked, Stop>;

    /// Times one round.
    ///
    /// # Errors
    /// When it can't be timed, or is not to be any more.
    fn measure(
        &mut self,
        case: &Case,
        contestant: &Contestant,
        cell: &Planned,
        ask: Ask,
    ) -> std::result::Result<Round, Stop>;
}

/// FNV-1a with 64 bits.
pub fn fnv1a_64(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |digest, byte| {
        (digest ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3)
    })
}

/// Name of our dynamic codec as a contestant.
pub const OWN: &str = "interop/dynamic";

/// Our dynamic codec in every format, timed in this process.
pub fn own_contestants() -> Vec<Contestant> {
    let contestant = |format| Contestant {
        language: "rust".to_owned(),
        name: OWN.to_owned(),
        version: env!("CARGO_PKG_VERSION").to_owned(),
        format,
        models: None,
        evolves: matches!(format, Format::Fory | Format::ForyConsistent),
    };
    Format::ALL.into_iter().map(contestant).collect()
}

/// The schema is interpreted at run time: this is the engine behind `explain` and `check`.
struct Own;

impl Own {
    fn encode(case: &Case, format: Format) -> std::result::Result<Vec<u8>, String> {
        let dialect = Dialect::default_of(format);
        interop_codec::encode(&case.subject.schema, &case.value, format, &dialect)
            .map_err(|error| error.to_string())
    }

    fn decode(case: &Case, format: Format, bytes: &[u8]) -> std::result::Result<Document, String> {
        let reader = case
            .evolved
            .as_ref()
            .map_or(&case.subject, |(reader, _)| reader);
        let options = DecodeOptions::default();
        interop_codec::decode(&reader.schema, reader.id, format, bytes, options)
            .map_err(|error| error.to_string())
    }

    fn check(case: &Case, format: Format) -> std::result::Result<Checked, String> {
        let bytes = Self::encode(case, format)?;
        let read = Self::decode(case, format, &bytes)?;
        let (reader, expected) = match &case.evolved {
            Some((reader, value)) => (reader, value),
            None => (&case.subject, &case.value),
        };
        same_value(&reader.schema, expected, &read)?;
        Ok(Checked {
            bytes: bytes.len() as u64,
            checksum: fnv1a_64(&bytes),
        })
    }

    /// The calibrated loop that the peers have too.
    fn measure(
        case: &Case,
        format: Format,
        operation: Operation,
        ask: Ask,
    ) -> std::result::Result<Round, String> {
        let encoded = Self::encode(case, format)?;
        let one = || -> std::result::Result<(), String> {
            match operation {
                Operation::Serialize => {
                    black_box(Self::encode(black_box(case), format)?);
                }
                Operation::Deserialize => {
                    black_box(Self::decode(case, format, black_box(&encoded))?);
                }
                Operation::Roundtrip => {
                    let bytes = Self::encode(black_box(case), format)?;
                    black_box(Self::decode(case, format, &bytes)?);
                }
            }
            Ok(())
        };
        let batch = |iterations: u64| -> std::result::Result<Duration, String> {
            let start = Instant::now();
            for _ in 0..iterations {
                one()?;
            }
            Ok(start.elapsed().max(Duration::from_nanos(1)))
        };
        let mut iterations = 1u64;
        let mut spent = Duration::ZERO;
        loop {
            let elapsed = batch(iterations)?;
            spent += elapsed;
            if elapsed * 2 < ask.batch {
                iterations *= 2;
            } else if spent >= ask.warmup {
                let scale = ask.batch.as_secs_f64() / elapsed.as_secs_f64();
                iterations = ((iterations as f64 * scale) as u64).max(1);
                break;
            }
        }
        let mut ns_per_op = Vec::new();
        let mut spent = Duration::ZERO;
        while spent < ask.duration || ns_per_op.is_empty() {
            let elapsed = batch(iterations)?;
            spent += elapsed;
            ns_per_op.push(elapsed.as_nanos() as f64 / iterations as f64);
        }
        Ok(Round {
            ns_per_op,
            checksum: fnv1a_64(&encoded),
            bytes: encoded.len() as u64,
        })
    }
}

fn same_value(
    schema: &interop_schema::Schema,
    expected: &Document,
    read: &Document,
) -> std::result::Result<(), String> {
    match first_difference(schema, expected, read) {
        None => Ok(()),
        Some(difference) => Err(format!(
            "field {}: expected {}, read {}",
            difference.path, difference.expected, difference.found
        )),
    }
}

static BOUNDS: LazyLock<Bounds> = LazyLock::new(|| Bounds {
    resident_bytes: 6 << 30,
    ..Bounds::default()
});

/// A request on a large value by a slow library takes long; beyond this it hangs.
const ANSWER_DEADLINE: Duration = Duration::from_secs(120);

type Interrupt = Pin<Box<dyn Future<Output = std::io::Result<()>>>>;

/// All contestants: one open conversation with each peer, and our own codec.
pub struct Everyone {
    runtime: tokio::runtime::Runtime,
    interrupt: Interrupt,
    interrupted: bool,
    /// One a program of the roster.
    held: Vec<Held<'static>>,
    /// Program and local name of each contestant's name.
    programs: HashMap<String, (usize, String)>,
    /// The contestants.
    pub contestants: Vec<Contestant>,
    /// What the peers said of themselves.
    pub peers: Vec<Peer>,
}

impl Everyone {
    /// Starts every peer of the roster and keeps it running. `own` adds our dynamic codec.
    ///
    /// # Errors
    /// Exit 3 when a peer that came up before does not come up again.
    pub fn assemble(roster: &Roster, own: bool) -> Result<Self> {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .map_err(|error| Failure::harness(format!("cannot start the runtime: {error}")))?;
        let mut everyone = Self {
            runtime,
            interrupt: Box::pin(tokio::signal::ctrl_c()),
            interrupted: false,
            held: Vec::new(),
            programs: HashMap::new(),
            contestants: if own { own_contestants() } else { Vec::new() },
            peers: Vec::new(),
        };
        let mut languages = Vec::new();
        for program in &roster.programs {
            let opened = everyone.runtime.block_on(Held::open(program, &BOUNDS));
            let (held, welcome) = opened
                .map_err(|fault| Failure::harness(format!("the {} peer {fault}", program.name)))?;
            everyone.held.push(held);
            languages.push(welcome.language.clone());
            let libraries = welcome.implementations.into_iter();
            everyone.peers.push(Peer {
                name: program.name.clone(),
                language: welcome.language,
                runtime: welcome.runtime,
                libraries: libraries.map(|found| (found.name, found.version)).collect(),
            });
        }
        for implementation in &roster.implementations {
            if !implementation.capability.bench {
                continue;
            }
            everyone.programs.insert(
                implementation.name.clone(),
                (implementation.program, implementation.local_name.clone()),
            );
            everyone.contestants.push(Contestant {
                language: languages[implementation.program].clone(),
                name: implementation.name.clone(),
                version: implementation.version.clone(),
                format: implementation.format,
                models: Some(implementation.capability.models.clone()),
                evolves: false,
            });
        }
        Ok(everyone)
    }

    /// The process of a contestant: a peer's, or this one.
    pub fn process_id(&self, contestant: &Contestant) -> Option<u32> {
        match self.programs.get(&contestant.name) {
            Some((program, _)) => self.held[*program].process_id(),
            None => Some(std::process::id()),
        }
    }

    /// Ends all conversations.
    pub fn finish(self) {
        let held = self.held;
        self.runtime.block_on(async {
            futures_util::future::join_all(held.into_iter().map(Held::finish)).await
        });
    }

    fn put(
        &mut self,
        program: usize,
        body: request::Body,
    ) -> std::result::Result<reply::Body, Stop> {
        if self.interrupted {
            return Err(Stop::Interrupted);
        }
        let held = &mut self.held[program];
        let interrupt = &mut self.interrupt;
        let answer = self.runtime.block_on(async {
            tokio::select! {
                biased;
                _ = interrupt => None,
                answer = held.ask(body, ANSWER_DEADLINE) => Some(answer),
            }
        });
        match answer {
            None => {
                self.interrupted = true;
                Err(Stop::Interrupted)
            }
            Some(Err(fault)) => Err(Stop::LeftOut(fault.to_string())),
            Some(Ok(reply::Body::Failure(failure))) => Err(Stop::LeftOut(failure.message)),
            Some(Ok(body)) => Ok(body),
        }
    }

    /// Looks for Ctrl-C between measurements that do not wait for anything. The runtime learns of
    /// signals only while it waits itself, so that it is given a moment to.
    fn poll_interrupt(&mut self) -> bool {
        const MOMENT: Duration = Duration::from_millis(1);
        if !self.interrupted {
            let interrupt = &mut self.interrupt;
            let signal = async { tokio::time::timeout(MOMENT, interrupt).await };
            self.interrupted = self.runtime.block_on(signal).is_ok();
        }
        self.interrupted
    }
}

impl Source for Everyone {
    fn check(
        &mut self,
        case: &Case,
        contestant: &Contestant,
    ) -> std::result::Result<Checked, Stop> {
        let Some((program, local_name)) = self.programs.get(&contestant.name).cloned() else {
            if self.poll_interrupt() {
                return Err(Stop::Interrupted);
            }
            return Own::check(case, contestant.format).map_err(Stop::LeftOut);
        };
        let subject = &case.subject;
        let encode = request::Body::Encode(proto::Encode {
            implementation: local_name.clone(),
            format: contestant.format.name().to_owned(),
            model: subject.name().to_owned(),
            value: Some(tree_of(case).map_err(Stop::LeftOut)?),
        });
        let other = || Stop::LeftOut("another kind of answer".to_owned());
        let reply::Body::Encode(encoded) = self.put(program, encode)? else {
            return Err(other());
        };
        let decode = request::Body::Decode(proto::Decode {
            implementation: local_name,
            format: contestant.format.name().to_owned(),
            model: subject.name().to_owned(),
            data: encoded.data.clone(),
        });
        let reply::Body::Decode(decoded) = self.put(program, decode)? else {
            return Err(other());
        };
        let read = from_tree(
            &subject.schema,
            subject.id,
            &decoded.value.unwrap_or_default(),
        );
        let verify = |reader: &str, read: std::result::Result<Document, String>| {
            read.and_then(|read| same_value(&subject.schema, &case.value, &read))
                .map_err(|error| Stop::LeftOut(format!("value check: {reader}: {error}")))
        };
        verify("read by itself", read.map(Document::of))?;
        verify(
            "read by ours",
            Own::decode(case, contestant.format, &encoded.data),
        )?;
        Ok(Checked {
            bytes: encoded.data.len() as u64,
            checksum: fnv1a_64(&encoded.data),
        })
    }

    fn measure(
        &mut self,
        case: &Case,
        contestant: &Contestant,
        cell: &Planned,
        ask: Ask,
    ) -> std::result::Result<Round, Stop> {
        let Some((program, local_name)) = self.programs.get(&contestant.name).cloned() else {
            if self.poll_interrupt() {
                return Err(Stop::Interrupted);
            }
            return Own::measure(case, contestant.format, cell.operation, ask)
                .map_err(Stop::LeftOut);
        };
        let operation = match cell.operation {
            Operation::Serialize => bench::Operation::Serialize,
            Operation::Deserialize => bench::Operation::Deserialize,
            Operation::Roundtrip => bench::Operation::Roundtrip,
        };
        let body = request::Body::Bench(proto::Bench {
            implementation: local_name,
            format: contestant.format.name().to_owned(),
            model: case.subject.name().to_owned(),
            value: Some(tree_of(case).map_err(Stop::LeftOut)?),
            operation: operation.into(),
            warmup_ns: ask.warmup.as_nanos() as u64,
            duration_ns: ask.duration.as_nanos() as u64,
            batch_ns: ask.batch.as_nanos() as u64,
        });
        let reply::Body::Bench(measured) = self.put(program, body)? else {
            return Err(Stop::LeftOut("another kind of answer".to_owned()));
        };
        if measured.batch_iterations == 0 || measured.batches_ns.is_empty() {
            return Err(Stop::LeftOut("it measured nothing".to_owned()));
        }
        let iterations = measured.batch_iterations as f64;
        Ok(Round {
            ns_per_op: measured
                .batches_ns
                .iter()
                .map(|&ns| ns as f64 / iterations)
                .collect(),
            checksum: measured.checksum,
            bytes: measured.encoded_bytes,
        })
    }
}

fn tree_of(case: &Case) -> std::result::Result<proto::Tree, String> {
    let message = case.value.message().ok_or("the case has no message")?;
    to_tree(&case.subject.schema, message)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bench::plan::Wanted;
    use crate::golden::Store;

    #[test]
    fn the_checksum_is_fnv1a() {
        assert_eq!(fnv1a_64(b""), 0xcbf2_9ce4_8422_2325);
        assert_eq!(fnv1a_64(b"a"), 0xaf63_dc4c_8601_ec8c);
    }

    fn case(schema_mismatch: bool) -> Case {
        let wanted = Wanted {
            models: vec!["Sample".to_owned()],
            schema_mismatch,
            ..Wanted::default()
        };
        wanted.cases(&Store::find(None).unwrap()).unwrap().remove(0)
    }

    #[test]
    fn our_codec_is_checked_and_timed_in_every_format() {
        let case = case(false);
        for format in Format::ALL {
            let checked = Own::check(&case, format).unwrap();
            assert!(checked.bytes > 0);
            for operation in [
                Operation::Serialize,
                Operation::Deserialize,
                Operation::Roundtrip,
            ] {
                let ask = Ask {
                    warmup: Duration::ZERO,
                    duration: Duration::from_micros(500),
                    batch: Duration::from_micros(100),
                };
                let round = Own::measure(&case, format, operation, ask).unwrap();
                assert_eq!(round.checksum, checked.checksum);
                assert!(round.ns_per_op.iter().all(|ns| *ns > 1.0));
            }
        }
    }

    #[test]
    fn version_one_is_read_as_version_two() {
        let case = case(true);
        Own::check(&case, Format::Fory).unwrap();
        assert!(Own::check(&case, Format::ForyConsistent).is_err());
    }
}
