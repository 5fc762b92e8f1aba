//! Declarations: what the names of a program mean. Bodies of functions are lowered when something
//! that can run calls them (`lower`).

use crate::ast::*;
use crate::lexer::{Place, Problem, Token, Tokens};
use crate::outside::Outside;
use crate::types::*;
use explain::program::{Home, ProcId, Procedure, Program, Variable};
use explain::term::{TermId, VarId};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::rc::Rc;

/// What is looked for.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Target {
    /// A label, its case ignored; of one function or of any.
    Label { function: Option<String>, label: String },
    /// A statement on a line of a file.
    Line { file: String, line: u32 },
    /// An assertion that fails, or a call of `reach_error`.
    Assert,
    /// Arithmetic without a value: signed overflow, division by zero, a shift that is too far.
    Undefined,
}

/// How C is read.
#[derive(Clone, Debug)]
pub struct Options {
    /// What is looked for.
    pub target: Target,
    /// Where the program starts.
    pub function: String,
    /// Whether signed arithmetic wraps; otherwise overflow is undefined.
    pub wrap: bool,
    /// Whether globals may have any value at the start, rather than their initial ones.
    pub unknown_globals: bool,
}

/// What a name means.
#[derive(Clone)]
pub(crate) enum Symbol {
    Variable { id: VarId, ty: Type },
    Function(usize),
    Constant(i64, Type),
    Typedef(Type),
}

#[derive(Clone, Default)]
pub(crate) struct Scope {
    pub names: HashMap<String, Symbol>,
    pub tags: HashMap<String, Type>,
}

/// A function, declared or defined.
pub(crate) struct Known {
    pub name: String,
    pub signature: Rc<Signature>,
    pub body: Option<Rc<Function>>,
    pub unit: usize,
    pub procedure: Option<ProcId>,
    pub formals: Vec<VarId>,
    /// Of what returns a structure: the parameter that says where it goes.
    pub result_at: Option<VarId>,
    pub object: VarId,
    pub lowered: bool,
}

/// One translation unit.
pub(crate) struct Unit {
    pub text: Rc<str>,
    pub files: Vec<String>,
    pub items: Vec<Item>,
    pub scope: Scope,
    /// Names whose address is taken somewhere.
    pub addressed: BTreeSet<String>,
}

/// An initial value of a global variable.
pub(crate) struct GlobalInitial {
    pub unit: usize,
    pub id: VarId,
    pub ty: Type,
    pub initial: Option<Initial>,
    pub span: Span,
}

/// The program in the making.
pub(crate) struct Front {
    pub program: Program,
    pub layouts: Layouts,
    pub units: Vec<Unit>,
    pub unit: usize,
    /// Inside a function: the scopes of its blocks, innermost last.
    pub scopes: Vec<Scope>,
    pub functions: Vec<Known>,
    /// Names that several units share.
    pub linked: HashMap<String, Symbol>,
    pub initials: Vec<GlobalInitial>,
    pub types: BTreeMap<VarId, Type>,
    pub options: Options,
    pub notes: BTreeSet<String>,
    pub targets: usize,
    /// What is left to others.
    pub outside: Outside,
    /// The globals that have an initial value.
    pub defined: BTreeSet<VarId>,
    tagless: HashMap<(usize, Place), Type>,
}

pub(crate) type Checked<T> = Result<T, Problem>;

/// The names that stand behind a `&` in some expression; a few more do not matter.
pub(crate) fn addressed(tokens: &Tokens) -> BTreeSet<String> {
    let list = &tokens.list;
    let mut found = BTreeSet::new();
    for at in 0..list.len() {
        if list[at].0 != Token::Mark("&") {
            continue;
        }
        let before = at.checked_sub(1).map(|at| &list[at].0);
        let operand = match before {
            Some(Token::Word(word)) => !["return", "case", "else", "do"].contains(&word.as_str()),
            Some(Token::Mark("]") | Token::Integer { .. } | Token::Character(_)) => true,
            _ => false,
        };
        let mut next = at + 1;
        while list.get(next).is_some_and(|(token, _)| *token == Token::Mark("(")) {
            next += 1;
        }
        if let (false, Some((Token::Word(name), _))) = (operand, list.get(next)) {
            found.insert(name.clone());
        }
    }
    found
}

