//! Class files as data: the structure of JVMS chapter 4, read once, everything behind an
//! attribute read when asked for. Knows bytes, not programs.
//!
//! Our own reader rather than a crate's, for three reasons. Bodies are lowered one at a time and
//! long after the class was loaded, so a pool that can be asked by index and kept (no borrowed
//! lifetimes, `Send`) is worth more than a tree of the whole file. What a length field claims is
//! never allocated and nothing recurses over the file's nesting, which hostile files exploit in
//! the readers we tried. And optional attributes (debug tables, annotations) that are damaged
//! lose their information only, as on the JVM, instead of the class.

pub mod annotations;
pub mod code;
pub mod pool;
pub mod reader;

use std::borrow::Cow;
use std::sync::Arc;

use pool::{Loadable, MethodHandle, Pool};
use reader::{Malformed, Reader, malformed};

/// Access flags that we read (JVMS tables 4.1-B, 4.5-A, 4.6-A).
pub mod flags {
    pub const PUBLIC: u16 = 0x0001;
    pub const PRIVATE: u16 = 0x0002;
    pub const PROTECTED: u16 = 0x0004;
    pub const STATIC: u16 = 0x0008;
    pub const FINAL: u16 = 0x0010;
    pub const BRIDGE: u16 = 0x0040;
    pub const VARARGS: u16 = 0x0080;
    pub const NATIVE: u16 = 0x0100;
    pub const INTERFACE: u16 = 0x0200;
    pub const ABSTRACT: u16 = 0x0400;
    pub const VOLATILE: u16 = 0x0040;
    pub const SYNTHETIC: u16 = 0x1000;
    pub const ENUM: u16 = 0x4000;
    pub const MODULE: u16 = 0x8000;
}

/// Where an attribute's contents are.
#[derive(Clone, Copy, Debug)]
pub struct Attribute {
    name: u16,
    start: u32,
    length: u32,
}

/// A field or method.
#[derive(Debug)]
pub struct Member {
    pub flags: u16,
    pub name: String,
    pub descriptor: String,
    pub attributes: Vec<Attribute>,
}

impl Member {
    /// Whether a flag of [`flags`] is set.
    pub fn is(&self, flag: u16) -> bool {
        self.flags & flag != 0
    }
}

/// A bootstrap method and its static arguments (as pool indices).
#[derive(Clone, Debug)]
pub struct Bootstrap {
    pub method: MethodHandle,
    pub arguments: Vec<u16>,
}

/// The structure of one class file.
#[derive(Debug)]
pub struct ClassFile {
    bytes: Arc<[u8]>,
    pool: Pool,
    pub flags: u16,
    /// Internal name.
    pub name: String,
    pub superclass: Option<String>,
    pub interfaces: Vec<String>,
    pub fields: Vec<Member>,
    pub methods: Vec<Member>,
    pub attributes: Vec<Attribute>,
}

impl ClassFile {
    /// Reads the structure; attributes are only located.
    pub fn parse(bytes: Arc<[u8]>) -> Result<ClassFile, Malformed> {
        let mut reader = Reader::new(&bytes);
        if reader.u4()? != 0xcafe_babe {
            return malformed("it does not start as a class file does");
        }
        let _version = reader.u4()?;
        let pool = Pool::read(&mut reader)?;
        let flags = reader.u2()?;
        if flags & flags::MODULE != 0 {
            return malformed("it describes a module, not a class");
        }
        let name = pool.class(&bytes, reader.u2()?)?.into_owned();
        let superclass = match reader.u2()? {
            0 => None,
            index => Some(pool.class(&bytes, index)?.into_owned()),
        };
        let mut interfaces = Vec::new();
        for _ in 0..reader.u2()? {
            interfaces.push(pool.class(&bytes, reader.u2()?)?.into_owned());
        }
        let fields = members(&mut reader, &pool, &bytes)?;
        let methods = members(&mut reader, &pool, &bytes)?;
        let attributes = attributes(&mut reader)?;
        Ok(ClassFile {
            pool,
            flags,
            name,
            superclass,
            interfaces,
            fields,
            methods,
            attributes,
            bytes: bytes.clone(),
        })
    }

    /// The constant pool, with the bytes that its methods ask for.
    pub fn pool(&self) -> (&Pool, &[u8]) {
        (&self.pool, &self.bytes)
    }

