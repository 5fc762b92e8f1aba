//! How much of a circuit is left once some of its literals are given.
//!
//! To know what dividing a problem gains one would have to build both sides. Here that is looked up
//! instead, as solvers for cubes do (Heule et al., "Cube and conquer", 2011): values are propagated through the
//! gates in both directions until nothing follows any more, and what still has an influence on the roots is
//! counted. A gate with one operand given is a wire, a choice whose condition is given has one side only.
//! A circuit built anew would be smaller still, since equal gates meet.

use crate::circuit::{Circuit, Node};
use crate::lit::Lit;

/// A part of a circuit that is looked at again and again, with other literals given.
pub struct Folding<'c> {
    circuit: &'c Circuit,
    /// The nodes on which the roots depend, ascending.
    cone: Vec<u32>,
    /// The gates of the cone that have each node as an operand: where those of a node begin, and all of them.
    begins: Vec<u32>,
    users: Vec<u32>,
    roots: Vec<Lit>,
    values: Vec<Option<bool>>,
    /// What has been given or concluded, in this order.
    trail: Vec<u32>,
    /// Whether what holds always has no model.
    is_contradictory: bool,
    needed: Vec<bool>,
}

/// Two values for one node.
struct Contradiction;

impl<'c> Folding<'c> {
    /// What `roots` depend on, where the literals of `always` hold.
    pub fn new(circuit: &'c Circuit, roots: &[Lit], always: &[Lit]) -> Folding<'c> {
        let cone = circuit.cone(&[roots, always].concat());
        let mut begins = vec![0; circuit.len() + 1];
        let operands =
            || cone.iter().flat_map(|i| circuit.node(*i).operands().map(|o| (o.node(), *i)));
        operands().for_each(|(operand, _)| begins[operand as usize + 1] += 1);
        for index in 1..begins.len() {
            begins[index] += begins[index - 1];
        }
        let mut next = begins.clone();
        let mut users = vec![0; *begins.last().unwrap_or(&0) as usize];
        for (operand, user) in operands() {
            users[next[operand as usize] as usize] = user;
            next[operand as usize] += 1;
        }
        let (roots, values) = (roots.to_vec(), vec![None; circuit.len()]);
        let mut folding = Folding {
            circuit,
            cone,
            begins,
            users,
            roots,
            values,
            trail: Vec::new(),
            is_contradictory: false,
            needed: vec![false; circuit.len()],
        };
        let given = [Lit::TRUE].into_iter().chain(always.iter().copied());
        folding.is_contradictory = folding.give(given).is_err();
        folding
    }

    /// The nodes on which the roots and what holds always depend.
    pub fn gates(&self) -> usize {
        self.cone.len()
    }

    /// The gates that are left where these literals hold too; none if that is plainly impossible.
    pub fn gates_left(&mut self, given: impl IntoIterator<Item = Lit>) -> u64 {
        self.under(given, Folding::count).unwrap_or(0)
    }

    /// The same for a circuit that is built anew, in which equal gates meet. That takes longer.
    pub fn gates_rebuilt(&mut self, given: impl IntoIterator<Item = Lit>) -> u64 {
        let rebuilt = |folding: &mut Self| {
            folding.count();
            folding.rebuild()
        };
        self.under(given, rebuilt).unwrap_or(0)
    }

    /// Those of the literals asked about that plainly cannot hold where the given ones do.
    pub fn impossible(&mut self, given: impl IntoIterator<Item = Lit>, asked: &[Lit]) -> Vec<bool> {
        let is_impossible = |folding: &mut Self, lit: &Lit| {
            let contradicts = |_: &mut Self| false;
            folding.under([*lit], contradicts).unwrap_or(true)
        };
        let ask = |folding: &mut Self| {
            asked.iter().map(|lit| is_impossible(folding, lit)).collect::<Vec<bool>>()
        };
        self.under(given, ask).unwrap_or_else(|| vec![true; asked.len()])
    }

    /// Looks at the circuit where these literals hold too, which is forgotten afterwards. Nothing if that is plainly
    /// impossible.
    fn under<T>(
        &mut self,
        given: impl IntoIterator<Item = Lit>,
        look: impl FnOnce(&mut Self) -> T,
    ) -> Option<T> {
        self.circuit.heed_interruption();
        if self.is_contradictory {
            return None;
        }
        let before = self.trail.len();
        let seen = self.give(given).is_ok().then(|| look(self));
        for index in self.trail.drain(before..) {
            self.values[index as usize] = None;
        }
        seen
    }

    fn value(&self, lit: Lit) -> Option<bool> {
        self.values[lit.node() as usize].map(|value| value ^ lit.is_negated())
    }

    /// Gives literals and concludes what follows.
    fn give(&mut self, given: impl IntoIterator<Item = Lit>) -> Result<(), Contradiction> {
        let mut next = self.trail.len();
        for lit in given {
            self.set(lit, true)?;
        }
        while next < self.trail.len() {
            self.circuit.heed_interruption();
            let index = self.trail[next];
            next += 1;
            self.conclude(index)?;
            let [from, to] = [index, index + 1].map(|i| self.begins[i as usize] as usize);
            for user in from..to {
                self.conclude(self.users[user])?;
            }
        }
        Ok(())
    }

    fn set(&mut self, lit: Lit, value: bool) -> Result<(), Contradiction> {
        match self.value(lit) {
            Some(known) if known != value => Err(Contradiction),
            Some(_) => Ok(()),
            None => {
                self.values[lit.node() as usize] = Some(value ^ lit.is_negated());
                self.trail.push(lit.node());
                Ok(())
            }
        }
    }

    /// What the values of a gate and its operands tell of each other.
    fn conclude(&mut self, index: u32) -> Result<(), Contradiction> {
        let gate = Lit::new(index, false);
        match self.circuit.node(index) {
            Node::True | Node::Input => Ok(()),
            Node::And(a, b) => self.conclude_and(gate, a, b),
            Node::Xor(a, b) => match (self.value(gate), self.value(a), self.value(b)) {
                (_, Some(a), Some(b)) => self.set(gate, a ^ b),
                (Some(x), Some(a), None) => self.set(b, x ^ a),
                (Some(x), None, Some(b)) => self.set(a, x ^ b),
                _ => Ok(()),
            },
            Node::Ite(c, t, e) => self.conclude_ite(gate, c, t, e),
        }
    }

    fn conclude_and(&mut self, gate: Lit, a: Lit, b: Lit) -> Result<(), Contradiction> {
        match (self.value(gate), self.value(a), self.value(b)) {
            (_, Some(false), _) | (_, _, Some(false)) => self.set(gate, false),
            (_, Some(true), Some(true)) => self.set(gate, true),
            (Some(true), _, _) => {
                self.set(a, true)?;
                self.set(b, true)
            }
            (Some(false), Some(true), None) => self.set(b, false),
            (Some(false), None, Some(true)) => self.set(a, false),
            _ => Ok(()),
        }
    }

    fn conclude_ite(&mut self, gate: Lit, c: Lit, t: Lit, e: Lit) -> Result<(), Contradiction> {
        if let Some(condition) = self.value(c) {
            let chosen = if condition { t } else { e };
            return match (self.value(gate), self.value(chosen)) {
                (_, Some(value)) => self.set(gate, value),
                (Some(value), None) => self.set(chosen, value),
                (None, None) => Ok(()),
            };
        }
        match (self.value(gate), self.value(t), self.value(e)) {
            (_, Some(t), Some(e)) if t == e => self.set(gate, t),
            (Some(x), Some(t), _) if x != t => {
                self.set(c, false)?;
                self.set(e, x)
            }
            (Some(x), _, Some(e)) if x != e => {
                self.set(c, true)?;
                self.set(t, x)
            }
            _ => Ok(()),
        }
    }

    /// Counts the gates that still have an influence, from the roots down: on a root, or on whether a value that is given
    /// can be had.
    fn count(&mut self) -> u64 {
        self.cone.iter().for_each(|index| self.needed[*index as usize] = false);
        self.roots.iter().for_each(|lit| self.needed[lit.node() as usize] = true);
        let mut left = 0;
        for place in (0..self.cone.len()).rev() {
            self.circuit.heed_interruption();
            let index = self.cone[place];
            let node = self.circuit.node(index);
            let is_given = self.values[index as usize].is_some();
            if !is_given && !self.needed[index as usize] {
                continue;
            }
            let unknown = node.operands().filter(|o| self.value(*o).is_none()).count();
            let only = match node {
                Node::Ite(c, t, e) => self.value(c).map(|condition| if condition { t } else { e }),
                _ => None,
            };
            if is_given && (unknown == 0 || self.is_justified(node)) {
                continue;
            }
            left += u64::from(unknown > 1 && only.is_none());
            let circuit = self.circuit;
            for operand in circuit.node(index).operands() {
                if self.value(operand).is_none() && only.is_none_or(|only| only == operand) {
                    self.needed[operand.node() as usize] = true;
                }
            }
        }
        left
    }

    /// Builds what has just been counted anew, and counts that.
    fn rebuild(&self) -> u64 {
        let mut built = Circuit::new();
        let mut places = vec![Lit::TRUE; self.circuit.len()];
        let mut roots = Vec::new();
        for index in self.cone.iter().copied() {
            self.circuit.heed_interruption();
            let node = self.circuit.node(index);
            let is_given = self.values[index as usize].is_some();
            let is_wanted =
                if is_given { !self.is_justified(node) } else { self.needed[index as usize] };
            if !is_wanted {
                continue;
            }
            let place = |lit: Lit| match self.value(lit) {
                Some(true) => Lit::TRUE,
                Some(false) => Lit::FALSE,
                None if lit.is_negated() => !places[lit.node() as usize],
                None => places[lit.node() as usize],
            };
            let lit = match node {
                Node::True => Lit::TRUE,
                Node::Input => built.input(),
                Node::And(a, b) => built.and(place(a), place(b)),
                Node::Xor(a, b) => built.xor(place(a), place(b)),
                Node::Ite(c, t, e) => built.ite(place(c), place(t), place(e)),
            };
            places[index as usize] = lit;
            if is_given {
                roots.push(lit);
            }
        }
        let open = self.roots.iter().filter(|root| self.value(**root).is_none());
        roots.extend(open.map(|root| places[root.node() as usize]));
        let is_gate = |index: &u32| !matches!(built.node(*index), Node::True | Node::Input);
        built.cone(&roots).iter().filter(|index| is_gate(index)).count() as u64
    }

    /// Whether the operands whose values are known are enough for that of the gate, which is known too.
    fn is_justified(&self, node: Node) -> bool {
        match node {
            Node::True | Node::Input => true,
            Node::And(a, b) => self.value(a) == Some(false) || self.value(b) == Some(false),
            Node::Xor(..) => false,
            Node::Ite(c, t, e) => match self.value(c) {
                Some(true) => self.value(t).is_some(),
                Some(false) => self.value(e).is_some(),
                None => self.value(t).is_some() && self.value(t) == self.value(e),
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_factor_that_is_given_leaves_additions_only() {
        let mut circuit = Circuit::new();
        let word = |circuit: &mut Circuit| {
            crate::Bits::from_lits((0..8).map(|_| circuit.input()).collect())
        };
        let (a, b) = (word(&mut circuit), word(&mut circuit));
        let product = circuit.mul(&a, &b);
        let roots: Vec<Lit> = product.iter().collect();
        let mut folding = Folding::new(&circuit, &roots, &[]);
        let all = folding.gates_left([]);
        let zero: Vec<Lit> = b.iter().map(|bit| !bit).collect();
        assert_eq!(folding.gates_left(zero), 0);
        let first =
            |set: usize| b.iter().enumerate().map(move |(n, bit)| if n < set { bit } else { !bit });
        let (one, three) = (first(1).collect::<Vec<_>>(), first(2).collect::<Vec<_>>());
        assert_eq!(folding.gates_left(one), 0, "each bit is a wire");
        let three = folding.gates_left(three);
        assert!(three > 0 && three < all / 2, "{three} of {all}");
        assert_eq!(folding.gates_left([]), all, "nothing is left behind");
    }

    #[test]
    fn a_choice_that_is_made_leaves_one_side() {
        let mut circuit = Circuit::new();
        let [c, x, y, z] = [(); 4].map(|()| circuit.input());
        let (left, right) = (circuit.xor(x, y), circuit.and(y, z));
        let chosen = circuit.ite(c, left, right);
        let mut folding = Folding::new(&circuit, &[chosen], &[]);
        assert_eq!(folding.gates_left([]), 3);
        assert_eq!(folding.gates_left([c]), 1);
        assert_eq!(folding.gates_left([!c, y]), 0);
        assert_eq!(folding.gates_left([c, !c]), 0);
    }

    #[test]
    fn equal_gates_meet_once_they_are_built_anew() {
        let mut circuit = Circuit::new();
        let [c, x, y, z] = [(); 4].map(|()| circuit.input());
        let (one, other) = (circuit.and(x, y), circuit.and(x, z));
        let chosen = circuit.ite(c, y, z);
        let again = circuit.and(x, chosen);
        let expected = circuit.ite(c, one, other);
        let differ = circuit.xor(again, expected);
        let mut folding = Folding::new(&circuit, &[differ], &[]);
        assert!(folding.gates_rebuilt([]) > 0);
        assert!(folding.gates_left([c]) > 0);
        assert_eq!(folding.gates_rebuilt([c]), 0);
        assert_eq!(folding.gates_rebuilt([!c]), 0);
    }

    #[test]
    fn what_is_given_excludes_other_cases() {
        let mut circuit = Circuit::new();
        let bits = crate::Bits::from_lits((0..4).map(|_| circuit.input()).collect());
        let [one, two] = [1, 2].map(|n| circuit.bits_eq(&bits, &crate::Bits::constant(4, n)));
        let either = circuit.or(one, two);
        let mut folding = Folding::new(&circuit, &[either], &[]);
        assert_eq!(folding.impossible([], &[one, two]), [false, false]);
        assert_eq!(
            folding.impossible([one], &[one, two, either, !either]),
            [false, true, false, true]
        );
        assert_eq!(folding.impossible([], &[one, two]), [false, false], "nothing is left behind");
        assert_eq!(folding.impossible([one, two], &[one]), [true]);
    }

    #[test]
    fn what_holds_always_is_taken_into_account() {
        let mut circuit = Circuit::new();
        let [x, y, z] = [(); 3].map(|()| circuit.input());
        let both = circuit.and(x, y);
        let root = circuit.xor(y, z);
        let mut folding = Folding::new(&circuit, &[root], &[both]);
        assert_eq!(folding.gates_left([]), 0, "y is given");
        assert_eq!(folding.gates_left([!x]), 0, "impossible");
        let either = !circuit.and(!x, !y);
        let mut folding = Folding::new(&circuit, &[root], &[either]);
        assert_eq!(folding.gates_left([]), 2);
        assert_eq!(folding.gates_left([!x]), 0, "y follows");
    }
}
