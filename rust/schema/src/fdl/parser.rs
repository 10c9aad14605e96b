//! Tokens to definitions: the grammar of "Schema IDL" in Fory's compiler documentation.
//!
//! Keywords are words with a meaning at their place and can name fields elsewhere.

use super::ast::{Definition, EnumDef, File, MessageDef, Name, TypeOptions, UnionDef};
use super::lexer::{Place, Token, error_at, tokens};
use crate::Error;

/// Deepest nesting of messages, and of collections in one type.
pub(super) const MAX_DEPTH: usize = 64;

pub(super) fn parse(name: &str, text: &str) -> Result<File, Error> {
    let mut parser = Parser {
        file: name,
        tokens: tokens(name, text)?,
        position: 0,
    };
    parser.file()
}

pub(super) struct Parser<'t> {
    file: &'t str,
    tokens: Vec<(Token, Place)>,
    position: usize,
}

/// The value of an option.
#[derive(Debug, PartialEq)]
pub(super) enum OptionValue {
    Bool(bool),
    Integer(String),
    Text(String),
    Word(String),
}

pub(super) struct TypeOption {
    pub name: Name,
    pub value: OptionValue,
    pub value_place: Place,
}

impl Parser<'_> {
    pub(super) fn peek(&self) -> &Token {
        &self.tokens[self.position].0
    }

    pub(super) fn peek_after(&self, count: usize) -> &Token {
        let last = self.tokens.len() - 1;
        &self.tokens[(self.position + count).min(last)].0
    }

    pub(super) fn place(&self) -> Place {
        self.tokens[self.position].1
    }

    fn advance(&mut self) -> (Token, Place) {
        let token = self.tokens[self.position].clone();
        if self.position + 1 < self.tokens.len() {
            self.position += 1;
        }
        token
    }

    pub(super) fn error(&self, place: Place, message: impl Into<String>) -> Error {
        error_at(self.file, place, message)
    }

    pub(super) fn expected(&self, what: &str) -> Error {
        let found = self.peek().shown();
        self.error(self.place(), format!("expected {what}, found {found}"))
    }

    pub(super) fn is_word(&self, word: &str) -> bool {
        matches!(self.peek(), Token::Word(text) if text == word)
    }

    pub(super) fn take_word(&mut self, word: &str) -> Option<Place> {
        if !self.is_word(word) {
            return None;
        }
        Some(self.advance().1)
    }

    pub(super) fn is_mark(&self, mark: char) -> bool {
        *self.peek() == Token::Mark(mark)
    }

    pub(super) fn take_mark(&mut self, mark: char) -> bool {
        let found = self.is_mark(mark);
        if found {
            self.advance();
        }
        found
    }

    pub(super) fn mark(&mut self, mark: char, after: &str) -> Result<(), Error> {
        if self.take_mark(mark) {
            return Ok(());
        }
        // A missing `;` is reported where it belongs: behind the token before.
        if mark == ';' && self.position > 0 {
            let found = self.peek().shown();
            let message = format!("expected `;` after {after}, found {found}");
            return Err(self.error(self.place(), message));
        }
        Err(self.expected(&format!("`{mark}` after {after}")))
    }

    pub(super) fn name(&mut self, what: &str) -> Result<Name, Error> {
        match self.peek() {
            Token::Word(_) => {}
            _ => return Err(self.expected(what)),
        }
        match self.advance() {
            (Token::Word(text), place) => Ok(Name { text, place }),
            (_, place) => Err(self.error(place, format!("expected {what}"))),
        }
    }

    pub(super) fn dotted_name(&mut self, what: &str) -> Result<Name, Error> {
        let mut name = self.name(what)?;
        while self.take_mark('.') {
            name.text.push('.');
            name.text.push_str(&self.name("a name after `.`")?.text);
        }
        Ok(name)
    }

    fn string(&mut self, what: &str) -> Result<Name, Error> {
        match self.peek() {
            Token::Text(_) => {}
            _ => return Err(self.expected(what)),
        }
        match self.advance() {
            (Token::Text(text), place) => Ok(Name { text, place }),
            (_, place) => Err(self.error(place, format!("expected {what}"))),
        }
    }

    fn integer(&mut self, what: &str) -> Result<(String, Place), Error> {
        match self.peek() {
            Token::Integer(_) => {}
            _ => return Err(self.expected(what)),
        }
        match self.advance() {
            (Token::Integer(text), place) => Ok((text, place)),
            (_, place) => Err(self.error(place, format!("expected {what}"))),
        }
    }

    /// A number that identifies a field or a union's case.
    pub(super) fn id_number(&mut self, what: &str) -> Result<(u32, Place), Error> {
        let (text, place) = self.integer(what)?;
        let number = text.parse().map_err(|_| {
            let message = format!("{what} must lie in 0..=4294967295, not {text}");
            self.error(place, message)
        })?;
        Ok((number, place))
    }

    fn file(&mut self) -> Result<File, Error> {
        let mut file = File {
            package: String::new(),
            package_alias: None,
            auto_type_id: true,
            evolving: true,
            imports: Vec::new(),
            definitions: Vec::new(),
            rpc_types: Vec::new(),
        };
        let mut package = None;
        loop {
            let place = self.place();
            if *self.peek() == Token::End {
                return Ok(file);
            } else if let Some(definition) = self.definition(0)? {
                file.definitions.push(definition);
            } else if self.take_word("package").is_some() {
                if package.replace(place).is_some() {
                    return Err(self.error(place, "the file has a package already"));
                }
                if !file.definitions.is_empty() {
                    return Err(self.error(place, "the package must stand before all types"));
                }
                file.package = self.dotted_name("a package name")?.text;
                if self.take_word("alias").is_some() {
                    file.package_alias = Some(self.dotted_name("a package alias")?.text);
                }
                self.mark(';', "the package")?;
            } else if self.take_word("import").is_some() {
                if self.is_word("public") || self.is_word("weak") {
                    let kind = self.peek().shown();
                    let message =
                        format!("{kind} imports are protobuf's; write `import \"file.fdl\";`");
                    return Err(self.error(self.place(), message));
                }
                file.imports.push(self.string("a file name in quotes")?);
                self.mark(';', "the import")?;
            } else if self.is_word("option") {
                self.file_option(&mut file)?;
            } else if self.take_word("service").is_some() {
                self.service(&mut file.rpc_types)?;
            } else {
                return Err(self.expected(
                    "`package`, `option`, `import`, `message`, `enum`, `union` or `service`",
                ));
            }
        }
    }

    /// Options that only steer a code generator are read over: there is no closed list of them.
    fn file_option(&mut self, file: &mut File) -> Result<(), Error> {
        self.advance();
        let option = self.option("an option name")?;
        match option.name.text.as_str() {
            "enable_auto_type_id" => file.auto_type_id = self.boolean(&option)?,
            "evolving" => file.evolving = self.boolean(&option)?,
            _ => {}
        }
        self.mark(';', "the option")
    }

    pub(super) fn boolean(&self, option: &TypeOption) -> Result<bool, Error> {
        match option.value {
            OptionValue::Bool(value) => Ok(value),
            _ => {
                let message = format!("option `{}` is true or false", option.name.text);
                Err(self.error(option.value_place, message))
            }
        }
    }

    pub(super) fn text(&self, option: &TypeOption) -> Result<String, Error> {
        match &option.value {
            OptionValue::Text(text) | OptionValue::Word(text) => Ok(text.clone()),
            _ => {
                let message = format!("option `{}` is a string", option.name.text);
                Err(self.error(option.value_place, message))
            }
        }
    }

    /// `name = value`
    fn option(&mut self, what: &str) -> Result<TypeOption, Error> {
        if self.is_mark('(') {
            return Err(self.error(
                self.place(),
                "options in parentheses are protobuf's; write the name alone",
            ));
        }
        let name = self.name(what)?;
        self.mark('=', "the option name")?;
        let (token, value_place) = match self.peek() {
            Token::Word(_) | Token::Integer(_) | Token::Text(_) => self.advance(),
            _ => return Err(self.expected("an option value")),
        };
        let value = match token {
            Token::Word(word) if word == "true" => OptionValue::Bool(true),
            Token::Word(word) if word == "false" => OptionValue::Bool(false),
            Token::Word(word) => OptionValue::Word(word),
            Token::Integer(text) => OptionValue::Integer(text),
            Token::Text(text) => OptionValue::Text(text),
            other => {
                let message = format!("expected an option value, found {}", other.shown());
                return Err(self.error(value_place, message));
            }
        };
        Ok(TypeOption {
            name,
            value,
            value_place,
        })
    }

    /// `[a = 1, b = 2]` or `(a = 1)`, each option known and given once.
    pub(super) fn option_list(
        &mut self,
        close: char,
        known: &[&str],
    ) -> Result<Vec<TypeOption>, Error> {
        let mut options: Vec<TypeOption> = Vec::new();
        loop {
            let option = self.option("an option name")?;
            let name = &option.name;
            if !known.contains(&name.text.as_str()) {
                let message = format!(
                    "unknown option `{}`; known here: {}",
                    name.text,
                    known.join(", ")
                );
                return Err(self.error(name.place, message));
            }
            if options.iter().any(|other| other.name.text == name.text) {
                let message = format!("option `{}` is given twice", name.text);
                return Err(self.error(name.place, message));
            }
            options.push(option);
            if self.take_mark(close) {
                return Ok(options);
            }
            if !self.take_mark(',') {
                return Err(self.expected(&format!("`,` or `{close}`")));
            }
        }
    }

    /// A type definition, if one starts here.
    fn definition(&mut self, depth: usize) -> Result<Option<Definition>, Error> {
        // A field's type can't be called by a keyword, so the keyword and a name behind it decide.
        let keyword = match (self.peek(), self.peek_after(1), self.peek_after(2)) {
            (_, Token::Word(_), Token::Mark('=')) if depth > 0 => return Ok(None),
            (Token::Word(word), ..) => word.clone(),
            _ => return Ok(None),
        };
        let place = self.place();
        if depth > MAX_DEPTH {
            return Err(self.error(place, format!("messages nest deeper than {MAX_DEPTH}")));
        }
        Ok(Some(match keyword.as_str() {
            "message" => {
                self.advance();
                Definition::Message(self.message(depth)?)
            }
            "enum" => {
                self.advance();
                Definition::Enum(self.enumeration()?)
            }
            "union" => {
                self.advance();
                Definition::Union(self.union()?)
            }
            _ => return Ok(None),
        }))
    }

    fn message(&mut self, depth: usize) -> Result<MessageDef, Error> {
        let name = self.name("a message name")?;
        let known = [
            "id",
            "alias",
            "evolving",
            "namespace",
            "deprecated",
            "use_record_for_java",
        ];
        let mut message = MessageDef {
            options: self.type_options(&known, 1)?,
            name,
            fields: Vec::new(),
            nested: Vec::new(),
            reserved: Default::default(),
        };
        self.mark('{', "the message name")?;
        while !self.take_mark('}') {
            if self.take_word("reserved").is_some() {
                self.reserved(&mut message.reserved)?;
            } else if self.is_word("option") && matches!(self.peek_after(2), Token::Mark('=')) {
                return Err(self.misplaced_option("message"));
            } else if let Some(nested) = self.definition(depth + 1)? {
                message.nested.push(nested);
            } else {
                message.fields.push(self.field()?);
            }
        }
        Ok(message)
    }

    fn misplaced_option(&self, kind: &str) -> Error {
        let message =
            format!("options of {kind} stand in brackets behind its name, not in its body");
        self.error(self.place(), message)
    }

    fn enumeration(&mut self) -> Result<EnumDef, Error> {
        let name = self.name("an enum name")?;
        let known = ["id", "alias", "namespace", "deprecated"];
        let mut enumeration = EnumDef {
            options: self.type_options(&known, 1)?,
            name,
            values: Vec::new(),
            reserved: Default::default(),
        };
        self.mark('{', "the enum name")?;
        while !self.take_mark('}') {
            let assigns = matches!(self.peek_after(1), Token::Mark('='));
            if !assigns && self.take_word("reserved").is_some() {
                self.reserved(&mut enumeration.reserved)?;
                continue;
            }
            if !assigns && self.is_word("option") {
                return Err(self.misplaced_option("an enum"));
            }
            let value = self.name("a value name, `reserved` or `}`")?;
            self.mark('=', "the value name")?;
            let (text, place) = self.integer("the value's number")?;
            let number = text.parse().map_err(|_| {
                self.error(place, format!("an enum's numbers have 32 bits, not {text}"))
            })?;
            self.mark(';', "the value")?;
            enumeration.values.push((value, number, place));
        }
        Ok(enumeration)
    }

    fn union(&mut self) -> Result<UnionDef, Error> {
        let name = self.name("a union name")?;
        let known = ["id", "alias", "namespace", "deprecated"];
        let mut union = UnionDef {
            options: self.type_options(&known, 0)?,
            name,
            cases: Vec::new(),
            reserved: Default::default(),
        };
        self.mark('{', "the union name")?;
        while !self.take_mark('}') {
            if self.take_word("reserved").is_some() {
                self.reserved(&mut union.reserved)?;
            } else {
                union.cases.push(self.field()?);
            }
        }
        Ok(union)
    }

    /// `lowest_id` is 1 for messages and enums, 0 for unions, as in Fory's compiler; 2^32 - 1 is
    /// no registration number (xlang spec, "Type ID").
    fn type_options(&mut self, known: &[&str], lowest_id: u32) -> Result<TypeOptions, Error> {
        let mut options = TypeOptions::default();
        if !self.take_mark('[') {
            return Ok(options);
        }
        for option in self.option_list(']', known)? {
            match option.name.text.as_str() {
                "id" => {
                    let highest = u32::MAX - 1;
                    let id = match &option.value {
                        OptionValue::Integer(text) => text.parse::<u32>().ok(),
                        _ => None,
                    };
                    let id = id.filter(|id| (lowest_id..=highest).contains(id));
                    options.id = Some(id.ok_or_else(|| {
                        let message = format!("a type id lies in {lowest_id}..={highest}");
                        self.error(option.value_place, message)
                    })?);
                }
                "alias" => options.alias = Some(self.text(&option)?),
                "namespace" => options.namespace = Some(self.text(&option)?),
                "evolving" => options.evolving = Some(self.boolean(&option)?),
                _ => {
                    self.boolean(&option)?;
                }
            }
        }
        Ok(options)
    }

    fn reserved(&mut self, reserved: &mut super::ast::Reserved) -> Result<(), Error> {
        loop {
            if let Token::Text(_) = self.peek() {
                let name = self.string("a name")?;
                reserved.names.push(name.text);
            } else {
                let first = self.reserved_number("a number or a name in quotes")?;
                let last = if self.take_word("to").is_none() {
                    first
                } else if self.take_word("max").is_some() {
                    i64::MAX
                } else {
                    let place = self.place();
                    let last = self.reserved_number("a number or `max`")?;
                    if last < first {
                        return Err(self.error(place, "the range ends before it starts"));
                    }
                    last
                };
                reserved.ranges.push((first, last));
            }
            if !self.take_mark(',') {
                return self.mark(';', "the reserved list");
            }
        }
    }

    fn reserved_number(&mut self, what: &str) -> Result<i64, Error> {
        let (text, place) = self.integer(what)?;
        text.parse()
            .map_err(|_| self.error(place, format!("{text} is too large")))
    }

    /// Services define no data; their types must exist all the same.
    fn service(&mut self, types: &mut Vec<Name>) -> Result<(), Error> {
        self.name("a service name")?;
        self.mark('{', "the service name")?;
        while !self.take_mark('}') {
            if self.take_word("option").is_some() {
                self.option("an option name")?;
                self.mark(';', "the option")?;
                continue;
            }
            if self.take_word("rpc").is_none() {
                return Err(self.expected("`rpc`, `option` or `}`"));
            }
            self.name("a method name")?;
            types.push(self.rpc_type("the method name")?);
            if self.take_word("returns").is_none() {
                return Err(self.expected("`returns`"));
            }
            types.push(self.rpc_type("`returns`")?);
            if !self.take_mark('{') {
                self.mark(';', "the method")?;
                continue;
            }
            while !self.take_mark('}') {
                if self.take_mark(';') {
                    continue;
                }
                if self.take_word("option").is_none() {
                    return Err(self.expected("`option` or `}`"));
                }
                self.option("an option name")?;
                self.mark(';', "the option")?;
            }
        }
        Ok(())
    }

    fn rpc_type(&mut self, after: &str) -> Result<Name, Error> {
        self.mark('(', after)?;
        if self.is_word("stream") && !matches!(self.peek_after(1), Token::Mark(_)) {
            self.advance();
        }
        let name = self.dotted_name("a message or union")?;
        self.mark(')', "the type")?;
        Ok(name)
    }
}
