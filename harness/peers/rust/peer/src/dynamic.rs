//! Our dynamic codec as a contestant: the schema is data, so that any can be served.

use std::hint::black_box;
use std::rc::Rc;

use interop_codec::{DecodeOptions, Dialect, Document, Format, decode, encode};
use interop_contestants::cell::Cell;
use interop_contestants::contestant::{Batch, Contestant, Library, Operation};
use interop_contestants::protocol::Tree;
use interop_schema::{MessageId, Schema};

use crate::tree::{from_tree, to_tree};

/// Name of the implementation and of what it writes.
pub const NAME: &str = "interop-dynamic";

/// The codec with a message of a schema in a format.
pub struct Dynamic {
    schema: Rc<Schema>,
    message: MessageId,
    format: Format,
}

impl Dynamic {
    /// None for a message that the schema lacks, or a format that there isn't.
    pub fn find(schema: &Rc<Schema>, format: &str, model: &str) -> Option<Self> {
        Some(Self {
            schema: Rc::clone(schema),
            message: schema.message_by_name(model).ok()?,
            format: format.parse().ok()?,
        })
    }

    fn load(&self, tree: &Tree) -> Result<Document, String> {
        from_tree(&self.schema, self.message, tree).map(Document::of)
    }

    fn write(&self, document: &Document) -> Result<Vec<u8>, String> {
        let dialect = Dialect::default_of(self.format);
        let bytes = encode(&self.schema, document, self.format, &dialect);
        bytes.map_err(|error| error.to_string())
    }

    fn read(&self, bytes: &[u8]) -> Result<Document, String> {
        let options = DecodeOptions::default();
        let read = decode(&self.schema, self.message, self.format, bytes, options);
        read.map_err(|error| error.to_string())
    }
}

impl Contestant for Dynamic {
    fn library(&self) -> Library {
        Library {
            name: NAME,
            version: env!("CARGO_PKG_VERSION"),
            format: self.format.name(),
            writer: NAME,
            models: interop_contestants::libraries::MODELS,
        }
    }

    fn encode(&self, tree: &Tree) -> Result<Vec<u8>, String> {
        self.write(&self.load(tree)?)
    }

    fn decode(&self, bytes: &[u8]) -> Result<Tree, String> {
        let document = self.read(bytes)?;
        let message = document.message().ok_or("the root is not a message")?;
        to_tree(&self.schema, message)
    }

    fn reencode(&self, bytes: &[u8]) -> Result<Vec<u8>, String> {
        self.write(&self.read(bytes)?)
    }

    fn time(
        &self,
        tree: &Tree,
        operation: Operation,
        drive: &mut dyn FnMut(&mut Batch<'_>) -> Result<(), String>,
    ) -> Result<Vec<u8>, String> {
        let document = self.load(tree)?;
        let encoded = self.write(&document)?;
        drive(&mut |times| {
            for _ in 0..times {
                match operation {
                    Operation::Serialize => {
                        black_box(self.write(black_box(&document))?);
                    }
                    Operation::Deserialize => {
                        black_box(self.read(black_box(&encoded))?);
                    }
                    Operation::Roundtrip => {
                        let bytes = self.write(black_box(&document))?;
                        black_box(self.read(&bytes)?);
                    }
                }
            }
            Ok(())
        })?;
        if operation == Operation::Serialize {
            return Ok(encoded);
        }
        self.write(&self.read(&encoded)?)
    }

    fn cell(&self, _tree: &Tree, _input: Option<&[u8]>) -> Result<Cell, String> {
        Err("the dynamic codec is measured by the runner".to_owned())
    }
}
