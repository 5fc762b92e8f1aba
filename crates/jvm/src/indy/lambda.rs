//! Lambdas and method references: a synthetic class that implements the interface, with a field
//! for each captured value and a method that calls the implementation.

use ir::{
    ClassId, Code, FieldData, FieldRefId, InvokeKind, Kind, Nullness, Op, Program, Reg, Terminator,
    Type,
};

use crate::classfile::pool::{Loadable, MethodHandle};
use crate::classfile::reader::{Malformed, malformed};
use crate::descriptor::{class_named, method_types};

use crate::synthesis::Synthesis;

use super::{Linked, Site, classes};

const SERIALIZABLE: i32 = 1;
const MARKERS: i32 = 2;
const BRIDGES: i32 = 4;

/// The static arguments of the bootstrap method.
struct Recipe {
    /// Erased descriptor of the interface's method.
    erased: String,
    implementation: MethodHandle,
    /// Descriptor with the type arguments put in.
    instantiated: String,
    /// Interfaces beside the functional one.
    markers: Vec<ClassId>,
    /// Further erased descriptors under which the method can be called.
    bridges: Vec<String>,
}

type MethodTypes = (Vec<Type>, Option<Type>);

/// Links a call of `metafactory` or `altMetafactory`.
pub fn link(site: &Site<'_>) -> Result<Linked, Malformed> {
    let program = site.unit.program;
    let recipe = read_recipe(site)?;
    let Some(Type::Ref(interface)) = site.result else {
        return malformed("a lambda that is not an object");
    };
    let Some(target) = Target::of(program, &recipe.implementation) else {
        let member = &recipe.implementation.member;
        return Ok(Linked::Unsupported(format!("lambda over {}.{}", member.class, member.name)));
    };
    let instantiated = types(program, &recipe.instantiated)?;
    let name = site.synthetic_name("Lambda");
    let class = program.class_id(&name);
    let captures = capture_fields(program, class, site.params);
    let mut methods = Vec::new();
    for descriptor in std::iter::once(&recipe.erased).chain(&recipe.bridges) {
        let erased = types(program, descriptor)?;
        let adapter = Adapter {
            captured: site.params,
            captures: &captures,
            erased: &erased,
            instantiated: &instantiated,
            target: &target,
        };
        let code = adapter.code(site)?;
        methods.push(classes::method(site, &site.call.name, descriptor, erased, false, code));
    }
    let mut interfaces = vec![interface];
    interfaces.extend(recipe.markers.iter().filter(|m| **m != interface));
    let fields = site.params.iter().enumerate().map(|(i, ty)| capture_field(i, *ty)).collect();
    program.define(&name, || classes::class(site, interfaces, fields, methods));
    Ok(Linked::Object { class, captures })
}

fn read_recipe(site: &Site<'_>) -> Result<Recipe, Malformed> {
    let mut arguments = Arguments { site, next: 0 };
    let mut recipe = Recipe {
        erased: arguments.method_type()?,
        implementation: arguments.method_handle()?,
        instantiated: arguments.method_type()?,
        markers: Vec::new(),
        bridges: Vec::new(),
    };
    if site.bootstrap.method.member.name == "metafactory" {
        return Ok(recipe);
    }
    let flags = arguments.int()?;
    if flags & SERIALIZABLE != 0 {
        recipe.markers.push(site.unit.program.class_id("java.io.Serializable"));
    }
    if flags & MARKERS != 0 {
        for _ in 0..arguments.int()? {
            let marker = arguments.class()?;
            if !recipe.markers.contains(&marker) {
                recipe.markers.push(marker);
            }
        }
    }
    if flags & BRIDGES != 0 {
        for _ in 0..arguments.int()? {
            let bridge = arguments.method_type()?;
            if bridge != recipe.erased && !recipe.bridges.contains(&bridge) {
                recipe.bridges.push(bridge);
            }
        }
    }
    Ok(recipe)
}

/// The static arguments, read in order.
struct Arguments<'a, 'b> {
    site: &'a Site<'b>,
    next: usize,
}

impl Arguments<'_, '_> {
    fn next(&mut self) -> Result<Loadable, Malformed> {
        let Some(&index) = self.site.bootstrap.arguments.get(self.next) else {
            return malformed("a bootstrap method with too few arguments");
        };
        self.next += 1;
        self.site.unit.file.loadable(index)
    }

    fn method_type(&mut self) -> Result<String, Malformed> {
        match self.next()? {
            Loadable::MethodType(descriptor) => Ok(descriptor),
            _ => malformed("a bootstrap argument that should be a method type"),
        }
    }

    fn method_handle(&mut self) -> Result<MethodHandle, Malformed> {
        match self.next()? {
            Loadable::MethodHandle(handle) => Ok(handle),
            _ => malformed("a bootstrap argument that should be a method handle"),
        }
    }

    fn int(&mut self) -> Result<i32, Malformed> {
        match self.next()? {
            Loadable::Int(value) => Ok(value),
            _ => malformed("a bootstrap argument that should be an int"),
        }
    }

