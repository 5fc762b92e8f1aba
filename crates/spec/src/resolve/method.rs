//! Contracts of methods as they are declared; what is inherited comes later.

use ir::{ClassId, MethodId, Nullness};

use crate::alloy::ast::{AlloyClause, AlloyKeyword};
use crate::core::{
    Assignable, Callable, Case, Clause, Contract, Ends, Location, Signals, SignalsOnly, Sort, Term,
    TermKind, Variable,
};
use crate::diagnostic::Diagnostic;
use crate::jml::ast::{
    self, Behavior, Expr, Ident, MethodClause, ModifierKind, SpecCase, TypeName,
};
use crate::resolve::expr::{Around, Setting, Terms, term};
use crate::resolve::find::{self, Found};
use crate::resolve::frame::{self, Framed};
use crate::resolve::inherit::{Own, empty_case};
use crate::resolve::scope::States;
use crate::resolve::trouble::{Resolved, Trouble, mistake};
use crate::resolve::{Home, Notes, alloy, documented, generic, has, nullness, touched, types};
use crate::span::Span;
use crate::specs::{MethodKind, MethodSpecs};

/// Bound variables of the values of `old` clauses have numbers from here on.
const DEFINED: u32 = 1_000_000;

/// The methods of a type that its source says are pure, and those that the compiler has written.
pub(crate) fn pure(home: &Home<'_>) -> Vec<MethodId> {
    let is_pure_type = has(&home.ty.modifiers, ModifierKind::Pure);
    let methods = home.ty.methods.iter().zip(&home.found.methods);
    let said = methods.filter(|(m, _)| is_pure_type || has(&m.modifiers, ModifierKind::Pure));
    let mut pure: Vec<MethodId> = said.filter_map(|(_, found)| Some((*found)?.id)).collect();
    if !home.file.is_jml {
        pure.extend(unwritten(home));
    }
    pure
}

/// Methods of the class that its source does not declare.
fn unwritten<'w>(home: &Home<'w>) -> impl Iterator<Item = MethodId> + use<'w> {
    let program = home.program();
    let ty = home.ty;
    let methods = program.class(home.class()).map_or(&[][..], |c| &c.methods);
    methods.iter().copied().filter(move |id| {
        let name = program.method(*id).name.as_str();
        !name.starts_with('<') && ty.methods.iter().all(|m| m.name != name)
    })
}

/// What each method of a type says about itself.
pub(crate) fn resolve(home: &Home<'_>, notes: &mut Notes) -> Vec<(MethodId, Own)> {
    let mut resolved = Vec::new();
    for (method, found) in home.ty.methods.iter().zip(&home.found.methods) {
        match found {
            Some(found) => {
                let mut methods = Methods {
                    home,
                    method,
                    found: *found,
                    notes,
                    own: Own::default(),
                    definitions: Vec::new(),
                };
                methods.resolve();
                resolved.push((found.id, methods.own));
            }
            None => missing(home, method, notes),
        }
    }
    resolved.extend(record_members(home));
    resolved
}

/// Joins what two files say about one method; the second is heard where both decide about null.
pub(crate) fn join(known: &mut Own, other: Own) {
    let contract = &mut known.contract;
    contract.cases.extend(other.contract.cases);
    contract.gaps.extend(other.contract.gaps);
    contract.documented.extend(other.contract.documented);
    contract.is_helper |= other.contract.is_helper;
    known.pure = known.pure.take().or(other.pure);
    let theirs = other.contract.parameter_nullness.into_iter().zip(other.contract.parameter_sites);
    let sites = &mut contract.parameter_sites;
    let mine = contract.parameter_nullness.iter_mut().zip(sites);
    for ((mine, my_site), (theirs, their_site)) in mine.zip(theirs) {
        if theirs != Nullness::Unspecified {
            (*mine, *my_site) = (theirs, their_site);
        }
    }
    contract.result_nullness = other.contract.result_nullness.or(contract.result_nullness.take());
}

fn is_specified(method: &MethodSpecs) -> bool {
    !method.spec.cases.is_empty()
        || !method.formulas.is_empty()
        || !method.modifiers.is_empty()
        || !method.gaps.is_empty()
        || method.parameters.iter().any(|p| !p.modifiers.is_empty())
}

