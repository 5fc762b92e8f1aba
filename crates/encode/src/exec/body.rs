//! Executing bodies: blocks in weak topological order, loops unrolled, states joined.

use ir::order::Element;
use ir::{Block, BlockId, Body, Cond, Handler, Terminator};
use logic::{Bits, Lit};

use crate::engine::deferral::{Exit, Rounds};
use crate::engine::{Engine, Escape, Frame, Measures, Outcome, Turn};
use crate::exec::by_object::{Count, Visits};
use crate::exec::lasso::Past;
use crate::state::goal::Goal;
use crate::state::value::{Ref, Value};
use crate::state::{Registers, State};

/// Rounds in which a constant guard keeps control inside while some executions leave the loop elsewhere:
/// so many weigh as much as one whose guard is not constant. Most such loops are counted and end by
/// themselves; but one that ends by nothing else may go on for ever.
const LEFT_FOR_COUNTED: u32 = 64;
/// The number of these rounds after which the loop is first asked whether it goes round in a circle.
const FIRST_LOOK_BACK: u32 = 16;

impl<'a> Engine<'a> {
    /// Runs a body from its entry.
    pub(super) fn run_body(&mut self, body: &'a Body, args: Vec<Value>, state: State) -> Outcome {
        let mut registers: Registers = vec![None; body.registers.len()];
        for (reg, value) in body.params.iter().zip(args) {
            registers[reg.index()] = Some(value);
        }
        let mut frame = Frame {
            body,
            waiting: vec![None; body.blocks.len()],
            outcome: Outcome::default(),
            loops: Vec::new(),
            measures: Measures::default(),
        };
        frame.waiting[0] = self.enter_block(&frame, state, BlockId(0)).map(|s| (s, registers));
        self.run_elements(&mut frame, &body.order().elements);
        if self.run.meter.exhausted().is_none() {
            // The order visits every block after everything that leads to it; should that ever
            // fail, the executions that were left behind must not count as followed.
            for (mut state, _) in frame.waiting.iter_mut().filter_map(Option::take) {
                self.unsupported(&mut state, "control flow that was not followed");
            }
        }
        frame.outcome
    }

    fn run_elements(&mut self, frame: &mut Frame<'a>, elements: &[Element]) {
        for element in elements {
            match element {
                Element::Block(block) => self.run_block(frame, *block),
                Element::Loop { head, body } => self.run_loop(frame, *head, body),
            }
        }
    }

    fn run_loop(&mut self, frame: &mut Frame<'a>, head: BlockId, body: &[Element]) {
        frame.forget_variants(head);
        for exit in self.run_rounds(frame, head, body, Rounds::default()) {
            if let Some(to) = exit.to {
                self.enqueue(frame, to, exit.state, exit.registers);
            }
        }
    }

    /// Iterates a loop until no state is left in it. Iterations in which a constant guard keeps
    /// control inside are free; the others count against the limit. If the rest is left for later,
    /// the result is what may come of it.
    pub(crate) fn run_rounds(
        &mut self,
        frame: &mut Frame<'a>,
        head: BlockId,
        body: &[Element],
        mut rounds: Rounds,
    ) -> Vec<Exit> {
        let pause = (2 * rounds.number).max(1);
        let mut by_constant = true;
        let mut visits = Visits::default();
        let mut past = Past::default();
        loop {
            let waiting = frame.waiting[head.index()].as_ref();
            let chosen = waiting.and_then(|(state, _)| self.is_one_step(state));
            let is_time = !by_constant && rounds.number >= pause && !visits.is_visiting();
            if chosen.unwrap_or(is_time) {
                if let Some(exits) = self.defer_rest(frame, head, rounds) {
                    frame.waiting[head.index()] = None;
                    return exits;
                }
                if chosen.is_some() {
                    return self.follow_as_one_step(frame, head, body, rounds);
                }
            }
            let number = rounds.number;
            let count = self.next_visit(frame, head, &mut visits);
            if count != Count::Free
                && (self.comes_back(frame, head, &mut past)
                    || !self.loop_goes_on(frame, head, rounds, &past))
            {
                return Vec::new();
            }
            let guard = frame.waiting[head.index()].as_ref().map(|(state, _)| state.guard);
            frame.loops.push(Turn::new(head, visits.turn(number)));
            self.run_block(frame, head);
            self.run_elements(frame, body);
            let turn = frame.loops.pop().expect("pushed above");
            by_constant = turn.by_constant;
            let after = frame.waiting[head.index()].as_ref().map(|(state, _)| state.guard);
            match count {
                Count::Free => {}
                Count::UnlessConstant if !turn.by_constant => rounds.counted += 1,
                Count::UnlessConstant => rounds.left += u32::from(after != guard),
                Count::Always => rounds.counted += 1,
            }
            rounds.number += 1;
        }
    }

