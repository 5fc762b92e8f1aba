//! Formatting and locales, as far as programs depend on more than the resulting text.

use std::rc::Rc;
use std::sync::Arc;

use ir::{Method, Type};
use logic::{Bits, Lit};

use super::returned;
use crate::engine::{Engine, Outcome};
use crate::state::State;
use crate::state::atom::{Atom, AtomInfo, Birth, Name};
use crate::state::value::{self, Ref, Value};

/// What a conversion of a format string accepts.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Conversion {
    /// `%s`: anything, through `toString`.
    Text,
    /// `%d`, `%x`, `%X`: integral boxes and null.
    Integer,
    /// `%c`: characters and null.
    Character,
    /// `%b`: anything, without looking at it.
    Boolean,
}

impl Engine<'_> {
    /// `String.format` with a constant format of plain conversions.
    pub(crate) fn format(&mut self, mut state: State, args: &[Value]) -> Outcome {
        let conversions = match self.literal_text(&args[0]) {
            Some(text) => parse(&text),
            None => None,
        };
        let array = args[1].reference().as_constant().filter(|a| *a != Atom::NULL);
        let (Some(conversions), Some(array)) = (conversions, array) else {
            self.unsupported(&mut state, "java.lang.String.format with such a format");
            return Outcome::default();
        };
        let given = self.array_of(&state.heap, array);
        if given.length.as_constant().is_none_or(|n| (n as usize) < conversions.len()) {
            self.unsupported(&mut state, "java.lang.String.format with too few arguments");
            return Outcome::default();
        }
        let mut outcome = Outcome::default();
        for (conversion, argument) in conversions.into_iter().zip(given.elements.iter()) {
            let argument = argument.reference().clone();
            match self.convert(&mut outcome, state, conversion, argument) {
                Some(after) => state = after,
                None => return outcome,
            }
        }
        let atom = self.new_object(&mut state, self.known.string);
        self.atoms.info_mut(atom).opaque = true;
        outcome.normal = returned(state, Some(Value::Ref(Ref::constant(atom)))).normal;
        outcome
    }

    /// Converts one argument; what its `toString` throws goes to `outcome`.
    fn convert(
        &mut self,
        outcome: &mut Outcome,
        mut state: State,
        conversion: Conversion,
        argument: Ref,
    ) -> Option<State> {
        let allowed: &[Type] = match conversion {
            Conversion::Boolean => return Some(state),
            Conversion::Text => {
                let descriptor = "(Ljava/lang/Object;)Ljava/lang/String;";
                let class = self.program.class(self.known.string).ok()?;
                let value_of = self.program.declared_method(class, "valueOf", descriptor)?;
                let covered = self.run.stack.last().is_some_and(|a| a.covered);
                let done = self.call(value_of, vec![Value::Ref(argument)], state, covered);
                if let Some((thrown, exception)) = done.thrown {
                    self.leave_by_exception(outcome, thrown, exception);
                }
                return done.normal.map(|n| n.0);
            }
            Conversion::Integer => &[Type::Int, Type::Long, Type::Short, Type::Byte],
            Conversion::Character => &[Type::Char],
        };
        let wrong: Vec<Lit> = argument
            .objects()
            .filter(|(a, _)| {
                let boxed = self.known.boxed(self.atoms.class(*a));
                boxed.is_none_or(|ty| !allowed.contains(&ty))
            })
            .map(|e| e.1)
            .collect();
        let wrong = self.circuit.or_all(wrong);
        let what = || "java.lang.String.format with an argument that does not fit".into();
        self.unsupported_if(&mut state, wrong, what);
        (!state.is_dead()).then_some(state)
    }

    /// Writes a number in decimal into a byte array, its last digit just before an index.
    pub(super) fn decimal_digits(&mut self, state: &mut State, args: &[Value]) -> Value {
        let (number, index) = (args[0].bits().clone(), args[1].bits().clone());
        let width = number.width();
        let c = &mut self.circuit;
        // Below zero every magnitude exists, as for the JDK.
        let negated = c.neg(&number);
        let negative = number.bit(width - 1);
        let mut rest = c.bits_ite(negative, &number, &negated);
        let ten = Bits::constant(width, 10);
        let below_zero = rest.clone();
        let mut power = 1i64;
        // The characters from the last to the first, each with the condition that it exists.
        let mut characters: Vec<(Lit, Bits)> = Vec::new();
        let mut exists = Lit::TRUE;
        for _ in 0..if width == 32 { 10 } else { 19 } {
            let quotient = c.div_signed(&rest, &ten);
            let whole = c.mul(&quotient, &ten);
            let digit = c.sub(&whole, &rest);
            let digit = c.truncate(&digit, 32);
            let character = c.add(&digit, &Bits::constant(32, 48));
            characters.push((exists, character));
            // The comparison that `stringSize` makes, so that the two share their gates.
            power = power.wrapping_mul(10);
            let limit = Bits::constant(width, power.wrapping_neg() as u64);
            exists = !c.lt_signed(&limit, &below_zero);
            rest = quotient;
        }
        let mut count = Bits::constant(32, 0);
        for (exists, _) in &characters {
            let one = Value::boolean(*exists);
            count = c.add(&count, one.bits());
        }
        let sign = Value::boolean(negative);
        let total = c.add(&count, sign.bits());
        let begin = c.sub(&index, &total);
        // The sign stands before the first digit.
        let after_sign = c.sub(&index, &count);
        let minus = (after_sign, negative);
        self.place_characters(state, args[2].reference(), &index, &characters, &minus);
        Value::Bits(begin)
    }

    fn place_characters(
        &mut self,
        state: &mut State,
        buffer: &Ref,
        index: &Bits,
        characters: &[(Lit, Bits)],
        (after_sign, negative): &(Bits, Lit),
    ) {
        let buffer = buffer.restrict(&state.facts, |a| a != Atom::NULL);
        for (atom, lit) in buffer.objects() {
            let mut array = self.array_of(&state.heap, atom);
            let slots = Bits::constant(32, array.elements.len() as u64);
            let inside = self.circuit.le_unsigned(index, &slots);
            let outside = self.circuit.and(lit, !inside);
            self.cut_if(state, outside, || "a buffer for digits can be longer".into());
            let elements = Rc::make_mut(&mut array.elements);
            for (at, slot) in elements.iter_mut().enumerate() {
                for (k, (exists, character)) in characters.iter().enumerate() {
                    let end = Bits::constant(32, (at + k + 1) as u64);
                    let here = self.circuit.bits_eq(index, &end);
                    let here = self.circuit.and(here, *exists);
                    let here = self.circuit.and(here, lit);
                    let character = Value::Bits(character.clone());
                    *slot = value::choose(&mut self.circuit, here, &character, slot);
                }
                let next = Bits::constant(32, at as u64 + 1);
                let here = self.circuit.bits_eq(after_sign, &next);
                let here = self.circuit.and(here, *negative);
                let here = self.circuit.and(here, lit);
                *slot = value::choose(&mut self.circuit, here, &Value::int(45), slot);
            }
            state.heap.contents_mut(atom).array = Some(array);
        }
    }

    /// The text of a string literal.
    fn literal_text(&self, string: &Value) -> Option<String> {
        match &self.atoms.info(string.reference().as_constant()?).name {
            Name::Literal(units) => Some(String::from_utf16_lossy(units)),
            _ => None,
        }
    }

    /// The constants of `Locale`, each an object without state.
    pub(super) fn locale_constants(&mut self, state: &mut State, method: &Method) {
        let Ok(class) = self.program.class(method.class) else {
            return;
        };
        for field in &class.fields {
            let declared = self.program.field(*field);
            if declared.is_static && declared.ty == Type::Ref(method.class) {
                let atom = self.new_object(state, method.class);
                self.atoms.info_mut(atom).constant = Some(*field);
                state.heap.statics.set(field.index(), Value::Ref(Ref::constant(atom)));
            }
        }
    }

    pub(super) fn default_locale(&mut self, method: &Method) -> Value {
        let name = Name::Initialiser(method.class, 0);
        let atom = self.atoms.named(&name).unwrap_or_else(|| {
            self.atoms.add(AtomInfo {
                class: method.class,
                name,
                birth: Birth::Given,
                at: None,
                shared: Some(Lit::FALSE),
                opaque: false,
                constant: None,
            })
        });
        Value::Ref(Ref::constant(atom))
    }

    /// The interned language code of a locale.
    pub(super) fn locale_language(&mut self, state: &mut State, locale: &Value) -> Option<Value> {
        let locale = locale.reference().restrict(&state.facts, |a| a != Atom::NULL);
        let mut cases = Vec::new();
        for (atom, lit) in locale.objects() {
            let constant = self.atoms.info(atom).constant;
            let field = constant.map(|f| self.program.field(f).name.to_string());
            let code = match self.atoms.info(atom).name {
                Name::Initialiser(_, 0) => Some("en"),
                _ => field.as_deref().and_then(language),
            };
            match code {
                Some(code) => {
                    let units: Arc<[u16]> = code.encode_utf16().collect();
                    cases.push((lit, Value::Ref(Ref::constant(self.literal(units)))));
                }
                None => self.unsupported_if(state, lit, || "a java.util.Locale as input".into()),
            }
        }
        (!cases.is_empty()).then(|| value::select(&mut self.circuit, &cases))
    }
}

