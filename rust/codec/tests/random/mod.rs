//! Random proto3 schemas and messages of them, from a seed.

use std::fmt::Write;

use interop_codec::{DynamicMessage, Value};
use interop_schema::{MessageId, Schema, Type, proto};

/// splitmix64.
pub struct Random(pub u64);

impl Random {
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    pub fn below(&mut self, bound: u64) -> u64 {
        self.next() % bound
    }

    fn pick<'t>(&mut self, of: &[&'t str]) -> &'t str {
        of[self.below(of.len() as u64) as usize]
    }
}

const SCALARS: [&str; 15] = [
    "bool", "int32", "int64", "uint32", "uint64", "sint32", "sint64", "fixed32", "fixed64",
    "sfixed32", "sfixed64", "float", "double", "string", "bytes",
];
const KEYS: [&str; 6] = ["bool", "int32", "int64", "uint32", "uint64", "string"];
const MESSAGES: u64 = 4;

fn any_type(random: &mut Random) -> String {
    match random.below(10) {
        0 => "Small".to_owned(),
        1 => "Large".to_owned(),
        2 | 3 => format!("M{}", random.below(MESSAGES)),
        _ => random.pick(&SCALARS).to_owned(),
    }
}

/// A schema of four messages and two enums; the root is `M0`.
pub fn schema_text(random: &mut Random) -> String {
    let mut text = String::from(
        "syntax = \"proto3\"; package r;
         enum Small { S0 = 0; S1 = 1; S2 = -128; S3 = 127; }
         enum Large { L0 = 0; L1 = 2147483647; L2 = -2147483648; L3 = 300; }\n",
    );
    for message in 0..MESSAGES {
        let _ = writeln!(text, "message M{message} {{");
        let count = random.below(9);
        for number in 1..=count {
            let ty = any_type(random);
            let _ = match random.below(6) {
                0 => writeln!(text, "  optional {ty} f{number} = {number};"),
                1 | 2 => writeln!(text, "  repeated {ty} f{number} = {number};"),
                3 => {
                    let key = random.pick(&KEYS);
                    writeln!(text, "  map<{key}, {ty}> f{number} = {number};")
                }
                _ => writeln!(text, "  {ty} f{number} = {number};"),
            };
        }
        if random.below(2) == 0 {
            let (a, b) = (any_type(random), any_type(random));
            let _ = writeln!(text, "  oneof o {{ {a} a = 100; {b} b = 101; }}");
        }
        text.push_str("}\n");
    }
    text
}

pub fn compile(text: &str) -> Schema {
    proto::compile_text(text).unwrap()
}

/// A message with about two thirds of its fields set.
pub fn message(random: &mut Random, schema: &Schema, id: MessageId, depth: u32) -> DynamicMessage {
    let mut message = DynamicMessage::new(schema, id);
    for (index, field) in schema.message(id).fields.iter().enumerate() {
        if random.below(3) > 0 && (depth < 4 || !holds_message(&field.ty)) {
            let value = value(random, schema, &field.ty, depth);
            message.set(schema, index, value);
        }
    }
    message
}

fn holds_message(ty: &Type) -> bool {
    match ty {
        Type::Message(_) => true,
        Type::Map(_, slot) | Type::List(slot) => holds_message(&slot.ty),
        _ => false,
    }
}

fn value(random: &mut Random, schema: &Schema, ty: &Type, depth: u32) -> Value {
    // Small numbers are as likely as large ones, and edges likelier than either.
    let shift = random.below(64);
    let bits = match random.below(8) {
        0 => 0,
        1 => u64::MAX,
        2 => 1 << 63,
        _ => random.next() >> shift,
    };
    match ty {
        Type::Bool => Value::Bool(bits & 1 == 1),
        Type::Int {
            bits: width,
            signed: true,
            ..
        } => Value::Int((bits as i64) << (64 - width) >> (64 - width)),
        Type::Int { bits: width, .. } => Value::UInt(bits >> (64 - width)),
        Type::Float32 => Value::Float32(f32::from_bits((bits >> 32) as u32 ^ bits as u32)),
        Type::Float64 => Value::Float64(match random.below(2) {
            0 => f64::from_bits(bits),
            _ => bits as i64 as f64,
        }),
        Type::String => Value::String(text(random)),
        Type::Bytes => Value::Bytes((0..random.below(40)).map(|_| random.next() as u8).collect()),
        Type::Enum(id) => {
            let values = &schema.enumeration(*id).values;
            Value::Enum(values[random.below(values.len() as u64) as usize].number)
        }
        Type::Message(id) => Value::Message(Box::new(message(random, schema, *id, depth + 1))),
        Type::List(slot) => {
            let count = random.below(4);
            Value::List(
                (0..count)
                    .map(|_| value(random, schema, &slot.ty, depth))
                    .collect(),
            )
        }
        Type::Map(key, slot) => {
            let mut entries: Vec<(Value, Value)> = Vec::new();
            for _ in 0..random.below(4) {
                let key = value(random, schema, &key.ty, depth);
                let value = value(random, schema, &slot.ty, depth);
                if entries.iter().all(|(known, _)| *known != key) {
                    entries.push((key, value));
                }
            }
            Value::Map(entries)
        }
        other => panic!("{other:?} is not generated"),
    }
}

fn text(random: &mut Random) -> String {
    const CHARS: [char; 8] = ['a', '\0', 'é', '\u{ff}', '\u{1234}', '😀', '\u{7f}', '"'];
    let bound = if random.below(5) == 0 { 300 } else { 12 };
    let count = random.below(bound);
    (0..count)
        .map(|_| CHARS[random.below(8) as usize])
        .collect()
}