    /// Iterates the rest of a loop that has no nodes of its own.
    fn follow_as_one_step(
        &mut self,
        frame: &mut Frame<'a>,
        head: BlockId,
        body: &[Element],
        rounds: Rounds,
    ) -> Vec<Exit> {
        let innermost = self.run.stack.len() - 1;
        self.run.stack[innermost].one_step = Some(head);
        let exits = self.run_rounds(frame, head, body, rounds);
        self.run.stack[innermost].one_step = None;
        exits
    }

    fn loop_goes_on(
        &mut self,
        frame: &mut Frame<'a>,
        head: BlockId,
        rounds: Rounds,
        past: &Past,
    ) -> bool {
        let order = frame.body.order();
        let inside = |b: usize| order.stays_in(head, BlockId(b as u32));
        if frame.waiting[head.index()].is_none() {
            // Only an irreducible graph leaves states inside without passing the head.
            return (0..frame.waiting.len()).any(|b| inside(b) && frame.waiting[b].is_some());
        }
        if rounds.number == 0 {
            return true;
        }
        let Rounds { counted, left, .. } = rounds;
        let is_long = counted > self.run.limits.iterations
            || left > self.run.limits.iterations.saturating_mul(LEFT_FOR_COUNTED);
        let is_time = is_long || left >= FIRST_LOOK_BACK && left.is_power_of_two();
        if is_time && self.run.limits.circles {
            self.end_lassos(frame, head, past);
        }
        let Some((state, _)) = &frame.waiting[head.index()] else {
            return false;
        };
        let (guard, node) = (state.guard, state.node);
        if is_long {
            let line = first_line(frame.body.block(head));
            let what = self.describe_loop(line);
            let at = self.user_point();
            self.add_end(Goal::Cut { what, at }, node, guard);
            frame.waiting[head.index()] = None;
            return false;
        }
        if (counted > 0 || is_time) && self.is_impossible(guard) {
            frame.waiting[head.index()] = None;
            return false;
        }
        true
    }

    fn describe_loop(&mut self, line: u32) -> String {
        let Some(activation) = self.run.stack.last_mut() else {
            return "a loop".into();
        };
        if activation.given {
            activation.line = line;
            return "loop".into();
        }
        format!("loop in {}", self.program.method_name(activation.method))
    }

    /// Executes one block from the state that waits there, if any.
    fn run_block(&mut self, frame: &mut Frame<'a>, id: BlockId) {
        let Some((mut state, mut registers)) = frame.waiting[id.index()].take() else {
            return;
        };
        if state.is_dead() {
            return;
        }
        let block = frame.body.block(id);
        if let Some(activation) = self.run.stack.last_mut() {
            activation.block = Some(id);
        }
        for instr in &block.instrs {
            if !self.tick(state.guard) {
                return;
            }
            self.at_line(frame.body, instr.pc, instr.line, &state);
            self.step(frame, block, &mut state, &mut registers, instr);
            if state.is_dead() {
                return;
            }
            self.trace_register(frame.body, &registers, instr);
        }
        if self.tick(state.guard) {
            self.at_line(frame.body, block.end_pc, block.end_line, &state);
            self.finish_block(frame, id, state, registers);
        }
    }

    fn at_line(&mut self, body: &Body, pc: u32, line: u32, state: &State) {
        if let Some(activation) = self.run.stack.last_mut()
            && line != 0
            && activation.line != line
        {
            activation.line = line;
            self.trace_line(body, pc, &state.heap);
        }
    }

