//! JVM descriptors and internal names as types of a program.

use ir::{ClassId, Program, Type};

/// The type of a field descriptor (`I`, `[Ljava/lang/String;`), all of it.
pub fn field_type(program: &Program, descriptor: &str) -> Option<Type> {
    let (ty, rest) = split_type(program, descriptor)?;
    rest.is_empty().then_some(ty)
}

/// Parameter types and result type (`None` for `void`) of a method descriptor.
pub fn method_types(program: &Program, descriptor: &str) -> Option<(Vec<Type>, Option<Type>)> {
    let mut rest = descriptor.strip_prefix('(')?;
    let mut params = Vec::new();
    while !rest.starts_with(')') {
        let (ty, after) = split_type(program, rest)?;
        params.push(ty);
        if params.len() > 255 {
            return None;
        }
        rest = after;
    }
    match &rest[1..] {
        "V" => Some((params, None)),
        result => Some((params, Some(field_type(program, result)?))),
    }
}

/// The class that a `Class` constant names: an internal name or an array descriptor.
pub fn class_named(program: &Program, name: &str) -> Option<ClassId> {
    if name.starts_with('[') {
        return field_type(program, name)?.class();
    }
    Some(program.class_id(&binary_name(name)?))
}

/// `java/util/Map` → `java.util.Map`; `None` for what cannot be the name of a class.
pub fn binary_name(internal: &str) -> Option<String> {
    let legal = !internal.is_empty() && !internal.contains(['.', ';', '[', ']', '<', '>']);
    legal.then(|| internal.replace('/', "."))
}

fn split_type<'a>(program: &Program, descriptor: &'a str) -> Option<(Type, &'a str)> {
    let element = descriptor.trim_start_matches('[');
    let dimensions = descriptor.len() - element.len();
    if dimensions > 255 {
        return None;
    }
    let (ty, rest) = split_element(program, element)?;
    if dimensions == 0 {
        return Some((ty, rest));
    }
    let name = format!("{}{}", program.type_name(ty), "[]".repeat(dimensions));
    Some((Type::Ref(program.class_id(&name)), rest))
}

fn split_element<'a>(program: &Program, descriptor: &'a str) -> Option<(Type, &'a str)> {
    let mut chars = descriptor.chars();
    let ty = match chars.next()? {
        'Z' => Type::Boolean,
        'B' => Type::Byte,
        'C' => Type::Char,
        'S' => Type::Short,
        'I' => Type::Int,
        'J' => Type::Long,
        'F' => Type::Float,
        'D' => Type::Double,
        'L' => {
            let (name, rest) = chars.as_str().split_once(';')?;
            return Some((Type::Ref(program.class_id(&binary_name(name)?)), rest));
        }
        _ => return None,
    };
    Some((ty, chars.as_str()))
}
