//! Requests to all peers at once: gathered for each process, put in one conversation, answered.

use futures_util::future::join_all;

use super::Live;
use super::roster::{Implementation, Roster, block_on};
use crate::exit::Result;
use crate::peer::proto::{Decode, Encode, Reencode, Tree, failure, reply, request};
use crate::peer::supervise::{Ask, Bounds, Outcome, converse_under};
use crate::verdict::Verdict;

/// Why there is no answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Failed {
    pub(super) verdict: Verdict,
    pub(super) text: String,
}

impl Failed {
    pub(super) fn refused(text: impl std::fmt::Display) -> Self {
        Self {
            verdict: Verdict::Refused,
            text: text.to_string(),
        }
    }

    /// The outcome of a cell that passes with `passing`.
    pub(super) fn outcome(&self, passing: Verdict) -> crate::check::run::Outcome {
        crate::check::run::Outcome::saying(self.verdict, passing, self.text.clone())
    }

    pub(super) fn crashed(text: String) -> Self {
        Self {
            verdict: Verdict::Crashed,
            text,
        }
    }
}

/// The place of a request's answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Ticket(usize);

/// Requests gathered for each process, and their answers.
pub(super) struct Talks<'r> {
    roster: &'r Roster,
    schemas: &'r [Vec<u8>],
    bounds: Bounds,
    /// What waits to be put: the process, the request and its ticket.
    waiting: Vec<(usize, Ask, Ticket)>,
    answers: Vec<Outcome>,
}

impl<'r> Talks<'r> {
    /// `schemas` are those that requests name by index.
    pub(super) fn new(roster: &'r Roster, schemas: &'r [Vec<u8>]) -> Self {
        Self {
            roster,
            schemas,
            bounds: roster.bounds,
            waiting: Vec::new(),
            answers: Vec::new(),
        }
    }

    fn ask(&mut self, by: &Implementation, schema: Option<usize>, body: request::Body) -> Ticket {
        let ticket = Ticket(self.answers.len());
        self.answers.push(Outcome::Abandoned);
        self.waiting
            .push((by.program, Ask { schema, body }, ticket));
        ticket
    }

    pub(super) fn encode(
        &mut self,
        by: &Implementation,
        schema: Option<usize>,
        model: &str,
        value: &Tree,
    ) -> Ticket {
        let body = request::Body::Encode(Encode {
            implementation: by.local_name.clone(),
            format: by.format.name().to_owned(),
            model: model.to_owned(),
            value: Some(value.clone()),
        });
        self.ask(by, schema, body)
    }

    pub(super) fn decode(
        &mut self,
        by: &Implementation,
        schema: Option<usize>,
        model: &str,
        data: &[u8],
    ) -> Ticket {
        let body = request::Body::Decode(Decode {
            implementation: by.local_name.clone(),
            format: by.format.name().to_owned(),
            model: model.to_owned(),
            data: data.to_vec(),
        });
        self.ask(by, schema, body)
    }

    pub(super) fn reencode(
        &mut self,
        by: &Implementation,
        schema: Option<usize>,
        model: &str,
        data: &[u8],
    ) -> Ticket {
        let body = request::Body::Reencode(Reencode {
            implementation: by.local_name.clone(),
            format: by.format.name().to_owned(),
            model: model.to_owned(),
            data: data.to_vec(),
        });
        self.ask(by, schema, body)
    }

    /// Puts everything that waits, to all processes at once, each freshly started.
    pub(super) fn run(&mut self, live: &mut Live) -> Result<()> {
        let mut queues: Vec<(Vec<Ticket>, Vec<Ask>)> = Vec::new();
        queues.resize_with(self.roster.programs.len(), Default::default);
        for (program, ask, ticket) in self.waiting.drain(..) {
            queues[program].0.push(ticket);
            queues[program].1.push(ask);
        }
        let queues = queues.into_iter().enumerate();
        let queues = queues.filter(|(_, (tickets, _))| !tickets.is_empty());
        let talks = queues.map(|(program, (tickets, asks))| {
            let (bounds, schemas) = (&self.bounds, self.schemas);
            let program = &self.roster.programs[program];
            async move {
                let conversation = converse_under(program, bounds, schemas, asks).await;
                (program, tickets, conversation)
            }
        });
        for (program, tickets, conversation) in block_on(join_all(talks))? {
            let faults = conversation.faults.iter().chain(&conversation.unrepeated);
            let faults = faults.map(ToString::to_string);
            let own = conversation.outcomes.iter().filter_map(own_fault);
            for fault in faults.chain(own) {
                let fault = (program.name.clone(), fault);
                if !live.harness_faults.contains(&fault) {
                    live.harness_faults.push(fault);
                }
            }
            for (ticket, outcome) in tickets.into_iter().zip(conversation.outcomes) {
                self.answers[ticket.0] = outcome;
            }
        }
        Ok(())
    }

    /// The answer, which is gone afterwards.
    pub(super) fn take(&mut self, ticket: Ticket) -> std::result::Result<reply::Body, Failed> {
        match std::mem::replace(&mut self.answers[ticket.0], Outcome::Abandoned) {
            Outcome::Answer(reply::Body::Failure(failure)) => Err(Failed {
                verdict: match failure.kind() {
                    failure::Kind::Unsupported => Verdict::Unsupported,
                    failure::Kind::Internal => Verdict::Crashed,
                    _ => Verdict::Refused,
                },
                text: failure.message,
            }),
            Outcome::Answer(body) => Ok(body),
            Outcome::Blamed(fault) => {
                use crate::peer::process::Fault;
                let verdict = match &fault {
                    Fault::Timeout { .. } => Verdict::Timeout,
                    _ => Verdict::Crashed,
                };
                let text = fault.to_string();
                Err(Failed { verdict, text })
            }
            Outcome::Abandoned => Err(Failed {
                verdict: Verdict::Unsupported,
                text: "never asked: the peer failed before".to_owned(),
            }),
        }
    }

    /// The bytes of an answer to `encode` or `reencode`, which is gone afterwards.
    pub(super) fn take_bytes(&mut self, ticket: Ticket) -> std::result::Result<Vec<u8>, Failed> {
        match self.take(ticket)? {
            reply::Body::Encode(encoded) | reply::Body::Reencode(encoded) => Ok(encoded.data),
            _ => Err(Failed::crashed("another kind of answer".to_owned())),
        }
    }
}

/// What a peer says of itself is wrong is no verdict on its library.
fn own_fault(outcome: &Outcome) -> Option<String> {
    match outcome {
        Outcome::Answer(reply::Body::Failure(failure))
            if failure.kind() == failure::Kind::Internal =>
        {
            Some(format!("is wrong by its own account: {}", failure.message))
        }
        _ => None,
    }
}