    fn finish_block(
        &mut self,
        frame: &mut Frame<'a>,
        id: BlockId,
        mut state: State,
        registers: Registers,
    ) {
        let block = frame.body.block(id);
        match &block.end {
            Terminator::Goto(target) => self.enqueue(frame, *target, state, registers),
            Terminator::Branch { cond, then, other } => {
                let lit = self.condition(&state, &registers, cond);
                self.name_condition(&registers, cond, lit);
                self.branch(frame, id, state, registers, lit, *then, *other);
            }
            Terminator::Switch { value, cases, default } => {
                let value = bits(&registers, *value);
                self.switch(frame, id, state, registers, &value, cases, *default);
            }
            Terminator::Return(value) => {
                let value = value.map(|r| register(&registers, r));
                self.leave_normally(frame, state, value);
            }
            Terminator::Throw(reg) => {
                let exception = reference(&registers, *reg);
                let null = exception.is_null();
                self.raise_if(
                    frame,
                    block,
                    &mut state,
                    &registers,
                    null,
                    crate::state::goal::Property::NullDereference,
                );
                if !state.is_dead() {
                    let exception =
                        exception.restrict(&state.facts, |a| a != crate::state::atom::Atom::NULL);
                    self.route(frame, &block.handlers, state, &registers, exception);
                }
            }
            Terminator::Unsupported { what } => self.unsupported(&mut state, &**what),
        }
    }

    /// Follows both sides of a branch that are possible.
    #[allow(clippy::too_many_arguments)]
    fn branch(
        &mut self,
        frame: &mut Frame<'a>,
        from: BlockId,
        state: State,
        registers: Registers,
        cond: Lit,
        then: BlockId,
        other: BlockId,
    ) {
        let cond = state.facts.fold(cond);
        if let Some(taken) = cond.constant() {
            let (to, avoided) = if taken { (then, other) } else { (other, then) };
            note_constant_guard(frame, from, to, &[avoided]);
            self.enqueue(frame, to, state, registers);
            return;
        }
        let guard = state.guard;
        let (mut positive, mut negative) = (state.clone(), state);
        positive.assume(&mut self.circuit, cond);
        negative.assume(&mut self.circuit, !cond);
        // Where no execution goes the other way, the condition need not be part of the guard.
        let elsewhere = [then, other].map(|to| self.is_elsewhere(frame, &positive, to));
        match elsewhere {
            [true, false] if !negative.is_dead() => negative.guard = guard,
            [false, true] if !positive.is_dead() => positive.guard = guard,
            _ => {}
        }
        self.enqueue(frame, then, positive, registers.clone());
        self.enqueue(frame, other, negative, registers);
    }

    #[allow(clippy::too_many_arguments)]
    fn switch(
        &mut self,
        frame: &mut Frame<'a>,
        from: BlockId,
        mut state: State,
        registers: Registers,
        value: &Bits,
        cases: &[(i32, BlockId)],
        default: BlockId,
    ) {
        if let Some(value) = value.as_signed() {
            let case = cases.iter().find(|c| i64::from(c.0) == value);
            let to = case.map_or(default, |c| c.1);
            let avoided: Vec<BlockId> =
                cases.iter().map(|c| c.1).chain([default]).filter(|b| *b != to).collect();
            note_constant_guard(frame, from, to, &avoided);
            self.enqueue(frame, to, state, registers);
            return;
        }
        for (key, target) in cases {
            let key = Bits::constant(32, *key as u32 as u64);
            let hit = self.circuit.bits_eq(value, &key);
            let hit = state.facts.fold(hit);
            if hit == Lit::FALSE {
                continue;
            }
            let mut taken = state.clone();
            taken.assume(&mut self.circuit, hit);
            self.enqueue(frame, *target, taken, registers.clone());
            state.assume(&mut self.circuit, !hit);
            if state.is_dead() {
                return;
            }
        }
        self.enqueue(frame, default, state, registers);
    }

