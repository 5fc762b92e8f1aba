//! Initialisers, of locals where they are declared and of globals before the program starts.

use super::Lower;
use super::place::{Place, Spot};
use crate::ast::*;
use crate::front::{Checked, GlobalInitial};
use crate::types::*;
use explain::program::{Home, Op, Variable};
use explain::term::{TermId, VarId};

/// More scalars than these are not initialised one by one.
const MOST: u64 = 256;

impl Lower<'_> {
    /// Gives a new place its initial value; what an initialiser leaves out is zero.
    pub fn initialise(&mut self, place: &Place, initial: &Initial) -> Checked<()> {
        match (initial, place.ty.plain().clone()) {
            (Initial::Value(value), ty) if ty.is_scalar() => {
                if let ExprKind::Call(callee, arguments) = &*value.kind {
                    let direct = self.direct(place);
                    let made = self.call(value, callee, arguments, direct.clone())?;
                    if direct.is_none_or(|(term, _)| term != made.term) {
                        self.write(place, made);
                    }
                    return Ok(());
                }
                let made = self.value(value)?;
                self.write(place, made);
                Ok(())
            }
            (Initial::Value(value), Type::Array(..))
                if matches!(&*value.kind, ExprKind::Text(_)) =>
            {
                self.clear(place);
                let ExprKind::Text(bytes) = &*value.kind else { return Ok(()) };
                self.characters(place, bytes);
                Ok(())
            }
            (Initial::Value(value), _) => {
                let made = self.value(value)?;
                self.write(place, made);
                Ok(())
            }
            (Initial::List(list), ty) if ty.is_scalar() => match list.first() {
                Some((_, first)) => self.initialise(place, first),
                None => {
                    self.clear(place);
                    Ok(())
                }
            },
            (Initial::List(list), _) => {
                self.clear(place);
                if let [(designators, Initial::Value(value))] = &list[..]
                    && designators.is_empty()
                    && matches!(&*value.kind, ExprKind::Text(_))
                    && matches!(place.ty.plain(), Type::Array(element, _) if element.word().0 == 8)
                {
                    return self.initialise(place, &Initial::Value(value.clone()));
                }
                let mut rest = list.iter().peekable();
                self.parts(place, &mut rest, true)
            }
        }
    }

    fn characters(&mut self, place: &Place, bytes: &[u8]) {
        let length = match place.ty.plain() {
            Type::Array(_, Some(length)) => *length,
            _ => 0,
        };
        if bytes.len() as u64 > MOST {
            self.trap("a string that is very long");
            return;
        }
        for (index, byte) in bytes.iter().enumerate().take(length as usize) {
            let target = self.part_of(place, index as u64, &CHAR);
            let term = self.terms().number(8, u64::from(*byte));
            self.write(&target, super::Value { term, ty: CHAR });
        }
    }

    fn part_of(&mut self, place: &Place, index: u64, element: &Type) -> Place {
        let size = self.front.layouts.size(element).unwrap_or(1);
        let base = self.address_of(place);
        let index = self.terms().number(64, index);
        let address = self.terms().index(base, index, size);
        Place { spot: Spot::Memory(address), ty: element.clone() }
    }

    fn address_of(&mut self, place: &Place) -> TermId {
        match place.spot {
            Spot::Memory(address) => address,
            Spot::Register(_) | Spot::Bits { .. } => self.terms().number(64, 0),
        }
    }

    /// The parts of an aggregate from a list, which may go on with parts of the outer one.
    fn parts<'i>(
        &mut self,
        place: &Place,
        rest: &mut std::iter::Peekable<std::slice::Iter<'i, (Vec<Designator>, Initial)>>,
        own_braces: bool,
    ) -> Checked<()> {
        let mut next = 0u64;
        while let Some((designators, initial)) = rest.peek() {
            if !designators.is_empty() && !own_braces {
                return Ok(());
            }
            let mut target = None;
            if let [first, deeper @ ..] = &designators[..] {
                let (found, index) = self.designated(place, first)?;
                next = index;
                let mut found = found;
                for part in deeper {
                    found = self.designated(&found, part)?.0;
                }
                target = Some(found);
            }
            let target = match target {
                Some(target) => target,
                None => match self.numbered(place, next) {
                    Some(target) => target,
                    None => return Ok(()),
                },
            };
            next += 1;
            let aggregate = !target.ty.is_scalar();
            match initial {
                Initial::Value(value) if aggregate => {
                    let text = matches!(&*value.kind, ExprKind::Text(_));
                    let whole = text || matches!(self.type_of(value)?, Type::Struct(_));
                    if whole {
                        rest.next();
                        self.initialise(&target, initial)?;
                    } else {
                        // Braces left out: the inner parts come from this list.
                        self.parts(&target, rest, false)?;
                    }
                }
                _ => {
                    rest.next();
                    self.initialise(&target, initial)?;
                }
            }
        }
        Ok(())
    }

    /// The part with a number, in the order of initialisers.
    fn numbered(&mut self, place: &Place, index: u64) -> Option<Place> {
        match place.ty.plain().clone() {
            Type::Array(element, length) if length.is_none_or(|length| index < length) => {
                Some(self.part_of(place, index, &element))
            }
            Type::Struct(id) => {
                let layout = self.front.layouts.get(id);
                if layout.union && index > 0 {
                    return None;
                }
                let field = layout.fields.get(index as usize)?.clone();
                let base = self.address_of(place);
                let name = field.name.clone().unwrap_or_else(|| "_".to_owned());
                let label = self.terms().name(&name);
                let address = self.terms().field(base, field.offset, label);
                let spot = match field.bits {
                    None => Spot::Memory(address),
                    Some((first, width)) => Spot::Bits { unit: address, first, width },
                };
                Some(Place { spot, ty: field.ty })
            }
            _ => None,
        }
    }

    fn designated(&mut self, place: &Place, part: &Designator) -> Checked<(Place, u64)> {
        let from = self.span.from;
        match (part, place.ty.plain().clone()) {
            (Designator::Element(index), Type::Array(element, _)) => {
                let index = self.front.constant(index)? as u64;
                Ok((self.part_of(place, index, &element), index))
            }
            (Designator::Field(name), ty @ Type::Struct(id)) => {
                let base = self.address_of(place);
                let found = self.field(base, Some(&ty), name, from)?;
                let fields = &self.front.layouts.get(id).fields;
                let index = fields.iter().position(|field| field.name.as_ref() == Some(name));
                Ok((found, index.unwrap_or(0) as u64))
            }
            _ => Err(self.front.problem(from, "this initialiser names a part that is not there")),
        }
    }

    /// Makes a place zero.
    pub fn clear(&mut self, place: &Place) {
        let Spot::Memory(base) = place.spot else {
            let value = self.dummy(&INT);
            self.write(place, value);
            return;
        };
        let mut parts = Vec::new();
        let size = self.front.layouts.size(&place.ty).unwrap_or(u64::MAX);
        if size > MOST * 8
            || !self.front.scalars(&place.ty, 0, &mut parts)
            || parts.len() as u64 > MOST
        {
            self.trap(format!("clearing a {}", self.front.layouts.show(&place.ty)));
            return;
        }
        for (offset, width, name) in parts {
            let target = self.cell(base, &place.ty, offset, width, &name);
            let value = self.terms().number(width, 0);
            self.emit(Op::Assign { place: target, value });
        }
    }

    /// A scalar at an offset of an aggregate, named as well as can be.
    fn cell(&mut self, base: TermId, ty: &Type, offset: u64, width: u32, name: &str) -> TermId {
        let address = match ty.plain() {
            Type::Array(element, _) if element.is_scalar() => {
                let size = u64::from(width / 8);
                let index = self.terms().number(64, offset / size);
                self.terms().index(base, index, size)
            }
            ty if ty.is_scalar() => base,
            _ => {
                let name = if name.is_empty() { "_" } else { name };
                let label = self.terms().name(name);
                self.terms().field(base, offset, label)
            }
        };
        self.terms().load(address, width)
    }

    /// `(type){ … }`
    pub fn compound(&mut self, ty: &TypeName, initial: &Initial) -> Checked<Place> {
        let mut ty = self.front.type_of(ty)?;
        if let Type::Array(element, None) = ty.plain() {
            let length = self.front.length_of(initial)?;
            ty = Type::Array(element.clone(), Some(length));
        }
        let size = self.front.layouts.size(&ty).unwrap_or(0);
        let width = if ty.is_scalar() { ty.word().0 } else { 64 };
        let id = self.front.program.space.add(Variable {
            name: "literal".to_owned(),
            owner: Some(self.procedure),
            width,
            unsigned: false,
            home: Home::Memory { size },
            made_up: true,
        });
        self.front.types.insert(id, ty.clone());
        let place = Place { spot: Spot::Memory(self.terms().address(id)), ty };
        self.initialise(&place, initial)?;
        Ok(place)
    }

    /// The object of a string.
    pub fn string(&mut self, bytes: &[u8]) -> VarId {
        let text = String::from_utf8_lossy(bytes).escape_default().to_string();
        let name = format!("\"{text}\"");
        let size = bytes.len() as u64 + 1;
        let variables = &mut self.front.program.space.variables;
        let same = |variable: &Variable| {
            variable.made_up && variable.name == name && variable.home == (Home::Memory { size })
        };
        if let Some(found) = variables.iter().position(same) {
            return VarId(found as u32);
        }
        let home = Home::Memory { size };
        let id = self.front.program.space.add(Variable {
            name,
            owner: None,
            width: 64,
            unsigned: false,
            home,
            made_up: true,
        });
        let ty = Type::Array(CHAR.into(), Some(size));
        self.front.types.insert(id, ty.clone());
        let kind = Box::new(ExprKind::Text(bytes.to_vec()));
        let initial = Some(Initial::Value(Expr { kind, span: self.span }));
        let (unit, span) = (self.front.unit, self.span);
        self.front.initials.push(GlobalInitial { unit, id, ty, initial, span });
        id
    }

    /// The initial values of some globals: the given ones, or zero.
    pub fn initialise_globals(&mut self, all: Vec<GlobalInitial>) -> Checked<()> {
        for GlobalInitial { unit, id, ty, initial, span } in all {
            self.front.unit = unit;
            self.span = span;
            let variable = self.front.program.space.variable(id);
            let (home, width, made_up) = (variable.home, variable.width, variable.made_up);
            if self.front.options.unknown_globals && !made_up {
                continue;
            }
            let spot = match home {
                Home::Register => Spot::Register(self.terms().variable(id, width)),
                Home::Memory { .. } => Spot::Memory(self.terms().address(id)),
            };
            let place = Place { spot, ty };
            match initial {
                Some(initial) => self.initialise(&place, &initial)?,
                None if place.ty.is_scalar() => {
                    let zero = super::Value { ..self.dummy(&place.ty) };
                    self.write(&place, zero);
                }
                None => self.clear_global(&place),
            }
        }
        Ok(())
    }

    /// A large array is left as it is: unknown, which is stated.
    fn clear_global(&mut self, place: &Place) {
        let size = self.front.layouts.size(&place.ty).unwrap_or(0);
        if size > MOST * 8 {
            self.front.notes.insert(
                "a global of more than 2048 bytes is taken to hold anything at the start"
                    .to_owned(),
            );
            return;
        }
        self.clear(place);
    }
}
