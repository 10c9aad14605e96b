//! Random schemas: a plan, and the FileDescriptorSets that say the same in each syntax.

use interop_schema::{Schema, proto};
use interop_wire::Writer;

use crate::tape::Tape;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Syntax {
    Proto2,
    Proto3,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// Without presence in proto3, `optional` in proto2.
    Plain,
    Optional,
    Required,
    Repeated,
    Map {
        key: u8,
    },
    Oneof,
}

/// A field; kinds have the numbers of `FieldDescriptorProto.Type`.
#[derive(Clone, Debug)]
pub struct FieldPlan {
    pub number: u32,
    pub shape: Shape,
    pub kind: u8,
    /// The message that kinds 10 and 11 refer to.
    pub target: usize,
    pub packed: bool,
}

#[derive(Clone, Debug)]
pub struct Plan {
    pub syntax: Syntax,
    pub messages: Vec<Vec<FieldPlan>>,
}

const GROUP: u8 = 10;
const MESSAGE: u8 = 11;
const ENUM: u8 = 14;
const KEYS: [u8; 12] = [3, 4, 5, 6, 7, 8, 9, 13, 15, 16, 17, 18];
const NUMBERS: [u32; 12] = [
    1,
    2,
    3,
    15,
    16,
    17,
    100,
    2047,
    2048,
    18_999,
    20_000,
    536_870_911,
];
/// Numbers of the enum `g.E`.
pub const LISTED: [i32; 4] = [0, 1, -1, 300];

fn packable(kind: u8) -> bool {
    !matches!(kind, 9..=12)
}

impl Plan {
    pub fn from_tape(tape: &mut Tape<'_>) -> Self {
        let syntax = if tape.flag() {
            Syntax::Proto2
        } else {
            Syntax::Proto3
        };
        let count = 1 + tape.below(3);
        let mut messages: Vec<_> = (0..count)
            .map(|_| {
                let fields = 1 + tape.below(NUMBERS.len());
                (0..fields)
                    .map(|at| field(tape, syntax, NUMBERS[at], count))
                    .collect::<Vec<_>>()
            })
            .collect();
        if tape.flag() {
            messages.iter_mut().for_each(|fields| fields.reverse());
        }
        Self { syntax, messages }
    }

    /// The plan with every other choice between packed and expanded.
    pub fn with_packing_flipped(&self) -> Self {
        let mut plan = self.clone();
        for field in plan.messages.iter_mut().flatten() {
            field.packed = !field.packed;
        }
        plan
    }

    /// The plan without the fields that `tape` drops.
    pub fn reduced(&self, tape: &mut Tape<'_>) -> Self {
        let mut plan = self.clone();
        for fields in &mut plan.messages {
            fields.retain(|_| tape.flag());
        }
        plan
    }

    /// The descriptor set in the plan's own syntax.
    pub fn descriptor_set(&self) -> Vec<u8> {
        self.set(false)
    }

    pub fn schema(&self) -> Schema {
        proto::from_descriptor_set(&self.set(false)).unwrap()
    }

    /// The schema that says the same in edition 2023.
    pub fn edition_schema(&self) -> Schema {
        proto::from_descriptor_set(&self.set(true)).unwrap()
    }

    fn set(&self, edition: bool) -> Vec<u8> {
        let proto2 = self.syntax == Syntax::Proto2;
        let mut file = Descriptor::default();
        file.text(1, "g.proto").text(2, "g");
        for (at, fields) in self.messages.iter().enumerate() {
            file.message(4, self.message(at, fields, edition));
        }
        let mut enumeration = Descriptor::default();
        enumeration.text(1, "E");
        for number in LISTED {
            let mut value = Descriptor::default();
            value.text(1, &format!("E{}", number as u32));
            value.number(2, i64::from(number) as u64);
            enumeration.message(2, value);
        }
        file.message(5, enumeration);
        if edition {
            let features: &[(u32, u64)] = if proto2 {
                &[(2, 2), (3, 2), (4, 3)]
            } else {
                &[(1, 2)]
            };
            let mut options = Descriptor::default();
            options.message(50, numbers(features));
            file.message(8, options);
            file.text(12, "editions").number(14, 1000);
        } else {
            file.text(12, if proto2 { "proto2" } else { "proto3" });
        }
        let mut set = Descriptor::default();
        set.message(1, file);
        set.0.into_vec()
    }

