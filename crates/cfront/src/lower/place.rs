//! Places: what stands on the left of an assignment, and how it is read and written.

use super::{Lower, Value};
use crate::ast::{Expr, ExprKind};
use crate::front::{Checked, Front, Symbol};
use crate::types::*;
use explain::program::{Home, Op};
use explain::term::{Binary, TermId};

/// Where a value is.
#[derive(Clone, Debug)]
pub(crate) enum Spot {
    /// A variable that nothing points to.
    Register(TermId),
    /// At an address.
    Memory(TermId),
    /// Some bits of the unit at an address: the first, and how many.
    Bits { unit: TermId, first: u32, width: u32 },
}

/// A place and its type.
#[derive(Clone, Debug)]
pub(crate) struct Place {
    pub spot: Spot,
    pub ty: Type,
}

impl Lower<'_> {
    /// The place that an expression denotes.
    pub fn place(&mut self, expression: &Expr) -> Checked<Place> {
        let from = expression.span.from;
        match &*expression.kind {
            ExprKind::Name(name) => match self.front.lookup(name).cloned() {
                Some(Symbol::Variable { id, ty }) => {
                    let variable = self.front.program.space.variable(id);
                    let (home, width) = (variable.home, variable.width);
                    let spot = match home {
                        Home::Register => Spot::Register(self.terms().variable(id, width)),
                        Home::Memory { .. } => Spot::Memory(self.terms().address(id)),
                    };
                    Ok(Place { spot, ty })
                }
                Some(Symbol::Function(index)) => {
                    let known = &self.front.functions[index];
                    let (object, signature) = (known.object, known.signature.clone());
                    let spot = Spot::Memory(self.terms().address(object));
                    Ok(Place { spot, ty: Type::Function(signature) })
                }
                _ => Err(self.front.problem(from, format!("`{name}` is not declared"))),
            },
            ExprKind::Prefix("*", of) => {
                let pointer = self.value(of)?;
                match pointer.ty.target() {
                    Some(target) => {
                        let ty = target.clone();
                        Ok(Place { spot: Spot::Memory(pointer.term), ty })
                    }
                    None => Err(self.front.problem(from, "this is no pointer")),
                }
            }
            ExprKind::Index(array, index) => {
                let (array, index) = self.both_values(array, index)?;
                let (array, index) =
                    if array.ty.is_pointer() { (array, index) } else { (index, array) };
                let address = self.element(&array, &index, from, false)?;
                let ty = array.ty.target().cloned().unwrap_or(Type::Void);
                Ok(Place { spot: Spot::Memory(address), ty })
            }
            ExprKind::Field { of, name, arrow } => {
                let (base, ty) = if *arrow {
                    let pointer = self.value(of)?;
                    (pointer.term, pointer.ty.target().cloned())
                } else {
                    let place = self.place(of)?;
                    match place.spot {
                        Spot::Memory(address) => (address, Some(place.ty)),
                        _ => (self.terms().number(64, 0), None),
                    }
                };
                self.field(base, ty.as_ref(), name, from)
            }
            ExprKind::Text(bytes) => {
                let id = self.string(bytes);
                let ty = Type::Array(CHAR.into(), Some(bytes.len() as u64 + 1));
                Ok(Place { spot: Spot::Memory(self.terms().address(id)), ty })
            }
            ExprKind::Compound(ty, initial) => self.compound(ty, initial),
            ExprKind::Cast(_, _)
            | ExprKind::Call(..)
            | ExprKind::Conditional(..)
            | ExprKind::Comma(..)
            | ExprKind::Assign(..)
            | ExprKind::Block(_) => {
                let value = self.value(expression)?;
                Ok(Place { spot: Spot::Memory(value.term), ty: value.ty })
            }
            _ => Err(self.front.problem(from, "this is no place that has a value of its own")),
        }
    }

    pub fn field(
        &mut self,
        base: TermId,
        ty: Option<&Type>,
        name: &str,
        from: crate::lexer::Place,
    ) -> Checked<Place> {
        let found = match ty.map(Type::plain) {
            Some(Type::Struct(id)) => self.front.layouts.field(*id, name),
            _ => None,
        };
        let Some((offset, field)) = found else {
            return Err(self.front.problem(from, format!("there is no field `{name}` here")));
        };
        let label = self.terms().name(name);
        let address = self.terms().field(base, offset, label);
        let spot = match field.bits {
            None => Spot::Memory(address),
            Some((first, width)) => Spot::Bits { unit: address, first, width },
        };
        Ok(Place { spot, ty: field.ty })
    }

    /// The address of an element: of the array that a pointer points into.
    pub fn element(
        &mut self,
        pointer: &Value,
        index: &Value,
        from: crate::lexer::Place,
        back: bool,
    ) -> Checked<TermId> {
        let size = pointer.ty.target().and_then(|target| self.front.layouts.size(target));
        let (Some(size), true) = (size, index.ty.is_integer()) else {
            return Err(self.front.problem(from, "only pointers to known types can be indexed"));
        };
        let index = self.converted(index.clone(), &LONG);
        let index = if back {
            let zero = self.terms().number(64, 0);
            self.terms().binary(Binary::Sub, zero, index.term)
        } else {
            index.term
        };
        Ok(self.terms().index(pointer.term, index, size))
    }

    /// The cell of a scalar.
    pub fn scalar_at(&mut self, address: TermId, ty: &Type) -> TermId {
        let cell = self.terms().load(address, ty.word().0);
        if ty.is_pointer() {
            self.front.outside.pointers.insert(cell);
        }
        cell
    }

    /// The value at a place.
    pub fn read(&mut self, place: &Place) -> Value {
        let ty = place.ty.decayed();
        if matches!(place.ty, Type::Volatile(_)) {
            self.trap("a volatile place is read");
            return self.dummy(&ty);
        }
        let aggregate =
            matches!(place.ty.plain(), Type::Array(..) | Type::Function(_) | Type::Struct(_));
        let term = match &place.spot {
            Spot::Memory(address) if aggregate => *address,
            Spot::Register(term) if ty.is_scalar() => *term,
            Spot::Memory(address) if ty.is_scalar() => self.scalar_at(*address, &ty),
            Spot::Bits { unit, first, width } => {
                let (unit, first, width) = (*unit, *first, *width);
                let (bits, signed) = ty.word();
                let whole = self.terms().load(unit, bits);
                let left = self.terms().number(bits, u64::from(bits - first - width));
                let right = self.terms().number(bits, u64::from(bits - width));
                let high = self.terms().binary(Binary::Shl, whole, left);
                let shift = if signed { Binary::ShrSigned } else { Binary::ShrUnsigned };
                let term = self.terms().binary(shift, high, right);
                // A bit-field narrower than `int` is promoted to it.
                let ty = if bits <= 32 && width < 32 { INT } else { ty };
                return Value { term, ty };
            }
            _ => {
                self.trap(format!("a value of type {}", self.front.layouts.show(&ty)));
                return self.dummy(&ty);
            }
        };
        Value { term, ty }
    }

    /// Assigns a value, converted to the type of the place.
    pub fn write(&mut self, place: &Place, value: Value) -> Value {
        if matches!(place.ty, Type::Volatile(_)) {
            self.trap("a volatile place is written");
            return value;
        }
        if let (Type::Struct(id), Spot::Memory(to)) = (place.ty.plain(), &place.spot) {
            let (id, to) = (*id, *to);
            self.copy(&Type::Struct(id), to, value.term);
            return Value { term: to, ty: place.ty.clone() };
        }
        if !place.ty.is_scalar() {
            self.trap(format!("a value of type {}", self.front.layouts.show(&place.ty)));
            return value;
        }
        let value = self.converted(value, &place.ty);
        let target = match &place.spot {
            Spot::Register(term) => *term,
            Spot::Memory(address) => self.scalar_at(*address, &place.ty),
            Spot::Bits { unit, first, width: bits } => {
                return self.write_bits(place, (*unit, *first, *bits), value);
            }
        };
        self.emit(Op::Assign { place: target, value: value.term });
        Value { term: target, ty: place.ty.clone() }
    }

    fn write_bits(&mut self, place: &Place, bits: (TermId, u32, u32), value: Value) -> Value {
        let (unit, first, count) = bits;
        let width = place.ty.word().0;
        let ones = if count == 64 { u64::MAX } else { (1 << count) - 1 };
        let whole = self.terms().load(unit, width);
        let keep = self.terms().number(width, !(ones << first));
        let kept = self.terms().binary(Binary::And, whole, keep);
        let only = self.terms().number(width, ones);
        let low = self.terms().binary(Binary::And, value.term, only);
        let distance = self.terms().number(width, u64::from(first));
        let moved = self.terms().binary(Binary::Shl, low, distance);
        let joined = self.terms().binary(Binary::Or, kept, moved);
        self.emit(Op::Assign { place: whole, value: joined });
        self.read(place)
    }

    /// Copies an aggregate, one scalar after the other.
    pub fn copy(&mut self, ty: &Type, to: TermId, from: TermId) {
        let (Some(places), Some(values)) = (self.front.cells(ty, to), self.front.cells(ty, from))
        else {
            self.trap(format!("copying a {}", self.front.layouts.show(ty)));
            return;
        };
        // The two may overlap only if they are the same.
        for (place, value) in places.into_iter().zip(values) {
            self.emit(Op::Assign { place, value });
        }
    }

    /// A value that does not matter, behind a trap.
    pub fn dummy(&mut self, ty: &Type) -> Value {
        let width = if ty.is_scalar() { ty.word().0 } else { 64 };
        Value { term: self.terms().number(width, 0), ty: ty.clone() }
    }
}

