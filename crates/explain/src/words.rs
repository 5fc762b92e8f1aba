//! Closed terms as circuits, and questions about them to the solver.
//!
//! Each term has a word and the condition under which it is defined: no `Exact` operation in it
//! overflows, nothing is divided by zero, no distance of a shift reaches the width. A condition
//! *holds* if it is true and defined, so that `c = 2 * b` says that `2 * b` has a value.

use crate::term::{ADDRESS, Binary, OFFSET_BITS, Term, TermId, Terms, Theta, Unary, signed};
use logic::{Bits, Circuit, Evaluation, Lit};
use rustc_hash::FxHashMap;
use sat::{Answer, Limits, Session, Stop};

/// What stands for the terms of one arena in one circuit, with one solver.
#[derive(Default)]
pub struct Words {
    circuit: Circuit,
    session: Session,
    made: FxHashMap<TermId, (Bits, Lit)>,
    thetas: FxHashMap<Theta, Bits>,
    /// Questions asked so far.
    pub questions: u64,
    /// What one question may cost.
    pub limits: Limits,
}

/// What the solver says about some conditions.
pub enum Reply {
    /// They hold together for these values.
    Holds(Evaluation),
    /// They contradict each other; already these do.
    Contradicts(Vec<TermId>),
    /// A limit was reached.
    Unknown(Stop),
}

impl Words {
    /// A fresh circuit and solver.
    pub fn new() -> Words {
        Words::default()
    }

    /// The word of a closed term and when it is defined.
    ///
    /// # Panics
    ///
    /// If the term speaks of variables or memory.
    pub fn word(&mut self, terms: &Terms, root: TermId) -> (Bits, Lit) {
        if let Some(made) = self.made.get(&root) {
            return made.clone();
        }
        let mut waiting = vec![root];
        while let Some(&id) = waiting.last() {
            let missing: Vec<TermId> =
                terms.children(id).filter(|child| !self.made.contains_key(child)).collect();
            if missing.is_empty() {
                let made = self.make(terms, id);
                self.made.insert(id, made);
                waiting.pop();
            } else {
                waiting.extend(missing);
            }
        }
        self.made[&root].clone()
    }

    /// The literal of a condition: true and defined.
    pub fn holds(&mut self, terms: &Terms, condition: TermId) -> Lit {
        let (bits, defined) = self.word(terms, condition);
        self.circuit.and(bits.bit(0), defined)
    }

    fn make(&mut self, terms: &Terms, id: TermId) -> (Bits, Lit) {
        match terms.get(id) {
            Term::Number { width, value } => (Bits::constant(width, value), Lit::TRUE),
            Term::Theta { theta, width } => (self.of_theta(theta, width), Lit::TRUE),
            Term::Object { number } => {
                (Bits::constant(ADDRESS, u64::from(number) << OFFSET_BITS), Lit::TRUE)
            }
            Term::Variable { .. } | Term::Address { .. } | Term::Load { .. } => {
                panic!("a term of the program has no word of its own")
            }
            Term::Unary { operation: Unary::Not, of } => {
                let (bits, defined) = self.made[&of].clone();
                (self.circuit.bits_not(&bits), defined)
            }
            Term::Unary { operation: Unary::Defined, of } => {
                let (_, defined) = self.made[&of].clone();
                (Bits::constant(1, 1), defined)
            }
            Term::Unary { operation: Unary::Undefined, of } => {
                let (_, defined) = self.made[&of].clone();
                (Bits::from_lits(vec![!defined]), Lit::TRUE)
            }
            Term::Binary { operation, left, right } => self.operate(operation, left, right),
            Term::Choose { condition, yes, no } => {
                let (condition, first) = self.made[&condition].clone();
                let (yes, yes_defined) = self.made[&yes].clone();
                let (no, no_defined) = self.made[&no].clone();
                let condition = condition.bit(0);
                let bits = self.circuit.bits_ite(condition, &yes, &no);
                let rest = self.circuit.ite(condition, yes_defined, no_defined);
                (bits, self.circuit.and(first, rest))
            }
            Term::Extend { signed, width, of } => {
                let (bits, defined) = self.made[&of].clone();
                let wide = if signed {
                    self.circuit.sign_extend(&bits, width)
                } else {
                    self.circuit.zero_extend(&bits, width)
                };
                (wide, defined)
            }
            Term::Truncate { width, of } => {
                let (bits, defined) = self.made[&of].clone();
                (self.circuit.truncate(&bits, width), defined)
            }
            Term::Field { base, offset, .. } => {
                let (bits, defined) = self.made[&base].clone();
                (self.circuit.add(&bits, &Bits::constant(ADDRESS, offset)), defined)
            }
            Term::Index { base, index, size } => {
                let (bits, first) = self.made[&base].clone();
                let (index, second) = self.made[&index].clone();
                let bytes = self.circuit.mul(&index, &Bits::constant(ADDRESS, size));
                (self.circuit.add(&bits, &bytes), self.circuit.and(first, second))
            }
        }
    }

