//! Fields and methods of a class file as the program wants them.

use std::borrow::Cow;

use ir::{ClassId, Constant, FieldData, MethodData, Program, Type};

use crate::classfile::pool::Loadable;
use crate::classfile::reader::{Malformed, malformed};
use crate::classfile::{Attribute, ClassFile, Member, flags};
use crate::{descriptor, nullness};

/// A field; `marked` if the class is null-marked.
pub fn field(
    program: &Program,
    file: &ClassFile,
    member: &Member,
    marked: bool,
) -> Result<FieldData, Malformed> {
    let Some(ty) = descriptor::field_type(program, &member.descriptor) else {
        return malformed(format!("the field {} has no legal type", member.name));
    };
    let signature = signature(file, &member.attributes);
    Ok(FieldData {
        name: member.name.clone(),
        ty,
        is_static: member.is(flags::STATIC),
        is_final: member.is(flags::FINAL),
        is_private: member.is(flags::PRIVATE),
        is_public: member.is(flags::PUBLIC),
        is_synthetic: member.is(flags::SYNTHETIC),
        is_volatile: member.is(flags::VOLATILE),
        constant: constant_value(file, member, ty),
        nullness: nullness::of_field(file, member, marked),
        is_generic: signature.as_deref().is_some_and(is_type_variable),
        signature,
        specified: None,
    })
}

/// The `ConstantValue` of a static or final field, where it fits the field's type. A JVM heeds it for static
/// fields only; javac writes it for every constant variable.
fn constant_value(file: &ClassFile, member: &Member, ty: Type) -> Option<Constant> {
    if !member.is(flags::STATIC) && !member.is(flags::FINAL) {
        return None;
    }
    let mut reader = file.attribute(&member.attributes, "ConstantValue")?;
    match (file.loadable(reader.u2().ok()?).ok()?, ty) {
        (Loadable::Int(v), Type::Int) => Some(Constant::Int(v)),
        (Loadable::Int(v), Type::Boolean) => Some(Constant::Int(v & 1)),
        (Loadable::Int(v), Type::Byte) => Some(Constant::Int(i32::from(v as i8))),
        (Loadable::Int(v), Type::Char) => Some(Constant::Int(i32::from(v as u16))),
        (Loadable::Int(v), Type::Short) => Some(Constant::Int(i32::from(v as i16))),
        (Loadable::Long(v), Type::Long) => Some(Constant::Long(v)),
        (Loadable::Float(v), Type::Float) => Some(Constant::Float(v)),
        (Loadable::Double(v), Type::Double) => Some(Constant::Double(v)),
        (Loadable::String(v), Type::Ref(_)) => Some(Constant::String(v.into())),
        _ => None,
    }
}

/// A method; `marked` if the class is null-marked.
pub fn method(
    program: &Program,
    file: &ClassFile,
    member: &Member,
    marked: bool,
) -> Result<MethodData, Malformed> {
    let Some((params, result)) = descriptor::method_types(program, &member.descriptor) else {
        return malformed(format!("the method {} has no legal type", member.name));
    };
    let is_static = member.is(flags::STATIC) || member.name == "<clinit>";
    if is_static && member.name == "<init>" {
        return malformed("a constructor is static");
    }
    let described: Vec<String> = params.iter().map(|ty| program.descriptor(*ty)).collect();
    let described: Vec<&str> = described.iter().map(String::as_str).collect();
    let returned = result.map_or("V".to_owned(), |ty| program.descriptor(ty));
    let (param_nullness, result_nullness) =
        nullness::of_method(file, member, marked, &described, &returned);
    let debug = Debug::of(file, member, is_static, &params);
    let signature = signature(file, &member.attributes);
    Ok(MethodData {
        name: member.name.clone(),
        descriptor: member.descriptor.clone(),
        params,
        result,
        is_static,
        is_abstract: member.is(flags::ABSTRACT),
        is_native: member.is(flags::NATIVE),
        is_private: member.is(flags::PRIVATE),
        is_public: member.is(flags::PUBLIC),
        is_package_private: ![flags::PUBLIC, flags::PROTECTED, flags::PRIVATE]
            .iter()
            .any(|flag| member.is(*flag)),
        is_synthetic: member.is(flags::SYNTHETIC),
        is_bridge: member.is(flags::BRIDGE),
        is_varargs: member.is(flags::VARARGS),
        throws: throws(program, file, member),
        param_names: debug.param_names,
        param_nullness,
        result_nullness,
        returns_generic: signature
            .as_deref()
            .and_then(|s| s.rsplit_once(')'))
            .is_some_and(|(_, result)| is_type_variable(result)),
        signature,
        line: debug.line,
        code: None,
    })
}

/// The generic signature of a class, field or method with these attributes.
pub fn signature(file: &ClassFile, attributes: &[Attribute]) -> Option<String> {
    let mut reader = file.attribute(attributes, "Signature")?;
    file.text(reader.u2().ok()?).ok().map(Cow::into_owned)
}

/// `TE;` or `[TE;`: what a caller sees of it depends on type arguments.
fn is_type_variable(signature: &str) -> bool {
    signature.trim_start_matches('[').starts_with('T')
}

fn throws(program: &Program, file: &ClassFile, member: &Member) -> Vec<ClassId> {
    let mut declared = Vec::new();
    let Some(mut reader) = file.attribute(&member.attributes, "Exceptions") else {
        return declared;
    };
    for _ in 0..reader.u2().unwrap_or(0) {
        let name = reader.u2().and_then(|index| file.class_at(index));
        let class = name.ok().and_then(|name| descriptor::class_named(program, &name));
        declared.extend(class);
    }
    declared
}

/// What debug information says about a method.
struct Debug {
    line: Option<u32>,
    param_names: Vec<String>,
}

impl Debug {
    fn of(file: &ClassFile, member: &Member, is_static: bool, params: &[Type]) -> Debug {
        let code = file.code(member).ok().flatten();
        let line = code.as_ref().and_then(|c| c.lines.first()).map(|l| u32::from(l.line));
        let declared = method_parameters(file, member).filter(|names| names.len() == params.len());
        let from_locals = || {
            let variables = &code.as_ref()?.variables;
            let mut slot = u16::from(!is_static);
            let mut names = Vec::new();
            for ty in params {
                let variable = variables.iter().find(|v| v.slot == slot && v.start == 0)?;
                names.push(variable.name.clone());
                slot += if matches!(ty, Type::Long | Type::Double) { 2 } else { 1 };
            }
            Some(names)
        };
        let param_names = declared.or_else(from_locals).unwrap_or_default();
        Debug { line, param_names }
    }
}

/// Names in `MethodParameters`, if every parameter has one.
fn method_parameters(file: &ClassFile, member: &Member) -> Option<Vec<String>> {
    let mut reader = file.attribute(&member.attributes, "MethodParameters")?;
    let mut names = Vec::new();
    for _ in 0..reader.u1().ok()? {
        names.push(file.text(reader.u2().ok()?).ok().map(Cow::into_owned)?);
        reader.u2().ok()?;
    }
    Some(names)
}
