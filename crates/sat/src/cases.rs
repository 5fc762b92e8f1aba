//! Going through all partial assignments that unit propagation admits, in a fixed order of choices.
//!
//! Davis, Logemann & Loveland (1962) without learning: a choice is a literal that matters as long
//! as its conditions hold, tried true and then false. Where nothing that matters is left to choose,
//! there is a case. The cases exclude each other and together cover every model of the
//! constraints; what a case leaves unassigned may be anything as far as the choices go. Nothing is
//! learned, because neighbouring cases share most of their assignment and dead ends are meant to
//! be few: whoever has many should ask a solver.

use logic::{Circuit, Cnf, Lit};
use std::sync::Arc;

/// A literal of the clauses: twice the variable, plus one if it is negated.
type Code = u32;

/// A clause that is looked at when one of its two watched literals becomes false.
#[derive(Clone, Copy)]
struct Watch {
    clause: u32,
    /// Another literal of it: if that is true there is nothing to do.
    blocker: Code,
}

/// The clauses and choices, shared by all who go through them.
struct Problem {
    /// The variable of each node, 0 for none.
    variables: Vec<u32>,
    choices: Vec<(Code, Box<[Code]>)>,
    /// Where the clauses start.
    starts: Vec<u32>,
}

/// A walk through the cases.
#[derive(Clone)]
pub struct Cases {
    problem: Arc<Problem>,
    lits: Vec<Code>,
    watches: Vec<Vec<Watch>>,
    /// By code: whether it is true.
    truths: Vec<bool>,
    trail: Vec<Code>,
    propagated: usize,
    /// The decisions, outermost first.
    levels: Vec<Level>,
    /// Whether the walk stands at a case, and whether it has come to its end.
    is_at_case: bool,
    is_over: bool,
    /// Whether there is no case at all.
    is_empty: bool,
    /// Decisions and dead ends so far.
    pub steps: u64,
}

/// Where a walk has come to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// A case.
    Case,
    /// Nowhere yet, after as many steps as were wanted.
    Between,
    /// There is no further case.
    End,
}

/// Decisions that some cases have in common: literals, each with the choice that comes after it.
#[derive(Clone, Debug, Default)]
pub struct Prefix {
    decisions: Vec<(Code, u32)>,
}

#[derive(Clone, Copy)]
struct Level {
    /// Where the decision stands on the trail.
    trail: u32,
    /// The choice that comes after it.
    next: u32,
    /// Whether the other value has been tried, or is not to be.
    is_last: bool,
}

impl Cases {
    /// The cases of the constraints by these choices, in their order. Each has conditions: it
    /// matters as long as they all hold.
    pub fn new<'a>(
        circuit: &Circuit,
        constraints: &[Lit],
        choices: impl Iterator<Item = (Lit, &'a [Lit])>,
    ) -> Cases {
        let mut cnf = Cnf::new();
        let mut clauses: Vec<Vec<i32>> = Vec::new();
        let mut sink = |clause: &[i32]| clauses.push(clause.to_vec());
        for lit in constraints {
            cnf.assert(circuit, *lit, &mut sink);
        }
        let mut known = |lit: Lit| {
            // Both directions: a condition has to be found to hold, and to fail.
            cnf.require(circuit, !lit, &mut sink);
            code(cnf.require(circuit, lit, &mut sink))
        };
        let mut choice = |(lit, conditions): (Lit, &[Lit])| {
            let conditions = conditions.iter().map(|lit| known(*lit)).collect();
            (known(lit), conditions)
        };
        let choices: Vec<_> = choices.map(&mut choice).collect();
        let nodes = 0..circuit.len() as u32;
        let variables = nodes.map(|node| cnf.variable(node).unwrap_or(0) as u32).collect();
        let codes = 2 * (cnf.variable_count() as usize + 1);
        let mut starts = vec![0];
        let (mut units, mut lits) = (Vec::new(), Vec::new());
        let mut is_empty = false;
        let mut watches = vec![Vec::new(); codes];
        for mut clause in clauses {
            clause.sort_unstable();
            clause.dedup();
            match clause[..] {
                [] => is_empty = true,
                [unit] => units.push(code(unit)),
                [..] => {
                    let number = starts.len() as u32 - 1;
                    let [a, b] = [code(clause[0]), code(clause[1])];
                    watches[a as usize].push(Watch { clause: number, blocker: b });
                    watches[b as usize].push(Watch { clause: number, blocker: a });
                    lits.extend(clause.iter().map(|lit| code(*lit)));
                    starts.push(lits.len() as u32);
                }
            }
        }
        let mut cases = Cases {
            problem: Arc::new(Problem { variables, choices, starts }),
            lits,
            watches,
            truths: vec![false; codes],
            trail: Vec::new(),
            propagated: 0,
            levels: Vec::new(),
            is_at_case: false,
            is_over: false,
            is_empty,
            steps: 0,
        };
        for unit in units {
            cases.is_empty |= cases.truths[unit as usize ^ 1];
            cases.assign(unit);
        }
        cases.is_empty |= !cases.propagate();
        cases.is_over = cases.is_empty;
        cases
    }

