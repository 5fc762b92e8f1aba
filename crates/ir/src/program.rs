//! The closed world: every class, field and method, loaded and lowered when first asked for.
//!
//! A [`ClassId`] is an interned name. Asking for the [`Class`] behind it makes the
//! [`ClassLoader`] read it; asking for a method's [`Code`] makes the loader lower it. Both happen
//! once, and a `Program` can be shared between threads.

use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, OnceLock, RwLock};

use crate::declare::{
    Class, ClassData, Code, Field, FieldData, LoadError, Method, MethodData, Provenance,
};
use crate::id::{ClassId, FieldId, FieldRefId, MethodId, MethodRefId};
use crate::types::Type;

/// Reads classes and lowers bodies on demand. The only implementation with I/O is in the binary.
pub trait ClassLoader: Send + Sync {
    /// Reads the class with this binary name (`java.util.Map$Entry`, never an array).
    fn load(&self, program: &Program, id: ClassId, name: &str) -> Result<ClassData, LoadError>;
    /// Lowers the body of a method that the loader supplied.
    fn lower(&self, program: &Program, method: &Method) -> Code;
}

struct ClassSlot {
    name: Arc<str>,
    loaded: OnceLock<Result<Class, LoadError>>,
}

pub(crate) struct FieldRefSlot {
    pub(crate) class: ClassId,
    pub(crate) name: Arc<str>,
    pub(crate) descriptor: Arc<str>,
    pub(crate) resolved: OnceLock<Result<FieldId, Unresolved>>,
}

pub(crate) struct MethodRefSlot {
    pub(crate) class: ClassId,
    pub(crate) name: Arc<str>,
    pub(crate) descriptor: Arc<str>,
    pub(crate) resolved: OnceLock<Result<MethodId, Unresolved>>,
}

/// A symbolic reference that leads nowhere: the sentence names it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unresolved(pub String);

impl fmt::Display for Unresolved {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

type RefKey = (ClassId, Arc<str>, Arc<str>);

/// All code of a run.
pub struct Program {
    loader: Box<dyn ClassLoader>,
    classes: boxcar::Vec<ClassSlot>,
    class_by_name: RwLock<HashMap<Arc<str>, ClassId>>,
    fields: boxcar::Vec<Field>,
    methods: boxcar::Vec<Method>,
    pub(crate) field_refs: boxcar::Vec<FieldRefSlot>,
    field_ref_ids: RwLock<HashMap<RefKey, FieldRefId>>,
    pub(crate) method_refs: boxcar::Vec<MethodRefSlot>,
    method_ref_ids: RwLock<HashMap<RefKey, MethodRefId>>,
    pub(crate) selected: RwLock<HashMap<(MethodId, ClassId), Result<MethodId, Unresolved>>>,
}

impl Program {
    /// An empty world whose classes come from `loader`.
    pub fn new(loader: Box<dyn ClassLoader>) -> Program {
        Program {
            loader,
            classes: boxcar::Vec::new(),
            class_by_name: RwLock::default(),
            fields: boxcar::Vec::new(),
            methods: boxcar::Vec::new(),
            field_refs: boxcar::Vec::new(),
            field_ref_ids: RwLock::default(),
            method_refs: boxcar::Vec::new(),
            method_ref_ids: RwLock::default(),
            selected: RwLock::default(),
        }
    }

    /// The id of a name: dotted binary names for classes, `T[]` for arrays, keywords for the
    /// primitive types (which have ids so that they can have mirrors, but no class).
    pub fn class_id(&self, name: &str) -> ClassId {
        if let Some(&id) = self.class_by_name.read().expect("poisoned").get(name) {
            return id;
        }
        let mut names = self.class_by_name.write().expect("poisoned");
        if let Some(&id) = names.get(name) {
            return id;
        }
        let name: Arc<str> = name.into();
        let id = ClassId(
            self.classes.push(ClassSlot { name: name.clone(), loaded: OnceLock::new() }) as u32,
        );
        names.insert(name, id);
        id
    }

    /// The name behind an id.
    pub fn class_name(&self, id: ClassId) -> &str {
        &self.classes[id.index()].name
    }

    /// The array class whose elements have this type.
    pub fn array_of(&self, element: Type) -> ClassId {
        self.class_id(&format!("{}[]", self.type_name(element)))
    }

    /// A type as Java writes it.
    pub fn type_name(&self, ty: Type) -> &str {
        match ty {
            Type::Ref(class) => self.class_name(class),
            primitive => primitive.keyword().expect("a primitive type has a keyword"),
        }
    }

    /// The class behind an id, loading it if need be.
    pub fn class(&self, id: ClassId) -> Result<&Class, &LoadError> {
        let slot = &self.classes[id.index()];
        slot.loaded.get_or_init(|| self.load(id)).as_ref()
    }