    /// The literal of a branch condition.
    fn condition(&mut self, state: &State, registers: &Registers, cond: &Cond) -> Lit {
        match *cond {
            Cond::Int(compare, a, b) => {
                let (a, b) = (bits(registers, a), bits(registers, b));
                self.compare(compare, &a, &b)
            }
            Cond::Zero(compare, a) => {
                let a = bits(registers, a);
                let zero = Bits::constant(32, 0);
                self.compare(compare, &a, &zero)
            }
            Cond::SameRef(a, b) => {
                let (a, b) = (reference(registers, a), reference(registers, b));
                let a = a.restrict(&state.facts, |_| true);
                let b = b.restrict(&state.facts, |_| true);
                self.same_object(&state.heap, &a, &b)
            }
            Cond::DifferentRef(a, b) => !self.condition(state, registers, &Cond::SameRef(a, b)),
            Cond::Null(a) => reference(registers, a).restrict(&state.facts, |_| true).is_null(),
            Cond::NonNull(a) => !self.condition(state, registers, &Cond::Null(a)),
        }
    }

    fn compare(&mut self, compare: ir::body::Compare, a: &Bits, b: &Bits) -> Lit {
        use ir::body::Compare;
        match compare {
            Compare::Eq => self.circuit.bits_eq(a, b),
            Compare::Ne => !self.circuit.bits_eq(a, b),
            Compare::Lt => self.circuit.lt_signed(a, b),
            Compare::Ge => !self.circuit.lt_signed(a, b),
            Compare::Gt => self.circuit.lt_signed(b, a),
            Compare::Le => !self.circuit.lt_signed(b, a),
        }
    }

    /// Lets a state wait at a block, joining it with what waits there.
    fn enqueue(&mut self, frame: &mut Frame<'a>, to: BlockId, state: State, regs: Registers) {
        if state.is_dead() {
            return;
        }
        let Some(state) = self.enter_block(frame, state, to) else {
            return;
        };
        let waiting = frame.waiting[to.index()].take();
        let joined = self.join_waiting(frame, to, waiting, state, regs);
        frame.waiting[to.index()] = Some(joined);
    }

    /// Joins a state with what waits to run the same block.
    pub(super) fn join_waiting(
        &mut self,
        frame: &Frame<'a>,
        to: BlockId,
        waiting: Option<(State, Registers)>,
        state: State,
        mut regs: Registers,
    ) -> (State, Registers) {
        let live = frame.body.liveness().at(to);
        match waiting {
            None => {
                let mut kept: Registers = vec![None; regs.len()];
                for reg in live {
                    kept[reg.index()] = regs[reg.index()].take();
                }
                (state, kept)
            }
            Some((mut waiting, mut registers)) => {
                let from_waiting = self.join(&mut waiting, state);
                self.join_registers(from_waiting, &mut registers, regs, live);
                (waiting, registers)
            }
        }
    }

    fn leave_normally(&mut self, frame: &mut Frame<'a>, state: State, value: Option<Value>) {
        let Some(state) = self.leave(state, false) else {
            return;
        };
        self.note_exit(&state, &value);
        let joined = match frame.outcome.normal.take() {
            None => (state, value),
            Some(earlier) => self.join_results(earlier, (state, value)),
        };
        frame.outcome.normal = Some(joined);
    }

    /// Joins two normal ends of a call.
    pub(crate) fn join_results(
        &mut self,
        (mut a, x): (State, Option<Value>),
        (b, y): (State, Option<Value>),
    ) -> (State, Option<Value>) {
        debug_assert!(a.node == b.node, "two ends of a call meet at one node");
        let from_a = self.join(&mut a, b);
        let value = match (x, y) {
            (Some(x), Some(y)) => {
                Some(crate::state::value::choose(&mut self.circuit, from_a, &x, &y))
            }
            (x, y) => x.or(y),
        };
        (a, value)
    }

