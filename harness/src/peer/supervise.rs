//! Puts requests to a peer and finds out who is to blame when it fails.
//!
//! Several requests are in flight at once. When the process crashes, hangs, floods or grows too
//! large, any of them may be the cause: each is put again, alone, to a fresh process, and only
//! the one that fails again is blamed. The others keep their answers.

use std::collections::{BTreeMap, VecDeque};
use std::time::Duration;

use tokio::time::Instant;

use super::process::{Fault, Process, Program};
use super::proto::{Hello, Reply, Request, Schema, Welcome, reply, request};

/// The version of `proto/peer.proto` that the harness speaks.
pub const PROTOCOL_VERSION: u32 = 1;

/// Bounds on a peer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bounds {
    /// From start to the reply to Hello.
    pub start: Duration,
    /// Longest wait for any reply while requests are in flight.
    pub request: Duration,
    /// Wait for the peer to end after its input closes, before it is killed.
    pub shutdown: Duration,
    /// Resident memory of the process group, in bytes.
    pub resident_bytes: u64,
    /// Requests in flight at once.
    pub window: usize,
    /// Fresh processes after the first.
    pub restarts: u32,
}

impl Default for Bounds {
    fn default() -> Self {
        Self {
            start: Duration::from_secs(30),
            request: Duration::from_secs(10),
            shutdown: Duration::from_secs(2),
            resident_bytes: 2 << 30,
            window: 8,
            restarts: 32,
        }
    }
}

/// What became of a request.
#[derive(Clone, Debug, PartialEq)]
pub enum Outcome {
    /// The peer answered.
    Answer(reply::Body),
    /// The peer failed on this request, also when it was put to a fresh process alone.
    Blamed(Fault),
    /// Never put: the peer failed too often before its turn.
    Abandoned,
}

/// All that a conversation showed.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Conversation {
    /// What the peer said of itself; `None` when it never came up.
    pub welcome: Option<Welcome>,
    /// One outcome a request, in the order of the requests.
    pub outcomes: Vec<Outcome>,
    /// What is wrong with the peer itself, whatever the request: it did not start, broke the
    /// protocol, or needed too many restarts. A run with faults is not complete.
    pub faults: Vec<Fault>,
    /// Failures with several requests in flight that no request alone repeated.
    pub unrepeated: Vec<Fault>,
}

const MEMORY_POLL: Duration = Duration::from_millis(50);

/// Starts a peer and asks what it offers.
///
/// # Errors
/// When it does not start, or does not answer as the protocol says.
pub async fn introduce(program: &Program, bounds: &Bounds) -> Result<Welcome, Fault> {
    let (session, welcome) = Session::open(program, bounds).await?;
    match session.finish(0).await {
        Some(fault) => Err(fault),
        None => Ok(welcome),
    }
}

/// A request, and the schema that it is put under.
#[derive(Clone, Debug, PartialEq)]
pub struct Ask {
    /// Index of the schema; `None` for the messages that the peer was built with.
    pub schema: Option<usize>,
    /// The request.
    pub body: request::Body,
}

/// Puts all requests to the peer, in order, and gathers what becomes of them.
pub async fn converse(
    program: &Program,
    bounds: &Bounds,
    requests: Vec<request::Body>,
) -> Conversation {
    let asks = requests.into_iter();
    let asks = asks.map(|body| Ask { schema: None, body }).collect();
    converse_under(program, bounds, &[], asks).await
}

/// Puts all requests to the peer, each under its schema of `schemas` (serialized
/// FileDescriptorSets): first those without one, then schema by schema, each in order. A schema
/// that the peer refuses is refused for each of its requests.
pub async fn converse_under(
    program: &Program,
    bounds: &Bounds,
    schemas: &[Vec<u8>],
    asks: Vec<Ask>,
) -> Conversation {
    let (under, requests): (Vec<_>, Vec<_>) =
        asks.into_iter().map(|ask| (ask.schema, ask.body)).unzip();
    let mut talk = Talk {
        program,
        bounds,
        schemas,
        outcomes: vec![None; requests.len()],
        under,
        requests,
        result: Conversation::default(),
        restarts_left: bounds.restarts,
    };
    talk.run().await;
    let mut result = talk.result;
    result.outcomes = talk
        .outcomes
        .into_iter()
        .map(|outcome| outcome.unwrap_or(Outcome::Abandoned))
        .collect();
    result
}

