//! Strings: literals, input strings, and concatenation.
//!
//! A string is laid out as the JDK lays it out (`byte[] value`, `byte coder`: Latin-1 if every
//! character fits, else UTF-16, little end first), so that the JDK's own methods work on it. A
//! concatenation is joined only if somebody looks at its characters: the text of an exception's
//! message, say, is hardly ever needed, and writing an unknown int in decimal is costly.

use std::rc::Rc;
use std::sync::Arc;

use ir::body::Piece;
use ir::{Constant, FieldId, Type};
use logic::{Bits, Lit};

use crate::engine::Engine;
use crate::engine::strings::{Part, Pending};
use crate::exec::fields::Unknown;
use crate::state::State;
use crate::state::atom::{Atom, AtomInfo, Birth, Name};
use crate::state::heap::{Array, Heap};
use crate::state::leaves::LeafKey;
use crate::state::value::{self, Ref, Value};

impl Engine<'_> {
    /// The value of a constant.
    pub(crate) fn constant(&mut self, constant: &Constant) -> Value {
        match constant {
            Constant::Int(value) => Value::int(*value),
            Constant::Long(value) => Value::long(*value),
            Constant::Float(bits) => Value::Bits(Bits::constant(32, u64::from(*bits))),
            Constant::Double(bits) => Value::Bits(Bits::constant(64, *bits)),
            Constant::Null => Value::Ref(Ref::null()),
            Constant::String(units) => {
                Value::Ref(Ref::constant(self.literal(Arc::from(&units[..]))))
            }
            Constant::Class(class) => Value::Ref(Ref::constant(self.mirror(*class))),
        }
    }

    /// The object `C.class`.
    pub(crate) fn mirror(&mut self, class: ir::ClassId) -> Atom {
        let name = Name::Mirror(class);
        if let Some(atom) = self.atoms.named(&name) {
            return atom;
        }
        self.add_settled(self.known.class, name, Lit::FALSE)
    }

    fn add_settled(&mut self, class: ir::ClassId, name: Name, shared: Lit) -> Atom {
        self.atoms.add(AtomInfo {
            class,
            name,
            birth: Birth::Given,
            at: None,
            shared: Some(shared),
            opaque: false,
            constant: None,
        })
    }

    /// The interned string with this text.
    pub(crate) fn literal(&mut self, units: Arc<[u16]>) -> Atom {
        let name = Name::Literal(units.clone());
        if let Some(atom) = self.atoms.named(&name) {
            return atom;
        }
        let wide = units.iter().any(|u| *u > 0xff);
        let bytes: Vec<u8> = if wide {
            units.iter().flat_map(|u| u.to_le_bytes()).collect()
        } else {
            units.iter().map(|u| *u as u8).collect()
        };
        let chars = Name::LiteralChars(units);
        let chars = self.add_settled(self.known.byte_array, chars, Lit::FALSE);
        self.base.contents_mut(chars).array = Some(Array {
            length: Bits::constant(32, bytes.len() as u64),
            elements: Rc::new(bytes.iter().map(|b| Value::int(i32::from(*b as i8))).collect()),
        });
        let atom = self.add_settled(self.known.string, name, Lit::TRUE);
        let coder = Value::int(i32::from(wide));
        self.set_string(atom, Ref::constant(chars), coder);
        atom
    }

    fn set_string(&mut self, atom: Atom, chars: Ref, coder: Value) {
        if let Some((value, coder_field)) = self.string_fields() {
            let contents = self.base.contents_mut(atom);
            contents.set_field(value, Value::Ref(chars));
            contents.set_field(coder_field, coder);
        }
    }

    /// `String.value` and `String.coder`.
    pub(crate) fn string_fields(&self) -> Option<(FieldId, FieldId)> {
        let value = self.field_named(self.known.string, "value")?;
        Some((value, self.field_named(self.known.string, "coder")?))
    }

    /// A field of an input string.
    pub(super) fn input_string_field(
        &mut self,
        atom: Atom,
        number: u32,
        field: FieldId,
    ) -> Result<Value, Unknown> {
        let Some((value, coder)) = self.string_fields() else {
            return Err("java.lang.String has an unknown layout".into());
        };
        if field != value && field != coder {
            // The cached hash code: not computed yet.
            return Ok(self.default_of(self.program.field(field).ty));
        }
        let name = Name::InputChars(number);
        let chars = match self.atoms.named(&name) {
            Some(chars) => chars,
            None => self.add_settled(self.known.byte_array, name, Lit::FALSE),
        };
        let wide = self.inputs.flag(&mut self.circuit, LeafKey::TextWide(number));
        self.initial_array(chars);
        self.set_string(atom, Ref::constant(chars), Value::boolean(wide));
        Ok(if field == value { Value::Ref(Ref::constant(chars)) } else { Value::boolean(wide) })
    }

    /// The bytes of an input string: one for each character, or two if some character needs it.
    pub(super) fn input_chars(&mut self, number: u32) -> Array {
        let longest = self.scope.string_length;
        let bits = 32 - longest.leading_zeros();
        let key = LeafKey::TextLength(number);
        let count = self.inputs.number(&mut self.circuit, key.clone(), 32, bits, false);
        let most = Bits::constant(32, u64::from(longest));
        let fits = self.circuit.le_unsigned(&count, &most);
        self.inputs.require(fits, key.clone());
        let wide = self.inputs.flag(&mut self.circuit, LeafKey::TextWide(number));
        let name = Name::InputChars(number);
        let bytes: Vec<Bits> = (0..2 * longest)
            .map(|i| {
                let key = LeafKey::Element(name.clone(), i);
                self.inputs.number(&mut self.circuit, key, 32, 8, true)
            })
            .collect();
        self.require_wide_only_if_needed(number, &count, wide, &bytes);
        let double = self.circuit.add(&count, &count);
        let length = self.circuit.bits_ite(wide, &double, &count);
        let array =
            Array { length, elements: Rc::new(bytes.into_iter().map(Value::Bits).collect()) };
        let atom = self.atoms.named(&name).expect("made before its contents");
        self.base.contents_mut(atom).array = Some(array.clone());
        array
    }

    /// The JDK keeps a string in UTF-16 only if some character of it does not fit Latin-1.
    fn require_wide_only_if_needed(
        &mut self,
        number: u32,
        count: &Bits,
        wide: Lit,
        bytes: &[Bits],
    ) {
        let mut needed = Vec::new();
        for (i, pair) in bytes.chunks(2).enumerate() {
            let at = Bits::constant(32, i as u64);
            let inside = self.circuit.lt_unsigned(&at, count);
            let zero = Bits::constant(32, 0);
            let small = self.circuit.bits_eq(&pair[1], &zero);
            needed.push(self.circuit.and(inside, !small));
        }
        let needed = self.circuit.or_all(needed);
        let only = self.circuit.implies(wide, needed);
        self.inputs.require(only, LeafKey::TextWide(number));
    }

    /// Whether two strings have the same characters.
    pub(super) fn equal_strings(&mut self, heap: &Heap, a: Atom, b: Atom) -> Lit {
        let Some((value, coder)) = self.string_fields() else {
            return Lit::FALSE;
        };
        let mut parts = Vec::new();
        for atom in [a, b] {
            let chars = self.field_of(heap, atom, value);
            let coder = self.field_of(heap, atom, coder);
            let (Ok(Value::Ref(chars)), Ok(Value::Bits(coder))) = (chars, coder) else {
                return Lit::FALSE;
            };
            parts.push((self.characters(heap, &chars), coder));
        }
        let (x, y) = (&parts[0], &parts[1]);
        let mut equal =
            vec![self.circuit.bits_eq(&x.1, &y.1), self.circuit.bits_eq(&x.0.length, &y.0.length)];
        let shorter = x.0.elements.len().min(y.0.elements.len());
        for i in 0..shorter {
            let at = Bits::constant(32, i as u64);
            let inside = self.circuit.lt_unsigned(&at, &x.0.length);
            let same = self.circuit.bits_eq(x.0.elements[i].bits(), y.0.elements[i].bits());
            equal.push(self.circuit.implies(inside, same));
        }
        let most = Bits::constant(32, shorter as u64);
        equal.push(self.circuit.le_unsigned(&x.0.length, &most));
        self.circuit.and_all(equal)
    }

    /// The bytes behind a reference to one of several byte arrays.
    fn characters(&mut self, heap: &Heap, chars: &Ref) -> Array {
        let arrays: Vec<(Lit, Array)> =
            chars.objects().map(|(atom, lit)| (lit, self.array_of(heap, atom))).collect();
        let slots = arrays.iter().map(|a| a.1.elements.len()).max().unwrap_or(0);
        let mut pick = |part: &dyn Fn(&Array) -> Value| {
            let cases: Vec<(Lit, Value)> = arrays.iter().map(|(l, a)| (*l, part(a))).collect();
            match cases.is_empty() {
                true => Value::int(0),
                false => value::select(&mut self.circuit, &cases),
            }
        };
        let length = pick(&|a| Value::Bits(a.length.clone())).bits().clone();
        let element =
            |i: usize| move |a: &Array| a.elements.get(i).cloned().unwrap_or_else(|| Value::int(0));
        let elements = (0..slots).map(|i| pick(&element(i))).collect();
        Array { length, elements: Rc::new(elements) }
    }

    /// A new string that joins `pieces`, to be worked out when it is looked at.
    pub(crate) fn concat(
        &mut self,
        state: &mut State,
        pieces: &[Piece],
        read: impl Fn(ir::Reg) -> Value,
    ) -> Atom {
        let pieces = pieces.iter().map(|piece| match piece {
            Piece::Text(text) => Part::Text(Arc::from(&text[..])),
            Piece::Value(reg, ty) => Part::Value(read(*reg), *ty),
        });
        let pending = Pending { pieces: pieces.collect(), state: state.clone() };
        let atom = self.new_object(state, self.known.string);
        self.strings.put_off(atom, pending);
        atom
    }

    /// Works out a pending concatenation with the JDK's `StringBuilder`, in the state in which
    /// it was written: what is joined is immutable, so the result holds wherever the string is
    /// known.
    pub(super) fn force_string(&mut self, atom: Atom) {
        let Some(pending) = self.strings.take(atom) else {
            return;
        };
        let trace = self.run.trace.take();
        let mut state = pending.state.clone();
        let before = state.heap.clone();
        let result = self.build_string(&mut state, &pending.pieces);
        self.run.trace = trace;
        let Some((value, coder)) = self.string_fields() else {
            return;
        };
        if state.guard != pending.state.guard {
            // The rest was cut off or reached something unsupported, and was noted as such.
            self.strings.note_partial(atom, state.guard);
        }
        let Some(Value::Ref(result)) = result else {
            return;
        };
        let chars = self.read_field(&mut state, &result, value);
        let coder_value = self.read_field(&mut state, &result, coder);
        for index in state.heap.objects.differences(&before.objects) {
            let is_new = before.objects.get(index).is_none();
            if let (true, Some(contents)) = (is_new, state.heap.objects.get(index)) {
                self.base.objects.set(index, contents.clone());
            }
        }
        let contents = self.base.contents_mut(atom);
        contents.set_field(value, chars);
        contents.set_field(coder, coder_value);
    }

    fn build_string(&mut self, state: &mut State, pieces: &[Part]) -> Option<Value> {
        let class = self.program.class_id("java.lang.StringBuilder");
        let builder = Value::Ref(Ref::constant(self.new_object(state, class)));
        self.invoke_by_name(state, class, "<init>", "()V", vec![builder.clone()]);
        for piece in pieces {
            let (value, descriptor) = match piece {
                Part::Text(text) => {
                    (Value::Ref(Ref::constant(self.literal(text.clone()))), "Ljava/lang/String;")
                }
                Part::Value(value, ty) => (value.clone(), append_descriptor(*ty)),
            };
            let descriptor = format!("({descriptor})Ljava/lang/StringBuilder;");
            self.invoke_by_name(state, class, "append", &descriptor, vec![builder.clone(), value]);
        }
        self.invoke_by_name(state, class, "toString", "()Ljava/lang/String;", vec![builder])
    }
}

fn append_descriptor(ty: Type) -> &'static str {
    match ty {
        Type::Boolean => "Z",
        Type::Char => "C",
        Type::Byte | Type::Short | Type::Int => "I",
        Type::Long => "J",
        Type::Float => "F",
        Type::Double => "D",
        Type::Ref(_) => "Ljava/lang/String;",
    }
}
