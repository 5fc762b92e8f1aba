//! The constant pool, by index. Entries are checked when they are used, as the JVM resolves them.

use std::borrow::Cow;

use super::reader::{Malformed, Reader, malformed};

#[derive(Clone, Copy, Debug)]
enum Entry {
    /// Index 0 and the second half of a long or double.
    Unusable,
    /// Where the bytes are.
    Utf8 {
        start: u32,
        length: u16,
    },
    Int(i32),
    Float(u32),
    Long(i64),
    Double(u64),
    Class(u16),
    String(u16),
    Member {
        class: u16,
        name_and_type: u16,
    },
    NameAndType {
        name: u16,
        descriptor: u16,
    },
    MethodHandle {
        kind: u8,
        member: u16,
    },
    MethodType(u16),
    Dynamic,
    InvokeDynamic {
        bootstrap: u16,
        name_and_type: u16,
    },
    Other,
}

/// The entries of one class file; the bytes are passed in where text is asked for.
#[derive(Debug)]
pub struct Pool {
    entries: Vec<Entry>,
}

/// What `ldc` and bootstrap arguments can name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Loadable {
    Int(i32),
    Float(u32),
    Long(i64),
    Double(u64),
    /// UTF-16 code units, lone surrogates included.
    String(Vec<u16>),
    /// Internal name or array descriptor.
    Class(String),
    MethodHandle(MethodHandle),
    /// A method descriptor.
    MethodType(String),
    Dynamic,
}

/// A direct method handle constant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MethodHandle {
    /// JVMS table 5.4.3.5-A, 1 to 9.
    pub kind: u8,
    pub member: MemberRef,
}

/// A symbolic reference to a field or method.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MemberRef {
    /// Internal name or array descriptor.
    pub class: String,
    pub name: String,
    pub descriptor: String,
}

/// An `invokedynamic` constant.
#[derive(Clone, Debug)]
pub struct CallSite {
    /// Index into `BootstrapMethods`.
    pub bootstrap: u16,
    pub name: String,
    pub descriptor: String,
}

impl Pool {
    /// Reads the pool at the reader's position; text stays where it is.
    pub fn read(reader: &mut Reader<'_>) -> Result<Pool, Malformed> {
        let count = reader.u2()?;
        let mut entries = vec![Entry::Unusable];
        while entries.len() < usize::from(count) {
            let entry = read_entry(reader)?;
            entries.push(entry);
            if matches!(entry, Entry::Long(_) | Entry::Double(_)) {
                entries.push(Entry::Unusable);
            }
        }
        Ok(Pool { entries })
    }

    fn entry(&self, index: u16) -> Entry {
        self.entries.get(usize::from(index)).copied().unwrap_or(Entry::Unusable)
    }

    /// The raw bytes of a text entry.
    pub fn utf8_bytes<'a>(&self, bytes: &'a [u8], index: u16) -> Result<&'a [u8], Malformed> {
        match self.entry(index) {
            Entry::Utf8 { start, length } => {
                let start = start as usize;
                Ok(&bytes[start..start + usize::from(length)])
            }
            _ => malformed(format!("constant {index} is not text")),
        }
    }

    /// A text entry as a name; lone surrogates are replaced.
    pub fn text<'a>(&self, bytes: &'a [u8], index: u16) -> Result<Cow<'a, str>, Malformed> {
        let raw = self.utf8_bytes(bytes, index)?;
        if raw.is_ascii() && !raw.contains(&0) {
            let ascii = std::str::from_utf8(raw).map_err(|e| Malformed(e.to_string()))?;
            return Ok(Cow::Borrowed(ascii));
        }
        Ok(Cow::Owned(String::from_utf16_lossy(&decode_modified_utf8(raw)?)))
    }

    /// The internal name (or array descriptor) of a class entry.
    pub fn class<'a>(&self, bytes: &'a [u8], index: u16) -> Result<Cow<'a, str>, Malformed> {
        match self.entry(index) {
            Entry::Class(name) => self.text(bytes, name),
            _ => malformed(format!("constant {index} is not a class")),
        }
    }

    fn name_and_type(&self, bytes: &[u8], index: u16) -> Result<(String, String), Malformed> {
        match self.entry(index) {
            Entry::NameAndType { name, descriptor } => Ok((
                self.text(bytes, name)?.into_owned(),
                self.text(bytes, descriptor)?.into_owned(),
            )),
            _ => malformed(format!("constant {index} is not a name and type")),
        }
    }

    /// A field or method reference.
    pub fn member(&self, bytes: &[u8], index: u16) -> Result<MemberRef, Malformed> {
        match self.entry(index) {
            Entry::Member { class, name_and_type } => {
                let class = self.class(bytes, class)?.into_owned();
                let (name, descriptor) = self.name_and_type(bytes, name_and_type)?;
                Ok(MemberRef { class, name, descriptor })
            }
            _ => malformed(format!("constant {index} is not a field or method")),
        }
    }

    /// The constant of an `invokedynamic` instruction.
    pub fn call_site(&self, bytes: &[u8], index: u16) -> Result<CallSite, Malformed> {
        match self.entry(index) {
            Entry::InvokeDynamic { bootstrap, name_and_type } => {
                let (name, descriptor) = self.name_and_type(bytes, name_and_type)?;
                Ok(CallSite { bootstrap, name, descriptor })
            }
            _ => malformed(format!("constant {index} is not a dynamic call site")),
        }
    }

    /// A method handle entry.
    pub fn method_handle(&self, bytes: &[u8], index: u16) -> Result<MethodHandle, Malformed> {
        match self.entry(index) {
            Entry::MethodHandle { kind, member } => {
                Ok(MethodHandle { kind, member: self.member(bytes, member)? })
            }
            _ => malformed(format!("constant {index} is not a method handle")),
        }
    }

    /// Whatever `ldc` may load.
    pub fn loadable(&self, bytes: &[u8], index: u16) -> Result<Loadable, Malformed> {
        Ok(match self.entry(index) {
            Entry::Int(v) => Loadable::Int(v),
            Entry::Float(v) => Loadable::Float(v),
            Entry::Long(v) => Loadable::Long(v),
            Entry::Double(v) => Loadable::Double(v),
            Entry::String(text) => {
                Loadable::String(decode_modified_utf8(self.utf8_bytes(bytes, text)?)?)
            }
            Entry::Class(name) => Loadable::Class(self.text(bytes, name)?.into_owned()),
            Entry::MethodHandle { .. } => Loadable::MethodHandle(self.method_handle(bytes, index)?),
            Entry::MethodType(text) => Loadable::MethodType(self.text(bytes, text)?.into_owned()),
            Entry::Dynamic => Loadable::Dynamic,
            Entry::Unusable
            | Entry::Utf8 { .. }
            | Entry::Member { .. }
            | Entry::NameAndType { .. }
            | Entry::InvokeDynamic { .. }
            | Entry::Other => return malformed(format!("constant {index} cannot be loaded")),
        })
    }
}

