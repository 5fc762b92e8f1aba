//! The steps of a fixed run, as they happen.

use ir::{Body, FieldId, Instr, Type};
use logic::Bits;

use crate::engine::Engine;
use crate::engine::trace::{RawStep, Target, Variable};
use crate::state::Registers;
use crate::state::atom::Point;
use crate::state::heap::Heap;
use crate::state::value::{Ref, Value};

/// Steps that are remembered with variables and heap. A run that goes on much longer, or for ever, is
/// nobody's to step through.
const DETAILED: usize = 5_000;

impl Engine<'_> {
    /// Control reached another line.
    pub(super) fn trace_line(&mut self, body: &Body, pc: u32, heap: &Heap) {
        let Some(activation) = self.run.stack.last_mut().filter(|_| self.run.trace.is_some())
        else {
            return;
        };
        // What holds a variable that has gone out of scope may hold anything by now.
        activation.locals.retain(|local| {
            let mut same = body.variables.iter().filter(|v| *v.name == *local.name).peekable();
            same.peek().is_none() || same.any(|v| v.start <= pc && pc < v.end)
        });
        self.begin_step(Some(heap.clone()));
    }

    /// The step before has ended with this heap, and the line of the innermost activation is
    /// another step if it is in given code.
    fn begin_step(&mut self, heap: Option<Heap>) {
        let depth = self.run.stack.iter().filter(|a| a.given).count().saturating_sub(1) as u32;
        let (Some(trace), Some(activation)) = (&mut self.run.trace, self.run.stack.last()) else {
            return;
        };
        if !activation.given {
            return;
        }
        let detailed = trace.steps.len() < DETAILED;
        if let Some(before) = trace.steps.last_mut().filter(|_| detailed) {
            before.heap = heap;
        }
        let point = Point { method: activation.method, line: activation.line };
        let updates = std::mem::take(&mut trace.entering);
        let locals = if detailed { activation.locals.clone() } else { Vec::new() };
        trace.steps.push(RawStep { point, depth, updates, locals, heap: None });
    }

    /// A call of given code begins: its parameters are worth showing.
    pub(super) fn trace_call(&mut self, method: &ir::Method, args: &[Value]) {
        let nested = self.run.stack.iter().filter(|a| a.given).count() > 1;
        let Some(trace) = &mut self.run.trace else {
            return;
        };
        trace.entering.clear();
        let Some(activation) = self.run.stack.last_mut().filter(|a| a.given) else {
            return;
        };
        let (this, values) = args.split_at(usize::from(!method.is_static));
        let this = this.iter().map(|value| Variable {
            name: "this".into(),
            ty: Type::Ref(method.class),
            value: value.clone(),
        });
        let parameters = method.param_names.iter().zip(&method.params).zip(values);
        let parameters = parameters.map(|((name, ty), value)| Variable {
            name: name.clone(),
            ty: *ty,
            value: value.clone(),
        });
        activation.locals = this.chain(parameters).collect();
        if nested {
            let shown = activation.locals.iter().skip(usize::from(!method.is_static));
            trace
                .entering
                .extend(shown.map(|l| (Target::Variable(l.name.clone(), l.ty), l.value.clone())));
        }
    }

    /// Control is back in a caller: what it does next belongs to its line, not the callee's.
    pub(super) fn back_to_caller(&mut self, heap: Option<Heap>) {
        let (Some(trace), Some(activation)) = (&mut self.run.trace, self.run.stack.last()) else {
            return;
        };
        let point = Point { method: activation.method, line: activation.line };
        let depth = self.run.stack.iter().filter(|a| a.given).count().saturating_sub(1) as u32;
        if trace.steps.last().is_some_and(|s| s.depth != depth || s.point != point) {
            trace.entering.clear();
            self.begin_step(heap);
        }
    }

    fn update(&mut self, target: Target, value: &Value) {
        let detailed = self.run.trace.as_ref().is_some_and(|t| t.steps.len() <= DETAILED);
        if let Some(step) = self.run.trace.as_mut().and_then(|t| t.steps.last_mut()) {
            if let (Target::Variable(name, ty), Some(activation)) =
                (&target, self.run.stack.last_mut())
            {
                match activation.locals.iter_mut().find(|l| l.name == *name) {
                    Some(local) => (local.ty, local.value) = (*ty, value.clone()),
                    None => {
                        let (name, ty, value) = (name.clone(), *ty, value.clone());
                        activation.locals.push(Variable { name, ty, value });
                    }
                }
                if detailed {
                    step.locals.clone_from(&activation.locals);
                }
            }
            step.updates.retain(|u| u.0 != target);
            step.updates.push((target, value.clone()));
        }
    }

    /// A register was written: if it is a source variable, that is a step's update.
    pub(super) fn trace_register(&mut self, body: &Body, registers: &Registers, instr: &Instr) {
        if self.run.trace.is_none() || !self.in_given_code() {
            return;
        }
        let Some(dst) = instr.dst() else {
            return;
        };
        // A variable's range starts after the instruction that writes it for the first time.
        let variable = body.variable_at(dst, instr.pc).or_else(|| {
            body.variables
                .iter()
                .find(|v| v.reg == dst && v.start > instr.pc && v.start <= instr.pc + 3)
        });
        if let (Some(variable), Some(value)) = (variable, registers[dst.index()].clone()) {
            self.update(Target::Variable(variable.name.to_string(), variable.ty), &value);
        }
    }

    pub(super) fn trace_field(&mut self, object: &Ref, field: FieldId, value: &Value) {
        if self.run.trace.is_some()
            && let Some(atom) = object.as_constant()
            && self.program.class(self.program.field(field).class).is_ok_and(|c| c.is_given())
        {
            self.update(Target::Field(atom, field), value);
        }
    }

    pub(super) fn trace_static(&mut self, field: FieldId, value: &Value) {
        if self.run.trace.is_some()
            && self.program.class(self.program.field(field).class).is_ok_and(|c| c.is_given())
        {
            self.update(Target::Static(field), value);
        }
    }

    pub(super) fn trace_element(&mut self, array: &Ref, index: &Bits, value: &Value) {
        if self.run.trace.is_some()
            && self.in_given_code()
            && let (Some(atom), Some(index)) = (array.as_constant(), index.as_constant())
        {
            self.update(Target::Element(atom, index), value);
        }
    }
}
