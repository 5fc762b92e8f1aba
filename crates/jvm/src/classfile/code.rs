//! The `Code` attribute with its debug tables.

use super::reader::{Malformed, Reader, malformed};
use super::{ClassFile, Member};

/// A method's bytecode.
#[derive(Debug)]
pub struct CodeAttribute<'a> {
    pub bytes: &'a [u8],
    pub exceptions: Vec<ExceptionEntry>,
    /// Ascending by `pc`.
    pub lines: Vec<LineEntry>,
    pub variables: Vec<LocalVariable>,
    /// The variables whose types are generic, with signatures in place of descriptors.
    pub generic_variables: Vec<LocalVariable>,
}

/// A row of the exception table.
#[derive(Clone, Copy, Debug)]
pub struct ExceptionEntry {
    pub start: u16,
    pub end: u16,
    pub handler: u16,
    /// Pool index of the class, 0 for any.
    pub class: u16,
}

#[derive(Clone, Copy, Debug)]
pub struct LineEntry {
    pub pc: u16,
    pub line: u16,
}

/// A row of the local variable table.
#[derive(Clone, Debug)]
pub struct LocalVariable {
    pub start: u16,
    pub length: u16,
    pub name: String,
    pub descriptor: String,
    pub slot: u16,
}

impl CodeAttribute<'_> {
    /// The source line of an instruction, 0 if unknown.
    pub fn line_at(&self, pc: u32) -> u32 {
        let after = self.lines.partition_point(|l| u32::from(l.pc) <= pc);
        after.checked_sub(1).map_or(0, |i| u32::from(self.lines[i].line))
    }
}

impl ClassFile {
    /// The code of a method that has some.
    pub fn code(&self, method: &Member) -> Result<Option<CodeAttribute<'_>>, Malformed> {
        let Some(mut reader) = self.attribute(&method.attributes, "Code") else {
            return Ok(None);
        };
        let _max_stack = reader.u2()?;
        let _max_locals = reader.u2()?;
        let length = reader.u4()?;
        if length == 0 || length > 65535 {
            return malformed(format!("a body of {length} bytes"));
        }
        let bytes = reader.take(length as usize)?;
        let mut exceptions = Vec::new();
        for _ in 0..reader.u2()? {
            exceptions.push(ExceptionEntry {
                start: reader.u2()?,
                end: reader.u2()?,
                handler: reader.u2()?,
                class: reader.u2()?,
            });
        }
        let attributes = super::attributes(&mut reader)?;
        let mut code = CodeAttribute {
            bytes,
            exceptions,
            lines: Vec::new(),
            variables: Vec::new(),
            generic_variables: Vec::new(),
        };
        for table in self.attributes_named(&attributes, "LineNumberTable") {
            // A damaged debug table costs what it would have told, nothing else.
            let _ = read_lines(table, &mut code.lines);
        }
        code.lines.sort_by_key(|l| l.pc);
        for table in self.attributes_named(&attributes, "LocalVariableTable") {
            let _ = self.read_variables(table, &mut code.variables);
        }
        for table in self.attributes_named(&attributes, "LocalVariableTypeTable") {
            let _ = self.read_variables(table, &mut code.generic_variables);
        }
        Ok(Some(code))
    }

    fn read_variables(
        &self,
        mut reader: Reader<'_>,
        variables: &mut Vec<LocalVariable>,
    ) -> Result<(), Malformed> {
        for _ in 0..reader.u2()? {
            variables.push(LocalVariable {
                start: reader.u2()?,
                length: reader.u2()?,
                name: self.text(reader.u2()?)?.into_owned(),
                descriptor: self.text(reader.u2()?)?.into_owned(),
                slot: reader.u2()?,
            });
        }
        Ok(())
    }
}

fn read_lines(mut reader: Reader<'_>, lines: &mut Vec<LineEntry>) -> Result<(), Malformed> {
    for _ in 0..reader.u2()? {
        lines.push(LineEntry { pc: reader.u2()?, line: reader.u2()? });
    }
    Ok(())
}
