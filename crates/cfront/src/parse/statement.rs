//! Statements.

use super::{Parsed, Parser};
use crate::ast::*;
use crate::lexer::{Place, Token};
use std::collections::HashMap;

impl Parser<'_> {
    fn statement_made(&self, from: Place, kind: StatementKind) -> Statement {
        Statement { kind, span: self.since(from) }
    }

    /// `{ … }`
    pub(crate) fn block(&mut self) -> Parsed<Statement> {
        self.deeper(|parser| {
            let from = parser.place();
            parser.need("{")?;
            parser.scopes.push(HashMap::new());
            let parsed = parser.statements();
            parser.scopes.pop();
            let all = parsed?;
            parser.need("}")?;
            Ok(parser.statement_made(from, StatementKind::Block(all)))
        })
    }

    fn statements(&mut self) -> Parsed<Vec<Statement>> {
        let mut all = Vec::new();
        while !self.is("}") {
            if *self.token() == Token::End {
                return Err(self.expected("`}`"));
            }
            all.push(self.statement()?);
        }
        Ok(all)
    }

    fn statement(&mut self) -> Parsed<Statement> {
        self.deeper(|parser| parser.one_statement())
    }

    fn boxed(&mut self) -> Parsed<Box<Statement>> {
        Ok(Box::new(self.statement()?))
    }

    fn one_statement(&mut self) -> Parsed<Statement> {
        let from = self.place();
        if self.is("{") {
            return self.block();
        }
        if self.take(";") {
            return Ok(self.statement_made(from, StatementKind::Empty));
        }
        let labelled = matches!(self.ahead(1), Token::Mark(":"));
        let word = self.word();
        if let (Some(word), true) = (word, labelled)
            && word != "default"
        {
            self.advance();
            self.advance();
            self.attributes()?;
            // A label may stand at the end of a block.
            let span = self.since(from);
            let inner = if self.is("}") || self.starts_declaration() {
                Box::new(Statement { kind: StatementKind::Empty, span })
            } else {
                self.boxed()?
            };
            let kind = StatementKind::Label(word.to_owned(), inner);
            return Ok(Statement { kind, span });
        }
        let kind = match word.unwrap_or_default() {
            "if" => return self.if_statement(from),
            "while" => {
                self.advance();
                self.need("(")?;
                let condition = self.expression()?;
                self.need(")")?;
                StatementKind::While(condition, self.boxed()?)
            }
            "do" => {
                self.advance();
                let body = self.boxed()?;
                if !self.take_word(&["while"]) {
                    return Err(self.expected("`while`"));
                }
                self.need("(")?;
                let condition = self.expression()?;
                self.need(")")?;
                self.take(";");
                StatementKind::Do(body, condition)
            }
            "for" => {
                self.scopes.push(HashMap::new());
                let parsed = self.for_statement();
                self.scopes.pop();
                parsed?
            }
            "switch" => {
                self.advance();
                self.need("(")?;
                let value = self.expression()?;
                self.need(")")?;
                StatementKind::Switch(value, self.boxed()?)
            }
            "case" => {
                self.advance();
                let value = self.conditional()?;
                let last = if self.take("...") { Some(self.conditional()?) } else { None };
                self.need(":")?;
                StatementKind::Case(value, last, self.labelled(from)?)
            }
            "default" => {
                self.advance();
                self.need(":")?;
                StatementKind::Default(self.labelled(from)?)
            }
            "goto" => {
                self.advance();
                if self.is("*") {
                    return Err(self.problem("computed goto is not supported"));
                }
                let name = self.name()?;
                self.need(";")?;
                StatementKind::Goto(name)
            }
            "break" => self.simple(StatementKind::Break)?,
            "continue" => self.simple(StatementKind::Continue)?,
            "return" => {
                self.advance();
                let value = if self.is(";") { None } else { Some(self.expression()?) };
                self.need(";")?;
                StatementKind::Return(value)
            }
            "asm" | "__asm__" | "__asm" => {
                self.advance();
                while self.take_word(&["volatile", "__volatile__", "goto", "inline"]) {}
                self.skip_group()?;
                self.take(";");
                StatementKind::Unsupported("assembler".to_owned())
            }
            "__label__" => return Err(self.problem("local labels are not supported")),
            "_Static_assert" => {
                self.advance();
                self.skip_group()?;
                self.take(";");
                StatementKind::Empty
            }
            "__attribute__" if self.falls_through() => {
                self.attributes()?;
                self.take(";");
                StatementKind::Empty
            }
            _ if self.starts_declaration() => {
                let specifiers = self.specifiers()?;
                let ty = specifiers.ty.clone();
                if self.take(";") {
                    StatementKind::Declarations(Vec::new(), ty)
                } else {
                    StatementKind::Declarations(self.declarations(specifiers, None)?, ty)
                }
            }
            _ => {
                let value = self.expression()?;
                self.need(";")?;
                StatementKind::Expression(value)
            }
        };
        Ok(self.statement_made(from, kind))
    }

    /// `__attribute__((fallthrough));`
    fn falls_through(&self) -> bool {
        matches!(self.ahead(3), Token::Word(word) if word.contains("fallthrough"))
    }

    fn labelled(&mut self, from: Place) -> Parsed<Box<Statement>> {
        if self.is("}") {
            return Ok(Box::new(Statement { kind: StatementKind::Empty, span: self.since(from) }));
        }
        self.boxed()
    }

    fn simple(&mut self, kind: StatementKind) -> Parsed<StatementKind> {
        self.advance();
        self.need(";")?;
        Ok(kind)
    }

    fn if_statement(&mut self, from: Place) -> Parsed<Statement> {
        self.advance();
        self.need("(")?;
        let condition = self.expression()?;
        self.need(")")?;
        let yes = self.boxed()?;
        let no = if self.take_word(&["else"]) { Some(self.boxed()?) } else { None };
        Ok(self.statement_made(from, StatementKind::If(condition, yes, no)))
    }

    fn for_statement(&mut self) -> Parsed<StatementKind> {
        self.advance();
        self.need("(")?;
        let from = self.place();
        let kind = if self.take(";") {
            StatementKind::Empty
        } else if self.starts_declaration() {
            let specifiers = self.specifiers()?;
            let ty = specifiers.ty.clone();
            StatementKind::Declarations(self.declarations(specifiers, None)?, ty)
        } else {
            let value = self.expression()?;
            self.need(";")?;
            StatementKind::Expression(value)
        };
        let first = Box::new(self.statement_made(from, kind));
        let condition = if self.is(";") { None } else { Some(self.expression()?) };
        self.need(";")?;
        let step = if self.is(")") { None } else { Some(self.expression()?) };
        self.need(")")?;
        Ok(StatementKind::For(first, condition, step, self.boxed()?))
    }
}
