//! What a test in the package of the checked class can name, read, write and call.

use std::collections::BTreeSet;

use ir::{Class, Field, Method, MethodId, Program, Type};

/// The program as code of one package sees it.
#[derive(Clone, Copy)]
pub(super) struct Access<'p> {
    pub program: &'p Program,
    pub package: &'p str,
    /// Methods that are violated themselves: what they do now is not what they should do.
    pub violated: &'p BTreeSet<MethodId>,
}

const PRIMITIVES: [&str; 8] =
    ["boolean", "byte", "char", "short", "int", "long", "float", "double"];

/// `p.Outer$Inner` → `p`; empty for the unnamed package.
pub(super) fn package_of(class: &str) -> &str {
    class.rsplit_once('.').map_or("", |(package, _)| package)
}

impl<'p> Access<'p> {
    pub fn class(&self, name: &str) -> Option<&'p Class> {
        self.program.class(self.program.class_id(name)).ok()
    }

    /// How the source names a class or array type, if it can.
    pub fn name(&self, class: &str) -> Option<String> {
        let element = class.trim_end_matches("[]");
        let brackets = &class[element.len()..];
        if PRIMITIVES.contains(&element) {
            return Some(class.to_string());
        }
        let own = package_of(element) == self.package;
        // A class inside another can be named if all around it can.
        let around = element.match_indices('$').map(|(at, _)| &element[..at]);
        for part in around.filter(|part| !part.is_empty()).chain([element]) {
            // A dollar sign may also be part of a name.
            let Some(class) = self.class(part) else {
                continue;
            };
            if class.is_private || !(own || class.is_public) {
                return None;
            }
        }
        self.class(element)?;
        let short = match package_of(element) {
            "java.lang" => &element["java.lang.".len()..],
            package if own && !package.is_empty() => &element[package.len() + 1..],
            _ => element,
        };
        Some(format!("{}{brackets}", short.replace('$', ".")))
    }

    pub fn type_name(&self, ty: Type) -> Option<String> {
        match ty.keyword() {
            Some(keyword) => Some(keyword.to_string()),
            None => self.name(self.program.type_name(ty)),
        }
    }

    /// The field that a class declares.
    pub fn field(&self, class: &str, name: &str) -> Option<&'p Field> {
        let fields = self.class(class)?.fields.iter();
        fields.map(|f| self.program.field(*f)).find(|f| *f.name == *name)
    }

    pub fn can_read(&self, class: &str, name: &str) -> bool {
        let is_open = |f: &Field| !f.is_private && (self.is_own(class) || f.is_public);
        self.name(class).is_some() && self.field(class, name).is_some_and(is_open)
    }

    pub fn can_write(&self, class: &str, name: &str) -> bool {
        self.can_read(class, name) && self.field(class, name).is_some_and(|f| !f.is_final)
    }

    fn is_own(&self, class: &str) -> bool {
        package_of(class) == self.package
    }

    /// Whether the source can call the method: it, its class and its parameters have names here.
    pub fn can_call(&self, method: &Method) -> bool {
        let class = self.program.class_name(method.class);
        let is_open = !method.is_private && (self.is_own(class) || method.is_public);
        is_open
            && !method.is_synthetic
            && self.name(class).is_some()
            && method.params.iter().all(|ty| self.type_name(*ty).is_some())
    }

    /// The constructors that can be called, those with few parameters first.
    pub fn constructors(&self, class: &str) -> Vec<&'p Method> {
        let Some(declared) = self.class(class) else {
            return Vec::new();
        };
        if !declared.is_instantiable() || declared.is_inner || declared.is_enum {
            return Vec::new();
        }
        let mut found: Vec<_> = declared.methods.iter().map(|m| self.program.method(*m)).collect();
        found.retain(|m| &*m.name == "<init>" && self.can_call(m));
        found.sort_by_key(|m| m.params.len());
        found
    }

    /// The instance methods of given classes that can be called on an object of a class.
    pub fn methods(&self, class: &str) -> Vec<&'p Method> {
        let supertypes = self.class(class).map_or(&[][..], |c| c.supertypes());
        let given = supertypes.iter().filter_map(|s| self.program.class(*s).ok());
        let methods = given.filter(|c| c.is_given()).flat_map(|c| c.methods.iter());
        let methods = methods.map(|m: &MethodId| self.program.method(*m));
        methods
            .filter(|m| !m.is_static && !m.is_abstract && !m.name.starts_with('<'))
            .filter(|m| self.can_call(m) && !self.violated.contains(&m.id))
            .collect()
    }

    /// Whether another method takes as many arguments under the same name, so that a bare `null`
    /// may not tell them apart.
    pub fn is_overloaded(&self, method: &Method) -> bool {
        let Ok(class) = self.program.class(method.class) else {
            return true;
        };
        let methods = class.methods.iter().map(|m| self.program.method(*m));
        methods.filter(|m| m.name == method.name && m.params.len() == method.params.len()).count()
            > 1
    }
}
