//! What a front end hands over: procedures as graphs of small statements, and paths through them.
//!
//! There are assignments, assumptions, calls and returns, as in the paper (section 6.2), besides
//! values that nobody knows and objects that come into being. Everything else of a language is
//! the business of its front end.

use crate::term::{TermId, Terms, VarId};

/// A procedure of the program.
#[derive(Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct ProcId(pub u32);

/// A point of a procedure.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Point(pub u32);

/// One activation of a procedure on a path; the first is that of the entry.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct FrameId(pub u32);

/// Where a variable is kept.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Home {
    /// Nothing can point to it.
    Register,
    /// An object of so many bytes.
    Memory { size: u64 },
}

/// A variable.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Variable {
    /// Its name in the source.
    pub name: String,
    /// The procedure that it is local to; `None` for a global one.
    pub owner: Option<ProcId>,
    /// Its width in bits; that of an aggregate does not matter.
    pub width: u32,
    /// Whether people read its values as unsigned.
    pub unsigned: bool,
    /// Where it is kept.
    pub home: Home,
    /// Whether nobody would know it by its name: made by a front end.
    pub made_up: bool,
}

/// Where a statement stands in the source.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Origin {
    /// The file.
    pub file: String,
    /// The line, from 1; 0 if there is none.
    pub line: u32,
    /// The statement as people read it.
    pub text: String,
}

/// Where a value comes from that nobody knows.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Unknown {
    /// A call of this function, which has no body.
    Result(String),
    /// This variable, which was not initialised.
    NotInitialised(String),
    /// The end of a function that should have returned a value.
    NotReturned,
}

impl std::fmt::Display for Unknown {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Unknown::Result(function) => write!(formatter, "{function}()"),
            Unknown::NotInitialised(name) => write!(formatter, "{name}, not initialised"),
            Unknown::NotReturned => write!(formatter, "a value that was not returned"),
        }
    }
}

/// What a statement does.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Op {
    /// Nothing.
    Skip,
    /// `place` is a variable or a load.
    Assign { place: TermId, value: TermId },
    /// The place gets a value that nobody knows.
    Unknown { place: TermId, why: Unknown },
    /// Executions that go on have this condition.
    Assume(TermId),
    /// Calls a procedure; `result` is a place of the caller.
    Call {
        procedure: ProcId,
        /// The parameters as places of the callee, as many as there are actuals.
        formals: Vec<TermId>,
        actuals: Vec<TermId>,
        result: Option<TermId>,
    },
    /// Leaves the procedure.
    Return { value: Option<TermId> },
    /// The place gets the address of a new object of so many bytes.
    Allocate { place: TermId, size: TermId },
    /// A construct without a model: no execution is followed beyond it.
    Unsupported(String),
}

/// A statement between two points.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Edge {
    /// What it does.
    pub op: Op,
    /// Where it leads.
    pub to: Point,
    /// Where it comes from.
    pub origin: Origin,
}

/// A point and the statements that leave it.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Node {
    /// In the order in which they are tried.
    pub edges: Vec<Edge>,
    /// Whether this is what is looked for.
    pub target: bool,
}

/// A procedure.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Procedure {
    /// Its name.
    pub name: String,
    /// Its parameters.
    pub formals: Vec<VarId>,
    /// Its points; the first is the entry.
    pub nodes: Vec<Node>,
}

/// What there is to have values.
#[derive(Clone, Default, Debug)]
pub struct Space {
    /// All variables.
    pub variables: Vec<Variable>,
    /// Whether memory is read in other widths than it is written in.
    pub bytes: bool,
}

/// A whole program.
#[derive(Clone, Default)]
pub struct Program {
    /// The terms of all statements.
    pub terms: Terms,
    /// Its variables.
    pub space: Space,
    /// All procedures.
    pub procedures: Vec<Procedure>,
    /// Where it starts.
    pub entry: ProcId,
}

impl Program {
    /// A procedure by its id.
    pub fn procedure(&self, id: ProcId) -> &Procedure {
        &self.procedures[id.0 as usize]
    }
}