/// Reports a specified method that the class does not have.
fn missing(home: &Home<'_>, method: &MethodSpecs, notes: &mut Notes) {
    let is_initializer =
        matches!(method.kind, MethodKind::Initializer | MethodKind::StaticInitializer);
    if !is_specified(method) {
        return;
    }
    let head = match method.body {
        Some(body) => Span { end: body.start, ..method.span },
        None => method.span,
    };
    if is_initializer {
        let reason = "specifications of initializers are not supported".to_string();
        return notes.class_gap(home, head, Trouble::Unsupported(reason));
    }
    let types: Vec<&str> =
        find::parameters(home.ty, method).iter().map(|p| p.ty.as_str()).collect();
    let class = home.program().class_name(home.class());
    let message = format!(
        "the compiled `{class}` has no method that is certainly `{}({})`",
        method.name,
        types.join(", ")
    );
    let trouble = Trouble::Mistake(Diagnostic { span: head, message, suggestion: None });
    notes.class_gap(home, head, trouble);
}

/// Null in the constructor and the accessors that the compiler has written for a record.
fn record_members(home: &Home<'_>) -> Vec<(MethodId, Own)> {
    let program = home.program();
    let Some(class) = program.class(home.class()).ok().filter(|c| c.is_record) else {
        return Vec::new();
    };
    let components = &home.ty.components;
    let mut members = Vec::new();
    for &id in &class.methods {
        let method = program.method(id);
        let is_written = home.found.methods.iter().flatten().any(|f| f.id == id);
        let mut own = Own::default();
        if is_written {
            continue;
        } else if method.name == "<init>" && method.params.len() == components.len() {
            own.contract.parameter_nullness = nullness::components(home);
            own.contract.parameter_sites = nullness::component_sites(home);
            own.contract.parameters = components.iter().map(|c| c.name.clone()).collect();
        } else if method.params.is_empty()
            && let Some(index) = components.iter().position(|c| c.name == method.name)
        {
            own.contract.result_nullness = nullness::accessor(home, index);
        } else {
            continue;
        }
        members.push((id, own));
    }
    members
}

/// The setting of the clauses of a method that speak of the state before it.
pub(crate) fn setting<'w>(home: &Home<'w>, method: &MethodSpecs, found: Found) -> Setting<'w> {
    let declared = home.program().method(found.id);
    let mut setting = home.setting(declared.is_static);
    setting.scope.math = home.math(&method.modifiers);
    setting.scope.variables = parameters(home, method, found);
    setting.scope.generics = generic::of_method(home.program(), found.id, found.hidden);
    setting.around = match (&*declared.name, declared.result) {
        ("<init>", _) => Around::Constructor,
        (_, None) => Around::Void,
        _ => Around::Ordinary,
    };
    setting
}

/// The written parameters as variables.
pub(crate) fn parameters(
    home: &Home<'_>,
    method: &MethodSpecs,
    found: Found,
) -> Vec<(String, Variable, ir::Type)> {
    let declared = home.program().method(found.id);
    let written = find::parameters(home.ty, method).iter().enumerate();
    let variables = written.filter_map(|(index, parameter)| {
        let at = found.hidden + index;
        let number = u32::try_from(at).ok()?;
        Some((parameter.name.clone(), Variable::Parameter(number), *declared.params.get(at)?))
    });
    variables.collect()
}

struct Methods<'a, 'w> {
    home: &'a Home<'w>,
    method: &'a MethodSpecs,
    found: Found,
    notes: &'a mut Notes,
    own: Own,
    /// What `old` clauses of the current case name.
    definitions: Vec<(String, Term)>,
}

