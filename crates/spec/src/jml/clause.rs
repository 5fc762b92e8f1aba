//! Clauses of JML one by one: what follows each keyword up to its semicolon. Which clauses belong
//! together, and to what, is decided elsewhere.

use crate::cursor::Cursor;
use crate::diagnostic::Parse;
use crate::jml::ast::{
    Callees, Clause, Expr, ExprKind, Gap, Literal, LoopClause, MethodClause, MethodRef,
    OldVariable, Statement, TypeClauseKind,
};
use crate::jml::expr::expression;
use crate::jml::store::{frame, store_ref};
use crate::jml::types;
use crate::jml::words::{Word, begins_clause};
use crate::lexer::TokenKind;
use crate::span::Span;

/// Reads one clause; a mistake in it is reported, and the clause recorded as broken.
pub(crate) fn clause<'s, T>(
    c: &mut Cursor<'s>,
    parse: impl FnOnce(&mut Cursor<'s>) -> Parse<Result<T, Gap>>,
) -> Clause<T> {
    let start = c.begin_clause();
    let content = parse(c).unwrap_or_else(|failure| {
        c.report(failure);
        c.recover(begins_clause);
        Err(Gap::Broken)
    });
    Clause { content, span: start.to(c.previous_span()) }
}

/// Skips a clause that is known and has no meaning here.
pub(crate) fn unsupported_clause<T>(c: &mut Cursor<'_>, what: &str) -> Clause<T> {
    let start = c.begin_clause();
    let has_body = !matches!(what, "for_example" | "implies_that" | "example");
    if has_body {
        c.recover(|token| token.starts_line && begins_clause(token));
    } else {
        c.next();
    }
    let content = Err(Gap::Unsupported(what.into()));
    Clause { content, span: start.to(c.previous_span()) }
}

/// The semicolon that ends a clause.
pub(crate) fn semicolon(c: &mut Cursor<'_>, what: &str) -> Parse<()> {
    c.expect(";", &format!("after the {what}")).map(|_| ())
}

fn expression_clause(c: &mut Cursor<'_>) -> Parse<Expr> {
    c.next();
    let e = expression(c)?;
    semicolon(c, "expression")?;
    Ok(e)
}

/// The predicate of a clause, or nothing where it is `\not_specified`.
fn predicate_clause(c: &mut Cursor<'_>) -> Parse<Option<Expr>> {
    c.next();
    let predicate = if c.eat("\\not_specified") { None } else { Some(expression(c)?) };
    semicolon(c, "expression")?;
    Ok(predicate)
}

/// A clause of a method specification; the word is one of those.
pub(crate) fn method_clause(c: &mut Cursor<'_>, word: Word) -> Clause<MethodClause> {
    let or_nothing = |e: Option<Expr>, build: fn(Expr) -> MethodClause| {
        Ok(e.map_or(MethodClause::NotSpecified, build))
    };
    match word {
        Word::Requires => {
            clause(c, |c| Ok(or_nothing(predicate_clause(c)?, MethodClause::Requires)))
        }
        Word::Ensures => clause(c, |c| Ok(or_nothing(predicate_clause(c)?, MethodClause::Ensures))),
        Word::Signals => clause(c, |c| signals(c).map(Ok)),
        Word::SignalsOnly => clause(c, |c| signals_only(c).map(Ok)),
        Word::Assignable => clause(c, |c| {
            c.next();
            let frame = frame(c)?;
            semicolon(c, "locations")?;
            Ok(Ok(MethodClause::Assignable(frame)))
        }),
        Word::Accessible => clause(c, |c| {
            c.next();
            let frame = frame(c)?;
            semicolon(c, "locations")?;
            Ok(Ok(MethodClause::Accessible(frame)))
        }),
        Word::Callable => clause(c, |c| {
            c.next();
            let callees = callees(c)?;
            semicolon(c, "methods")?;
            Ok(Ok(MethodClause::Callable(callees)))
        }),
        Word::MeasuredBy => clause(c, measured_by),
        Word::Old => clause(c, |c| old(c).map(Ok)),
        _ => unsupported_clause(c, c.peek().text),
    }
}

