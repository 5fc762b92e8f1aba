//! Bounds in terms that outlive the process: names of classes and fields, never ids.
//!
//! What comes back is not trusted: a row must be about a leaf of the layout, and its values must be
//! among those that the leaf can have at all.

use std::collections::{BTreeMap, BTreeSet};

use ir::{FieldId, Program, Type};

use crate::engine::Engine;
use crate::engine::layout::{Bounds, Row, Survey};
use crate::state::atom::Name;
use crate::state::leaves::LeafKey;

/// What one leaf can be.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct PortableRow {
    /// What holds the leaf: `p.Node#3`, `this`, `parameter 0`, `static`.
    pub owner: String,
    /// The field, with its class; an index for an element.
    pub field: String,
    pub values: PortableValues,
}

/// The values of a [`PortableRow`].
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum PortableValues {
    /// `null`, `p.Node#3`.
    References(Vec<String>),
    /// As bits; ascending.
    Numbers(Vec<u64>),
}

/// Bounds under names.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PortableBounds {
    /// Sorted.
    pub rows: Vec<PortableRow>,
    /// As in [`Bounds`].
    pub unshared: Vec<Vec<String>>,
}

impl PortableBounds {
    /// How many values references have in all.
    pub fn entries(&self) -> usize {
        let sizes = self.rows.iter().map(|row| match &row.values {
            PortableValues::References(values) => values.len(),
            PortableValues::Numbers(_) => 0,
        });
        sizes.sum()
    }
}

impl Bounds {
    /// The same under names.
    pub fn to_portable(&self, program: &Program) -> PortableBounds {
        let row = |(key, row): (&LeafKey, &Row)| {
            let (owner, field) = describe(program, key)?;
            let values = match row {
                Row::References(names) => PortableValues::References(
                    names.iter().map(|n| name_text(program, n)).collect(),
                ),
                Row::Numbers(values) => PortableValues::Numbers(values.clone()),
            };
            Some(PortableRow { owner, field, values })
        };
        let mut rows: Vec<PortableRow> = self.rows().filter_map(row).collect();
        rows.sort();
        let named = |set: &BTreeSet<FieldId>| set.iter().map(|f| field_text(program, *f)).collect();
        let mut unshared: Vec<Vec<String>> = self.unshared.iter().map(named).collect();
        for set in &mut unshared {
            set.sort();
        }
        PortableBounds { rows, unshared }
    }
}

impl Survey {
    /// What each reference may be before anything is excluded, in canonical order.
    pub fn to_portable(&self, program: &Program) -> Vec<PortableRow> {
        let rows = self.references.iter().filter_map(|(key, entries)| {
            let (owner, field) = describe(program, key)?;
            let values = entries.iter().map(|(name, _)| name_text(program, name)).collect();
            Some(PortableRow { owner, field, values: PortableValues::References(values) })
        });
        rows.collect()
    }
}

impl Engine<'_> {
    /// Stored bounds for the leaves of a survey without invariants; `None` if they cannot be bounds
    /// of this input.
    pub fn from_portable(&self, survey: &Survey, stored: &PortableBounds) -> Option<Bounds> {
        let program = self.program;
        let mut references = BTreeMap::new();
        for (key, entries) in &survey.references {
            references.insert(describe(program, key)?, (key, entries));
        }
        let mut numbers: BTreeMap<(String, String), (LeafKey, Type)> = BTreeMap::new();
        for key in self.number_leaves(survey) {
            if let LeafKey::Field(_, field) = &key {
                let ty = program.field(*field).ty;
                numbers.insert(describe(program, &key)?, (key, ty));
            }
        }
        let mut bounds = Bounds::default();
        for row in &stored.rows {
            let leaf = (row.owner.clone(), row.field.clone());
            match &row.values {
                PortableValues::References(values) => {
                    let (key, entries) = references.get(&leaf)?;
                    let mut names: Vec<Name> = Vec::new();
                    for value in values {
                        let mut entries = entries.iter().map(|e| &e.0);
                        let name = entries.find(|n| name_text(program, n) == *value)?;
                        if names.contains(name) {
                            return None;
                        }
                        names.push(name.clone());
                    }
                    bounds.set((*key).clone(), Row::References(names));
                }
                PortableValues::Numbers(values) => {
                    let (key, ty) = numbers.get(&leaf)?;
                    let ascending = values.windows(2).all(|w| w[0] < w[1]);
                    if !ascending || !values.iter().all(|v| fits(*ty, self.scope.int_bits, *v)) {
                        return None;
                    }
                    bounds.set(key.clone(), Row::Numbers(values.clone()));
                }
            }
        }
        let fields: BTreeMap<String, FieldId> =
            survey.fields().into_iter().map(|f| (field_text(program, f), f)).collect();
        for set in &stored.unshared {
            let known: Option<BTreeSet<FieldId>> =
                set.iter().map(|name| fields.get(name).copied()).collect();
            bounds.unshared.push(known?);
        }
        Some(bounds)
    }

    /// The numbers in the objects of the layout, whether or not anything has read them.
    fn number_leaves(&self, survey: &Survey) -> Vec<LeafKey> {
        let mut leaves = Vec::new();
        for name in &survey.objects {
            let Name::Input(class, _) = name else {
                continue;
            };
            for owner in self.program.class(*class).map_or(&[][..], |c| c.supertypes()) {
                let declared = self.program.class(*owner).map_or(&[][..], |c| &c.fields);
                let ghosts = self.contracts.classes.get(owner).map_or(&[][..], |c| &c.ghosts);
                for field in declared.iter().copied().chain(ghosts.iter().map(|g| g.0)) {
                    let declared = self.program.field(field);
                    if !declared.is_static && !matches!(declared.ty, Type::Ref(_)) {
                        leaves.push(LeafKey::Field(name.clone(), field));
                    }
                }
            }
        }
        leaves
    }
}

