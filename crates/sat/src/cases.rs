//! Going through all partial assignments that unit propagation admits, in a fixed order of choices.
//!
//! Davis, Logemann & Loveland (1962): a choice is a literal that matters as long as its conditions
//! hold, tried true and then false. Where nothing that matters is left to choose, there is a case. The
//! cases exclude each other and together cover every model of the constraints; what a case leaves
//! unassigned may be anything as far as the choices go. Decisions are taken back one by one, because
//! neighbouring cases share most of their assignment. A dead end teaches a clause, as in any solver
//! (Marques-Silva & Sakallah, "GRASP", 1996), if a short one: there are as many of a kind as there are
//! ways to come to it.

use std::sync::Arc;

use logic::{Circuit, Cnf, Lit};

/// A literal of the clauses: twice the variable, plus one if it is negated.
type Code = u32;

/// A long clause that is looked at when one of its two watched literals becomes false.
#[derive(Clone, Copy)]
struct Watch {
    clause: u32,
    /// Another literal of it: if that is true there is nothing to do.
    blocker: Code,
}

/// The clauses and choices, shared by all who go through them. Nearly all clauses are of two or three
/// literals, and those are found by each of them.
struct Problem {
    /// The variable of each node, 0 for none, and the node of each.
    variables: Vec<u32>,
    nodes: Vec<u32>,
    choices: Vec<(Code, Box<[Code]>)>,
    /// For each variable, which choice comes after it.
    after: Vec<u32>,
    /// The other literals of the clauses of two and of three that have a literal.
    pairs: Lists<Code>,
    triples: Lists<[Code; 2]>,
}

/// Literals that a clause which is learned may have, and how many are learned.
const LONGEST: usize = 16;
const MOST_LEARNED: usize = 20_000;

/// A list for each code, one after the other.
struct Lists<T> {
    starts: Vec<u32>,
    items: Vec<T>,
}

impl<T> Lists<T> {
    fn new(mut items: Vec<(Code, T)>, codes: usize) -> Lists<T> {
        items.sort_by_key(|(code, _)| *code);
        let start = |code| items.partition_point(|(of, _)| (*of as usize) < code) as u32;
        let starts = (0..=codes).map(start).collect();
        Lists { starts, items: items.into_iter().map(|(_, item)| item).collect() }
    }

    #[inline]
    fn of(&self, code: Code) -> &[T] {
        let start = self.starts[code as usize] as usize;
        &self.items[start..self.starts[code as usize + 1] as usize]
    }
}

/// What is known of a literal.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Truth {
    Open,
    True,
    False,
}

/// Why a literal is true: all others of a clause are false.
#[derive(Clone, Copy)]
enum Reason {
    None,
    Pair(Code),
    Triple([Code; 2]),
    Long(u32),
}