/// What runs although no statement that is followed says so: constructors, and assembler between
/// the functions.
pub(crate) fn unseen(tokens: &Tokens) -> Option<String> {
    const UNSEEN: [&str; 6] =
        ["constructor", "__constructor__", "destructor", "__destructor__", "ifunc", "__ifunc__"];
    let mut depth = 0usize;
    let mut before = &Token::Mark(";");
    for (token, _) in &tokens.list {
        match token {
            Token::Mark("{") => depth += 1,
            Token::Mark("}") => depth = depth.saturating_sub(1),
            Token::Word(word) if UNSEEN.contains(&word.as_str()) => {
                return Some(format!("the attribute `{word}`"));
            }
            Token::Word(word)
                if depth == 0
                    && matches!(before, Token::Mark(";" | "}"))
                    && ["asm", "__asm", "__asm__"].contains(&word.as_str()) =>
            {
                return Some("assembler between the functions".to_owned());
            }
            _ => {}
        }
        before = token;
    }
    None
}

impl Front {
    pub fn new(options: Options, units: Vec<Unit>) -> Front {
        Front {
            program: Program::default(),
            layouts: Layouts::default(),
            units,
            unit: 0,
            scopes: Vec::new(),
            functions: Vec::new(),
            linked: HashMap::new(),
            initials: Vec::new(),
            types: BTreeMap::new(),
            options,
            notes: BTreeSet::new(),
            targets: 0,
            outside: Outside::default(),
            defined: BTreeSet::new(),
            tagless: HashMap::new(),
        }
    }

    pub fn problem(&self, place: Place, what: impl Into<String>) -> Problem {
        let file = self.units[self.unit].files[place.file as usize].clone();
        Problem { file, line: place.line, what: what.into() }
    }

    /// Declares everything at the top of all files.
    pub fn declare_all(&mut self) -> Checked<()> {
        for unit in 0..self.units.len() {
            self.unit = unit;
            let items = std::mem::take(&mut self.units[unit].items);
            for item in items {
                match item {
                    Item::Declarations(all, ty) => {
                        self.type_of(&ty)?;
                        for declaration in all {
                            self.declare_global(declaration)?;
                        }
                    }
                    Item::Function(function) => self.declare_function(*function)?,
                }
            }
        }
        Ok(())
    }

    pub fn scope(&mut self) -> &mut Scope {
        match self.scopes.last_mut() {
            Some(scope) => scope,
            None => &mut self.units[self.unit].scope,
        }
    }

    pub fn lookup(&self, name: &str) -> Option<&Symbol> {
        let local = self.scopes.iter().rev().find_map(|scope| scope.names.get(name));
        local.or_else(|| self.units[self.unit].scope.names.get(name))
    }

    fn tag(&self, name: &str) -> Option<Type> {
        let local = self.scopes.iter().rev().find_map(|scope| scope.tags.get(name));
        local.or_else(|| self.units[self.unit].scope.tags.get(name)).cloned()
    }

    /// Adds a variable; one that something may point to lives in memory.
    pub fn add_variable(
        &mut self,
        name: &str,
        ty: &Type,
        owner: Option<ProcId>,
        made_up: bool,
    ) -> VarId {
        let pointed = self.units.get(self.unit).is_some_and(|unit| unit.addressed.contains(name));
        let in_memory = !made_up && (pointed || !ty.is_scalar());
        let home = if in_memory {
            Home::Memory { size: self.layouts.size(ty).unwrap_or(0) }
        } else {
            Home::Register
        };
        let width = if ty.is_scalar() { ty.word().0 } else { 64 };
        let name = name.to_owned();
        let unsigned = ty.is_integer() && !ty.word().1;
        let id = self.program.space.add(Variable { name, owner, width, unsigned, home, made_up });
        self.types.insert(id, ty.clone());
        id
    }

