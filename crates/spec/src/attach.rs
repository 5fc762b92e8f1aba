//! Gives every part of every specification comment to what it annotates. Which comment stands
//! where comes from [`crate::java`], what it says from the parsers of the two languages; a part
//! that fits nothing at its place becomes a diagnostic and a gap, never nothing.

use crate::alloy::ast::{AlloyClause, AlloyKeyword};
use crate::alloy::formula;
use crate::annotation;
use crate::comment::{Body, Comment, Dialect};
use crate::cursor::Cursor;
use crate::diagnostic::Diagnostic;
use crate::docs::{self, Tag};
use crate::java::outline::{Declared, Group, Locals, Location, Next, Outline};
use crate::jml::ast::{Gap, GapAt, MethodSpec, Modifier, ModifierKind};
use crate::jml::items::{Items, Place, items};
use crate::lexer::lex;
use crate::span::{Positions, Span};
use crate::specs::{
    Documented, FieldSpecs, FileSpecs, LocalSpecs, LoopSpecs, MethodSpecs, Parameter, Point,
    TypeSpecs,
};

/// Parses all comments and attaches what they say.
pub(crate) fn attach(
    source: &str,
    comments: &[Comment],
    outline: Outline,
    positions: &Positions<'_>,
) -> FileSpecs {
    let Outline { package, imports, types, groups, unread } = outline;
    let file = FileSpecs { package, imports, types, unread, ..FileSpecs::default() };
    let mut attach = Attach { source, comments, positions, file };
    for group in &groups {
        attach.jml(group);
        attach.alloy(group);
        attach.docs(group);
    }
    let mut file = attach.file;
    file.diagnostics.sort_by_key(|diagnostic| diagnostic.span);
    file
}

struct Attach<'a> {
    source: &'a str,
    comments: &'a [Comment],
    positions: &'a Positions<'a>,
    file: FileSpecs,
}

