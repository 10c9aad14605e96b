//! Strings to JSON text.

use super::dialect::Escapes;

/// Appends `text` in quotes.
pub(super) fn print(out: &mut Vec<u8>, text: &str, escapes: Escapes) {
    out.push(b'"');
    for c in text.chars() {
        match c {
            '"' => out.extend_from_slice(b"\\\""),
            '\\' => out.extend_from_slice(b"\\\\"),
            '\u{8}' => out.extend_from_slice(b"\\b"),
            '\t' => out.extend_from_slice(b"\\t"),
            '\n' => out.extend_from_slice(b"\\n"),
            '\u{c}' => out.extend_from_slice(b"\\f"),
            '\r' => out.extend_from_slice(b"\\r"),
            c if c < ' ' || is_escaped(c, escapes) => {
                for unit in c.encode_utf16(&mut [0; 2]) {
                    out.extend_from_slice(format!("\\u{unit:04x}").as_bytes());
                }
            }
            c => out.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes()),
        }
    }
    out.push(b'"');
}

fn is_escaped(c: char, escapes: Escapes) -> bool {
    match escapes {
        Escapes::Needed => false,
        Escapes::NonAscii => c >= '\u{7f}',
        Escapes::Html => matches!(c, '<' | '>' | '&' | '=' | '\'' | '\u{2028}' | '\u{2029}'),
        Escapes::HtmlAndFormat => matches!(
            c,
            '<' | '>'
                | '\u{7f}'..='\u{9f}'
                | '\u{ad}'
                | '\u{600}'..='\u{603}'
                | '\u{6dd}'
                | '\u{70f}'
                | '\u{17b4}'
                | '\u{17b5}'
                | '\u{200b}'..='\u{200f}'
                | '\u{2028}'..='\u{202e}'
                | '\u{2060}'..='\u{2064}'
                | '\u{206a}'..='\u{206f}'
                | '\u{feff}'
                | '\u{fff9}'..='\u{fffb}'
                | '\u{1d173}'..='\u{1d17a}'
                | '\u{e0001}'
                | '\u{e0020}'..='\u{e007f}'
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn printed(text: &str, escapes: Escapes) -> String {
        let mut out = Vec::new();
        print(&mut out, text, escapes);
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn escapes_by_choice() {
        let text = "\"\\\u{8}\t\n\u{c}\r\0\u{1f}/<\u{7f}\u{e9}\u{200d}\u{1f600}";
        let start = r#""\"\\\b\t\n\f\r\u0000\u001f/"#;
        let rest = |tail: &str| format!("{start}{tail}\"");
        assert_eq!(
            printed(text, Escapes::Needed),
            rest("<\u{7f}\u{e9}\u{200d}\u{1f600}")
        );
        assert_eq!(
            printed(text, Escapes::NonAscii),
            rest(r"<\u007f\u00e9\u200d\ud83d\ude00")
        );
        assert_eq!(
            printed(text, Escapes::Html),
            rest("\\u003c\u{7f}\u{e9}\u{200d}\u{1f600}")
        );
        assert_eq!(
            printed(text, Escapes::HtmlAndFormat),
            rest("\\u003c\\u007f\u{e9}\\u200d\u{1f600}")
        );
    }
}