    /// A text constant.
    pub fn text(&self, index: u16) -> Result<Cow<'_, str>, Malformed> {
        self.pool.text(&self.bytes, index)
    }

    /// A class constant's name.
    pub fn class_at(&self, index: u16) -> Result<Cow<'_, str>, Malformed> {
        self.pool.class(&self.bytes, index)
    }

    /// A loadable constant.
    pub fn loadable(&self, index: u16) -> Result<Loadable, Malformed> {
        self.pool.loadable(&self.bytes, index)
    }

    /// The contents of the first attribute of this name.
    pub fn attribute(&self, among: &[Attribute], name: &str) -> Option<Reader<'_>> {
        self.attributes_named(among, name).next()
    }

    /// The contents of each attribute of this name.
    pub fn attributes_named<'a, 'b>(
        &'a self,
        among: &'b [Attribute],
        name: &'b str,
    ) -> impl Iterator<Item = Reader<'a>> + use<'a, 'b> {
        among
            .iter()
            .filter(move |a| {
                let named = self.pool.utf8_bytes(&self.bytes, a.name);
                named.is_ok_and(|bytes| bytes == name.as_bytes())
            })
            .filter_map(|a| {
                let start = a.start as usize;
                Reader::between(&self.bytes, start, start + a.length as usize)
            })
    }

    /// The bootstrap method with this index.
    pub fn bootstrap(&self, index: u16) -> Result<Bootstrap, Malformed> {
        let Some(mut reader) = self.attribute(&self.attributes, "BootstrapMethods") else {
            return malformed("it has no bootstrap methods");
        };
        let count = reader.u2()?;
        if index >= count {
            return malformed(format!("there is no bootstrap method {index}"));
        }
        for _ in 0..index {
            reader.u2()?;
            let arguments = usize::from(reader.u2()?);
            reader.take(2 * arguments)?;
        }
        let method = self.pool.method_handle(&self.bytes, reader.u2()?)?;
        let mut arguments = Vec::new();
        for _ in 0..reader.u2()? {
            arguments.push(reader.u2()?);
        }
        Ok(Bootstrap { method, arguments })
    }

    /// The `InnerClasses` entry of this class: its outer class and simple name, where it has them.
    pub fn as_inner(&self) -> Option<InnerClass> {
        let mut reader = self.attribute(&self.attributes, "InnerClasses")?;
        for _ in 0..reader.u2().ok()? {
            let (inner, outer) = (reader.u2().ok()?, reader.u2().ok()?);
            let (name, flags) = (reader.u2().ok()?, reader.u2().ok()?);
            if self.class_at(inner).is_ok_and(|inner| inner == self.name) {
                let outer = self.class_at(outer).ok().map(Cow::into_owned);
                let simple_name = self.text(name).ok().map(Cow::into_owned);
                return Some(InnerClass { outer, simple_name, flags });
            }
        }
        None
    }

    /// Name of the source file, if recorded.
    pub fn source_file(&self) -> Option<String> {
        let mut reader = self.attribute(&self.attributes, "SourceFile")?;
        self.text(reader.u2().ok()?).ok().map(Cow::into_owned)
    }

    /// The class around this one, for member, local and anonymous classes.
    pub fn enclosing(&self) -> Option<String> {
        if let Some(outer) = self.as_inner().and_then(|i| i.outer) {
            return Some(outer);
        }
        let mut reader = self.attribute(&self.attributes, "EnclosingMethod")?;
        self.class_at(reader.u2().ok()?).ok().map(Cow::into_owned)
    }
}

/// What `InnerClasses` says about a class itself.
#[derive(Debug)]
pub struct InnerClass {
    pub outer: Option<String>,
    pub simple_name: Option<String>,
    pub flags: u16,
}

fn members(reader: &mut Reader<'_>, pool: &Pool, bytes: &[u8]) -> Result<Vec<Member>, Malformed> {
    let mut members = Vec::new();
    for _ in 0..reader.u2()? {
        members.push(Member {
            flags: reader.u2()?,
            name: pool.text(bytes, reader.u2()?)?.into_owned(),
            descriptor: pool.text(bytes, reader.u2()?)?.into_owned(),
            attributes: attributes(reader)?,
        });
    }
    Ok(members)
}

/// Locates the attributes of a list.
fn attributes(reader: &mut Reader<'_>) -> Result<Vec<Attribute>, Malformed> {
    let mut attributes = Vec::new();
    for _ in 0..reader.u2()? {
        let name = reader.u2()?;
        let length = reader.u4()?;
        let start = reader.position();
        reader.take(length as usize)?;
        let start = u32::try_from(start).map_err(|e| Malformed(e.to_string()))?;
        attributes.push(Attribute { name, start, length });
    }
    Ok(attributes)
}
