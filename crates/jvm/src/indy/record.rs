//! `equals`, `hashCode` and `toString` of records, as `java.lang.runtime.ObjectMethods` of
//! JDK 17 makes them. Its `equals` compares the last component first.

use ir::body::{Compare, Piece};
use ir::{
    BinaryOp, BlockId, ClassId, Cond, Constant, FieldRefId, InvokeKind, Kind, Op, Program, Reg,
    Terminator, Type,
};

use crate::classfile::pool::Loadable;
use crate::classfile::reader::{Malformed, malformed};
use crate::descriptor::{class_named, field_type};

use crate::synthesis::Synthesis;

use super::{Linked, Site, classes};

/// A record and its components in order.
struct Record {
    class: ClassId,
    simple_name: String,
    components: Vec<Component>,
}

struct Component {
    name: String,
    field: FieldRefId,
    ty: Type,
}

const HAS_FLOAT: &str = "floating point: comparison of record components";

/// Links a call of `ObjectMethods.bootstrap`.
pub fn link(site: &Site<'_>) -> Result<Linked, Malformed> {
    let record = read_record(site)?;
    let mut body = site.synthesis();
    let wanted: (&[Kind], Option<Kind>) = match site.call.name.as_str() {
        "equals" => (&[Kind::Ref, Kind::Ref], Some(Kind::Int)),
        "hashCode" => (&[Kind::Ref], Some(Kind::Int)),
        "toString" => (&[Kind::Ref], Some(Kind::Ref)),
        _ => return malformed("an unknown record method"),
    };
    let kinds: Vec<Kind> = site.params.iter().map(|ty| ty.kind()).collect();
    if (kinds.as_slice(), site.result.map(Type::kind)) != wanted {
        return malformed("a record method of a wrong type");
    }
    let params: Vec<Reg> = kinds.iter().map(|kind| body.param(*kind)).collect();
    match site.call.name.as_str() {
        "equals" => write_equals(&mut body, &record, params[0], params[1]),
        "hashCode" => write_hash_code(&mut body, &record, params[0]),
        _ => write_to_string(&mut body, &record, params[0]),
    }
    let program = site.unit.program;
    let name = site.synthetic_name("Record");
    let types = (site.params.to_vec(), site.result);
    let (call, code) = (site.call, body.finish());
    program.define(&name, || {
        let method = classes::method(site, &call.name, &call.descriptor, types, true, code);
        classes::class(site, Vec::new(), Vec::new(), vec![method])
    });
    Ok(Linked::Call(program.method_ref(program.class_id(&name), &call.name, &call.descriptor)))
}

fn read_record(site: &Site<'_>) -> Result<Record, Malformed> {
    let (program, file) = (site.unit.program, site.unit.file);
    let mut arguments = site.bootstrap.arguments.iter().map(|&index| file.loadable(index));
    let class = match arguments.next().transpose()? {
        Some(Loadable::Class(name)) => class_named(program, &name),
        _ => None,
    };
    let Some(class) = class else {
        return malformed("a record method without its record");
    };
    let names = match arguments.next().transpose()? {
        Some(Loadable::String(names)) => String::from_utf16_lossy(&names),
        _ => return malformed("a record method without component names"),
    };
    let mut components = Vec::new();
    for (name, getter) in names.split(';').filter(|n| !n.is_empty()).zip(arguments) {
        components.push(component(program, name, getter?)?);
    }
    let simple_name = file.as_inner().and_then(|i| i.simple_name);
    let simple_name = simple_name
        .unwrap_or_else(|| program.class_name(class).rsplit('.').next().unwrap_or("").to_owned());
    Ok(Record { class, simple_name, components })
}

fn component(program: &Program, name: &str, getter: Loadable) -> Result<Component, Malformed> {
    let Loadable::MethodHandle(getter) = getter else {
        return malformed("a record component without a getter");
    };
    let class = class_named(program, &getter.member.class);
    let ty = field_type(program, &getter.member.descriptor);
    match (getter.kind, class, ty) {
        (1, Some(class), Some(ty)) => Ok(Component {
            name: name.to_owned(),
            field: program.field_ref(class, &getter.member.name, &getter.member.descriptor),
            ty,
        }),
        _ => malformed("a record component whose getter is not a field"),
    }
}

fn read(body: &mut Synthesis<'_>, object: Reg, component: &Component) -> Reg {
    let field = component.field;
    body.compute(component.ty.kind(), |dst| Op::GetField { dst, object, field })
}

