//! Type arguments in clauses: what a term's type is with its arguments, and the casts that javac
//! would insert for them.

use ir::{MethodId, Program, Type};

use crate::core::{Sort, Term, TermKind, Variable};
use crate::jml::ast::TypeName;
use crate::resolve::expr::Terms;
use crate::resolve::scope::Scope;
use crate::resolve::signature::{self, Arguments, Generic};
use crate::resolve::types;

/// How many terms inside each other are looked at for a type.
const DEEPEST: usize = 64;

/// The parameters and the result of a method with their type arguments. `hidden` parameters stand
/// before the written ones and are in no signature.
pub(crate) fn of_method(
    program: &Program,
    id: MethodId,
    hidden: usize,
) -> Vec<(Variable, Generic)> {
    let method = program.method(id);
    let Some(ty) = signature::of_method(program, method) else {
        return Vec::new();
    };
    let meant = signature::inside_method(program, method);
    let hidden = if ty.params.len() == method.params.len() { 0 } else { hidden };
    let params = ty.params.iter().enumerate().filter_map(|(index, param)| {
        let number = u32::try_from(hidden + index).ok()?;
        Some((Variable::Parameter(number), param.with(&meant)))
    });
    let result = ty.result.iter().map(|result| (Variable::Result, result.with(&meant)));
    params.chain(result).collect()
}

/// What a written type means with its arguments, where its class is known.
pub(crate) fn written(scope: &Scope<'_>, ty: &TypeName) -> Generic {
    let name = match ty.name.strip_prefix("? extends ") {
        Some(bound) => bound,
        None if ty.name.starts_with('?') => return Generic::Any,
        None => &ty.name,
    };
    let mut found = match (ir::Type::of_keyword(name), scope.class_named(name)) {
        (Some(primitive), _) => Generic::Primitive(primitive),
        (None, Some(class)) => {
            let arguments = ty.arguments.iter().map(|a| written(scope, a)).collect();
            signature::applied(scope.program, class, arguments)
        }
        (None, None) => return Generic::Any,
    };
    for _ in 0..ty.dimensions {
        found = Generic::Array(Box::new(found));
    }
    found
}

impl Terms<'_, '_> {
    /// A term that was read through a type variable, as what the type argument says it is.
    pub fn typed(&self, of: Term) -> Term {
        let program = self.scope().program;
        let Sort::Reference(declared) = of.sort else {
            return of;
        };
        let Some(Type::Ref(actual)) = self.generic(&of, 0).erasure(program) else {
            return of;
        };
        // An array of a type variable is an array of its bound, whatever the argument is; what is
        // read from it is what the argument says.
        let is_array = program.class(declared).is_ok_and(|c| c.element.is_some());
        let is_known = program.is_subtype(declared, actual);
        if is_array || is_known || program.class(actual).is_err() {
            return of;
        }
        if !self.may_be_same(actual, declared) {
            return of;
        }
        let span = of.span;
        let kind = TermKind::Typed(actual, Box::new(of));
        Term { kind, sort: Sort::Reference(actual), span }
    }

