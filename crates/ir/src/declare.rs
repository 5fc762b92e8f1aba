//! Declarations: what a loader says about classes, fields and methods, and what a program keeps.

use std::ops::Deref;
use std::sync::{Arc, OnceLock};

use crate::body::{Body, Constant};
use crate::id::{ClassId, FieldId, MethodId};
use crate::intrinsic::Intrinsic;
use crate::types::Type;

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

/// What a loader says about a class: its fields are what class files have, item by item.
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
    pub is_public: bool,
    /// Private, or inside a method: no code outside the outermost class can name it.
    pub is_private: bool,
    /// Its objects belong to one of the class around it.
    pub is_inner: bool,
    pub given: bool,
    pub source_file: Option<String>,
    /// Generic signature as class files write it: `<T:LKey;>Lp/Base<TT;>;`.
    pub signature: Option<String>,
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
    pub is_private: bool,
    pub is_public: bool,
    pub is_synthetic: bool,
    /// Other threads are expected to write it.
    pub is_volatile: bool,
    /// Value of a constant variable (`static final int N = 3`).
    pub constant: Option<Constant>,
    pub nullness: Nullness,
    /// Whether its type in the source is a type variable, or an array of one.
    pub is_generic: bool,
    /// Generic signature as class files write it: `TT;`, `Lp/Pair<Lp/Key;>;`.
    pub signature: Option<String>,
    /// Set if only specifications know the field.
    pub specified: Option<SpecField>,
}

/// A field that exists for specifications only.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SpecField {
    /// State of its own.
    Ghost,
    /// Stands for other state.
    Model,
}

/// What a loader says about a method: its fields are what class files have, item by item.
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
    /// Neither public nor protected nor private.
    pub is_package_private: bool,
    pub is_synthetic: bool,
    pub is_bridge: bool,
    /// Takes a variable number of arguments: the last parameter is an array of them.
    pub is_varargs: bool,
    /// Declared `throws`.
    pub throws: Vec<ClassId>,
    /// Names of the parameters as in the source; empty if unknown.
    pub param_names: Vec<String>,
    /// One for each parameter.
    pub param_nullness: Vec<Nullness>,
    pub result_nullness: Nullness,
    /// Whether its result in the source is a type variable, or an array of one.
    pub returns_generic: bool,
    /// Generic signature as class files write it: `<U:Ljava/lang/Object;>(TU;)TT;`.
    pub signature: Option<String>,
    /// First source line of the body, if known.
    pub line: Option<u32>,
    /// For methods that the loader makes up: their code. Others are lowered on demand.
    pub code: Option<Code>,
}

/// A loaded class, interface or array type: its fields are those of [`ClassData`], and who it is.
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
    /// As in [`ClassData`].
    pub is_public: bool,
    pub is_private: bool,
    pub is_inner: bool,
    pub provenance: Provenance,
    pub source_file: Option<String>,
    /// As in [`ClassData`].
    pub signature: Option<String>,
    pub fields: Vec<FieldId>,
    pub methods: Vec<MethodId>,
    /// Element type of an array class.
    pub element: Option<Type>,
    /// All supertypes, itself included.
    pub(crate) supertypes: Vec<ClassId>,
}

/// A declared field: what its loader said, and who it is.
#[derive(Debug)]
pub struct Field {
    pub id: FieldId,
    pub class: ClassId,
    pub(crate) data: FieldData,
}

impl Deref for Field {
    type Target = FieldData;

    fn deref(&self) -> &FieldData {
        &self.data
    }
}

/// A declared method: what its loader said, and who it is.
#[derive(Debug)]
pub struct Method {
    pub id: MethodId,
    pub class: ClassId,
    pub(crate) data: MethodData,
    pub(crate) lowered: OnceLock<Code>,
}

impl Deref for Method {
    type Target = MethodData;

    fn deref(&self) -> &MethodData {
        &self.data
    }
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