    /// Takes an exception to the handlers that may catch it, and out of the frame where none
    /// does.
    pub(super) fn route(
        &mut self,
        frame: &mut Frame<'a>,
        handlers: &[Handler],
        mut state: State,
        registers: &Registers,
        mut exception: Ref,
    ) {
        for handler in handlers {
            self.refuse_unknown_catch(&mut state, handler, &exception);
            let caught: Vec<Lit> = exception
                .objects()
                .filter(|(atom, _)| handler.class.is_none_or(|c| self.atom_is_a(*atom, c)))
                .map(|e| e.1)
                .collect();
            if caught.is_empty() {
                continue;
            }
            let all = caught.len() == exception.entries().len();
            let caught = if all { Lit::TRUE } else { self.circuit.or_all(caught) };
            let fits = |e: &Engine, a| handler.class.is_none_or(|c| e.atom_is_a(a, c));
            let mut here = state.clone();
            here.assume(&mut self.circuit, caught);
            let mut regs = registers.clone();
            let seen = exception.restrict(&here.facts, |a| fits(self, a));
            regs[handler.exception.index()] = Some(Value::Ref(seen));
            self.enqueue(frame, handler.target, here, regs);
            if all {
                return;
            }
            state.assume(&mut self.circuit, !caught);
            exception = exception.restrict(&state.facts, |a| !fits(self, a));
        }
        self.leave_by_exception(&mut frame.outcome, state, exception);
    }

    /// Whether a handler catches an input exception of unknown class can only be told if it
    /// catches all of the declared type, or none.
    fn refuse_unknown_catch(&mut self, state: &mut State, handler: &Handler, exception: &Ref) {
        let Some(class) = handler.class else {
            return;
        };
        for (atom, lit) in exception.objects() {
            let declared = self.atoms.class(atom);
            if self.is_unknown(atom)
                && !self.atom_is_a(atom, class)
                && self.program.is_subtype(class, declared)
            {
                let name = self.program.class_name(declared).to_string();
                self.unsupported_if(state, lit, || format!("catching an input of type {name}"));
            }
        }
    }

    /// An exception leaves the innermost activation.
    pub(crate) fn leave_by_exception(
        &mut self,
        outcome: &mut Outcome,
        state: State,
        exception: Ref,
    ) {
        if state.is_dead() {
            return;
        }
        if self.run.stack.last().is_some_and(|a| !a.covered) {
            // Nobody can catch it: no need to join it with anything.
            self.run.ended.escapes.push(Escape { state, exception });
            return;
        }
        let Some(state) = self.leave(state, true) else {
            return;
        };
        let joined = match outcome.thrown.take() {
            None => (state, exception),
            Some((earlier, other)) => {
                let other = (earlier, Some(Value::Ref(other)));
                let (state, value) = self.join_results(other, (state, Some(Value::Ref(exception))));
                let value = value.expect("both ends had a value");
                (state, value.reference().clone())
            }
        };
        outcome.thrown = Some(joined);
    }
}

impl Frame<'_> {
    /// A loop is entered anew: what its clauses compare with starts afresh.
    fn forget_variants(&mut self, head: BlockId) {
        for instr in &self.body.block(head).instrs {
            if let ir::Op::Mark { number, .. } = instr.op {
                self.measures.counted.remove(&(number | 1 << 31));
                self.measures.variants.retain(|key, _| key.0 != number);
                self.measures.entered.retain(|key, _| key.0 != number);
            }
        }
    }
}

/// Remembers that a constant guard chose `to` over leaving a loop.
fn note_constant_guard(frame: &mut Frame<'_>, from: BlockId, to: BlockId, avoided: &[BlockId]) {
    let order = frame.body.order();
    for turn in &mut frame.loops {
        let stays = order.stays_in(turn.head, from) && order.stays_in(turn.head, to);
        if stays && avoided.iter().any(|b| !order.stays_in(turn.head, *b)) {
            turn.by_constant = true;
        }
    }
}

pub(crate) fn first_line(block: &Block) -> u32 {
    block.instrs.first().map_or(block.end_line, |i| i.line)
}

/// The value of a register. The validator guarantees that it was written.
pub(crate) fn register(registers: &Registers, reg: ir::Reg) -> Value {
    registers[reg.index()].clone().expect("the validator saw a write before this read")
}

pub(crate) fn bits(registers: &Registers, reg: ir::Reg) -> Bits {
    registers[reg.index()].as_ref().expect("the validator saw a write").bits().clone()
}

pub(crate) fn reference(registers: &Registers, reg: ir::Reg) -> Ref {
    registers[reg.index()].as_ref().expect("the validator saw a write").reference().clone()
}
