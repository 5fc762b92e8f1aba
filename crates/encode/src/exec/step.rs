//! One instruction: its checks in the JVM's order, then its effect.

use ir::{BinaryOp, Block, ClassId, Instr, Op, Type, UnaryOp};
use logic::{Bits, Lit};

use crate::engine::{Engine, Frame};
use crate::exec::body::{bits, reference, register};
use crate::state::atom::{Atom, Birth};
use crate::state::goal::Property;
use crate::state::value::{Ref, Value};
use crate::state::{Registers, State};

impl<'a> Engine<'a> {
    /// Executes an instruction. `state` is dead afterwards if nothing gets past it.
    pub(crate) fn step(
        &mut self,
        frame: &mut Frame<'a>,
        block: &Block,
        state: &mut State,
        registers: &mut Registers,
        instr: &Instr,
    ) {
        let result = match &instr.op {
            Op::Const { dst, value } => Some((*dst, self.constant(value))),
            Op::Move { dst, src } => Some((*dst, register(registers, *src))),
            Op::Unary { dst, op, src } => {
                let src = bits(registers, *src);
                self.check_negation(state, *op, &src);
                Some((*dst, Value::Bits(self.unary(*op, &src))))
            }
            Op::Binary { dst, op, left, right } => {
                let (left, right) = (bits(registers, *left), bits(registers, *right));
                if divides(*op) {
                    let zero = Bits::constant(right.width(), 0);
                    let zero = self.circuit.bits_eq(&right, &zero);
                    let property = Property::DivisionByZero;
                    self.raise_if(frame, block, state, registers, zero, property);
                }
                if state.is_dead() {
                    return;
                }
                let result = self.binary(*op, &left, &right);
                self.check_arithmetic(state, *op, (&left, &right), &result);
                Some((*dst, Value::Bits(result)))
            }
            Op::GetField { dst, object, field } => {
                let Some(object) = self.non_null(frame, block, state, registers, *object) else {
                    return;
                };
                let field = match self.program.resolve_field(*field) {
                    Ok(field) => field,
                    Err(why) => return self.unsupported(state, why.to_string()),
                };
                self.run.outside.influences += u32::from(self.program.field(field).is_volatile);
                self.log_field(state, &object, field);
                self.check_rules(state, Some(&object), field, false);
                Some((*dst, self.read_field(state, &object, field)))
            }
            Op::PutField { object, field, src } => {
                let Some(object) = self.non_null(frame, block, state, registers, *object) else {
                    return;
                };
                let field = match self.program.resolve_field(*field) {
                    Ok(field) => field,
                    Err(why) => return self.unsupported(state, why.to_string()),
                };
                let value = self.narrowed(self.program.field(field).ty, register(registers, *src));
                self.check_rules(state, Some(&object), field, true);
                self.write_field(state, &object, field, &value);
                self.trace_field(&object, field, &value);
                None
            }
            Op::GetStatic { dst, field } => {
                let Some(field) = self.static_field(state, *field) else {
                    return;
                };
                self.run.outside.influences += u32::from(self.program.field(field).is_volatile);
                self.log_static(state, field);
                self.check_rules(state, None, field, false);
                let value = match state.heap.statics.get(field.index()) {
                    Some(value) => value.clone(),
                    None => self.initial_static(field),
                };
                Some((*dst, value))
            }
            Op::PutStatic { field, src } => {
                let Some(field) = self.static_field(state, *field) else {
                    return;
                };
                let value = self.narrowed(self.program.field(field).ty, register(registers, *src));
                self.check_rules(state, None, field, true);
                self.trace_static(field, &value);
                state.heap.statics.set(field.index(), value);
                None
            }
            Op::ArrayLength { dst, array } => {
                let Some(array) = self.non_null(frame, block, state, registers, *array) else {
                    return;
                };
                Some((*dst, Value::Bits(self.length(state, &array))))
            }
            Op::ArrayLoad { dst, array, index, element: _ } => {
                let Some((array, index)) =
                    self.checked_index(frame, block, state, registers, *array, *index)
                else {
                    return;
                };
                self.log_element(state, &array, &index);
                Some((*dst, self.load_element(state, &array, &index)))
            }
            Op::ArrayStore { array, index, src, element } => {
                let Some((array, index)) =
                    self.checked_index(frame, block, state, registers, *array, *index)
                else {
                    return;
                };
                let value = register(registers, *src);
                if let Value::Ref(stored) = &value {
                    let wrong = self.wrong_element(state, &array, stored);
                    self.raise_if(frame, block, state, registers, wrong, Property::ArrayStore);
                }
                if state.is_dead() {
                    return;
                }
                let value = self.narrowed_element(&array, *element, value);
                self.store_element(state, &array, &index, &value);
                self.trace_element(&array, &index, &value);
                None
            }
            Op::New { dst, class, assertion } => {
                if !self.initialise(state, *class) {
                    return;
                }
                self.log_new(state);
                let atom = self.new_object(state, *class);
                if *assertion {
                    self.atoms.info_mut(atom).birth = Birth::Raised(Property::Assert);
                }
                Some((*dst, Value::Ref(Ref::constant(atom))))
            }
            Op::NewArray { dst, class, length } => {
                let length = bits(registers, *length);
                let negative = length.bit(31);
                let property = Property::NegativeArraySize;
                self.raise_if(frame, block, state, registers, negative, property);
                if state.is_dead() {
                    return;
                }
                self.log_new(state);
                let atom = self.new_array(state, *class, length);
                Some((*dst, Value::Ref(Ref::constant(atom))))
            }
            Op::NewMultiArray { dst, class, lengths } => {
                let lengths: Vec<Bits> = lengths.iter().map(|r| bits(registers, *r)).collect();
                let negative = self.circuit.or_all(lengths.iter().map(|l| l.bit(31)));
                let property = Property::NegativeArraySize;
                self.raise_if(frame, block, state, registers, negative, property);
                if state.is_dead() {
                    return;
                }
                self.log_new(state);
                let atom = self.new_multi_array(state, *class, &lengths);
                Some((*dst, Value::Ref(Ref::constant(atom))))
            }
            Op::InstanceOf { dst, src, class } => {
                let src = reference(registers, *src).restrict(&state.facts, |_| true);
                let is = self.instance_of(state, &src, *class);
                Some((*dst, Value::boolean(is)))
            }
            Op::CheckCast { dst, src, class } => {
                let src = reference(registers, *src).restrict(&state.facts, |_| true);
                if self.is_cast_of_compiler(block, instr) {
                    self.assume_well_typed(state, &src, *class);
                    if state.is_dead() {
                        return;
                    }
                }
                let src = src.restrict(&state.facts, |_| true);
                let is = self.instance_of(state, &src, *class);
                let fits = self.circuit.or(is, src.is_null());
                self.raise_if(frame, block, state, registers, !fits, Property::ClassCast);
                if state.is_dead() {
                    return;
                }
                let program = self.program;
                let atoms = &self.atoms;
                let cast = src.restrict(&state.facts, |a| {
                    a == Atom::NULL || program.is_subtype(atoms.class(a), *class)
                });
                Some((*dst, Value::Ref(cast)))
            }
            Op::Invoke { dst, kind, method, args } => {
                let args: Vec<Value> = args.iter().map(|r| register(registers, *r)).collect();
                self.check_absolute(state, *method, &args);
                let value = self.invoke(frame, block, state, registers, *kind, *method, args);
                match (dst, value) {
                    (Some(dst), Some(value)) => Some((*dst, value)),
                    (_, _) => None,
                }
            }
            Op::Concat { dst, pieces } => {
                self.log_new(state);
                let atom = self.concat(state, pieces, |r| register(registers, r));
                Some((*dst, Value::Ref(Ref::constant(atom))))
            }
            Op::NullCheck { object } => {
                self.non_null(frame, block, state, registers, *object);
                None
            }
            Op::Mark { number, locals } => {
                self.at_mark(&mut frame.measures, state, registers, *number, locals);
                None
            }
            Op::Unsupported { what } => return self.unsupported(state, &**what),
        };
        if self.run.deferral.naming.is_some() {
            self.name_result(&instr.op, registers, result.as_ref().map(|r| &r.1));
        }
        if let Some((dst, value)) = result {
            self.check_assigned(state, instr, dst, &value);
            registers[dst.index()] = Some(value);
        }
    }

