//! A small world of classes, and the scopes of some methods in it.

use std::collections::HashMap;

use ir::{
    ClassData, ClassId, ClassLoader, Code, FieldData, LoadError, Method, Nullness, Program, Type,
};

use super::print::printed;
use crate::core::{Term, Variable};
use crate::resolve::scope::{Math, Scope, SpecFields, States};

/// Names and types.
type Names = &'static [(&'static str, &'static str)];

/// Class, super-class, fields with their types.
const CLASSES: [(&str, &str, Names); 14] = [
    ("java.lang.Object", "", &[]),
    ("p.List", "java.lang.Object", &[("next", "p.List"), ("val", "p.Val"), ("tag", "int")]),
    ("p.Val", "java.lang.Object", &[("key", "int"), ("owner", "p.List")]),
    ("p.Set", "java.lang.Object", &[("elems", "p.Entry"), ("size", "int"), ("sealed", "boolean")]),
    ("p.Entry", "java.lang.Object", &[("val", "int"), ("next", "p.Entry")]),
    ("p.Procedures", "java.lang.Object", &[]),
    (
        "p.Counter",
        "java.lang.Object",
        &[
            ("count", "int"),
            ("total", "long"),
            ("small", "byte"),
            ("weight", "double"),
            ("static made", "int"),
            ("static last", "p.Counter"),
            ("static verbose", "boolean"),
            ("slots", "int[]"),
            ("peer", "p.Counter"),
        ],
    ),
    ("p.Node", "java.lang.Object", &[("left", "p.Node"), ("right", "p.Node"), ("item", "p.Val")]),
    ("p.Leaf", "p.Node", &[("label", "p.Val")]),
    ("p.Map", "java.lang.Object", &[("head", "p.Map$Cell")]),
    ("p.Map$Cell", "java.lang.Object", &[("rest", "p.Map$Cell"), ("result", "p.Val")]),
    ("q.Far", "java.lang.Object", &[("static limit", "int"), ("near", "p.List")]),
    ("java.lang.Cloneable", "interface", &[]),
    ("java.io.Serializable", "interface", &[]),
];

struct World;

impl ClassLoader for World {
    fn load(&self, program: &Program, _: ClassId, name: &str) -> Result<ClassData, LoadError> {
        let found = CLASSES.iter().find(|c| c.0 == name).ok_or(LoadError::Missing)?;
        let superclass = match found.1 {
            "" => None,
            "interface" => Some(program.class_id("java.lang.Object")),
            named => Some(program.class_id(named)),
        };
        let field = |(name, ty): &(&str, &str)| FieldData {
            name: name.trim_start_matches("static ").into(),
            ty: program.parse_type(ty),
            is_static: name.starts_with("static "),
            is_final: false,
            is_private: false,
            is_public: false,
            is_synthetic: false,
            is_volatile: false,
            constant: None,
            nullness: Nullness::Unspecified,
            is_generic: false,
            signature: None,
            specified: None,
        };
        Ok(ClassData {
            superclass,
            is_interface: found.1 == "interface",
            given: true,
            fields: found.2.iter().map(field).collect(),
            ..ClassData::default()
        })
    }

    fn lower(&self, _: &Program, _: &Method) -> Code {
        Code::Abstract
    }
}

/// The methods whose clauses are tried.
#[derive(Clone, Copy, Debug)]
pub(super) enum At {
    /// `static void Procedures.delete(List l, Val v)`, the state before.
    Before,
    /// The same, both states.
    Delete,
    /// `Set Set.intersect(Set p)`, both states.
    Intersect,
    /// `boolean Set.contains(int v)`, both states.
    Contains,
    /// `int Counter.step(int n, long m, boolean b, Counter other, Counter[] many)`, both states.
    Step,
    /// The invariant of `Node`.
    Node,
    /// The invariant of `Map`.
    Map,
    /// `static void Procedures.mix(List l, Entry e)`, the state before.
    Mix,
}

/// Resolves a formula.
pub(super) fn resolve(at: At, text: &str) -> Result<(Term, String), String> {
    let program = Program::new(Box::new(World));
    let spec_fields: SpecFields = HashMap::new();
    let (class, is_static, parameters, result, states): (_, _, Names, _, _) = match at {
        At::Before => ("p.Procedures", true, &[("l", "p.List"), ("v", "p.Val")], "", States::One),
        At::Delete => ("p.Procedures", true, &[("l", "p.List"), ("v", "p.Val")], "", States::Two),
        At::Intersect => ("p.Set", false, &[("p", "p.Set")], "p.Set", States::Two),
        At::Contains => ("p.Set", false, &[("v", "int")], "boolean", States::Two),
        At::Step => (
            "p.Counter",
            false,
            &[
                ("n", "int"),
                ("m", "long"),
                ("b", "boolean"),
                ("other", "p.Counter"),
                ("many", "p.Counter[]"),
                ("peer", "p.Counter"),
            ],
            "int",
            States::Two,
        ),
        At::Node => ("p.Node", false, &[], "", States::One),
        At::Map => ("p.Map", false, &[], "", States::One),
        At::Mix => ("p.Procedures", true, &[("l", "p.List"), ("e", "p.Entry")], "", States::One),
    };
    let variable = |(index, (name, ty)): (usize, &(&str, &str))| {
        let variable = Variable::Parameter(u32::try_from(index).unwrap_or(0));
        ((*name).to_string(), variable, program.parse_type(ty))
    };
    let result: Option<Type> = (!result.is_empty()).then(|| program.parse_type(result));
    let scope = Scope {
        program: &program,
        package: "p",
        imports: &[],
        spec_fields: &spec_fields,
        specified: &crate::resolve::specified::Specified::default(),
        class: program.class_id(class),
        is_static,
        generics: Vec::new(),
        variables: parameters.iter().enumerate().map(variable).collect(),
        result,
        states,
        math: Math::Java,
    };
    let formula = crate::parse_formula(text).map_err(|d| format!("not parsed: {d}"))?;
    let term = super::super::formula(&scope, &formula, &mut 0).map_err(|d| d.to_string())?;
    let shown = printed(&program, &term);
    Ok((term, shown))
}
