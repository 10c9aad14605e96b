//! From a request to its reply.

use std::collections::HashMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::rc::Rc;

use interop_codec::Format;
use interop_contestants::contestant::{Contestant, Library};
use interop_contestants::libraries::{self, Listed};
use interop_contestants::protocol::{
    Capability, Decoded, Encoded, Failure, Implementation, Reply, Request, SchemaAccepted, Tree,
    Welcome, failure, reply, request,
};
use interop_schema::Schema;
use prost::Message;

use crate::dynamic::{self, Dynamic};
use crate::measure::measure;

const PROTOCOL_VERSION: u32 = 1;

/// Implementation, format and model.
type Key = (String, String, String);

/// Why there is no answer.
struct Refusal {
    kind: failure::Kind,
    message: String,
}

fn refused(message: String) -> Refusal {
    Refusal {
        kind: failure::Kind::Refused,
        message,
    }
}

fn unsupported(message: String) -> Refusal {
    Refusal {
        kind: failure::Kind::Unsupported,
        message,
    }
}

/// Answers requests.
pub struct Peer {
    listed: Vec<Listed>,
    /// The models, for the dynamic codec.
    built_in: Rc<Schema>,
    /// What the last schema request brought.
    brought: Option<Rc<Schema>>,
    made: HashMap<Key, Rc<dyn Contestant>>,
}

impl Peer {
    /// A peer with all libraries.
    ///
    /// # Errors
    /// When the models' own schema can't be read.
    pub fn new() -> Result<Self, String> {
        let schema = interop_schema::proto::from_descriptor_set(interop_contestants::SCHEMA);
        let mut listed = libraries::all();
        // What nobody else can read is no format of the protocol.
        listed.retain(|listed| listed.library.format.parse::<Format>().is_ok());
        Ok(Self {
            listed,
            built_in: Rc::new(schema.map_err(|error| error.to_string())?),
            brought: None,
            made: HashMap::new(),
        })
    }

    /// What there is.
    pub fn welcome(&self) -> Welcome {
        let mut implementations: Vec<Implementation> = Vec::new();
        let mut add = |library: Library, schemas: bool| {
            let capability = Capability {
                format: library.format.to_owned(),
                models: library.models.iter().map(|model| (*model).to_owned()).collect(),
                encode: true,
                decode: true,
                reencode: true,
                bench: true,
                writer: library.writer.to_owned(),
                schemas,
            };
            match implementations.iter_mut().find(|known| known.name == library.name) {
                Some(known) => known.capabilities.push(capability),
                None => implementations.push(Implementation {
                    name: library.name.to_owned(),
                    version: library.version.to_owned(),
                    capabilities: vec![capability],
                    unavailable: String::new(),
                }),
            }
        };
        for format in Format::ALL {
            let name = format.name();
            // Any message of the schema would do.
            let found = libraries::MODELS
                .first()
                .and_then(|model| Dynamic::find(&self.built_in, name, model));
            if let Some(dynamic) = found {
                add(dynamic.library(), true);
            }
        }
        for listed in &self.listed {
            add(listed.library, false);
        }
        let missing = libraries::unavailable().into_iter();
        implementations.extend(missing.map(|(name, why)| Implementation {
            name: name.to_owned(),
            unavailable: why.to_owned(),
            ..Implementation::default()
        }));
        Welcome {
            protocol_version: PROTOCOL_VERSION,
            language: "rust".to_owned(),
            runtime: interop_contestants::RUNTIME.to_owned(),
            implementations,
        }
    }

    fn find(
        &mut self,
        implementation: &str,
        format: &str,
        model: &str,
    ) -> Result<Rc<dyn Contestant>, Refusal> {
        let key = (implementation.to_owned(), format.to_owned(), model.to_owned());
        if let Some(made) = self.made.get(&key) {
            return Ok(Rc::clone(made));
        }
        let made: Option<Rc<dyn Contestant>> = if implementation == dynamic::NAME {
            let schemas = self.brought.iter().chain([&self.built_in]);
            let mut found = schemas.filter_map(|schema| Dynamic::find(schema, format, model));
            found.next().map(|dynamic| Rc::new(dynamic) as _)
        } else {
            let mut listed = self.listed.iter().filter(|listed| {
                listed.library.name == implementation && listed.library.format == format
            });
            listed.find_map(|listed| (listed.with)(model)).map(Rc::from)
        };
        let made =
            made.ok_or_else(|| unsupported(format!("{implementation} {format} {model}")))?;
        self.made.insert(key, Rc::clone(&made));
        Ok(made)
    }

    fn answer(&mut self, body: Option<request::Body>) -> Result<reply::Body, Refusal> {
        let empty = Tree::default();
        Ok(match body {
            Some(request::Body::Hello(_)) => reply::Body::Hello(self.welcome()),
            Some(request::Body::Schema(brought)) => {
                let schema = interop_schema::proto::from_descriptor_set(&brought.file_descriptor_set);
                let schema = schema.map_err(|error| refused(error.to_string()))?;
                self.brought = Some(Rc::new(schema));
                self.made.retain(|(implementation, ..), _| implementation != dynamic::NAME);
                reply::Body::Schema(SchemaAccepted {})
            }
            Some(request::Body::Encode(asked)) => {
                let made = self.find(&asked.implementation, &asked.format, &asked.model)?;
                let tree = asked.value.as_ref().unwrap_or(&empty);
                let data = refusing(|| made.encode(tree))?;
                reply::Body::Encode(Encoded { data })
            }
            Some(request::Body::Decode(asked)) => {
                let made = self.find(&asked.implementation, &asked.format, &asked.model)?;
                let value = refusing(|| made.decode(&asked.data))?;
                reply::Body::Decode(Decoded { value: Some(value) })
            }
            Some(request::Body::Reencode(asked)) => {
                let made = self.find(&asked.implementation, &asked.format, &asked.model)?;
                let data = refusing(|| made.reencode(&asked.data))?;
                reply::Body::Reencode(Encoded { data })
            }
            Some(request::Body::Bench(asked)) => {
                let made = self.find(&asked.implementation, &asked.format, &asked.model)?;
                reply::Body::Bench(refusing(|| measure(&*made, &asked))?)
            }
            None => {
                let text = "a request of a kind that this peer does not know";
                return Err(unsupported(text.to_owned()));
            }
        })
    }

    /// Answers a frame.
    ///
    /// # Errors
    /// When it is no request.
    pub fn reply_to(&mut self, frame: &[u8]) -> Result<Vec<u8>, String> {
        let request = Request::decode(frame);
        let request = request.map_err(|error| format!("a frame that is no request: {error}"))?;
        let body = self.answer(request.body).unwrap_or_else(|refusal| {
            reply::Body::Failure(Failure {
                kind: refusal.kind.into(),
                message: refusal.message,
            })
        });
        let reply = Reply {
            id: request.id,
            body: Some(body),
        };
        Ok(reply.encode_to_vec())
    }
}

/// Runs what a library does: its errors and panics are refusals in its own words.
fn refusing<T>(call: impl FnOnce() -> Result<T, String>) -> Result<T, Refusal> {
    match catch_unwind(AssertUnwindSafe(call)) {
        Ok(result) => result.map_err(refused),
        Err(payload) => {
            let text = payload.downcast_ref::<String>().map(String::as_str);
            let text = text.or_else(|| payload.downcast_ref::<&str>().copied());
            Err(refused(format!("panic: {}", text.unwrap_or("without words"))))
        }
    }
}