    /// Raises the JVM's exception for `property` in the executions in which `cond` holds; the
    /// others go on in `state`.
    pub(super) fn raise_if(
        &mut self,
        frame: &mut Frame<'a>,
        block: &Block,
        state: &mut State,
        registers: &Registers,
        cond: Lit,
        property: Property,
    ) {
        let cond = state.facts.fold(cond);
        if cond == Lit::FALSE {
            return;
        }
        let mut thrown = state.clone();
        thrown.assume(&mut self.circuit, cond);
        state.assume(&mut self.circuit, !cond);
        if thrown.is_dead() {
            return;
        }
        let exception = self.raised(&mut thrown, property.exception(), Some(property));
        self.route(frame, &block.handlers, thrown, registers, Ref::constant(exception));
    }

    /// The exception object that the JVM makes for an instruction.
    pub(crate) fn raised(
        &mut self,
        state: &mut State,
        class: &str,
        property: Option<Property>,
    ) -> Atom {
        let class = self.program.class_id(class);
        let birth = match property {
            Some(property) if self.in_given_code() => Birth::Raised(property),
            _ => Birth::RaisedInLibrary,
        };
        let atom = self.allocate(class, birth);
        state.heap.contents_mut(atom);
        atom
    }

    /// The reference in a register once its null check has passed; `None` if nothing passes.
    pub(crate) fn non_null(
        &mut self,
        frame: &mut Frame<'a>,
        block: &Block,
        state: &mut State,
        registers: &Registers,
        reg: ir::Reg,
    ) -> Option<Ref> {
        let object = reference(registers, reg).restrict(&state.facts, |_| true);
        let null = object.is_null();
        self.name_null(registers, reg, null);
        self.raise_if(frame, block, state, registers, null, Property::NullDereference);
        if state.is_dead() {
            return None;
        }
        Some(object.restrict(&state.facts, |a| a != Atom::NULL))
    }

