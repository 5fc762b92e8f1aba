//! Names of annotations, and where they stand. Element values are skipped.

use super::reader::{Malformed, Reader, malformed};
use super::{Attribute, ClassFile};

/// Element values may nest; javac cannot nest deeper than annotation types do.
const DEEPEST: u32 = 64;

/// Where a type annotation of a field or method stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Target {
    /// The type of a field, or the result of a method.
    Type,
    Parameter(u8),
    /// Type parameters, bounds, `throws`, receivers.
    Elsewhere,
}

impl ClassFile {
    /// Simple names of the declaration annotations, visible at run time or not.
    pub fn annotations(&self, attributes: &[Attribute]) -> Vec<String> {
        let mut names = Vec::new();
        for name in ["RuntimeVisibleAnnotations", "RuntimeInvisibleAnnotations"] {
            for mut reader in self.attributes_named(attributes, name) {
                // Damaged annotations say nothing.
                let _ = self.annotation_list(&mut reader, &mut names);
            }
        }
        names
    }

    /// Simple names of the annotations of each parameter, aligned to `count` parameters from the
    /// end: javac leaves out the leading synthetic ones of inner-class and enum constructors.
    pub fn parameter_annotations(&self, attributes: &[Attribute], count: usize) -> ParameterNames {
        let mut all = ParameterNames { of: vec![Vec::new(); count], declared: None };
        let kinds = ["RuntimeVisibleParameterAnnotations", "RuntimeInvisibleParameterAnnotations"];
        for name in kinds {
            for mut reader in self.attributes_named(attributes, name) {
                let _ = self.parameter_lists(&mut reader, &mut all);
            }
        }
        all
    }

    fn parameter_lists(
        &self,
        reader: &mut Reader<'_>,
        all: &mut ParameterNames,
    ) -> Result<(), Malformed> {
        let listed = usize::from(reader.u1()?);
        all.declared = Some(listed);
        for index in 0..listed {
            let mut names = Vec::new();
            self.annotation_list(reader, &mut names)?;
            let position = (all.of.len() + index).checked_sub(listed);
            if let Some(of) = position.and_then(|p| all.of.get_mut(p)) {
                of.extend(names);
            }
        }
        Ok(())
    }

    /// The type annotations that apply to an outermost type.
    pub fn type_annotations(&self, attributes: &[Attribute]) -> Vec<(Target, String)> {
        let mut found = Vec::new();
        for name in ["RuntimeVisibleTypeAnnotations", "RuntimeInvisibleTypeAnnotations"] {
            for mut reader in self.attributes_named(attributes, name) {
                let _ = self.type_annotation_list(&mut reader, &mut found);
            }
        }
        found
    }

    fn type_annotation_list(
        &self,
        reader: &mut Reader<'_>,
        found: &mut Vec<(Target, String)>,
    ) -> Result<(), Malformed> {
        for _ in 0..reader.u2()? {
            let target = match reader.u1()? {
                0x13 | 0x14 => Target::Type,
                0x16 => Target::Parameter(reader.u1()?),
                0x15 => Target::Elsewhere,
                0x00 | 0x01 => {
                    reader.take(1)?;
                    Target::Elsewhere
                }
                0x10..=0x12 | 0x17 => {
                    reader.take(2)?;
                    Target::Elsewhere
                }
                other => return malformed(format!("type annotation target {other}")),
            };
            let length = usize::from(reader.u1()?);
            let path = reader.take(2 * length)?;
            // Steps of kind 1 lead from an outer class's type to its inner class: the type as a
            // whole. Any other step leads into the type (elements, type arguments).
            let outermost = path.chunks(2).all(|step| step[0] == 1);
            let name = self.annotation(reader, 0)?;
            if outermost {
                found.push((target, name));
            }
        }
        Ok(())
    }

    fn annotation_list(
        &self,
        reader: &mut Reader<'_>,
        names: &mut Vec<String>,
    ) -> Result<(), Malformed> {
        for _ in 0..reader.u2()? {
            names.push(self.annotation(reader, 0)?);
        }
        Ok(())
    }

    /// Reads one annotation and returns the simple name of its type.
    fn annotation(&self, reader: &mut Reader<'_>, depth: u32) -> Result<String, Malformed> {
        let descriptor = self.text(reader.u2()?)?;
        for _ in 0..reader.u2()? {
            reader.u2()?;
            self.skip_value(reader, depth)?;
        }
        let name = descriptor.trim_end_matches(';');
        // Without a package only the `L` of the descriptor comes before it.
        let cut = name.rfind(['/', '$']).unwrap_or(0) + 1;
        Ok(name.get(cut..).unwrap_or_default().to_owned())
    }

    fn skip_value(&self, reader: &mut Reader<'_>, depth: u32) -> Result<(), Malformed> {
        if depth > DEEPEST {
            return malformed("annotations nested too deeply");
        }
        match reader.u1()? {
            b'e' => reader.take(4).map(|_| ()),
            b'@' => self.annotation(reader, depth + 1).map(|_| ()),
            b'[' => {
                for _ in 0..reader.u2()? {
                    self.skip_value(reader, depth + 1)?;
                }
                Ok(())
            }
            _ => reader.take(2).map(|_| ()),
        }
    }
}

/// Annotation names of a method's parameters.
#[derive(Debug)]
pub struct ParameterNames {
    pub of: Vec<Vec<String>>,
    /// How many parameters the class file lists, if it lists any.
    pub declared: Option<usize>,
}
