//! Paths of a FieldMask: `foo_bar.baz` in the message, `fooBar.baz` in JSON.

/// A path in JSON form.
///
/// # Errors
/// A sentence, when the way back would give another path (an upper-case letter, an underscore
/// not followed by a lower-case one) or none at all.
pub(super) fn print_path(path: &str) -> Result<String, String> {
    let mut out = String::with_capacity(path.len());
    let mut chars = path.chars();
    let mut reversible = is_path(path);
    while let Some(c) = chars.next() {
        match c {
            '_' => match chars.next() {
                Some(next) if next.is_ascii_lowercase() => out.push(next.to_ascii_uppercase()),
                _ => reversible = false,
            },
            c => {
                reversible &= !c.is_ascii_uppercase();
                out.push(c);
            }
        }
    }
    if reversible {
        Ok(out)
    } else {
        Err(format!(
            "the path {path:?} of a FieldMask does not survive ProtoJSON's lowerCamelCase"
        ))
    }
}

/// The path that a JSON form stands for.
///
/// # Errors
/// A sentence, when it has an underscore or is no dotted sequence of names.
pub(super) fn parse_path(json: &str) -> Result<String, String> {
    if json.contains('_') || !is_path(json) {
        return Err(format!("{json:?} is no lowerCamelCase path of a FieldMask"));
    }
    let mut out = String::with_capacity(json.len() + 4);
    for c in json.chars() {
        if c.is_ascii_uppercase() {
            out.push('_');
        }
        out.push(c.to_ascii_lowercase());
    }
    Ok(out)
}

/// Names of letters, digits and underscores, none starting with a digit, joined by dots.
fn is_path(text: &str) -> bool {
    text.split('.').all(|name| {
        let mut bytes = name.bytes();
        bytes
            .next()
            .is_some_and(|first| first.is_ascii_alphabetic() || first == b'_')
            && bytes.all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_round_trip_or_are_refused() {
        for (path, json) in [
            ("a", "a"),
            ("foo_bar", "fooBar"),
            ("foo_bar.baz_q1", "fooBar.bazQ1"),
            ("_a", "A"),
        ] {
            assert_eq!(print_path(path).unwrap(), json);
            assert_eq!(parse_path(json).unwrap(), path);
        }
        for path in [
            "abc_", "a__b", "a_1", "aB", "A", "", "a,b", "a.", "a b", "_", "a_.b", "a_\u{e9}",
        ] {
            assert!(print_path(path).is_err(), "{path}");
        }
        for json in ["snake_case", "", "a b", " a", "a..b", ".a", "1a", "_a"] {
            assert!(parse_path(json).is_err(), "{json}");
        }
    }
}
