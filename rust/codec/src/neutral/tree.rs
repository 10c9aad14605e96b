//! JSON text to a tree that keeps the order of members and refuses a key given twice.

use std::cell::RefCell;
use std::collections::HashSet;
use std::fmt;

use interop_wire::{Error as WireError, ErrorKind as WireKind, Limits};
use serde::de::{DeserializeSeed, Error as _, MapAccess, SeqAccess, Visitor};

use crate::{Error, ErrorKind, Path};

#[derive(Clone, Debug, PartialEq)]
pub(super) enum Json {
    Null,
    Bool(bool),
    Int(i64),
    UInt(u64),
    /// A number with a fraction or an exponent, or beyond 64 bits.
    Float,
    Text(String),
    List(Vec<Json>),
    Object(Vec<(String, Json)>),
}

impl Json {
    /// As an error message calls it.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Null => "null",
            Self::Bool(_) => "a bool",
            Self::Int(_) | Self::UInt(_) => "an integer",
            Self::Float => "a number that is no 64 bit integer",
            Self::Text(_) => "a string",
            Self::List(_) => "a list",
            Self::Object(_) => "an object",
        }
    }
}

/// A value nests at most twice as deep in JSON as in itself (a map's entries are lists), and a
/// few levels more at its leaves; the parser's own stack sets the upper bound.
fn json_depth(limits: &Limits) -> u32 {
    limits.depth.saturating_mul(2).saturating_add(8).min(1000)
}

struct State {
    bytes_left: usize,
    limits: Limits,
    /// The limit that was hit, because the parser's error carries only text.
    hit: Option<WireKind>,
}

pub(super) fn read(bytes: &[u8], limits: Limits) -> Result<Json, Error> {
    let fail = |offset, kind| Error {
        offset: Some(offset),
        path: Path::default(),
        kind: ErrorKind::Wire(kind),
    };
    if bytes.len() > limits.message_bytes {
        let limit = limits.message_bytes;
        return Err(fail(0, WireKind::SizeLimit { limit }));
    }
    let text = std::str::from_utf8(bytes).map_err(|error| {
        let valid_bytes = error.valid_up_to();
        fail(valid_bytes, WireKind::InvalidUtf8 { valid_bytes })
    })?;
    let four_times = bytes.len().saturating_mul(4);
    let state = RefCell::new(State {
        bytes_left: limits.expansion_bytes.saturating_add(four_times),
        limits,
        hit: None,
    });
    let mut parser = serde_json::Deserializer::from_str(text);
    // The seed counts the levels itself.
    parser.disable_recursion_limit();
    let seed = Seed {
        state: &state,
        depth: json_depth(&limits),
    };
    let tree = seed.deserialize(&mut parser).and_then(|tree| {
        parser.end()?;
        Ok(tree)
    });
    tree.map_err(|error| {
        let offset = offset_of(text, error.line(), error.column());
        match state.take().hit {
            Some(kind) => fail(offset, kind),
            None => {
                let text = error.to_string();
                let reason = text.split(" at line ").next().unwrap_or(&text);
                let WireError { offset, kind } = WireError::malformed(offset, reason);
                fail(offset, kind)
            }
        }
    })
}

impl Default for State {
    fn default() -> Self {
        Self {
            bytes_left: 0,
            limits: Limits::DEFAULT,
            hit: None,
        }
    }
}

/// `line` and `column` count from 1, the column in bytes and past the last byte read.
fn offset_of(text: &str, line: usize, column: usize) -> usize {
    let mut lines = text.split_inclusive('\n');
    let before: usize = lines
        .by_ref()
        .take(line.saturating_sub(1))
        .map(str::len)
        .sum();
    (before + column.saturating_sub(1)).min(text.len())
}

#[derive(Clone, Copy)]
struct Seed<'s> {
    state: &'s RefCell<State>,
    /// Levels that may still open.
    depth: u32,
}

impl<'s> Seed<'s> {
    fn charge<E: serde::de::Error>(&self, bytes: usize) -> Result<(), E> {
        let mut state = self.state.borrow_mut();
        match state.bytes_left.checked_sub(bytes) {
            Some(left) => {
                state.bytes_left = left;
                Ok(())
            }
            None => {
                let limit = state.limits.expansion_bytes;
                state.hit = Some(WireKind::ExpansionLimit { limit });
                Err(E::custom("memory limit"))
            }
        }
    }

