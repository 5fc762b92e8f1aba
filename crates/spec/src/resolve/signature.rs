//! Types with their arguments, read from the generic signatures of class files (JVMS 4.7.9.1).
//!
//! A type variable of a clause's surroundings is taken for its bound, which is all that is known
//! of it there; so finished types contain no variables, and what is not known is [`Generic::Any`].

use ir::{Class, ClassId, Method, Program, Type};

/// A type with its arguments.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Generic {
    Primitive(Type),
    /// With its arguments by the names of the type parameters, those of the classes around
    /// included. A parameter that is not among them is not known: the type is raw.
    Class(ClassId, Arguments),
    Array(Box<Generic>),
    /// A type variable, until something stands in for it.
    Variable(String),
    /// Not known: what the erased type says is all.
    Any,
}

/// What stands for type parameters; later ones hide earlier ones.
pub(crate) type Arguments = Vec<(String, Generic)>;

/// The type of a method.
#[derive(Clone, Debug, Default)]
pub(crate) struct MethodType {
    /// Its own type parameters with their bounds.
    pub formals: Arguments,
    pub params: Vec<Generic>,
    pub result: Option<Generic>,
}

/// How deeply types may be nested.
const DEEPEST: usize = 40;
/// How many super-types are followed upwards, and classes outwards.
const FARTHEST: usize = 100;

impl Generic {
    /// The type without arguments.
    pub fn erasure(&self, program: &Program) -> Option<Type> {
        Some(match self {
            Generic::Primitive(ty) => *ty,
            Generic::Class(class, _) => Type::Ref(*class),
            Generic::Array(element) => Type::Ref(program.array_of(element.erasure(program)?)),
            Generic::Variable(_) | Generic::Any => return None,
        })
    }

    /// The type of which nothing but the erasure is known.
    pub fn raw(program: &Program, ty: Type) -> Generic {
        let Type::Ref(class) = ty else {
            return Generic::Primitive(ty);
        };
        match program.class_name(class).strip_suffix("[]") {
            Some(element) => {
                Generic::Array(Box::new(Generic::raw(program, program.parse_type(element))))
            }
            None => Generic::Class(class, Vec::new()),
        }
    }

    /// The type with arguments in place of variables.
    pub fn with(&self, arguments: &Arguments) -> Generic {
        match self {
            Generic::Variable(name) => {
                let found = arguments.iter().rev().find(|a| a.0 == *name);
                found.map_or(Generic::Any, |a| a.1.clone())
            }
            Generic::Array(element) => Generic::Array(Box::new(element.with(arguments))),
            Generic::Class(class, inner) => {
                let inner = inner.iter().map(|(name, ty)| (name.clone(), ty.with(arguments)));
                Generic::Class(*class, inner.collect())
            }
            Generic::Primitive(_) | Generic::Any => self.clone(),
        }
    }

    /// As a signature of a class file.
    pub fn signature(&self, program: &Program) -> Option<String> {
        Some(match self {
            Generic::Primitive(ty) => program.descriptor(*ty),
            Generic::Array(element) => format!("[{}", element.signature(program)?),
            Generic::Class(class, arguments) => {
                let name = program.class_name(*class).replace('.', "/");
                let written = arguments
                    .iter()
                    .map(|a| a.1.signature(program).unwrap_or_else(|| "*".into()))
                    .collect::<String>();
                match written.as_str() {
                    "" => format!("L{name};"),
                    written => format!("L{name}<{written}>;"),
                }
            }
            Generic::Variable(_) | Generic::Any => return None,
        })
    }
}

/// What a field holds or a method returns, as far as the type of the object says it: both types are
/// those of the source, as signatures of class files. `None` where that leaves it open.
pub fn member_type(
    program: &Program,
    object: &str,
    owner: ClassId,
    member: Member<'_>,
) -> Option<Type> {
    let arguments = as_super(program, &of_field(program, object), owner)?;
    let ty = match member {
        Member::Field(signature) => of_field(program, signature),
        Member::Method(method) => {
            let ty = of_method(program, method)?;
            // Its own type parameters hide those of the class, and the call says what they are.
            let is_own = |result: &Generic| matches!(result, Generic::Variable(name) if ty.formals.iter().any(|f| f.0 == *name));
            ty.result.filter(|result| !is_own(result))?
        }
    };
    ty.with(&arguments).erasure(program)
}

