//! Terms: what is said about values, hash-consed in one arena.
//!
//! A *program* term speaks of variables and memory cells, as a statement does. A *closed* term
//! speaks of named values (θ) and constants only; simulation turns the former into the latter.
//! Both live in one arena, so that the same simplifier and the same printer serve them. Children
//! precede their parents, so that a pass in the order of ids needs no recursion.

use rustc_hash::FxHashMap;

/// A term of the arena.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct TermId(pub u32);

/// A variable of the program.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct VarId(pub u32);

/// A named value: what the paper calls a symbolic constant.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Theta(pub u32);

/// The name of a field, interned.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Name(pub u32);

/// The width of an address.
pub const ADDRESS: u32 = 64;

/// The bits of an address that say where in its object it points; the others name the object.
pub const OFFSET_BITS: u32 = 48;

/// An operation on one word.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Unary {
    /// Complement, bit by bit.
    Not,
    /// One bit: true, and defined exactly where the operand is.
    Defined,
    /// One bit, always defined: whether the operand has no value.
    Undefined,
}

/// An operation on two words of one width; comparisons have one bit.
///
/// Those named `Exact` are defined only if the signed result fits.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Binary {
    Add,
    Sub,
    Mul,
    AddExact,
    SubExact,
    MulExact,
    DivSigned,
    DivUnsigned,
    RemSigned,
    RemUnsigned,
    And,
    Or,
    Xor,
    Shl,
    /// Defined only if the first operand is not negative and no bit of it is lost.
    ShlExact,
    ShrSigned,
    ShrUnsigned,
    Equal,
    LessSigned,
    LessUnsigned,
}

/// One term.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Term {
    /// A constant of a width.
    Number { width: u32, value: u64 },
    /// A named value.
    Theta { theta: Theta, width: u32 },
    /// The value of a variable.
    Variable { variable: VarId, width: u32 },
    /// Where a variable that lives in memory stands.
    Address { variable: VarId },
    /// The start of a numbered object.
    Object { number: u32 },
    /// The bytes of memory at an address, lowest first.
    Load { address: TermId, width: u32 },
    /// `Unary` applied.
    Unary { operation: Unary, of: TermId },
    /// `Binary` applied.
    Binary { operation: Binary, left: TermId, right: TermId },
    /// One of two, by a condition of one bit.
    Choose { condition: TermId, yes: TermId, no: TermId },
    /// A wider word of the same value.
    Extend { signed: bool, width: u32, of: TermId },
    /// The low bits.
    Truncate { width: u32, of: TermId },
    /// The address of a field.
    Field { base: TermId, offset: u64, name: Name },
    /// The address of an element, `index` of 64 bits counting in steps of `size` bytes.
    Index { base: TermId, index: TermId, size: u64 },
}

/// The arena.
#[derive(Clone, Default)]
pub struct Terms {
    terms: Vec<Term>,
    /// Whether a term may be undefined for some values of its parts.
    partial: Vec<bool>,
    ids: FxHashMap<Term, TermId>,
    names: Vec<String>,
    thetas: FxHashMap<(usize, TermId, u32, Option<TermId>), Theta>,
}

/// The value of the low `width` bits, signed.
pub fn signed(width: u32, value: u64) -> i64 {
    (value << (64 - width)) as i64 >> (64 - width)
}

fn mask(width: u32) -> u64 {
    u64::MAX >> (64 - width)
}

impl Terms {
    /// An empty arena.
    pub fn new() -> Terms {
        Terms::default()
    }

    /// The number of terms so far.
    pub fn len(&self) -> usize {
        self.terms.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.terms.is_empty()
    }

    /// What a term is.
    pub fn get(&self, id: TermId) -> Term {
        self.terms[id.0 as usize]
    }

    /// Interns a name of a field.
    pub fn name(&mut self, text: &str) -> Name {
        let known = self.names.iter().position(|name| name == text);
        Name(known.unwrap_or_else(|| {
            self.names.push(text.to_owned());
            self.names.len() - 1
        }) as u32)
    }

    /// The text of an interned name.
    pub fn text_of(&self, name: Name) -> &str {
        &self.names[name.0 as usize]
    }

    fn intern(&mut self, term: Term) -> TermId {
        if let Some(&id) = self.ids.get(&term) {
            return id;
        }
        let id = TermId(self.terms.len() as u32);
        self.terms.push(term);
        self.ids.insert(term, id);
        let asks = matches!(term, Term::Unary { operation: Unary::Undefined, .. });
        let partial = !asks
            && (self.operation_is_partial(term)
                || self.children(id).any(|child| self.partial[child.0 as usize]));
        self.partial.push(partial);
        id
    }