/// Whether a field of this type can hold these bits.
fn fits(ty: Type, int_bits: u32, value: u64) -> bool {
    let signed = |width: u32| {
        let word = i64::from(value as u32 as i32);
        let most = 1i64 << (width - 1);
        value <= u64::from(u32::MAX) && (-most..most).contains(&word)
    };
    match ty {
        Type::Boolean => value <= 1,
        Type::Byte => signed(8),
        Type::Char => value <= 0xffff,
        Type::Short => signed(16),
        Type::Int => signed(int_bits.clamp(1, 32)),
        Type::Float => value <= u64::from(u32::MAX),
        Type::Long if int_bits < 32 => {
            let most = 1i64 << (int_bits.max(1) - 1);
            (-most..most).contains(&value.cast_signed())
        }
        Type::Long | Type::Double => true,
        Type::Ref(_) => false,
    }
}

/// An object of the input, or what else a leaf may hold.
fn name_text(program: &Program, name: &Name) -> String {
    let units = |units: &[u16]| {
        let units: Vec<String> = units.iter().map(|u| format!("{u:04x}")).collect();
        units.concat()
    };
    match name {
        Name::Null => "null".into(),
        Name::Input(class, number) => format!("{}#{number}", program.class_name(*class)),
        Name::InputChars(number) => format!("characters of string {number}"),
        Name::Initialiser(class, number) => {
            format!("initialiser {}#{number}", program.class_name(*class))
        }
        Name::Literal(text) => format!("literal {}", units(text)),
        Name::LiteralChars(text) => format!("characters of literal {}", units(text)),
        Name::Mirror(class) => format!("class {}", program.class_name(*class)),
        Name::Constructed => "constructed".into(),
        Name::Fresh(number) => format!("fresh {number}"),
    }
}

pub(super) fn field_text(program: &Program, field: FieldId) -> String {
    let field = program.field(field);
    format!("{}.{}", program.class_name(field.class), field.name)
}

/// The owner and the field of a leaf.
pub(crate) fn describe(program: &Program, key: &LeafKey) -> Option<(String, String)> {
    match key {
        LeafKey::Receiver => Some(("this".into(), String::new())),
        LeafKey::Parameter(number) => Some((format!("parameter {number}"), String::new())),
        LeafKey::Static(id) => Some(("static".into(), field_text(program, *id))),
        LeafKey::Field(name, id) => Some((name_text(program, name), field_text(program, *id))),
        LeafKey::Element(name, index) => Some((name_text(program, name), index.to_string())),
        LeafKey::Length(name) => Some((name_text(program, name), "length".into())),
        LeafKey::Shared(_)
        | LeafKey::TextLength(_)
        | LeafKey::TextWide(_)
        | LeafKey::Hash(_)
        | LeafKey::Clock(_)
        | LeafKey::Live(_)
        | LeafKey::Initialised(_)
        | LeafKey::Havoc(_)
        | LeafKey::Instance(_)
        | LeafKey::Route(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_fit_their_types() {
        assert!(fits(Type::Boolean, 32, 1) && !fits(Type::Boolean, 32, 2));
        assert!(fits(Type::Byte, 32, 0xffff_ff80) && !fits(Type::Byte, 32, 128));
        assert!(fits(Type::Char, 32, 0xffff) && !fits(Type::Char, 32, 0x1_0000));
        assert!(fits(Type::Int, 32, 0xffff_ffff) && !fits(Type::Int, 32, 0x1_0000_0000));
        assert!(fits(Type::Int, 4, 7) && fits(Type::Int, 4, 0xffff_fff8));
        assert!(!fits(Type::Int, 4, 8));
        assert!(fits(Type::Long, 32, u64::MAX) && !fits(Type::Long, 4, 8));
    }
}
