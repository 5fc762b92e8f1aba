//! The closed world: every class, field and method, loaded and lowered when first asked for.
//!
//! A [`ClassId`] is an interned name. Asking for the [`Class`] behind it makes the
//! [`ClassLoader`] read it; asking for a method's [`Code`] makes the loader lower it. Both happen
//! once, and a `Program` can be shared between threads.

use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, OnceLock, RwLock};

use crate::body::{Body, Constant};
use crate::id::{ClassId, FieldId, FieldRefId, MethodId, MethodRefId};
use crate::intrinsic::Intrinsic;
use crate::types::Type;

/// Reads classes and lowers bodies on demand. The only implementation with I/O is in the binary.
pub trait ClassLoader: Send + Sync {
    /// Reads the class with this binary name (`java.util.Map$Entry`, never an array).
    fn load(&self, program: &Program, id: ClassId, name: &str) -> Result<ClassData, LoadError>;
    /// Lowers the body of a method that the loader supplied.
    fn lower(&self, program: &Program, method: &Method) -> Code;
}

/// Why there is no class behind a name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LoadError {
    /// Nothing by that name is on the class path or in the JDK.
    Missing,
    /// A file exists but cannot be read as a class; the sentence says why.
    Malformed(String),
}

/// Whether a class is under verification.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Provenance {
    /// Given by the user: its methods are checked, its exceptions are the user's own.
    Given,
    /// The JDK or the class path: analysed where it is called.
    Library,
}

/// What may be assumed of a reference that comes from outside.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Nullness {
    Nullable,
    NonNull,
    /// No annotation says anything: the default of the position applies.
    Unspecified,
}

/// What a loader says about a class.
#[derive(Debug, Default)]
pub struct ClassData {
    pub superclass: Option<ClassId>,
    pub interfaces: Vec<ClassId>,
    pub is_interface: bool,
    pub is_abstract: bool,
    pub is_final: bool,
    pub is_enum: bool,
    pub is_record: bool,
    pub is_synthetic: bool,
    pub given: bool,
    pub source_file: Option<String>,
    pub fields: Vec<FieldData>,
    pub methods: Vec<MethodData>,
}

/// What a loader says about a field.
#[derive(Debug)]
pub struct FieldData {
    pub name: String,
    pub ty: Type,
    pub is_static: bool,
    pub is_final: bool,
    pub is_synthetic: bool,
    /// Value of a constant variable (`static final int N = 3`).
    pub constant: Option<Constant>,
    pub nullness: Nullness,
}

/// What a loader says about a method.
#[derive(Debug)]
pub struct MethodData {
    pub name: String,
    /// JVM descriptor, `(ILjava/lang/String;)V`.
    pub descriptor: String,
    pub params: Vec<Type>,
    pub result: Option<Type>,
    pub is_static: bool,
    pub is_abstract: bool,
    pub is_native: bool,
    pub is_private: bool,
    pub is_public: bool,
    pub is_synthetic: bool,
    pub is_bridge: bool,
    /// Declared `throws`.
    pub throws: Vec<ClassId>,
    /// Names of the parameters as in the source; empty if unknown.
    pub param_names: Vec<String>,
    /// One for each parameter.
    pub param_nullness: Vec<Nullness>,
    pub result_nullness: Nullness,
    /// First source line of the body, if known.
    pub line: Option<u32>,
    /// For methods that the loader makes up: their code. Others are lowered on demand.
    pub code: Option<Code>,
}

/// A loaded class, interface or array type.
#[derive(Debug)]
pub struct Class {
    pub id: ClassId,
    /// Binary name with dots: `p.Outer$Inner`, `int[]`, `java.lang.String[][]`.
    pub name: Arc<str>,
    pub superclass: Option<ClassId>,
    pub interfaces: Vec<ClassId>,
    pub is_interface: bool,
    pub is_abstract: bool,
    pub is_final: bool,
    pub is_enum: bool,
    pub is_record: bool,
    pub is_synthetic: bool,
    pub provenance: Provenance,
    pub source_file: Option<String>,
    pub fields: Vec<FieldId>,
    pub methods: Vec<MethodId>,
    /// Element type of an array class.
    pub element: Option<Type>,
    /// All supertypes, itself included.
    supertypes: Vec<ClassId>,
}

