//! The scalar type names of Fory's schema language.

use crate::IntEncoding::{Fixed, Tagged, Varint};
use crate::Type;

/// The type that a name such as `int32`, `fixed int64` or `tagged uint64` stands for: 8 and 16
/// bits are always fixed, 32 and 64 bits are varints unless a word in front says otherwise.
pub(crate) fn scalar_type(text: &str) -> Option<Type> {
    let words: Vec<_> = text.split_whitespace().collect();
    let (encoding, name) = match words[..] {
        [name] => (None, name),
        ["fixed", name] => (Some(Fixed), name),
        ["varint", name] => (Some(Varint), name),
        ["tagged", name] => (Some(Tagged), name),
        _ => return None,
    };
    let (signed, digits) = match name.strip_prefix('u') {
        Some(rest) => (false, rest),
        None => (true, name),
    };
    if let Some(bits) = digits.strip_prefix("int") {
        let bits = match bits {
            "8" => 8,
            "16" => 16,
            "32" => 32,
            "64" => 64,
            _ => return None,
        };
        let encoding = match (bits, encoding) {
            (8 | 16, None) => Fixed,
            (32 | 64, None) => Varint,
            (32, Some(Tagged)) => return None,
            (32 | 64, Some(encoding)) => encoding,
            _ => return None,
        };
        return Some(Type::int(bits, signed, encoding));
    }
    if encoding.is_some() {
        return None;
    }
    Some(match name {
        "bool" => Type::Bool,
        "float16" => Type::Float16,
        "bfloat16" => Type::BFloat16,
        "float32" => Type::Float32,
        "float64" => Type::Float64,
        "string" => Type::String,
        "bytes" => Type::Bytes,
        "timestamp" => Type::Timestamp,
        "duration" => Type::Duration,
        "date" => Type::Date,
        "decimal" => Type::Decimal,
        "any" => Type::Any,
        _ => return None,
    })
}

/// The name of a scalar type: what [`scalar_type`] reads as it.
pub(crate) fn scalar_text(ty: &Type) -> Option<String> {
    let name = match ty {
        Type::Int {
            bits,
            signed,
            encoding,
        } => {
            let sign = if *signed { "" } else { "u" };
            let word = match encoding {
                Fixed if *bits > 16 => "fixed ",
                Tagged => "tagged ",
                _ => "",
            };
            return Some(format!("{word}{sign}int{bits}"));
        }
        Type::Bool => "bool",
        Type::Float16 => "float16",
        Type::BFloat16 => "bfloat16",
        Type::Float32 => "float32",
        Type::Float64 => "float64",
        Type::String => "string",
        Type::Bytes => "bytes",
        Type::Timestamp => "timestamp",
        Type::Duration => "duration",
        Type::Date => "date",
        Type::Decimal => "decimal",
        Type::Any => "any",
        _ => return None,
    };
    Some(name.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn encodings_only_where_the_width_has_them() {
        assert_eq!(scalar_type("int32"), Some(Type::int(32, true, Varint)));
        assert_eq!(
            scalar_type("tagged uint64"),
            Some(Type::int(64, false, Tagged))
        );
        assert_eq!(scalar_type("tagged int32"), None);
        assert_eq!(scalar_type("fixed int8"), None);
        assert_eq!(scalar_type("fixed float32"), None);
        assert_eq!(scalar_type("int24"), None);
        assert_eq!(scalar_type("int032"), None);
    }

    #[test]
    fn names_read_back_as_their_type() {
        for name in [
            "bool",
            "int8",
            "uint16",
            "int32",
            "fixed uint32",
            "tagged int64",
            "uint64",
            "float16",
            "bfloat16",
            "float32",
            "float64",
            "string",
            "bytes",
            "timestamp",
            "duration",
            "date",
            "decimal",
            "any",
        ] {
            let ty = scalar_type(name).unwrap();
            assert_eq!(scalar_text(&ty).as_deref(), Some(name));
        }
    }
}
