//! The rest of a loop, left for later as if it were a call: a loop is a procedure that calls itself at
//! its end (Taghdiri & Jackson, section 4.1), its parameters being the registers that are live at
//! its head.
//!
//! After its first round, what the further rounds may write becomes unknown, and so does the exit that
//! they take. When that turns out to matter, as many rounds are followed as have been so far, and what
//! comes after them is left for later again. A loop is left for later only if none of its ends
//! is asked about: if it counts towards an end and nothing in it can fail, or if nobody asks. All others are
//! followed wherever they can be reached, so that nothing would be gained. A loop whose effects
//! are not known, that makes objects, or that throws what somebody may catch, is unrolled; so is one that
//! had to be followed beyond the bounds, or was refined often, in another run.

use std::collections::BTreeSet;
use std::rc::Rc;

use ir::{BlockId, Body, Code, Constant, Kind, MethodId, Op, Reg, Type};

use crate::code::effects::Effects;
use crate::engine::deferral::{Exit, Output, Place, Reserve, Rest, Rounds, Words};
use crate::engine::{Call, Engine, Frame, Measures, Outcome};
use crate::exec::body::first_line;
use crate::state::atom::Atom;
use crate::state::value::Value;
use crate::state::{Registers, State};

/// What a register may hold.
enum Range {
    Number(Type),
    Objects(Vec<Atom>),
}

impl<'a> Engine<'a> {
    /// Leaves the rounds of a loop for later that the state at its head has still to go, if that is
    /// possible and worth while. Control goes on where the loop may end.
    pub(crate) fn defer_rest(
        &mut self,
        frame: &Frame<'a>,
        head: BlockId,
        rounds: Rounds,
    ) -> Option<Vec<Exit>> {
        if !self.is_deferring() {
            return None;
        }
        let body = frame.body;
        let blocks = body.order().inside(head);
        let waits = |block: &BlockId| frame.waiting[block.index()].is_some();
        if blocks.iter().any(|block| *block != head && waits(block)) {
            return None;
        }
        let (state, registers) = frame.waiting[head.index()].clone()?;
        let method = self.run.stack.last()?.method;
        let effects = self.effects_of_rest((method, body), head, &blocks, &state, &registers)?;
        let params = body.liveness().at(head);
        let args = params.iter().map(|reg| registers[reg.index()].clone());
        let args: Vec<Value> = args.collect::<Option<_>>()?;
        let call = Call { method, args, covered: false, recursion: 0 };
        if !self.can_forget(&call, &effects.at_worst, &state) {
            return None;
        }
        let exits = exits(body, &blocks);
        let written = written(body, &blocks, &exits);
        let ranges: Option<Vec<Range>> =
            written.iter().map(|reg| self.range(body, &blocks, *reg, &state, &registers)).collect();
        let ranges = ranges?;
        if state.is_dead() || exits.is_empty() {
            return None;
        }

        let mut after = state.clone();
        let mut outputs = Vec::new();
        self.forget(&call, &effects.at_worst, &state, &mut after, &mut outputs);
        let mut left = registers.clone();
        for (reg, range) in written.iter().zip(ranges) {
            let unknown = match range {
                Range::Number(ty) => self.unknown(ty, &after),
                Range::Objects(atoms) => self.unknown_among(&atoms),
            };
            left[reg.index()] = Some(unknown.clone());
            outputs.push(Output::new(Place::Register(*reg), unknown));
        }
        let line = first_line(body.block(head));
        for output in &outputs {
            self.name_output(&format!("the loop at line {line}"), &call.args, output);
        }
        let ways = self.ways_out(&exits, after, &left, !effects.failures.any(), &mut outputs);
        let words = Words::of_loop(body, head, params, &written);
        let rest = Rest { line, head, registers, loops: frame.loops.clone(), rounds };
        let deferred = (call, words, Some(rest));
        self.make_one_step(&state);
        self.put_off(deferred, &state, outputs, effects.failures, (false, Reserve::default()));
        Some(ways)
    }

    /// What the rounds of a loop may do, if it can be deferred for all that.
    fn effects_of_rest(
        &mut self,
        (method, body): (MethodId, &Body),
        head: BlockId,
        blocks: &[BlockId],
        state: &State,
        registers: &Registers,
    ) -> Option<Rc<Effects>> {
        let is_object = |reg: &&Reg| match &registers[reg.index()] {
            Some(Value::Ref(r)) => {
                r.restrict(&state.facts, |_| true).is_null() == logic::Lit::FALSE
            }
            _ => false,
        };
        let non_null = body.liveness().at(head).iter().filter(is_object).copied().collect();
        let subject = self.subject();
        let effects = self.analyses.effects.of_loop(subject, (method, body), head, non_null);
        let is_caught = self.run.stack.last().is_some_and(|a| a.covered)
            || blocks.iter().any(|b| !body.block(*b).handlers.is_empty());
        let line = first_line(body.block(head));
        let cannot = (is_caught && effects.failures.throws)
            || effects.failures.among(self.run.limits.asked).any()
            || self.analyses.learned.is_too_long(method, Some(line))
            || self.analyses.learned.is_unrolled(method, line)
            || !effects.at_worst.makes.is_empty();
        (!cannot).then_some(effects)
    }