/// A walk through the cases. Its fields are the arrays of a small solver, which every step uses together; nothing
/// outside sees any of them but `steps`.
#[derive(Clone)]
pub struct Cases {
    problem: Arc<Problem>,
    /// The long clauses, and where they start.
    lits: Vec<Code>,
    starts: Vec<u32>,
    learned: usize,
    /// Literals that have been found to be true in all cases.
    facts: Vec<Code>,
    /// Clauses that were given, and where what others taught stands on the trail.
    given: u32,
    taught: Vec<u32>,
    watches: Vec<Vec<Watch>>,
    /// By code.
    truths: Vec<Truth>,
    /// By variable, if it has a value: why, and after how many decisions.
    reasons: Vec<(Reason, u32)>,
    /// Whether a variable is looked at while a clause is learned.
    is_marked: Vec<bool>,
    /// Literals of a clause, all false.
    conflict: Vec<Code>,
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

/// Decisions that some cases have in common, and what had to be learned to see that it follows from them.
pub type Prefix = Vec<Lit>;

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
            let conditions: Box<[Code]> = conditions.iter().map(|lit| known(*lit)).collect();
            (known(lit), conditions)
        };
        let choices: Vec<_> = choices.map(&mut choice).collect();
        let nodes = 0..circuit.len() as u32;
        let variables: Vec<u32> =
            nodes.map(|node| cnf.variable(node).unwrap_or(0) as u32).collect();
        let codes = 2 * (cnf.variable_count() as usize + 1);
        let mut nodes = vec![0; codes / 2];
        for (node, variable) in variables.iter().enumerate() {
            nodes[*variable as usize] = node as u32;
        }
        let mut after = vec![0; codes / 2];
        for (position, (lit, _)) in choices.iter().enumerate() {
            after[*lit as usize / 2] = position as u32 + 1;
        }
        let mut starts = vec![0];
        let (mut units, mut lits) = (Vec::new(), Vec::new());
        let (mut pairs, mut triples) = (Vec::new(), Vec::new());
        let mut is_empty = false;
        let mut watches = vec![Vec::new(); codes];
        for mut clause in clauses {
            clause.sort_unstable();
            clause.dedup();
            match clause[..] {
                [] => is_empty = true,
                [unit] => units.push(code(unit)),
                [a, b] => {
                    let [a, b] = [a, b].map(code);
                    pairs.extend([(a, b), (b, a)]);
                }
                [a, b, c] => {
                    let [a, b, c] = [a, b, c].map(code);
                    triples.extend([(a, [b, c]), (b, [a, c]), (c, [a, b])]);
                }
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
            problem: Arc::new(Problem {
                variables,
                nodes,
                choices,
                after,
                pairs: Lists::new(pairs, codes),
                triples: Lists::new(triples, codes),
            }),
            lits,
            starts,
            learned: 0,
            facts: Vec::new(),
            given: 0,
            taught: Vec::new(),
            watches,
            truths: vec![Truth::Open; codes],
            reasons: vec![(Reason::None, 0); codes / 2],
            is_marked: vec![false; codes / 2],
            conflict: Vec::new(),
            trail: Vec::new(),
            propagated: 0,
            levels: Vec::new(),
            is_at_case: false,
            is_over: false,
            is_empty,
            steps: 0,
        };
        cases.given = cases.starts.len() as u32 - 1;
        for unit in units {
            cases.is_empty |= cases.truths[unit as usize] == Truth::False;
            cases.assign(unit, Reason::None);
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
                self.is_over = !self.turn_back();
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
    pub fn prefixes(&mut self, parts: usize, steps: u64) -> Vec<Prefix> {
        let (mut best, mut decisions) = (vec![Prefix::new()], 2);
        let most = self.steps.saturating_add(steps);
        while best.len() < parts && decisions < 4 * parts {
            decisions += decisions / 2;
            self.restart(&[]);
            let mut found = Vec::new();
            while self.next_within(most.saturating_sub(self.steps), decisions) == Step::Case {
                found.push(self.prefix());
            }
            if !self.is_over {
                break;
            }
            best = found;
        }
        self.restart(&[]);
        best
    }

    /// Goes to some case of a prefix, by decisions of `coin`, if there is one within so many steps.
    pub fn wander(&mut self, prefix: &[Lit], steps: u64, mut coin: impl FnMut() -> bool) -> bool {
        self.restart(prefix);
        for _ in 0..steps {
            if self.is_over {
                break;
            }
            if !self.propagate() {
                self.is_over = !self.turn_back();
                continue;
            }
            let Some((index, lit)) = self.choose() else { return true };
            self.decide(lit ^ u32::from(coin()), index + 1, false);
        }
        false
    }

    /// Starts again, among the cases of a prefix only. It may come from a walk of the same circuit.
    pub fn restart(&mut self, prefix: &[Lit]) {
        let code = |lit: &Lit| {
            let variable = self.problem.variables[lit.node() as usize];
            (variable > 0).then_some(2 * variable + u32::from(lit.is_negated()))
        };
        let decisions: Vec<Code> = prefix.iter().filter_map(code).collect();
        // What it has in common with where the walk stands need not be decided again.
        let (mut kept, mut shared) = (0, 0);
        for lit in &decisions {
            let level = self.levels.get_mut(kept);
            let level = level.filter(|level| self.trail[level.trail as usize] == *lit);
            let is_true = self.truths[*lit as usize] == Truth::True;
            match level {
                Some(level) => {
                    level.is_last = true;
                    kept += 1;
                }
                None if is_true && self.reasons[*lit as usize / 2].1 as usize <= kept => {}
                None => break,
            }
            shared += 1;
        }
        if let Some(first) = self.levels.get(kept) {
            self.undo(first.trail as usize);
            self.levels.truncate(kept);
        }
        (self.is_at_case, self.is_over) = (false, self.is_empty);
        self.is_over |= !self.mind_facts();
        self.is_over |= !self.propagate();
        for lit in &decisions[shared..] {
            if self.is_over {
                break;
            }
            match self.truths[*lit as usize] {
                Truth::Open => self.decide(*lit, self.problem.after[*lit as usize / 2], true),
                Truth::True => {}
                Truth::False => self.is_over = true,
            }
            self.is_over |= !self.propagate();
        }
        // What contradicts itself must not be taken for shared next time.
        if self.is_over
            && let Some(level) = self.levels.first().copied()
        {
            self.undo(level.trail as usize);
            self.levels.clear();
        }
    }

    /// What leads to where the walk stands.
    pub fn prefix(&self) -> Prefix {
        self.prefix_before(self.trail.len() as u32)
    }

    /// What leads to a place on the trail.
    fn prefix_before(&self, end: u32) -> Prefix {
        let mut prefix = Prefix::with_capacity(self.levels.len() + self.taught.len());
        let mut taught = self.taught.iter().copied().take_while(|place| *place < end).peekable();
        let decisions = self.levels.iter().map(|l| l.trail).take_while(|place| *place < end);
        for place in decisions.chain([end]) {
            while let Some(earlier) = taught.next_if(|taught| *taught < place) {
                prefix.push(self.lit(self.trail[earlier as usize]));
            }
            if place < end {
                prefix.push(self.lit(self.trail[place as usize]));
            }
        }
        prefix
    }

    fn lit(&self, code: Code) -> Lit {
        Lit::new(self.problem.nodes[code as usize / 2], code & 1 == 1)
    }

    /// Prefixes of the cases that are still to come.
    pub fn remaining(&self) -> Vec<Prefix> {
        let mut remaining = Vec::new();
        if !self.is_at_case && !self.is_over {
            remaining.push(self.prefix());
        }
        for level in self.levels.iter().rev().filter(|level| !level.is_last && !self.is_over) {
            let other = self.lit(self.trail[level.trail as usize] ^ 1);
            remaining.push(self.prefix_before(level.trail).into_iter().chain([other]).collect());
        }
        remaining
    }

    /// The value of an input, by its node; none if it does not matter.
    #[inline]
    pub fn value(&self, node: u32) -> Option<bool> {
        let variable = self.problem.variables[node as usize] as usize;
        match self.truths[2 * variable] {
            Truth::True => Some(true),
            Truth::False => Some(false),
            Truth::Open => None,
        }
    }

    /// A choice that matters and is open: the next one, or an earlier one that has come to matter.
    fn choose(&self) -> Option<(u32, Code)> {
        let next = self.levels.last().map_or(0, |l| l.next) as usize;
        let is = |code: &Code, truth| self.truths[*code as usize] == truth;
        let is_open = |(lit, conditions): &(Code, Box<[Code]>)| {
            is(lit, Truth::Open) && conditions.iter().all(|code| is(code, Truth::True))
        };
        let (earlier, later) = self.problem.choices.split_at(next);
        let later = || Some(next + later.iter().position(is_open)?);
        let position = later().or_else(|| earlier.iter().position(is_open))?;
        Some((position as u32, self.problem.choices[position].0))
    }

    fn decide(&mut self, lit: Code, next: u32, is_last: bool) {
        self.levels.push(Level { trail: self.trail.len() as u32, next, is_last });
        self.assign(lit, Reason::None);
    }

    /// Takes the last decision back that can be taken the other way, and does so.
    fn retreat(&mut self) -> bool {
        while let Some(level) = self.levels.pop() {
            let lit = self.trail[level.trail as usize];
            self.undo(level.trail as usize);
            if !level.is_last {
                self.decide(lit ^ 1, level.next, true);
                if self.mind_facts() {
                    return true;
                }
            }
        }
        false
    }

    /// Assigns the literals that are known to be true whatever is decided; false if one is not.
    fn mind_facts(&mut self) -> bool {
        for index in 0..self.facts.len() {
            let fact = self.facts[index];
            if self.truths[fact as usize] == Truth::False {
                return false;
            }
            if self.truths[fact as usize] == Truth::Open {
                self.taught.push(self.trail.len() as u32);
                self.assign(fact, Reason::None);
            }
            self.reasons[fact as usize / 2] = (Reason::None, 0);
        }
        true
    }

    fn undo(&mut self, trail: usize) {
        for lit in self.trail.drain(trail..) {
            self.truths[lit as usize] = Truth::Open;
            self.truths[lit as usize ^ 1] = Truth::Open;
        }
        self.propagated = trail;
        while self.taught.last().is_some_and(|place| *place as usize >= trail) {
            self.taught.pop();
        }
    }

    #[inline]
    fn assign(&mut self, lit: Code, reason: Reason) {
        if self.truths[lit as usize] == Truth::Open {
            self.truths[lit as usize] = Truth::True;
            self.truths[lit as usize ^ 1] = Truth::False;
            self.reasons[lit as usize / 2] = (reason, self.levels.len() as u32);
            if matches!(reason, Reason::Long(clause) if clause >= self.given) {
                self.taught.push(self.trail.len() as u32);
            }
            self.trail.push(lit);
        }
    }

    /// Assigns what follows; false if that is a contradiction.
    fn propagate(&mut self) -> bool {
        let problem = self.problem.clone();
        while let Some(lit) = self.trail.get(self.propagated) {
            let failed = lit ^ 1;
            self.propagated += 1;
            for other in problem.pairs.of(failed) {
                match self.truths[*other as usize] {
                    Truth::True => {}
                    Truth::Open => self.assign(*other, Reason::Pair(failed)),
                    Truth::False => return self.fails([failed, *other]),
                }
            }
            for [a, b] in problem.triples.of(failed) {
                match [self.truths[*a as usize], self.truths[*b as usize]] {
                    [Truth::True, _] | [_, Truth::True] | [Truth::Open, Truth::Open] => {}
                    [Truth::Open, Truth::False] => self.assign(*a, Reason::Triple([failed, *b])),
                    [Truth::False, Truth::Open] => self.assign(*b, Reason::Triple([failed, *a])),
                    [Truth::False, Truth::False] => return self.fails([failed, *a, *b]),
                }
            }
            if let Some(clause) = self.look_at_long(failed) {
                return self.fails(self.lits[self.range(clause)].to_vec());
            }
        }
        true
    }

    /// Notes that all literals of a clause are false.
    fn fails(&mut self, clause: impl IntoIterator<Item = Code>) -> bool {
        self.conflict.clear();
        self.conflict.extend(clause);
        false
    }

    fn range(&self, clause: u32) -> std::ops::Range<usize> {
        self.starts[clause as usize] as usize..self.starts[clause as usize + 1] as usize
    }

    /// Assigns what follows from the long clauses that have a literal that has become false; gives one that
    /// has nothing else.
    fn look_at_long(&mut self, failed: Code) -> Option<u32> {
        let mut watches = std::mem::take(&mut self.watches[failed as usize]);
        let (mut kept, mut seen, mut conflict) = (0, 0, None);
        while seen < watches.len() && conflict.is_none() {
            let watch = watches[seen];
            seen += 1;
            watches[kept] = watch;
            kept += 1;
            if self.truths[watch.blocker as usize] == Truth::True {
                continue;
            }
            let range = self.range(watch.clause);
            let lits = &mut self.lits[range];
            if lits[0] == failed {
                lits.swap(0, 1);
            }
            let other = lits[0];
            let truth = self.truths[other as usize];
            if truth == Truth::True {
                watches[kept - 1].blocker = other;
                continue;
            }
            match (2..lits.len()).find(|i| self.truths[lits[*i] as usize] != Truth::False) {
                Some(position) => {
                    lits.swap(1, position);
                    let watched = lits[1] as usize;
                    self.watches[watched].push(Watch { clause: watch.clause, blocker: other });
                    kept -= 1;
                }
                None if truth == Truth::False => conflict = Some(watch.clause),
                None => self.assign(other, Reason::Long(watch.clause)),
            }
        }
        watches.copy_within(seen.., kept);
        watches.truncate(kept + watches.len() - seen);
        self.watches[failed as usize] = watches;
        conflict
    }

    /// Learns from a conflict and takes decisions back; false if there is none to be taken the other way.
    fn turn_back(&mut self) -> bool {
        let learned = self.learn();
        if self.is_empty || !self.retreat() {
            return false;
        }
        if let Some(clause) = learned {
            let lits = &self.lits[self.range(clause)];
            let mut open = lits.iter().filter(|lit| self.truths[**lit as usize] != Truth::False);
            if let (Some(lit), None) = (open.next().copied(), open.next()) {
                self.assign(lit, Reason::Long(clause));
            }
        }
        true
    }

    /// A clause that follows from the others and is false: the last decision has one literal in it, the first
    /// that all ways from the decision to the conflict have in common.
    fn learn(&mut self) -> Option<u32> {
        let last = self.levels.len() as u32;
        if last == 0 || self.learned == MOST_LEARNED {
            return None;
        }
        let mut antecedents = std::mem::take(&mut self.conflict);
        let (mut clause, mut marked, mut on_last) = (Vec::new(), Vec::new(), 0);
        let mut position = self.trail.len();
        let found = loop {
            for lit in antecedents.drain(..) {
                let variable = lit as usize / 2;
                let level = self.reasons[variable].1;
                if level == 0 || std::mem::replace(&mut self.is_marked[variable], true) {
                    continue;
                }
                marked.push(variable);
                match level == last {
                    true => on_last += 1,
                    false => clause.push(lit),
                }
            }
            self.is_empty |= on_last == 0 && clause.is_empty();
            if on_last == 0 || clause.len() >= LONGEST * 4 {
                break None;
            }
            let lit = loop {
                position -= 1;
                let lit = self.trail[position];
                let variable = lit as usize / 2;
                if self.is_marked[variable] && self.reasons[variable].1 == last {
                    break lit;
                }
            };
            on_last -= 1;
            if on_last == 0 {
                break Some(lit ^ 1);
            }
            antecedents.extend(self.others(lit));
        };
        self.conflict = antecedents;
        // What follows from other literals of the clause says nothing.
        let follows = |lit: &Code| {
            let (reason, level) = self.reasons[*lit as usize / 2];
            let is_in = |other: Code| {
                let variable = other as usize / 2;
                self.is_marked[variable] && self.reasons[variable].1 != last
                    || self.reasons[variable].1 == 0
            };
            level > 0 && !matches!(reason, Reason::None) && self.others(*lit ^ 1).all(is_in)
        };
        let mut clause: Vec<Code> = clause.iter().copied().filter(|lit| !follows(lit)).collect();
        for variable in marked {
            self.is_marked[variable] = false;
        }
        let first = found.filter(|_| clause.len() < LONGEST)?;
        if clause.is_empty() {
            self.facts.push(first);
            return None;
        }
        clause.sort_unstable_by_key(|lit| std::cmp::Reverse(self.reasons[*lit as usize / 2].1));
        let number = self.starts.len() as u32 - 1;
        self.watches[first as usize].push(Watch { clause: number, blocker: clause[0] });
        self.watches[clause[0] as usize].push(Watch { clause: number, blocker: first });
        self.lits.push(first);
        self.lits.extend(clause);
        self.starts.push(self.lits.len() as u32);
        self.learned += 1;
        Some(number)
    }

    /// The other literals of the clause that a literal is true for.
    fn others(&self, lit: Code) -> impl Iterator<Item = Code> {
        let (few, long) = match self.reasons[lit as usize / 2].0 {
            Reason::None => ([None, None], &[][..]),
            Reason::Pair(a) => ([Some(a), None], &[][..]),
            Reason::Triple([a, b]) => ([Some(a), Some(b)], &[][..]),
            Reason::Long(clause) => ([None, None], &self.lits[self.range(clause)]),
        };
        few.into_iter().flatten().chain(long.iter().copied().filter(move |other| *other != lit))
    }
}

fn code(dimacs: i32) -> Code {
    2 * dimacs.unsigned_abs() + u32::from(dimacs < 0)
}
