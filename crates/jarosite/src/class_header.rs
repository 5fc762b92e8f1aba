//! The few facts about a class file that are needed before anything is analysed: which class it
//! holds, which source file it came from, and what it mentions. Everything else about class files belongs to `jvm`.

/// Name and origin of a class.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClassHeader {
    /// `p/Outer$Inner`.
    pub internal_name: String,
    /// `Outer.java`, if the class says so.
    pub source_file: Option<String>,
    /// Superclass and interfaces.
    pub supertypes: Vec<String>,
    /// All texts of the class: names, descriptors, signatures, literals.
    pub texts: Vec<String>,
}

/// Reads the header of a class file, or says what is wrong with the file.
pub fn read(bytes: &[u8]) -> Result<ClassHeader, String> {
    let mut reader = Reader { bytes, at: 0 };
    if reader.u32() != Some(0xCAFE_BABE) {
        return Err("not a class file".into());
    }
    reader.header().ok_or_else(|| "the class file is truncated or damaged".into())
}

/// An entry of the constant pool, as far as it matters here.
#[derive(Clone, Copy)]
enum Constant<'a> {
    Utf8(&'a [u8]),
    Class(u16),
    Other,
}

struct Reader<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Reader<'a> {
    fn take(&mut self, count: usize) -> Option<&'a [u8]> {
        let end = self.at.checked_add(count)?;
        let taken = self.bytes.get(self.at..end)?;
        self.at = end;
        Some(taken)
    }

    fn u8(&mut self) -> Option<u8> {
        self.take(1).map(|b| b[0])
    }

    fn u16(&mut self) -> Option<u16> {
        self.take(2).map(|b| u16::from_be_bytes([b[0], b[1]]))
    }

    fn u32(&mut self) -> Option<u32> {
        self.take(4).map(|b| u32::from_be_bytes([b[0], b[1], b[2], b[3]]))
    }

    fn header(&mut self) -> Option<ClassHeader> {
        self.take(4)?; // version
        let pool = self.constant_pool()?;
        self.take(2)?; // access flags
        let this = self.u16()?;
        let mut supertypes = vec![self.u16()?];
        for _ in 0..self.u16()? {
            supertypes.push(self.u16()?);
        }
        self.skip_members()?; // fields
        self.skip_members()?; // methods
        Some(ClassHeader {
            internal_name: class_name(&pool, this)?,
            source_file: self.source_file(&pool)?,
            supertypes: supertypes.iter().filter_map(|s| class_name(&pool, *s)).collect(),
            texts: texts(&pool),
        })
    }

    fn constant_pool(&mut self) -> Option<Vec<Constant<'a>>> {
        let count = usize::from(self.u16()?);
        let mut pool = vec![Constant::Other];
        while pool.len() < count {
            let tag = self.u8()?;
            let constant = match tag {
                1 => {
                    let length = usize::from(self.u16()?);
                    Constant::Utf8(self.take(length)?)
                }
                7 => Constant::Class(self.u16()?),
                _ => {
                    self.take(constant_size(tag)?)?;
                    Constant::Other
                }
            };
            pool.push(constant);
            // A long or double takes two places.
            if tag == 5 || tag == 6 {
                pool.push(Constant::Other);
            }
        }
        Some(pool)
    }

    fn skip_members(&mut self) -> Option<()> {
        for _ in 0..self.u16()? {
            self.take(6)?;
            for _ in 0..self.u16()? {
                self.attribute()?;
            }
        }
        Some(())
    }

    /// The name's index and the content of an attribute.
    fn attribute(&mut self) -> Option<(u16, &'a [u8])> {
        let name = self.u16()?;
        let length = usize::try_from(self.u32()?).ok()?;
        Some((name, self.take(length)?))
    }

    fn source_file(&mut self, pool: &[Constant<'a>]) -> Option<Option<String>> {
        let mut found = None;
        for _ in 0..self.u16()? {
            let (name, content) = self.attribute()?;
            if utf8(pool, name).as_deref() == Some("SourceFile") && content.len() == 2 {
                found = utf8(pool, u16::from_be_bytes([content[0], content[1]]));
            }
        }
        Some(found)
    }
}

fn texts(pool: &[Constant<'_>]) -> Vec<String> {
    let texts = pool.iter().filter_map(|constant| match constant {
        Constant::Utf8(bytes) => Some(String::from_utf8_lossy(bytes).into_owned()),
        Constant::Class(_) | Constant::Other => None,
    });
    texts.collect()
}

/// Bytes after the tag.
fn constant_size(tag: u8) -> Option<usize> {
    match tag {
        8 | 16 | 19 | 20 => Some(2),
        15 => Some(3),
        3 | 4 | 9 | 10 | 11 | 12 | 17 | 18 => Some(4),
        5 | 6 => Some(8),
        _ => None,
    }
}

fn class_name(pool: &[Constant<'_>], index: u16) -> Option<String> {
    match pool.get(usize::from(index))? {
        Constant::Class(name) => utf8(pool, *name),
        Constant::Utf8(_) | Constant::Other => None,
    }
}

fn utf8(pool: &[Constant<'_>], index: u16) -> Option<String> {
    match pool.get(usize::from(index))? {
        Constant::Utf8(bytes) => std::str::from_utf8(bytes).ok().map(str::to_string),
        Constant::Class(_) | Constant::Other => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_prefix_of_garbage_is_an_error() {
        let mut bytes = vec![0xCA, 0xFE, 0xBA, 0xBE, 0, 0, 0, 61, 0, 9, 1, 0xFF, 0xFF];
        assert_eq!(read(&bytes[..3]), Err("not a class file".into()));
        while bytes.len() > 4 {
            assert!(read(&bytes).is_err());
            bytes.pop();
        }
    }
}