fn read_entry(reader: &mut Reader<'_>) -> Result<Entry, Malformed> {
    Ok(match reader.u1()? {
        1 => {
            let length = reader.u2()?;
            let start = u32::try_from(reader.position()).map_err(|e| Malformed(e.to_string()))?;
            reader.take(usize::from(length))?;
            Entry::Utf8 { start, length }
        }
        3 => Entry::Int(reader.i4()?),
        4 => Entry::Float(reader.u4()?),
        5 => Entry::Long(reader.u8()? as i64),
        6 => Entry::Double(reader.u8()?),
        7 => Entry::Class(reader.u2()?),
        8 => Entry::String(reader.u2()?),
        9..=11 => Entry::Member { class: reader.u2()?, name_and_type: reader.u2()? },
        12 => Entry::NameAndType { name: reader.u2()?, descriptor: reader.u2()? },
        15 => Entry::MethodHandle { kind: reader.u1()?, member: reader.u2()? },
        16 => Entry::MethodType(reader.u2()?),
        17 => {
            reader.u4()?;
            Entry::Dynamic
        }
        18 => Entry::InvokeDynamic { bootstrap: reader.u2()?, name_and_type: reader.u2()? },
        19 | 20 => {
            reader.u2()?;
            Entry::Other
        }
        tag => return malformed(format!("unknown constant tag {tag}")),
    })
}

/// JVMS 4.4.7: NUL is two bytes, supplementary characters are two surrogates of three bytes each.
fn decode_modified_utf8(raw: &[u8]) -> Result<Vec<u16>, Malformed> {
    let mut units = Vec::with_capacity(raw.len());
    let mut bytes = raw.iter().map(|b| u16::from(*b));
    while let Some(first) = bytes.next() {
        let mut next = || match bytes.next() {
            Some(b) if b & 0xc0 == 0x80 => Ok(b & 0x3f),
            _ => malformed("text is not modified UTF-8"),
        };
        units.push(match first {
            0x01..=0x7f => first,
            0xc0..=0xdf => (first & 0x1f) << 6 | next()?,
            0xe0..=0xef => (first & 0x0f) << 12 | next()? << 6 | next()?,
            _ => return malformed("text is not modified UTF-8"),
        });
    }
    Ok(units)
}

#[cfg(test)]
mod tests {
    use super::decode_modified_utf8;

    #[test]
    fn modified_utf8_keeps_nul_and_surrogates() {
        let raw = [0x41, 0xc0, 0x80, 0xed, 0xa0, 0xbd, 0xed, 0xb8, 0x80, 0xed, 0xa0, 0x80];
        let units = decode_modified_utf8(&raw).expect("it is well formed");
        assert_eq!(units, [0x41, 0, 0xd83d, 0xde00, 0xd800]);
        assert!(decode_modified_utf8(&[0]).is_err());
        assert!(decode_modified_utf8(&[0xc0]).is_err());
        assert!(decode_modified_utf8(&[0xf0, 0x80, 0x80, 0x80]).is_err());
    }
}
