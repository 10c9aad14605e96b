//! Vectors that name a type instead of a schema.

use interop_codec::{DecodeOptions, Format, Value, msgpack};
use interop_schema::Type;
use serde_json::Value as Json;

use super::{Op, Vector, json_equal, judge_hex, plain, unhex};

type Answer<T> = std::result::Result<T, String>;

/// How a type is read and written in a format.
trait Codec {
    /// Reads a value, all of the input.
    fn decode(&self, bytes: &[u8]) -> Answer<Value>;
    /// Writes a value.
    fn encode(&self, value: &Value) -> Answer<Vec<u8>>;
    /// The type that plain JSON is read as.
    fn json_type(&self) -> Type;
}

/// Runs a vector of a bare type.
pub(super) fn answer(vector: &Vector) -> Answer<()> {
    let body = &vector.body;
    let ty = body.ty.as_deref().unwrap_or_default();
    if body.op == Op::Hash {
        return hash(vector, ty);
    }
    let codec: Box<dyn Codec> = match vector.format {
        Format::Msgpack => Box::new(Msgpack::named(ty)?),
        other => return Err(format!("{other} has no values without a schema")),
    };
    match (&body.input_hex, &body.input_json) {
        (Some(hex), None) => {
            let inputs = hex.all();
            if let [input] = inputs[..] {
                return from_bytes(vector, &*codec, &unhex(input)?, body.expect.value.as_ref());
            }
            // Several inputs have a list of values.
            let values = match &body.expect.value {
                Some(Json::Array(values)) if values.len() == inputs.len() => {
                    values.iter().map(Some).collect()
                }
                None => vec![None; inputs.len()],
                Some(_) => return Err("several inputs need as many values".to_owned()),
            };
            for (index, (input, value)) in inputs.iter().zip(values).enumerate() {
                from_bytes(vector, &*codec, &unhex(input)?, value)
                    .map_err(|error| format!("input {index}: {error}"))?;
            }
            Ok(())
        }
        (None, Some(json)) => json.all().iter().try_for_each(|text| {
            let json: Json = serde_json::from_str(text).map_err(|error| error.to_string())?;
            from_json(vector, &*codec, &json)
        }),
        _ => Err("needs either input_hex or input_json".to_owned()),
    }
}

fn from_bytes(
    vector: &Vector,
    codec: &dyn Codec,
    input: &[u8],
    wanted: Option<&Json>,
) -> Answer<()> {
    let (op, expect) = (vector.body.op, &vector.body.expect);
    let value = match (codec.decode(input), expect.error, &expect.error_or) {
        (Err(_), true, _) | (Err(_), _, Some(_)) => return Ok(()),
        (Err(error), false, None) => return Err(format!("refused {error}")),
        (Ok(value), true, _) => return Err(format!("accepted as {value:?}")),
        (Ok(value), false, _) => value,
    };
    let wanted = wanted.or(expect.error_or.as_ref());
    if let Some(wanted) = wanted {
        let found = plain::to_json(&value)?;
        if !json_equal(wanted, &found) {
            return Err(format!("read {found} instead of {wanted}"));
        }
    }
    let has_hex = expect.hex.is_some() || expect.hex_any.is_some();
    if has_hex {
        judge_hex(expect, &codec.encode(&value)?)?;
    } else if matches!(op, Op::Both | Op::Reencode) {
        // The other direction starts from the value as the vector states it, where it does.
        let start = match wanted {
            Some(wanted) if op == Op::Both => plain::from_json(&codec.json_type(), wanted)?,
            _ => value,
        };
        let written = codec.encode(&start)?;
        if written != input {
            return Err(format!(
                "written back as {} instead of {}",
                crate::value_diff::hex(&written),
                crate::value_diff::hex(input)
            ));
        }
    } else if wanted.is_none() {
        return Err("expects nothing that this operation yields".to_owned());
    }
    Ok(())
}

fn from_json(vector: &Vector, codec: &dyn Codec, json: &Json) -> Answer<()> {
    let expect = &vector.body.expect;
    let written = plain::from_json(&codec.json_type(), json).and_then(|value| codec.encode(&value));
    match (written, expect.error) {
        (Err(_), true) => Ok(()),
        (Err(error), false) => Err(format!("refused: {error}")),
        (Ok(written), true) => Err(format!("written as {}", crate::value_diff::hex(&written))),
        (Ok(_), false) if expect.hex.is_none() && expect.hex_any.is_none() => {
            Err("expects no bytes".to_owned())
        }
        (Ok(written), false) => judge_hex(expect, &written),
    }
}

struct Msgpack {
    name: String,
    ty: Type,
}

impl Msgpack {
    fn named(name: &str) -> Answer<Self> {
        let ty = msgpack::type_by_name(name).ok_or_else(|| format!("no type is called {name}"))?;
        Ok(Self {
            name: name.to_owned(),
            ty,
        })
    }
}

impl Codec for Msgpack {
    fn decode(&self, bytes: &[u8]) -> Answer<Value> {
        msgpack::decode_typed(&self.name, bytes, DecodeOptions::default())
            .map_err(|error| error.to_string())
    }

    fn encode(&self, value: &Value) -> Answer<Vec<u8>> {
        msgpack::encode_typed(&self.name, value, &msgpack::Dialect::default())
            .map_err(|error| error.to_string())
    }

    fn json_type(&self) -> Type {
        self.ty.clone()
    }
}

/// Hashes that formats are built on. How much of the input is hashed, and with which seed,
/// stands in the vector's prose: an input may begin with bytes that only shift the rest to an
/// address that is not aligned.
fn hash(vector: &Vector, ty: &str) -> Answer<()> {
    let Some(hex) = &vector.body.input_hex else {
        return Err("a hash needs input_hex".to_owned());
    };
    let wanted = vector
        .body
        .expect
        .value
        .as_ref()
        .ok_or("expects no value")?;
    let prose = &vector.body.schema;
    let seed = number_behind(prose, "seed ").unwrap_or(0);
    for input in hex.all() {
        let bytes = unhex(input)?;
        let len = number_behind(prose, "of the ").unwrap_or(bytes.len() as u64);
        let skipped = bytes.len().saturating_sub(len as usize);
        let hashed = &bytes[skipped..];
        let found = match ty {
            "murmur3_x64_128" => {
                let (low, high) = interop_wire::murmur3::x64_128(hashed, seed);
                serde_json::json!([low, high])
            }
            "murmur3_x86_32" => {
                serde_json::json!(interop_wire::murmur3::x86_32(hashed, seed as u32))
            }
            other => return Err(format!("no hash is called {other}")),
        };
        if !json_equal(wanted, &found) {
            return Err(format!("hash {found} instead of {wanted}"));
        }
    }
    Ok(())
}

/// The number that follows `words` in `text`.
fn number_behind(text: &str, words: &str) -> Option<u64> {
    let (_, rest) = text.split_once(words)?;
    let digits = rest.split(|c: char| !c.is_ascii_digit()).next()?;
    digits.parse().ok()
}