    fn load(&self, id: ClassId) -> Result<Class, LoadError> {
        let name = self.classes[id.index()].name.clone();
        let (data, element) = match name.strip_suffix("[]") {
            Some(element) => (self.array_data(), Some(self.parse_type(element))),
            None if Type::of_keyword(&name).is_some() => return Err(LoadError::Missing),
            None => (self.loader.load(self, id, &name)?, None),
        };
        self.build(id, data, element)
    }

    /// Makes a class of what a loader said about it.
    fn build(
        &self,
        id: ClassId,
        data: ClassData,
        element: Option<Type>,
    ) -> Result<Class, LoadError> {
        let name = self.classes[id.index()].name.clone();
        let mut supertypes = vec![id];
        for parent in data.superclass.iter().chain(&data.interfaces) {
            for inherited in self.parent_of(*parent, id)?.supertypes() {
                if !supertypes.contains(inherited) {
                    supertypes.push(*inherited);
                }
            }
        }
        Ok(Class {
            id,
            name,
            superclass: data.superclass,
            interfaces: data.interfaces,
            is_interface: data.is_interface,
            is_abstract: data.is_abstract,
            is_final: data.is_final,
            is_enum: data.is_enum,
            is_record: data.is_record,
            is_synthetic: data.is_synthetic,
            is_public: data.is_public,
            is_private: data.is_private,
            is_inner: data.is_inner,
            provenance: if data.given { Provenance::Given } else { Provenance::Library },
            source_file: data.source_file,
            signature: data.signature,
            fields: data.fields.into_iter().map(|f| self.add_field(id, f)).collect(),
            methods: data.methods.into_iter().map(|m| self.add_method(id, m)).collect(),
            element,
            supertypes,
        })
    }

    fn parent_of(&self, parent: ClassId, child: ClassId) -> Result<&Class, LoadError> {
        let name = self.class_name(parent);
        if parent == child {
            return Err(LoadError::Malformed(format!("{name} is its own supertype")));
        }
        self.class(parent).map_err(|why| {
            LoadError::Malformed(match why {
                LoadError::Missing => format!("its supertype {name} is not on the class path"),
                LoadError::Malformed(why) => format!("its supertype {name}: {why}"),
            })
        })
    }

    fn array_data(&self) -> ClassData {
        ClassData {
            superclass: Some(self.class_id("java.lang.Object")),
            interfaces: vec![
                self.class_id("java.lang.Cloneable"),
                self.class_id("java.io.Serializable"),
            ],
            is_final: true,
            ..ClassData::default()
        }
    }

    /// A type from the way that Java writes it: `int`, `p.C`, `long[][]`.
    pub fn parse_type(&self, name: &str) -> Type {
        Type::of_keyword(name).unwrap_or_else(|| Type::Ref(self.class_id(name)))
    }

    fn add_field(&self, class: ClassId, data: FieldData) -> FieldId {
        let make = |index| Field { id: FieldId(index as u32), class, data };
        FieldId(self.fields.push_with(make) as u32)
    }

    fn add_method(&self, class: ClassId, mut data: MethodData) -> MethodId {
        let lowered = match data.code.take() {
            Some(code) => OnceLock::from(code),
            None => OnceLock::new(),
        };
        let make = |index| Method { id: MethodId(index as u32), class, data, lowered };
        MethodId(self.methods.push_with(make) as u32)
    }

    /// Defines a class that no file contains (the class behind a lambda). Does nothing if the
    /// name is defined already.
    pub fn define(&self, name: &str, data: impl FnOnce() -> ClassData) -> ClassId {
        let id = self.class_id(name);
        let slot = &self.classes[id.index()];
        slot.loaded.get_or_init(|| self.build(id, data(), None));
        id
    }

    /// A field of `class` that only specifications know. It is not among the class's fields.
    pub fn define_field(&self, class: ClassId, data: FieldData) -> FieldId {
        self.add_field(class, data)
    }

    /// The field behind an id.
    pub fn field(&self, id: FieldId) -> &Field {
        &self.fields[id.index()]
    }

    /// The method behind an id.
    pub fn method(&self, id: MethodId) -> &Method {
        &self.methods[id.index()]
    }

    /// What the method does, lowering its body if need be.
    pub fn code(&self, id: MethodId) -> &Code {
        let method = self.method(id);
        method.lowered.get_or_init(|| {
            if method.is_abstract {
                return Code::Abstract;
            }
            self.loader.lower(self, method)
        })
    }

    /// Interns a symbolic field reference.
    pub fn field_ref(&self, class: ClassId, name: &str, descriptor: &str) -> FieldRefId {
        let key: RefKey = (class, name.into(), descriptor.into());
        let mut ids = self.field_ref_ids.write().expect("poisoned");
        *ids.entry(key).or_insert_with_key(|(class, name, descriptor)| {
            FieldRefId(self.field_refs.push(FieldRefSlot {
                class: *class,
                name: name.clone(),
                descriptor: descriptor.clone(),
                resolved: OnceLock::new(),
            }) as u32)
        })
    }

