//! Clauses and formulas of Alloy-style specifications, with the precedence of Alloy's grammar:
//! disjunction binds most loosely, then equivalence, implication, conjunction, negation,
//! comparison. A parenthesis may hold a formula or a relation, so that both come back as a
//! [`Term`] and are told apart where it matters.

use crate::alloy::ast::{
    AlloyClause, AlloyKeyword, AlloyQuantifier, CompareOp, Connective, Declaration, Formula,
    FormulaKind, Multiplicity, Relation, RelationKind,
};
use crate::alloy::relation;
use crate::cursor::Cursor;
use crate::diagnostic::{Failure, Parse, did_you_mean};
use crate::jml::ast::{Gap, Ident};
use crate::lexer::{Token, TokenKind};
use crate::span::Span;

/// What a piece of text turned out to be.
pub(crate) enum Term {
    Formula(Formula),
    Relation(Relation),
}

impl Term {
    pub fn span(&self) -> Span {
        match self {
            Term::Formula(f) => f.span,
            Term::Relation(r) => r.span,
        }
    }

    /// A relation where a formula is needed is a boolean value.
    pub fn formula(self) -> Formula {
        match self {
            Term::Formula(f) => f,
            Term::Relation(r) => formula(r.span, FormulaKind::Holds(r)),
        }
    }

    pub fn relation(self) -> Parse<Relation> {
        match self {
            Term::Relation(r) => Ok(r),
            Term::Formula(f) => {
                Err(Failure::new(f.span, "expected a set or relation, found a formula"))
            }
        }
    }
}

fn formula(span: Span, kind: FormulaKind) -> Formula {
    Formula { kind, span }
}

/// All clauses of a run of comments.
pub(crate) fn clauses(c: &mut Cursor<'_>) -> Vec<AlloyClause> {
    let mut clauses = Vec::new();
    while !c.is_done() {
        if !c.eat(";") {
            clauses.push(clause(c));
        }
    }
    clauses
}

fn keyword(text: &str) -> Option<AlloyKeyword> {
    match text {
        "requires" | "pre" => Some(AlloyKeyword::Requires),
        "ensures" | "post" => Some(AlloyKeyword::Ensures),
        "invariant" => Some(AlloyKeyword::Invariant),
        _ => None,
    }
}

fn begins_clause(token: &Token<'_>) -> bool {
    let begins = keyword(token.text).is_some() || is_modifier(token.text);
    token.kind == TokenKind::Word && begins
}

fn is_modifier(text: &str) -> bool {
    matches!(text, "public" | "protected" | "private" | "static" | "instance")
}

fn clause(c: &mut Cursor<'_>) -> AlloyClause {
    let start = c.begin_clause();
    let mut is_static = false;
    while is_modifier(c.peek().text) {
        is_static |= c.next().text == "static";
    }
    let meant = meant_keyword(c.peek().text).and_then(keyword).unwrap_or(AlloyKeyword::Requires);
    let keyword = keyword(c.peek().text);
    let read = if keyword.is_some() { body(c) } else { Err(unknown_keyword(c)) };
    let content = read.map_err(|failure| {
        c.report(failure);
        c.recover(begins_clause);
        Gap::Broken
    });
    let span = start.to(c.previous_span());
    AlloyClause { keyword: keyword.unwrap_or(meant), is_static, content, span }
}

fn meant_keyword(text: &str) -> Option<&'static str> {
    did_you_mean(text, ["requires", "ensures", "invariant"].into_iter())
}

fn unknown_keyword(c: &Cursor<'_>) -> Failure {
    let token = c.peek();
    let meant = meant_keyword(token.text);
    let message =
        format!("`{}` begins no clause; there are requires, ensures and invariant", token.text);
    Failure::new(token.span, message).suggest(meant)
}

/// Formulas on lines of their own are conjoined.
fn body(c: &mut Cursor<'_>) -> Parse<Formula> {
    c.next();
    let mut whole = disjunction(c)?.formula();
    while !(c.is_done() || c.eat(";")) {
        let token = c.peek();
        if begins_clause(&token) {
            break;
        }
        if !token.starts_line {
            return Err(c.unexpected("an operator, `;` or the end of the formula"));
        }
        c.check_length()?;
        let next = disjunction(c)?.formula();
        whole = connect(Connective::And, whole, next);
    }
    Ok(whole)
}

fn connect(op: Connective, left: Formula, right: Formula) -> Formula {
    let span = left.span.to(right.span);
    formula(span, FormulaKind::Binary(op, Box::new(left), Box::new(right)))
}

/// The loosest level: a whole formula or relation.
pub(crate) fn disjunction(c: &mut Cursor<'_>) -> Parse<Term> {
    c.nested(|c| {
        let mut left = equivalence(c)?;
        while c.is("||") || c.is("or") {
            c.check_length()?;
            c.next();
            let right = equivalence(c)?.formula();
            left = Term::Formula(connect(Connective::Or, left.formula(), right));
        }
        Ok(left)
    })
}