    /// Makes a name stand for a closed term.
    pub fn define(&mut self, terms: &Terms, theta: Theta, definition: TermId) {
        if !self.thetas.contains_key(&theta) {
            let (bits, _) = self.word(terms, definition);
            self.thetas.insert(theta, bits);
        }
    }

    /// Whether a condition holds for the values of an earlier answer, what is new being zero.
    pub fn satisfied(&mut self, terms: &Terms, values: &mut Evaluation, condition: TermId) -> bool {
        let lit = self.holds(terms, condition);
        self.circuit.evaluate_more(values, |_| false);
        values.value(lit)
    }

    fn of_theta(&mut self, theta: Theta, width: u32) -> Bits {
        let circuit = &mut self.circuit;
        let fresh = || Bits::from_lits((0..width).map(|_| circuit.input()).collect());
        self.thetas.entry(theta).or_insert_with(fresh).clone()
    }

    fn operate(&mut self, operation: Binary, left: TermId, right: TermId) -> (Bits, Lit) {
        use Binary::*;
        let (a, first) = self.made[&left].clone();
        let (b, second) = self.made[&right].clone();
        let circuit = &mut self.circuit;
        let one = |lit: Lit| Bits::from_lits(vec![lit]);
        let (bits, own) = match operation {
            Add => (circuit.add(&a, &b), Lit::TRUE),
            Sub => (circuit.sub(&a, &b), Lit::TRUE),
            Mul => (circuit.mul(&a, &b), Lit::TRUE),
            AddExact => {
                let sum = circuit.add(&a, &b);
                // Operands of one sign, and a sum of the other.
                let same = circuit.iff(a.sign(), b.sign());
                let turned = circuit.xor(a.sign(), sum.sign());
                let overflow = circuit.and(same, turned);
                (sum, !overflow)
            }
            SubExact => {
                let difference = circuit.sub(&a, &b);
                let differ = circuit.xor(a.sign(), b.sign());
                let turned = circuit.xor(a.sign(), difference.sign());
                let overflow = circuit.and(differ, turned);
                (difference, !overflow)
            }
            MulExact => product_exact(circuit, &a, &b),
            DivSigned | RemSigned => {
                let width = a.width();
                let zero = circuit.bits_eq(&b, &Bits::constant(width, 0));
                let lowest = circuit.bits_eq(&a, &Bits::constant(width, 1 << (width - 1)));
                let minus_one = circuit.bits_eq(&b, &Bits::constant(width, u64::MAX));
                let overflow = circuit.and(lowest, minus_one);
                let result = match operation {
                    DivSigned => circuit.div_signed(&a, &b),
                    _ => circuit.rem_signed(&a, &b),
                };
                let bad = circuit.or(zero, overflow);
                (result, !bad)
            }
            DivUnsigned | RemUnsigned => {
                let zero = circuit.bits_eq(&b, &Bits::constant(a.width(), 0));
                let (quotient, remainder) = divided(circuit, &a, &b);
                (if operation == DivUnsigned { quotient } else { remainder }, !zero)
            }
            And => (circuit.bits_and(&a, &b), Lit::TRUE),
            Or => (circuit.bits_or(&a, &b), Lit::TRUE),
            Xor => (circuit.bits_xor(&a, &b), Lit::TRUE),
            Shl | ShlExact | ShrSigned | ShrUnsigned => {
                let width = Bits::constant(b.width(), u64::from(a.width()));
                let near = circuit.lt_unsigned(&b, &width);
                match operation {
                    ShrSigned => (circuit.shr_signed(&a, &b), near),
                    ShrUnsigned => (circuit.shr_unsigned(&a, &b), near),
                    Shl => (circuit.shl(&a, &b), near),
                    _ => {
                        let shifted = circuit.shl(&a, &b);
                        let back = circuit.shr_signed(&shifted, &b);
                        let same = circuit.bits_eq(&back, &a);
                        let fits = circuit.and(same, !a.sign());
                        (shifted, circuit.and(near, fits))
                    }
                }
            }
            Equal => (one(circuit.bits_eq(&a, &b)), Lit::TRUE),
            LessSigned => (one(circuit.lt_signed(&a, &b)), Lit::TRUE),
            LessUnsigned => (one(circuit.lt_unsigned(&a, &b)), Lit::TRUE),
        };
        let defined = circuit.and(first, second);
        (bits, circuit.and(defined, own))
    }

    /// Asks whether conditions can hold together.
    pub fn ask(&mut self, terms: &Terms, conditions: &[TermId]) -> Reply {
        let lits: Vec<Lit> = conditions.iter().map(|&id| self.holds(terms, id)).collect();
        self.ask_lits(conditions, &lits)
    }

    fn ask_lits(&mut self, conditions: &[TermId], lits: &[Lit]) -> Reply {
        self.questions += 1;
        match self.session.solve(&self.circuit, lits, &self.limits) {
            Answer::Sat => Reply::Holds(self.session.model_evaluation(&self.circuit)),
            Answer::Unknown(stop) => Reply::Unknown(stop),
            Answer::Unsat => {
                let core = self.session.core();
                let pairs = conditions.iter().zip(lits);
                let named = pairs.filter(|(_, lit)| core.contains(lit)).map(|(&id, _)| id);
                Reply::Contradicts(named.collect())
            }
        }
    }