    /// Null and bounds check of an array access.
    fn checked_index(
        &mut self,
        frame: &mut Frame<'a>,
        block: &Block,
        state: &mut State,
        registers: &Registers,
        array: ir::Reg,
        index: ir::Reg,
    ) -> Option<(Ref, Bits)> {
        let array = self.non_null(frame, block, state, registers, array)?;
        let index = bits(registers, index);
        let length = self.length(state, &array);
        let inside = self.circuit.lt_unsigned(&index, &length);
        self.raise_if(frame, block, state, registers, !inside, Property::ArrayIndex);
        (!state.is_dead()).then_some((array, index))
    }

    /// Resolves a static field and initialises its class; `None` if the state died.
    fn static_field(&mut self, state: &mut State, field: ir::FieldRefId) -> Option<ir::FieldId> {
        match self.program.resolve_field(field) {
            Ok(field) => {
                let class = self.program.field(field).class;
                self.initialise(state, class).then_some(field)
            }
            Err(why) => {
                self.unsupported(state, why.to_string());
                None
            }
        }
    }

    /// The literal that says that a reference is a (non-null) instance of `class`.
    pub(crate) fn instance_of(&mut self, state: &mut State, src: &Ref, class: ClassId) -> Lit {
        if self.program.class(class).is_err() {
            let name = self.program.class_name(class).to_string();
            let what = || format!("{name} is not on the class path");
            self.unsupported_if(state, !src.is_null(), what);
            return Lit::FALSE;
        }
        let mut yes = Vec::new();
        for (atom, lit) in src.objects() {
            if self.atom_is_a(atom, class) {
                yes.push(lit);
            } else if self.is_unknown(atom)
                && self.program.may_share_objects(self.atoms.class(atom), class)
            {
                let input = self.program.class_name(self.atoms.class(atom)).to_string();
                let class = self.program.class_name(class);
                let what = || format!("whether an input of type {input} is a {class}");
                self.unsupported_if(state, lit, what);
            }
        }
        self.circuit.or_all(yes)
    }

