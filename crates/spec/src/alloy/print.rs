//! Prints Alloy-style formulas and relations back in one canonical form, with no more parentheses
//! than precedence needs. Parsing what is printed gives the same tree.

use std::fmt::{self, Display, Formatter, Write};

use crate::alloy::ast::{
    AlloyQuantifier, CompareOp, Connective, Declaration, Formula, FormulaKind, Multiplicity,
    Relation, RelationKind, RelationOp, RelationUnaryOp,
};

/// How tightly a formula holds together.
const QUANTIFIED: u8 = 0;
const IMPLICATION: u8 = 3;
const NEGATION: u8 = 5;
const ATOMIC: u8 = 6;

/// How tightly a relation does.
const UNION: u8 = 0;
const OVERRIDE: u8 = 2;
const JOIN: u8 = 7;
const PREFIX: u8 = 8;
const NAME: u8 = 9;

impl Display for Formula {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        formula(f, self, QUANTIFIED)
    }
}

impl Display for Relation {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        relation(f, self, UNION)
    }
}

fn formula(f: &mut Formatter<'_>, e: &Formula, least: u8) -> fmt::Result {
    if formula_level(&e.kind) >= least {
        return formula_kind(f, &e.kind);
    }
    f.write_char('(')?;
    formula_kind(f, &e.kind)?;
    f.write_char(')')
}

fn formula_level(kind: &FormulaKind) -> u8 {
    match kind {
        FormulaKind::Quantified { .. } | FormulaKind::Let { .. } => QUANTIFIED,
        FormulaKind::Binary(op, ..) => connective(*op).1,
        FormulaKind::IfElse(..) => IMPLICATION,
        FormulaKind::Not(_) => NEGATION,
        FormulaKind::Holds(_)
        | FormulaKind::Multiplicity(..)
        | FormulaKind::Compare { .. }
        | FormulaKind::Unsupported(_) => ATOMIC,
    }
}

fn connective(op: Connective) -> (&'static str, u8) {
    match op {
        Connective::Or => ("||", 1),
        Connective::Iff => ("<=>", 2),
        Connective::Implies => ("=>", IMPLICATION),
        Connective::And => ("&&", 4),
    }
}

fn formula_kind(f: &mut Formatter<'_>, kind: &FormulaKind) -> fmt::Result {
    match kind {
        FormulaKind::Holds(value) => value.fmt(f),
        FormulaKind::Multiplicity(multiplicity, of) => {
            write!(f, "{} {of}", multiplicity_text(*multiplicity))
        }
        FormulaKind::Compare { op, negated, left, right } => {
            write!(f, "{left} {} {right}", comparator(*op, *negated))
        }
        FormulaKind::Not(inside) => {
            f.write_char('!')?;
            formula(f, inside, NEGATION)
        }
        FormulaKind::Binary(op, left, right) => {
            let (text, level) = connective(*op);
            let (left_least, right_least) = match op {
                Connective::Implies => (level + 1, level),
                Connective::And | Connective::Or | Connective::Iff => (level, level + 1),
            };
            formula(f, left, left_least)?;
            write!(f, " {text} ")?;
            formula(f, right, right_least)
        }
        FormulaKind::IfElse(condition, then, otherwise) => {
            formula(f, condition, IMPLICATION + 1)?;
            f.write_str(" => ")?;
            formula(f, then, IMPLICATION + 1)?;
            f.write_str(" else ")?;
            formula(f, otherwise, IMPLICATION)
        }
        FormulaKind::Quantified { quantifier, declarations, body } => {
            write!(f, "{} ", quantifier_text(*quantifier))?;
            print_declarations(f, declarations)?;
            write!(f, " | {body}")
        }
        FormulaKind::Let { name, value, body } => {
            write!(f, "let {} = {value} | {body}", name.name)
        }
        FormulaKind::Unsupported(what) => write!(f, "/* {what} */"),
    }
}

fn multiplicity_text(multiplicity: Multiplicity) -> &'static str {
    match multiplicity {
        Multiplicity::No => "no",
        Multiplicity::Some => "some",
        Multiplicity::One => "one",
        Multiplicity::Lone => "lone",
    }
}

fn quantifier_text(quantifier: AlloyQuantifier) -> &'static str {
    match quantifier {
        AlloyQuantifier::All => "all",
        AlloyQuantifier::Some => "some",
        AlloyQuantifier::No => "no",
        AlloyQuantifier::One => "one",
        AlloyQuantifier::Lone => "lone",
    }
}