    /// The type of a term with its arguments.
    fn generic(&self, of: &Term, depth: usize) -> Generic {
        let program = self.scope().program;
        let raw = || match &of.sort {
            Sort::Reference(class) => Generic::raw(program, Type::Ref(*class)),
            Sort::Number(number) => {
                types::number_type(*number).map_or(Generic::Any, Generic::Primitive)
            }
            Sort::Boolean => Generic::Primitive(Type::Boolean),
            Sort::Null | Sort::Type | Sort::Locations | Sort::Relation(_) => Generic::Any,
        };
        if depth > DEEPEST {
            return raw();
        }
        if let Some((_, said)) = self.casts.iter().find(|cast| cast.0 == of.span) {
            return said.clone();
        }
        let found = match &of.kind {
            TermKind::Variable(Variable::This) => {
                let class = self.scope().class;
                Generic::Class(class, signature::inside(program, class))
            }
            TermKind::Variable(variable) => {
                let mut known = self.scope().generics.iter().chain(&self.bound_generics).rev();
                known.find(|g| g.0 == *variable).map_or_else(raw, |g| g.1.clone())
            }
            TermKind::Field(object, field) => {
                let field = program.field(*field);
                let Some(declared) = &field.signature else {
                    return raw();
                };
                let object = self.generic(object, depth + 1);
                let arguments = signature::as_super(program, &object, field.class);
                signature::of_field(program, declared).with(&arguments.unwrap_or_default())
            }
            TermKind::Static(field) => match &program.field(*field).signature {
                Some(declared) => signature::of_field(program, declared).with(&Vec::new()),
                None => return raw(),
            },
            TermKind::Element(array, _) => match self.generic(array, depth + 1) {
                Generic::Array(element) => *element,
                _ => return raw(),
            },
            TermKind::Array(_, elements) => {
                let mut types =
                    elements.iter().map(|e| boxed(program, &self.generic(e, depth + 1)));
                match types.next() {
                    Some(first) if types.all(|ty| ty == first) => Generic::Array(Box::new(first)),
                    _ => return raw(),
                }
            }
            TermKind::Call { method, arguments, .. } => self.returned(*method, arguments, depth),
            TermKind::Old(inner) | TermKind::Typed(_, inner) => self.generic(inner, depth + 1),
            TermKind::Conditional(_, then, other) if other.sort == Sort::Null => {
                self.generic(then, depth + 1)
            }
            TermKind::Conditional(_, then, other) => match self.generic(other, depth + 1) {
                one if then.sort == Sort::Null || one == self.generic(then, depth + 1) => one,
                _ => return raw(),
            },
            _ => return raw(),
        };
        match found {
            Generic::Any | Generic::Variable(_) => raw(),
            found => found,
        }
    }

    /// What a call returns.
    fn returned(&self, method: MethodId, passed: &[Term], depth: usize) -> Generic {
        let program = self.scope().program;
        let method = program.method(method);
        let Some(ty) = signature::of_method(program, method) else {
            return Generic::Any;
        };
        let Some(result) = ty.result else {
            return Generic::Any;
        };
        let (object, passed) = match passed.split_first() {
            Some((object, passed)) if !method.is_static => (Some(object), passed),
            _ => (None, passed),
        };
        let known = object.and_then(|object| {
            signature::as_super(program, &self.generic(object, depth + 1), method.class)
        });
        let mut arguments = known.unwrap_or_default();
        for (name, _) in &ty.formals {
            let (mut found, mut torn) = (Generic::Any, false);
            for (param, argument) in ty.params.iter().zip(passed) {
                self.infer(name, param, &self.generic(argument, depth + 1), &mut found, &mut torn);
            }
            arguments.push((name.clone(), found));
        }
        result.with(&arguments)
    }

    /// What an argument tells about a type variable of the method: the widest of all that it is
    /// said to be, or nothing where these have nothing in common.
    fn infer(
        &self,
        name: &str,
        param: &Generic,
        given: &Generic,
        found: &mut Generic,
        torn: &mut bool,
    ) {
        let program = self.scope().program;
        match (param, given) {
            (Generic::Variable(variable), _) if variable == name => {
                let given = boxed(program, given);
                let (Some(Type::Ref(new)), false) = (given.erasure(program), *torn) else {
                    return;
                };
                match found.erasure(program) {
                    Some(Type::Ref(known)) if program.is_subtype(new, known) => {}
                    Some(Type::Ref(known)) if !program.is_subtype(known, new) => {
                        *found = Generic::Any;
                        *torn = true;
                    }
                    _ => *found = given,
                }
            }
            (Generic::Array(param), Generic::Array(given)) => {
                self.infer(name, param, given, found, torn);
            }
            (Generic::Class(class, params), Generic::Class(..)) => {
                let given: Arguments =
                    signature::as_super(program, given, *class).unwrap_or_default();
                for (formal, param) in params {
                    if let Some((_, given)) = given.iter().rev().find(|g| g.0 == *formal) {
                        self.infer(name, param, given, found, torn);
                    }
                }
            }
            _ => {}
        }
    }
}

/// A primitive type as the class of its boxes, which is all that a type argument can be.
fn boxed(program: &Program, ty: &Generic) -> Generic {
    match ty {
        Generic::Primitive(ty) => {
            let class = types::box_class(program, &crate::resolve::scope::sort_of(*ty));
            class.map_or(Generic::Any, |class| Generic::Class(class, Vec::new()))
        }
        other => other.clone(),
    }
}

/// A reference without the cast that a type argument has put around it, where javac makes none.
pub(crate) fn untyped(of: Term) -> Term {
    match of.kind {
        TermKind::Typed(_, inner) => *inner,
        _ => of,
    }
}
