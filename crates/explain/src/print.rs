//! Terms as people write them, in the notation that C and Java share.

use crate::program::Space;
use crate::term::{Binary, Term, TermId, Terms, Unary, signed};
use std::collections::BTreeMap;

/// How tightly a piece of text holds together; more is tighter.
type Level = u8;

const CHOICE: Level = 1;
const OR: Level = 2;
const AND: Level = 3;
const EQUAL: Level = 7;
const LESS: Level = 8;
const SUM: Level = 10;
const UNARY: Level = 12;
const POSTFIX: Level = 13;

/// The text of a term.
pub fn term(terms: &Terms, space: &Space, root: TermId) -> String {
    let mut made: BTreeMap<TermId, (String, Level)> = BTreeMap::new();
    for id in terms.below(&[root]) {
        let text = Printer { terms, space, made: &made }.one(id);
        made.insert(id, text);
    }
    made.remove(&root).map(|(text, _)| text).unwrap_or_default()
}

struct Printer<'a> {
    terms: &'a Terms,
    space: &'a Space,
    made: &'a BTreeMap<TermId, (String, Level)>,
}

impl Printer<'_> {
    fn child(&self, id: TermId, level: Level) -> String {
        let (text, own) = &self.made[&id];
        if *own < level { format!("({text})") } else { text.clone() }
    }

    fn one(&self, id: TermId) -> (String, Level) {
        match self.terms.get(id) {
            Term::Number { width: 1, value } => ((value != 0).to_string(), POSTFIX),
            Term::Number { width, value } => (signed(width, value).to_string(), POSTFIX),
            Term::Theta { theta, .. } => (format!("θ{}", theta.0), POSTFIX),
            Term::Variable { variable, .. } => {
                (self.space.variable(variable).name.clone(), POSTFIX)
            }
            Term::Address { variable } => {
                (format!("&{}", self.space.variable(variable).name), UNARY)
            }
            Term::Object { number } => (format!("object {number}"), POSTFIX),
            Term::Load { address, .. } => self.load(address),
            Term::Unary { operation: Unary::Not, of } => self.negated(of),
            Term::Unary { operation: Unary::Undefined, of } => {
                (format!("undefined({})", self.child(of, 0)), POSTFIX)
            }
            Term::Unary { operation: Unary::Defined, of } => {
                (format!("defined({})", self.child(of, 0)), POSTFIX)
            }
            Term::Binary { operation, left, right } => self.binary(operation, left, right),
            Term::Choose { condition, yes, no } => self.choose(condition, yes, no),
            Term::Extend { of, .. } => self.made[&of].clone(),
            Term::Truncate { width, of } => {
                let name = match width {
                    8 => "char",
                    16 => "short",
                    _ => "int",
                };
                (format!("({name}){}", self.child(of, UNARY)), UNARY)
            }
            Term::Field { .. } | Term::Index { .. } => (format!("&{}", self.load(id).0), UNARY),
        }
    }

    /// The text of what stands at an address.
    fn load(&self, address: TermId) -> (String, Level) {
        match self.terms.get(address) {
            Term::Address { variable } => (self.space.variable(variable).name.clone(), POSTFIX),
            Term::Field { base, name, .. } => {
                let name = self.terms.text_of(name);
                match self.terms.get(base) {
                    Term::Address { .. } | Term::Field { .. } | Term::Index { .. } => {
                        (format!("{}.{name}", self.load(base).0), POSTFIX)
                    }
                    _ => (format!("{}->{name}", self.child(base, POSTFIX)), POSTFIX),
                }
            }
            Term::Index { base, index, .. } => {
                let index = self.child(index, 0);
                match self.terms.get(base) {
                    Term::Address { .. } | Term::Field { .. } | Term::Index { .. } => {
                        (format!("{}[{index}]", self.load(base).0), POSTFIX)
                    }
                    _ => (format!("{}[{index}]", self.child(base, POSTFIX)), POSTFIX),
                }
            }
            _ => (format!("*{}", self.child(address, UNARY)), UNARY),
        }
    }

    fn negated(&self, of: TermId) -> (String, Level) {
        match self.terms.get(of) {
            Term::Binary { operation: Binary::Equal, left, right } => {
                self.infix(left, "!=", right, EQUAL)
            }
            Term::Binary { operation: Binary::LessSigned | Binary::LessUnsigned, left, right } => {
                match self.terms.constant(left) {
                    Some(_) => self.infix(right, "<=", left, LESS),
                    None => self.infix(left, ">=", right, LESS),
                }
            }
            _ if self.terms.width(of) == 1 => (format!("!{}", self.child(of, UNARY)), UNARY),
            _ => (format!("~{}", self.child(of, UNARY)), UNARY),
        }
    }

    fn choose(&self, condition: TermId, yes: TermId, no: TermId) -> (String, Level) {
        if self.terms.width(yes) == 1 {
            if self.terms.constant(yes) == Some(1) {
                return self.infix(condition, "||", no, OR);
            }
            if self.terms.constant(no) == Some(0) {
                return self.infix(condition, "&&", yes, AND);
            }
        }
        let (condition, yes) = (self.child(condition, OR), self.child(yes, OR));
        (format!("{condition} ? {yes} : {}", self.child(no, CHOICE)), CHOICE)
    }

    fn binary(&self, operation: Binary, left: TermId, right: TermId) -> (String, Level) {
        use Binary::*;
        let constant = self.terms.constant(right);
        let width = self.terms.width(right);
        if let (Add | AddExact, Some(value)) = (operation, constant)
            && signed(width, value) < 0
        {
            let positive = i128::from(signed(width, value)).unsigned_abs();
            return (format!("{} - {positive}", self.child(left, SUM)), SUM);
        }
        if let (Mul | MulExact, Some(value)) = (operation, constant) {
            let factor = signed(width, value);
            return (format!("{factor} * {}", self.child(left, SUM + 2)), SUM + 1);
        }
        // `0 < x` is `x > 0`.
        if let (LessSigned | LessUnsigned, Some(_)) = (operation, self.terms.constant(left)) {
            return self.infix(right, ">", left, LESS);
        }
        let (symbol, level) = match operation {
            Add | AddExact => ("+", SUM),
            Sub | SubExact => ("-", SUM),
            Mul | MulExact => ("*", SUM + 1),
            DivSigned | DivUnsigned => ("/", SUM + 1),
            RemSigned | RemUnsigned => ("%", SUM + 1),
            And => ("&", 6),
            Or => ("|", 4),
            Xor => ("^", 5),
            Shl | ShlExact => ("<<", 9),
            ShrSigned | ShrUnsigned => (">>", 9),
            Equal => ("==", EQUAL),
            LessSigned | LessUnsigned => ("<", LESS),
        };
        self.infix(left, symbol, right, level)
    }

    fn is_unsigned(&self, id: TermId) -> bool {
        match self.terms.get(id) {
            Term::Variable { variable, .. } => self.space.variable(variable).unsigned,
            Term::Binary { left, .. } => self.is_unsigned(left),
            _ => false,
        }
    }

    fn infix(&self, left: TermId, symbol: &str, right: TermId, level: Level) -> (String, Level) {
        let mut texts = [self.child(left, level), self.child(right, level + 1)];
        // A number beside an unsigned variable is unsigned.
        let [a, b] = [self.terms.constant(left), self.terms.constant(right)];
        for (text, value, other) in [(0, a, right), (1, b, left)] {
            if let Some(value) = value
                && self.is_unsigned(other)
            {
                texts[text] = value.to_string();
            }
        }
        let [left, right] = texts;
        (format!("{left} {symbol} {right}"), level)
    }
}