/// `measured_by e;`, or several of which the first that changes counts.
fn measured_by(c: &mut Cursor<'_>) -> Parse<Result<MethodClause, Gap>> {
    c.next();
    if c.eat("\\not_specified") {
        semicolon(c, "expression")?;
        return Ok(Ok(MethodClause::NotSpecified));
    }
    let mut measures = vec![expression(c)?];
    while c.eat(",") {
        measures.push(expression(c)?);
    }
    if c.eat("if") {
        expression(c)?;
        semicolon(c, "expression")?;
        return Ok(Err(Gap::Unsupported("measured_by with a condition".into())));
    }
    semicolon(c, "expression")?;
    Ok(Ok(MethodClause::MeasuredBy(measures)))
}

/// `old T x = e, y = f;`
fn old(c: &mut Cursor<'_>) -> Parse<MethodClause> {
    c.next();
    while matches!(c.peek().text, "nullable" | "non_null") {
        c.next();
    }
    let ty = types::type_name(c)?;
    let mut variables = Vec::new();
    loop {
        c.check_length()?;
        let name = types::ident(c, "the name of the variable")?;
        let mut ty = ty.clone();
        ty.dimensions += types::dimensions(c);
        c.expect("=", "and the value that the variable stands for")?;
        variables.push(OldVariable { ty, name, value: expression(c)? });
        if !c.eat(",") {
            break;
        }
    }
    semicolon(c, "declaration")?;
    Ok(MethodClause::Old(variables))
}

/// The methods of `callable` and the like.
pub(crate) fn callees(c: &mut Cursor<'_>) -> Parse<Callees> {
    let alone = match c.peek().text {
        "\\nothing" => Some(Callees::Methods(Vec::new())),
        "\\everything" => Some(Callees::Everything),
        "\\not_specified" => Some(Callees::NotSpecified),
        _ => None,
    };
    if let Some(callees) = alone {
        c.next();
        return Ok(callees);
    }
    let mut methods = Vec::new();
    loop {
        c.check_length()?;
        methods.push(method_ref(c)?);
        if !c.eat(",") {
            return Ok(Callees::Methods(methods));
        }
    }
}

/// `m`, `C.m(int)`, `o.m`, `C.*`; a constructor is named by its class.
fn method_ref(c: &mut Cursor<'_>) -> Parse<MethodRef> {
    let start = c.peek().span;
    c.eat("new");
    let mut path = vec![types::ident(c, "the name of a method")?];
    while c.eat(".") {
        c.check_length()?;
        if c.is("*") {
            let span = c.next().span;
            path.push(crate::jml::ast::Ident { name: "*".into(), span });
            break;
        }
        path.push(types::ident(c, "the name of a method after `.`")?);
    }
    let parameters = if c.is("(") { Some(parameter_types(c)?) } else { None };
    Ok(MethodRef { path, parameters, span: start.to(c.previous_span()) })
}

fn parameter_types(c: &mut Cursor<'_>) -> Parse<Vec<crate::jml::ast::TypeName>> {
    c.next();
    let mut parameters = Vec::new();
    while !c.is(")") {
        c.check_length()?;
        let mut ty = types::type_name(c)?;
        ty.dimensions += usize::from(c.eat("..."));
        parameters.push(ty);
        if !c.eat(",") {
            break;
        }
    }
    c.expect(")", "after the types of the parameters")?;
    Ok(parameters)
}

/// Whether `accessible` begins `accessible x: locations`, which is about a model field or the
/// invariant and about no method.
pub(crate) fn is_dependency(c: &Cursor<'_>) -> bool {
    let colon = (1..6).find(|n| c.peek_at(*n).is(":"));
    let ends = (1..6).find(|n| matches!(c.peek_at(*n).text, ";" | "," | "(" | "["));
    colon.is_some_and(|colon| ends.is_none_or(|end| colon < end))
}