    fn declare_global(&mut self, declaration: Declaration) -> Checked<()> {
        let Declaration { storage, declared, initial, thread_local } = declaration;
        let Some(name) = declared.name.clone() else {
            return Ok(());
        };
        let place = declared.span.from;
        let mut ty = self.type_of(&declared.ty)?;
        if storage == Storage::Typedef {
            self.scope().names.insert(name, Symbol::Typedef(ty));
            return Ok(());
        }
        if let Type::Function(signature) = &ty {
            let is_static = storage == Storage::Static;
            self.function(&name, signature.clone(), is_static);
            return Ok(());
        }
        if thread_local {
            self.notes.insert(format!("`{name}` is one variable: there is one thread"));
        }
        if let (Type::Array(element, None), Some(initial)) = (ty.plain(), &initial) {
            let length = self.length_of(initial)?;
            ty = Type::Array(element.clone(), Some(length));
        }
        let shared = storage != Storage::Static;
        let known = match self.units[self.unit].scope.names.get(&name) {
            Some(known) => Some(known.clone()),
            None if shared => self.linked.get(&name).cloned(),
            None => None,
        };
        let id = match known {
            Some(Symbol::Variable { id, ty: old }) => {
                // The declaration that knows more wins.
                if self.layouts.size(&old).is_none() && self.layouts.size(&ty).is_some() {
                    let size = self.layouts.size(&ty).unwrap_or(0);
                    let home = &mut self.program.space.variables[id.0 as usize].home;
                    if let Home::Memory { size: known } = home {
                        *known = size;
                    }
                    self.types.insert(id, ty.clone());
                } else {
                    ty = old;
                }
                id
            }
            Some(_) => {
                return Err(self.problem(place, format!("`{name}` is declared as two things")));
            }
            None => self.add_variable(&name, &ty, None, false),
        };
        let symbol = Symbol::Variable { id, ty: ty.clone() };
        self.units[self.unit].scope.names.insert(name.clone(), symbol.clone());
        if shared {
            self.linked.insert(name, symbol);
        }
        if storage != Storage::Extern || initial.is_some() {
            self.defined.insert(id);
            let unit = self.unit;
            self.initials.retain(|known| known.id != id || known.initial.is_some());
            if !self.initials.iter().any(|known| known.id == id) {
                let span = declared.span;
                self.initials.push(GlobalInitial { unit, id, ty, initial, span });
            }
        }
        Ok(())
    }

    fn function(&mut self, name: &str, signature: Rc<Signature>, is_static: bool) -> usize {
        if let Some(Symbol::Function(index)) = self.units[self.unit].scope.names.get(name) {
            return *index;
        }
        let index = match self.linked.get(name) {
            Some(Symbol::Function(index)) if !is_static => *index,
            _ => {
                let ty = Type::Function(signature.clone());
                let object = self.add_variable(name, &ty, None, false);
                let place = &mut self.program.space.variables[object.0 as usize];
                place.home = Home::Memory { size: 0 };
                self.functions.push(Known {
                    name: name.to_owned(),
                    signature,
                    body: None,
                    unit: self.unit,
                    procedure: None,
                    formals: Vec::new(),
                    result_at: None,
                    object,
                    lowered: false,
                });
                self.functions.len() - 1
            }
        };
        if !is_static {
            self.linked.insert(name.to_owned(), Symbol::Function(index));
        }
        self.units[self.unit].scope.names.insert(name.to_owned(), Symbol::Function(index));
        index
    }

    /// A function that nobody has declared.
    pub fn undeclared(&mut self, name: &str) -> usize {
        let signature = Signature { result: INT, parameters: Vec::new(), variadic: true };
        self.function(name, Rc::new(signature), false)
    }

    fn declare_function(&mut self, function: Function) -> Checked<()> {
        let signature =
            self.signature(&function.result, &function.parameters, function.variadic)?;
        let index = self.function(&function.name, signature.clone(), function.is_static);
        let unit = self.unit;
        let known = &mut self.functions[index];
        // An inline definition of another file is the same function.
        if known.body.is_none() {
            known.signature = signature;
            known.unit = unit;
            known.body = Some(Rc::new(function));
        }
        Ok(())
    }

