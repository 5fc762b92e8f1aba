//! Specifications inside bodies: statements and clauses of loops, found again in the compiled code
//! by the marks that stand for them.

use std::collections::{BTreeSet, HashMap};

use ir::{Code, Local, MethodId, Op, Program, SpecField, Type};

use crate::core::{Assignable, Clause, Mark, Number, Sort, Statement, Term, TermKind, Variable};
use crate::jml::ast::{self, Expr, LoopClause, SpecVariable};
use crate::marks::{self, MarkKind, MarkSite};
use crate::resolve::expr::{Around, Named3, Setting};
use crate::resolve::frame::{self, Framed};
use crate::resolve::inherit::Own;
use crate::resolve::scope::States;
use crate::resolve::signature::{self, Generic};
use crate::resolve::trouble::{Resolved, Trouble, mistake};
use crate::resolve::{Home, Notes, generic, method, types};
use crate::span::Span;
use crate::specs::MethodSpecs;

/// A mark in the compiled code.
struct Compiled<'p> {
    method: MethodId,
    locals: &'p [Local],
    /// Whether the same mark stands elsewhere too with other variables.
    is_ambiguous: bool,
}

/// Resolves what stands in the bodies of a type's methods.
pub(crate) fn resolve(
    home: &Home<'_>,
    own: &mut HashMap<MethodId, Own>,
    found: &mut HashMap<u32, Mark>,
    notes: &mut Notes,
) {
    let here = |site: &MarkSite| site.type_index == home.index;
    let all = marks::sites(&home.file.specs).into_iter().enumerate();
    let mut sites: Vec<(usize, MarkSite)> = all.filter(|(_, site)| here(site)).collect();
    if sites.is_empty() {
        return;
    }
    let Some(first) = home.file.first_mark else {
        return unmarked(home, &sites, own, notes);
    };
    // Ghost variables are visible in what stands behind them in the text.
    sites.sort_by_key(|(_, site)| (site.method_index, site.place.start));
    let compiled = compiled_marks(home);
    let mut current = None;
    let mut ghosts = Vec::new();
    let mut ghost_types = Vec::new();
    let loops = loop_marks(home, &sites, first);
    let mut numbers = Vec::new();
    for (index, site) in sites {
        if current.replace(site.method_index) != Some(site.method_index) {
            ghosts.clear();
            ghost_types.clear();
        }
        let Some(method) = home.ty.methods.get(site.method_index) else {
            continue;
        };
        let number = u32::try_from(index).ok().and_then(|index| first.checked_add(index));
        let Some((number, compiled)) =
            number.and_then(|number| Some((number, compiled.get(&number)?)))
        else {
            let reason = "unreachable by the compiler";
            undecided(home, &site, reason, own, notes);
            continue;
        };
        let mut body = Bodies {
            home,
            method,
            compiled,
            notes,
            ghosts: &mut ghosts,
            ghost_types: &mut ghost_types,
            site: &site,
            loops: &loops,
        };
        let statements = body.statements();
        found.insert(number, Mark { method: compiled.method, statements });
        numbers.push((number, site));
    }
    count_iterations(&numbers, found);
}

/// Counts the iterations of the loops of which some clause asks how many there were.
fn count_iterations(numbers: &[(u32, MarkSite)], found: &mut HashMap<u32, Mark>) {
    let mut asked = BTreeSet::new();
    for (number, _) in numbers {
        let statements = found.get(number).map_or(&[][..], |mark| &mark.statements);
        for term in statements.iter().flat_map(Statement::terms) {
            term.any(&mut |part| {
                if let TermKind::Variable(Variable::Ghost(ghost)) = part.kind {
                    asked.insert(ghost);
                }
                false
            });
        }
    }
    for (number, site) in numbers {
        if let (MarkKind::Loop(_), Some(mark)) = (&site.kind, found.get_mut(number))
            && asked.contains(&counter(*number))
        {
            mark.statements.insert(0, Statement::Count(counter(*number)));
        }
    }
}

/// The ghost variable that counts the iterations of the loop at a mark. Those that are declared have
/// small numbers.
fn counter(mark: u32) -> u32 {
    mark | 1 << 31
}

