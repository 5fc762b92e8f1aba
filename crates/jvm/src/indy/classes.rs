//! Synthetic classes and methods around written bodies.

use ir::{ClassData, ClassId, Code, FieldData, MethodData, Nullness, Type};

use super::Site;

/// A method with this body.
pub fn method(
    site: &Site<'_>,
    name: &str,
    descriptor: &str,
    types: (Vec<Type>, Option<Type>),
    is_static: bool,
    code: Code,
) -> MethodData {
    let (params, result) = types;
    MethodData {
        name: name.to_owned(),
        descriptor: descriptor.to_owned(),
        param_nullness: vec![Nullness::Unspecified; params.len()],
        params,
        result,
        is_static,
        is_abstract: false,
        is_native: false,
        is_private: false,
        is_public: true,
        is_package_private: false,
        is_synthetic: true,
        is_bridge: false,
        is_varargs: false,
        throws: Vec::new(),
        param_names: Vec::new(),
        result_nullness: Nullness::Unspecified,
        returns_generic: false,
        signature: None,
        line: (site.line != 0).then_some(site.line),
        code: Some(code),
    }
}

/// A final class beside the one that contains the call site.
pub fn class(
    site: &Site<'_>,
    interfaces: Vec<ClassId>,
    fields: Vec<FieldData>,
    methods: Vec<MethodData>,
) -> ClassData {
    let source = site.unit.file.source_file();
    ClassData {
        superclass: Some(site.unit.program.class_id("java.lang.Object")),
        interfaces,
        is_final: true,
        is_synthetic: true,
        given: site.unit.given,
        source_file: source,
        fields,
        methods,
        ..ClassData::default()
    }
}
