//! The meaning of methods without usable bytecode; see [`ir::Intrinsic`] for each contract.

mod classes;
mod copying;
mod text;

use ir::{Intrinsic, Method, Type};
use logic::{Bits, Lit};

use crate::engine::{Engine, Outcome};
use crate::state::State;
use crate::state::atom::{Atom, Name};
use crate::state::leaves::LeafKey;
use crate::state::value::{self, Ref, Value};

/// A normal end.
fn returned(state: State, value: Option<Value>) -> Outcome {
    Outcome { normal: Some((state, value)), thrown: None }
}

impl Engine<'_> {
    /// Calls a built-in method.
    pub(crate) fn intrinsic(
        &mut self,
        intrinsic: Intrinsic,
        method: &Method,
        args: Vec<Value>,
        mut state: State,
    ) -> Outcome {
        let value = match intrinsic {
            Intrinsic::Nothing => method.result.map(|ty| self.default_of(ty)),
            Intrinsic::Pause => {
                self.run.outside.influences += 1;
                None
            }
            Intrinsic::ReturnFirst => args.first().cloned(),
            Intrinsic::SameBits => {
                self.nan_has_no_bits(&mut state, method, &args);
                args.first().cloned()
            }
            Intrinsic::ReturnNull => Some(Value::Ref(Ref::null())),
            Intrinsic::ReturnFalse | Intrinsic::IsBigEndian => {
                Some(self.default_of(method.result.unwrap_or(Type::Int)))
            }
            Intrinsic::ReturnTrue => Some(Value::int(1)),
            Intrinsic::GetClass => Some(self.class_of(&mut state, &args[0])),
            Intrinsic::IdentityHash => {
                let object = args.last().expect("identityHashCode has an argument").clone();
                Some(self.identity_hash(&mut state, &object))
            }
            Intrinsic::Clone => return self.clone_object(state, &args[0]),
            Intrinsic::ArrayCopy => return self.array_copy(state, &args),
            Intrinsic::AssertionStatus => Some(self.assertion_status(&args[0])),
            Intrinsic::ClassIsArray
            | Intrinsic::ClassIsPrimitive
            | Intrinsic::ClassIsInterface
            | Intrinsic::ClassComponentType
            | Intrinsic::ClassSuperclass
            | Intrinsic::ClassName
            | Intrinsic::ClassSimpleName => self.class_query(intrinsic, &mut state, &args[0]),
            Intrinsic::ClassIsInstance => self.class_is_instance(&mut state, &args),
            Intrinsic::ClassIsAssignableFrom => self.is_assignable_from(&mut state, &args),
            Intrinsic::PrimitiveClass => self.primitive_class(&mut state, &args[0]),
            Intrinsic::EnumConstants => self.enum_constants(&mut state, &args[0]),
            Intrinsic::NewArrayOfClass => return self.new_array_of_class(state, &args),
            Intrinsic::BoxValueOf => self.box_value(&mut state, method, &args[0]),
            Intrinsic::Intern => self.intern(&mut state, &args[0]),
            Intrinsic::DecimalDigits => Some(self.decimal_digits(&mut state, &args)),
            Intrinsic::Format => return self.format(state, &args),
            Intrinsic::LocaleInit => {
                self.locale_constants(&mut state, method);
                None
            }
            Intrinsic::DefaultLocale => Some(self.default_locale(method)),
            Intrinsic::LocaleLanguage => self.locale_language(&mut state, &args[0]),
            Intrinsic::Print => return self.print(method, args, state),
            Intrinsic::AnyLong => {
                // Initialisers run once, methods once a round: their readings must not be mixed.
                self.run.outside.clock += 1;
                self.note_caprice();
                let before = if self.is_initialising() { 1 << 31 } else { 0 };
                let key = LeafKey::Clock(before + self.run.outside.clock);
                let bits = self.inputs.number(&mut self.circuit, key, 64, 64, true);
                Some(Value::Bits(bits))
            }
            Intrinsic::Halt => return Outcome::default(),
            Intrinsic::BitCountInt | Intrinsic::BitCountLong => {
                Some(Value::Bits(self.circuit.pop_count(args[0].bits(), 32)))
            }
            Intrinsic::MultiplyHigh => {
                let (a, b) = (args[0].bits(), args[1].bits());
                Some(Value::Bits(self.circuit.mul_high_signed(a, b)))
            }
            Intrinsic::CheckIndex | Intrinsic::CheckFromToIndex | Intrinsic::CheckFromIndexSize => {
                return self.check_range(intrinsic, state, &args);
            }
            Intrinsic::SystemInit => {
                self.open_streams(&mut state, method);
                None
            }
        };
        if state.is_dead() {
            return Outcome::default();
        }
        returned(state, value)
    }

    /// Raises an exception of library code in the executions in which `cond` holds.
    pub(crate) fn throw_if(
        &mut self,
        outcome: &mut Outcome,
        state: &mut State,
        cond: Lit,
        class: &str,
    ) {
        let cond = state.facts.fold(cond);
        if cond == Lit::FALSE {
            return;
        }
        let mut thrown = state.clone();
        thrown.assume(&mut self.circuit, cond);
        state.assume(&mut self.circuit, !cond);
        if !thrown.is_dead() {
            let exception = self.raised(&mut thrown, class, None);
            self.leave_by_exception(outcome, thrown, Ref::constant(exception));
        }
    }

    fn identity_hash(&mut self, state: &mut State, object: &Value) -> Value {
        let object = object.reference().restrict(&state.facts, |_| true);
        let mut cases = Vec::new();
        for &(atom, lit) in object.entries() {
            let hash = match atom {
                Atom::NULL => Bits::constant(32, 0),
                atom if self.known.is_shared_by_value(self.atoms.class(atom)) => {
                    // Two atoms may be one object here, with one hash code.
                    let what = || "the identity hash code of a box or string".into();
                    self.unsupported_if(state, lit, what);
                    Bits::constant(32, 0)
                }
                atom => self.hash_of(atom),
            };
            cases.push((lit, Value::Bits(hash)));
        }
        value::select(&mut self.circuit, &cases)
    }

    /// The identity hash code of one object: arbitrary, but some fixed number for class objects
    /// and for what initialisers ask about, so that initialisers stay constant (a map from
    /// `Class` would otherwise have as many shapes as there are hash codes).
    fn hash_of(&mut self, atom: Atom) -> Bits {
        let name = self.atoms.info(atom).name.clone();
        self.note_caprice();
        // By name, because a run on constants must give the same object the same number.
        let (class, number) = match &name {
            Name::Mirror(class) => (*class, 0),
            Name::Initialiser(class, number) => (*class, *number),
            _ => (self.atoms.class(atom), atom.0),
        };
        let is_mirror = matches!(name, Name::Mirror(_));
        let key = LeafKey::Hash(name);
        if is_mirror || (self.is_initialising() && self.inputs.leaf(&key).is_none()) {
            let text = self.program.class_name(class).bytes();
            let spread = text.fold(u64::from(number), |sum, byte| {
                (sum ^ u64::from(byte)).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(23)
            });
            let settled = Value::Bits(Bits::constant(32, spread >> 33));
            return self.inputs.settled(key, settled).bits().clone();
        }
        self.inputs.number(&mut self.circuit, key, 32, 31, false)
    }

    /// `valueOf`: one atom stands for whichever object it is; whether that is the cached one
    /// depends on the value, and the identity of boxes follows from that.
    fn box_value(&mut self, state: &mut State, method: &Method, value: &Value) -> Option<Value> {
        let ty = self.known.boxed(method.class)?;
        let Some(field) = self.field_named(method.class, "value") else {
            self.unsupported(state, "a box class of an unknown layout");
            return None;
        };
        let atom = self.new_object(state, method.class);
        state.heap.contents_mut(atom).set_field(field, value.clone());
        let cached = self.in_box_cache(ty, value.bits());
        self.atoms.info_mut(atom).shared = Some(cached);
        Some(Value::Ref(Ref::constant(atom)))
    }

    /// `intern`: an atom with the same characters that is the shared object of its value, which
    /// makes it one object with every equal literal.
    fn intern(&mut self, state: &mut State, string: &Value) -> Option<Value> {
        let (value, coder) = self.string_fields()?;
        let string = string.reference().restrict(&state.facts, |a| a != Atom::NULL);
        let chars = self.read_field(state, &string, value);
        let coding = self.read_field(state, &string, coder);
        let atom = self.new_object(state, self.known.string);
        let contents = state.heap.contents_mut(atom);
        contents.set_field(value, chars);
        contents.set_field(coder, coding);
        self.atoms.info_mut(atom).shared = Some(Lit::TRUE);
        Some(Value::Ref(Ref::constant(atom)))
    }

    /// Printing changes nothing that can be seen, but `println(Object)` calls `toString`.
    fn print(&mut self, method: &Method, args: Vec<Value>, mut state: State) -> Outcome {
        let result = method.result.map(|_| args[0].clone());
        if &*method.name == "printStackTrace" {
            self.refuse_own_text(&mut state, &args[0]);
            return match state.is_dead() {
                true => Outcome::default(),
                false => returned(state, result),
            };
        }
        if let [_, argument] = &args[..]
            && let Some(Type::Ref(class)) = method.params.first()
            && *class == self.known.object
        {
            let string = self.known.string;
            let descriptor = "(Ljava/lang/Object;)Ljava/lang/String;";
            let loaded = self.program.class(string).ok();
            let value_of =
                loaded.and_then(|c| self.program.declared_method(c, "valueOf", descriptor));
            let Some(value_of) = value_of else {
                self.unsupported(&mut state, "java.lang.String.valueOf(Object) is missing");
                return Outcome::default();
            };
            let covered = self.run.stack.last().is_some_and(|a| a.covered);
            let outcome = self.call(value_of, vec![argument.clone()], state, covered);
            let normal = outcome.normal.map(|(state, _)| (state, result));
            return Outcome { normal, thrown: outcome.thrown };
        }
        returned(state, result)
    }

    /// A stack trace begins with the exception's text, which given code may have a say in.
    fn refuse_own_text(&mut self, state: &mut State, exception: &Value) {
        let exception = exception.reference().restrict(&state.facts, |a| a != Atom::NULL);
        for (atom, lit) in exception.objects() {
            let class = self.program.class(self.atoms.class(atom)).ok();
            let own = class.is_some_and(|class| {
                ["toString", "getLocalizedMessage", "getMessage"].iter().any(|name| {
                    let found = self.program.find_method(class, name, "()Ljava/lang/String;");
                    let owner = found.map(|m| self.program.method(m).class);
                    owner.and_then(|o| self.program.class(o).ok()).is_some_and(|o| o.is_given())
                })
            });
            if own {
                let what = || "printStackTrace of an exception with a text of its own".into();
                self.unsupported_if(state, lit, what);
            }
        }
    }

    /// `System.out` and `err`: streams that swallow everything; `in`: one that nobody knows.
    fn open_streams(&mut self, state: &mut State, method: &Method) {
        // Reading input is not modelled: the stream is an object of which nothing is known.
        if let Some(field) = self.field_named(method.class, "in") {
            let class = self.program.class_id("java.io.InputStream");
            let stream = self.input_atom(class, 0, true);
            state.heap.statics.set(field.index(), Value::Ref(Ref::constant(stream)));
        }
        for name in ["out", "err"] {
            if let Some(field) = self.field_named(method.class, name) {
                let stream = self.new_object(state, self.known.print_stream);
                state.heap.statics.set(field.index(), Value::Ref(Ref::constant(stream)));
            }
        }
    }

    fn check_range(&mut self, which: Intrinsic, mut state: State, args: &[Value]) -> Outcome {
        let c = &mut self.circuit;
        let at = |i: usize| args[i].bits().clone();
        let bad = match which {
            // index < 0 || index >= length, also for a negative length.
            Intrinsic::CheckIndex => {
                let (index, length) = (at(0), at(1));
                let small = c.lt_signed(&index, &length);
                !c.and(small, !index.bit(31))
            }
            Intrinsic::CheckFromToIndex => {
                let (from, to, length) = (at(0), at(1), at(2));
                let ordered = c.le_signed(&from, &to);
                let inside = c.le_signed(&to, &length);
                let both = c.and(ordered, inside);
                !c.and(both, !from.bit(31))
            }
            _ => {
                let (from, size, length) = (at(0), at(1), at(2));
                let left = c.sub(&length, &from);
                let fits = c.le_signed(&size, &left);
                let signs = c.or_all([from.bit(31), size.bit(31), length.bit(31)]);
                !c.and(fits, !signs)
            }
        };
        let mut outcome = Outcome::default();
        self.throw_if(&mut outcome, &mut state, bad, "java.lang.IndexOutOfBoundsException");
        if !state.is_dead() {
            outcome.normal = Some((state, Some(args[0].clone())));
        }
        outcome
    }
}