struct Talk<'a> {
    program: &'a Program,
    bounds: &'a Bounds,
    schemas: &'a [Vec<u8>],
    requests: Vec<request::Body>,
    /// The schema of each request.
    under: Vec<Option<usize>>,
    outcomes: Vec<Option<Outcome>>,
    result: Conversation,
    restarts_left: u32,
}

impl Talk<'_> {
    async fn run(&mut self) {
        let mut order: Vec<usize> = (0..self.requests.len()).collect();
        // A peer can't go back from a schema to its own messages.
        order.sort_by_key(|&index| self.under[index]);
        let mut open = VecDeque::from(order);
        loop {
            let (suspects, fault) = match self.session(&mut open, self.bounds.window).await {
                End::Complete => return,
                End::Unstarted(fault) => {
                    self.result.faults.push(fault);
                    return;
                }
                End::Broken { suspects, fault } => (suspects, fault),
            };
            if matches!(fault, Fault::Protocol { .. }) {
                self.result.faults.push(fault.clone());
            }
            let mut blamed = false;
            for suspect in suspects {
                if !self.may_restart() {
                    return;
                }
                let mut alone = VecDeque::from([suspect]);
                match self.session(&mut alone, 1).await {
                    End::Complete => {}
                    End::Unstarted(fault) => {
                        self.result.faults.push(fault);
                        return;
                    }
                    End::Broken { fault, .. } => {
                        blamed = true;
                        self.outcomes[suspect].get_or_insert(Outcome::Blamed(fault));
                    }
                }
            }
            if !blamed && !matches!(fault, Fault::Protocol { .. }) {
                self.result.unrepeated.push(fault);
            }
            if open.is_empty() || !self.may_restart() {
                return;
            }
        }
    }

    fn may_restart(&mut self) -> bool {
        match self.restarts_left.checked_sub(1) {
            Some(left) => self.restarts_left = left,
            None => {
                let text = format!(
                    "it needed more than {} fresh processes",
                    self.bounds.restarts
                );
                self.result.faults.push(Fault::Start(text));
                return false;
            }
        }
        true
    }

    /// One process, until everything in `open` is answered or the process fails. What was put
    /// is taken out of `open`.
    async fn session(&mut self, open: &mut VecDeque<usize>, window: usize) -> End {
        let (mut session, welcome) = match Session::open(self.program, self.bounds).await {
            Ok(opened) => opened,
            Err(fault) => return End::Unstarted(fault),
        };
        self.result.welcome.get_or_insert(welcome);
        let mut in_flight = BTreeMap::new();
        let mut current = None;
        loop {
            while in_flight.len() < window
                && let Some(&index) = open.front()
            {
                let wanted = self.under[index];
                if wanted != current
                    && let Some(schema) = wanted
                {
                    if !in_flight.is_empty() {
                        break;
                    }
                    match session.bring(&self.schemas[schema]).await {
                        Ok(None) => current = wanted,
                        Ok(Some(refusal)) => {
                            self.settle(open, schema, &Outcome::Answer(refusal));
                            continue;
                        }
                        Err(fault) => {
                            let fault = session.end(fault).await;
                            self.settle(open, schema, &Outcome::Blamed(fault.clone()));
                            return End::Broken {
                                suspects: Vec::new(),
                                fault,
                            };
                        }
                    }
                }
                open.pop_front();
                let id = index as u64 + 1;
                session.send(id, self.requests[index].clone());
                in_flight.insert(id, index);
            }
            if in_flight.is_empty() {
                break;
            }
            let reply = match session.receive(self.bounds.request).await {
                Ok(reply) => reply,
                Err(fault) => {
                    let suspects = in_flight.into_values().collect();
                    let fault = session.end(fault).await;
                    return End::Broken { suspects, fault };
                }
            };
            let Some(index) = in_flight.remove(&reply.id) else {
                let fault = unasked(&reply, self.requests.len());
                let suspects = in_flight.into_values().collect();
                let fault = session.end(Some(fault)).await;
                return End::Broken { suspects, fault };
            };
            match check_body(&self.requests[index], reply) {
                Ok(body) => self.outcomes[index] = Some(Outcome::Answer(body)),
                Err(fault) => {
                    self.outcomes[index] = Some(Outcome::Blamed(fault.clone()));
                    let suspects = in_flight.into_values().collect();
                    let fault = session.end(Some(fault)).await;
                    return End::Broken { suspects, fault };
                }
            }
        }
        match session.finish(self.requests.len()).await {
            None => End::Complete,
            Some(fault) => End::Broken {
                suspects: Vec::new(),
                fault,
            },
        }
    }

    /// Takes the requests of a schema that can't be put out of `open`, with this outcome.
    fn settle(&mut self, open: &mut VecDeque<usize>, schema: usize, outcome: &Outcome) {
        open.retain(|&index| {
            let other = self.under[index] != Some(schema);
            if !other {
                self.outcomes[index] = Some(outcome.clone());
            }
            other
        });
    }
}

