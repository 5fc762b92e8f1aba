//! String concatenation (JLS 15.18.1 as javac compiles it since 9).

use ir::{ClassId, Type};

use crate::classfile::pool::Loadable;
use crate::classfile::reader::{Malformed, malformed};

use super::{Linked, Part, Site};

const ARGUMENT: u16 = 1;
const CONSTANT: u16 = 2;

/// `makeConcat`: the arguments, one after the other.
pub fn plain(site: &Site<'_>) -> Linked {
    finish(site, (0..site.params.len()).map(Part::Argument).collect())
}

/// `makeConcatWithConstants`: a recipe of text, arguments (`\1`) and constants (`\2`).
pub fn with_constants(site: &Site<'_>) -> Result<Linked, Malformed> {
    let mut constants = site.bootstrap.arguments.iter();
    let recipe = match constants.next() {
        Some(&index) => site.unit.file.loadable(index)?,
        None => return malformed("a concatenation without a recipe"),
    };
    let Loadable::String(recipe) = recipe else {
        return malformed("a concatenation whose recipe is not a string");
    };
    let mut parts = Vec::new();
    let mut text = Vec::new();
    let mut argument = 0;
    for unit in recipe {
        match unit {
            ARGUMENT => {
                if !text.is_empty() {
                    parts.push(Part::Text(std::mem::take(&mut text)));
                }
                parts.push(Part::Argument(argument));
                argument += 1;
            }
            CONSTANT => match constants.next().map(|&c| site.unit.file.loadable(c)).transpose()? {
                Some(Loadable::String(constant)) => text.extend(constant),
                Some(Loadable::Int(constant)) => text.extend(constant.to_string().encode_utf16()),
                Some(Loadable::Long(constant)) => text.extend(constant.to_string().encode_utf16()),
                Some(_) => {
                    let what = "string concatenation with an unusual constant";
                    return Ok(Linked::Unsupported(what.to_owned()));
                }
                None => return malformed("a concatenation with too few constants"),
            },
            other => text.push(other),
        }
    }
    if !text.is_empty() {
        parts.push(Part::Text(text));
    }
    if argument != site.params.len() {
        return malformed("a concatenation whose recipe does not match its arguments");
    }
    Ok(finish(site, parts))
}

fn finish(site: &Site<'_>, parts: Vec<Part>) -> Linked {
    let string: ClassId = site.unit.program.class_id("java.lang.String");
    if site.params.iter().any(|ty| matches!(ty, Type::Float | Type::Double)) {
        return Linked::Unsupported("floating point: string concatenation".to_owned());
    }
    match site.result {
        Some(Type::Ref(class)) if class == string => Linked::Concat(parts),
        _ => Linked::Unsupported("string concatenation of another type".to_owned()),
    }
}
