//! Sorts what a run of JML comments says: clauses of the method that follows, clauses of the type
//! around, modifiers, ghost and model declarations, statements, loop specifications. Where the
//! comments stand is known to [`crate::attach`], which decides whom each part belongs to.

use crate::cursor::Cursor;
use crate::diagnostic::{Failure, Parse};
use crate::jml::ast::{
    Behavior, Clause, Gap, GapAt, Import, LoopClause, MethodSpec, ModelMethod, Modifier,
    ModifierKind, SpecCase, SpecVariable, Statement, TypeClause, Visibility,
};
use crate::jml::clause::{self, clause, unsupported_clause, widened};
use crate::jml::declare;
use crate::jml::expr::expression;
use crate::jml::types;
use crate::jml::words::{self, Word};
use crate::lexer::TokenKind;
use crate::span::Span;

/// Where comments stand decides what a few words mean.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    /// Between declarations, or inside the head of one.
    Declarations,
    /// Between statements.
    Statements,
}

/// Everything that a run of comments says.
#[derive(Debug, Default)]
pub(crate) struct Items {
    pub modifiers: Vec<Modifier>,
    pub method: MethodSpec,
    pub type_clauses: Vec<Clause<TypeClause>>,
    pub variables: Vec<Clause<SpecVariable>>,
    pub statements: Vec<Clause<Statement>>,
    pub loop_clauses: Vec<Clause<LoopClause>>,
    pub model_methods: Vec<Clause<ModelMethod>>,
    /// Model imports.
    pub imports: Vec<Import>,
    /// What belongs to the declaration that follows and has no meaning.
    pub gaps: Vec<GapAt>,
}

/// Reads all tokens.
pub(crate) fn items(c: &mut Cursor<'_>, place: Place) -> Items {
    let mut reader = Reader { items: Items::default(), place, in_case: false };
    while !c.is_done() {
        reader.item(c);
    }
    reader.items
}

struct Reader {
    items: Items,
    place: Place,
    /// Whether a method clause continues the last specification case.
    in_case: bool,
}

impl Reader {
    fn item(&mut self, c: &mut Cursor<'_>) {
        if c.eat(";") {
            return;
        }
        let modifiers = modifiers(c);
        if c.eat(";") {
            // Nothing follows the modifiers: they belong to the declaration behind the comment.
            return self.items.modifiers.extend(modifiers);
        }
        let declares = modifiers.iter().find_map(|m| declared(m.kind));
        let token = c.peek();
        let word = words::word(&token);
        match (declares, word) {
            (Some(is_model), None) => self.declaration(c, is_model, modifiers),
            (_, Some(word)) => self.keyword(c, word, modifiers),
            (None, None) if token.text.starts_with('@') && token.kind == TokenKind::Word => {
                c.next();
                self.gap(Gap::Unsupported(token.text.into()), token.span);
            }
            (None, None) if words::is_unsupported_modifier(&token) => {
                self.items.modifiers.extend(modifiers);
                c.next();
                self.gap(Gap::Unsupported(token.text.into()), token.span);
            }
            (None, None) if c.is("{|") => self.group(c),
            (None, None) => {
                let was_last = c.is_done();
                self.items.modifiers.extend(modifiers);
                if !was_last {
                    self.unknown(c);
                }
            }
        }
    }

    fn gap(&mut self, gap: Gap, span: Span) {
        self.items.gaps.push(GapAt { gap, span });
    }

    /// `{| … |}`
    fn group(&mut self, c: &mut Cursor<'_>) {
        let open = c.begin_clause();
        c.skip_balanced();
        let span = open.to(c.previous_span());
        self.gap(Gap::Unsupported("nested specification {| … |}".into()), span);
    }

    fn unknown(&mut self, c: &mut Cursor<'_>) {
        let start = c.begin_clause();
        let token = c.peek();
        let failure = match token.kind {
            TokenKind::Word => {
                let message = format!("`{}` begins no clause of JML", token.text);
                Failure::new(token.span, message).suggest(words::meant_keyword(token.text))
            }
            _ => c.unexpected("the keyword of a clause"),
        };
        c.report(failure);
        c.recover(words::begins_clause);
        let span = start.to(c.previous_span());
        if words::meant_for_type(token.text) {
            self.items.type_clauses.push(Clause { content: Err(Gap::Broken), span });
        } else {
            self.gap(Gap::Broken, span);
        }
    }