    /// Interns a symbolic method reference.
    pub fn method_ref(&self, class: ClassId, name: &str, descriptor: &str) -> MethodRefId {
        let key: RefKey = (class, name.into(), descriptor.into());
        let mut ids = self.method_ref_ids.write().expect("poisoned");
        *ids.entry(key).or_insert_with_key(|(class, name, descriptor)| {
            MethodRefId(self.method_refs.push(MethodRefSlot {
                class: *class,
                name: name.clone(),
                descriptor: descriptor.clone(),
                resolved: OnceLock::new(),
            }) as u32)
        })
    }

    /// `Class.name` of a field reference, for messages.
    pub fn field_ref_name(&self, id: FieldRefId) -> String {
        let slot = &self.field_refs[id.index()];
        format!("{}.{}", self.class_name(slot.class), slot.name)
    }

    /// `Class.name` of a method reference, for messages.
    pub fn method_ref_name(&self, id: MethodRefId) -> String {
        let slot = &self.method_refs[id.index()];
        format!("{}.{}", self.class_name(slot.class), slot.name)
    }

    /// The descriptor of the field that a reference names.
    pub fn field_ref_descriptor(&self, id: FieldRefId) -> &str {
        &self.field_refs[id.index()].descriptor
    }

    /// The descriptor of the method that a reference names.
    pub fn method_ref_descriptor(&self, id: MethodRefId) -> &str {
        &self.method_refs[id.index()].descriptor
    }

    /// The class that a field reference names (not where the field is declared).
    pub fn field_ref_class(&self, id: FieldRefId) -> ClassId {
        self.field_refs[id.index()].class
    }

    /// The class that a method reference names (not where the method is declared).
    pub fn method_ref_class(&self, id: MethodRefId) -> ClassId {
        self.method_refs[id.index()].class
    }

    /// Whether every instance of `sub` is an instance of `sup` (arrays covariant). Classes that
    /// cannot be loaded are subtypes of themselves only.
    pub fn is_subtype(&self, sub: ClassId, sup: ClassId) -> bool {
        if sub == sup {
            return true;
        }
        let Ok(class) = self.class(sub) else {
            return false;
        };
        if class.supertypes.contains(&sup) {
            return true;
        }
        let (Some(Type::Ref(element)), Some(sup)) =
            (class.element, self.class_name(sup).strip_suffix("[]"))
        else {
            // An interface's supertypes do not list Object when it was declared without one.
            return self.class_name(sup) == "java.lang.Object";
        };
        match self.parse_type(sup) {
            Type::Ref(sup) => self.is_subtype(element, sup),
            _ => false,
        }
    }

    /// Whether some class may be below both, whatever classes there are beside those that are known.
    pub fn may_share_objects(&self, one: ClassId, other: ClassId) -> bool {
        if self.is_subtype(one, other) || self.is_subtype(other, one) {
            return true;
        }
        let (Ok(one), Ok(other)) = (self.class(one), self.class(other)) else {
            return true;
        };
        let is_closed = |class: &Class| class.is_final || class.element.is_some();
        let are_classes = !one.is_interface && !other.is_interface;
        !are_classes && !is_closed(one) && !is_closed(other)
    }

    /// The JVM descriptor of a type.
    pub fn descriptor(&self, ty: Type) -> String {
        match ty {
            Type::Boolean => "Z".into(),
            Type::Byte => "B".into(),
            Type::Char => "C".into(),
            Type::Short => "S".into(),
            Type::Int => "I".into(),
            Type::Long => "J".into(),
            Type::Float => "F".into(),
            Type::Double => "D".into(),
            Type::Ref(class) => {
                let name = self.class_name(class);
                match name.strip_suffix("[]") {
                    Some(element) => format!("[{}", self.descriptor(self.parse_type(element))),
                    None => format!("L{};", name.replace('.', "/")),
                }
            }
        }
    }

    /// `name(int, String)` with simple type names, as reports and `--method` write it.
    pub fn signature(&self, method: &Method) -> String {
        let params: Vec<&str> = method.params.iter().map(|t| simple(self.type_name(*t))).collect();
        let name: &str = match &*method.name {
            "<init>" => simple(self.class_name(method.class)),
            other => other,
        };
        format!("{}({})", name, params.join(","))
    }

    /// `p.Class.name(int)`, for messages.
    pub fn method_name(&self, id: MethodId) -> String {
        let method = self.method(id);
        format!("{}.{}", self.class_name(method.class), self.signature(method))
    }
}

/// `p.Outer$Inner` → `Inner`: the last part of a binary name, as a reader would say it.
pub fn simple(name: &str) -> &str {
    let base = name.trim_end_matches("[]");
    let cut = base.rfind(['.', '$']).map_or(0, |i| i + 1);
    if cut >= base.len() || base[cut..].starts_with(|c: char| c.is_ascii_digit()) {
        // An anonymous or local class: keep the outer name, `Outer$1`.
        let dot = base.rfind('.').map_or(0, |i| i + 1);
        return &name[dot..];
    }
    &name[cut..]
}