impl<'w> Methods<'_, 'w> {
    fn resolve(&mut self) {
        let (home, method) = (self.home, self.method);
        let modifier = |kind| method.modifiers.iter().find(|m| m.kind == kind);
        let of_type = || home.ty.modifiers.iter().find(|m| m.kind == ModifierKind::Pure);
        let pure = modifier(ModifierKind::Pure).or_else(of_type);
        self.own.pure = pure.map(|m| home.site(m.span));
        self.own.contract = Contract {
            parameters: self.parameter_names(),
            is_helper: modifier(ModifierKind::Helper).is_some(),
            result_nullness: nullness::result(home, method, self.found),
            gaps: home.gaps_at(&method.gaps),
            ..Contract::default()
        };
        nullness::parameters(home, method, self.found, &mut self.own.contract);
        for case in &method.spec.cases {
            let case = self.case(case);
            self.own.contract.cases.push(case);
        }
        self.formulas();
        let setting = self.before();
        let heard = documented::add((home, method, self.found), &setting, &mut self.own.contract);
        self.notes.heard.extend(heard);
    }

    fn parameter_names(&self) -> Vec<String> {
        let count = self.home.program().method(self.found.id).params.len();
        let written = find::parameters(self.home.ty, self.method);
        let name = |at: usize| {
            let index = at.checked_sub(self.found.hidden);
            index.and_then(|i| written.get(i)).map_or_else(|| format!("${at}"), |p| p.name.clone())
        };
        (0..count).map(name).collect()
    }

    fn before(&self) -> Setting<'w> {
        let mut setting = setting(self.home, self.method, self.found);
        setting.definitions.clone_from(&self.definitions);
        setting
    }

    fn after(&self) -> Setting<'w> {
        let mut setting = self.before();
        setting.scope.states = States::Two;
        setting.scope.result = self.home.program().method(self.found.id).result;
        setting
    }

    /// The clause of a term, or a gap where it has none.
    fn clause(&mut self, resolved: Resolved<Term>, span: Span) -> Option<Clause> {
        let term = self.kept(resolved, span)?;
        Some(Clause { term, site: self.home.site(span) })
    }

    fn kept<T>(&mut self, resolved: Resolved<T>, span: Span) -> Option<T> {
        match resolved {
            Ok(found) => Some(found),
            Err(trouble) => {
                let gap = self.notes.gap(self.home, span, *trouble);
                self.own.contract.gaps.push(gap);
                None
            }
        }
    }

    fn case(&mut self, written: &SpecCase) -> Case {
        let mut case = empty_case(self.home.site(written.span));
        case.ends = match written.behavior {
            Behavior::Normal => Ends::Normally,
            Behavior::Exceptional => Ends::Exceptionally,
            Behavior::Lightweight | Behavior::General => Ends::Anyhow,
        };
        case.is_code = written.is_code;
        self.definitions.clear();
        for clause in &written.clauses {
            match &clause.content {
                Ok(content) => self.add(&mut case, content, clause.span),
                Err(gap) => {
                    let gap = self.home.gap_at(gap, clause.span);
                    self.own.contract.gaps.push(gap);
                }
            }
        }
        self.definitions.clear();
        case
    }

    fn add(&mut self, case: &mut Case, content: &MethodClause, span: Span) {
        match content {
            MethodClause::Requires(e) => {
                let resolved = self.before().condition(e);
                case.requires.extend(self.clause(resolved, span));
            }
            MethodClause::Ensures(e) => {
                let resolved = self.after().condition(e);
                case.ensures.extend(self.clause(resolved, span));
            }
            MethodClause::Signals { exception, variable, condition } => {
                let parts = (exception, variable.as_ref(), condition.as_ref());
                let resolved = self.signals(parts, span);
                case.signals.extend(self.kept(resolved, span));
            }
            MethodClause::SignalsOnly(exceptions) => {
                let scope = self.before();
                let classes = exceptions.iter().map(|e| exception_class(&scope, e));
                let resolved = classes.collect::<Resolved<Vec<_>>>();
                if let Some(exceptions) = self.kept(resolved, span) {
                    let program = self.home.program();
                    let exceptions = match case.signals_only.take() {
                        Some(known) => common_classes(program, &known.exceptions, &exceptions),
                        None => exceptions,
                    };
                    let site = self.home.site(span);
                    case.signals_only = Some(SignalsOnly { exceptions, site });
                }
            }
            MethodClause::Assignable(frame) => {
                let resolved = self.frame(frame);
                if let Some(Some(locations)) = self.kept(resolved, span) {
                    let site = self.home.site(span);
                    match case.assignable.first_mut() {
                        None => {
                            let is_strict = matches!(frame, ast::Frame::StrictlyNothing);
                            case.assignable.push(Assignable { locations, is_strict, site });
                        }
                        Some(known) => known.locations = both(known.locations.take(), locations),
                    }
                }
            }
            MethodClause::Accessible(frame) => {
                let resolved = self.frame(frame);
                if let Some(Some(locations)) = self.kept(resolved, span) {
                    let site = self.home.site(span);
                    match case.accessible.first_mut() {
                        None => {
                            let is_strict = false;
                            case.accessible.push(Assignable { locations, is_strict, site });
                        }
                        Some(known) => known.locations = both(known.locations.take(), locations),
                    }
                }
            }
            MethodClause::Callable(callees) => {
                let resolved = match callees {
                    ast::Callees::NotSpecified => Ok(None),
                    _ => touched::methods(&self.before(), callees).map(Some),
                };
                if let Some(Some(methods)) = self.kept(resolved, span) {
                    let site = self.home.site(span);
                    match case.callable.first_mut() {
                        None => case.callable.push(Callable { methods, site }),
                        Some(known) => {
                            let methods = known.methods.take().zip(methods);
                            known.methods = methods.map(|(a, b)| [a, b].concat());
                        }
                    }
                }
            }
            MethodClause::MeasuredBy(measures) => {
                for measure in measures {
                    let resolved = self.before().integer(measure);
                    case.measured_by.extend(self.clause(resolved, span));
                }
            }
            MethodClause::Old(variables) => {
                for variable in variables {
                    let resolved = self.definition(variable);
                    if let Some(value) = self.kept(resolved, span) {
                        self.definitions.push((variable.name.name.clone(), value));
                    }
                }
            }
            MethodClause::NotSpecified => {}
        }
    }

    /// The value of an `old` variable.
    fn definition(&self, variable: &ast::OldVariable) -> Resolved<Term> {
        let setting = self.before();
        let ty = types::named(&setting.scope, &variable.ty)?;
        let mut terms = Terms::new(&setting);
        // What is bound in it must not clash with what is bound around it.
        let own = u32::try_from(self.definitions.len() + 1).unwrap_or(1);
        terms.next_bound = own.wrapping_mul(DEFINED);
        let value = terms.scalar(&variable.value)?;
        terms.taken(value, ty)
    }

    fn frame(&self, frame: &ast::Frame) -> Resolved<Option<Option<Vec<crate::core::Location>>>> {
        let mut setting = self.before();
        if setting.around == Around::Constructor {
            // A constructor assigns its object, which the state before does not have.
            setting.scope.states = States::Two;
        }
        frame::locations(&setting, frame, Framed::Method)
    }

    fn signals(
        &self,
        (exception, variable, condition): (&TypeName, Option<&Ident>, Option<&Expr>),
        span: Span,
    ) -> Resolved<Signals> {
        let mut setting = self.after();
        setting.scope.result = None;
        setting.around = match setting.around {
            Around::Void => Around::Ordinary,
            other => other,
        };
        let class = exception_class(&setting, exception)?;
        if let Some(variable) = variable {
            let ty = ir::Type::Ref(class);
            setting.scope.variables.push((variable.name.clone(), Variable::Exception, ty));
        }
        let condition = match condition {
            Some(e) => setting.condition(e)?,
            None => term(TermKind::Boolean(true), Sort::Boolean, span),
        };
        let condition = Clause { term: condition, site: self.home.site(span) };
        Ok(Signals { exception: class, condition })
    }

    /// Alloy-style clauses add to light cases; beside others they are a case of their own.
    fn formulas(&mut self) {
        let Some((first, last)) = self.method.formulas.first().zip(self.method.formulas.last())
        else {
            return;
        };
        let mut case = empty_case(self.home.site(first.span.to(last.span)));
        for formula in &self.method.formulas {
            let Some(clause) = self.formula(formula) else {
                continue;
            };
            match formula.keyword {
                AlloyKeyword::Requires => case.requires.push(clause),
                AlloyKeyword::Ensures | AlloyKeyword::Invariant => case.ensures.push(clause),
            }
        }
        let cases = &self.method.spec.cases;
        let are_light = cases.iter().all(|c| c.behavior == Behavior::Lightweight);
        if cases.is_empty() || !are_light {
            return self.own.contract.cases.push(case);
        }
        for own in &mut self.own.contract.cases {
            own.requires.extend(case.requires.iter().cloned());
            own.ensures.extend(case.ensures.iter().cloned());
        }
    }

    fn formula(&mut self, clause: &AlloyClause) -> Option<Clause> {
        let formula = match &clause.content {
            Ok(formula) => formula,
            Err(gap) => {
                let gap = self.home.gap_at(gap, clause.span);
                self.own.contract.gaps.push(gap);
                return None;
            }
        };
        let setting = match clause.keyword {
            AlloyKeyword::Requires => self.before(),
            AlloyKeyword::Ensures | AlloyKeyword::Invariant => self.after(),
        };
        let resolved = alloy::formula(&setting.scope, formula, &mut 0);
        let resolved = resolved.map_err(|diagnostic| Box::new(Trouble::Mistake(diagnostic)));
        self.clause(resolved, clause.span)
    }
}

/// The classes whose objects belong to one of each list.
fn common_classes(program: &ir::Program, one: &[ClassId], other: &[ClassId]) -> Vec<ClassId> {
    let within = |class: &&ClassId, list: &[ClassId]| {
        list.iter().any(|wide| program.is_subtype(**class, *wide))
    };
    let from_one = one.iter().filter(|class| within(class, other));
    let from_other = other.iter().filter(|class| within(class, one) && !one.contains(class));
    from_one.chain(from_other).copied().collect()
}

fn exception_class(setting: &Setting<'_>, exception: &TypeName) -> Resolved<ClassId> {
    let class = types::class(&setting.scope, exception)?;
    let program = setting.scope.program;
    if program.is_subtype(class, program.class_id("java.lang.Throwable")) {
        return Ok(class);
    }
    mistake(exception.span, format!("`{}` is no exception", exception.name))
}

/// What two clauses of one case allow together; nothing stands for everything.
fn both(a: Option<Vec<Location>>, b: Option<Vec<Location>>) -> Option<Vec<Location>> {
    Some([a?, b?].concat())
}
