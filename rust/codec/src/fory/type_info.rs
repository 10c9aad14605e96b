//! Reading what a stream says about types: type ids, registrations, TypeDefs, meta strings.

use std::rc::Rc;

use interop_schema::Registration;
use interop_schema::fory::meta_string::{Encoding, Place};
use interop_schema::fory::{self as rules, FieldKey, WireType, meta_string, type_id as id};
use interop_wire::Reader;

use super::decode::Decoder;
use super::encode::name_hash;
use crate::{Cursor, Error, Part};

/// A TypeDef from the stream.
#[derive(Debug)]
pub(super) struct RemoteDef {
    /// Number in the stream.
    pub(super) index: usize,
    /// Type id that the TypeDef's own flags amount to.
    pub(super) type_id: u8,
    pub(super) registration: Registration,
    /// Fields in the order of the payload.
    pub(super) fields: Vec<RemoteField>,
}

/// A field of a TypeDef.
#[derive(Debug)]
pub(super) struct RemoteField {
    pub(super) key: FieldKey,
    pub(super) wire: WireType,
}

/// What the stream said about the type of a value.
#[derive(Clone, Debug)]
pub(super) struct TypeInfo {
    pub(super) type_id: u8,
    pub(super) registration: Option<Registration>,
    pub(super) def: Option<Rc<RemoteDef>>,
}

impl TypeInfo {
    /// Type and name for messages.
    pub(super) fn describe(&self) -> String {
        let name = id::name(self.type_id);
        match &self.registration {
            Some(registration) => format!("{name} {}", describe(registration)),
            None => name.to_owned(),
        }
    }
}

/// A registration for messages.
pub(super) fn describe(registration: &Registration) -> String {
    match registration {
        Registration::Id(user_id) => user_id.to_string(),
        Registration::Name { namespace, name } if namespace.is_empty() => name.clone(),
        Registration::Name { namespace, name } => format!("{namespace}.{name}"),
    }
}

