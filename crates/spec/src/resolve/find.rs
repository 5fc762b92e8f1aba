//! Finds the class and the methods of the program that declarations in a source are.

use ir::{Class, ClassId, Method, MethodId, Program, Type};

use crate::resolve::SourceFile;
use crate::resolve::types::is_type_variable;
use crate::specs::{FileSpecs, MethodKind, MethodSpecs, Parameter, TypeSpecs};

/// A declared type in the program.
pub(crate) struct FoundType {
    pub class: ClassId,
    /// One for each method of the declaration; none where the program has no such method or
    /// several.
    pub methods: Vec<Option<Found>>,
}

/// A declared method in the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Found {
    pub id: MethodId,
    /// How many parameters the compiler has put in front of the written ones.
    pub hidden: usize,
}

/// The types of a file, in its order; none where a type is not compiled.
pub(crate) fn types(program: &Program, file: &SourceFile) -> Vec<Option<FoundType>> {
    file.specs.types.iter().map(|ty| found_type(program, file, ty)).collect()
}

fn found_type(program: &Program, file: &SourceFile, ty: &TypeSpecs) -> Option<FoundType> {
    let name = binary_name(&file.specs, ty);
    let class = program.class(program.class_id(&name)).ok()?;
    let find = |method| method_of(program, class, file, ty, method);
    Some(FoundType { class: class.id, methods: ty.methods.iter().map(find).collect() })
}

fn binary_name(file: &FileSpecs, ty: &TypeSpecs) -> String {
    match file.package.as_str() {
        "" => ty.name.clone(),
        package => format!("{package}.{}", ty.name),
    }
}

/// The parameters of a method as written; a compact constructor has those of its record.
pub(crate) fn parameters<'t>(ty: &'t TypeSpecs, method: &'t MethodSpecs) -> &'t [Parameter] {
    match method.kind {
        MethodKind::CompactConstructor => &ty.components,
        _ => &method.parameters,
    }
}

fn method_of(
    program: &Program,
    class: &Class,
    file: &SourceFile,
    ty: &TypeSpecs,
    method: &MethodSpecs,
) -> Option<Found> {
    let name = match method.kind {
        MethodKind::Method => method.name.as_str(),
        MethodKind::Constructor | MethodKind::CompactConstructor => "<init>",
        MethodKind::StaticInitializer => "<clinit>",
        MethodKind::Initializer => return None,
    };
    let written = parameters(ty, method);
    let is_named = |m: &&Method| m.name == name && !m.is_synthetic && !m.is_bridge;
    let candidates: Vec<&Method> =
        class.methods.iter().map(|m| program.method(*m)).filter(is_named).collect();
    let by_types = |candidates: &[&Method]| -> Vec<Found> {
        let fit = candidates.iter().filter_map(|m| {
            let hidden = hidden_parameters(program, class, ty, m, written)?;
            Some(Found { id: m.id, hidden })
        });
        fit.collect()
    };
    let has_lines = !file.is_jml && method.body.is_some();
    let in_lines = |m: &&Method| {
        m.line.is_some_and(|line| (method.span.line..=method.last_line).contains(&line))
    };
    let near: Vec<&Method> =
        candidates.iter().copied().filter(|m| has_lines && in_lines(m)).collect();
    if !near.is_empty() {
        return only(&by_types(&near)).or_else(|| alone(&near, written));
    }
    let is_elsewhere = has_lines && candidates.iter().all(|m| m.line.is_some());
    if is_elsewhere && is_local(&ty.name) {
        return None;
    }
    only(&by_types(&candidates))
}

fn only(found: &[Found]) -> Option<Found> {
    match found {
        [one] => Some(*one),
        _ => None,
    }
}

/// The one method that stands there, though its types read differently.
fn alone(near: &[&Method], written: &[Parameter]) -> Option<Found> {
    match near {
        [one] if one.params.len() == written.len() => Some(Found { id: one.id, hidden: 0 }),
        _ => None,
    }
}

/// Whether a class is local or anonymous: its constructors take what it captures.
fn is_local(name: &str) -> bool {
    name.split('$').skip(1).any(|part| part.starts_with(|c: char| c.is_ascii_digit()))
}

/// How many parameters of a method stand before the written ones, if the written ones fit.
fn hidden_parameters(
    program: &Program,
    class: &Class,
    ty: &TypeSpecs,
    method: &Method,
    written: &[Parameter],
) -> Option<usize> {
    let surplus = method.params.len().checked_sub(written.len())?;
    let is_constructor = method.name == "<init>";
    let hidden: &[usize] = match surplus {
        _ if is_constructor && is_local(&ty.name) => &[0, 1],
        0 => &[0],
        1 if is_constructor && ty.name.contains('$') => &[1],
        2 if is_constructor && class.is_enum => &[2],
        _ => &[],
    };
    let fits = |hidden: &&usize| {
        let Some(rest) = method.params.get(**hidden..) else {
            return false;
        };
        written.len() <= rest.len()
            && written.iter().zip(rest).all(|(w, ty)| is_written(program, &w.ty, *ty))
    };
    // What is captured comes last, so the reading with the most hidden in front is right where
    // the object around is among them.
    hidden.iter().rev().find(fits).copied()
}

/// Whether a type of the program may be what the source writes.
fn is_written(program: &Program, written: &str, ty: Type) -> bool {
    let written = erased(written);
    let name = program.type_name(ty);
    let (element, dimensions) = split(&written);
    let (real, real_dimensions) = split(name);
    let simple = element.rsplit('.').next().unwrap_or(element);
    if ir::Type::of_keyword(simple).is_some() {
        return simple == real && dimensions == real_dimensions;
    }
    let real_simple = real.rsplit(['.', '$']).next().unwrap_or(real);
    let is_same = dimensions == real_dimensions
        && real_simple.trim_start_matches(|c: char| c.is_ascii_digit()) == simple;
    let is_reference =
        |dimensions: usize| real_dimensions > dimensions || ir::Type::of_keyword(real).is_none();
    is_same
        || (is_type_variable(simple) || is_upper(simple))
            && real_dimensions >= dimensions
            && is_reference(dimensions)
}

/// Names in capital letters are type variables too, where nothing else is found.
fn is_upper(name: &str) -> bool {
    name.chars().all(|c| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_')
}

fn split(name: &str) -> (&str, usize) {
    let element = name.trim_end_matches("[]");
    (element, (name.len() - element.len()) / 2)
}

/// A written type without type arguments and annotations, `...` made `[]`.
fn erased(written: &str) -> String {
    let mut erased = String::new();
    let mut depth = 0usize;
    for c in written.chars() {
        match c {
            '<' => depth += 1,
            '>' => depth = depth.saturating_sub(1),
            _ if depth == 0 => erased.push(c),
            _ => {}
        }
    }
    let erased = erased.rsplit(' ').next().unwrap_or_default();
    match erased.strip_suffix("...") {
        Some(element) => format!("{element}[]"),
        None => erased.to_string(),
    }
}
