//! Types in clauses: what a written type means, how sorts read in messages, and which conversions
//! Java makes without being asked.

use ir::{ClassId, Program, Type};

use crate::core::{Number, Sort, Term, TermKind};
use crate::jml::ast::TypeName;
use crate::resolve::scope::{Scope, sort_of};
use crate::resolve::trouble::{Resolved, mistake, undecidable, unknown, unsupported};

/// A type that a clause can name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Named {
    Java(Type),
    /// `\bigint`
    Big,
}

/// What a written type means.
pub(crate) fn named(scope: &Scope<'_>, ty: &TypeName) -> Resolved<Named> {
    if ty.name == "\\bigint" && ty.dimensions == 0 {
        return Ok(Named::Big);
    }
    java(scope, ty).map(Named::Java)
}

/// What a written type means, where only a type of the program will do.
pub(crate) fn java(scope: &Scope<'_>, ty: &TypeName) -> Resolved<Type> {
    let mut found = match Type::of_keyword(&ty.name) {
        Some(primitive) => primitive,
        None if ty.name == "void" => return mistake(ty.span, "`void` is not the type of a value"),
        None => Type::Ref(element_class(scope, ty)?),
    };
    for _ in 0..ty.dimensions {
        found = Type::Ref(scope.program.array_of(found));
    }
    Ok(found)
}

/// What a written type means, where objects are asked whether they are of it: they do not know
/// type arguments.
pub(crate) fn reified(scope: &Scope<'_>, ty: &TypeName) -> Resolved<Type> {
    if ty.arguments.iter().any(|argument| argument.name != "?") {
        let name = &ty.name;
        return undecidable(format!(
            "`{name}<…>` is not supported here: objects do not know their type arguments"
        ));
    }
    let variables = crate::resolve::signature::inside(scope.program, scope.class);
    if variables.iter().any(|variable| variable.0 == ty.name) {
        return undecidable(format!("the type variable `{}` is not supported here", ty.name));
    }
    java(scope, ty)
}

/// What a written type means, where only a class, interface or array type will do.
pub(crate) fn class(scope: &Scope<'_>, ty: &TypeName) -> Resolved<ClassId> {
    match java(scope, ty)? {
        Type::Ref(class) => Ok(class),
        _ => mistake(ty.span, format!("a class is needed here, but `{}` is none", ty.name)),
    }
}

fn element_class(scope: &Scope<'_>, ty: &TypeName) -> Resolved<ClassId> {
    if ty.name.starts_with('\\') {
        return unsupported(&ty.name);
    }
    if let Some(found) = scope.class_named(&ty.name) {
        return Ok(found);
    }
    if is_type_variable(&ty.name) {
        return undecidable(format!("the type variable `{}` is not supported here", ty.name));
    }
    let known = known_classes(scope);
    let message = format!("there is no class `{}`", ty.name);
    unknown(ty.span, message, &ty.name, known.iter().map(String::as_str))
}

/// Names that a misspelled class may have meant.
fn known_classes(scope: &Scope<'_>) -> Vec<String> {
    let imported = scope.imports.iter().filter(|i| !i.is_static && !i.on_demand);
    let mut known: Vec<String> =
        imported.filter_map(|i| i.path.rsplit('.').next()).map(str::to_string).collect();
    let mut around = Some(scope.class);
    while let Some(class) = around {
        known.push(ir::program::simple(scope.program.class_name(class)).to_string());
        for field in scope.program.class(class).map_or(&[][..], |c| &c.fields) {
            if let Type::Ref(ty) = scope.program.field(*field).ty {
                let name = ir::program::simple(scope.program.class_name(ty));
                known.push(name.trim_end_matches("[]").to_string());
            }
        }
        around = scope.outer(class);
    }
    known.extend(["Object", "String", "Integer", "Exception", "RuntimeException"].map(Into::into));
    known
}

/// Whether a name looks as type variables do: one capital letter, perhaps with a digit.
pub(crate) fn is_type_variable(name: &str) -> bool {
    let mut letters = name.chars();
    letters.next().is_some_and(|c| c.is_ascii_uppercase())
        && letters.next().is_none_or(|c| c.is_ascii_digit())
        && letters.next().is_none()
}