    fn keyword(&mut self, c: &mut Cursor<'_>, word: Word, modifiers: Vec<Modifier>) {
        match word {
            Word::Requires
            | Word::Ensures
            | Word::Signals
            | Word::SignalsOnly
            | Word::Callable
            | Word::MeasuredBy
            | Word::Old
            | Word::UnsupportedMethodClause => self.method_clause(c, word, modifiers),
            Word::Accessible if clause::is_dependency(c) => {
                let start = modifiers.first().map(|m| m.span);
                let skipped = clause::dependency(c);
                self.items.type_clauses.push(widened(skipped, start));
            }
            Word::Accessible => self.method_clause(c, word, modifiers),
            Word::Assignable if self.place == Place::Statements => {
                self.items.modifiers.extend(modifiers);
                self.items.loop_clauses.push(clause::loop_clause(c, Word::LoopAssignable));
            }
            Word::Assignable => self.method_clause(c, word, modifiers),
            Word::Also => self.also(c, modifiers),
            Word::NormalBehavior => self.case(c, Behavior::Normal, modifiers),
            Word::ExceptionalBehavior => self.case(c, Behavior::Exceptional, modifiers),
            Word::Behavior => self.case(c, Behavior::General, modifiers),
            Word::Invariant
            | Word::Initially
            | Word::Constraint
            | Word::Represents
            | Word::In
            | Word::Maps
            | Word::Readable
            | Word::Writable => {
                self.type_clause(c, word, &modifiers);
            }
            Word::UnsupportedTypeClause => {
                let skipped = unsupported_clause(c, c.peek().text);
                let start = modifiers.first().map(|m| m.span);
                self.items.type_clauses.push(widened(skipped, start));
            }
            Word::Assert | Word::Assume | Word::Set => self.statement(c, word, modifiers),
            Word::Unreachable | Word::UnsupportedStatement => self.statement(c, word, modifiers),
            Word::LoopInvariant | Word::Decreases | Word::LoopAssignable => {
                self.items.modifiers.extend(modifiers);
                self.items.loop_clauses.push(clause::loop_clause(c, word));
            }
            Word::Ignored => {
                self.items.modifiers.extend(modifiers);
                let _: Clause<Statement> = unsupported_clause(c, "");
            }
        }
    }

    fn statement(&mut self, c: &mut Cursor<'_>, word: Word, modifiers: Vec<Modifier>) {
        self.items.modifiers.extend(modifiers);
        self.items.statements.push(clause::statement(c, word));
    }

    fn method_clause(&mut self, c: &mut Cursor<'_>, word: Word, modifiers: Vec<Modifier>) {
        let is_code = has(&modifiers, ModifierKind::Code);
        self.items.modifiers.extend(modifiers);
        let clause = clause::method_clause(c, word);
        if !self.in_case {
            let (behavior, span) = (Behavior::Lightweight, clause.span);
            let case = SpecCase { visibility: None, is_code, behavior, clauses: Vec::new(), span };
            self.items.method.cases.push(case);
            self.in_case = true;
        }
        if let Some(case) = self.items.method.cases.last_mut() {
            case.span = case.span.to(clause.span);
            case.clauses.push(clause);
        }
    }

    fn also(&mut self, c: &mut Cursor<'_>, modifiers: Vec<Modifier>) {
        self.items.modifiers.extend(modifiers);
        let span = c.next().span;
        if self.items.method.cases.is_empty() {
            self.items.method.extends_inherited = true;
        } else if !self.in_case {
            let message = "`also` joins two specification cases, and there is none before it";
            c.report(Failure::new(span, message));
            self.gap(Gap::Broken, span);
        }
        self.in_case = false;
    }

    /// `public normal_behavior` and its like. A visibility in front belongs to the case, other
    /// modifiers to the method.
    fn case(&mut self, c: &mut Cursor<'_>, behavior: Behavior, modifiers: Vec<Modifier>) {
        let keyword = c.next();
        let start = modifiers.first().map_or(keyword.span, |m| m.span);
        if self.in_case {
            let message = format!("expected `also` before `{}`", keyword.text);
            c.report(Failure::new(keyword.span, message));
            self.gap(Gap::Broken, keyword.span);
        }
        let visibility = visibility(&modifiers);
        let is_code = has(&modifiers, ModifierKind::Code);
        let others = modifiers.into_iter().filter(|m| visibility_of(m.kind).is_none());
        self.items.modifiers.extend(others);
        let span = start.to(keyword.span);
        let case = SpecCase { visibility, is_code, behavior, clauses: Vec::new(), span };
        self.items.method.cases.push(case);
        self.in_case = true;
    }

    fn type_clause(&mut self, c: &mut Cursor<'_>, word: Word, modifiers: &[Modifier]) {
        let visibility = visibility(modifiers);
        let is_static = has(modifiers, ModifierKind::Static);
        let is_instance = has(modifiers, ModifierKind::Instance);
        let read = clause(c, |c| {
            let kind = clause::type_clause(c, word)?;
            Ok(kind.map(|kind| TypeClause { visibility, is_static, is_instance, kind }))
        });
        let start = modifiers.first().map(|m| m.span);
        self.items.type_clauses.push(widened(read, start));
    }