/// The loops with specifications, each with the number of its mark.
fn loop_marks(home: &Home<'_>, sites: &[(usize, MarkSite)], first: u32) -> Vec<(Span, u32)> {
    let mut found = Vec::new();
    for (index, site) in sites {
        let number = u32::try_from(*index).ok().and_then(|index| first.checked_add(index));
        let method = home.ty.methods.get(site.method_index);
        if let (MarkKind::Loop(at), Some(method), Some(number)) = (&site.kind, method, number)
            && let Some(looping) = method.loops.get(*at)
        {
            found.push((looping.span, number));
        }
    }
    found
}

/// The marks in the code of a type and of the types inside it.
fn compiled_marks<'w>(home: &Home<'w>) -> HashMap<u32, Compiled<'w>> {
    let program = home.program();
    let name = program.class_name(home.class());
    let inside = format!("{name}$");
    let mut marks = HashMap::new();
    for other in home.world.homes().filter(|other| std::ptr::eq(other.file, home.file)) {
        let other_name = program.class_name(other.class());
        if other_name != name && !other_name.starts_with(&inside) {
            continue;
        }
        let methods = program.class(other.class()).map_or(&[][..], |c| &c.methods);
        for method in methods {
            add_marks(program, *method, &mut marks);
        }
    }
    marks
}

fn add_marks<'p>(program: &'p Program, method: MethodId, marks: &mut HashMap<u32, Compiled<'p>>) {
    let Code::Body(body) = program.code(method) else {
        return;
    };
    for instr in body.blocks.iter().flat_map(|block| &block.instrs) {
        let Op::Mark { number, locals } = &instr.op else {
            continue;
        };
        let same = |l: &Local, r: &Local| l.name == r.name && l.ty == r.ty;
        marks
            .entry(*number)
            .and_modify(|known| {
                let is_same = known.locals.len() == locals.len()
                    && known.locals.iter().zip(locals).all(|(l, r)| same(l, r));
                known.is_ambiguous |= !is_same;
            })
            .or_insert(Compiled { method, locals, is_ambiguous: false });
    }
}

/// A source that was compiled without marks: its methods can not be decided.
fn unmarked(
    home: &Home<'_>,
    sites: &[(usize, MarkSite)],
    own: &mut HashMap<MethodId, Own>,
    notes: &mut Notes,
) {
    let mut last = None;
    for (_, site) in sites {
        if last.replace(site.method_index) != Some(site.method_index) {
            let reason = "specifications inside bodies need the source to be compiled with marks";
            undecided(home, site, reason, own, notes);
        }
    }
}

/// A gap of the method that a mark stands in, or of the class where that is unknown.
fn undecided(
    home: &Home<'_>,
    site: &MarkSite,
    reason: &str,
    own: &mut HashMap<MethodId, Own>,
    notes: &mut Notes,
) {
    let span = match home.ty.methods.get(site.method_index) {
        Some(method) => first_span(method, &site.kind).unwrap_or(site.place),
        None => site.place,
    };
    let gap = notes.gap(home, span, Trouble::Unsupported(reason.into()));
    let found = home.found.methods.get(site.method_index).copied().flatten();
    match found.and_then(|found| own.get_mut(&found.id)) {
        Some(own) => own.contract.gaps.push(gap),
        None => notes.class(home).gaps.push(gap),
    }
}

fn first_span(method: &MethodSpecs, kind: &MarkKind) -> Option<Span> {
    match kind {
        MarkKind::Points(points) => Some(method.points.get(*points.first()?)?.statement.span),
        MarkKind::Loop(index) => Some(method.loops.get(*index)?.clauses.first()?.span),
    }
}

struct Bodies<'a, 'w> {
    home: &'a Home<'w>,
    method: &'a MethodSpecs,
    compiled: &'a Compiled<'w>,
    notes: &'a mut Notes,
    /// The ghost variables of the method so far.
    ghosts: &'a mut Vec<Named3>,
    /// Their types with type arguments.
    ghost_types: &'a mut Vec<(Variable, Generic)>,
    site: &'a MarkSite,
    /// The loops with specifications and their marks.
    loops: &'a [(Span, u32)],
}