enum End {
    Complete,
    Unstarted(Fault),
    Broken { suspects: Vec<usize>, fault: Fault },
}

fn unasked(reply: &Reply, requests: usize) -> Fault {
    let known = (1..=requests as u64).contains(&reply.id);
    let reason = if known {
        "which is not open"
    } else {
        "which was never made"
    };
    Fault::Protocol {
        text: format!("a reply to request {}, {reason}", reply.id),
        bytes: Vec::new(),
    }
}

/// The reply's body, if it is of the kind that the request asks for.
fn check_body(request: &request::Body, reply: Reply) -> Result<reply::Body, Fault> {
    let wrong = |text: &str| {
        Err(Fault::Protocol {
            text: format!("the reply to request {} {text}", reply.id),
            bytes: Vec::new(),
        })
    };
    let Some(body) = reply.body else {
        return wrong("is empty");
    };
    let fits = matches!(
        (request, &body),
        (_, reply::Body::Failure(_))
            | (request::Body::Hello(_), reply::Body::Hello(_))
            | (request::Body::Schema(_), reply::Body::Schema(_))
            | (request::Body::Encode(_), reply::Body::Encode(_))
            | (request::Body::Decode(_), reply::Body::Decode(_))
            | (request::Body::Reencode(_), reply::Body::Reencode(_))
            | (request::Body::Bench(_), reply::Body::Bench(_))
    );
    if fits {
        Ok(body)
    } else {
        wrong("answers another kind of request")
    }
}

/// A conversation that stays open between requests: one request at a time, no fresh process
/// after a failure. What a peer warmed up stays warm.
pub struct Held<'a> {
    session: Option<Session<'a>>,
    /// Why there is no session any more.
    ended: Option<Fault>,
    next_id: u64,
}

impl<'a> Held<'a> {
    /// Starts the peer and asks what it offers.
    ///
    /// # Errors
    /// When it does not start, or does not answer as the protocol says.
    pub async fn open(program: &Program, bounds: &'a Bounds) -> Result<(Self, Welcome), Fault> {
        let (session, welcome) = Session::open(program, bounds).await?;
        let held = Self {
            session: Some(session),
            ended: None,
            next_id: 1,
        };
        Ok((held, welcome))
    }

    /// Puts one request and waits for its answer, at most `deadline`.
    ///
    /// # Errors
    /// What ended the conversation, now or at an earlier request.
    pub async fn ask(
        &mut self,
        body: request::Body,
        deadline: Duration,
    ) -> Result<reply::Body, Fault> {
        let Some(mut session) = self.session.take() else {
            let gone = || Fault::Start("its conversation was given up".to_owned());
            return Err(self.ended.clone().unwrap_or_else(gone));
        };
        let id = self.next_id;
        self.next_id += 1;
        session.send(id, body.clone());
        let fault = match session.receive(deadline).await {
            Ok(reply) if reply.id == id => match check_body(&body, reply) {
                Ok(body) => {
                    self.session = Some(session);
                    return Ok(body);
                }
                Err(fault) => Some(fault),
            },
            Ok(reply) => Some(unasked(&reply, 0)),
            Err(fault) => fault,
        };
        let fault = session.end(fault).await;
        self.ended = Some(fault.clone());
        Err(fault)
    }

    /// Resident memory of the peer's process group, in bytes, while it runs.
    pub fn resident_bytes(&self) -> Option<u64> {
        self.session.as_ref()?.process.resident_bytes()
    }

    /// The process that leads the peer's group, while it runs.
    pub fn process_id(&self) -> Option<u32> {
        self.session.as_ref()?.process.id()
    }