    fn message(&self, at: usize, fields: &[FieldPlan], edition: bool) -> Descriptor {
        let name = format!("M{at}");
        let mut message = Descriptor::default();
        message.text(1, &name);
        // Real oneofs come before the synthetic ones of `optional`.
        let has_oneof = fields.iter().any(|field| field.shape == Shape::Oneof);
        let mut oneofs = if has_oneof {
            vec!["o".to_owned()]
        } else {
            vec![]
        };
        for field in fields {
            let number = field.number;
            let mut lowered = Descriptor::default();
            lowered.text(1, &format!("f{number}"));
            lowered.number(3, u64::from(number));
            let repeated = matches!(field.shape, Shape::Repeated | Shape::Map { .. });
            let required = field.shape == Shape::Required;
            lowered.number(
                4,
                if repeated {
                    3
                } else if required && !edition {
                    2
                } else {
                    1
                },
            );
            let mut features = Vec::new();
            match field.shape {
                Shape::Map { key } => {
                    lowered.number(5, u64::from(MESSAGE));
                    lowered.text(6, &format!(".g.{name}.F{number}Entry"));
                    message.message(3, entry(field, key));
                }
                _ => {
                    let delimited = field.kind == GROUP && edition;
                    let kind = if delimited { MESSAGE } else { field.kind };
                    lowered.number(5, u64::from(kind));
                    type_name(&mut lowered, field);
                    if delimited {
                        features.push((5, 2));
                    }
                }
            }
            match field.shape {
                Shape::Oneof => {
                    lowered.number(9, 0);
                }
                // A message has presence by nature; the feature is not allowed on it.
                Shape::Optional if edition && field.kind == MESSAGE => {}
                Shape::Optional if edition => features.push((1, 1)),
                Shape::Optional if self.syntax == Syntax::Proto3 => {
                    lowered.number(9, oneofs.len() as u64).number(17, 1);
                    oneofs.push(format!("_f{number}"));
                }
                Shape::Required if edition => features.push((1, 3)),
                _ => {}
            }
            let mut options = Descriptor::default();
            if field.shape == Shape::Repeated && packable(field.kind) {
                if edition {
                    features.push((3, if field.packed { 1 } else { 2 }));
                } else {
                    options.number(2, u64::from(field.packed));
                }
            }
            if !features.is_empty() {
                options.message(21, numbers(&features));
            }
            lowered.message(8, options);
            message.message(2, lowered);
        }
        for oneof in oneofs {
            let mut lowered = Descriptor::default();
            lowered.text(1, &oneof);
            message.message(8, lowered);
        }
        message
    }
}

fn field(tape: &mut Tape<'_>, syntax: Syntax, number: u32, messages: usize) -> FieldPlan {
    let shape = match tape.below(6) {
        0 => Shape::Plain,
        1 => Shape::Optional,
        2 if syntax == Syntax::Proto2 => Shape::Required,
        2 => Shape::Plain,
        3 => Shape::Repeated,
        4 => Shape::Map {
            key: KEYS[tape.below(KEYS.len())],
        },
        _ => Shape::Oneof,
    };
    let mut kind = 1 + tape.below(18) as u8;
    let no_group = syntax == Syntax::Proto3 || matches!(shape, Shape::Map { .. });
    if kind == GROUP && no_group {
        kind = MESSAGE;
    }
    if shape == Shape::Required && matches!(kind, GROUP | MESSAGE) {
        // A required message could demand itself without end.
        kind = 5;
    }
    FieldPlan {
        number,
        shape,
        kind,
        target: tape.below(messages),
        packed: tape.flag(),
    }
}

fn type_name(lowered: &mut Descriptor, field: &FieldPlan) {
    match field.kind {
        GROUP | MESSAGE => {
            lowered.text(6, &format!(".g.M{}", field.target));
        }
        ENUM => {
            lowered.text(6, ".g.E");
        }
        _ => {}
    }
}

fn entry(field: &FieldPlan, key: u8) -> Descriptor {
    let mut entry = Descriptor::default();
    entry.text(1, &format!("F{}Entry", field.number));
    for (name, number, kind) in [("key", 1, key), ("value", 2, field.kind)] {
        let mut lowered = Descriptor::default();
        lowered.text(1, name).number(3, number).number(4, 1);
        lowered.number(5, u64::from(kind));
        if number == 2 {
            type_name(&mut lowered, field);
        }
        entry.message(2, lowered);
    }
    entry.message(7, numbers(&[(7, 1)]));
    entry
}

fn numbers(fields: &[(u32, u64)]) -> Descriptor {
    let mut message = Descriptor::default();
    for (number, value) in fields {
        message.number(*number, *value);
    }
    message
}

/// A message of descriptor.proto under construction.
#[derive(Default)]
struct Descriptor(Writer);

impl Descriptor {
    fn number(&mut self, field: u32, value: u64) -> &mut Self {
        self.0.varint(u64::from(field) << 3);
        self.0.varint(value);
        self
    }

    fn text(&mut self, field: u32, text: &str) -> &mut Self {
        self.bytes(field, text.as_bytes())
    }

    fn message(&mut self, field: u32, message: Descriptor) -> &mut Self {
        self.bytes(field, message.0.as_slice())
    }

    fn bytes(&mut self, field: u32, bytes: &[u8]) -> &mut Self {
        self.0.varint(u64::from(field) << 3 | 2);
        self.0.varint(bytes.len() as u64);
        self.0.bytes(bytes);
        self
    }
}