impl<'w> Bodies<'_, 'w> {
    fn statements(&mut self) -> Vec<Statement> {
        let method = self.method;
        match &self.site.kind {
            MarkKind::Points(points) => {
                let points = points.iter().filter_map(|index| method.points.get(*index));
                points.map(|point| self.point(&point.statement)).collect()
            }
            MarkKind::Loop(index) => {
                let clauses = method.loops.get(*index).map_or(&[][..], |l| &l.clauses);
                clauses.iter().filter_map(|clause| self.loop_clause(clause)).collect()
            }
        }
    }

    fn point(&mut self, statement: &ast::Clause<ast::Statement>) -> Statement {
        let span = statement.span;
        let resolved = match &statement.content {
            Ok(content) => self.checked().and_then(|()| self.statement(content, span)),
            Err(gap) => return Statement::Gap(self.home.gap_at(gap, span)),
        };
        resolved.unwrap_or_else(|trouble| Statement::Gap(self.notes.gap(self.home, span, *trouble)))
    }

    /// Whether the variables at the mark are known.
    fn checked(&self) -> Resolved<()> {
        if !self.compiled.is_ambiguous {
            return Ok(());
        }
        let reason = "this stands in code that is compiled more than once";
        Err(Box::new(Trouble::Unsupported(reason.into())))
    }

    fn statement(&mut self, content: &ast::Statement, span: Span) -> Resolved<Statement> {
        let setting = self.setting();
        Ok(match content {
            ast::Statement::Assert(e) => Statement::Assert(self.condition(&setting, e, span)?),
            ast::Statement::Assume(e) => Statement::Assume(self.condition(&setting, e, span)?),
            ast::Statement::Set { target, value } => self.set(&setting, target, value, span)?,
            ast::Statement::Ghost(variable) => self.ghost(&setting, variable, span)?,
        })
    }

    fn clause(&self, term: Term, span: Span) -> Clause {
        Clause { term, site: self.home.site(span) }
    }

    fn condition(&self, setting: &Setting<'w>, e: &Expr, span: Span) -> Resolved<Clause> {
        Ok(self.clause(setting.condition(e)?, span))
    }

    fn set(
        &self,
        setting: &Setting<'w>,
        target: &Expr,
        value: &Expr,
        span: Span,
    ) -> Resolved<Statement> {
        let target_term = setting.term(target)?;
        let program = self.home.program();
        let is_ghost = |field| program.field(field).specified == Some(SpecField::Ghost);
        let is_settable = match &target_term.kind {
            TermKind::Field(_, field) | TermKind::Static(field) => is_ghost(*field),
            TermKind::Variable(variable) => matches!(variable, Variable::Ghost(_)),
            _ => false,
        };
        let ty = type_of(&target_term.sort).filter(|_| is_settable);
        let Some(ty) = ty else {
            return mistake(target.span, "only ghost variables and ghost fields can be set");
        };
        let value = setting.value(value, ty)?;
        Ok(Statement::Set(self.clause(value, span), target_term))
    }

    fn ghost(
        &mut self,
        setting: &Setting<'w>,
        variable: &SpecVariable,
        span: Span,
    ) -> Resolved<Statement> {
        let ty = types::java(&setting.scope, &variable.ty)?;
        let first = variable.initializer.as_ref().map(|e| setting.value(e, ty)).transpose()?;
        let number = u32::try_from(self.ghosts.len()).unwrap_or(u32::MAX);
        self.ghosts.push((variable.name.name.clone(), Variable::Ghost(number), ty));
        let ty = generic::written(&setting.scope, &variable.ty);
        self.ghost_types.push((Variable::Ghost(number), ty));
        Ok(Statement::Ghost(number, first.map(|term| self.clause(term, span))))
    }

    fn loop_clause(&mut self, clause: &ast::Clause<LoopClause>) -> Option<Statement> {
        let span = clause.span;
        let resolved = match &clause.content {
            Ok(content) => self.checked().and_then(|()| self.loop_part(content, span)),
            Err(gap) => return Some(Statement::Gap(self.home.gap_at(gap, span))),
        };
        resolved.unwrap_or_else(|trouble| {
            Some(Statement::Gap(self.notes.gap(self.home, span, *trouble)))
        })
    }

    fn loop_part(&self, content: &LoopClause, span: Span) -> Resolved<Option<Statement>> {
        let setting = self.setting();
        Ok(Some(match content {
            LoopClause::Invariant(e) => {
                Statement::LoopInvariant(self.condition(&setting, e, span)?)
            }
            LoopClause::Decreases(e) => {
                Statement::Decreases(self.clause(setting.integer(e)?, span))
            }
            LoopClause::Assignable(frame) => {
                let locations = frame::locations(&setting, frame, Framed::Loop)?;
                return Ok(locations.map(|locations| {
                    let is_strict = false;
                    let site = self.home.site(span);
                    Statement::LoopAssignable(Assignable { locations, is_strict, site })
                }));
            }
        }))
    }

    /// What counts the iterations of the innermost loop around the mark.
    fn counted(&self) -> Option<u32> {
        let place = match &self.site.kind {
            MarkKind::Loop(_) => self.site.place,
            MarkKind::Points(points) => self.method.points.get(*points.first()?)?.statement.span,
        };
        let around = |l: &&(Span, u32)| l.0.start <= place.start && place.end <= l.0.end;
        let innermost = self.loops.iter().filter(around).max_by_key(|l| l.0.start)?;
        Some(counter(innermost.1))
    }

    /// The names at the mark: the local variables, parameters among them, and the ghost variables
    /// that stand before it.
    fn setting(&self) -> Setting<'w> {
        let home = self.home;
        let program = home.program();
        let compiled = program.method(self.compiled.method);
        let mut setting = home.setting(compiled.is_static);
        let found = home.found.methods.get(self.site.method_index).copied().flatten();
        let is_lambda = compiled.name.starts_with("lambda$");
        let parameters =
            found.map_or_else(Vec::new, |found| method::parameters(home, self.method, found));
        setting.scope.class = compiled.class;
        setting.scope.states = States::Two;
        setting.scope.math = home.math(&self.method.modifiers);
        setting.around = match (is_lambda, &*compiled.name) {
            (true, _) => Around::Lambda,
            (false, "<init>") => Around::Constructor,
            (false, _) => Around::Ordinary,
        };
        let named = self.compiled.locals.iter().enumerate().filter(|(_, l)| &*l.name != "this");
        let locals = named.filter_map(|(index, local)| {
            let number = u32::try_from(index).ok()?;
            Some((local.name.to_string(), Variable::Local(number), local.ty))
        });
        setting.scope.variables = locals.collect();
        setting.scope.variables.extend(self.ghosts.iter().cloned());
        if let Some(found) = found {
            setting.scope.generics = generic::of_method(program, found.id, found.hidden);
        }
        let meant = signature::inside_method(program, compiled);
        for (index, local) in self.compiled.locals.iter().enumerate() {
            if let (Some(said), Ok(number)) = (&local.signature, u32::try_from(index)) {
                let ty = signature::of_field(program, said).with(&meant);
                setting.scope.generics.push((Variable::Local(number), ty));
            }
        }
        setting.scope.generics.extend(self.ghost_types.iter().cloned());
        let is_known = |name: &str| setting.scope.variables.iter().any(|v| v.0 == name);
        let mut later: Vec<String> = parameters.iter().map(|p| p.0.clone()).collect();
        if let Code::Body(body) = program.code(self.compiled.method) {
            later.extend(body.variables.iter().map(|v| v.name.to_string()));
        }
        later.retain(|name| !is_known(name) && name != "this");
        setting.later = later;
        setting.counted = self.counted();
        setting.before = Some(parameters);
        setting
    }
}

/// The type of Java whose values have a sort.
fn type_of(sort: &Sort) -> Option<Type> {
    match sort {
        Sort::Boolean => Some(Type::Boolean),
        Sort::Number(Number::Big)
        | Sort::Null
        | Sort::Type
        | Sort::Locations
        | Sort::Relation(_) => None,
        Sort::Number(number) => types::number_type(*number),
        Sort::Reference(class) => Some(Type::Ref(*class)),
    }
}