fn equivalence(c: &mut Cursor<'_>) -> Parse<Term> {
    let mut left = implication(c)?;
    while c.is("<=>") || c.is("iff") {
        c.check_length()?;
        c.next();
        let right = implication(c)?.formula();
        left = Term::Formula(connect(Connective::Iff, left.formula(), right));
    }
    Ok(left)
}

fn implication(c: &mut Cursor<'_>) -> Parse<Term> {
    let condition = conjunction(c)?;
    if !(c.is("=>") || c.is("implies")) {
        return Ok(condition);
    }
    c.next();
    let condition = condition.formula();
    let then = c.nested(implication)?;
    if !c.eat("else") {
        return Ok(Term::Formula(connect(Connective::Implies, condition, then.formula())));
    }
    let otherwise = c.nested(implication)?;
    Ok(if_else(condition, then, otherwise))
}

fn if_else(condition: Formula, then: Term, otherwise: Term) -> Term {
    let span = condition.span.to(otherwise.span());
    let condition = Box::new(condition);
    match (then, otherwise) {
        (Term::Relation(then), Term::Relation(otherwise)) => Term::Relation(Relation {
            kind: RelationKind::IfElse(condition, Box::new(then), Box::new(otherwise)),
            span,
        }),
        (then, otherwise) => {
            let (then, otherwise) = (Box::new(then.formula()), Box::new(otherwise.formula()));
            Term::Formula(formula(span, FormulaKind::IfElse(condition, then, otherwise)))
        }
    }
}

fn conjunction(c: &mut Cursor<'_>) -> Parse<Term> {
    let mut left = negation(c)?;
    while c.is("&&") || c.is("and") {
        c.check_length()?;
        c.next();
        let right = negation(c)?.formula();
        left = Term::Formula(connect(Connective::And, left.formula(), right));
    }
    Ok(left)
}

fn negation(c: &mut Cursor<'_>) -> Parse<Term> {
    if c.is("!") || c.is("not") {
        let start = c.next().span;
        let inside = c.nested(negation)?.formula();
        let span = start.to(inside.span);
        return Ok(Term::Formula(formula(span, FormulaKind::Not(Box::new(inside)))));
    }
    if c.is("let") {
        return c.nested(binding);
    }
    if let Some(quantifier) = quantifier(c.peek().text).filter(|_| declares(c, 1)) {
        return c.nested(|c| quantified(c, quantifier)).map(Term::Formula);
    }
    match multiplicity(c.peek().text) {
        Some(multiplicity) => counted(c, multiplicity).map(Term::Formula),
        None if c.is("all") => Err(all_without_variables(c)),
        None if c.is("sum") => sum(c),
        None => comparison(c),
    }
}

fn all_without_variables(c: &mut Cursor<'_>) -> Failure {
    c.next();
    c.unexpected("variables and `:` or `|` after `all`")
}

fn quantifier(text: &str) -> Option<AlloyQuantifier> {
    Some(match text {
        "all" => AlloyQuantifier::All,
        "some" => AlloyQuantifier::Some,
        "no" => AlloyQuantifier::No,
        "one" => AlloyQuantifier::One,
        "lone" | "sole" => AlloyQuantifier::Lone,
        _ => return None,
    })
}

fn multiplicity(text: &str) -> Option<Multiplicity> {
    Some(match text {
        "some" => Multiplicity::Some,
        "no" => Multiplicity::No,
        "one" => Multiplicity::One,
        "lone" | "sole" => Multiplicity::Lone,
        _ => return None,
    })
}

/// Whether variables are declared from there on: names, then `:` or the bar before the body.
pub(crate) fn declares(c: &Cursor<'_>, from: usize) -> bool {
    let mut ahead = from + usize::from(c.peek_at(from).is("disj"));
    while c.peek_at(ahead).kind == TokenKind::Word {
        let behind = c.peek_at(ahead + 1);
        if !behind.is(",") {
            return behind.is(":") || behind.is("|");
        }
        ahead += 2;
    }
    false
}

fn counted(c: &mut Cursor<'_>, multiplicity: Multiplicity) -> Parse<Formula> {
    let start = c.next().span;
    let counted = relation::relation(c)?;
    let span = start.to(counted.span);
    Ok(formula(span, FormulaKind::Multiplicity(multiplicity, counted)))
}

fn quantified(c: &mut Cursor<'_>, quantifier: AlloyQuantifier) -> Parse<Formula> {
    let start = c.next().span;
    let declared = declarations(c)?;
    let body = quantified_body(c)?;
    let span = start.to(body.span);
    let kind = match declared {
        Ok(declarations) => {
            FormulaKind::Quantified { quantifier, declarations, body: Box::new(body) }
        }
        Err(what) => FormulaKind::Unsupported(what),
    };
    Ok(formula(span, kind))
}