    /// Behind `ghost` or `model` and the other modifiers.
    fn declaration(&mut self, c: &mut Cursor<'_>, is_model: bool, modifiers: Vec<Modifier>) {
        let start = modifiers.first().map(|m| m.span);
        match kind_of_declaration(c) {
            Declaration::Variable => {}
            Declaration::Type => {
                let begin = c.begin_clause();
                skip_declaration(c);
                let span = start.unwrap_or(begin).to(c.previous_span());
                let content = Err(Gap::Unsupported("model type".into()));
                return self.items.type_clauses.push(Clause { content, span });
            }
            Declaration::Import => return self.import(c, start),
            Declaration::Method => return self.model_method(c, modifiers),
        }
        let mut variables = Vec::new();
        let whole = clause(c, |c| {
            variables = declarators(c, is_model, &modifiers)?;
            Ok(Ok(()))
        });
        let span = widened(whole, start).span;
        if variables.is_empty() {
            self.variable(Clause { content: Err(Gap::Broken), span });
        }
        for variable in variables {
            self.variable(Clause { content: Ok(variable), span });
        }
    }

    /// `import a.b.C;` for specifications only.
    fn import(&mut self, c: &mut Cursor<'_>, start: Option<Span>) {
        let mut import = None;
        let read = clause(c, |c| {
            import = Some(declare::import(c)?);
            Ok(Ok(()))
        });
        match import {
            Some(import) => self.items.imports.push(import),
            None => self.gap(Gap::Broken, widened(read, start).span),
        }
    }

    /// The specification before a model method is its own.
    fn model_method(&mut self, c: &mut Cursor<'_>, modifiers: Vec<Modifier>) {
        let start = modifiers.first().map(|m| m.span);
        let mut spec = std::mem::take(&mut self.items.method);
        self.in_case = false;
        let before = std::mem::take(&mut self.items.modifiers);
        let modifiers: Vec<Modifier> = before.into_iter().chain(modifiers).collect();
        let read = clause(c, |c| {
            let spec = std::mem::take(&mut spec);
            declare::model_method(c, modifiers, spec).map(Ok)
        });
        self.items.model_methods.push(widened(read, start));
    }

    fn variable(&mut self, variable: Clause<SpecVariable>) {
        match self.place {
            Place::Declarations => self.items.variables.push(variable),
            Place::Statements => {
                let content = variable.content.map(Statement::Ghost);
                self.items.statements.push(Clause { content, span: variable.span });
            }
        }
    }
}

/// `ghost` makes a declaration, and so does `model`.
fn declared(kind: ModifierKind) -> Option<bool> {
    match kind {
        ModifierKind::Ghost => Some(false),
        ModifierKind::Model => Some(true),
        _ => None,
    }
}

fn has(modifiers: &[Modifier], kind: ModifierKind) -> bool {
    modifiers.iter().any(|m| m.kind == kind)
}

fn modifiers(c: &mut Cursor<'_>) -> Vec<Modifier> {
    let mut modifiers = Vec::new();
    while let Some(kind) = words::modifier(&c.peek()) {
        modifiers.push(Modifier { kind, span: c.next().span });
    }
    modifiers
}

fn visibility(modifiers: &[Modifier]) -> Option<Visibility> {
    modifiers.iter().find_map(|m| visibility_of(m.kind))
}

fn visibility_of(kind: ModifierKind) -> Option<Visibility> {
    match kind {
        ModifierKind::Public => Some(Visibility::Public),
        ModifierKind::Protected => Some(Visibility::Protected),
        ModifierKind::Private => Some(Visibility::Private),
        _ => None,
    }
}

/// What `ghost` or `model` declares.
enum Declaration {
    Variable,
    Type,
    Import,
    Method,
}

/// Found by looking ahead for what makes it one.
fn kind_of_declaration(c: &Cursor<'_>) -> Declaration {
    match c.peek().text {
        "class" | "interface" | "enum" | "record" => return Declaration::Type,
        "import" => return Declaration::Import,
        "<" => return Declaration::Method,
        _ => {}
    }
    let stop = (0..)
        .map(|n| c.peek_at(n))
        .find(|token| token.kind == TokenKind::End || matches!(token.text, "(" | ";" | "=" | "{"));
    match stop.filter(|token| token.text == "(") {
        Some(_) => Declaration::Method,
        None => Declaration::Variable,
    }
}

/// Up to the semicolon or the closing brace, whichever ends the declaration.
fn skip_declaration(c: &mut Cursor<'_>) {
    while !c.is_done() {
        if c.is("{") {
            c.skip_balanced();
            return;
        }
        if c.is("(") {
            c.skip_balanced();
        } else if c.next().is(";") {
            return;
        }
    }
}

/// `T x = e, y;`
fn declarators(
    c: &mut Cursor<'_>,
    is_model: bool,
    modifiers: &[Modifier],
) -> Parse<Vec<SpecVariable>> {
    let ty = types::type_name(c)?;
    let mut variables = Vec::new();
    loop {
        let name = types::ident(c, "the name of the variable")?;
        let mut ty = ty.clone();
        ty.dimensions += types::dimensions(c);
        let initializer = if c.eat("=") { Some(expression(c)?) } else { None };
        let modifiers = modifiers.to_vec();
        variables.push(SpecVariable { is_model, modifiers, ty, name, initializer });
        if !c.eat(",") {
            break;
        }
    }
    clause::semicolon(c, "declaration")?;
    Ok(variables)
}
