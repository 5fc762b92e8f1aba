//! What names mean where a clause stands: variables, fields and classes, as Java looks them up.

use std::collections::HashMap;

use ir::{ClassId, FieldId, Program, Type};

use crate::core::{Sort, Variable};
use crate::jml::ast::Import;
use crate::resolve::signature::Generic;
use crate::resolve::specified::Specified;

/// Ghost and model fields by class and name.
pub(crate) type SpecFields = HashMap<(ClassId, String), FieldId>;

/// How numbers compute in a clause.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Math {
    /// As in Java: bounded and wrapping.
    #[default]
    Java,
    /// As mathematical integers.
    Bigint,
    /// As in Java, but what overflows has no value.
    Safe,
}

/// The state that a clause can speak of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum States {
    /// One state: `requires`, `invariant`.
    One,
    /// The states before and after: `ensures`, `signals`, `constraint`, statements in bodies.
    Two,
}

/// The names in force where a clause stands.
#[derive(Clone)]
pub(crate) struct Scope<'p> {
    pub program: &'p Program,
    pub package: &'p str,
    pub imports: &'p [Import],
    pub spec_fields: &'p SpecFields,
    pub specified: &'p Specified,
    /// The class whose clause it is.
    pub class: ClassId,
    /// Whether there is no `this`.
    pub is_static: bool,
    /// Parameters, locals and ghost variables; later ones hide earlier ones.
    pub variables: Vec<(String, Variable, Type)>,
    /// The types of variables and of the result with their type arguments, where they have any.
    pub generics: Vec<(Variable, Generic)>,
    /// The type of `\result`, where there is one.
    pub result: Option<Type>,
    pub states: States,
    pub math: Math,
}

impl Scope<'_> {
    /// The variable of this name that is no field.
    pub fn variable(&self, name: &str) -> Option<(Variable, Sort)> {
        let found = self.variables.iter().rev().find(|v| v.0 == name)?;
        Some((found.1.clone(), sort_of(found.2)))
    }

    /// The field of this name that objects of `class` have, its own or inherited, ghost and model
    /// fields included.
    pub fn field(&self, class: ClassId, name: &str) -> Option<FieldId> {
        let loaded = self.program.class(class).ok()?;
        for owner in loaded.supertypes() {
            if let Some(found) = self.spec_fields.get(&(*owner, name.to_string())) {
                return Some(*found);
            }
            let Ok(owner) = self.program.class(*owner) else {
                continue;
            };
            let named = |f: &&FieldId| &*self.program.field(**f).name == name;
            if let Some(found) = owner.fields.iter().find(named) {
                return Some(*found);
            }
        }
        None
    }

    /// Why a ghost or model field of this name cannot be used, if one is declared.
    pub fn refused(&self, class: ClassId, name: &str) -> Option<&str> {
        let refused = &self.specified.refused;
        if refused.is_empty() {
            return None;
        }
        let supertypes = self.program.class(class).map_or(&[][..], |c| c.supertypes());
        let mut found = supertypes.iter().filter_map(|c| refused.get(&(*c, name.to_string())));
        found.next().map(String::as_str)
    }

    /// A field of this name as a simple name finds it: of the class or of a class around it. The
    /// class is the one through which it was found.
    pub fn simple_field(&self, name: &str) -> Option<(ClassId, FieldId)> {
        let mut around = Some(self.class);
        while let Some(class) = around {
            if let Some(found) = self.field(class, name) {
                return Some((class, found));
            }
            around = self.outer(class);
        }
        None
    }

    /// The class around a nested class.
    pub fn outer(&self, class: ClassId) -> Option<ClassId> {
        let name = self.program.class_name(class);
        let cut = name.rfind('$')?;
        self.existing(&name[..cut])
    }

    /// The class that a simple or qualified name denotes: a nested class of this one, of its
    /// super-types or of those around it, an imported one, one of the package, of `java.lang`, or
    /// one by its full name.
    pub fn class_named(&self, name: &str) -> Option<ClassId> {
        if let Some((first, rest)) = name.split_once('.') {
            if let Some(class) = self.class_named(first) {
                let nested =
                    format!("{}${}", self.program.class_name(class), rest.replace('.', "$"));
                if let Some(found) = self.existing(&nested) {
                    return Some(found);
                }
            }
            return self.qualified(name);
        }
        let mut around = Some(self.class);
        while let Some(class) = around {
            let own = self.program.class_name(class);
            if ir::program::simple(own) == name {
                return Some(class);
            }
            let supertypes = self.program.class(class).map(|c| c.supertypes().to_vec());
            for owner in supertypes.unwrap_or_default() {
                let nested = format!("{}${name}", self.program.class_name(owner));
                if let Some(found) = self.existing(&nested) {
                    return Some(found);
                }
            }
            around = self.outer(class);
        }
        let single = self.imports.iter().filter(|i| !i.is_static && !i.on_demand);
        for import in single {
            if import.path.rsplit('.').next() == Some(name) {
                return self.qualified(&import.path);
            }
        }
        let in_package = match self.package {
            "" => name.to_string(),
            package => format!("{package}.{name}"),
        };
        if let Some(found) = self.existing(&in_package) {
            return Some(found);
        }
        let on_demand = self.imports.iter().filter(|i| !i.is_static && i.on_demand);
        let packages = on_demand.map(|i| i.path.as_str()).chain(["java.lang"]);
        packages.filter_map(|p| self.qualified(&format!("{p}.{name}"))).next()
    }

    /// A class by its full name, in which nested classes are written with dots.
    fn qualified(&self, name: &str) -> Option<ClassId> {
        let mut name = name.to_string();
        loop {
            if let Some(found) = self.existing(&name) {
                return Some(found);
            }
            let dot = name.rfind('.')?;
            name.replace_range(dot..=dot, "$");
        }
    }

    fn existing(&self, name: &str) -> Option<ClassId> {
        let id = self.program.class_id(name);
        self.program.class(id).is_ok().then_some(id)
    }
}

/// The sort of values of one of Java's types.
pub(crate) fn sort_of(ty: Type) -> Sort {
    use crate::core::Number;
    match ty {
        Type::Boolean => Sort::Boolean,
        Type::Byte => Sort::Number(Number::Byte),
        Type::Char => Sort::Number(Number::Char),
        Type::Short => Sort::Number(Number::Short),
        Type::Int => Sort::Number(Number::Int),
        Type::Long => Sort::Number(Number::Long),
        Type::Float => Sort::Number(Number::Float),
        Type::Double => Sort::Number(Number::Double),
        Type::Ref(class) => Sort::Reference(class),
    }
}
