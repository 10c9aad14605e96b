//! Rust identifiers for schema names.

/// Words that need `r#` in front.
const KEYWORDS: [&str; 47] = [
    "abstract", "as", "async", "await", "become", "box", "break", "const", "continue", "do", "dyn",
    "else", "enum", "extern", "false", "final", "fn", "for", "gen", "if", "impl", "in", "let",
    "loop", "macro", "match", "mod", "move", "mut", "override", "priv", "pub", "ref", "return",
    "static", "struct", "trait", "true", "try", "type", "typeof", "unsafe", "unsized", "use",
    "virtual", "where", "while",
];

/// A field or module name.
pub fn ident(name: &str) -> String {
    let snake = snake_case(name);
    match snake.as_str() {
        // These can't be raw identifiers.
        "self" | "super" | "crate" | "yield" | "_" => format!("{snake}_"),
        // Every generated struct has this one.
        "unknown_fields" => format!("{snake}_"),
        word if KEYWORDS.contains(&word) => format!("r#{word}"),
        _ => snake,
    }
}

/// The file of a module, without extension.
pub fn file_stem(name: &str) -> String {
    ident(name).trim_start_matches("r#").to_owned()
}

/// Type names that generated code uses itself.
const TAKEN: [&str; 39] = [
    "Box",
    "Clone",
    "Copy",
    "Cow",
    "Cpu",
    "Debug",
    "Default",
    "Eq",
    "Err",
    "Error",
    "FieldError",
    "ForyDialect",
    "From",
    "Hash",
    "In",
    "Map",
    "MessageView",
    "Mode",
    "None",
    "Numbers",
    "Ok",
    "Option",
    "Ord",
    "Out",
    "PartialEq",
    "PartialOrd",
    "Portable",
    "ReadMeta",
    "Result",
    "Run",
    "Scalar",
    "Seen",
    "Self",
    "Some",
    "String",
    "Tag",
    "UnknownFields",
    "Vec",
    "WriteMeta",
];

/// A type's whole name, moved out of the way of those that generated code uses itself.
pub fn free_type_name(name: String) -> String {
    if TAKEN.contains(&name.as_str()) {
        name + "_"
    } else {
        name
    }
}

/// A part of a type name, in Rust's case.
pub fn type_name(name: &str) -> String {
    let mut out = String::new();
    let mut upper = true;
    for c in name.chars() {
        if c == '_' {
            upper = true;
            continue;
        }
        out.extend(upper.then(|| c.to_ascii_uppercase()).or(Some(c)));
        upper = false;
    }
    out
}

/// An enum value's constant.
pub fn constant(name: &str) -> String {
    snake_case(name).to_uppercase()
}

/// `APIMetrics` becomes `api_metrics`, `zipCode` `zip_code`.
pub fn snake_case(name: &str) -> String {
    let chars: Vec<char> = name.chars().collect();
    let mut out = String::new();
    for (i, c) in chars.iter().enumerate() {
        if c.is_ascii_uppercase() {
            let before = i.checked_sub(1).map(|i| chars[i]);
            let after = chars.get(i + 1);
            let starts = before.is_some_and(|b| b.is_ascii_lowercase() || b.is_ascii_digit())
                || (before.is_some_and(|b| b.is_ascii_uppercase())
                    && after.is_some_and(|a| a.is_ascii_lowercase()));
            if starts {
                out.push('_');
            }
            out.push(c.to_ascii_lowercase());
        } else {
            out.push(*c);
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn identifiers_are_legal_and_conventional() {
        assert_eq!(ident("type"), "r#type");
        assert_eq!(ident("self"), "self_");
        assert_eq!(ident("zipCode"), "zip_code");
        assert_eq!(snake_case("APIMetrics"), "api_metrics");
        assert_eq!(type_name("log_entry"), "LogEntry");
        assert_eq!(free_type_name("Error".to_owned()), "Error_");
    }
}
