//! ProtoJSON text to values: `google.protobuf.Any`.

use interop_schema::{MessageId, Named, WellKnown};

use super::decode::{Fields, Parser};
use super::lexer::Kind;
use super::syntax::Name;
use crate::{Cursor, DynamicMessage, Error, Part, Value, protobuf};

impl Parser<'_, '_> {
    /// `{"@type": URL, ...}`: the fields of the message that the URL names, or its special form
    /// under "value". `{}` is an Any that holds nothing.
    pub(super) fn any(
        &mut self,
        cursor: &mut Cursor<'_>,
        id: MessageId,
    ) -> Result<DynamicMessage, Error> {
        let mut any = DynamicMessage::new(self.schema, id);
        self.require(cursor, Kind::Object, "google.protobuf.Any")?;
        let offset = self.lexer.offset();
        // "@type" may stand behind the members that it explains.
        let mut ahead = Parser {
            lexer: self.lexer.clone(),
            schema: self.schema,
            parse: self.parse,
        };
        let url = ahead.type_url(cursor)?;
        let Some((url_offset, url)) = url else {
            self.object(cursor, |_, cursor, name| {
                Err(cursor.mismatch(name.start, "an Any without \"@type\""))
            })?;
            return Ok(any);
        };
        let inner = self.resolve(cursor, url_offset, &url)?;
        let special = self.schema.message(inner).well_known;
        let bytes = cursor.nested(offset, |cursor| {
            let message = match special {
                None => self.any_fields(cursor, inner)?,
                Some(well_known) => self.any_value(cursor, inner, well_known)?,
            };
            let encoded = protobuf::encode(self.schema, &message, &protobuf::Dialect::default());
            encoded.map_err(|error| cursor.mismatch(offset, error.to_string()))
        })?;
        self.set(cursor, &mut any, 1, Value::String(url))?;
        self.set(cursor, &mut any, 2, Value::Bytes(bytes))?;
        Ok(any)
    }

    /// Looks for "@type" in the object that starts here: offset and text of its value.
    fn type_url(&mut self, cursor: &mut Cursor<'_>) -> Result<Option<(usize, String)>, Error> {
        let start = self.lexer.clone();
        if let Some(found) = self.leading_type_url() {
            return Ok(Some(found));
        }
        self.lexer = start;
        let mut found = None;
        let offset = self.lexer.offset();
        cursor.nested(offset, |cursor| {
            self.skip_items(cursor, b'{', b'}', |parser, cursor| {
                let name = parser.lexer.string();
                let name = name.map_err(|error| cursor.wire(error))?;
                parser.lexer.skip_space();
                let colon = parser.lexer.punctuation(b':');
                colon.map_err(|error| cursor.wire(error))?;
                parser.lexer.skip_space();
                if name.text == "@type" && found.is_none() {
                    let offset = parser.lexer.offset();
                    parser.require_silently(cursor, Kind::String)?;
                    let url = parser.lexer.string();
                    let url = url.map_err(|error| cursor.wire(error))?;
                    found = Some((offset, url.text.into_owned()));
                    return Ok(());
                }
                parser.skip(cursor)
            })
        })?;
        Ok(found)
    }

    /// The usual place of "@type": first. Any fault here is for the full search to report.
    fn leading_type_url(&mut self) -> Option<(usize, String)> {
        self.lexer.punctuation(b'{').ok()?;
        self.lexer.skip_space();
        if self.lexer.string().ok()?.text != "@type" {
            return None;
        }
        self.lexer.skip_space();
        self.lexer.punctuation(b':').ok()?;
        self.lexer.skip_space();
        let offset = self.lexer.offset();
        let url = self.lexer.string().ok()?;
        Some((offset, url.text.into_owned()))
    }

    fn require_silently(&self, cursor: &Cursor<'_>, wanted: Kind) -> Result<(), Error> {
        let found = self.lexer.kind().map_err(|error| cursor.wire(error))?;
        if found == wanted {
            return Ok(());
        }
        let text = format!("expected {}, found {}", wanted.name(), found.name());
        Err(cursor.mismatch(self.lexer.offset(), text))
    }

    fn resolve(&self, cursor: &Cursor<'_>, offset: usize, url: &str) -> Result<MessageId, Error> {
        let wrong = |text| Err(cursor.mismatch(offset, text));
        let Some((_, name)) = url.rsplit_once('/') else {
            return wrong(format!("the type URL {url:?} has no '/' before its type"));
        };
        match self.schema.lookup(name) {
            Some(Named::Message(id)) => Ok(id),
            _ => wrong(format!("the schema has no message {name:?} for an Any")),
        }
    }

    fn any_fields(
        &mut self,
        cursor: &mut Cursor<'_>,
        inner: MessageId,
    ) -> Result<DynamicMessage, Error> {
        let offset = self.lexer.offset();
        let size = DynamicMessage::size_in_memory(self.schema, inner);
        cursor.charge(offset, 1, size)?;
        let mut fields = Fields::new(self.schema, inner);
        let mut typed = false;
        self.object(cursor, |parser, cursor, name| {
            if name.text == "@type" {
                return parser.any_type(cursor, &name, &mut typed);
            }
            parser.member(cursor, &mut fields, &name)
        })?;
        self.finish(cursor, offset, fields)
    }

    fn any_value(
        &mut self,
        cursor: &mut Cursor<'_>,
        inner: MessageId,
        well_known: WellKnown,
    ) -> Result<DynamicMessage, Error> {
        let offset = self.lexer.offset();
        let mut typed = false;
        let mut value = None;
        self.object(cursor, |parser, cursor, name| match &*name.text {
            "@type" => parser.any_type(cursor, &name, &mut typed),
            "value" => {
                parser.named(cursor, &name, Part::Metadata, "value of an Any")?;
                if value.is_some() {
                    return Err(cursor.mismatch(name.start, "\"value\" is given twice"));
                }
                parser.space(cursor);
                value = Some(parser.message(cursor, inner)?);
                Ok(())
            }
            other if parser.parse.ignore_unknown => {
                let meaning = format!("unknown member {other:?} of an Any");
                parser.named(cursor, &name, Part::Metadata, &meaning)?;
                parser.ignore(cursor)
            }
            other => {
                let text = format!("an Any of this type has only \"value\", not {other:?}");
                Err(cursor.mismatch(name.start, text))
            }
        })?;
        match value {
            Some(value) => Ok(value),
            // Empty is an ordinary message to most writers: no members, so no "value".
            None if well_known == WellKnown::Empty => Ok(DynamicMessage::new(self.schema, inner)),
            None => Err(cursor.mismatch(offset, "an Any of this type needs a \"value\"")),
        }
    }

    fn any_type(
        &mut self,
        cursor: &mut Cursor<'_>,
        name: &Name<'_>,
        typed: &mut bool,
    ) -> Result<(), Error> {
        cursor.span(
            name.start,
            name.end,
            Part::Metadata,
            "type URL name",
            || name.text.to_string(),
        );
        if std::mem::replace(typed, true) {
            return Err(cursor.mismatch(name.start, "\"@type\" is given twice"));
        }
        self.punctuation(cursor, b':')?;
        self.space(cursor);
        let start = self.lexer.offset();
        let url = self.text(cursor, "a type URL")?;
        let end = self.lexer.offset();
        cursor.span(start, end, Part::Metadata, "type URL", || url);
        Ok(())
    }
}
