use interop_schema::{Presence, Schema};
use interop_wire::Limits;

use super::builder::{Builder, FromEnd};
use super::plan::{self, Column, Element, Kind, Scalar, Table};
use super::{Children, Dialect, EmptyVectors, MapOrder, NegativeZero, OptionalZeros};
use crate::{DynamicMessage, Error, Path, Segment, Value};

type Result<T> = std::result::Result<T, Error>;

/// Offsets are read as signed 32-bit numbers by several libraries.
const BUFFER_LEN_MAX: usize = i32::MAX as usize;

pub(super) fn encode(
    schema: &Schema,
    message: &DynamicMessage,
    dialect: Dialect,
) -> Result<Vec<u8>> {
    let mut encoder = Encoder {
        schema,
        dialect,
        builder: Builder::new(dialect.empty_vectors == EmptyVectors::AsElements),
        path: Path::default(),
        depth: 0,
    };
    let root = encoder.message(message)?;
    let bytes = encoder.builder.finish(root);
    if bytes.len() > BUFFER_LEN_MAX {
        return Err(Error::value(&Path::default(), "the buffer exceeds 2 GiB"));
    }
    Ok(bytes)
}

struct Encoder<'s> {
    schema: &'s Schema,
    dialect: Dialect,
    builder: Builder,
    path: Path,
    depth: u32,
}

impl<'s> Encoder<'s> {
    fn message(&mut self, message: &DynamicMessage) -> Result<FromEnd> {
        let count = self.schema.message(message.id).fields.len();
        let values: Vec<_> = (0..count).map(|index| message.get(index)).collect();
        self.table(Table::Message(message.id), &values)
    }

    fn table(&mut self, table: Table<'s>, values: &[Option<&Value>]) -> Result<FromEnd> {
        let limit = Limits::DEFAULT.depth;
        if self.depth >= limit {
            return Err(self.error(format!("nesting exceeds the depth limit of {limit}")));
        }
        self.depth += 1;
        let columns = plan::columns(self.schema, table);
        let children = self.children(&columns, values)?;
        let start = self.fields(&columns, values, &children)?;
        self.depth -= 1;
        Ok(start)
    }

    /// Writes the strings, vectors and tables that the fields refer to.
    fn children(
        &mut self,
        columns: &[Column<'s>],
        values: &[Option<&Value>],
    ) -> Result<Vec<Option<FromEnd>>> {
        let late = |column: &Column<'_>| {
            self.dialect.children == Children::ScalarVectorsLast
                && matches!(
                    column.kind,
                    Some(Kind::Bytes | Kind::Vector(Element::Scalar(_)))
                )
        };
        let (last, first): (Vec<_>, Vec<_>) =
            (0..columns.len()).partition(|&slot| late(&columns[slot]));
        let mut children = vec![None; columns.len()];
        for slot in first.into_iter().chain(last) {
            let column = &columns[slot];
            self.path
                .segments
                .push(Segment::Field(column.name.to_owned()));
            children[slot] = self.child(column, values[slot])?;
            self.path.segments.pop();
        }
        Ok(children)
    }

    fn child(&mut self, column: &Column<'s>, value: Option<&Value>) -> Result<Option<FromEnd>> {
        let Some(value) = value else {
            if column.presence == Presence::Required {
                return Err(self.error("required, but absent"));
            }
            if column.presence == Presence::Explicit {
                return Ok(None);
            }
            return Ok(match column.kind {
                Some(Kind::Text) => Some(self.builder.string("")),
                Some(Kind::Bytes) => Some(self.builder.scalars(0, 1, &[])),
                Some(Kind::Vector(Element::Scalar(scalar))) => {
                    Some(self.builder.scalars(0, scalar.size(), &[]))
                }
                Some(Kind::Vector(_)) => Some(self.builder.offsets(&[])),
                _ => None,
            });
        };
        let Some(kind) = column.kind else {
            return Err(self.error(format!("{:?} has no FlatBuffers form", column.ty)));
        };
        Ok(match (kind, value) {
            (Kind::Scalar(_), _) => None,
            (Kind::Text, Value::String(text)) => {
                self.check_len(text.len())?;
                Some(self.builder.string(text))
            }
            (Kind::Bytes, Value::Bytes(bytes)) => {
                self.check_len(bytes.len())?;
                Some(self.builder.scalars(bytes.len(), 1, bytes))
            }
            (Kind::Table(Table::Message(id)), Value::Message(message)) if message.id == id => {
                Some(self.message(message)?)
            }
            (Kind::Vector(Element::Table(table @ Table::Entry(..))), Value::Map(entries)) => {
                let mut entries: Vec<_> = entries.iter().collect();
                if self.dialect.map_order == MapOrder::Sorted {
                    entries.sort_by_cached_key(|(key, _)| key.key());
                }
                let mut offsets = Vec::with_capacity(entries.len());
                for (key, value) in entries {
                    let shown = match key {
                        Value::String(text) => text.clone(),
                        other => format!("{other:?}"),
                    };
                    self.path.segments.push(Segment::Key(shown));
                    offsets.push(self.table(table, &[present(key), present(value)])?);
                    self.path.segments.pop();
                }
                Some(self.builder.offsets(&offsets))
            }
            (Kind::Vector(Element::Scalar(scalar)), Value::List(values)) => {
                let mut bytes = Vec::with_capacity(values.len() * scalar.size());
                for (index, value) in values.iter().enumerate() {
                    self.path.segments.push(Segment::Index(index));
                    bytes.extend_from_slice(&self.scalar(scalar, value)?[..scalar.size()]);
                    self.path.segments.pop();
                }
                self.check_len(bytes.len())?;
                Some(self.builder.scalars(values.len(), scalar.size(), &bytes))
            }
            (Kind::Vector(element), Value::List(values)) => {
                let mut offsets = Vec::with_capacity(values.len());
                for (index, value) in values.iter().enumerate() {
                    self.path.segments.push(Segment::Index(index));
                    offsets.push(self.element(element, value)?);
                    self.path.segments.pop();
                }
                Some(self.builder.offsets(&offsets))
            }
            (_, value) => return Err(self.misfit(column, value)),
        })
    }