/// A declared field.
#[derive(Debug)]
pub struct Field {
    pub id: FieldId,
    pub class: ClassId,
    pub name: Arc<str>,
    pub ty: Type,
    pub is_static: bool,
    pub is_final: bool,
    pub is_synthetic: bool,
    pub constant: Option<Constant>,
    pub nullness: Nullness,
}

/// A declared method.
#[derive(Debug)]
pub struct Method {
    pub id: MethodId,
    pub class: ClassId,
    pub name: Arc<str>,
    pub descriptor: Arc<str>,
    pub params: Vec<Type>,
    pub result: Option<Type>,
    pub is_static: bool,
    pub is_abstract: bool,
    pub is_native: bool,
    pub is_private: bool,
    pub is_public: bool,
    pub is_synthetic: bool,
    pub is_bridge: bool,
    pub throws: Vec<ClassId>,
    pub param_names: Vec<String>,
    pub param_nullness: Vec<Nullness>,
    pub result_nullness: Nullness,
    pub line: Option<u32>,
    code: OnceLock<Code>,
}

/// What a method does when called.
#[derive(Debug)]
pub enum Code {
    Body(Body),
    Intrinsic(Intrinsic),
    /// Declared without a body.
    Abstract,
    /// Native without a model, or a body that cannot be read: a trap by this name when called.
    Unsupported(Arc<str>),
}

struct ClassSlot {
    name: Arc<str>,
    loaded: OnceLock<Result<Class, LoadError>>,
}

struct FieldRefSlot {
    class: ClassId,
    name: Arc<str>,
    descriptor: Arc<str>,
    resolved: OnceLock<Result<FieldId, Unresolved>>,
}