    fn unary(&mut self, op: UnaryOp, src: &Bits) -> Bits {
        let c = &mut self.circuit;
        match op {
            UnaryOp::Floating(op) => self.float_unary(op, src),
            UnaryOp::NegInt | UnaryOp::NegLong => c.neg(src),
            UnaryOp::IntToLong => c.sign_extend(src, 64),
            UnaryOp::LongToInt => c.truncate(src, 32),
            UnaryOp::IntToByte => {
                let low = c.truncate(src, 8);
                c.sign_extend(&low, 32)
            }
            UnaryOp::IntToChar => {
                let low = c.truncate(src, 16);
                c.zero_extend(&low, 32)
            }
            UnaryOp::IntToShort => {
                let low = c.truncate(src, 16);
                c.sign_extend(&low, 32)
            }
        }
    }

    fn binary(&mut self, op: BinaryOp, left: &Bits, right: &Bits) -> Bits {
        let c = &mut self.circuit;
        match op {
            BinaryOp::Floating(op) => self.float_binary(op, left, right),
            BinaryOp::AddInt | BinaryOp::AddLong => c.add(left, right),
            BinaryOp::SubInt | BinaryOp::SubLong => c.sub(left, right),
            BinaryOp::MulInt | BinaryOp::MulLong => c.mul(left, right),
            BinaryOp::DivInt | BinaryOp::DivLong => c.div_signed(left, right),
            BinaryOp::RemInt | BinaryOp::RemLong => c.rem_signed(left, right),
            BinaryOp::AndInt | BinaryOp::AndLong => c.bits_and(left, right),
            BinaryOp::OrInt | BinaryOp::OrLong => c.bits_or(left, right),
            BinaryOp::XorInt | BinaryOp::XorLong => c.bits_xor(left, right),
            BinaryOp::ShlInt | BinaryOp::ShlLong => c.shl(left, right),
            BinaryOp::ShrInt | BinaryOp::ShrLong => c.shr_signed(left, right),
            BinaryOp::UshrInt | BinaryOp::UshrLong => c.shr_unsigned(left, right),
            BinaryOp::CompareLong => c.compare_signed(left, right),
        }
    }

    /// What is stored when an int goes into a field of a narrower type.
    pub(crate) fn narrowed(&mut self, ty: Type, value: Value) -> Value {
        let Value::Bits(bits) = &value else {
            return value;
        };
        let c = &mut self.circuit;
        let (width, signed) = match ty {
            Type::Boolean => (1, false),
            Type::Byte => (8, true),
            Type::Char => (16, false),
            Type::Short => (16, true),
            Type::Int | Type::Long | Type::Float | Type::Double | Type::Ref(_) => return value,
        };
        let low = c.truncate(bits, width);
        Value::Bits(if signed { c.sign_extend(&low, 32) } else { c.zero_extend(&low, 32) })
    }

    /// The same for an array element; `bastore` serves both `byte[]` and `boolean[]`.
    fn narrowed_element(&mut self, array: &Ref, element: Option<Type>, value: Value) -> Value {
        let Some(element) = element else {
            return value;
        };
        let atom = array.objects().next().map(|e| e.0);
        let exact = atom.and_then(|a| self.element_type(a)).unwrap_or(element);
        self.narrowed(exact, value)
    }
}

fn divides(op: BinaryOp) -> bool {
    matches!(op, BinaryOp::DivInt | BinaryOp::RemInt | BinaryOp::DivLong | BinaryOp::RemLong)
}
