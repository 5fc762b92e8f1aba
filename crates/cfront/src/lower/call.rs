//! Calls: of functions with bodies, of those with a meaning of their own, and of unknown ones.

use super::{Lower, Value};
use crate::ast::*;
use crate::front::{Checked, Symbol, Target};
use crate::outside::{FAILS, word};
use crate::types::*;
use explain::program::{Home, Op, Point, Unknown};
use explain::term::{Binary, TermId};

/// Functions after which the program does not go on.
const LAST: [&str; 9] = [
    "abort",
    "exit",
    "_exit",
    "_Exit",
    "quick_exit",
    "__builtin_unreachable",
    "__builtin_trap",
    "__builtin_abort",
    "pthread_exit",
];

/// Functions with effects that are not modelled.
const UNMODELLED: [&str; 22] = [
    "realloc",
    "memmove",
    "strcpy",
    "strncpy",
    "strcat",
    "strncat",
    "sprintf",
    "snprintf",
    "strdup",
    "setjmp",
    "_setjmp",
    "longjmp",
    "pthread_create",
    "scanf",
    "sscanf",
    "fscanf",
    "fgets",
    "gets",
    "read",
    "alloca",
    "__builtin_alloca",
    "qsort",
];

impl Lower<'_> {
    /// The value of a call; it may go straight to a place.
    pub fn call(
        &mut self,
        whole: &Expr,
        callee: &Expr,
        arguments: &[Expr],
        direct: Option<(TermId, Type)>,
    ) -> Checked<Value> {
        let all: Vec<&Expr> = arguments.iter().collect();
        self.check_order(&all);
        if let ExprKind::Name(name) = &*callee.kind {
            match self.front.lookup(name).cloned() {
                Some(Symbol::Function(index)) => {
                    return self.call_function(whole, index, arguments, direct);
                }
                None => {
                    if let Some(value) = self.built_in(name, arguments, direct.clone())? {
                        self.front.outside.undeclared.insert((self.front.unit, name.clone()));
                        return Ok(value);
                    }
                    let index = self.front.undeclared(name);
                    return self.call_function(whole, index, arguments, direct);
                }
                Some(_) => {}
            }
        }
        self.call_pointer(whole, callee, arguments)
    }

    fn call_function(
        &mut self,
        whole: &Expr,
        index: usize,
        arguments: &[Expr],
        direct: Option<(TermId, Type)>,
    ) -> Checked<Value> {
        let known = &self.front.functions[index];
        let (name, signature) = (known.name.clone(), known.signature.clone());
        let defined = known.body.is_some();
        let special = FAILS.contains(&name.as_str()) || name.starts_with("__VERIFIER_nondet");
        if (special || !defined || name.starts_with("__VERIFIER_assume"))
            && let Some(value) = self.built_in(&name, arguments, direct.clone())?
        {
            return Ok(value);
        }
        let mut actuals = Vec::new();
        for (position, argument) in arguments.iter().enumerate() {
            let ignored = !defined && matches!(&*argument.kind, ExprKind::Text(_));
            if ignored {
                continue;
            }
            let value = self.value(argument)?;
            match signature.parameters.get(position) {
                Some(ty) if defined => self.pass(value, ty, &mut actuals),
                _ => {}
            }
        }
        let result = signature.result.clone();
        let kept = self.keep_structure(&result, defined, &mut actuals);
        let (place, ty) = match direct {
            Some((place, ty)) if ty == result => (Some(place), ty),
            _ if result.is_scalar() => (Some(self.temporary(&result).1), result.clone()),
            _ => (None, result.clone()),
        };
        let text = self.text(self.span);
        if let Some(procedure) = self.front.procedure(index) {
            let formals = self.front.formals(index);
            if formals.len() != actuals.len() {
                let from = whole.span.from;
                let what = format!("`{name}` is called with {} arguments", actuals.len());
                return Err(self.front.problem(from, what));
            }
            self.emit_as(Op::Call { procedure, formals, actuals, result: place }, text);
        } else {
            let what =
                format!("`{name}` has no body: its result may be anything, and it changes nothing");
            self.front.notes.insert(what);
            self.front.outside.functions.insert(name.clone(), word(&result));
            if let Some(place) = place {
                self.emit_as(Op::Unknown { place, why: Unknown::Result(name) }, text);
            }
        }
        if kept.is_none() && matches!(result, Type::Struct(_) | Type::Opaque { .. }) {
            self.trap(format!("a result of type {}", self.front.layouts.show(&result)));
        }
        Ok(match place.or(kept) {
            Some(term) => Value { term, ty },
            None => self.dummy(&result),
        })
    }

    /// What a call hands over for a parameter: of a structure all cells.
    fn pass(&mut self, value: Value, ty: &Type, actuals: &mut Vec<TermId>) {
        match ty.plain() {
            Type::Struct(_) => match self.front.cells(ty, value.term) {
                Some(cells) => actuals.extend(cells),
                None => self.trap(format!("an argument of {}", self.front.layouts.show(ty))),
            },
            _ => actuals.push(self.converted(value, ty).term),
        }
    }

    /// Room for a structure that a call returns, told to it before all else.
    fn keep_structure(
        &mut self,
        result: &Type,
        defined: bool,
        actuals: &mut Vec<TermId>,
    ) -> Option<TermId> {
        if !defined || !matches!(result.plain(), Type::Struct(_)) {
            return None;
        }
        let (id, _) = self.temporary(result);
        let size = self.front.layouts.size(result).unwrap_or(0);
        self.front.program.space.variables[id.0 as usize].home = Home::Memory { size };
        let address = self.terms().address(id);
        actuals.insert(0, address);
        Some(address)
    }

    /// Through a pointer: one branch for each function that it can be.
    fn call_pointer(&mut self, whole: &Expr, callee: &Expr, arguments: &[Expr]) -> Checked<Value> {
        let pointer = self.value(callee)?;
        let signature = match pointer.ty.target().map(Type::plain) {
            Some(Type::Function(signature)) => signature.clone(),
            _ => return Err(self.front.problem(callee.span.from, "this is no function")),
        };
        let wanted = |parameters: &[Type]| parameters.len() == signature.parameters.len();
        let fits: Vec<usize> = (0..self.front.functions.len())
            .filter(|&index| {
                let known = &self.front.functions[index];
                known.body.is_some()
                    && wanted(&known.signature.parameters)
                    && known.signature.result == signature.result
            })
            .collect();
        let result = signature.result.clone();
        let place = if result.is_scalar() { Some(self.temporary(&result).1) } else { None };
        let mut actuals = Vec::new();
        for (argument, ty) in arguments.iter().zip(&signature.parameters) {
            let value = self.value(argument)?;
            self.pass(value, ty, &mut actuals);
        }
        let kept = self.keep_structure(&result, true, &mut actuals);
        let (start, end) = (self.at, self.point());
        let mut none = self.terms().truth(true);
        for index in fits {
            let Some(procedure) = self.front.procedure(index) else { continue };
            let formals = self.front.formals(index);
            let known = &self.front.functions[index];
            let (object, name) = (known.object, known.name.clone());
            let function = self.terms().address(object);
            let same = self.terms().equal(pointer.term, function);
            let not = self.terms().not(same);
            none = self.terms().both(none, not);
            self.at = start;
            self.emit_as(Op::Assume(same), format!("{} is {name}", self.text(callee.span)));
            let (actuals, text) = (actuals.clone(), self.text(whole.span));
            self.emit_as(Op::Call { procedure, formals, actuals, result: place }, text);
            self.jump(end);
        }
        self.at = start;
        self.emit_as(Op::Assume(none), format!("{} is another function", self.text(callee.span)));
        self.trap(format!("a call of an unknown function through `{}`", self.text(callee.span)));
        self.at = end;
        Ok(match place.or(kept) {
            Some(term) => Value { term, ty: result },
            None => self.dummy(&result),
        })
    }

    /// A function with a meaning of its own.
    fn built_in(
        &mut self,
        name: &str,
        arguments: &[Expr],
        direct: Option<(TermId, Type)>,
    ) -> Checked<Option<Value>> {
        let nothing = |lower: &mut Self| Ok(Some(lower.dummy(&Type::Void)));
        if FAILS.contains(&name) {
            if self.front.options.target == Target::Assert {
                self.reach_target();
            }
            self.stop();
            return nothing(self);
        }
        if LAST.contains(&name) {
            self.stop();
            return nothing(self);
        }
        if UNMODELLED.contains(&name) {
            self.trap(format!("`{name}`"));
            return Ok(Some(self.dummy(&Type::Void.pointer())));
        }
        if let Some(kind) = name.strip_prefix("__VERIFIER_nondet_") {
            return self.unknown(kind, name, direct).map(Some);
        }
        match (name, arguments) {
            ("__VERIFIER_assume" | "__CPROVER_assume" | "__builtin_assume", [condition]) => {
                let (goes_on, ends) = (self.point(), self.point());
                self.branch(condition, goes_on, ends)?;
                self.at = goes_on;
                nothing(self)
            }
            ("__VERIFIER_assert" | "__CPROVER_assert", [condition, ..]) => {
                let (goes_on, fails) = (self.point(), self.point());
                self.branch(condition, goes_on, fails)?;
                self.at = fails;
                if self.front.options.target == Target::Assert {
                    self.reach_target();
                }
                self.at = goes_on;
                nothing(self)
            }
            ("__VERIFIER_atomic_begin" | "__VERIFIER_atomic_end", []) => nothing(self),
            ("malloc" | "__builtin_malloc", [size]) => {
                let size = self.value(size)?;
                let size = self.converted(size, &SIZE);
                self.allocate(size.term, false, direct).map(Some)
            }
            ("calloc", [count, size]) => {
                let (count, size) = self.both_values(count, size)?;
                let (count, size) = (self.converted(count, &SIZE), self.converted(size, &SIZE));
                let bytes = self.terms().binary(Binary::Mul, count.term, size.term);
                self.allocate(bytes, true, direct).map(Some)
            }
            ("free" | "cfree", [pointer]) => {
                self.value(pointer)?;
                let note = "what is freed is taken to stay readable: use after free is not found";
                self.front.notes.insert(note.to_owned());
                nothing(self)
            }
            ("__builtin_expect", [value, _]) => {
                let value = self.value(value)?;
                Ok(Some(self.converted(value, &LONG)))
            }
            ("__builtin_constant_p", [_]) => Ok(Some(self.dummy(&INT))),
            ("__builtin_object_size", [..]) => {
                let term = self.terms().number(64, u64::MAX);
                Ok(Some(Value { term, ty: SIZE }))
            }
            ("strlen" | "__builtin_strlen", [text]) => match &*text.kind {
                ExprKind::Text(bytes) => {
                    let length = bytes.iter().position(|byte| *byte == 0).unwrap_or(bytes.len());
                    let term = self.terms().number(64, length as u64);
                    Ok(Some(Value { term, ty: SIZE }))
                }
                _ => {
                    self.trap("`strlen`");
                    Ok(Some(self.dummy(&SIZE)))
                }
            },
            ("memset" | "__builtin_memset" | "memcpy" | "__builtin_memcpy", [to, what, size]) => {
                self.fill_memory(name, to, what, size).map(Some)
            }
            _ => Ok(None),
        }
    }

    fn unknown(
        &mut self,
        kind: &str,
        name: &str,
        direct: Option<(TermId, Type)>,
    ) -> Checked<Value> {
        let integer = |bits, signed| Type::Integer { bits, signed };
        let ty = match kind {
            "bool" | "_Bool" => Type::Bool,
            "char" | "s8" => integer(8, true),
            "uchar" | "u8" | "unsigned_char" => integer(8, false),
            "short" | "s16" => integer(16, true),
            "ushort" | "u16" => integer(16, false),
            "int" | "s32" => integer(32, true),
            "uint" | "u32" | "unsigned" | "unsigned_int" => integer(32, false),
            "long" | "longlong" | "s64" | "loff_t" | "ssize_t" => integer(64, true),
            "ulong" | "ulonglong" | "u64" | "size_t" | "sector_t" => integer(64, false),
            "pointer" | "pchar" => Type::Void.pointer(),
            _ => {
                self.trap(format!("`{name}`"));
                return Ok(self.dummy(&INT));
            }
        };
        self.front.outside.functions.insert(name.to_owned(), word(&ty));
        let term = match direct {
            Some((place, wanted)) if wanted == ty => place,
            _ => self.temporary(&ty).1,
        };
        let text = self.text(self.span);
        let why = Unknown::Result(name.to_owned());
        self.emit_as(Op::Unknown { place: term, why }, text.clone());
        if ty == Type::Bool {
            let two = self.terms().number(8, 2);
            let small = self.terms().binary(Binary::LessUnsigned, term, two);
            self.emit_as(Op::Assume(small), text);
        }
        Ok(Value { term, ty })
    }

    /// `malloc` gives a new object, or null.
    fn allocate(
        &mut self,
        size: TermId,
        zero: bool,
        direct: Option<(TermId, Type)>,
    ) -> Checked<Value> {
        let (place, ty) = match direct {
            Some((place, ty)) if ty.is_pointer() => (place, ty),
            _ => {
                let ty = Type::Void.pointer();
                (self.temporary(&ty).1, ty)
            }
        };
        let end: Point = self.point();
        let start = self.at;
        let text = self.text(self.span);
        self.emit_as(Op::Allocate { place, size }, text.clone());
        if zero {
            match self.terms().constant(size) {
                Some(bytes) if bytes <= 64 => {
                    self.front.program.space.bytes = true;
                    for byte in 0..bytes {
                        let offset = self.terms().number(64, byte);
                        let address = self.terms().index(place, offset, 1);
                        let cell = self.terms().load(address, 8);
                        let value = self.terms().number(8, 0);
                        self.emit_as(Op::Assign { place: cell, value }, text.clone());
                    }
                }
                _ => self.trap("`calloc` of many bytes"),
            }
        }
        self.jump(end);
        self.at = start;
        let value = self.terms().number(64, 0);
        self.emit_as(Op::Assign { place, value }, format!("{text} [no memory]"));
        self.jump(end);
        self.at = end;
        Ok(Value { term: place, ty })
    }

    fn fill_memory(&mut self, name: &str, to: &Expr, what: &Expr, size: &Expr) -> Checked<Value> {
        let (to, what) = self.both_values(to, what)?;
        let size = self.value(size)?;
        let bytes = self.terms().constant(size.term).filter(|bytes| *bytes <= 64);
        let Some(bytes) = bytes else {
            self.trap(format!("`{name}` of many bytes"));
            return Ok(to);
        };
        self.front.program.space.bytes = true;
        for byte in 0..bytes {
            let offset = self.terms().number(64, byte);
            let address = self.terms().index(to.term, offset, 1);
            let place = self.terms().load(address, 8);
            let value = if name.ends_with("memset") {
                let value = self.converted(what.clone(), &INT);
                self.terms().truncate(8, value.term)
            } else {
                let source = self.terms().index(what.term, offset, 1);
                self.terms().load(source, 8)
            };
            self.emit(Op::Assign { place, value });
        }
        Ok(to)
    }
}