    /// The procedure of a function that has a body, with its formal parameters.
    pub fn procedure(&mut self, index: usize) -> Option<ProcId> {
        let known = &self.functions[index];
        let body = known.body.clone()?;
        if let Some(id) = known.procedure {
            return Some(id);
        }
        let id = ProcId(self.program.procedures.len() as u32);
        let (unit, signature) = (known.unit, known.signature.clone());
        let mut formals = Vec::new();
        let before = std::mem::replace(&mut self.unit, unit);
        for (parameter, ty) in body.parameters.iter().zip(&signature.parameters) {
            let name = parameter.name.clone().unwrap_or_else(|| "_".to_owned());
            let width = if ty.is_scalar() { ty.word().0 } else { 64 };
            let unsigned = ty.is_integer() && !ty.word().1;
            let home = match ty.plain() {
                Type::Struct(_) => Home::Memory { size: self.layouts.size(ty).unwrap_or(0) },
                _ => Home::Register,
            };
            let (owner, made_up) = (Some(id), false);
            let variable = Variable { name, owner, width, unsigned, home, made_up };
            let formal = self.program.space.add(variable);
            self.types.insert(formal, ty.clone());
            formals.push(formal);
        }
        self.unit = before;
        let name = self.functions[index].name.clone();
        let procedure = Procedure { name, formals: formals.clone(), nodes: Vec::new() };
        self.program.procedures.push(procedure);
        self.functions[index].procedure = Some(id);
        self.functions[index].formals = formals;
        if let Type::Struct(_) = signature.result.plain() {
            let name = "result".to_owned();
            let (owner, home, made_up) = (Some(id), Home::Register, true);
            let variable = Variable { name, owner, width: 64, unsigned: true, home, made_up };
            let place = self.program.space.add(variable);
            self.types.insert(place, signature.result.clone().pointer());
            self.functions[index].result_at = Some(place);
        }
        Some(id)
    }

    /// The parameters of a function as places: a structure is its cells. What returns a structure is
    /// told first where it goes.
    pub fn formals(&mut self, index: usize) -> Vec<TermId> {
        let known = &self.functions[index];
        let all: Vec<VarId> = known.result_at.into_iter().chain(known.formals.clone()).collect();
        let mut places = Vec::new();
        for id in all {
            let variable = self.program.space.variable(id);
            let (home, width) = (variable.home, variable.width);
            match home {
                Home::Register => places.push(self.program.terms.variable(id, width)),
                Home::Memory { .. } => {
                    let (ty, address) = (self.types[&id].clone(), self.program.terms.address(id));
                    places.extend(self.cells(&ty, address).unwrap_or_default());
                }
            }
        }
        places
    }

    pub fn signature(
        &mut self,
        result: &TypeName,
        parameters: &[Declared],
        variadic: bool,
    ) -> Checked<Rc<Signature>> {
        let result = self.type_of(result)?;
        let mut types = Vec::new();
        for parameter in parameters {
            types.push(self.type_of(&parameter.ty)?.decayed());
        }
        Ok(Rc::new(Signature { result, parameters: types, variadic }))
    }

    /// What a type as written means here.
    pub fn type_of(&mut self, name: &TypeName) -> Checked<Type> {
        Ok(match name {
            TypeName::Void => Type::Void,
            TypeName::Bool => Type::Bool,
            TypeName::Integer { bits, signed } => Type::Integer { bits: *bits, signed: *signed },
            TypeName::Opaque { name, bytes } => {
                Type::Opaque { name: name.as_str().into(), bytes: *bytes }
            }
            TypeName::Named(name) => match self.lookup(name) {
                Some(Symbol::Typedef(ty)) => ty.clone(),
                _ => Type::Opaque { name: name.as_str().into(), bytes: 24 },
            },
            TypeName::Struct(aggregate) => self.aggregate(aggregate)?,
            TypeName::Enum { tag, members } => self.enumeration(tag.as_deref(), members)?,
            TypeName::Pointer(target) => self.type_of(target)?.pointer(),
            TypeName::Array(element, length) => {
                let element = self.type_of(element)?;
                let length = match length {
                    None => None,
                    // A length that is not constant is found out about where it is declared.
                    Some(length) => self.constant(length).ok().map(|value| value as u64),
                };
                Type::Array(Rc::new(element), length)
            }
            TypeName::Function { result, parameters, variadic } => {
                Type::Function(self.signature(result, parameters, *variadic)?)
            }
            TypeName::Of(expression) => self.type_of_expression(expression)?,
            TypeName::Volatile(inner) => Type::Volatile(Rc::new(self.type_of(inner)?)),
        })
    }