impl Front {
    /// The cells of an aggregate at an address, if it has not too many.
    pub fn cells(&mut self, ty: &Type, address: TermId) -> Option<Vec<TermId>> {
        let mut parts = Vec::new();
        if !self.scalars(ty, 0, &mut parts) || parts.len() > 64 {
            return None;
        }
        let mut cells = Vec::new();
        for (offset, width, path) in parts {
            let name = self.program.terms.name(if path.is_empty() { "_" } else { &path });
            let at = self.program.terms.field(address, offset, name);
            cells.push(self.program.terms.load(at, width));
        }
        Some(cells)
    }

    /// The scalars of an aggregate: offset, width and name. A union is its bytes.
    pub fn scalars(&mut self, ty: &Type, at: u64, found: &mut Vec<(u64, u32, String)>) -> bool {
        match ty.plain() {
            Type::Struct(id) => {
                let layout = self.layouts.get(*id).clone();
                if layout.union {
                    self.program.space.bytes = true;
                    found
                        .extend((0..layout.size).map(|byte| (at + byte, 8, format!("byte{byte}"))));
                    return layout.complete;
                }
                let mut last = None;
                for field in &layout.fields {
                    // The bit-fields of one unit are copied together.
                    if field.bits.is_some() {
                        if last == Some(field.offset) {
                            continue;
                        }
                        last = Some(field.offset);
                    }
                    let before = found.len();
                    if !self.scalars(&field.ty, at + field.offset, found) {
                        return false;
                    }
                    if let (Some(name), true) = (&field.name, found.len() == before + 1) {
                        found[before].2.clone_from(name);
                    }
                }
                layout.complete
            }
            Type::Array(element, Some(length)) => {
                let size = self.layouts.size(element).unwrap_or(0);
                (0..(*length).min(65)).all(|index| self.scalars(element, at + index * size, found))
            }
            ty if ty.is_scalar() => {
                found.push((at, ty.word().0, String::new()));
                true
            }
            Type::Opaque { .. } => false,
            _ => false,
        }
    }
}
