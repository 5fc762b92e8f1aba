//! Expressions, by precedence.

use super::{Parsed, Parser};
use crate::ast::*;
use crate::lexer::{Place, Token};

/// How tightly a binary operator binds; more is tighter.
fn level(mark: &str) -> Option<u8> {
    Some(match mark {
        "||" => 1,
        "&&" => 2,
        "|" => 3,
        "^" => 4,
        "&" => 5,
        "==" | "!=" => 6,
        "<" | ">" | "<=" | ">=" => 7,
        "<<" | ">>" => 8,
        "+" | "-" => 9,
        "*" | "/" | "%" => 10,
        _ => return None,
    })
}

impl Parser<'_> {
    fn made(&self, from: Place, kind: ExprKind) -> Expr {
        Expr { kind: Box::new(kind), span: self.since(from) }
    }

    /// An expression, commas included.
    pub(crate) fn expression(&mut self) -> Parsed<Expr> {
        let from = self.place();
        let mut left = self.assignment()?;
        while self.take(",") {
            let right = self.assignment()?;
            left = self.made(from, ExprKind::Comma(left, right));
        }
        Ok(left)
    }

    /// An expression without commas.
    pub(crate) fn assignment(&mut self) -> Parsed<Expr> {
        self.deeper(|parser| {
            let from = parser.place();
            let left = parser.conditional()?;
            let Token::Mark(mark) = parser.token() else {
                return Ok(left);
            };
            let operator: &'static str = match *mark {
                "=" => "",
                "*=" => "*",
                "/=" => "/",
                "%=" => "%",
                "+=" => "+",
                "-=" => "-",
                "<<=" => "<<",
                ">>=" => ">>",
                "&=" => "&",
                "^=" => "^",
                "|=" => "|",
                _ => return Ok(left),
            };
            parser.advance();
            let right = parser.assignment()?;
            Ok(parser.made(from, ExprKind::Assign(operator, left, right)))
        })
    }

    /// An expression without assignments.
    pub(crate) fn conditional(&mut self) -> Parsed<Expr> {
        let from = self.place();
        let condition = self.binary(1)?;
        if !self.take("?") {
            return Ok(condition);
        }
        let middle = if self.is(":") { None } else { Some(self.expression()?) };
        self.need(":")?;
        let last = self.deeper(|parser| parser.conditional())?;
        Ok(self.made(from, ExprKind::Conditional(condition, middle, last)))
    }

    fn binary(&mut self, lowest: u8) -> Parsed<Expr> {
        let from = self.place();
        let mut left = self.cast()?;
        while let Token::Mark(mark) = self.token()
            && let Some(own) = level(mark)
            && own >= lowest
        {
            self.advance();
            let right = self.deeper(|parser| parser.binary(own + 1))?;
            left = self.made(from, ExprKind::Binary(mark, left, right));
        }
        Ok(left)
    }

    fn cast(&mut self) -> Parsed<Expr> {
        if !(self.is("(") && self.starts_type(1)) {
            return self.unary();
        }
        self.deeper(|parser| {
            let from = parser.place();
            parser.need("(")?;
            let ty = parser.type_name()?;
            parser.need(")")?;
            if parser.is("{") {
                let initial = parser.initial()?;
                let literal = parser.made(from, ExprKind::Compound(ty, initial));
                return parser.postfix(from, literal);
            }
            let of = parser.cast()?;
            Ok(parser.made(from, ExprKind::Cast(ty, of)))
        })
    }

    fn unary(&mut self) -> Parsed<Expr> {
        let from = self.place();
        if let Token::Mark(mark) = self.token() {
            let mark: &'static str = mark;
            match mark {
                "++" | "--" => {
                    self.advance();
                    let of = self.deeper(|parser| parser.unary())?;
                    let kind = ExprKind::Step { up: mark == "++", before: true, of };
                    return Ok(self.made(from, kind));
                }
                "-" | "~" | "!" | "+" | "&" | "*" => {
                    self.advance();
                    let of = self.deeper(|parser| parser.cast())?;
                    return Ok(self.made(from, ExprKind::Prefix(mark, of)));
                }
                "&&" => return Err(self.problem("addresses of labels are not supported")),
                _ => {}
            }
        }
        if self.take_word(&["__extension__"]) {
            return self.deeper(|parser| parser.cast());
        }
        if self.take_word(&["sizeof"]) {
            if self.is("(") && self.starts_type(1) {
                self.need("(")?;
                let ty = self.type_name()?;
                self.need(")")?;
                return Ok(self.made(from, ExprKind::SizeOfType(ty)));
            }
            let of = self.deeper(|parser| parser.unary())?;
            return Ok(self.made(from, ExprKind::SizeOf(of)));
        }
        if self.take_word(&["_Alignof", "__alignof__", "__alignof"]) {
            self.need("(")?;
            let ty = self.type_name()?;
            self.need(")")?;
            return Ok(self.made(from, ExprKind::AlignOf(ty)));
        }
        let first = self.primary()?;
        self.postfix(from, first)
    }

    fn postfix(&mut self, from: Place, first: Expr) -> Parsed<Expr> {
        let mut made = first;
        loop {
            let kind = if self.take("[") {
                let index = self.expression()?;
                self.need("]")?;
                ExprKind::Index(made, index)
            } else if self.take("(") {
                let mut arguments = Vec::new();
                while !self.is(")") {
                    arguments.push(self.assignment()?);
                    if !self.take(",") {
                        break;
                    }
                }
                self.need(")")?;
                ExprKind::Call(made, arguments)
            } else if self.take(".") {
                ExprKind::Field { of: made, name: self.name()?, arrow: false }
            } else if self.take("->") {
                ExprKind::Field { of: made, name: self.name()?, arrow: true }
            } else if self.take("++") {
                ExprKind::Step { up: true, before: false, of: made }
            } else if self.take("--") {
                ExprKind::Step { up: false, before: false, of: made }
            } else {
                return Ok(made);
            };
            made = self.made(from, kind);
        }
    }

    fn primary(&mut self) -> Parsed<Expr> {
        let from = self.place();
        let kind = match self.token() {
            Token::Integer { value, decimal, suffix } => {
                ExprKind::Integer { value: *value, decimal: *decimal, suffix: suffix.clone() }
            }
            Token::Float(text) => ExprKind::Float(text.clone()),
            Token::Character(value) => ExprKind::Character(*value),
            Token::Text(bytes) => {
                let mut bytes = bytes.clone();
                while let Token::Text(more) = self.ahead(1) {
                    bytes.extend(more);
                    self.advance();
                }
                ExprKind::Text(bytes)
            }
            Token::Word(word) => match word.as_str() {
                "__builtin_offsetof" => return self.offset_of(),
                "__builtin_types_compatible_p"
                | "__builtin_va_arg"
                | "__builtin_choose_expr"
                | "_Generic" => {
                    let name = word.clone();
                    self.advance();
                    self.skip_group()?;
                    return Ok(self.made(from, ExprKind::Unsupported(name)));
                }
                "__func__" | "__FUNCTION__" | "__PRETTY_FUNCTION__" => ExprKind::Text(Vec::new()),
                _ => ExprKind::Name(word.clone()),
            },
            Token::Mark("(") => {
                self.advance();
                let inner = if self.is("{") {
                    let body = self.deeper(|parser| parser.block())?;
                    self.made(from, ExprKind::Block(body))
                } else {
                    self.expression()?
                };
                self.need(")")?;
                return Ok(inner);
            }
            Token::Mark(_) | Token::End => return Err(self.expected("an expression")),
        };
        self.advance();
        Ok(self.made(from, kind))
    }

    fn offset_of(&mut self) -> Parsed<Expr> {
        let from = self.place();
        self.advance();
        self.need("(")?;
        let ty = self.type_name()?;
        self.need(",")?;
        let mut path = vec![Designator::Field(self.name()?)];
        path.extend(self.designators()?);
        self.need(")")?;
        Ok(self.made(from, ExprKind::OffsetOf(ty, path)))
    }
}