impl<'a> Attach<'a> {
    /// The tokens of a group's comments of one language, in a row.
    fn cursor(&self, group: &Group, wanted: Dialect) -> Option<Cursor<'a>> {
        let mut tokens = Vec::new();
        let mut any = false;
        for comment in group.comments.iter().filter_map(|&index| self.comments.get(index)) {
            let Some((_, body)) =
                comment.specification.as_ref().filter(|(dialect, _)| *dialect == wanted)
            else {
                continue;
            };
            any = true;
            match body {
                Body::Text(body) => {
                    lex(self.source, body.clone(), wanted, self.positions, &mut tokens);
                }
                Body::Modifier(word) => {
                    let span = self.positions.span(comment.range.start, comment.range.end);
                    tokens.extend(annotation::tokens(word, span));
                }
            }
        }
        any.then(|| Cursor::new(tokens))
    }

    fn jml(&mut self, group: &Group) {
        let Some(mut cursor) = self.cursor(group, Dialect::Jml) else {
            return;
        };
        self.file.has_jml = true;
        let place = match group.location {
            Location::Declaration { .. } | Location::Parameter(..) => Place::Declarations,
            Location::Block { .. } | Location::Inside { .. } => Place::Statements,
        };
        let mut items = items(&mut cursor, place);
        self.file.imports.append(&mut items.imports);
        self.file.diagnostics.append(&mut cursor.diagnostics);
        match &group.location {
            Location::Declaration { around, declared } => {
                self.at_declaration(items, *around, *declared);
            }
            Location::Parameter(of, index) => self.at_parameter(items, *of, *index),
            Location::Block { method, next } => self.in_block(items, *method, next),
            Location::Inside { around, method, next } => {
                self.inside(items, *around, *method, next);
            }
        }
    }

    /// Javadoc stands before a method; of several comments the last one counts.
    fn docs(&mut self, group: &Group) {
        let Location::Declaration { declared: Some(Declared::Method(ty, index)), .. } =
            group.location
        else {
            return;
        };
        let mut comments = group.comments.iter().filter_map(|&index| self.comments.get(index));
        let Some(comment) = comments.rfind(|comment| comment.is_doc) else {
            return;
        };
        for (tag, place) in docs::tags(self.source, comment.range.clone()) {
            let span = self.positions.span(place.start, place.end);
            let Some(method) = self.method(Some((ty, index))) else {
                return;
            };
            match tag {
                Tag::Throws(name) => method.documented.push(Documented { name, span }),
                Tag::Null(name, nullness) => {
                    let named = method.parameters.iter_mut().filter(|p| p.name == name);
                    named.for_each(|parameter| parameter.documented = Some(nullness));
                }
            }
        }
    }

    fn at_declaration(
        &mut self,
        mut items: Items,
        around: Option<usize>,
        declared: Option<Declared>,
    ) {
        let home = around.or(match declared {
            Some(Declared::Type(ty)) => Some(ty),
            _ => None,
        });
        self.type_parts(&mut items, home);
        self.misplaced_code(&mut items, home, None);
        match declared {
            Some(Declared::Method(ty, index)) => {
                if let Some(method) = self.method(Some((ty, index))) {
                    method.spec.extend(items.method);
                    method.modifiers.append(&mut items.modifiers);
                    method.gaps.append(&mut items.gaps);
                }
                return;
            }
            Some(Declared::Field(ty, index)) => {
                if let Some(field) = self.field(ty, index) {
                    field.modifiers.append(&mut items.modifiers);
                    field.gaps.append(&mut items.gaps);
                }
            }
            Some(Declared::Type(ty)) => {
                if let Some(ty) = self.file.types.get_mut(ty) {
                    ty.modifiers.append(&mut items.modifiers);
                    ty.gaps.append(&mut items.gaps);
                }
            }
            Some(Declared::Other) | None => {}
        }
        self.method_parts_without_method(&items.method, home);
        self.leftovers(items.modifiers, items.gaps, home, None);
    }

    /// Invariants, ghost fields and the like: they belong to the type around.
    fn type_parts(&mut self, items: &mut Items, home: Option<usize>) {
        match home.and_then(|ty| self.file.types.get_mut(ty)) {
            Some(ty) => {
                ty.clauses.append(&mut items.type_clauses);
                ty.variables.append(&mut items.variables);
                ty.model_methods.append(&mut items.model_methods);
            }
            None => {
                let clauses = items.type_clauses.drain(..).map(|clause| clause.span);
                let variables = items.variables.drain(..).map(|variable| variable.span);
                let methods = items.model_methods.drain(..).map(|method| method.span);
                let spans: Vec<Span> = clauses.chain(variables).chain(methods).collect();
                for span in spans {
                    self.misplaced(span, "this belongs inside a type", home, None);
                }
            }
        }
    }

    /// Statements and loop clauses outside of bodies.
    fn misplaced_code(
        &mut self,
        items: &mut Items,
        home: Option<usize>,
        method: Option<(usize, usize)>,
    ) {
        let statements = items.statements.drain(..).map(|statement| statement.span);
        let spans: Vec<Span> = statements.collect();
        for span in spans {
            self.misplaced(
                span,
                "a statement belongs between the statements of a body",
                home,
                method,
            );
        }
        self.misplaced_loop_clauses(items, home, method);
    }

    fn misplaced_loop_clauses(
        &mut self,
        items: &mut Items,
        home: Option<usize>,
        method: Option<(usize, usize)>,
    ) {
        let spans: Vec<Span> = items.loop_clauses.drain(..).map(|clause| clause.span).collect();
        for span in spans {
            self.misplaced(span, "no loop follows this loop specification", home, method);
        }
    }

    fn method_parts_without_method(&mut self, spec: &MethodSpec, home: Option<usize>) {
        for case in &spec.cases {
            self.misplaced(case.span, "no method follows this specification", home, None);
        }
    }

    /// Modifiers and gaps that no declaration took.
    fn leftovers(
        &mut self,
        modifiers: Vec<Modifier>,
        gaps: Vec<GapAt>,
        home: Option<usize>,
        method: Option<(usize, usize)>,
    ) {
        if let Some(modifier) = modifiers.first() {
            self.misplaced(modifier.span, "no declaration follows this modifier", home, method);
        }
        for gap in gaps {
            self.gap(gap, home, method);
        }
    }

    fn at_parameter(&mut self, mut items: Items, of: Declared, index: usize) {
        let (home, method) = match of {
            Declared::Method(ty, method) => (Some(ty), Some((ty, method))),
            Declared::Type(ty) => (Some(ty), None),
            Declared::Field(..) | Declared::Other => (None, None),
        };
        if let Some(parameter) = self.parameter(of, index) {
            parameter.modifiers.append(&mut items.modifiers);
        }
        self.everything_misplaced(items, "only modifiers can stand at a parameter", home, method);
    }

    fn in_block(&mut self, mut items: Items, method: Option<(usize, usize)>, next: &Next) {
        let home = method.map(|(ty, _)| ty);
        if method.is_none() {
            let message = "this stands in code that belongs to no method";
            return self.everything_misplaced(items, message, home, method);
        }
        self.loop_parts(&mut items, method, next);
        let before = match next {
            Next::Loop(span) | Next::Statement(span) => Some(*span),
            Next::Locals(locals) => Some(locals.span),
            Next::Type(ty) => self.file.types.get(*ty).map(|ty| ty.span),
            Next::End => None,
        };
        for statement in items.statements.drain(..) {
            let comment = self.comment_around(statement.span);
            if let Some(method) = self.method(method) {
                method.points.push(Point { statement, before, comment });
            }
        }
        self.local_modifiers(&mut items, method, next);
        self.block_contract(&mut items, method);
        self.everything_misplaced(items, "this can not stand in a body", home, method);
    }

    fn comment_around(&self, span: Span) -> Span {
        let behind = self.comments.partition_point(|c| c.range.start <= span.start as usize);
        let comment = behind.checked_sub(1).and_then(|index| self.comments.get(index));
        comment.map_or(span, |c| self.positions.span(c.range.start, c.range.end))
    }

    fn loop_parts(&mut self, items: &mut Items, method: Option<(usize, usize)>, next: &Next) {
        let Next::Loop(span) = next else {
            return self.misplaced_loop_clauses(items, method.map(|(ty, _)| ty), method);
        };
        if items.loop_clauses.is_empty() {
            return;
        }
        let Some(method) = self.method(method) else {
            return;
        };
        let clauses = std::mem::take(&mut items.loop_clauses);
        match method.loops.iter_mut().find(|known| known.span == *span) {
            Some(known) => known.clauses.extend(clauses),
            None => method.loops.push(LoopSpecs { span: *span, clauses }),
        }
    }

    fn local_modifiers(&mut self, items: &mut Items, method: Option<(usize, usize)>, next: &Next) {
        let modifiers = match next {
            _ if items.modifiers.is_empty() => return,
            Next::Locals(..) | Next::Type(_) | Next::Loop(_) => {
                std::mem::take(&mut items.modifiers)
            }
            Next::Statement(_) | Next::End => return,
        };
        match next {
            Next::Type(ty) => {
                if let Some(ty) = self.file.types.get_mut(*ty) {
                    ty.modifiers.extend(modifiers);
                }
            }
            _ => {
                let locals = match next {
                    Next::Locals(locals) => Some(locals.clone()),
                    Next::Loop(span) => self.loop_variable(*span),
                    Next::Type(_) | Next::Statement(_) | Next::End => None,
                };
                if let (Some(method), Some(locals)) = (self.method(method), locals) {
                    let Locals { names, span, last_line } = locals;
                    method.locals.push(LocalSpecs { names, span, last_line, modifiers });
                }
            }
        }
    }

    /// The variable of `for (T x : xs)`.
    fn loop_variable(&self, span: Span) -> Option<Locals> {
        let text = span.text(self.source);
        let code = crate::comment::comments(text).1;
        let head = code.split_once(':')?.0;
        let is_word = |c: char| c.is_alphanumeric() || c == '_' || c == '$';
        let name = head.trim_end().rsplit(|c| !is_word(c)).next()?.to_string();
        let last_line = self.positions.line(span.end as usize);
        Some(Locals { names: vec![name], span, last_line })
    }

    /// A method specification between statements is a contract of the statement that follows.
    fn block_contract(&mut self, items: &mut Items, method: Option<(usize, usize)>) {
        for case in std::mem::take(&mut items.method.cases) {
            let gap = Gap::Unsupported("contract of a statement".into());
            self.gap(GapAt { gap, span: case.span }, None, method);
        }
    }

    fn inside(
        &mut self,
        mut items: Items,
        around: Option<usize>,
        method: Option<(usize, usize)>,
        next: &Next,
    ) {
        if matches!(next, Next::Loop(_)) && method.is_some() {
            self.loop_parts(&mut items, method, next);
        }
        if matches!(next, Next::Locals(..) | Next::Loop(_)) && method.is_some() {
            self.local_modifiers(&mut items, method, next);
        }
        // Types are written anywhere in code; what is said about null inside them says nothing
        // about the variable. What is inside may be null unless it is said not to be.
        items.modifiers.retain(|modifier| modifier.kind != ModifierKind::Nullable);
        for modifier in std::mem::take(&mut items.modifiers) {
            let gap = Gap::Unsupported("modifier inside a type or expression".into());
            self.gap(GapAt { gap, span: modifier.span }, around, method);
        }
        self.everything_misplaced(items, "no specification can stand here", around, method);
    }

    /// Reports whatever is left.
    fn everything_misplaced(
        &mut self,
        mut items: Items,
        message: &str,
        home: Option<usize>,
        method: Option<(usize, usize)>,
    ) {
        let mut spans: Vec<Span> = items.type_clauses.iter().map(|clause| clause.span).collect();
        spans.extend(items.variables.iter().map(|variable| variable.span));
        spans.extend(items.model_methods.iter().map(|method| method.span));
        spans.extend(items.statements.iter().map(|statement| statement.span));
        spans.extend(items.loop_clauses.iter().map(|clause| clause.span));
        spans.extend(items.method.cases.iter().map(|case| case.span));
        for span in spans {
            self.misplaced(span, message, home, method);
        }
        let modifiers = std::mem::take(&mut items.modifiers);
        self.leftovers(modifiers, items.gaps, home, method);
    }

    fn misplaced(
        &mut self,
        span: Span,
        message: &str,
        home: Option<usize>,
        method: Option<(usize, usize)>,
    ) {
        let message = message.to_string();
        self.file.diagnostics.push(Diagnostic { span, message, suggestion: None });
        self.gap(GapAt { gap: Gap::Broken, span }, home, method);
    }

    /// Writes a gap down at the nearest owner.
    fn gap(&mut self, gap: GapAt, home: Option<usize>, method: Option<(usize, usize)>) {
        if let Some(method) = self.method(method) {
            return method.gaps.push(gap);
        }
        match home.and_then(|ty| self.file.types.get_mut(ty)) {
            Some(ty) => ty.gaps.push(gap),
            None => self.file.gaps.push(gap),
        }
    }

    fn alloy(&mut self, group: &Group) {
        let Some(mut cursor) = self.cursor(group, Dialect::Alloy) else {
            return;
        };
        let clauses = formula::clauses(&mut cursor);
        self.file.diagnostics.append(&mut cursor.diagnostics);
        let (around, declared) = match group.location {
            Location::Declaration { around, declared } => (around, declared),
            Location::Parameter(..) | Location::Block { .. } | Location::Inside { .. } => {
                return self.alloy_in_code(&group.location, clauses);
            }
        };
        for clause in clauses {
            self.alloy_clause(clause, around, declared);
        }
    }

    fn alloy_in_code(&mut self, location: &Location, clauses: Vec<AlloyClause>) {
        let (home, method) = match *location {
            Location::Parameter(Declared::Method(ty, method), _) => (Some(ty), Some((ty, method))),
            Location::Block { method, .. } => (method.map(|(ty, _)| ty), method),
            Location::Inside { around, method, .. } => (around, method),
            Location::Parameter(..) | Location::Declaration { .. } => (None, None),
        };
        for clause in clauses {
            let message = "an Alloy-style clause stands before a method or in a type";
            self.misplaced(clause.span, message, home, method);
        }
    }

    fn alloy_clause(
        &mut self,
        clause: AlloyClause,
        around: Option<usize>,
        declared: Option<Declared>,
    ) {
        let method = match declared {
            Some(Declared::Method(ty, method)) => Some((ty, method)),
            _ => None,
        };
        if clause.keyword == AlloyKeyword::Invariant {
            match around.and_then(|ty| self.file.types.get_mut(ty)) {
                Some(ty) => ty.formulas.push(clause),
                None => {
                    self.misplaced(clause.span, "an invariant belongs inside its type", None, None)
                }
            }
            return;
        }
        match self.method(method) {
            Some(method) => method.formulas.push(clause),
            None if clause.content.is_err() => {
                self.gap(GapAt { gap: Gap::Broken, span: clause.span }, around, None);
            }
            None => self.misplaced(clause.span, "no method follows this clause", around, None),
        }
    }

    fn method(&mut self, id: Option<(usize, usize)>) -> Option<&mut MethodSpecs> {
        let (ty, method) = id?;
        self.file.types.get_mut(ty)?.methods.get_mut(method)
    }

    fn field(&mut self, ty: usize, field: usize) -> Option<&mut FieldSpecs> {
        self.file.types.get_mut(ty)?.fields.get_mut(field)
    }

    fn parameter(&mut self, of: Declared, index: usize) -> Option<&mut Parameter> {
        match of {
            Declared::Method(ty, method) => {
                self.method(Some((ty, method)))?.parameters.get_mut(index)
            }
            Declared::Type(ty) => {
                let ty: &mut TypeSpecs = self.file.types.get_mut(ty)?;
                ty.components.get_mut(index)
            }
            Declared::Field(..) | Declared::Other => None,
        }
    }
}

impl MethodSpec {
    /// Adds the cases of comments that stand elsewhere at the same method.
    fn extend(&mut self, other: MethodSpec) {
        self.extends_inherited |= other.extends_inherited;
        self.cases.extend(other.cases);
    }
}