impl Decoder<'_> {
    /// Reads a type id and what belongs to it.
    pub(super) fn type_info(&mut self, cursor: &mut Cursor<'_>) -> Result<TypeInfo, Error> {
        let start = self.reader.offset();
        let type_id = self.reader.varint32().map_err(|e| cursor.wire(e))?;
        let type_id = match u8::try_from(type_id) {
            Ok(type_id @ id::BOOL..=id::FLOAT64_ARRAY) => type_id,
            _ => return Err(cursor.malformed(start, format!("no type has the id {type_id}"))),
        };
        cursor.span(
            start,
            self.reader.offset(),
            Part::Metadata,
            "type id",
            || format!("{type_id}, {}", id::name(type_id)),
        );
        let mut info = TypeInfo {
            type_id,
            registration: None,
            def: None,
        };
        match type_id {
            id::ENUM | id::STRUCT | id::EXT | id::TYPED_UNION => {
                info.registration = Some(Registration::Id(self.user_id(cursor)?));
            }
            id::COMPATIBLE_STRUCT | id::NAMED_COMPATIBLE_STRUCT => {
                if !self.compatible() {
                    let text = format!("{} in consistent mode", id::name(type_id));
                    return Err(cursor.mismatch(start, text));
                }
                self.shared_def(cursor, &mut info)?;
            }
            id::NAMED_STRUCT | id::NAMED_ENUM | id::NAMED_EXT | id::NAMED_UNION => {
                if self.compatible() {
                    self.shared_def(cursor, &mut info)?;
                } else {
                    info.registration = Some(Registration::Name {
                        namespace: self.name(cursor, Place::Namespace)?,
                        name: self.name(cursor, Place::TypeName)?,
                    });
                }
            }
            id::ARRAY | id::FLOAT8 | id::FLOAT8_ARRAY => {
                let text = format!("type {} is reserved and has no form", id::name(type_id));
                return Err(cursor.malformed(start, text));
            }
            _ => {}
        }
        Ok(info)
    }

    fn user_id(&mut self, cursor: &mut Cursor<'_>) -> Result<u32, Error> {
        let start = self.reader.offset();
        let user_id = self.reader.varint32().map_err(|e| cursor.wire(e))?;
        let end = self.reader.offset();
        cursor.span(start, end, Part::Metadata, "user type id", || {
            user_id.to_string()
        });
        Ok(user_id)
    }

    /// A meta string outside a TypeDef.
    fn name(&mut self, cursor: &mut Cursor<'_>, place: Place) -> Result<String, Error> {
        const SHORT_BYTES: u32 = 16;
        let start = self.reader.offset();
        let header = self.reader.varint32().map_err(|e| cursor.wire(e))?;
        let (again, number) = (header & 1 == 1, header >> 1);
        let (encoding, bytes) = if again {
            let earlier = number
                .checked_sub(1)
                .and_then(|i| self.names.get(i as usize));
            let text = || format!("no meta string number {number}");
            earlier
                .cloned()
                .ok_or_else(|| cursor.malformed(start, text()))?
        } else {
            self.fresh_name(cursor, number, number > SHORT_BYTES)?
        };
        let text = meta_string::decode(&bytes, encoding, place);
        let text = text.map_err(|text| cursor.malformed(start, text))?;
        if !again {
            cursor.charge(start, bytes.len() + size_of::<Vec<u8>>() * 2, 1)?;
            self.names.push((encoding, bytes));
        }
        let meaning = match place {
            Place::Namespace => "namespace",
            _ => "type name",
        };
        cursor.span(start, self.reader.offset(), Part::Metadata, meaning, || {
            if again {
                format!("{text:?}, as number {number}")
            } else {
                format!("{text:?}, {encoding:?}")
            }
        });
        Ok(text)
    }

    fn fresh_name(
        &mut self,
        cursor: &Cursor<'_>,
        len: u32,
        long: bool,
    ) -> Result<(Encoding, Vec<u8>), Error> {
        if len == 0 {
            return Ok((Encoding::Utf8, Vec::new()));
        }
        let start = self.reader.offset();
        let (number, hash) = if long {
            let hash = self.reader.u64().map_err(|e| cursor.wire(e))?;
            (hash as u8, Some(hash))
        } else {
            (self.reader.u8().map_err(|e| cursor.wire(e))?, None)
        };
        let encoding = Encoding::from_number(number).ok_or_else(|| {
            cursor.malformed(
                start,
                format!("no meta string encoding has the number {number}"),
            )
        })?;
        let bytes = self
            .reader
            .take(u64::from(len))
            .map_err(|e| cursor.wire(e))?;
        if hash.is_some_and(|hash| hash != name_hash(bytes, encoding)) {
            return Err(cursor.malformed(start, "hash of a meta string does not fit its bytes"));
        }
        Ok((encoding, bytes.to_vec()))
    }

    /// A TypeDef, or the number of one that came before.
    fn shared_def(&mut self, cursor: &mut Cursor<'_>, info: &mut TypeInfo) -> Result<(), Error> {
        let start = self.reader.offset();
        let marker = self.reader.varint32().map_err(|e| cursor.wire(e))?;
        let (again, index) = (marker & 1 == 1, (marker >> 1) as usize);
        cursor.span(
            start,
            self.reader.offset(),
            Part::Metadata,
            "TypeDef marker",
            || {
                format!(
                    "{} {index}",
                    if again { "as number" } else { "new, number" }
                )
            },
        );
        let def = if again {
            let known = self.defs.get(index).cloned();
            known.ok_or_else(|| cursor.malformed(start, format!("no TypeDef number {index}")))?
        } else {
            if index != self.defs.len() {
                let text = format!("new TypeDef has number {index}, not {}", self.defs.len());
                return Err(cursor.malformed(start, text));
            }
            let def = Rc::new(self.read_def(cursor, index)?);
            self.defs.push(Rc::clone(&def));
            def
        };
        if def.type_id != info.type_id {
            let (said, is) = (id::name(info.type_id), id::name(def.type_id));
            let text = format!("type id says {said}, the TypeDef is of a {is}");
            return Err(cursor.malformed(start, text));
        }
        info.registration = Some(def.registration.clone());
        info.def = Some(def);
        Ok(())
    }

    fn read_def(&mut self, cursor: &mut Cursor<'_>, index: usize) -> Result<RemoteDef, Error> {
        const SIZE_MASK: u64 = 0xff;
        const COMPRESSED: u64 = 1 << 8;
        const LOW_BITS: u64 = 0xfff;
        let start = self.reader.offset();
        let header = self.reader.u64().map_err(|e| cursor.wire(e))?;
        let header_end = self.reader.offset();
        let mut size = header & SIZE_MASK;
        if size == SIZE_MASK {
            let more = self.reader.varint32().map_err(|e| cursor.wire(e))?;
            size += u64::from(more);
        }
        cursor.span(start, header_end, Part::Metadata, "TypeDef header", || {
            format!("hash {:#015x}, {size} bytes", header >> 12)
        });
        cursor.span(
            header_end,
            self.reader.offset(),
            Part::Metadata,
            "TypeDef size",
            || format!("{size} bytes"),
        );
        if header & LOW_BITS & COMPRESSED != 0 {
            return Err(cursor.malformed(start, "compressed TypeDef"));
        }
        if header & LOW_BITS & !SIZE_MASK != 0 {
            return Err(cursor.malformed(start, "reserved bits of a TypeDef header are set"));
        }
        let mut body = self.reader.sub(size).map_err(|e| cursor.wire(e))?;
        let expected = rules::header_of(body.rest(), header & LOW_BITS);
        if expected != header {
            let text = format!(
                "TypeDef hash is {:#015x}, but its body hashes to {:#015x}",
                header >> 12,
                expected >> 12
            );
            return Err(cursor.malformed(start, text));
        }
        let def = read_body(&mut body, cursor, index)?;
        if !body.is_empty() {
            let text = format!("{} bytes left in a TypeDef", body.remaining());
            return Err(cursor.malformed(body.offset(), text));
        }
        Ok(def)
    }
}