struct MethodRefSlot {
    class: ClassId,
    name: Arc<str>,
    descriptor: Arc<str>,
    resolved: OnceLock<Result<MethodId, Unresolved>>,
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
    field_refs: boxcar::Vec<FieldRefSlot>,
    field_ref_ids: RwLock<HashMap<RefKey, FieldRefId>>,
    method_refs: boxcar::Vec<MethodRefSlot>,
    method_ref_ids: RwLock<HashMap<RefKey, MethodRefId>>,
    selected: RwLock<HashMap<(MethodId, ClassId), Result<MethodId, Unresolved>>>,
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
            None if primitive(&name).is_some() => return Err(LoadError::Missing),
            None => (self.loader.load(self, id, &name)?, None),
        };
        let fields = data.fields.into_iter().map(|f| self.add_field(id, f));
        let fields = fields.collect();
        let methods = data.methods.into_iter().map(|m| self.add_method(id, m));
        let methods = methods.collect();
        let mut class = Class {
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
            provenance: if data.given { Provenance::Given } else { Provenance::Library },
            source_file: data.source_file,
            fields,
            methods,
            element,
            supertypes: vec![id],
        };
        for parent in class.superclass.iter().chain(&class.interfaces) {
            if *parent == id {
                return Err(LoadError::Malformed(format!("{} is its own supertype", class.name)));
            }
            match self.class(*parent) {
                Ok(parent) => {
                    for s in &parent.supertypes {
                        if !class.supertypes.contains(s) {
                            class.supertypes.push(*s);
                        }
                    }
                }
                Err(LoadError::Missing) => {
                    let parent = self.class_name(*parent);
                    return Err(LoadError::Malformed(format!(
                        "its supertype {parent} is not on the class path"
                    )));
                }
                Err(LoadError::Malformed(why)) => {
                    let parent = self.class_name(*parent);
                    return Err(LoadError::Malformed(format!("its supertype {parent}: {why}")));
                }
            }
        }
        Ok(class)
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
        primitive(name).unwrap_or_else(|| Type::Ref(self.class_id(name)))
    }

    fn add_field(&self, class: ClassId, data: FieldData) -> FieldId {
        let index = self.fields.push_with(|index| Field {
            id: FieldId(index as u32),
            class,
            name: data.name.into(),
            ty: data.ty,
            is_static: data.is_static,
            is_final: data.is_final,
            is_synthetic: data.is_synthetic,
            constant: data.constant,
            nullness: data.nullness,
        });
        FieldId(index as u32)
    }

    fn add_method(&self, class: ClassId, data: MethodData) -> MethodId {
        let code = OnceLock::new();
        if let Some(given) = data.code {
            code.set(given).expect("a new cell is empty");
        }
        let index = self.methods.push_with(|index| Method {
            id: MethodId(index as u32),
            class,
            name: data.name.into(),
            descriptor: data.descriptor.into(),
            params: data.params,
            result: data.result,
            is_static: data.is_static,
            is_abstract: data.is_abstract,
            is_native: data.is_native,
            is_private: data.is_private,
            is_public: data.is_public,
            is_synthetic: data.is_synthetic,
            is_bridge: data.is_bridge,
            throws: data.throws,
            param_names: data.param_names,
            param_nullness: data.param_nullness,
            result_nullness: data.result_nullness,
            line: data.line,
            code,
        });
        MethodId(index as u32)
    }

    /// Defines a class that no file contains (the class behind a lambda). Does nothing if the
    /// name is defined already.
    pub fn define(&self, name: &str, data: impl FnOnce() -> ClassData) -> ClassId {
        let id = self.class_id(name);
        let slot = &self.classes[id.index()];
        slot.loaded.get_or_init(|| {
            let data = data();
            let mut supertypes = vec![id];
            for parent in data.superclass.iter().chain(&data.interfaces) {
                for s in self.class(*parent).map_err(Clone::clone)?.supertypes.iter() {
                    if !supertypes.contains(s) {
                        supertypes.push(*s);
                    }
                }
            }
            Ok(Class {
                id,
                name: slot.name.clone(),
                superclass: data.superclass,
                interfaces: data.interfaces,
                is_interface: data.is_interface,
                is_abstract: data.is_abstract,
                is_final: data.is_final,
                is_enum: data.is_enum,
                is_record: data.is_record,
                is_synthetic: data.is_synthetic,
                provenance: if data.given { Provenance::Given } else { Provenance::Library },
                source_file: data.source_file,
                fields: data.fields.into_iter().map(|f| self.add_field(id, f)).collect(),
                methods: data.methods.into_iter().map(|m| self.add_method(id, m)).collect(),
                element: None,
                supertypes,
            })
        });
        id
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
        method.code.get_or_init(|| {
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

    /// The class that a field reference names (not where the field is declared).
    pub fn field_ref_class(&self, id: FieldRefId) -> ClassId {
        self.field_refs[id.index()].class
    }

    /// The class that a method reference names (not where the method is declared).
    pub fn method_ref_class(&self, id: MethodRefId) -> ClassId {
        self.method_refs[id.index()].class
    }

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
                        field.name == slot.name && self.descriptor(field.ty) == *slot.descriptor
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
                if !m.is_static && !m.is_private {
                    return Ok(found);
                }
            }
            current = c.superclass.and_then(|s| self.class(s).ok());
        }
        self.inherited_from_interface(start, &declared.name, &declared.descriptor)
            .ok_or_else(|| Unresolved(format!("{} has no method {}", start.name, declared.name)))
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

impl Class {
    /// All supertypes, itself first.
    pub fn supertypes(&self) -> &[ClassId] {
        &self.supertypes
    }

    /// Whether an object can have exactly this class.
    pub fn is_instantiable(&self) -> bool {
        !self.is_interface && !self.is_abstract
    }

    /// Whether it is under verification.
    pub fn is_given(&self) -> bool {
        self.provenance == Provenance::Given
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

fn primitive(name: &str) -> Option<Type> {
    Some(match name {
        "boolean" => Type::Boolean,
        "byte" => Type::Byte,
        "char" => Type::Char,
        "short" => Type::Short,
        "int" => Type::Int,
        "long" => Type::Long,
        "float" => Type::Float,
        "double" => Type::Double,
        _ => return None,
    })
}