/// The type arguments of a method's parameter without arguments of their own, those of its type in the
/// source; `None` for each that is not known.
pub fn parameter_arguments(program: &Program, method: &Method, number: usize) -> Vec<Option<Type>> {
    let Some(ty) = of_method(program, method).and_then(|ty| ty.params.get(number).cloned()) else {
        return Vec::new();
    };
    match ty.with(&inside_method(program, method)) {
        Generic::Class(_, arguments) => {
            arguments.iter().map(|argument| argument.1.erasure(program)).collect()
        }
        Generic::Primitive(_) | Generic::Array(_) | Generic::Variable(_) | Generic::Any => {
            Vec::new()
        }
    }
}

/// A member of an object.
#[derive(Clone, Copy)]
pub enum Member<'a> {
    /// A field by the signature of its type.
    Field(&'a str),
    Method(&'a Method),
}

/// The type that a signature of a field or a variable says.
pub(crate) fn of_field(program: &Program, signature: &str) -> Generic {
    Reader::new(program, signature).ty(0).unwrap_or(Generic::Any)
}

/// What a method's signature says; nothing where it has none.
pub(crate) fn of_method(program: &Program, method: &Method) -> Option<MethodType> {
    let mut reader = Reader::new(program, method.signature.as_deref()?);
    let formals = reader.formals()?;
    let mut params = Vec::new();
    reader.eat('(').then_some(())?;
    while !reader.eat(')') {
        params.push(reader.ty(0)?);
    }
    let result = if reader.eat('V') { None } else { Some(reader.ty(0)?) };
    Some(MethodType { formals, params, result })
}

/// The type parameters of a class with their bounds.
fn formals(program: &Program, class: &Class) -> Arguments {
    let signature = class.signature.as_deref().unwrap_or_default();
    Reader::new(program, signature).formals().unwrap_or_default()
}

/// The names of the type parameters of a class.
fn formal_names(program: &Program, class: ClassId) -> Vec<String> {
    let Ok(class) = program.class(class) else {
        return Vec::new();
    };
    let signature = class.signature.as_deref().unwrap_or_default();
    let mut reader = Reader { names_arguments: false, ..Reader::new(program, signature) };
    reader.formals().unwrap_or_default().into_iter().map(|f| f.0).collect()
}

/// A class with these arguments for its own type parameters; raw if their number is wrong.
pub(crate) fn applied(program: &Program, class: ClassId, arguments: Vec<Generic>) -> Generic {
    let names = formal_names(program, class);
    let fits = names.len() == arguments.len();
    let bound = names.into_iter().zip(arguments).filter(|_| fits);
    Generic::Class(class, bound.collect())
}

/// What the type variables mean in a class: their bounds. Classes around it come first.
pub(crate) fn inside(program: &Program, class: ClassId) -> Arguments {
    let mut around = Vec::new();
    let mut name = program.class_name(class);
    for _ in 0..FARTHEST {
        around.extend(program.class(program.class_id(name)).ok());
        match name.rfind('$') {
            Some(cut) => name = &name[..cut],
            None => break,
        }
    }
    let mut arguments = Vec::new();
    for class in around.into_iter().rev() {
        add_bounds(&mut arguments, formals(program, class));
    }
    arguments
}

/// What the type variables mean in a method: their bounds.
pub(crate) fn inside_method(program: &Program, method: &Method) -> Arguments {
    let mut arguments = inside(program, method.class);
    if let Some(ty) = of_method(program, method) {
        add_bounds(&mut arguments, ty.formals);
    }
    arguments
}

/// Adds type parameters as what their bounds say, which may name earlier ones.
fn add_bounds(arguments: &mut Arguments, formals: Arguments) {
    for (name, bound) in formals {
        let bound = bound.with(arguments);
        arguments.push((name, bound));
    }
}

/// What a type says about the type parameters of one of its super-types.
pub(crate) fn as_super(program: &Program, of: &Generic, target: ClassId) -> Option<Arguments> {
    let Generic::Class(class, arguments) = of else {
        return None;
    };
    let (mut class, mut arguments) = (*class, arguments.clone());
    for _ in 0..FARTHEST {
        if class == target {
            return Some(arguments);
        }
        let leads = |parent: &Generic| match parent {
            Generic::Class(parent, _) => program.is_subtype(*parent, target),
            _ => false,
        };
        let parent = parents(program, class).into_iter().find(leads)?;
        let Generic::Class(next, its) = parent.with(&arguments) else {
            return None;
        };
        (class, arguments) = (next, its);
    }
    None
}

fn parents(program: &Program, class: ClassId) -> Vec<Generic> {
    let Ok(class) = program.class(class) else {
        return Vec::new();
    };
    let read = |signature: &str| {
        let mut reader = Reader::new(program, signature);
        reader.formals()?;
        let mut parents = Vec::new();
        while !reader.rest.is_empty() {
            parents.push(reader.ty(0)?);
        }
        Some(parents)
    };
    let raw = || {
        let parents = class.superclass.iter().chain(&class.interfaces);
        parents.map(|parent| Generic::Class(*parent, Vec::new())).collect()
    };
    class.signature.as_deref().and_then(read).unwrap_or_else(raw)
}

/// Reads a signature. Nothing where it is malformed.
struct Reader<'p, 's> {
    program: &'p Program,
    rest: &'s str,
    /// Whether arguments are joined with the names of parameters, which reads other signatures.
    names_arguments: bool,
}

impl<'p, 's> Reader<'p, 's> {
    fn new(program: &'p Program, rest: &'s str) -> Self {
        Reader { program, rest, names_arguments: true }
    }

    fn eat(&mut self, c: char) -> bool {
        let rest = self.rest.strip_prefix(c);
        self.rest = rest.unwrap_or(self.rest);
        rest.is_some()
    }

    fn next(&mut self) -> Option<char> {
        let c = self.rest.chars().next()?;
        self.rest = &self.rest[c.len_utf8()..];
        Some(c)
    }

    /// The text up to one of these signs, which stays.
    fn until(&mut self, ends: &[char]) -> Option<&'s str> {
        let end = self.rest.find(ends)?;
        let (text, rest) = self.rest.split_at(end);
        self.rest = rest;
        Some(text)
    }

    fn ty(&mut self, depth: usize) -> Option<Generic> {
        if depth > DEEPEST {
            return None;
        }
        Some(match self.next()? {
            'B' => Generic::Primitive(Type::Byte),
            'C' => Generic::Primitive(Type::Char),
            'D' => Generic::Primitive(Type::Double),
            'F' => Generic::Primitive(Type::Float),
            'I' => Generic::Primitive(Type::Int),
            'J' => Generic::Primitive(Type::Long),
            'S' => Generic::Primitive(Type::Short),
            'Z' => Generic::Primitive(Type::Boolean),
            '[' => Generic::Array(Box::new(self.ty(depth + 1)?)),
            'T' => {
                let name = self.until(&[';'])?.to_string();
                self.next()?;
                Generic::Variable(name)
            }
            'L' => self.class(depth)?,
            _ => return None,
        })
    }

    /// `p/Outer<TA;>.Inner<TB;>;`
    fn class(&mut self, depth: usize) -> Option<Generic> {
        let mut name = String::new();
        let mut bound = Arguments::new();
        loop {
            name.push_str(&self.until(&['<', '.', ';'])?.replace('/', "."));
            let class = self.program.class_id(&name);
            if self.eat('<') {
                let mut arguments = Vec::new();
                while !self.eat('>') {
                    arguments.push(self.argument(depth + 1)?);
                }
                if self.names_arguments
                    && let Generic::Class(_, own) = applied(self.program, class, arguments)
                {
                    bound.extend(own);
                }
            }
            if !self.eat('.') {
                self.eat(';').then_some(())?;
                return Some(Generic::Class(class, bound));
            }
            name.push('$');
        }
    }

    /// A wildcard is what it extends.
    fn argument(&mut self, depth: usize) -> Option<Generic> {
        if self.eat('*') {
            return Some(Generic::Any);
        }
        if self.eat('-') {
            return self.ty(depth).map(|_| Generic::Any);
        }
        self.eat('+');
        self.ty(depth)
    }

    /// `<T:Lp/Key;U::Lp/Named;>`, or nothing. The first bound is what a variable is erased to.
    fn formals(&mut self) -> Option<Arguments> {
        let mut formals = Arguments::new();
        if !self.eat('<') {
            return Some(formals);
        }
        while !self.eat('>') {
            let name = self.until(&[':', '>'])?.to_string();
            let mut bound = Generic::Any;
            self.rest.starts_with(':').then_some(())?;
            while self.eat(':') {
                if self.rest.starts_with(':') {
                    continue;
                }
                let found = self.ty(0)?;
                if bound == Generic::Any {
                    bound = found;
                }
            }
            formals.push((name, bound));
        }
        Some(formals)
    }
}