    fn class(&mut self) -> Result<ClassId, Malformed> {
        let class = match self.next()? {
            Loadable::Class(name) => class_named(self.site.unit.program, &name),
            _ => None,
        };
        class.ok_or_else(|| Malformed("a bootstrap argument that should be a class".into()))
    }
}

fn types(program: &Program, descriptor: &str) -> Result<MethodTypes, Malformed> {
    match method_types(program, descriptor) {
        Some(types) => Ok(types),
        None => malformed(format!("`{descriptor}` is not a method type")),
    }
}

fn capture_field(index: usize, ty: Type) -> FieldData {
    FieldData {
        name: format!("captured{index}"),
        ty,
        is_static: false,
        is_final: true,
        is_private: true,
        is_public: false,
        is_synthetic: true,
        is_volatile: false,
        constant: None,
        nullness: Nullness::Unspecified,
        is_generic: false,
        signature: None,
        specified: None,
    }
}

fn capture_fields(program: &Program, class: ClassId, captured: &[Type]) -> Vec<FieldRefId> {
    let fields = captured.iter().enumerate().map(|(index, ty)| {
        program.field_ref(class, &format!("captured{index}"), &program.descriptor(*ty))
    });
    fields.collect()
}

/// The method behind the lambda, seen as a function.
struct Target {
    class: ClassId,
    name: String,
    descriptor: String,
    /// `None` for a constructor.
    kind: Option<InvokeKind>,
    /// Receiver included.
    params: Vec<Type>,
    result: Option<Type>,
}

impl Target {
    fn of(program: &Program, handle: &MethodHandle) -> Option<Target> {
        let class = class_named(program, &handle.member.class)?;
        let (mut params, mut result) = method_types(program, &handle.member.descriptor)?;
        let kind = match handle.kind {
            5 => Some(InvokeKind::Virtual),
            6 => Some(InvokeKind::Static),
            7 => Some(InvokeKind::Special),
            8 => None,
            9 => Some(InvokeKind::Interface),
            _ => return None,
        };
        match kind {
            None => result = Some(Type::Ref(class)),
            Some(InvokeKind::Static) => {}
            Some(_) => params.insert(0, Type::Ref(class)),
        }
        let (name, descriptor) = (handle.member.name.clone(), handle.member.descriptor.clone());
        Some(Target { class, name, descriptor, kind, params, result })
    }

    /// Calls it and returns the register of the result, if it has one.
    fn call(&self, body: &mut Synthesis<'_>, mut args: Vec<Reg>) -> Option<Reg> {
        let method = body.program.method_ref(self.class, &self.name, &self.descriptor);
        let Some(kind) = self.kind else {
            let class = self.class;
            let object = body.compute(Kind::Ref, |dst| Op::New { dst, class, assertion: false });
            args.insert(0, object);
            body.emit(Op::Invoke { dst: None, kind: InvokeKind::Special, method, args });
            return Some(object);
        };
        let dst = self.result.map(|ty| body.fresh(ty.kind()));
        body.emit(Op::Invoke { dst, kind, method, args });
        dst
    }
}

/// One method of the class: what it is called with, what it calls.
struct Adapter<'a> {
    captured: &'a [Type],
    captures: &'a [FieldRefId],
    erased: &'a MethodTypes,
    instantiated: &'a MethodTypes,
    target: &'a Target,
}

impl Adapter<'_> {
    fn code(&self, site: &Site<'_>) -> Result<Code, Malformed> {
        let arity = self.erased.0.len();
        let called_with = self.captures.len() + arity;
        if self.instantiated.0.len() != arity || self.target.params.len() != called_with {
            return malformed("a lambda whose parameters do not match its interface");
        }
        let mut body = site.synthesis();
        let this = body.param(Kind::Ref);
        let values: Vec<Reg> = self.erased.0.iter().map(|ty| body.param(ty.kind())).collect();
        match self.write(&mut body, this, &values) {
            Ok(result) => body.end(Terminator::Return(result)),
            Err(what) => body.trap(&what),
        }
        Ok(body.finish())
    }

    /// Writes the call and returns the adapted result; `Err` names what is not modelled.
    fn write(
        &self,
        body: &mut Synthesis<'_>,
        this: Reg,
        values: &[Reg],
    ) -> Result<Option<Reg>, String> {
        let mut targets = self.target.params.iter();
        let mut args = Vec::new();
        let captures = self.captures.iter().zip(self.captured);
        for ((&field, &ty), &to) in captures.zip(&mut targets) {
            let object = this;
            let value = body.compute(ty.kind(), |dst| Op::GetField { dst, object, field });
            args.push(body.adapt(value, ty, ty, to)?);
        }
        for (index, (&value, &to)) in values.iter().zip(targets).enumerate() {
            args.push(body.adapt(value, self.erased.0[index], self.instantiated.0[index], to)?);
        }
        let produced = self.target.call(body, args);
        let Some(wanted) = self.erased.1 else {
            return Ok(None);
        };
        match (produced, self.target.result, self.instantiated.1) {
            (Some(value), Some(from), Some(via)) => body.adapt(value, from, via, wanted).map(Some),
            _ => Err("lambda without a result".to_owned()),
        }
    }
}
