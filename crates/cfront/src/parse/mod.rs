//! The parser: declarations and types. C needs to know which names are types, so the parser keeps
//! the scopes of names while it goes.

mod expression;
mod statement;

use crate::ast::*;
use crate::lexer::{Place, Problem, Token, Tokens};
use std::collections::HashMap;

/// Nesting beyond this is refused, so that no text makes the parser run out of stack.
const DEEPEST: u32 = 600;

pub(crate) struct Parser<'a> {
    tokens: &'a Tokens,
    at: usize,
    /// Innermost last; whether the name is a type.
    scopes: Vec<HashMap<String, bool>>,
    depth: u32,
}

type Parsed<T> = Result<T, Problem>;

/// Parses a translation unit.
pub(crate) fn parse(tokens: &Tokens) -> Parsed<Vec<Item>> {
    let mut scope = HashMap::new();
    scope.insert("__builtin_va_list".to_owned(), true);
    let mut parser = Parser { tokens, at: 0, scopes: vec![scope], depth: 0 };
    let mut items = Vec::new();
    while *parser.token() != Token::End {
        if parser.take(";") {
            continue;
        }
        if let Some(item) = parser.item()? {
            items.push(item);
        }
    }
    Ok(items)
}

/// The specifiers of a declaration.
struct Specifiers {
    storage: Storage,
    thread_local: bool,
    ty: TypeName,
}

/// What stands between a name and its type: pointers, brackets, parameters, from the name outward.
enum Part {
    Pointer { volatile: bool },
    Array(Option<Expr>),
    Function(Vec<Declared>, bool),
}