/// The language of a constant of `Locale`.
fn language(constant: &str) -> Option<&'static str> {
    Some(match constant {
        "ENGLISH" | "UK" | "US" | "CANADA" => "en",
        "FRENCH" | "FRANCE" | "CANADA_FRENCH" => "fr",
        "GERMAN" | "GERMANY" => "de",
        "ITALIAN" | "ITALY" => "it",
        "JAPANESE" | "JAPAN" => "ja",
        "KOREAN" | "KOREA" => "ko",
        "CHINESE" | "CHINA" | "SIMPLIFIED_CHINESE" | "TRADITIONAL_CHINESE" | "TAIWAN" | "PRC" => {
            "zh"
        }
        "ROOT" => "",
        _ => return None,
    })
}

/// The conversions of a format string, `None` if it has any that may fail or is not plain.
fn parse(format: &str) -> Option<Vec<Conversion>> {
    let mut conversions = Vec::new();
    let mut rest = format.chars().peekable();
    while let Some(c) = rest.next() {
        if c != '%' {
            continue;
        }
        // A width and zero padding cannot fail where there is a width.
        let mut width = String::new();
        while let Some(digit) = rest.next_if(char::is_ascii_digit) {
            width.push(digit);
        }
        match rest.next()? {
            's' if !width.starts_with('0') => conversions.push(Conversion::Text),
            'd' | 'x' | 'X' if width != "0" => conversions.push(Conversion::Integer),
            'c' if !width.starts_with('0') => conversions.push(Conversion::Character),
            'b' if !width.starts_with('0') => conversions.push(Conversion::Boolean),
            '%' | 'n' if width.is_empty() => {}
            _ => return None,
        }
    }
    Some(conversions)
}

#[cfg(test)]
mod tests {
    use super::parse;

    #[test]
    fn plain_formats_only() {
        assert_eq!(parse("%d of %s%n").map(|c| c.len()), Some(2));
        assert_eq!(parse("100%%").map(|c| c.len()), Some(0));
        assert_eq!(parse("%05d").map(|c| c.len()), Some(1));
        assert!(parse("%-5d").is_none());
        assert!(parse("%.2f").is_none());
        assert!(parse("%0d").is_none());
        assert!(parse("%").is_none());
    }
}