    /// Whether a term can be without a value.
    pub fn is_partial(&self, id: TermId) -> bool {
        self.partial[id.0 as usize]
    }

    fn operation_is_partial(&self, term: Term) -> bool {
        use Binary::*;
        let Term::Binary { operation, right, .. } = term else {
            return false;
        };
        let (width, constant) = (self.width(right), self.constant(right));
        match operation {
            AddExact | SubExact | MulExact | ShlExact => true,
            DivSigned | RemSigned => {
                constant.is_none_or(|value| value == 0 || signed(width, value) == -1)
            }
            DivUnsigned | RemUnsigned => constant.is_none_or(|value| value == 0),
            Shl | ShrSigned | ShrUnsigned => constant.is_none_or(|value| value >= width.into()),
            Add | Sub | Mul | And | Or | Xor | Equal | LessSigned | LessUnsigned => false,
        }
    }

    /// The width of a term in bits.
    pub fn width(&self, id: TermId) -> u32 {
        match self.get(id) {
            Term::Number { width, .. }
            | Term::Theta { width, .. }
            | Term::Variable { width, .. }
            | Term::Load { width, .. }
            | Term::Extend { width, .. }
            | Term::Truncate { width, .. } => width,
            Term::Address { .. }
            | Term::Object { .. }
            | Term::Field { .. }
            | Term::Index { .. } => ADDRESS,
            Term::Unary { operation: Unary::Defined | Unary::Undefined, .. } => 1,
            Term::Unary { operation: Unary::Not, of } => self.width(of),
            Term::Choose { yes, .. } => self.width(yes),
            Term::Binary { operation, left, .. } => match operation {
                Binary::Equal | Binary::LessSigned | Binary::LessUnsigned => 1,
                _ => self.width(left),
            },
        }
    }

    /// The terms that a term is made of.
    pub fn children(&self, id: TermId) -> impl Iterator<Item = TermId> {
        let [a, b, c] = match self.get(id) {
            Term::Number { .. }
            | Term::Theta { .. }
            | Term::Variable { .. }
            | Term::Address { .. }
            | Term::Object { .. } => [None; 3],
            Term::Load { address: of, .. }
            | Term::Unary { of, .. }
            | Term::Extend { of, .. }
            | Term::Truncate { of, .. }
            | Term::Field { base: of, .. } => [Some(of), None, None],
            Term::Binary { left, right, .. } => [Some(left), Some(right), None],
            Term::Index { base, index, .. } => [Some(base), Some(index), None],
            Term::Choose { condition, yes, no } => [Some(condition), Some(yes), Some(no)],
        };
        [a, b, c].into_iter().flatten()
    }

    /// All terms below and including some, children first.
    pub fn below(&self, roots: &[TermId]) -> Vec<TermId> {
        let mut reached = std::collections::BTreeSet::new();
        let mut waiting = roots.to_vec();
        while let Some(id) = waiting.pop() {
            if reached.insert(id) {
                waiting.extend(self.children(id));
            }
        }
        reached.into_iter().collect()
    }

    /// The variables that some terms speak of.
    pub fn variables(&self, roots: &[TermId]) -> std::collections::BTreeSet<VarId> {
        let below = self.below(roots);
        let found = below.into_iter().filter_map(|id| match self.get(id) {
            Term::Variable { variable, .. } | Term::Address { variable } => Some(variable),
            _ => None,
        });
        found.collect()
    }

    /// The value of a constant.
    pub fn constant(&self, id: TermId) -> Option<u64> {
        match self.get(id) {
            Term::Number { value, .. } => Some(value),
            _ => None,
        }
    }

    /// A constant.
    pub fn number(&mut self, width: u32, value: u64) -> TermId {
        self.intern(Term::Number { width, value: value & mask(width) })
    }

    /// True or false, as one bit.
    pub fn truth(&mut self, value: bool) -> TermId {
        self.number(1, u64::from(value))
    }

    /// The name of the value of a place, before a step and in an activation: always the same
    /// for the same four, so that simulating a path again makes no new circuit.
    pub fn named(
        &mut self,
        step: usize,
        place: TermId,
        frame: u32,
        definition: Option<TermId>,
    ) -> Theta {
        let next = Theta(self.thetas.len() as u32);
        *self.thetas.entry((step, place, frame, definition)).or_insert(next)
    }