impl<'a> Parser<'a> {
    fn token(&self) -> &'a Token {
        &self.tokens.list[self.at].0
    }

    fn ahead(&self, by: usize) -> &'a Token {
        &self.tokens.list[(self.at + by).min(self.tokens.list.len() - 1)].0
    }

    fn place(&self) -> Place {
        self.tokens.list[self.at].1
    }

    fn advance(&mut self) {
        if self.at + 1 < self.tokens.list.len() {
            self.at += 1;
        }
    }

    /// The text from a token to the last one taken.
    fn since(&self, from: Place) -> Span {
        let last = self.tokens.list[self.at.max(1) - 1].1;
        Span { from, end: last.end.max(from.end) }
    }

    fn problem(&self, what: impl Into<String>) -> Problem {
        let place = self.place();
        let file = self.tokens.files[place.file as usize].clone();
        Problem { file, line: place.line, what: what.into() }
    }

    fn expected(&self, what: &str) -> Problem {
        let found = match self.token() {
            Token::Word(word) => format!("`{word}`"),
            Token::Mark(mark) => format!("`{mark}`"),
            Token::End => "the end of the file".to_owned(),
            Token::Integer { .. } | Token::Float(_) => "a number".to_owned(),
            Token::Character(_) => "a character".to_owned(),
            Token::Text(_) => "a string".to_owned(),
        };
        self.problem(format!("{what} is expected here, not {found}"))
    }

    fn is(&self, mark: &str) -> bool {
        matches!(self.token(), Token::Mark(found) if *found == mark)
    }

    fn take(&mut self, mark: &str) -> bool {
        let found = self.is(mark);
        if found {
            self.advance();
        }
        found
    }

    fn need(&mut self, mark: &str) -> Parsed<()> {
        if self.take(mark) { Ok(()) } else { Err(self.expected(&format!("`{mark}`"))) }
    }

    fn word(&self) -> Option<&'a str> {
        match self.token() {
            Token::Word(word) => Some(word),
            _ => None,
        }
    }

    fn take_word(&mut self, words: &[&str]) -> bool {
        let found = self.word().is_some_and(|word| words.contains(&word));
        if found {
            self.advance();
        }
        found
    }

    fn deeper<T>(&mut self, parse: impl FnOnce(&mut Self) -> Parsed<T>) -> Parsed<T> {
        if self.depth >= DEEPEST {
            return Err(self.problem("this is nested too deeply"));
        }
        self.depth += 1;
        let parsed = parse(self);
        self.depth -= 1;
        parsed
    }

    fn declare(&mut self, name: &str, is_type: bool) {
        if let Some(scope) = self.scopes.last_mut() {
            scope.insert(name.to_owned(), is_type);
        }
    }

    fn is_type(&self, name: &str) -> bool {
        self.scopes.iter().rev().find_map(|scope| scope.get(name)) == Some(&true)
    }

    /// Whether a type begins at a token.
    fn starts_type(&self, ahead: usize) -> bool {
        let Token::Word(word) = self.ahead(ahead) else {
            return false;
        };
        is_type_word(word) || self.is_type(word)
    }

    /// Whether a declaration begins here.
    fn starts_declaration(&self) -> bool {
        let storage = [
            "typedef",
            "static",
            "extern",
            "register",
            "auto",
            "inline",
            "__inline",
            "__inline__",
            "_Noreturn",
            "__extension__",
            "_Thread_local",
            "__thread",
            "_Alignas",
            "_Static_assert",
            "__auto_type",
        ];
        let labelled = matches!(self.ahead(1), Token::Mark(":"));
        self.word().is_some_and(|word| storage.contains(&word))
            || (self.starts_type(0) && !labelled)
            || (self.word() == Some("__attribute__"))
    }

    /// Skips attributes and the like; says whether one of them is `packed`.
    fn attributes(&mut self) -> Parsed<bool> {
        let mut packed = false;
        loop {
            if self.take_word(&[
                "__attribute__",
                "__attribute",
                "__asm__",
                "asm",
                "__asm",
                "_Alignas",
            ]) {
                let from = self.at;
                self.skip_group()?;
                let inside = &self.tokens.list[from..self.at];
                packed |= inside.iter().any(|(token, _)| {
                    matches!(token, Token::Word(word) if word == "packed" || word == "__packed__")
                });
            } else if self.is("[") && matches!(self.ahead(1), Token::Mark("[")) {
                self.skip_group()?;
            } else if !self.take_word(&["__extension__"]) {
                return Ok(packed);
            }
        }
    }

    /// Skips a parenthesis or bracket with all that is in it.
    fn skip_group(&mut self) -> Parsed<()> {
        let mut open = 0;
        loop {
            match self.token() {
                Token::Mark("(" | "[") => open += 1,
                Token::Mark(")" | "]") => open -= 1,
                Token::End => return Err(self.expected("`)`")),
                _ => {}
            }
            self.advance();
            if open <= 0 {
                return Ok(());
            }
        }
    }

    fn item(&mut self) -> Parsed<Option<Item>> {
        if self.take_word(&["_Static_assert"]) {
            self.skip_group()?;
            return Ok(None);
        }
        if self.take_word(&["asm", "__asm__"]) {
            self.skip_group()?;
            return Ok(None);
        }
        let from = self.place();
        let specifiers = self.specifiers()?;
        if self.take(";") {
            return Ok(Some(Item::Declarations(Vec::new(), specifiers.ty)));
        }
        let declared = self.declarator(specifiers.ty.clone(), from)?;
        self.attributes()?;
        if let (true, TypeName::Function { result, parameters, variadic }) =
            (self.is("{") || self.starts_type(0), &declared.ty)
        {
            let Some(name) = declared.name.clone() else {
                return Err(self.problem("a function needs a name"));
            };
            if !self.is("{") {
                return Err(self.problem(
                    "parameters declared in the old style are not supported; declare them between the parentheses",
                ));
            }
            self.declare(&name, false);
            let scope = parameters.iter().filter_map(|p| p.name.clone()).map(|n| (n, false));
            self.scopes.push(scope.collect());
            let body = self.block();
            self.scopes.pop();
            return Ok(Some(Item::Function(Box::new(Function {
                name,
                result: (**result).clone(),
                parameters: parameters.clone(),
                variadic: *variadic,
                is_static: specifiers.storage == Storage::Static,
                body: body?,
                span: declared.span,
            }))));
        }
        let ty = specifiers.ty.clone();
        Ok(Some(Item::Declarations(self.declarations(specifiers, Some(declared))?, ty)))
    }

    /// The declarators of a declaration, up to its `;`.
    fn declarations(
        &mut self,
        specifiers: Specifiers,
        mut first: Option<Declared>,
    ) -> Parsed<Vec<Declaration>> {
        let mut all = Vec::new();
        loop {
            let from = self.place();
            let declared = match first.take() {
                Some(first) => first,
                None => self.declarator(specifiers.ty.clone(), from)?,
            };
            self.attributes()?;
            if let Some(name) = &declared.name {
                self.declare(name, specifiers.storage == Storage::Typedef);
            }
            let initial = if self.take("=") { Some(self.initial()?) } else { None };
            let mut declared = declared;
            declared.span = self.since(declared.span.from);
            let (storage, thread_local) = (specifiers.storage, specifiers.thread_local);
            all.push(Declaration { storage, declared, initial, thread_local });
            if !self.take(",") {
                break;
            }
            self.attributes()?;
        }
        self.need(";")?;
        Ok(all)
    }

    pub(crate) fn initial(&mut self) -> Parsed<Initial> {
        if !self.is("{") {
            return Ok(Initial::Value(self.assignment()?));
        }
        self.deeper(|parser| {
            parser.need("{")?;
            let mut list = Vec::new();
            while !parser.is("}") {
                let mut designators = Vec::new();
                let old_style = matches!(parser.ahead(1), Token::Mark(":"));
                if let (Some(name), true) = (parser.word(), old_style) {
                    designators.push(Designator::Field(name.to_owned()));
                    parser.advance();
                    parser.advance();
                } else {
                    designators = parser.designators()?;
                    if !designators.is_empty() {
                        parser.need("=")?;
                    }
                }
                list.push((designators, parser.initial()?));
                if !parser.take(",") {
                    break;
                }
            }
            parser.need("}")?;
            Ok(Initial::List(list))
        })
    }

    fn designators(&mut self) -> Parsed<Vec<Designator>> {
        let mut all = Vec::new();
        loop {
            if self.take(".") {
                all.push(Designator::Field(self.name()?));
            } else if self.take("[") {
                all.push(Designator::Element(self.conditional()?));
                self.need("]")?;
            } else {
                return Ok(all);
            }
        }
    }

    fn name(&mut self) -> Parsed<String> {
        match self.word() {
            Some(word) => {
                self.advance();
                Ok(word.to_owned())
            }
            None => Err(self.expected("a name")),
        }
    }

    fn specifiers(&mut self) -> Parsed<Specifiers> {
        let mut storage = Storage::Plain;
        let (mut thread_local, mut volatile) = (false, false);
        let mut words: Vec<&str> = Vec::new();
        let mut other: Option<TypeName> = None;
        loop {
            self.attributes()?;
            let Some(word) = self.word() else { break };
            match word {
                "typedef" => storage = Storage::Typedef,
                "static" => storage = Storage::Static,
                "extern" => storage = Storage::Extern,
                "_Thread_local" | "__thread" => thread_local = true,
                "volatile" | "__volatile__" | "__volatile" | "_Atomic" => volatile = true,
                "register" | "auto" | "inline" | "__inline" | "__inline__" | "_Noreturn"
                | "const" | "__const" | "__const__" | "restrict" | "__restrict"
                | "__restrict__" => {}
                "struct" | "union" => {
                    other = Some(self.aggregate()?);
                    continue;
                }
                "enum" => {
                    other = Some(self.enumeration()?);
                    continue;
                }
                "typeof" | "__typeof__" | "__typeof" => {
                    self.advance();
                    self.need("(")?;
                    other = Some(if self.starts_type(0) {
                        self.type_name()?
                    } else {
                        TypeName::Of(Box::new(self.expression()?))
                    });
                    self.need(")")?;
                    continue;
                }
                _ if is_type_word(word) => words.push(word),
                _ if words.is_empty() && other.is_none() && self.is_type(word) => {
                    other = Some(TypeName::Named(word.to_owned()));
                }
                _ => break,
            }
            self.advance();
        }
        let ty = match other {
            Some(ty) => ty,
            None => self.basic(&words)?,
        };
        let ty = if volatile { TypeName::Volatile(Box::new(ty)) } else { ty };
        Ok(Specifiers { storage, thread_local, ty })
    }

    fn basic(&self, words: &[&str]) -> Parsed<TypeName> {
        let has = |word: &str| words.contains(&word);
        let longs = words.iter().filter(|word| **word == "long").count();
        let signed = !has("unsigned");
        let integer = |bits| Ok(TypeName::Integer { bits, signed });
        let opaque = |bytes| Ok(TypeName::Opaque { name: words.join(" "), bytes });
        if words.is_empty() {
            return Err(self.expected("a type"));
        }
        match () {
            () if has("_Complex") || has("__complex__") => opaque(16),
            () if has("__int128") || has("__int128_t") || has("_Float128") || has("__float128") => {
                opaque(16)
            }
            () if has("void") => Ok(TypeName::Void),
            () if has("_Bool") => Ok(TypeName::Bool),
            () if has("_Float16") => opaque(2),
            () if has("float") || has("_Float32") => opaque(4),
            () if has("double") && longs > 0 || has("_Float64x") => opaque(16),
            () if has("double") || has("_Float64") || has("_Float32x") => opaque(8),
            () if has("char") => integer(8),
            () if has("short") => integer(16),
            () if longs > 0 => integer(64),
            () => integer(32),
        }
    }

    fn aggregate(&mut self) -> Parsed<TypeName> {
        let place = self.place();
        let union = self.word() == Some("union");
        self.advance();
        let mut packed = self.attributes()?;
        let tag = if self.is("{") { None } else { Some(self.name()?) };
        packed |= self.attributes()?;
        let mut fields = None;
        if self.take("{") {
            let mut all = Vec::new();
            while !self.take("}") {
                self.deeper(|parser| parser.fields(&mut all))?;
            }
            packed |= self.attributes()?;
            fields = Some(all);
        }
        Ok(TypeName::Struct(Aggregate { union, tag, fields, packed, place }))
    }

    fn fields(&mut self, all: &mut Vec<(Declared, Option<Expr>)>) -> Parsed<()> {
        if self.take(";") {
            return Ok(());
        }
        if self.take_word(&["_Static_assert"]) {
            return self.skip_group();
        }
        let from = self.place();
        let specifiers = self.specifiers()?;
        if self.take(";") {
            let span = self.since(from);
            all.push((Declared { name: None, ty: specifiers.ty, span }, None));
            return Ok(());
        }
        loop {
            let from = self.place();
            let declared = if self.is(":") {
                Declared { name: None, ty: specifiers.ty.clone(), span: self.since(from) }
            } else {
                self.declarator(specifiers.ty.clone(), from)?
            };
            let width = if self.take(":") { Some(self.conditional()?) } else { None };
            self.attributes()?;
            all.push((declared, width));
            if !self.take(",") {
                break;
            }
        }
        self.need(";")
    }

    fn enumeration(&mut self) -> Parsed<TypeName> {
        self.advance();
        self.attributes()?;
        let tag = if self.is("{") { None } else { Some(self.name()?) };
        let mut members = None;
        if self.take("{") {
            let mut all = Vec::new();
            while !self.is("}") {
                let name = self.name()?;
                self.attributes()?;
                let value = if self.take("=") { Some(self.conditional()?) } else { None };
                self.declare(&name, false);
                all.push((name, value));
                if !self.take(",") {
                    break;
                }
            }
            self.need("}")?;
            self.attributes()?;
            members = Some(all);
        }
        Ok(TypeName::Enum { tag, members })
    }

    /// A type without a name, as in a cast.
    fn type_name(&mut self) -> Parsed<TypeName> {
        let from = self.place();
        let specifiers = self.specifiers()?;
        Ok(self.declarator(specifiers.ty, from)?.ty)
    }

    /// A declarator, with a name or without.
    fn declarator(&mut self, base: TypeName, from: Place) -> Parsed<Declared> {
        let mut parts = Vec::new();
        let name = self.deeper(|parser| parser.declarator_parts(&mut parts))?;
        let mut ty = base;
        for part in parts.into_iter().rev() {
            ty = match part {
                Part::Pointer { volatile } => {
                    let pointer = TypeName::Pointer(Box::new(ty));
                    if volatile { TypeName::Volatile(Box::new(pointer)) } else { pointer }
                }
                Part::Array(length) => TypeName::Array(Box::new(ty), length.map(Box::new)),
                Part::Function(parameters, variadic) => {
                    TypeName::Function { result: Box::new(ty), parameters, variadic }
                }
            };
        }
        Ok(Declared { name, ty, span: self.since(from) })
    }

    fn declarator_parts(&mut self, parts: &mut Vec<Part>) -> Parsed<Option<String>> {
        let mut pointers = Vec::new();
        loop {
            self.attributes()?;
            if !self.take("*") {
                break;
            }
            let mut volatile = false;
            while let Some(word) = self.word() {
                match word {
                    "volatile" | "__volatile__" | "_Atomic" => volatile = true,
                    "const" | "restrict" | "__restrict" | "__restrict__" | "__const" => {}
                    _ => break,
                }
                self.advance();
            }
            pointers.push(Part::Pointer { volatile });
        }
        self.attributes()?;
        let mut name = None;
        let nested = self.is("(")
            && (matches!(self.ahead(1), Token::Mark("*" | "(" | "["))
                || matches!(self.ahead(1), Token::Word(word) if word == "__attribute__"
                    || !(is_type_word(word) || self.is_type(word))));
        if nested && !matches!(self.ahead(1), Token::Mark(")")) {
            self.advance();
            name = self.deeper(|parser| parser.declarator_parts(parts))?;
            self.need(")")?;
        } else if let Some(word) = self.word()
            && !is_type_word(word)
        {
            name = Some(word.to_owned());
            self.advance();
        }
        loop {
            self.attributes()?;
            if self.take("[") {
                while self.take_word(&["static", "const", "restrict", "__restrict", "volatile"]) {}
                let length = if self.is("]") { None } else { Some(self.assignment()?) };
                self.need("]")?;
                parts.push(Part::Array(length));
            } else if self.take("(") {
                let (parameters, variadic) = self.parameters()?;
                parts.push(Part::Function(parameters, variadic));
            } else {
                break;
            }
        }
        parts.extend(pointers.into_iter().rev());
        Ok(name)
    }

    fn parameters(&mut self) -> Parsed<(Vec<Declared>, bool)> {
        let (mut all, mut variadic) = (Vec::new(), false);
        if self.word() == Some("void") && matches!(self.ahead(1), Token::Mark(")")) {
            self.advance();
        }
        while !self.is(")") {
            if self.take("...") {
                variadic = true;
                break;
            }
            let from = self.place();
            let specifiers = self.specifiers()?;
            all.push(self.declarator(specifiers.ty, from)?);
            self.attributes()?;
            if !self.take(",") {
                break;
            }
        }
        self.need(")")?;
        Ok((all, variadic))
    }
}

fn is_type_word(word: &str) -> bool {
    const WORDS: [&str; 43] = [
        "void",
        "char",
        "short",
        "int",
        "long",
        "float",
        "double",
        "signed",
        "unsigned",
        "_Bool",
        "_Complex",
        "__complex__",
        "struct",
        "union",
        "enum",
        "const",
        "volatile",
        "restrict",
        "__const",
        "__const__",
        "__volatile__",
        "__volatile",
        "__restrict",
        "__restrict__",
        "__signed__",
        "__signed",
        "typeof",
        "__typeof__",
        "__typeof",
        "__int128",
        "__int128_t",
        "_Float16",
        "_Float32",
        "_Float64",
        "_Float128",
        "_Float32x",
        "_Float64x",
        "__float128",
        "_Atomic",
        "__extension__",
        "register",
        "inline",
        "__uint128_t",
    ];
    WORDS.contains(&word)
}
