//! Resolution of symbolic references and selection of methods, as the JVM does them.

use crate::declare::{Class, LoadError, Method};
use crate::id::{ClassId, FieldId, FieldRefId, MethodId, MethodRefId};
use crate::program::{Program, Unresolved};

impl Program {
    /// Resolves a field reference (JVMS 5.4.3.2).
    pub fn resolve_field(&self, id: FieldRefId) -> Result<FieldId, &Unresolved> {
        let slot = &self.field_refs[id.index()];
        slot.resolved
            .get_or_init(|| {
                let class = self.loaded_for(slot.class, &slot.name)?;
                class
                    .supertypes
                    .iter()
                    .filter_map(|c| self.class(*c).ok())
                    .flat_map(|c| &c.fields)
                    .copied()
                    .find(|f| {
                        let field = self.field(*f);
                        *field.name == *slot.name && self.descriptor(field.ty) == *slot.descriptor
                    })
                    .ok_or_else(|| Unresolved(format!("no field {}", self.field_ref_name(id))))
            })
            .as_ref()
            .copied()
    }

    /// Resolves a method reference (JVMS 5.4.3.3 and 5.4.3.4).
    pub fn resolve_method(&self, id: MethodRefId) -> Result<MethodId, &Unresolved> {
        let slot = &self.method_refs[id.index()];
        slot.resolved
            .get_or_init(|| {
                let class = self.loaded_for(slot.class, &slot.name)?;
                self.find_method(class, &slot.name, &slot.descriptor)
                    .ok_or_else(|| Unresolved(format!("no method {}", self.method_ref_name(id))))
            })
            .as_ref()
            .copied()
    }

    fn loaded_for(&self, class: ClassId, member: &str) -> Result<&Class, Unresolved> {
        self.class(class).map_err(|why| {
            let name = self.class_name(class);
            Unresolved(match why {
                LoadError::Missing => format!("{name}.{member}: {name} is not on the class path"),
                LoadError::Malformed(why) => format!("{name}.{member}: {name}: {why}"),
            })
        })
    }

    /// The method of this name and descriptor that `class` declares or inherits.
    pub fn find_method(&self, class: &Class, name: &str, descriptor: &str) -> Option<MethodId> {
        let mut current = Some(class);
        while let Some(c) = current {
            if let Some(found) = self.declared_method(c, name, descriptor) {
                return Some(found);
            }
            current = c.superclass.and_then(|s| self.class(s).ok());
        }
        self.inherited_from_interface(class, name, descriptor)
    }

    /// The method of this name and descriptor that `class` itself declares.
    pub fn declared_method(&self, class: &Class, name: &str, descriptor: &str) -> Option<MethodId> {
        class.methods.iter().copied().find(|m| {
            let m = self.method(*m);
            &*m.name == name && &*m.descriptor == descriptor
        })
    }

    /// The maximally specific superinterface method; one with a body wins over an abstract one.
    fn inherited_from_interface(
        &self,
        class: &Class,
        name: &str,
        descriptor: &str,
    ) -> Option<MethodId> {
        let candidates: Vec<MethodId> = class
            .supertypes
            .iter()
            .filter_map(|c| self.class(*c).ok())
            .filter(|c| c.is_interface)
            .filter_map(|c| self.declared_method(c, name, descriptor))
            .filter(|m| !self.method(*m).is_static && !self.method(*m).is_private)
            .collect();
        let most_specific = |m: &MethodId| {
            let class = self.method(*m).class;
            !candidates.iter().any(|other| {
                let other = self.method(*other).class;
                other != class && self.is_subtype(other, class)
            })
        };
        let specific: Vec<MethodId> = candidates.iter().copied().filter(most_specific).collect();
        let concrete = specific.iter().copied().find(|m| !self.method(*m).is_abstract);
        concrete.or(specific.first().copied())
    }

    /// The method that runs when `method` is called on an object of class `class` (JVMS 5.4.6).
    pub fn select(&self, method: MethodId, class: ClassId) -> Result<MethodId, Unresolved> {
        let declared = self.method(method);
        if declared.is_private || declared.is_static || &*declared.name == "<init>" {
            return Ok(method);
        }
        let key = (method, class);
        if let Some(found) = self.selected.read().expect("poisoned").get(&key) {
            return found.clone();
        }
        let found = self.select_uncached(declared, class);
        self.selected.write().expect("poisoned").insert(key, found.clone());
        found
    }

    fn select_uncached(&self, declared: &Method, class: ClassId) -> Result<MethodId, Unresolved> {
        let start = self.loaded_for(class, &declared.name)?;
        let mut current = Some(start);
        while let Some(c) = current {
            let found = self.declared_method(c, &declared.name, &declared.descriptor);
            if let Some(found) = found {
                let m = self.method(found);
                if !m.is_static && !m.is_private && self.may_override(m, declared) {
                    return Ok(found);
                }
            }
            current = c.superclass.and_then(|s| self.class(s).ok());
        }
        self.inherited_from_interface(start, &declared.name, &declared.descriptor)
            .ok_or_else(|| Unresolved(format!("{} has no method {}", start.name, declared.name)))
    }

    /// A package-private method is overridden only inside its package (JVMS 5.4.5).
    fn may_override(&self, method: &Method, declared: &Method) -> bool {
        let package = |m: &Method| {
            let name = self.class_name(m.class);
            name.rfind('.').map_or("", |dot| &name[..dot]).to_string()
        };
        method.id == declared.id
            || !declared.is_package_private
            || package(method) == package(declared)
    }
}