    /// A named value.
    pub fn theta(&mut self, theta: Theta, width: u32) -> TermId {
        self.intern(Term::Theta { theta, width })
    }

    /// The value of a variable.
    pub fn variable(&mut self, variable: VarId, width: u32) -> TermId {
        self.intern(Term::Variable { variable, width })
    }

    /// Where a variable stands in memory.
    pub fn address(&mut self, variable: VarId) -> TermId {
        self.intern(Term::Address { variable })
    }

    /// The start of an object.
    pub fn object(&mut self, number: u32) -> TermId {
        self.intern(Term::Object { number })
    }

    /// What memory holds.
    pub fn load(&mut self, address: TermId, width: u32) -> TermId {
        self.intern(Term::Load { address, width })
    }

    /// The address of a field.
    pub fn field(&mut self, base: TermId, offset: u64, name: Name) -> TermId {
        self.intern(Term::Field { base, offset, name })
    }

    /// The address of an element.
    pub fn index(&mut self, base: TermId, index: TermId, size: u64) -> TermId {
        self.intern(Term::Index { base, index, size })
    }

    /// The complement; of one bit, the negation.
    pub fn not(&mut self, of: TermId) -> TermId {
        match self.get(of) {
            Term::Number { width, value } => self.number(width, !value),
            Term::Unary { operation: Unary::Not, of } => of,
            _ => self.intern(Term::Unary { operation: Unary::Not, of }),
        }
    }

    /// The condition that a term has a value.
    pub fn defined(&mut self, of: TermId) -> TermId {
        if self.is_partial(of) {
            self.intern(Term::Unary { operation: Unary::Defined, of })
        } else {
            self.truth(true)
        }
    }

    /// The condition that a term has no value.
    pub fn undefined(&mut self, of: TermId) -> TermId {
        if self.is_partial(of) {
            self.intern(Term::Unary { operation: Unary::Undefined, of })
        } else {
            self.truth(false)
        }
    }

    /// Whether two conditions ask whether the same term has no value, one of them perhaps of its
    /// negation.
    pub fn same_question(&self, a: TermId, b: TermId) -> bool {
        let asked = |id| match self.get(id) {
            Term::Unary { operation: Unary::Undefined, of } => match self.get(of) {
                Term::Unary { operation: Unary::Not, of } => Some(of),
                _ => Some(of),
            },
            _ => None,
        };
        asked(a).is_some() && asked(a) == asked(b)
    }

    /// Whether two words are equal.
    pub fn equal(&mut self, left: TermId, right: TermId) -> TermId {
        self.binary(Binary::Equal, left, right)
    }

    /// Both of two bits; the second matters only where the first holds.
    pub fn both(&mut self, left: TermId, right: TermId) -> TermId {
        let no = self.truth(false);
        self.choose(left, right, no)
    }

    /// Either of two bits; the second matters only where the first does not hold.
    pub fn either(&mut self, left: TermId, right: TermId) -> TermId {
        let yes = self.truth(true);
        self.choose(left, yes, right)
    }

    /// One of two by a condition.
    pub fn choose(&mut self, condition: TermId, yes: TermId, no: TermId) -> TermId {
        match self.constant(condition) {
            Some(0) => return no,
            Some(_) => return yes,
            None if yes == no && !self.is_partial(condition) => return yes,
            None => {}
        }
        if self.width(yes) == 1 {
            match (self.constant(yes), self.constant(no)) {
                (Some(1), Some(0)) => return condition,
                (Some(0), Some(1)) => return self.not(condition),
                _ => {}
            }
        }
        self.intern(Term::Choose { condition, yes, no })
    }

    /// A wider word.
    pub fn extend(&mut self, signed_: bool, width: u32, of: TermId) -> TermId {
        let from = self.width(of);
        match self.get(of) {
            _ if from == width => of,
            Term::Number { width: from, value } if signed_ => {
                self.number(width, signed(from, value) as u64)
            }
            Term::Number { value, .. } => self.number(width, value),
            Term::Extend { signed: inner, of, .. } if inner == signed_ || !inner => {
                self.extend(inner, width, of)
            }
            _ => self.intern(Term::Extend { signed: signed_, width, of }),
        }
    }

    /// The low bits.
    pub fn truncate(&mut self, width: u32, of: TermId) -> TermId {
        match self.get(of) {
            _ if self.width(of) == width => of,
            Term::Number { value, .. } => self.number(width, value),
            Term::Extend { signed, of: inner, .. } => {
                let from = self.width(inner);
                if from >= width {
                    self.truncate(width, inner)
                } else {
                    self.extend(signed, width, inner)
                }
            }
            Term::Truncate { of, .. } => self.truncate(width, of),
            _ => self.intern(Term::Truncate { width, of }),
        }
    }