    fn inner<E: serde::de::Error>(&self) -> Result<Seed<'s>, E> {
        match self.depth.checked_sub(1) {
            Some(depth) => Ok(Seed { depth, ..*self }),
            None => {
                let mut state = self.state.borrow_mut();
                let limit = state.limits.depth;
                state.hit = Some(WireKind::DepthLimit { limit });
                Err(E::custom("depth limit"))
            }
        }
    }
}

impl<'de> DeserializeSeed<'de> for Seed<'_> {
    type Value = Json;

    fn deserialize<D: serde::Deserializer<'de>>(self, from: D) -> Result<Json, D::Error> {
        from.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Seed<'_> {
    type Value = Json;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_unit<E>(self) -> Result<Json, E> {
        Ok(Json::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Json, E> {
        Ok(Json::Bool(value))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Json, E> {
        Ok(Json::Int(value))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Json, E> {
        Ok(i64::try_from(value).map_or(Json::UInt(value), Json::Int))
    }

    fn visit_f64<E>(self, _: f64) -> Result<Json, E> {
        Ok(Json::Float)
    }

    fn visit_str<E>(self, text: &str) -> Result<Json, E> {
        Ok(Json::Text(text.to_owned()))
    }

    fn visit_string<E>(self, text: String) -> Result<Json, E> {
        Ok(Json::Text(text))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut access: A) -> Result<Json, A::Error> {
        let inner = self.inner()?;
        let mut values = Vec::new();
        while let Some(value) = access.next_element_seed(inner)? {
            self.charge(size_of::<Json>())?;
            values.push(value);
        }
        Ok(Json::List(values))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut access: A) -> Result<Json, A::Error> {
        let inner = self.inner()?;
        let mut members: Vec<(String, Json)> = Vec::new();
        let mut seen = HashSet::new();
        while let Some(key) = access.next_key::<String>()? {
            self.charge(2 * key.len() + 2 * size_of::<(String, Json)>())?;
            if !seen.insert(key.clone()) {
                return Err(A::Error::custom(format!("key {key:?} is given twice")));
            }
            members.push((key, access.next_value_seed(inner)?));
        }
        Ok(Json::Object(members))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tree(text: &str) -> Result<Json, Error> {
        read(text.as_bytes(), Limits::DEFAULT)
    }

    #[test]
    fn members_keep_their_order_and_numbers_their_width() {
        let text = r#"{"b":[1,-1,18446744073709551615,1.0,1e2,99999999999999999999],"a":null}"#;
        use Json::{Float, Int, List, Null, Object, UInt};
        let list = List(vec![Int(1), Int(-1), UInt(u64::MAX), Float, Float, Float]);
        let members = vec![("b".to_owned(), list), ("a".to_owned(), Null)];
        assert_eq!(tree(text).unwrap(), Object(members));
    }

    #[test]
    fn errors_name_the_byte() {
        let shown = |text| tree(text).unwrap_err().to_string();
        assert_eq!(
            shown("{\"a\":1,\n \"a\":2}"),
            "at byte 11: key \"a\" is given twice"
        );
        assert_eq!(shown("[1,]"), "at byte 3: trailing comma");
        assert_eq!(shown("[1] 2"), "at byte 4: trailing characters");
        assert_eq!(shown("[1"), "at byte 1: EOF while parsing a list");
        let invalid = read(b"\"\xff\"", Limits::DEFAULT).unwrap_err();
        assert_eq!(invalid.offset, Some(1));
    }

    #[test]
    fn limits_hold() {
        let deep = "[".repeat(100_000);
        assert!(
            tree(&deep)
                .unwrap_err()
                .to_string()
                .contains("raise `depth`")
        );
        let limits = Limits {
            expansion_bytes: 100,
            message_bytes: 10_000,
            ..Limits::DEFAULT
        };
        let wide = format!("[{}1]", "1,".repeat(1000));
        let error = read(wide.as_bytes(), limits).unwrap_err().to_string();
        assert!(error.contains("raise `expansion_bytes`"), "{error}");
        let large = format!("[{}1]", "1,".repeat(10_000));
        let error = read(large.as_bytes(), limits).unwrap_err().to_string();
        assert!(error.contains("raise `message_bytes`"), "{error}");
        let most = Limits {
            depth: u32::MAX,
            ..Limits::DEFAULT
        };
        assert!(read(deep.as_bytes(), most).is_err());
        let nested = format!("{}{}", "[".repeat(1000), "]".repeat(1000));
        assert!(read(nested.as_bytes(), most).is_ok());
    }
}