/// `| F` or a block in braces.
fn quantified_body(c: &mut Cursor<'_>) -> Parse<Formula> {
    if c.is("{") {
        return relation::braces(c).map(Term::formula);
    }
    c.expect("|", "after the declared variables")?;
    disjunction(c).map(Term::formula)
}

/// `x, y: e, disj z: f`, or the name of what makes them unsupported.
pub(crate) fn declarations(c: &mut Cursor<'_>) -> Parse<Result<Vec<Declaration>, String>> {
    let mut declarations = Vec::new();
    let mut unsupported = None;
    loop {
        let is_disjoint = c.eat("disj");
        let mut names = vec![name(c)?];
        while c.eat(",") {
            names.push(name(c)?);
        }
        let bound = if c.eat(":") {
            let word = c.peek().text;
            if c.eat("set") || c.eat("lone") || c.eat("some") {
                unsupported = Some(format!("quantification over `{word}`"));
            }
            c.eat("one");
            Some(relation::relation(c)?)
        } else {
            None
        };
        declarations.push(Declaration { is_disjoint, names, bound });
        if !c.eat(",") {
            return Ok(unsupported.map_or(Ok(declarations), Err));
        }
    }
}

fn name(c: &mut Cursor<'_>) -> Parse<Ident> {
    let token = c.expect_word("the name of a variable")?;
    if token.text.ends_with('\'') || relation::is_reserved(token.text) {
        let message = format!("`{}` can not be the name of a variable", token.text);
        return Err(Failure::new(token.span, message));
    }
    Ok(Ident { name: token.text.into(), span: token.span })
}

/// `let x = e | body`
fn binding(c: &mut Cursor<'_>) -> Parse<Term> {
    let start = c.next().span;
    let mut bound = Vec::new();
    loop {
        c.check_length()?;
        let name = name(c)?;
        c.expect("=", "after the variable of `let`")?;
        bound.push((name, Box::new(relation::relation(c)?)));
        if !c.eat(",") {
            break;
        }
    }
    let mut body = if c.is("{") {
        relation::braces(c)?
    } else {
        c.expect("|", "after the value of `let`")?;
        disjunction(c)?
    };
    for (name, value) in bound.into_iter().rev() {
        let span = start.to(body.span());
        body = match body {
            Term::Formula(body) => {
                let body = Box::new(body);
                Term::Formula(formula(span, FormulaKind::Let { name, value, body }))
            }
            Term::Relation(body) => {
                let kind = RelationKind::Let { name, value, body: Box::new(body) };
                Term::Relation(Relation { kind, span })
            }
        };
    }
    Ok(body)
}

/// `sum x: e | n` is read over.
fn sum(c: &mut Cursor<'_>) -> Parse<Term> {
    let start = c.next().span;
    if declares(c, 0) {
        let _ = declarations(c)?;
        c.expect("|", "after the declared variables")?;
    }
    relation::relation(c)?;
    let span = start.to(c.previous_span());
    Ok(Term::Relation(Relation { kind: RelationKind::Unsupported("sum".into()), span }))
}

/// One comparison of two relations, or just a relation.
fn comparison(c: &mut Cursor<'_>) -> Parse<Term> {
    let left = relation::term(c)?;
    let negations = if c.is("!") || c.is("not") { 1 } else { 0 };
    let Some((op, negated)) = comparator(c.peek_at(negations).text) else {
        return Ok(left);
    };
    for _ in 0..=negations {
        c.next();
    }
    let right = relation::term(c)?;
    compare(op, negated != (negations == 1), left, right).map(Term::Formula)
}

fn comparator(text: &str) -> Option<(CompareOp, bool)> {
    Some(match text {
        "in" => (CompareOp::In, false),
        "=" | "==" => (CompareOp::Equal, false),
        "!=" => (CompareOp::Equal, true),
        "<" => (CompareOp::Less, false),
        "<=" | "=<" => (CompareOp::LessEqual, false),
        ">" => (CompareOp::Greater, false),
        ">=" => (CompareOp::GreaterEqual, false),
        _ => return None,
    })
}

/// Equality with a formula, as in `result = (x in s)`, is equivalence.
fn compare(op: CompareOp, negated: bool, left: Term, right: Term) -> Parse<Formula> {
    let span = left.span().to(right.span());
    let kind = match (left, right) {
        (Term::Relation(left), Term::Relation(right)) => {
            FormulaKind::Compare { op, negated, left, right }
        }
        (left, right) if op == CompareOp::Equal => {
            let both = connect(Connective::Iff, left.formula(), right.formula());
            if !negated {
                return Ok(both);
            }
            FormulaKind::Not(Box::new(both))
        }
        (left, right) => {
            left.relation()?;
            right.relation()?;
            FormulaKind::Unsupported("comparison of formulas".into())
        }
    };
    Ok(formula(span, kind))
}