/// Reads over `accessible x: locations;`.
pub(crate) fn dependency<T>(c: &mut Cursor<'_>) -> Clause<T> {
    let start = c.begin_clause();
    while !c.is_done() && !c.eat(";") {
        c.next();
    }
    let content = Err(Gap::Unsupported("accessible of a model field".into()));
    Clause { content, span: start.to(c.previous_span()) }
}

/// `signals (E e) condition;` with the variable and the condition left out at will.
fn signals(c: &mut Cursor<'_>) -> Parse<MethodClause> {
    c.next();
    c.expect("(", "after `signals`")?;
    let exception = types::type_name(c)?;
    let variable = match c.peek().kind {
        TokenKind::Word => Some(types::ident(c, "the name of the exception")?),
        _ => None,
    };
    c.expect(")", "after the exception")?;
    let has_none = c.is(";") || c.eat("\\not_specified");
    let condition = if has_none { None } else { Some(expression(c)?) };
    semicolon(c, "expression")?;
    Ok(MethodClause::Signals { exception, variable, condition })
}

fn signals_only(c: &mut Cursor<'_>) -> Parse<MethodClause> {
    c.next();
    let mut exceptions = Vec::new();
    if c.eat("\\not_specified") {
        semicolon(c, "exceptions")?;
        return Ok(MethodClause::NotSpecified);
    }
    if !c.eat("\\nothing") {
        loop {
            exceptions.push(types::type_name(c)?);
            if !c.eat(",") {
                break;
            }
        }
    }
    semicolon(c, "exceptions")?;
    Ok(MethodClause::SignalsOnly(exceptions))
}

/// What a clause of a type says; the word is one of those. The clause starts with its modifiers.
pub(crate) fn type_clause(c: &mut Cursor<'_>, word: Word) -> Parse<Result<TypeClauseKind, Gap>> {
    Ok(Ok(match word {
        Word::Invariant => TypeClauseKind::Invariant(expression_clause(c)?),
        Word::Initially => TypeClauseKind::Initially(expression_clause(c)?),
        Word::Constraint => return constraint(c),
        Word::In => {
            c.next();
            TypeClauseKind::In(groups(c)?)
        }
        Word::Maps => {
            c.next();
            let location = store_ref(c)?;
            c.expect("\\into", "after the locations")?;
            TypeClauseKind::Maps { location, groups: groups(c)? }
        }
        Word::Readable | Word::Writable => {
            c.next();
            let field = model_field(c)?;
            c.expect("if", "and the condition after the field")?;
            let condition = expression(c)?;
            semicolon(c, "condition")?;
            TypeClauseKind::Access { writes: word == Word::Writable, field, condition }
        }
        _ => return represents(c),
    }))
}

/// Data groups, up to the semicolon. Behind a field of which a comment is part of the declaration
/// the semicolon may be that of the field.
fn groups(c: &mut Cursor<'_>) -> Parse<Vec<Expr>> {
    let mut groups = vec![model_field(c)?];
    while c.eat(",") {
        groups.push(model_field(c)?);
    }
    if !c.is_done() {
        semicolon(c, "data groups")?;
    }
    Ok(groups)
}

fn constraint(c: &mut Cursor<'_>) -> Parse<Result<TypeClauseKind, Gap>> {
    c.next();
    let e = expression(c)?;
    if !c.is("for") {
        semicolon(c, "expression")?;
        return Ok(Ok(TypeClauseKind::Constraint(e, None)));
    }
    c.next();
    let methods = callees(c)?;
    semicolon(c, "methods")?;
    Ok(Ok(TypeClauseKind::Constraint(e, Some(methods))))
}