/// ```text
/// b0: this == that ? true : next      b1: that instanceof Record ? next : false
/// b2…: each component equal ? next : false, from the last to the first
/// ```
fn write_equals(body: &mut Synthesis<'_>, record: &Record, this: Reg, that: Reg) {
    let inexact = |c: &Component| matches!(c.ty, Type::Float | Type::Double);
    if record.components.iter().any(inexact) {
        return body.trap(HAS_FLOAT);
    }
    let yes = BlockId(record.components.len() as u32 + 2);
    let no = BlockId(yes.0 + 1);
    let next = |body: &Synthesis<'_>| BlockId(body.here().0 + 1);
    let other = next(body);
    body.end(Terminator::Branch { cond: Cond::SameRef(this, that), then: yes, other });
    let class = record.class;
    let same_class = body.compute(Kind::Int, |dst| Op::InstanceOf { dst, src: that, class });
    let then = next(body);
    let cond = Cond::Zero(Compare::Ne, same_class);
    body.end(Terminator::Branch { cond, then, other: no });
    for component in record.components.iter().rev() {
        let left = read(body, this, component);
        let right = read(body, that, component);
        let cond = equal(body, component.ty, left, right);
        let then = next(body);
        body.end(Terminator::Branch { cond, then, other: no });
    }
    for answer in [1, 0] {
        let value = Constant::Int(answer);
        let answer = body.compute(Kind::Int, |dst| Op::Const { dst, value });
        body.end(Terminator::Return(Some(answer)));
    }
}

fn equal(body: &mut Synthesis<'_>, ty: Type, left: Reg, right: Reg) -> Cond {
    match ty.kind() {
        Kind::Int => Cond::Int(Compare::Eq, left, right),
        Kind::Long => {
            let op = BinaryOp::CompareLong;
            let order = body.compute(Kind::Int, |dst| Op::Binary { dst, op, left, right });
            Cond::Zero(Compare::Eq, order)
        }
        Kind::Ref => {
            let objects = body.program.class_id("java.util.Objects");
            let descriptor = "(Ljava/lang/Object;Ljava/lang/Object;)Z";
            let args = vec![left, right];
            let same =
                body.call(InvokeKind::Static, objects, "equals", descriptor, args, Kind::Int);
            Cond::Zero(Compare::Ne, same)
        }
        Kind::Float | Kind::Double => unreachable!("float components were refused before"),
    }
}

fn write_hash_code(body: &mut Synthesis<'_>, record: &Record, this: Reg) {
    let mut result = body.compute(Kind::Int, |dst| Op::Const { dst, value: Constant::Int(0) });
    let factor = body.compute(Kind::Int, |dst| Op::Const { dst, value: Constant::Int(31) });
    for component in &record.components {
        let op = BinaryOp::MulInt;
        let left =
            body.compute(Kind::Int, |dst| Op::Binary { dst, op, left: result, right: factor });
        let value = read(body, this, component);
        let right = hash(body, component.ty, value);
        let op = BinaryOp::AddInt;
        result = body.compute(Kind::Int, |dst| Op::Binary { dst, op, left, right });
    }
    body.end(Terminator::Return(Some(result)));
}

fn hash(body: &mut Synthesis<'_>, ty: Type, value: Reg) -> Reg {
    let (class, descriptor) = match ty {
        Type::Ref(_) => ("java.util.Objects", "(Ljava/lang/Object;)I".to_owned()),
        primitive => (primitive.box_class(), format!("({})I", body.program.descriptor(primitive))),
    };
    let class = body.program.class_id(class);
    body.call(InvokeKind::Static, class, "hashCode", &descriptor, vec![value], Kind::Int)
}

fn write_to_string(body: &mut Synthesis<'_>, record: &Record, this: Reg) {
    let inexact = |c: &Component| matches!(c.ty, Type::Float | Type::Double);
    if record.components.iter().any(inexact) {
        return body.trap("floating point: string conversion of record components");
    }
    let text = |s: &str| Piece::Text(s.encode_utf16().collect());
    let string = body.program.class_id("java.lang.String");
    let mut pieces = Vec::new();
    let mut before = format!("{}[", record.simple_name);
    for component in &record.components {
        pieces.push(text(&format!("{before}{}=", component.name)));
        before = ", ".to_owned();
        let value = read(body, this, component);
        pieces.push(match component.ty {
            Type::Ref(class) if class != string => {
                let descriptor = "(Ljava/lang/Object;)Ljava/lang/String;";
                let args = vec![value];
                let kind = InvokeKind::Static;
                let shown = body.call(kind, string, "valueOf", descriptor, args, Kind::Ref);
                Piece::Value(shown, Type::Ref(string))
            }
            ty => Piece::Value(value, ty),
        });
    }
    let open = if record.components.is_empty() { before } else { String::new() };
    pieces.push(text(&format!("{open}]")));
    let result = body.compute(Kind::Ref, |dst| Op::Concat { dst, pieces });
    body.end(Terminator::Return(Some(result)));
}
