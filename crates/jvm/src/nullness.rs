//! Which references may be null, as annotations of any vendor say it.
//!
//! An annotation counts by its simple name, on the declaration or on its outermost type. Inside
//! JSpecify's `@NullMarked` code a reference without an annotation is non-null, except where its
//! type is a type variable, whose nullness depends on what it stands for.

use ir::Nullness;

use crate::classfile::annotations::Target;
use crate::classfile::{ClassFile, Member, flags};

const NULLABLE: [&str; 6] = [
    "Nullable",
    "CheckForNull",
    "NullableDecl",
    "NullableType",
    "PossiblyNull",
    "RecentlyNullable",
];
const NON_NULL: [&str; 7] = [
    "NonNull",
    "Nonnull",
    "NotNull",
    "NonNullable",
    "NonNullDecl",
    "NonNullType",
    "RecentlyNonNull",
];

/// What a set of annotations says about a reference.
fn of_names<'a>(names: impl IntoIterator<Item = &'a String>) -> Nullness {
    let mut found = Nullness::Unspecified;
    for name in names {
        if NULLABLE.contains(&name.as_str()) {
            return Nullness::Nullable;
        }
        if NON_NULL.contains(&name.as_str()) {
            found = Nullness::NonNull;
        }
    }
    found
}

/// Whether annotations switch null-marking on or off for what they stand on.
pub fn marking(names: &[String]) -> Option<bool> {
    names.iter().find_map(|name| match name.as_str() {
        "NullMarked" => Some(true),
        "NullUnmarked" => Some(false),
        _ => None,
    })
}

/// The nullness of a field; `marked` if it stands in null-marked code.
pub fn of_field(file: &ClassFile, field: &Member, marked: bool) -> Nullness {
    let outer_instance =
        field.is(flags::SYNTHETIC) && field.is(flags::FINAL) && field.name.starts_with("this$");
    if outer_instance {
        return Nullness::NonNull;
    }
    if is_primitive(&field.descriptor) {
        return Nullness::Unspecified;
    }
    let signature = signature(file, field);
    let declared = of_names(&file.annotations(&field.attributes));
    let typed = file.type_annotations(&field.attributes);
    let typed = of_names(typed.iter().filter(|(at, _)| *at == Target::Type).map(|(_, name)| name));
    let generic = signature.is_some_and(|s| s.starts_with('T'));
    combine(declared, typed, marked && !generic && !field.is(flags::SYNTHETIC))
}

/// The nullness of each parameter, then of the result.
pub fn of_method(
    file: &ClassFile,
    method: &Member,
    marked: bool,
    params: &[&str],
    result: &str,
) -> (Vec<Nullness>, Nullness) {
    let own = file.annotations(&method.attributes);
    let marked = marking(&own).unwrap_or(marked) && !method.is(flags::SYNTHETIC);
    let typed = file.type_annotations(&method.attributes);
    let declared = file.parameter_annotations(&method.attributes, params.len());
    let leading = leading_synthetic(file, method, declared.declared, params.len());
    let generics = signature(file, method).map(|s| generic_positions(&s)).unwrap_or_default();
    let of_param = |index: usize| {
        if is_primitive(params[index]) {
            return Nullness::Unspecified;
        }
        let source_index = index.checked_sub(leading);
        let here = typed.iter().filter(|(at, _)| match at {
            Target::Parameter(i) => Some(usize::from(*i)) == source_index,
            Target::Type | Target::Elsewhere => false,
        });
        let typed = of_names(here.map(|(_, name)| name));
        let generic = source_index.is_some_and(|i| generics.params.get(i) == Some(&true));
        combine(of_names(&declared.of[index]), typed, marked && !generic)
    };
    let of_params = (0..params.len()).map(of_param).collect();
    if is_primitive(result) {
        return (of_params, Nullness::Unspecified);
    }
    let typed = of_names(typed.iter().filter(|(at, _)| *at == Target::Type).map(|(_, name)| name));
    (of_params, combine(of_names(&own), typed, marked && !generics.result))
}

fn combine(declared: Nullness, typed: Nullness, marked: bool) -> Nullness {
    match (declared, typed) {
        (Nullness::Nullable, _) | (_, Nullness::Nullable) => Nullness::Nullable,
        (Nullness::NonNull, _) | (_, Nullness::NonNull) => Nullness::NonNull,
        (Nullness::Unspecified, Nullness::Unspecified) if marked => Nullness::NonNull,
        (Nullness::Unspecified, Nullness::Unspecified) => Nullness::Unspecified,
    }
}

fn is_primitive(descriptor: &str) -> bool {
    !descriptor.starts_with(['L', '['])
}

/// How many parameters of a constructor's descriptor stand before those of the source: the outer
/// instance of an inner class, the name and ordinal of an enum constant.
fn leading_synthetic(
    file: &ClassFile,
    method: &Member,
    listed: Option<usize>,
    count: usize,
) -> usize {
    if method.name != "<init>" {
        return 0;
    }
    if let Some(listed) = listed {
        return count.saturating_sub(listed);
    }
    if file.flags & flags::ENUM != 0 {
        return 2;
    }
    let inner = file.as_inner().is_some_and(|i| i.outer.is_some() && i.flags & flags::STATIC == 0);
    usize::from(inner && file.flags & flags::INTERFACE == 0)
}

fn signature(file: &ClassFile, member: &Member) -> Option<String> {
    let mut reader = file.attribute(&member.attributes, "Signature")?;
    let text = file.text(reader.u2().ok()?).ok()?;
    Some(text.into_owned())
}

/// Which positions of a method are type variables.
#[derive(Default)]
struct GenericPositions {
    params: Vec<bool>,
    result: bool,
}

/// Reads a method signature (JVMS 4.7.9.1) as far as the kinds of its outermost types.
fn generic_positions(signature: &str) -> GenericPositions {
    let mut positions = GenericPositions::default();
    let Some(open) = parameters_start(signature) else {
        return positions;
    };
    let mut rest = &signature[open..];
    while !rest.is_empty() && !rest.starts_with(')') {
        positions.params.push(rest.starts_with('T'));
        rest = skip_type(rest);
    }
    positions.result = rest.strip_prefix(')').is_some_and(|r| r.starts_with('T'));
    positions
}

/// After the `(` that no type parameter bound contains.
fn parameters_start(signature: &str) -> Option<usize> {
    let mut depth = 0;
    for (at, c) in signature.char_indices() {
        match c {
            '<' => depth += 1,
            '>' => depth -= 1,
            '(' if depth == 0 => return Some(at + 1),
            _ => {}
        }
    }
    None
}

fn skip_type(signature: &str) -> &str {
    let element = signature.trim_start_matches('[');
    if !element.starts_with(['L', 'T']) {
        return element.get(1..).unwrap_or("");
    }
    let mut depth = 0;
    for (at, c) in element.char_indices() {
        match c {
            '<' => depth += 1,
            '>' => depth -= 1,
            ';' if depth == 0 => return &element[at + 1..],
            _ => {}
        }
    }
    ""
}

#[cfg(test)]
mod tests {
    use super::generic_positions;

    #[test]
    fn type_variables_are_found_in_signatures() {
        let found = generic_positions("<T:Ljava/lang/Object;>(TT;ILjava/util/List<TT;>;[TT;)TT;");
        assert_eq!(found.params, [true, false, false, false]);
        assert!(found.result);
        assert!(generic_positions("((").params.len() < 3);
    }
}