fn represents(c: &mut Cursor<'_>) -> Parse<Result<TypeClauseKind, Gap>> {
    c.next();
    let field = model_field(c)?;
    let kind = if c.eat("\\such_that") {
        TypeClauseKind::RepresentsSuchThat { field, predicate: expression(c)? }
    } else {
        arrow_or_equals(c)?;
        TypeClauseKind::Represents { field, value: expression(c)? }
    };
    semicolon(c, "expression")?;
    Ok(Ok(kind))
}

/// `x`, `this.x`, `C.x`
fn model_field(c: &mut Cursor<'_>) -> Parse<Expr> {
    let first = types::ident(c, "a model field")?;
    let kind = match first.name.as_str() {
        "this" => ExprKind::This,
        "super" => ExprKind::Super,
        _ => ExprKind::Name(first.name),
    };
    let mut e = Expr { kind, span: first.span };
    while c.eat(".") {
        c.check_length()?;
        let field = types::ident(c, "a model field")?;
        let span = e.span.to(field.span);
        e = Expr { kind: ExprKind::Field(Box::new(e), field), span };
    }
    Ok(e)
}

fn arrow_or_equals(c: &mut Cursor<'_>) -> Parse<()> {
    if c.is("<") && c.peek_at(1).is("-") && c.peek().span.end == c.peek_at(1).span.start {
        c.next();
        c.next();
        return Ok(());
    }
    c.expect("=", "or `<-` or `\\such_that` after the model field").map(|_| ())
}

/// A statement; the word is one of those.
pub(crate) fn statement(c: &mut Cursor<'_>, word: Word) -> Clause<Statement> {
    match word {
        Word::Assert => clause(c, |c| Ok(Ok(Statement::Assert(labelled(c)?)))),
        Word::Assume => clause(c, |c| Ok(Ok(Statement::Assume(labelled(c)?)))),
        Word::Set => clause(c, set),
        Word::Unreachable => clause(c, |c| {
            let span = c.next().span;
            semicolon(c, "`unreachable`")?;
            let no = Expr { kind: ExprKind::Literal(Literal::Boolean(false)), span };
            Ok(Ok(Statement::Assert(no)))
        }),
        _ => unsupported_clause(c, c.peek().text),
    }
}

/// `e : "why"`; the reason is for readers of the source only.
fn labelled(c: &mut Cursor<'_>) -> Parse<Expr> {
    c.next();
    let e = expression(c)?;
    if c.eat(":") {
        expression(c)?;
    }
    semicolon(c, "expression")?;
    Ok(e)
}

fn set(c: &mut Cursor<'_>) -> Parse<Result<Statement, Gap>> {
    c.next();
    let target = crate::jml::primary::postfix(c)?;
    let is_compound = matches!(c.peek().text, "+=" | "-=" | "*=" | "/=" | "%=" | "++" | "--");
    if is_compound || c.is(";") {
        c.recover(begins_clause);
        return Ok(Err(Gap::Unsupported("set without `=`".into())));
    }
    c.expect("=", "after the variable that is set")?;
    let value = expression(c)?;
    semicolon(c, "expression")?;
    Ok(Ok(Statement::Set { target, value }))
}

/// A clause of a loop specification; the word is one of those.
pub(crate) fn loop_clause(c: &mut Cursor<'_>, word: Word) -> Clause<LoopClause> {
    match word {
        Word::LoopInvariant => clause(c, |c| Ok(Ok(LoopClause::Invariant(expression_clause(c)?)))),
        Word::Decreases => clause(c, |c| Ok(Ok(LoopClause::Decreases(expression_clause(c)?)))),
        _ => clause(c, |c| {
            c.next();
            let frame = frame(c)?;
            semicolon(c, "locations")?;
            Ok(Ok(LoopClause::Assignable(frame)))
        }),
    }
}

/// The place of a clause that is already read, with its modifiers in front.
pub(crate) fn widened<T>(mut clause: Clause<T>, start: Option<Span>) -> Clause<T> {
    if let Some(start) = start {
        clause.span = start.to(clause.span);
    }
    clause
}