    /// An operation on two words of one width.
    pub fn binary(&mut self, operation: Binary, left: TermId, right: TermId) -> TermId {
        debug_assert_eq!(self.width(left), self.width(right), "operands of {operation:?}");
        match self.simplified(operation, left, right) {
            Some(simple) => simple,
            None => self.intern(Term::Binary { operation, left, right }),
        }
    }

    fn simplified(&mut self, operation: Binary, left: TermId, right: TermId) -> Option<TermId> {
        use Binary::*;
        let width = self.width(left);
        let (a, b) = (self.constant(left), self.constant(right));
        if let (Some(a), Some(b)) = (a, b)
            && let Some(value) = folded(operation, width, a, b)
        {
            let one_bit = matches!(operation, Equal | LessSigned | LessUnsigned);
            return Some(self.number(if one_bit { 1 } else { width }, value));
        }
        match (operation, a, b) {
            (Equal, ..) => self.simplified_equal(left, right),
            (LessSigned | LessUnsigned, ..) if left == right && !self.is_partial(left) => {
                Some(self.truth(false))
            }
            (
                Add | Sub | AddExact | SubExact | Or | Xor | Shl | ShrSigned | ShrUnsigned,
                _,
                Some(0),
            )
            | (Mul | MulExact | DivSigned | DivUnsigned, _, Some(1)) => Some(left),
            (Add | AddExact | Or | Xor, Some(0), _) | (Mul | MulExact, Some(1), _) => Some(right),
            (Mul | MulExact | And, _, Some(0)) if !self.is_partial(left) => {
                Some(self.number(width, 0))
            }
            (Mul | MulExact | And, Some(0), _) if !self.is_partial(right) => {
                Some(self.number(width, 0))
            }
            // A constant stands on the right, and a difference to it is a sum.
            (Add | AddExact, Some(_), None) => Some(self.binary(operation, right, left)),
            (Sub | SubExact, _, Some(value)) if value != 1 << (width - 1) => {
                let negated = self.number(width, value.wrapping_neg());
                let sum = if operation == Sub { Add } else { AddExact };
                Some(self.binary(sum, left, negated))
            }
            (Add | AddExact, _, Some(value)) => self.merged(operation, left, value, width),
            _ => None,
        }
    }

    /// `(x + c) + d` as one sum, where that changes neither value nor when it is defined.
    fn merged(
        &mut self,
        operation: Binary,
        left: TermId,
        value: u64,
        width: u32,
    ) -> Option<TermId> {
        let Term::Binary { operation: inner, left: x, right: c } = self.get(left) else {
            return None;
        };
        let first = self.constant(c)?;
        if inner != operation {
            return None;
        }
        let (c, d) = (signed(width, first), signed(width, value));
        let sum = c.wrapping_add(d);
        if operation == Binary::AddExact {
            let fits = c.checked_add(d).is_some_and(|sum| signed(width, sum as u64) == sum);
            if !fits || (c < 0) != (d < 0) {
                return None;
            }
        }
        let sum = self.number(width, sum as u64);
        Some(self.binary(operation, x, sum))
    }

    fn simplified_equal(&mut self, left: TermId, right: TermId) -> Option<TermId> {
        if left == right {
            // Equal wherever there is a value.
            return Some(self.defined(left));
        }
        if self.constant(left).is_some() && self.constant(right).is_none() {
            return Some(self.binary(Binary::Equal, right, left));
        }
        let value = self.constant(right)?;
        match self.get(left) {
            _ if self.width(left) == 1 => Some(if value == 1 { left } else { self.not(left) }),
            Term::Extend { signed: extends, of, .. } => {
                let from = self.width(of);
                let narrow = value & mask(from);
                let back = if extends { signed(from, narrow) as u64 } else { narrow };
                if back & mask(self.width(left)) != value {
                    return Some(self.truth(false));
                }
                let narrow = self.number(from, narrow);
                Some(self.equal(of, narrow))
            }
            Term::Choose { condition, yes, no }
                if self.constant(yes).is_some() || self.constant(no).is_some() =>
            {
                let yes = self.equal(yes, right);
                let no = self.equal(no, right);
                Some(self.choose(condition, yes, no))
            }
            Term::Object { .. } => Some(self.truth(false)).filter(|_| value >> OFFSET_BITS == 0),
            _ => None,
        }
    }