    /// Goes on to the next case, or for about so many steps.
    pub fn next(&mut self, steps: u64) -> Step {
        self.next_within(steps, usize::MAX)
    }

    /// The same, where so many decisions are enough for a case.
    fn next_within(&mut self, steps: u64, decisions: usize) -> Step {
        let most = self.steps.saturating_add(steps);
        self.is_over |= self.is_at_case && !self.retreat();
        self.is_at_case = false;
        while !self.is_over && self.steps <= most {
            if !self.propagate() {
                self.steps += 1;
                self.is_over = !self.retreat();
                continue;
            }
            match self.choose() {
                Some((index, lit)) if self.levels.len() < decisions => {
                    self.steps += 1;
                    self.decide(lit, index + 1, false);
                }
                Some(_) | None => {
                    self.is_at_case = true;
                    return Step::Case;
                }
            }
        }
        if self.is_over { Step::End } else { Step::Between }
    }

    /// Prefixes that divide the cases into at least so many parts, if there are as many and no more
    /// than so many steps are needed: the cases of all prefixes together are the cases.
    pub fn prefixes(&self, parts: usize, steps: u64) -> Vec<Prefix> {
        let (mut best, mut decisions) = (vec![Prefix::default()], 2);
        let mut walk = self.clone();
        let most = walk.steps.saturating_add(steps);
        while best.len() < parts && decisions < 4 * parts {
            decisions += decisions / 2;
            walk.restart(&Prefix::default());
            let mut found = Vec::new();
            while walk.next_within(most.saturating_sub(walk.steps), decisions) == Step::Case {
                found.push(walk.prefix());
            }
            if !walk.is_over {
                break;
            }
            best = found;
        }
        best
    }

    /// An estimate of the steps of the whole walk, from one descent whose decisions are made by
    /// `coin` (Knuth, "Estimating the efficiency of backtrack programs", 1975).
    pub fn descend(&mut self, mut coin: impl FnMut() -> bool) -> f64 {
        self.restart(&Prefix::default());
        let (mut steps, mut width) = (1.0, 1.0);
        while !self.is_over
            && self.propagate()
            && let Some((index, lit)) = self.choose()
        {
            self.decide(lit ^ u32::from(coin()), index + 1, true);
            width *= 2.0;
            steps += width;
        }
        steps
    }

    /// Starts again, among the cases of a prefix only.
    pub fn restart(&mut self, prefix: &Prefix) {
        if let Some(first) = self.levels.first() {
            self.undo(first.trail as usize);
            self.levels.clear();
        }
        (self.is_at_case, self.is_over) = (false, self.is_empty);
        for (lit, next) in &prefix.decisions {
            self.decide(*lit, *next, true);
            self.is_over |= !self.propagate();
        }
    }

