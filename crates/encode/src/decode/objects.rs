//! What is shown of one object: its fields or elements, its text or value, before the run and after it.

use ir::{ClassId, FieldId, Type};

use super::{Decoder, MOST_ELEMENTS};
use crate::decode::execution::{Content, Object};
use crate::state::atom::{Atom, Name};
use crate::state::heap::Heap;
use crate::state::leaves::LeafKey;

impl Decoder<'_, '_> {
    pub(super) fn object(&mut self, heap: &Heap, atom: Atom, before: bool) -> Object {
        // What the code has made before is known as a whole, like what the run makes.
        let before = before && heap.contents(atom).is_none();
        let label = self.labels[self.index[&atom]].clone();
        let class = self.engine.program.class_name(self.engine.atoms.class(atom)).to_string();
        let content = self.content(heap, atom, before);
        Object { label, class, content }
    }

    pub(super) fn content(&mut self, heap: &Heap, atom: Atom, before: bool) -> Content {
        let info = self.engine.atoms.info(atom).clone();
        let program = self.engine.program;
        let known = &self.engine.known;
        if let (Some(field), Name::Initialiser(..)) = (info.constant, &info.name) {
            let declared = program.field(field);
            let class = program.class_name(declared.class).to_string();
            return Content::Constant { class, field: declared.name.to_string() };
        }
        if let Name::Mirror(class) = info.name {
            return Content::Mirror(program.class_name(class).to_string());
        }
        if info.opaque || program.class(info.class).is_ok_and(|c| c.is_synthetic) {
            return Content::Opaque;
        }
        if info.class == known.string {
            return self.text(heap, atom);
        }
        if let Some(ty) = known.boxed(info.class) {
            return self.boxed(heap, atom, ty);
        }
        if let Some(element) = self.engine.element_type(atom) {
            return self.array(heap, atom, element, before);
        }
        self.fields(heap, atom, before)
    }

    /// Whether the run has looked at a leaf; what it has not looked at may be anything.
    fn is_touched(&self, key: &LeafKey) -> bool {
        self.engine.inputs.is_touched(key)
    }

    fn text(&mut self, heap: &Heap, atom: Atom) -> Content {
        let info = self.engine.atoms.info(atom).clone();
        let interned = self.is_shared(atom);
        if let Name::Input(_, number) = info.name
            && !self.is_touched(&LeafKey::TextLength(number))
        {
            return Content::Text { units: Vec::new(), interned };
        }
        let units = self.units(heap, atom);
        match units {
            Some(units) => Content::Text { units, interned },
            None => Content::Opaque,
        }
    }

    fn units(&mut self, heap: &Heap, atom: Atom) -> Option<Vec<u16>> {
        let (value, coder) = self.engine.string_fields()?;
        let chars = self.engine.field_of(heap, atom, value).ok()?;
        let coder = self.engine.field_of(heap, atom, coder).ok()?;
        let (chars, coder) = (self.atom_of(&chars)?, self.bits_of(&coder)?);
        let array = self.engine.array_of(heap, chars);
        let length = self.number(&array.length) as usize;
        let bytes = array.elements.iter().take(length);
        let bytes: Option<Vec<u8>> = bytes.map(|v| Some(self.bits_of(v)? as u8)).collect();
        let bytes = bytes?;
        Some(match coder {
            0 => bytes.into_iter().map(u16::from).collect(),
            _ => bytes.chunks_exact(2).map(|p| u16::from_le_bytes([p[0], p[1]])).collect(),
        })
    }

    fn is_shared(&mut self, atom: Atom) -> bool {
        let shared = self.engine.atoms.info(atom).shared;
        shared.is_some_and(|lit| self.holds(lit))
    }

    fn boxed(&mut self, heap: &Heap, atom: Atom, ty: Type) -> Content {
        let cached = self.is_shared(atom);
        let class = self.engine.atoms.class(atom);
        let field = self.engine.field_named(class, "value");
        let untouched = field.is_some_and(|f| {
            let name = self.engine.atoms.info(atom).name.clone();
            matches!(name, Name::Input(..)) && !self.is_touched(&LeafKey::Field(name, f))
        });
        let value = match field {
            Some(field) if !untouched => self.engine.field_of(heap, atom, field).ok(),
            _ => None,
        };
        let value = value.unwrap_or_else(|| self.engine.default_of(ty));
        Content::Box { value: self.datum(&value, ty), cached }
    }

    fn array(&mut self, heap: &Heap, atom: Atom, element: Type, before: bool) -> Content {
        let name = self.engine.atoms.info(atom).name.clone();
        let is_input = matches!(name, Name::Input(..));
        let untouched = is_input && !self.is_touched(&LeafKey::Length(name));
        if untouched && (before || heap.contents(atom).is_none()) {
            return Content::Array(Vec::new());
        }
        let array = match before {
            true => self.engine.initial_array(atom),
            false => self.engine.array_of(heap, atom),
        };
        let length = self.number(&array.length) as usize;
        let default = self.engine.default_of(element);
        let shown = length.min(MOST_ELEMENTS);
        let data = (0..shown)
            .map(|i| self.datum(array.elements.get(i).unwrap_or(&default), element))
            .collect();
        if length > MOST_ELEMENTS {
            return Content::Opaque;
        }
        Content::Array(data)
    }

    /// Input objects: the fields that were read or written. New ones: every field of given
    /// classes, and those of library classes that were written.
    fn fields(&mut self, heap: &Heap, atom: Atom, before: bool) -> Content {
        let program = self.engine.program;
        let name = self.engine.atoms.info(atom).name.clone();
        let class = self.engine.atoms.class(atom);
        let is_input = matches!(name, Name::Input(..));
        let mut shown: Vec<FieldId> = self.read.get(&atom).cloned().unwrap_or_default();
        if !before {
            if let Some(contents) = heap.contents(atom) {
                shown.extend(contents.fields().iter().map(|f| f.0));
            }
            if !is_input {
                shown.extend(self.instance_fields(class).into_iter().filter(|f| {
                    program.class(program.field(*f).class).is_ok_and(|c| c.is_given())
                }));
            }
        }
        if program.is_subtype(class, self.engine.known.throwable) {
            shown.retain(|f| {
                is_input || program.class(program.field(*f).class).is_ok_and(|c| c.is_given())
            });
        }
        // The JVM knows nothing of ghosts.
        shown.retain(|f| program.field(*f).specified.is_none());
        shown.sort_unstable();
        shown.dedup();
        let declared = self.instance_fields(class);
        shown.sort_by_key(|f| declared.iter().position(|d| d == f));
        let mut data = Vec::new();
        for field in shown {
            if let Ok(value) = self.engine.field_of(heap, atom, field) {
                data.push(self.field_datum(field, &value));
            }
        }
        Content::Fields(data)
    }

    /// Instance fields, superclasses first.
    fn instance_fields(&self, class: ClassId) -> Vec<FieldId> {
        let program = self.engine.program;
        let mut chain = Vec::new();
        let mut current = program.class(class).ok();
        while let Some(class) = current {
            chain.push(class);
            current = class.superclass.and_then(|s| program.class(s).ok());
        }
        let fields = chain.into_iter().rev().flat_map(|c| c.fields.iter().copied());
        fields.filter(|f| !program.field(*f).is_static).collect()
    }
}