    /// The same term with some of its parts replaced, simplified again.
    pub fn replaced(&mut self, root: TermId, with: &FxHashMap<TermId, TermId>) -> TermId {
        self.rebuilt(root, &mut |_, id| with.get(&id).copied())
    }

    /// The same term with every part for which `change` has another one replaced by that.
    pub fn rebuilt(
        &mut self,
        root: TermId,
        change: &mut dyn FnMut(&mut Terms, TermId) -> Option<TermId>,
    ) -> TermId {
        let mut made: FxHashMap<TermId, TermId> = FxHashMap::default();
        for id in self.below(&[root]) {
            let new = match change(self, id) {
                Some(new) => new,
                None => self.with_children(id, &|child| made[&child]),
            };
            made.insert(id, new);
        }
        made[&root]
    }

    /// The same operation on other operands.
    pub fn with_children(&mut self, id: TermId, new: &dyn Fn(TermId) -> TermId) -> TermId {
        match self.get(id) {
            Term::Number { .. }
            | Term::Theta { .. }
            | Term::Variable { .. }
            | Term::Address { .. }
            | Term::Object { .. } => id,
            Term::Load { address, width } => self.load(new(address), width),
            Term::Unary { operation: Unary::Not, of } => self.not(new(of)),
            Term::Unary { operation: Unary::Defined, of } => self.defined(new(of)),
            Term::Unary { operation: Unary::Undefined, of } => self.undefined(new(of)),
            Term::Binary { operation, left, right } => {
                self.binary(operation, new(left), new(right))
            }
            Term::Choose { condition, yes, no } => self.choose(new(condition), new(yes), new(no)),
            Term::Extend { signed, width, of } => self.extend(signed, width, new(of)),
            Term::Truncate { width, of } => self.truncate(width, new(of)),
            Term::Field { base, offset, name } => self.field(new(base), offset, name),
            Term::Index { base, index, size } => self.index(new(base), new(index), size),
        }
    }

    /// A base and a constant number of bytes from there, which together are the address.
    pub fn resolved(&self, address: TermId) -> (TermId, i64) {
        let (mut base, mut offset) = (address, 0i64);
        loop {
            match self.get(base) {
                Term::Field { base: inner, offset: bytes, .. } => {
                    (base, offset) = (inner, offset.wrapping_add(bytes as i64));
                }
                Term::Index { base: inner, index, size } => {
                    let Some(index) = self.constant(index) else {
                        return (base, offset);
                    };
                    let bytes = (index as i64).wrapping_mul(size as i64);
                    (base, offset) = (inner, offset.wrapping_add(bytes));
                }
                Term::Binary { operation: Binary::Add, left, right } => {
                    let Some(bytes) = self.constant(right) else {
                        return (base, offset);
                    };
                    (base, offset) = (left, offset.wrapping_add(bytes as i64));
                }
                _ => return (base, offset),
            }
        }
    }
}

/// The result of an operation on constants where it is defined.
fn folded(operation: Binary, width: u32, a: u64, b: u64) -> Option<u64> {
    use Binary::*;
    let (x, y) = (signed(width, a), signed(width, b));
    let exact = |value: Option<i64>| {
        value.filter(|&value| signed(width, value as u64) == value).map(|value| value as u64)
    };
    Some(match operation {
        Add => a.wrapping_add(b),
        Sub => a.wrapping_sub(b),
        Mul => a.wrapping_mul(b),
        AddExact => exact(x.checked_add(y))?,
        SubExact => exact(x.checked_sub(y))?,
        MulExact => exact(x.checked_mul(y))?,
        DivSigned => exact(x.checked_div(y))?,
        RemSigned => {
            exact(x.checked_div(y))?;
            x.checked_rem(y)? as u64
        }
        DivUnsigned => a.checked_div(b)?,
        RemUnsigned => a.checked_rem(b)?,
        And => a & b,
        Or => a | b,
        Xor => a ^ b,
        Shl | ShlExact | ShrSigned | ShrUnsigned if b >= u64::from(width) => return None,
        Shl => a << b,
        ShlExact => {
            let shifted = i128::from(x) << b;
            let fits = x >= 0 && shifted <= i128::from(mask(width) >> 1);
            Some(shifted as u64).filter(|_| fits)?
        }
        ShrSigned => (x >> b) as u64,
        ShrUnsigned => a >> b,
        Equal => u64::from(a == b),
        LessSigned => u64::from(x < y),
        LessUnsigned => u64::from(a < b),
    })
}
