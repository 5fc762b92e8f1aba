//! Which numbers of the input a method calculates with, as far as the code shows at a glance.
//!
//! Registers, fields and results are nodes, moves between them edges; what flows into an operand
//! of an arithmetic instruction, into an index or a length needs bits. The methods are those that
//! the checked method may call among the given code. Nothing depends on this being complete: what
//! is missed is noticed when it has been encoded, and only costs a second run.

use std::collections::{BTreeMap, BTreeSet};

use ir::{BinaryOp, BlockId, Body, Code, MethodId, Op, Program, Reg, Terminator, Type, UnaryOp};

use crate::code::{Subject, callees};
use crate::state::leaves::LeafClass;

/// What a number passes through.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Place {
    Register(Version),
    Result(MethodId),
    Input(LeafClass),
}

/// A register as an instruction leaves it. One instruction's register has nothing to do with the
/// next one's: compilers use them again.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Version {
    method: MethodId,
    block: BlockId,
    /// 0 where the block starts, n after its n-th instruction.
    since: u32,
    reg: Reg,
}

impl Version {
    fn at_start(method: MethodId, block: BlockId, reg: Reg) -> Place {
        Place::Register(Version { method, block, since: 0, reg })
    }
}

struct Flow<'a> {
    subject: Subject<'a>,
    program: &'a Program,
    /// For each place the places that it is filled from.
    sources: BTreeMap<Place, Vec<Place>>,
    needs_bits: Vec<Place>,
    methods: Vec<MethodId>,
    seen: BTreeSet<MethodId>,
}

/// Classes of leaves that the code of a method calculates with.
pub fn calculated_with(subject: Subject<'_>, method: MethodId) -> BTreeSet<LeafClass> {
    let mut flow = Flow {
        subject,
        program: subject.program,
        sources: BTreeMap::new(),
        needs_bits: Vec::new(),
        methods: vec![method],
        seen: BTreeSet::from([method]),
    };
    if let Code::Body(body) = subject.program.code(method) {
        let receiver = usize::from(!subject.program.method(method).is_static);
        for (number, reg) in body.params.iter().skip(receiver).enumerate() {
            let input = Place::Input(LeafClass::Parameter(number as u32));
            flow.moves(input, Version::at_start(method, BlockId(0), *reg));
        }
    }
    while let Some(method) = flow.methods.pop() {
        if let Code::Body(body) = subject.program.code(method) {
            flow.walk(method, body);
        }
    }
    flow.inputs()
}

impl Flow<'_> {
    fn moves(&mut self, from: Place, to: Place) {
        self.sources.entry(to).or_default().push(from);
    }

    fn fills(&mut self, from: Place, to: Option<Place>) {
        if let Some(to) = to {
            self.moves(from, to);
        }
    }

    fn walk(&mut self, method: MethodId, body: &Body) {
        for (index, block) in body.blocks.iter().enumerate() {
            let id = BlockId(index as u32);
            let mut now = vec![0; body.registers.len()];
            let version =
                |since: u32, reg: Reg| Place::Register(Version { method, block: id, since, reg });
            for (number, instr) in block.instrs.iter().enumerate() {
                let since = number as u32 + 1;
                let at = |reg: &Reg| version(now[reg.index()], *reg);
                let dst = instr.dst().map(|reg| version(since, reg));
                self.instruction(&instr.op, at, dst);
                if let Some(reg) = instr.dst() {
                    now[reg.index()] = since;
                    for handler in &block.handlers {
                        let caught = Version::at_start(method, handler.target, reg);
                        self.moves(version(since, reg), caught);
                    }
                }
            }
            for target in block.successors() {
                for reg in body.liveness().at(target) {
                    let there = Version::at_start(method, target, *reg);
                    self.moves(version(now[reg.index()], *reg), there);
                }
            }
            if let Terminator::Return(Some(reg)) = &block.end {
                self.moves(version(now[reg.index()], *reg), Place::Result(method));
            }
        }
    }

    /// `at` gives the places of operands.
    fn instruction(&mut self, op: &Op, at: impl Fn(&Reg) -> Place, result: Option<Place>) {
        let element = |ty: &Option<Type>| match ty {
            Some(Type::Int) => Some(Place::Input(LeafClass::Element(32))),
            Some(Type::Long) => Some(Place::Input(LeafClass::Element(64))),
            _ => None,
        };
        match op {
            Op::Move { src, .. } | Op::Unary { op: UnaryOp::IntToLong, src, .. } => {
                self.fills(at(src), result);
            }
            Op::Unary { src, .. } => self.needs_bits.push(at(src)),
            Op::Binary { op: BinaryOp::CompareLong, .. } => {}
            Op::Binary { left, right, .. } => self.needs_bits.extend([at(left), at(right)]),
            Op::GetField { field, .. } => {
                if let Ok(field) = self.program.resolve_field(*field) {
                    self.fills(Place::Input(LeafClass::Field(field)), result);
                }
            }
            Op::PutField { field, src, .. } => {
                if let Ok(field) = self.program.resolve_field(*field) {
                    self.moves(at(src), Place::Input(LeafClass::Field(field)));
                }
            }
            Op::GetStatic { field, .. } => {
                if let Ok(field) = self.program.resolve_field(*field) {
                    self.fills(Place::Input(LeafClass::Static(field)), result);
                }
            }
            Op::PutStatic { field, src } => {
                if let Ok(field) = self.program.resolve_field(*field) {
                    self.moves(at(src), Place::Input(LeafClass::Static(field)));
                }
            }
            Op::ArrayLoad { index, element: ty, .. } => {
                self.needs_bits.push(at(index));
                if let Some(element) = element(ty) {
                    self.fills(element, result);
                }
            }
            Op::ArrayStore { index, src, element: ty, .. } => {
                self.needs_bits.push(at(index));
                if let Some(element) = element(ty) {
                    self.moves(at(src), element);
                }
            }
            Op::NewArray { length, .. } => self.needs_bits.push(at(length)),
            Op::NewMultiArray { lengths, .. } => self.needs_bits.extend(lengths.iter().map(at)),
            Op::Invoke { kind, method: called, args, .. } => {
                let args: Vec<Place> = args.iter().map(&at).collect();
                for target in callees::targets(self.subject, *kind, *called) {
                    self.call(target, &args, result);
                }
            }
            Op::Const { .. }
            | Op::ArrayLength { .. }
            | Op::New { .. }
            | Op::InstanceOf { .. }
            | Op::CheckCast { .. }
            | Op::Concat { .. }
            | Op::NullCheck { .. }
            | Op::Mark { .. }
            | Op::Unsupported { .. } => {}
        }
    }

    fn call(&mut self, target: MethodId, args: &[Place], result: Option<Place>) {
        let Code::Body(body) = self.program.code(target) else {
            return;
        };
        for (reg, arg) in body.params.iter().zip(args) {
            self.moves(*arg, Version::at_start(target, BlockId(0), *reg));
        }
        if let Some(result) = result {
            self.moves(Place::Result(target), result);
        }
        if self.seen.insert(target) {
            self.methods.push(target);
        }
    }

    /// Inputs that lead to a place that needs bits.
    fn inputs(mut self) -> BTreeSet<LeafClass> {
        let mut reached: BTreeSet<Place> = BTreeSet::new();
        while let Some(place) = self.needs_bits.pop() {
            if reached.insert(place) {
                self.needs_bits.extend(self.sources.get(&place).into_iter().flatten());
            }
        }
        let inputs = reached.into_iter().filter_map(|place| match place {
            Place::Input(class) => Some(class),
            Place::Register(..) | Place::Result(_) => None,
        });
        inputs.collect()
    }
}