    /// The decisions that lead to where the walk stands.
    fn prefix(&self) -> Prefix {
        let decision = |l: &Level| (self.trail[l.trail as usize], l.next);
        Prefix { decisions: self.levels.iter().map(decision).collect() }
    }

    /// The value of an input, by its node; none if it does not matter.
    #[inline]
    pub fn value(&self, node: u32) -> Option<bool> {
        let variable = self.problem.variables[node as usize] as usize;
        match (self.truths[2 * variable], self.truths[2 * variable + 1]) {
            (true, _) => Some(true),
            (_, true) => Some(false),
            (false, false) => None,
        }
    }

    /// A choice that matters and is open: the next one, or an earlier one that has come to matter.
    fn choose(&self) -> Option<(u32, Code)> {
        let next = self.levels.last().map_or(0, |l| l.next) as usize;
        let holds = |code: &Code| self.truths[*code as usize];
        let is_open = |(lit, conditions): &(Code, Box<[Code]>)| {
            !holds(lit) && !holds(&(lit ^ 1)) && conditions.iter().all(holds)
        };
        let (earlier, later) = self.problem.choices.split_at(next);
        let later = || Some(next + later.iter().position(is_open)?);
        let position = later().or_else(|| earlier.iter().position(is_open))?;
        Some((position as u32, self.problem.choices[position].0))
    }

    fn decide(&mut self, lit: Code, next: u32, is_last: bool) {
        self.levels.push(Level { trail: self.trail.len() as u32, next, is_last });
        self.assign(lit);
    }

    /// Takes the last decision back that can be taken the other way, and does so.
    fn retreat(&mut self) -> bool {
        while let Some(level) = self.levels.pop() {
            let lit = self.trail[level.trail as usize];
            self.undo(level.trail as usize);
            if !level.is_last {
                self.decide(lit ^ 1, level.next, true);
                return true;
            }
        }
        false
    }

    fn undo(&mut self, trail: usize) {
        for lit in self.trail.drain(trail..) {
            self.truths[lit as usize] = false;
        }
        self.propagated = trail;
    }

    #[inline]
    fn assign(&mut self, lit: Code) {
        if !self.truths[lit as usize] {
            self.truths[lit as usize] = true;
            self.trail.push(lit);
        }
    }

    /// Assigns what follows; false if that is a contradiction.
    fn propagate(&mut self) -> bool {
        while let Some(lit) = self.trail.get(self.propagated) {
            let failed = lit ^ 1;
            self.propagated += 1;
            let mut watches = std::mem::take(&mut self.watches[failed as usize]);
            let (mut kept, mut seen, mut consistent) = (0, 0, true);
            while seen < watches.len() && consistent {
                let watch = watches[seen];
                seen += 1;
                watches[kept] = watch;
                kept += 1;
                if self.truths[watch.blocker as usize] {
                    continue;
                }
                let clause = watch.clause as usize;
                let range =
                    self.problem.starts[clause] as usize..self.problem.starts[clause + 1] as usize;
                let lits = &mut self.lits[range];
                if lits[0] == failed {
                    lits.swap(0, 1);
                }
                let other = lits[0];
                if self.truths[other as usize] {
                    watches[kept - 1].blocker = other;
                    continue;
                }
                match (2..lits.len()).find(|i| !self.truths[lits[*i] as usize ^ 1]) {
                    Some(position) => {
                        lits.swap(1, position);
                        let watched = lits[1] as usize;
                        self.watches[watched].push(Watch { clause: watch.clause, blocker: other });
                        kept -= 1;
                    }
                    None if self.truths[other as usize ^ 1] => consistent = false,
                    None => self.assign(other),
                }
            }
            watches.copy_within(seen.., kept);
            watches.truncate(kept + watches.len() - seen);
            self.watches[failed as usize] = watches;
            if !consistent {
                return false;
            }
        }
        true
    }
}

fn code(dimacs: i32) -> Code {
    2 * dimacs.unsigned_abs() + u32::from(dimacs < 0)
}
