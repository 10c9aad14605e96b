//! Text to tokens, each with its place.

use crate::{Error, Location};

/// Line and column in characters, both from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Place {
    pub line: usize,
    pub column: usize,
}

#[derive(Clone, Debug, PartialEq)]
pub(super) enum Token {
    /// A name or a keyword; which of the two follows from where it stands.
    Word(String),
    /// An integer in decimal digits, with its sign.
    Integer(String),
    /// The content of a quoted string.
    Text(String),
    /// A punctuation character.
    Mark(char),
    End,
}

impl Token {
    /// As an error message shows it.
    pub fn shown(&self) -> String {
        match self {
            Self::Word(text) => format!("`{text}`"),
            Self::Integer(text) => text.clone(),
            Self::Text(text) => format!("{text:?}"),
            Self::Mark(mark) => format!("`{mark}`"),
            Self::End => "the end of the file".to_owned(),
        }
    }
}

/// An error at a place of a file.
pub(super) fn error_at(file: &str, place: Place, message: impl Into<String>) -> Error {
    Error::Source {
        location: Location {
            file: file.to_owned(),
            line: place.line,
            column: place.column,
        },
        message: message.into(),
    }
}

/// All tokens of `text`; the last one is [`Token::End`].
pub(super) fn tokens(file: &str, text: &str) -> Result<Vec<(Token, Place)>, Error> {
    let mut lexer = Lexer {
        file,
        // A byte order mark is not part of the text.
        rest: text.strip_prefix('\u{feff}').unwrap_or(text),
        place: Place { line: 1, column: 1 },
    };
    let mut tokens = Vec::new();
    loop {
        lexer.skip_blank()?;
        let place = lexer.place;
        let token = lexer.token()?;
        let end = token == Token::End;
        tokens.push((token, place));
        if end {
            return Ok(tokens);
        }
    }
}

struct Lexer<'t> {
    file: &'t str,
    rest: &'t str,
    place: Place,
}

impl<'t> Lexer<'t> {
    fn peek(&self) -> Option<char> {
        self.rest.chars().next()
    }

    fn advance(&mut self) -> Option<char> {
        let mut chars = self.rest.chars();
        let c = chars.next()?;
        self.rest = chars.as_str();
        if c == '\n' {
            self.place.line += 1;
            self.place.column = 1;
        } else {
            self.place.column += 1;
        }
        Some(c)
    }

    fn take_while(&mut self, keep: impl Fn(char) -> bool) -> &'t str {
        let start = self.rest;
        while self.peek().is_some_and(&keep) {
            self.advance();
        }
        &start[..start.len() - self.rest.len()]
    }

    fn skip_blank(&mut self) -> Result<(), Error> {
        loop {
            self.take_while(|c| matches!(c, ' ' | '\t' | '\r' | '\n'));
            if self.rest.starts_with("//") {
                self.take_while(|c| c != '\n');
            } else if self.rest.starts_with("/*") {
                let start = self.place;
                self.advance();
                self.advance();
                while !self.rest.starts_with("*/") {
                    if self.advance().is_none() {
                        return Err(error_at(self.file, start, "this comment is never closed"));
                    }
                }
                self.advance();
                self.advance();
            } else {
                return Ok(());
            }
        }
    }

    fn token(&mut self) -> Result<Token, Error> {
        let place = self.place;
        let Some(c) = self.peek() else {
            return Ok(Token::End);
        };
        match c {
            'a'..='z' | 'A'..='Z' | '_' => {
                let word = self.take_while(|c| c.is_ascii_alphanumeric() || c == '_');
                Ok(Token::Word(word.to_owned()))
            }
            '0'..='9' | '-' => {
                self.advance();
                let digits = self.take_while(|c| c.is_ascii_alphanumeric() || c == '_');
                let text = format!("{c}{digits}");
                let bare = text.strip_prefix('-').unwrap_or(&text);
                if bare.is_empty() || !bare.bytes().all(|b| b.is_ascii_digit()) {
                    let message = format!("`{text}` is no integer; integers are decimal");
                    return Err(error_at(self.file, place, message));
                }
                Ok(Token::Integer(text))
            }
            '"' | '\'' => self.text(c, place),
            '{' | '}' | '[' | ']' | '(' | ')' | '<' | '>' | ';' | ',' | '=' | '.' => {
                self.advance();
                Ok(Token::Mark(c))
            }
            other => {
                let message = format!("{other:?} has no meaning here");
                Err(error_at(self.file, place, message))
            }
        }
    }

    fn text(&mut self, quote: char, place: Place) -> Result<Token, Error> {
        self.advance();
        let mut text = String::new();
        loop {
            match self.advance() {
                Some(c) if c == quote => return Ok(Token::Text(text)),
                Some('\\') => match self.advance() {
                    Some('n') => text.push('\n'),
                    Some('t') => text.push('\t'),
                    Some(c) if c != '\n' => text.push(c),
                    _ => break,
                },
                Some('\n') | None => break,
                Some(c) => text.push(c),
            }
        }
        Err(error_at(
            self.file,
            place,
            "this string does not end on its line",
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn message(text: &str) -> String {
        tokens("f", text).unwrap_err().to_string()
    }

    #[test]
    fn places_count_characters_and_lines() {
        let tokens = tokens("f", "a /* é\n */ b // c\n\t-12 'x\\'y' <").unwrap();
        let place = |line, column| Place { line, column };
        assert_eq!(
            tokens,
            [
                (Token::Word("a".into()), place(1, 1)),
                (Token::Word("b".into()), place(2, 5)),
                (Token::Integer("-12".into()), place(3, 2)),
                (Token::Text("x'y".into()), place(3, 6)),
                (Token::Mark('<'), place(3, 13)),
                (Token::End, place(3, 14)),
            ]
        );
    }

    #[test]
    fn broken_tokens_are_named_where_they_start() {
        assert_eq!(message("a\n /* b"), "f:2:2: this comment is never closed");
        assert_eq!(
            message("\"a\nb\""),
            "f:1:1: this string does not end on its line"
        );
        assert!(message("0x10").starts_with("f:1:1: `0x10` is no integer"));
        assert!(message("a - b").starts_with("f:1:3: `-` is no integer"));
        assert!(message("é").starts_with("f:1:1: 'é' has no meaning"));
    }
}