/// Of comparisons of order only the positive have a symbol of their own.
fn comparator(op: CompareOp, negated: bool) -> &'static str {
    match (op, negated) {
        (CompareOp::In, false) => "in",
        (CompareOp::In, true) => "!in",
        (CompareOp::Equal, false) => "=",
        (CompareOp::Equal, true) => "!=",
        (CompareOp::Less, false) => "<",
        (CompareOp::Less, true) => "!<",
        (CompareOp::LessEqual, false) => "<=",
        (CompareOp::LessEqual, true) => "!<=",
        (CompareOp::Greater, false) => ">",
        (CompareOp::Greater, true) => "!>",
        (CompareOp::GreaterEqual, false) => ">=",
        (CompareOp::GreaterEqual, true) => "!>=",
    }
}

fn print_declarations(f: &mut Formatter<'_>, declarations: &[Declaration]) -> fmt::Result {
    for (index, declaration) in declarations.iter().enumerate() {
        f.write_str(if index == 0 { "" } else { ", " })?;
        f.write_str(if declaration.is_disjoint { "disj " } else { "" })?;
        let names: Vec<&str> = declaration.names.iter().map(|n| n.name.as_str()).collect();
        f.write_str(&names.join(", "))?;
        if let Some(bound) = &declaration.bound {
            write!(f, ": {bound}")?;
        }
    }
    Ok(())
}

fn relation(f: &mut Formatter<'_>, e: &Relation, least: u8) -> fmt::Result {
    if relation_level(&e.kind) >= least {
        return relation_kind(f, &e.kind);
    }
    f.write_char('(')?;
    relation_kind(f, &e.kind)?;
    f.write_char(')')
}

fn relation_level(kind: &RelationKind) -> u8 {
    match kind {
        RelationKind::Binary(op, ..) => relation_operator(*op).1,
        // As an operand of anything it stands in parentheses.
        RelationKind::Cardinality(_) => 1,
        RelationKind::Box(..) => JOIN,
        RelationKind::Unary(..) => PREFIX,
        // Printed with parentheses of its own.
        RelationKind::IfElse(..) | RelationKind::Let { .. } => NAME,
        _ => NAME,
    }
}

fn relation_operator(op: RelationOp) -> (&'static str, u8) {
    match op {
        RelationOp::Union => (" + ", UNION),
        RelationOp::Difference => (" - ", UNION),
        RelationOp::Override => (" ++ ", OVERRIDE),
        RelationOp::Intersection => (" & ", 3),
        RelationOp::Product => (" -> ", 4),
        RelationOp::DomainRestriction => (" <: ", 5),
        RelationOp::RangeRestriction => (" :> ", 6),
        RelationOp::Join => (".", JOIN),
    }
}

fn relation_kind(f: &mut Formatter<'_>, kind: &RelationKind) -> fmt::Result {
    match kind {
        RelationKind::Name { name, primed } => {
            write!(f, "{name}{}", if *primed { "'" } else { "" })
        }
        RelationKind::This => f.write_str("this"),
        RelationKind::Null => f.write_str("null"),
        RelationKind::Result => f.write_str("$return"),
        RelationKind::Int(value) => write!(f, "{value}"),
        RelationKind::Boolean(value) => write!(f, "{value}"),
        RelationKind::Empty => f.write_str("none"),
        RelationKind::Universe => f.write_str("univ"),
        RelationKind::Identity => f.write_str("iden"),
        RelationKind::Unary(op, of) => {
            f.write_str(match op {
                RelationUnaryOp::Transpose => "~",
                RelationUnaryOp::Closure => "^",
                RelationUnaryOp::ReflexiveClosure => "*",
            })?;
            relation(f, of, PREFIX)
        }
        RelationKind::Binary(op, left, right) => print_operator(f, *op, left, right),
        RelationKind::Box(of, arguments) => {
            relation(f, of, JOIN)?;
            for (index, argument) in arguments.iter().enumerate() {
                write!(f, "{}{argument}", if index == 0 { "[" } else { ", " })?;
            }
            f.write_char(']')
        }
        RelationKind::Cardinality(of) => {
            f.write_char('#')?;
            relation(f, of, OVERRIDE)
        }
        RelationKind::Comprehension { declarations, body } => {
            f.write_char('{')?;
            print_declarations(f, declarations)?;
            write!(f, " | {body}}}")
        }
        RelationKind::IfElse(condition, then, otherwise) => {
            f.write_char('(')?;
            formula(f, condition, IMPLICATION + 1)?;
            write!(f, " => {then} else {otherwise})")
        }
        RelationKind::Let { name, value, body } => {
            write!(f, "(let {} = {value} | {body})", name.name)
        }
        RelationKind::Unsupported(what) => write!(f, "/* {what} */"),
    }
}

fn print_operator(
    f: &mut Formatter<'_>,
    op: RelationOp,
    left: &Relation,
    right: &Relation,
) -> fmt::Result {
    let (text, level) = relation_operator(op);
    let (left_least, right_least) = match op {
        RelationOp::Product => (level + 1, level),
        _ => (level, level + 1),
    };
    relation(f, left, left_least)?;
    f.write_str(text)?;
    relation(f, right, right_least)
}
