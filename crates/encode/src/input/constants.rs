//! Fields that hold one value wherever they are: what the source calls a constant.
//!
//! `final int LIMIT = 8;` is a constant variable of Java (JLS 4.12.4). javac writes its value into the code
//! that reads it, so an object that holds another one shows what no program sees. The same goes for a
//! final ghost field whose first value is a constant expression.

use ir::FieldId;
use spec::core::{Clause, Term, TermKind};

use crate::engine::{Engine, View};
use crate::state::State;
use crate::state::leaves::LeafKey;
use crate::state::value::Value;

impl<'a> Engine<'a> {
    /// The value that a field has in every object of the input, if it is a constant.
    pub(crate) fn constant_field(&mut self, key: &LeafKey, field: FieldId) -> Option<Value> {
        let value = self.constant_value(field)?;
        Some(self.inputs.settled(key.clone(), value))
    }

    /// The value of a field that is a constant.
    pub(crate) fn constant_value(&mut self, field: FieldId) -> Option<Value> {
        let declared = self.program.field(field);
        if !declared.is_final {
            return None;
        }
        if let Some(constant) = &declared.constant {
            return Some(self.constant(constant));
        }
        let first = self.first_value(field).filter(|first| self.is_constant(&first.term))?;
        self.ghost_value(&View::default(), &mut State::initial(), first)
    }

    /// Gives the static ghost fields of a class that has just been initialised their first values, unless
    /// its initialiser has set them.
    pub(crate) fn first_static_ghosts(&mut self, class: ir::ClassId) {
        let contracts = self.contracts;
        for (field, first) in contracts.classes.get(&class).map_or(&[][..], |c| &c.ghosts) {
            let is_set = self.base.statics.get(field.index()).is_some();
            let Some(first) =
                first.as_ref().filter(|_| self.program.field(*field).is_static && !is_set)
            else {
                continue;
            };
            if let Some(value) = self.ghost_value(&View::default(), &mut State::initial(), first) {
                self.base.statics.set(field.index(), value);
            }
        }
    }

    fn first_value(&self, field: FieldId) -> Option<&'a Clause> {
        let contract = self.contracts.classes.get(&self.program.field(field).class)?;
        contract.ghosts.iter().find(|ghost| ghost.0 == field)?.1.as_ref()
    }

    /// Whether a term is a constant expression.
    fn is_constant(&self, term: &Term) -> bool {
        let is_plain = match &term.kind {
            TermKind::Boolean(_) | TermKind::Number(_) | TermKind::Text(_) | TermKind::Null => true,
            TermKind::Static(field) => self.program.field(*field).constant.is_some(),
            TermKind::Negate(_)
            | TermKind::Not(_)
            | TermKind::Complement(_)
            | TermKind::Cast(..)
            | TermKind::Widen(_)
            | TermKind::Fitted(..)
            | TermKind::Arithmetic(..)
            | TermKind::Compare(..)
            | TermKind::Connective(..)
            | TermKind::Conditional(..) => true,
            _ => false,
        };
        is_plain && term.parts().into_iter().all(|part| self.is_constant(part))
    }
}
