//! The steps of a fixed run, as they happen.

use ir::{Body, FieldId, Instr, Type};
use logic::Bits;

use crate::atom::{Atom, Point};
use crate::engine::Engine;
use crate::state::Registers;
use crate::value::{Ref, Value};

/// What a step changed.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Target {
    Variable(String, Type),
    Field(Atom, FieldId),
    Static(FieldId),
    Element(Atom, u64),
}

/// One line that was executed in given code.
#[derive(Clone, Debug)]
pub(crate) struct RawStep {
    pub point: Point,
    pub depth: u32,
    pub updates: Vec<(Target, Value)>,
}

/// The steps so far.
#[derive(Default)]
pub(crate) struct Trace {
    pub steps: Vec<RawStep>,
    /// Parameters of a call that has just begun: they belong to its first line.
    entering: Vec<(Target, Value)>,
}

impl Engine<'_> {
    /// Control reached another line.
    pub(crate) fn trace_line(&mut self, point: Point, given: bool) {
        let depth = self.stack.iter().filter(|a| a.given).count().saturating_sub(1) as u32;
        if let (Some(trace), true) = (&mut self.trace, given) {
            let updates = std::mem::take(&mut trace.entering);
            trace.steps.push(RawStep { point, depth, updates });
        }
    }

    /// A call of given code begins: its parameters are worth showing.
    pub(crate) fn trace_call(&mut self, method: &ir::Method, args: &[Value]) {
        let nested = self.stack.iter().filter(|a| a.given).count() > 1;
        let Some(trace) = &mut self.trace else {
            return;
        };
        trace.entering.clear();
        if nested && self.stack.last().is_some_and(|a| a.given) {
            let values = &args[usize::from(!method.is_static)..];
            let parameters = method.param_names.iter().zip(&method.params).zip(values);
            trace.entering.extend(
                parameters.map(|((name, ty), value)| {
                    (Target::Variable(name.clone(), *ty), value.clone())
                }),
            );
        }
    }

    /// Control is back in a caller: what it does next belongs to its line, not the callee's.
    pub(crate) fn back_to_caller(&mut self) {
        let Some(activation) = self.stack.last() else {
            return;
        };
        let point = Point { method: activation.method, line: activation.line };
        let given = activation.given;
        let depth = self.stack.iter().filter(|a| a.given).count().saturating_sub(1) as u32;
        if let (Some(trace), true) = (&mut self.trace, given)
            && trace.steps.last().is_some_and(|s| s.depth != depth || s.point != point)
        {
            trace.steps.push(RawStep { point, depth, updates: Vec::new() });
        }
    }

    fn update(&mut self, target: Target, value: &Value) {
        if let Some(step) = self.trace.as_mut().and_then(|t| t.steps.last_mut()) {
            step.updates.retain(|u| u.0 != target);
            step.updates.push((target, value.clone()));
        }
    }

    /// A register was written: if it is a source variable, that is a step's update.
    pub(crate) fn trace_register(&mut self, body: &Body, registers: &Registers, instr: &Instr) {
        if self.trace.is_none() || !self.in_given_code() {
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

    pub(crate) fn trace_field(&mut self, object: &Ref, field: FieldId, value: &Value) {
        if self.trace.is_some()
            && let Some(atom) = object.as_constant()
            && self.program.class(self.program.field(field).class).is_ok_and(|c| c.is_given())
        {
            self.update(Target::Field(atom, field), value);
        }
    }

    pub(crate) fn trace_static(&mut self, field: FieldId, value: &Value) {
        if self.trace.is_some()
            && self.program.class(self.program.field(field).class).is_ok_and(|c| c.is_given())
        {
            self.update(Target::Static(field), value);
        }
    }

    pub(crate) fn trace_element(&mut self, array: &Ref, index: &Bits, value: &Value) {
        if self.trace.is_some()
            && self.in_given_code()
            && let (Some(atom), Some(index)) = (array.as_constant(), index.as_constant())
        {
            self.update(Target::Element(atom, index), value);
        }
    }
}