fn read_body(
    body: &mut Reader<'_>,
    cursor: &mut Cursor<'_>,
    index: usize,
) -> Result<RemoteDef, Error> {
    const IS_STRUCT: u8 = 0x80;
    const COMPATIBLE: u8 = 0x40;
    const BY_NAME: u8 = 0x20;
    const MANY_FIELDS: u8 = 31;
    const KINDS: [u8; 6] = [
        id::ENUM,
        id::NAMED_ENUM,
        id::EXT,
        id::NAMED_EXT,
        id::TYPED_UNION,
        id::NAMED_UNION,
    ];
    let start = body.offset();
    let flags = body.u8().map_err(|e| cursor.wire(e))?;
    let mut count = 0;
    let (type_id, by_name) = if flags & IS_STRUCT != 0 {
        count = u64::from(flags & MANY_FIELDS);
        if flags & MANY_FIELDS == MANY_FIELDS {
            count += u64::from(body.varint32().map_err(|e| cursor.wire(e))?);
        }
        let by_name = flags & BY_NAME != 0;
        let type_id = match (flags & COMPATIBLE != 0, by_name) {
            (false, false) => id::STRUCT,
            (true, false) => id::COMPATIBLE_STRUCT,
            (false, true) => id::NAMED_STRUCT,
            (true, true) => id::NAMED_COMPATIBLE_STRUCT,
        };
        (type_id, by_name)
    } else {
        let Some(kind) = KINDS.get(usize::from(flags)) else {
            return Err(cursor.malformed(start, format!("no TypeDef has the kind {flags}")));
        };
        (*kind, flags & 1 == 1)
    };
    cursor.span(start, body.offset(), Part::Metadata, "TypeDef kind", || {
        format!("{}, {count} fields", id::name(type_id))
    });
    let registration = if by_name {
        Registration::Name {
            namespace: read_packed_name(body, cursor, Place::Namespace)?,
            name: read_packed_name(body, cursor, Place::TypeName)?,
        }
    } else {
        let at = body.offset();
        let user_id = body.varint32().map_err(|e| cursor.wire(e))?;
        cursor.span(at, body.offset(), Part::Metadata, "user type id", || {
            user_id.to_string()
        });
        Registration::Id(user_id)
    };
    cursor.check_count(body, start, count, 2)?;
    cursor.charge(start, count as usize, size_of::<RemoteField>())?;
    let mut fields: Vec<RemoteField> = Vec::with_capacity(count as usize);
    let mut seen = std::collections::HashSet::with_capacity(count as usize);
    for _ in 0..count {
        let at = body.offset();
        let field = read_field(body, cursor)?;
        if !seen.insert(field.key.clone()) {
            return Err(cursor.malformed(at, "TypeDef names a field twice"));
        }
        fields.push(field);
    }
    Ok(RemoteDef {
        index,
        type_id,
        registration,
        fields,
    })
}

fn read_packed_name(
    body: &mut Reader<'_>,
    cursor: &mut Cursor<'_>,
    place: Place,
) -> Result<String, Error> {
    const LONG: u8 = 63;
    let start = body.offset();
    let header = body.u8().map_err(|e| cursor.wire(e))?;
    let mut len = u64::from(header >> 2);
    if header >> 2 == LONG {
        len += u64::from(body.varint32().map_err(|e| cursor.wire(e))?);
    }
    let text = packed_text(body, cursor, start, header & 3, len, place)?;
    let meaning = match place {
        Place::Namespace => "namespace",
        _ => "type name",
    };
    cursor.span(start, body.offset(), Part::Metadata, meaning, || {
        format!("{text:?}")
    });
    Ok(text)
}

