//! Fields and their types: the part of the grammar that messages and unions share.

use super::ast::{FieldDef, Name, SlotDef, TypeDef, TypeKind};
use super::lexer::{Place, Token};
use super::parser::{MAX_DEPTH, Parser};
use crate::Error;
use crate::scalar::scalar_type;

const FIELD_OPTIONS: [&str; 12] = [
    "nullable",
    "ref",
    "json_name",
    "deprecated",
    "packed",
    "lazy",
    "weak",
    "weak_ref",
    "thread_safe",
    "thread_safe_pointer",
    "java_array",
    "debug_redact",
];

/// They choose the pointer type in generated code, not the wire form.
const REF_OPTIONS: [&str; 4] = ["weak", "weak_ref", "thread_safe", "thread_safe_pointer"];

#[derive(Default)]
struct Modifiers {
    optional: Option<Place>,
    reference: Option<Place>,
}

impl Parser<'_> {
    /// `optional ref list<T> name = 1 [options];`
    pub(super) fn field(&mut self) -> Result<FieldDef, Error> {
        let start = self.place();
        let mut slot = self.slot(0)?;
        let name = self.name("a field name")?;
        self.mark('=', "the field name")?;
        let (number, number_place) = self.id_number("the field's number")?;
        let mut field_nullable = None;
        let mut json_name = None;
        if self.take_mark('[') {
            for option in self.option_list(']', &FIELD_OPTIONS)? {
                match option.name.text.as_str() {
                    "nullable" => field_nullable = Some(self.boolean(&option)?),
                    "json_name" => json_name = Some(self.text(&option)?),
                    "ref" => {
                        if self.boolean(&option)? {
                            let place = option.name.place;
                            referenced(&mut slot).get_or_insert(place);
                        }
                    }
                    _ => {
                        self.boolean(&option)?;
                    }
                }
            }
        }
        if field_nullable == Some(false) && slot.optional.is_some() {
            return Err(self.error(start, "the field is both optional and nullable = false"));
        }
        self.mark(';', "the field")?;
        Ok(FieldDef {
            name,
            number,
            number_place,
            slot,
            nullable: field_nullable,
            json_name,
        })
    }

    fn modifiers(&mut self) -> Result<Modifiers, Error> {
        let mut modifiers = Modifiers::default();
        loop {
            // A word in front of `=` is a field's name, whatever it says.
            if matches!(self.peek_after(1), Token::Mark('=')) {
                return Ok(modifiers);
            }
            let place = self.place();
            let twice = if self.take_word("optional").is_some() {
                modifiers.optional.replace(place).is_some()
            } else if self.take_word("ref").is_some() {
                if self.take_mark('(') {
                    for option in self.option_list(')', &REF_OPTIONS)? {
                        self.boolean(&option)?;
                    }
                }
                modifiers.reference.replace(place).is_some()
            } else {
                return Ok(modifiers);
            };
            if twice {
                return Err(self.error(place, "this modifier stands here twice"));
            }
        }
    }

    /// Modifiers and a type.
    fn slot(&mut self, depth: usize) -> Result<SlotDef, Error> {
        let place = self.place();
        if depth > MAX_DEPTH {
            let message = format!("collections nest deeper than {MAX_DEPTH}");
            return Err(self.error(place, message));
        }
        let Modifiers {
            optional,
            reference,
        } = self.modifiers()?;
        let ty = if depth == 0 && self.is_word("repeated") {
            let place = self.place();
            self.take_word("repeated");
            if self.is_word("repeated") {
                return Err(self.error(self.place(), "`repeated` stands here twice"));
            }
            TypeDef {
                place,
                kind: TypeKind::List(Box::new(self.slot(1)?)),
            }
        } else {
            self.type_def(depth)?
        };
        Ok(SlotDef {
            ty,
            optional,
            reference,
        })
    }

    fn type_def(&mut self, depth: usize) -> Result<TypeDef, Error> {
        let place = self.place();
        let word = match self.peek() {
            Token::Word(word) => word.clone(),
            _ => return Err(self.expected("a type")),
        };
        let opens = matches!(self.peek_after(1), Token::Mark('<'));
        let kind = match word.as_str() {
            "list" | "set" | "array" if opens => {
                self.take_word(&word);
                self.take_mark('<');
                let element = Box::new(self.slot(depth + 1)?);
                self.mark('>', "the element type")?;
                match word.as_str() {
                    "list" => TypeKind::List(element),
                    "set" => TypeKind::Set(element),
                    _ => TypeKind::Array(element),
                }
            }
            "map" if opens => {
                self.take_word(&word);
                self.take_mark('<');
                let key = Box::new(self.slot(depth + 1)?);
                self.mark(',', "the key type")?;
                let value = Box::new(self.slot(depth + 1)?);
                self.mark('>', "the value type")?;
                TypeKind::Map(key, value)
            }
            "list" | "set" | "array" | "map" => {
                self.take_word(&word);
                return Err(self.expected(&format!("`<` after `{word}`")));
            }
            "fixed" | "varint" | "tagged" if matches!(self.peek_after(1), Token::Word(_)) => {
                self.take_word(&word);
                let name = self.name("a type")?;
                let ty = scalar_type(&format!("{word} {}", name.text));
                let ty = ty.ok_or_else(|| {
                    let message = format!(
                        "`{word}` does not go with `{}`: fixed and varint take 32 and 64 bit \
                         integers, tagged takes 64 bit ones",
                        name.text
                    );
                    self.error(place, message)
                })?;
                TypeKind::Scalar { ty, encoded: true }
            }
            _ => {
                let Name { text, .. } = self.dotted_name("a type")?;
                match scalar_type(&text) {
                    Some(ty) => TypeKind::Scalar { ty, encoded: false },
                    None => TypeKind::Named(text),
                }
            }
        };
        Ok(TypeDef { place, kind })
    }
}

/// The position that a field's `ref` option means: the elements of a list or set, the values
/// of a map, else the field.
fn referenced(slot: &mut SlotDef) -> &mut Option<Place> {
    // Two steps, because a borrow returned from one arm would last through the others.
    let inner = matches!(
        slot.ty.kind,
        TypeKind::List(_) | TypeKind::Set(_) | TypeKind::Map(..)
    );
    if !inner {
        return &mut slot.reference;
    }
    match &mut slot.ty.kind {
        TypeKind::List(element) | TypeKind::Set(element) => &mut element.reference,
        TypeKind::Map(_, value) => &mut value.reference,
        _ => &mut slot.reference,
    }
}