    /// Ends the conversation.
    pub async fn finish(mut self) {
        if let Some(session) = self.session.take() {
            session.finish(self.next_id as usize - 1).await;
        }
    }
}

/// A conversation with one process.
struct Session<'a> {
    process: Process,
    bounds: &'a Bounds,
}

impl<'a> Session<'a> {
    async fn open(program: &Program, bounds: &'a Bounds) -> Result<(Self, Welcome), Fault> {
        let process = Process::start(program)?;
        let mut session = Self { process, bounds };
        const HELLO: u64 = u64::MAX;
        let hello = request::Body::Hello(Hello {
            protocol_version: PROTOCOL_VERSION,
        });
        session.send(HELLO, hello.clone());
        let reply = match session.receive(bounds.start).await {
            Ok(reply) => reply,
            Err(fault) => return Err(session.end(fault).await),
        };
        let problem = if reply.id != HELLO {
            format!("a reply to request {} instead of to Hello", reply.id)
        } else {
            match check_body(&hello, reply) {
                Ok(reply::Body::Hello(welcome)) if welcome.protocol_version == PROTOCOL_VERSION => {
                    return Ok((session, welcome));
                }
                Ok(reply::Body::Hello(welcome)) => format!(
                    "it speaks version {}, not {PROTOCOL_VERSION}",
                    welcome.protocol_version
                ),
                Ok(_) => "it refuses Hello".to_owned(),
                Err(fault) => return Err(session.end(Some(fault)).await),
            }
        };
        let fault = Fault::Protocol {
            text: problem,
            bytes: Vec::new(),
        };
        Err(session.end(Some(fault)).await)
    }

    /// Brings a schema, with nothing in flight. Gives the peer's refusal, if it is one.
    async fn bring(&mut self, schema: &[u8]) -> Result<Option<reply::Body>, Option<Fault>> {
        const SCHEMA: u64 = u64::MAX - 1;
        let body = request::Body::Schema(Schema {
            file_descriptor_set: schema.to_vec(),
        });
        self.send(SCHEMA, body.clone());
        let reply = self.receive(self.bounds.request).await?;
        if reply.id != SCHEMA {
            return Err(Some(unasked(&reply, 0)));
        }
        match check_body(&body, reply) {
            Ok(reply::Body::Schema(_)) => Ok(None),
            Ok(refusal) => Ok(Some(refusal)),
            Err(fault) => Err(Some(fault)),
        }
    }

    fn send(&self, id: u64, body: request::Body) {
        self.process.send(&Request {
            id,
            body: Some(body),
        });
    }

    /// The next reply. `Err(None)` means that the process ended; [`Session::end`] says how.
    async fn receive(&mut self, deadline: Duration) -> Result<Reply, Option<Fault>> {
        let until = Instant::now() + deadline;
        loop {
            let poll = until.min(Instant::now() + MEMORY_POLL);
            match tokio::time::timeout_at(poll, self.process.receive()).await {
                Ok(Ok(Some(reply))) => return Ok(reply),
                Ok(Ok(None)) => return Err(None),
                Ok(Err(fault)) => return Err(Some(fault)),
                Err(_) => {}
            }
            if let Some(resident_bytes) = self.process.resident_bytes()
                && resident_bytes > self.bounds.resident_bytes
            {
                return Err(Some(Fault::Memory {
                    resident_bytes,
                    limit_bytes: self.bounds.resident_bytes,
                }));
            }
            if Instant::now() >= until {
                return Err(Some(Fault::Timeout { after: deadline }));
            }
        }
    }

    /// Ends a failed conversation: `fault`, or how the process ended where there is none.
    async fn end(self, fault: Option<Fault>) -> Fault {
        match fault {
            None => self.process.crash(self.bounds.shutdown).await,
            Some(fault) => {
                self.process.kill().await;
                fault
            }
        }
    }

    /// Ends a complete conversation. Anything that the peer still says is a fault; that it has
    /// to be killed is not.
    async fn finish(mut self, asked: usize) -> Option<Fault> {
        self.process.close_requests();
        let fault = match self.receive(self.bounds.shutdown).await {
            Ok(reply) => Some(unasked(&reply, asked)),
            Err(Some(fault @ Fault::Protocol { .. })) => Some(fault),
            Err(_) => None,
        };
        self.process.kill().await;
        fault
    }
}