fn packed_text(
    body: &mut Reader<'_>,
    cursor: &Cursor<'_>,
    start: usize,
    number: u8,
    len: u64,
    place: Place,
) -> Result<String, Error> {
    let encoding = place.encodings().get(usize::from(number)).copied();
    let text = || format!("encoding {number} is not allowed for this name");
    let encoding = encoding.ok_or_else(|| cursor.malformed(start, text()))?;
    let bytes = body.take(len).map_err(|e| cursor.wire(e))?;
    if bytes.is_empty() {
        return Ok(String::new());
    }
    let text = meta_string::decode(bytes, encoding, place);
    text.map_err(|text| cursor.malformed(start, text))
}

fn read_field(body: &mut Reader<'_>, cursor: &mut Cursor<'_>) -> Result<RemoteField, Error> {
    const BY_ID: u8 = 3;
    const LONG: u8 = 15;
    let start = body.offset();
    let header = body.u8().map_err(|e| cursor.wire(e))?;
    let (encoding, short) = (header >> 6, header >> 2 & LONG);
    let mut size = u64::from(short);
    if short == LONG {
        size += u64::from(body.varint32().map_err(|e| cursor.wire(e))?);
    }
    let at = body.offset();
    let type_id = body.u8().map_err(|e| cursor.wire(e))?;
    let mut wire = WireType {
        nullable: header & 2 != 0,
        reference: header & 1 != 0,
        ..WireType::plain(check_type(cursor, at, u32::from(type_id))?)
    };
    wire.children = read_children(body, cursor, wire.id)?;
    let key = if encoding == BY_ID {
        match u32::try_from(size) {
            Ok(number) => FieldKey::Id(number),
            Err(_) => return Err(cursor.malformed(start, format!("field id {size} is too large"))),
        }
    } else {
        let name = packed_text(body, cursor, start, encoding, size + 1, Place::FieldName)?;
        FieldKey::Name(name)
    };
    cursor.span(
        start,
        body.offset(),
        Part::Metadata,
        "TypeDef field",
        || {
            let name = match &key {
                FieldKey::Id(number) => format!("id {number}"),
                FieldKey::Name(name) => format!("{name:?}"),
            };
            format!("{name}: {}", describe_wire(&wire))
        },
    );
    Ok(RemoteField { key, wire })
}

fn check_type(cursor: &Cursor<'_>, at: usize, type_id: u32) -> Result<u8, Error> {
    match u8::try_from(type_id) {
        Ok(type_id @ id::UNKNOWN..=id::FLOAT64_ARRAY) => Ok(type_id),
        _ => Err(cursor.malformed(at, format!("no type has the id {type_id}"))),
    }
}

fn read_children(
    body: &mut Reader<'_>,
    cursor: &mut Cursor<'_>,
    type_id: u8,
) -> Result<Vec<WireType>, Error> {
    let count = match type_id {
        id::LIST | id::SET => 1,
        id::MAP => 2,
        _ => return Ok(Vec::new()),
    };
    let start = body.offset();
    cursor.nested(start, |cursor| {
        cursor.charge(start, count, size_of::<WireType>())?;
        let mut children = Vec::with_capacity(count);
        for _ in 0..count {
            let at = body.offset();
            let header = body.varint32().map_err(|e| cursor.wire(e))?;
            let type_id = check_type(cursor, at, header >> 2)?;
            children.push(WireType {
                id: type_id,
                nullable: header & 2 != 0,
                reference: header & 1 != 0,
                children: read_children(body, cursor, type_id)?,
            });
        }
        Ok(children)
    })
}

/// A wire type in words: `list<int32?>`.
pub(super) fn describe_wire(wire: &WireType) -> String {
    let inner: Vec<_> = wire.children.iter().map(describe_wire).collect();
    let inner = if inner.is_empty() {
        String::new()
    } else {
        format!("<{}>", inner.join(", "))
    };
    let nullable = if wire.nullable { "?" } else { "" };
    let tracked = if wire.reference { "&" } else { "" };
    format!("{}{inner}{nullable}{tracked}", id::name(wire.id))
}