/// The type of a number of Java; none for the mathematical integers.
pub(crate) fn number_type(number: Number) -> Option<Type> {
    Some(match number {
        Number::Byte => Type::Byte,
        Number::Short => Type::Short,
        Number::Char => Type::Char,
        Number::Int => Type::Int,
        Number::Long => Type::Long,
        Number::Float => Type::Float,
        Number::Double => Type::Double,
        Number::Big => return None,
    })
}

/// Whether it is `float` or `double`.
pub(crate) fn is_floating(number: Number) -> bool {
    matches!(number, Number::Float | Number::Double)
}

/// A sort as messages call it: `an int`, `a Node`.
pub(crate) fn describe(program: &Program, sort: &Sort) -> String {
    match sort {
        Sort::Boolean => "a boolean".into(),
        Sort::Number(Number::Big) => "a \\bigint".into(),
        Sort::Number(number) => {
            let ty = number_type(*number).and_then(Type::keyword).unwrap_or("number");
            with_article(ty)
        }
        Sort::Reference(class) => with_article(ir::program::simple(program.class_name(*class))),
        Sort::Null => "null".into(),
        Sort::Type => "a type".into(),
        Sort::Locations => "a set of locations".into(),
        Sort::Relation(_) => "a set of objects".into(),
    }
}

fn with_article(noun: &str) -> String {
    let is_vowel = noun.starts_with(['a', 'e', 'i', 'o', 'A', 'E', 'I', 'O', 'U']);
    format!("{} {noun}", if is_vowel { "an" } else { "a" })
}

/// The primitive type whose values a class boxes.
pub(crate) fn unboxed(program: &Program, class: ClassId) -> Option<Type> {
    Type::boxed_by(program.class_name(class))
}

/// The class that boxes values of a sort.
pub(crate) fn box_class(program: &Program, sort: &Sort) -> Option<ClassId> {
    let name = match sort {
        Sort::Boolean => "java.lang.Boolean",
        Sort::Number(number) => match number {
            Number::Byte => "java.lang.Byte",
            Number::Char => "java.lang.Character",
            Number::Short => "java.lang.Short",
            Number::Int => "java.lang.Integer",
            Number::Long => "java.lang.Long",
            Number::Float => "java.lang.Float",
            Number::Double => "java.lang.Double",
            Number::Big => return None,
        },
        Sort::Reference(_) | Sort::Null | Sort::Type | Sort::Locations | Sort::Relation(_) => {
            return None;
        }
    };
    Some(program.class_id(name))
}

/// The value in a box, if the term is one: a call of `intValue()` or its like.
pub(crate) fn unbox(program: &Program, term: Term) -> Term {
    let Sort::Reference(class) = term.sort else {
        return term;
    };
    let Some(ty) = unboxed(program, class) else {
        return term;
    };
    let keyword = ty.keyword().unwrap_or_default();
    let descriptor = format!("(){}", program.descriptor(ty));
    let loaded = program.class(class).ok();
    let method =
        loaded.and_then(|c| program.declared_method(c, &format!("{keyword}Value"), &descriptor));
    match method {
        Some(method) => {
            let span = term.span;
            let kind = TermKind::Call { method, is_virtual: true, arguments: vec![term] };
            Term { kind, sort: sort_of(ty), span }
        }
        None => term,
    }
}

/// A box around a value: a call of `Integer.valueOf(int)` or its like.
pub(crate) fn boxed(program: &Program, term: Term) -> Option<Term> {
    let class = box_class(program, &term.sort)?;
    let ty = unboxed(program, class)?;
    let name = program.class_name(class).replace('.', "/");
    let descriptor = format!("({})L{name};", program.descriptor(ty));
    let method = program.declared_method(program.class(class).ok()?, "valueOf", &descriptor)?;
    let span = term.span;
    let kind = TermKind::Call { method, is_virtual: false, arguments: vec![term] };
    Some(Term { kind, sort: Sort::Reference(class), span })
}

/// Whether Java widens one primitive number to another without a cast; to itself too.
pub(crate) fn widens(from: Number, to: Number) -> bool {
    use Number::*;
    match (from, to) {
        _ if from == to => true,
        (Byte, Short | Int | Long | Float | Double) => true,
        (Short | Char, Int | Long | Float | Double) => true,
        (Int, Long | Float | Double) => true,
        (Long, Float | Double) => true,
        (Float, Double) => true,
        (Byte | Short | Char | Int | Long, Big) => true,
        _ => false,
    }
}
