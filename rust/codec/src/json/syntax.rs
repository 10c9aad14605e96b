//! Objects and arrays over the tokens, with a span for every byte.

use std::borrow::Cow;

use super::decode::Parser;
use super::lexer::{Kind, Token};
use crate::{Cursor, Error, Part, Segment};

/// A member's name.
pub(super) type Name<'a> = Token<Cow<'a, str>>;

impl<'a> Parser<'a, '_> {
    /// White space, if there is any.
    pub(super) fn space(&mut self, cursor: &mut Cursor<'_>) {
        let start = self.lexer.offset();
        self.lexer.skip_space();
        let end = self.lexer.offset();
        cursor.span(start, end, Part::Framing, "white space", String::new);
    }

    /// What comes next, behind white space.
    pub(super) fn kind(&mut self, cursor: &mut Cursor<'_>) -> Result<Kind, Error> {
        self.space(cursor);
        self.lexer.kind().map_err(|error| cursor.wire(error))
    }

    pub(super) fn punctuation(&mut self, cursor: &mut Cursor<'_>, byte: u8) -> Result<(), Error> {
        self.space(cursor);
        let start = self.lexer.offset();
        let read = self.lexer.punctuation(byte);
        read.map_err(|error| cursor.wire(error))?;
        cursor.span(start, start + 1, Part::Framing, "punctuation", || {
            char::from(byte).to_string()
        });
        Ok(())
    }

    /// Moves past `byte` if it comes next.
    fn optional(&mut self, cursor: &mut Cursor<'_>, byte: u8) -> Result<bool, Error> {
        self.space(cursor);
        let found = self.lexer.peek().map_err(|error| cursor.wire(error))? == byte;
        if found {
            self.punctuation(cursor, byte)?;
        }
        Ok(found)
    }

    /// Reads a member's name and leaves the span to whoever knows what it names.
    fn name(&mut self, cursor: &mut Cursor<'_>) -> Result<Name<'a>, Error> {
        self.space(cursor);
        if self.lexer.peek() != Ok(b'"') {
            let error = self.lexer.unexpected("a member's name in quotes");
            return Err(cursor.wire(error));
        }
        self.lexer.string().map_err(|error| cursor.wire(error))
    }

    /// Reports a member's name and reads the colon behind it.
    pub(super) fn named(
        &mut self,
        cursor: &mut Cursor<'_>,
        name: &Name<'a>,
        part: Part,
        meaning: &str,
    ) -> Result<(), Error> {
        cursor.span(name.start, name.end, part, meaning, || {
            format!("{:?}", name.text)
        });
        self.punctuation(cursor, b':')
    }

    /// An object; `member` reads each value, from its colon on.
    pub(super) fn object(
        &mut self,
        cursor: &mut Cursor<'_>,
        mut member: impl FnMut(&mut Self, &mut Cursor<'_>, Name<'a>) -> Result<(), Error>,
    ) -> Result<(), Error> {
        self.punctuation(cursor, b'{')?;
        if self.optional(cursor, b'}')? {
            return Ok(());
        }
        loop {
            let name = self.name(cursor)?;
            member(self, cursor, name)?;
            if !self.separator(cursor, b'}')? {
                return Ok(());
            }
        }
    }

    /// An array; `element` reads each value.
    pub(super) fn array(
        &mut self,
        cursor: &mut Cursor<'_>,
        mut element: impl FnMut(&mut Self, &mut Cursor<'_>) -> Result<(), Error>,
    ) -> Result<(), Error> {
        self.punctuation(cursor, b'[')?;
        if self.optional(cursor, b']')? {
            return Ok(());
        }
        for index in 0.. {
            self.space(cursor);
            cursor.at(|| Segment::Index(index), |cursor| element(self, cursor))?;
            if !self.separator(cursor, b']')? {
                break;
            }
        }
        Ok(())
    }

    /// True for a comma, false for the closing byte.
    fn separator(&mut self, cursor: &mut Cursor<'_>, close: u8) -> Result<bool, Error> {
        if self.optional(cursor, close)? {
            return Ok(false);
        }
        if self.lexer.peek() != Ok(b',') {
            let expected = format!("',' or '{}'", char::from(close));
            return Err(cursor.wire(self.lexer.unexpected(&expected)));
        }
        self.punctuation(cursor, b',')?;
        Ok(true)
    }

    /// Refuses what comes next, unless it is a `wanted`.
    pub(super) fn require(
        &mut self,
        cursor: &mut Cursor<'_>,
        wanted: Kind,
        what: &str,
    ) -> Result<(), Error> {
        let found = self.kind(cursor)?;
        if found == wanted {
            return Ok(());
        }
        let text = format!(
            "expected {} for {what}, found {}",
            wanted.name(),
            found.name()
        );
        Err(cursor.mismatch(self.lexer.offset(), text))
    }

    /// Moves past a value that nobody wants, checking its grammar, without spans.
    pub(super) fn skip(&mut self, cursor: &mut Cursor<'_>) -> Result<(), Error> {
        self.lexer.skip_space();
        let offset = self.lexer.offset();
        let kind = self.lexer.kind().map_err(|error| cursor.wire(error))?;
        let skipped = match kind {
            Kind::String => self.lexer.string().map(|_| ()),
            Kind::Number => self.lexer.number().map(|_| ()),
            Kind::True => self.lexer.literal("true"),
            Kind::False => self.lexer.literal("false"),
            Kind::Null => self.lexer.literal("null"),
            Kind::Object => {
                return cursor.nested(offset, |cursor| {
                    self.skip_items(cursor, b'{', b'}', |parser, cursor| {
                        let name = parser.lexer.string();
                        name.map_err(|error| cursor.wire(error))?;
                        parser.lexer.skip_space();
                        let colon = parser.lexer.punctuation(b':');
                        colon.map_err(|error| cursor.wire(error))?;
                        parser.skip(cursor)
                    })
                });
            }
            Kind::Array => {
                return cursor.nested(offset, |cursor| {
                    self.skip_items(cursor, b'[', b']', |parser, cursor| parser.skip(cursor))
                });
            }
        };
        skipped.map_err(|error| cursor.wire(error))
    }

    pub(super) fn skip_items(
        &mut self,
        cursor: &mut Cursor<'_>,
        open: u8,
        close: u8,
        mut item: impl FnMut(&mut Self, &mut Cursor<'_>) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let opened = self.lexer.punctuation(open);
        opened.map_err(|error| cursor.wire(error))?;
        self.lexer.skip_space();
        if self.lexer.peek() == Ok(close) {
            let closed = self.lexer.punctuation(close);
            return closed.map_err(|error| cursor.wire(error));
        }
        loop {
            self.lexer.skip_space();
            item(self, cursor)?;
            self.lexer.skip_space();
            let byte = self.lexer.peek().map_err(|error| cursor.wire(error))?;
            if byte != b',' && byte != close {
                let expected = format!("',' or '{}'", char::from(close));
                return Err(cursor.wire(self.lexer.unexpected(&expected)));
            }
            let moved = self.lexer.punctuation(byte);
            moved.map_err(|error| cursor.wire(error))?;
            if byte == close {
                return Ok(());
            }
        }
    }

    /// [`Parser::skip`] with one span for all of it.
    pub(super) fn ignore(&mut self, cursor: &mut Cursor<'_>) -> Result<(), Error> {
        self.space(cursor);
        let start = self.lexer.offset();
        self.skip(cursor)?;
        let end = self.lexer.offset();
        cursor.span(start, end, Part::Payload, "ignored value", String::new);
        Ok(())
    }

    pub(super) fn null(&mut self, cursor: &mut Cursor<'_>, meaning: &str) -> Result<(), Error> {
        let start = self.lexer.offset();
        let read = self.lexer.literal("null");
        read.map_err(|error| cursor.wire(error))?;
        let end = self.lexer.offset();
        cursor.span(start, end, Part::Payload, meaning, || "null".to_owned());
        Ok(())
    }
}