    /// Whether some conditions rule another one out: `Some(true)` if they surely do.
    ///
    /// `negated` asks whether they imply it instead.
    fn excludes(&mut self, terms: &Terms, given: &[TermId], asked: Lit) -> Option<bool> {
        let mut lits: Vec<Lit> = given.iter().map(|&id| self.holds(terms, id)).collect();
        if asked == Lit::FALSE || lits.contains(&Lit::FALSE) || lits.contains(&!asked) {
            return Some(true);
        }
        lits.push(asked);
        self.questions += 1;
        match self.session.solve(&self.circuit, &lits, &self.limits) {
            Answer::Sat => Some(false),
            Answer::Unsat => Some(true),
            Answer::Unknown(_) => None,
        }
    }

    /// Whether some conditions imply another. No answer counts as no.
    pub fn implies(&mut self, terms: &Terms, given: &[TermId], condition: TermId) -> bool {
        let asked = !self.holds(terms, condition);
        self.excludes(terms, given, asked) == Some(true)
    }

    /// Whether some conditions contradict each other. No answer counts as no.
    pub fn contradict(&mut self, terms: &Terms, given: &[TermId]) -> bool {
        self.excludes(terms, given, Lit::TRUE) == Some(true)
    }

    /// Whether a term can be undefined although some conditions hold; `None` without an answer.
    pub fn may_be_undefined(
        &mut self,
        terms: &Terms,
        given: &[TermId],
        term: TermId,
    ) -> Option<bool> {
        let (_, defined) = self.word(terms, term);
        self.excludes(terms, given, !defined).map(|excluded| !excluded)
    }

    /// Whether a term has a value whatever its parts are.
    pub fn always_defined(&mut self, terms: &Terms, term: TermId) -> bool {
        self.word(terms, term).1 == Lit::TRUE
    }

    /// The value of a closed term for the values that an answer gave.
    pub fn value(&mut self, terms: &Terms, values: &mut Evaluation, term: TermId) -> u64 {
        let (bits, _) = self.word(terms, term);
        // Inputs that came later matter to nothing that was asked.
        self.circuit.evaluate_more(values, |_| false);
        values.word(&bits)
    }

    /// Gates made and variables given to the solver.
    pub fn size(&self) -> (usize, u64) {
        (self.circuit.len(), self.session.statistics().variables)
    }
}

/// The product, and whether the signed product fits.
fn product_exact(circuit: &mut Circuit, a: &Bits, b: &Bits) -> (Bits, Lit) {
    let width = a.width();
    let product = circuit.mul(a, b);
    if width <= 32 {
        let wide = circuit.sign_extend(a, 2 * width);
        let other = circuit.sign_extend(b, 2 * width);
        let whole = circuit.mul(&wide, &other);
        let back = circuit.sign_extend(&product, 2 * width);
        return (product, circuit.bits_eq(&whole, &back));
    }
    for (constant, other) in [(a, b), (b, a)] {
        if let Some(factor) = constant.as_signed()
            && factor > 0
        {
            let low = Bits::constant(width, (i64::MIN / factor) as u64);
            let high = Bits::constant(width, (i64::MAX / factor) as u64);
            let above = circuit.le_signed(&low, other);
            let below = circuit.le_signed(other, &high);
            return (product, circuit.and(above, below));
        }
    }
    let high = circuit.mul_high_signed(a, b);
    let fill = Bits::from_lits(vec![product.sign(); width as usize]);
    (product, circuit.bits_eq(&high, &fill))
}

/// Quotient and remainder of unsigned words, by restoring division.
fn divided(circuit: &mut Circuit, a: &Bits, b: &Bits) -> (Bits, Bits) {
    let width = a.width();
    if let (Some(a), Some(b)) = (a.as_constant(), b.as_constant())
        && b != 0
    {
        return (Bits::constant(width, a / b), Bits::constant(width, a % b));
    }
    let mut remainder = Bits::constant(width, 0);
    let mut quotient = vec![Lit::FALSE; width as usize];
    for position in (0..width).rev() {
        let carried = remainder.sign();
        let mut bits = vec![a.bit(position)];
        bits.extend(remainder.iter().take(width as usize - 1));
        let shifted = Bits::from_lits(bits);
        let smaller = circuit.lt_unsigned(&shifted, b);
        let goes = circuit.or(carried, !smaller);
        let less = circuit.sub(&shifted, b);
        remainder = circuit.bits_ite(goes, &less, &shifted);
        quotient[position as usize] = goes;
    }
    (Bits::from_lits(quotient), remainder)
}

/// A value as a person writes it.
pub fn shown(width: u32, value: u64) -> String {
    match width {
        1 => (value != 0).to_string(),
        _ => signed(width, value).to_string(),
    }
}