    fn aggregate(&mut self, aggregate: &Aggregate) -> Checked<Type> {
        let kind = if aggregate.union { "union" } else { "struct" };
        let key = aggregate.tag.as_ref().map(|tag| format!("{kind} {tag}"));
        let fresh = |front: &mut Front| {
            let name = key.clone().unwrap_or_else(|| format!("{kind} without a name"));
            front.layouts.0.push(Layout { name, union: aggregate.union, ..Layout::default() });
            Type::Struct(StructId(front.layouts.0.len() as u32 - 1))
        };
        let known = match &key {
            Some(key) if aggregate.fields.is_some() => self.scope().tags.get(key).cloned(),
            Some(key) => self.tag(key),
            None => self.tagless.get(&(self.unit, aggregate.place)).cloned(),
        };
        let ty = match known {
            Some(ty) => ty,
            None => fresh(self),
        };
        match &key {
            Some(key) => {
                if aggregate.fields.is_some() || self.tag(key).is_none() {
                    self.scope().tags.insert(key.clone(), ty.clone());
                }
            }
            None => {
                self.tagless.insert((self.unit, aggregate.place), ty.clone());
            }
        }
        let Type::Struct(id) = ty else { return Ok(ty) };
        if let (Some(fields), false) = (&aggregate.fields, self.layouts.get(id).complete) {
            let mut all = Vec::new();
            for (declared, width) in fields {
                let ty = self.type_of(&declared.ty)?;
                let width = match width {
                    Some(width) => Some(self.constant(width)? as u32),
                    None => None,
                };
                if declared.name.is_none() && width.is_none() && !matches!(ty, Type::Struct(_)) {
                    continue;
                }
                all.push((declared.name.clone(), ty, width));
            }
            let Some((fields, size, align)) =
                self.layouts.lay_out(aggregate.union, aggregate.packed, all)
            else {
                return Err(self.problem(aggregate.place, "a field has no known size"));
            };
            if aggregate.union {
                let sizes: BTreeSet<_> = fields.iter().map(|f| self.layouts.size(&f.ty)).collect();
                self.program.space.bytes |= sizes.len() > 1;
            }
            let layout = &mut self.layouts.0[id.0 as usize];
            (layout.fields, layout.size, layout.align) = (fields, size, align);
            layout.complete = true;
        }
        Ok(Type::Struct(id))
    }

    fn enumeration(
        &mut self,
        tag: Option<&str>,
        members: &Option<Vec<(String, Option<Expr>)>>,
    ) -> Checked<Type> {
        let key = tag.map(|tag| format!("enum {tag}"));
        let mut signed = false;
        if let Some(members) = members {
            let mut next = 0;
            for (name, value) in members {
                if let Some(value) = value {
                    next = self.constant(value)?;
                }
                signed |= next < 0;
                let ty = if i64::from(next as i32) == next { INT } else { LONG };
                self.scope().names.insert(name.clone(), Symbol::Constant(next, ty));
                next = next.wrapping_add(1);
            }
            let ty = Type::Integer { bits: 32, signed };
            if let Some(key) = key {
                self.scope().tags.insert(key, ty.clone());
            }
            return Ok(ty);
        }
        let known = key.and_then(|key| self.tag(&key));
        Ok(known.unwrap_or(Type::Integer { bits: 32, signed: false }))
    }

    /// How many elements an initialiser gives to an array without a length.
    pub fn length_of(&mut self, initial: &Initial) -> Checked<u64> {
        match initial {
            Initial::Value(value) => match &*value.kind {
                ExprKind::Text(bytes) => Ok(bytes.len() as u64 + 1),
                _ => Ok(1),
            },
            Initial::List(list) => {
                if let [(designators, Initial::Value(value))] = &list[..]
                    && designators.is_empty()
                    && let ExprKind::Text(bytes) = &*value.kind
                {
                    return Ok(bytes.len() as u64 + 1);
                }
                let (mut next, mut most) = (0u64, 0u64);
                for (designators, _) in list {
                    if let Some(Designator::Element(index)) = designators.first() {
                        next = self.constant(index)? as u64;
                    }
                    next += 1;
                    most = most.max(next);
                }
                Ok(most)
            }
        }
    }
}