    /// A state for each way out of a loop. If it surely ends, the last way is that of all others.
    fn ways_out(
        &mut self,
        exits: &[BlockId],
        mut after: State,
        registers: &Registers,
        ends: bool,
        outputs: &mut Vec<Output>,
    ) -> Vec<Exit> {
        let mut ways = Vec::new();
        for (number, to) in exits.iter().enumerate() {
            let mut state = after.clone();
            if !ends || number + 1 < exits.len() {
                let leaves = self.unknown_flag(Place::Exit(*to), outputs);
                state.assume(&mut self.circuit, leaves);
                after.assume(&mut self.circuit, !leaves);
            }
            let (to, registers) = (Some(*to), registers.clone());
            ways.push(Exit { to, state, result: None, registers });
        }
        ways
    }

    /// What a register may hold after some rounds; `None` if that is not known beforehand.
    fn range(
        &mut self,
        body: &Body,
        blocks: &[BlockId],
        reg: Reg,
        state: &State,
        registers: &Registers,
    ) -> Option<Range> {
        match body.registers[reg.index()] {
            Kind::Int => return Some(Range::Number(Type::Int)),
            Kind::Long => return Some(Range::Number(Type::Long)),
            Kind::Float => return Some(Range::Number(Type::Float)),
            Kind::Double => return Some(Range::Number(Type::Double)),
            Kind::Ref => {}
        }
        let mut atoms = BTreeSet::from([Atom::NULL]);
        let (mut seen, mut work) = (BTreeSet::new(), vec![reg]);
        while let Some(reg) = work.pop() {
            if !seen.insert(reg) {
                continue;
            }
            if let Some(Value::Ref(held)) = &registers[reg.index()] {
                atoms.extend(held.entries().iter().map(|e| e.0));
            }
            if blocks.iter().flat_map(|b| &body.block(*b).handlers).any(|h| h.exception == reg) {
                return None;
            }
            let instrs = blocks.iter().flat_map(|b| &body.block(*b).instrs);
            for instr in instrs.filter(|i| i.dst() == Some(reg)) {
                match &instr.op {
                    Op::Move { src, .. } | Op::CheckCast { src, .. } => work.push(*src),
                    Op::Const { value: Constant::Null, .. } => {}
                    op => {
                        let ty = self.read_type(op).filter(|ty| self.is_plain(*ty))?;
                        atoms.extend(self.objects_of(ty.class()?, state));
                    }
                }
            }
        }
        Some(Range::Objects(atoms.into_iter().collect()))
    }

    /// The declared type of what an instruction reads.
    fn read_type(&self, op: &Op) -> Option<Type> {
        match op {
            Op::GetField { field, .. } | Op::GetStatic { field, .. } => {
                Some(self.program.field(self.program.resolve_field(*field).ok()?).ty)
            }
            Op::Invoke { method, .. } => {
                self.program.method(self.program.resolve_method(*method).ok()?).result
            }
            _ => None,
        }
    }

    /// Follows the rest of a loop from a state at its head, and tells where control leaves it.
    pub(super) fn follow_rest(&mut self, method: MethodId, rest: Rest, before: State) -> Vec<Exit> {
        let Code::Body(body) = self.program.code(method) else {
            return Vec::new();
        };
        let Rest { head, registers, loops, rounds, .. } = rest;
        let mut frame = Frame {
            body,
            waiting: vec![None; body.blocks.len()],
            outcome: Outcome::default(),
            loops,
            measures: Measures::default(),
        };
        frame.waiting[head.index()] = Some((before, registers));
        let elements = body.order().rounds(head).unwrap_or_default();
        let mut exits = self.run_rounds(&mut frame, head, elements, rounds);
        if frame.outcome.thrown.is_some() || frame.outcome.normal.is_some() {
            self.break_abstraction();
        }
        for (to, waiting) in frame.waiting.into_iter().enumerate() {
            let Some((state, registers)) = waiting else {
                continue;
            };
            let to = Some(BlockId(to as u32));
            exits.push(Exit { to, state, result: None, registers });
        }
        exits.retain(|exit| !exit.state.is_dead());
        exits
    }
}

/// The blocks to which control leaves a loop.
fn exits(body: &Body, blocks: &[BlockId]) -> Vec<BlockId> {
    let targets = blocks.iter().flat_map(|b| body.block(*b).end.targets());
    let exits: BTreeSet<BlockId> = targets.filter(|to| !blocks.contains(to)).collect();
    exits.into_iter().collect()
}

/// The registers that a loop writes and somebody may read after it.
fn written(body: &Body, blocks: &[BlockId], exits: &[BlockId]) -> Vec<Reg> {
    let live = |reg: &Reg| exits.iter().any(|to| body.liveness().at(*to).contains(reg));
    let instrs = blocks.iter().flat_map(|b| &body.block(*b).instrs);
    let written: BTreeSet<Reg> = instrs.filter_map(|i| i.dst()).filter(live).collect();
    written.into_iter().collect()
}