impl Space {
    /// A variable by its id.
    pub fn variable(&self, id: VarId) -> &Variable {
        &self.variables[id.0 as usize]
    }

    /// Adds a variable.
    pub fn add(&mut self, variable: Variable) -> VarId {
        self.variables.push(variable);
        VarId(self.variables.len() as u32 - 1)
    }
}

/// One activation of a procedure.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Frame {
    /// Of this procedure.
    pub procedure: ProcId,
    /// Called by; `None` for the first.
    pub caller: Option<FrameId>,
    /// The step that called it.
    pub called_by: Option<usize>,
}

/// A statement in an activation.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Step {
    /// The activation whose statement it is; for a call that of the caller.
    pub frame: FrameId,
    /// What it does.
    pub op: Op,
    /// Where it comes from.
    pub origin: Origin,
    /// The point that it leaves.
    pub at: Point,
}

/// A path from the entry.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Path {
    /// The statements in order.
    pub steps: Vec<Step>,
    /// All activations.
    pub frames: Vec<Frame>,
    stack: Vec<FrameId>,
    formals: Vec<Vec<TermId>>,
}

impl Path {
    /// The empty path at the entry of a procedure.
    pub fn new(entry: ProcId) -> Path {
        let first = Frame { procedure: entry, caller: None, called_by: None };
        Path {
            steps: Vec::new(),
            frames: vec![first],
            stack: vec![FrameId(0)],
            formals: vec![Vec::new()],
        }
    }

    /// The activation in which the next statement would be; `None` at the end of the program.
    pub fn frame(&self) -> Option<FrameId> {
        self.stack.last().copied()
    }

    /// The activations on the stack, the innermost last.
    pub fn stack(&self) -> &[FrameId] {
        &self.stack
    }

    /// The procedure of an activation.
    pub fn procedure(&self, frame: FrameId) -> ProcId {
        self.frames[frame.0 as usize].procedure
    }

    /// Goes along a statement of the present activation.
    ///
    /// # Panics
    ///
    /// If the program has ended.
    pub fn push(&mut self, op: Op, origin: Origin, at: Point) {
        let frame = *self.stack.last().expect("a path goes on only while an activation is left");
        let index = self.steps.len();
        match &op {
            Op::Call { procedure, formals, .. } => {
                self.formals.push(formals.clone());
                let callee = FrameId(self.frames.len() as u32);
                self.frames.push(Frame {
                    procedure: *procedure,
                    caller: Some(frame),
                    called_by: Some(index),
                });
                self.stack.push(callee);
            }
            Op::Return { .. } => {
                self.stack.pop();
            }
            Op::Skip
            | Op::Assign { .. }
            | Op::Unknown { .. }
            | Op::Assume(_)
            | Op::Allocate { .. }
            | Op::Unsupported(_) => {}
        }
        self.steps.push(Step { frame, op, origin, at });
    }

    /// The path up to a step, without it.
    pub fn prefix(&self, length: usize) -> Path {
        let mut path = Path::new(self.frames[0].procedure);
        for step in &self.steps[..length] {
            path.push(step.op.clone(), step.origin.clone(), step.at);
        }
        path
    }

    /// The place in the caller that a return fills, and the caller.
    pub fn returns_to(&self, frame: FrameId) -> Option<(FrameId, Option<TermId>)> {
        let frame = &self.frames[frame.0 as usize];
        let call = &self.steps[frame.called_by?];
        match &call.op {
            Op::Call { result, .. } => Some((frame.caller?, *result)),
            _ => None,
        }
    }

    /// The parameters of an activation, as places.
    pub fn formals(&self, frame: FrameId) -> &[TermId] {
        &self.formals[frame.0 as usize]
    }

    /// The activation that a call step begins.
    pub fn called(&self, step: usize) -> Option<FrameId> {
        let found = self.frames.iter().position(|frame| frame.called_by == Some(step))?;
        Some(FrameId(found as u32))
    }
}