    fn element(&mut self, element: Element<'s>, value: &Value) -> Result<FromEnd> {
        match (element, value) {
            (Element::Text, Value::String(text)) => {
                self.check_len(text.len())?;
                Ok(self.builder.string(text))
            }
            (Element::Table(Table::Message(id)), Value::Message(message)) if message.id == id => {
                self.message(message)
            }
            (Element::Table(table @ Table::Item(_)), value) => self.table(table, &[present(value)]),
            (_, value) => Err(self.error(format!("a {} is no element here", value.kind()))),
        }
    }

    /// Writes a table's fields, the largest first and the last slot first among equals: builders
    /// write so to save padding.
    fn fields(
        &mut self,
        columns: &[Column<'s>],
        values: &[Option<&Value>],
        children: &[Option<FromEnd>],
    ) -> Result<FromEnd> {
        let mut table = self.builder.start_table(columns.len());
        for size in [8, 4, 2, 1] {
            for (slot, column) in columns.iter().enumerate().rev() {
                let Some(kind) = column.kind.filter(|kind| kind.size() == size) else {
                    continue;
                };
                if let Some(child) = children[slot] {
                    let at = self.builder.offset(child);
                    table.set(slot, at);
                } else if let (Kind::Scalar(scalar), Some(value)) = (kind, values[slot]) {
                    let omits = column.presence == Presence::Implicit
                        || self.dialect.optional_zeros == OptionalZeros::Omitted;
                    if omits && self.is_default(scalar, value) {
                        continue;
                    }
                    self.path
                        .segments
                        .push(Segment::Field(column.name.to_owned()));
                    let bytes = self.scalar(scalar, value)?;
                    let at = self.builder.scalar(&bytes[..size]);
                    table.set(slot, at);
                    self.path.segments.pop();
                }
            }
        }
        if self.builder.len() > BUFFER_LEN_MAX {
            return Err(self.error("the buffer exceeds 2 GiB"));
        }
        let end = self.builder.end_table(table);
        end.ok_or_else(|| self.error("the table exceeds 64 KiB"))
    }

    fn is_default(&self, scalar: Scalar, value: &Value) -> bool {
        let loses_sign = self.dialect.negative_zero == NegativeZero::Omitted;
        match (scalar, value) {
            (Scalar::Enum { id, .. }, Value::Enum(number)) => {
                *number == self.schema.enumeration(id).default_number()
            }
            (_, Value::Float32(value)) if loses_sign => *value == 0.0,
            (_, Value::Float64(value)) if loses_sign => *value == 0.0,
            (_, value) => value.is_zero(),
        }
    }

    /// The little-endian bytes of a scalar, in front of zeros.
    fn scalar(&self, scalar: Scalar, value: &Value) -> Result<[u8; 8]> {
        let bits = match (scalar, value) {
            (Scalar::Bool, Value::Bool(value)) => u64::from(*value),
            (Scalar::Int { bytes }, Value::Int(value)) if fits(*value, bytes) => *value as u64,
            (Scalar::UInt { bytes }, Value::UInt(value))
                if *value <= u64::MAX >> (64 - 8 * bytes) =>
            {
                *value
            }
            (Scalar::Enum { bytes, .. }, Value::Enum(number))
                if fits(i64::from(*number), bytes) =>
            {
                *number as u64
            }
            (Scalar::Float16, Value::Float16(bits)) | (Scalar::BFloat16, Value::BFloat16(bits)) => {
                u64::from(*bits)
            }
            (Scalar::Float32, Value::Float32(value)) => value.to_bits().into(),
            (Scalar::Float64, Value::Float64(value)) => value.to_bits(),
            (Scalar::Date, Value::Date(days)) => *days as u64,
            (scalar, value) => {
                let text = format!("{value:?} does not fit in {scalar:?}");
                return Err(self.error(text));
            }
        };
        Ok(bits.to_le_bytes())
    }

    fn check_len(&self, len: usize) -> Result<()> {
        match len <= BUFFER_LEN_MAX {
            true => Ok(()),
            false => Err(self.error("the buffer exceeds 2 GiB")),
        }
    }

    fn misfit(&self, column: &Column<'_>, value: &Value) -> Error {
        let kind = value.kind();
        self.error(format!("a {kind} has no place in a {:?}", column.ty))
    }

    fn error(&self, text: impl Into<String>) -> Error {
        Error::value(&self.path, text)
    }
}

fn present(value: &Value) -> Option<&Value> {
    match value {
        Value::Null => None,
        value => Some(value),
    }
}

fn fits(value: i64, bytes: usize) -> bool {
    let unused = 64 - 8 * bytes;
    value << unused >> unused == value
}
