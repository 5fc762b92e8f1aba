//! Library methods that are written here instead of read: exactly their meaning for one thread,
//! without the atomics, caches and start-up state that their bytecode goes through.

use ir::body::Compare;
use ir::{
    BinaryOp, BlockId, Code, Cond, Constant, InvokeKind, Kind, Method, Op, Program, Reg,
    Terminator, Type,
};

use crate::synthesis::Synthesis;

/// A method with a body of our own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Replacement {
    /// `System.lineSeparator()`: "\n" on every machine that we replay on.
    LineSeparator,
    /// `AccessController.doPrivileged(action, …)`: runs the action. There is no security manager.
    RunAction,
    /// `ArraysSupport.vectorizedMismatch`: `~length`, "nothing compared yet", which its callers
    /// finish element by element.
    VectorizedMismatch,
    /// `SharedSecrets.getJavaLangAccess()`: the object that start-up code puts there.
    JavaLangAccess,
    /// `Enum.valueOf(Class, String)`: searches the constants instead of a lazily built map. The
    /// message of its exception has the class's binary name where the JDK's has the canonical one.
    EnumValueOf,
    /// Reads, changes and writes the field `value` of an atomic number or reference.
    Atomic(Atomic),
}

/// What an atomic operation does with `value`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Atomic {
    /// Stores the argument, returns nothing.
    Set,
    /// Stores the argument, returns the old value.
    GetAndSet,
    /// Stores the second argument if the first is the value; whether it did.
    CompareAndSet,
    /// Adds the argument, or this number; returns the old or the new value.
    Add { by: Option<i8>, new: bool },
}

impl Replacement {
    /// The replacement of a method, if it has one.
    pub fn of(class: &str, name: &str, descriptor: &str) -> Option<Replacement> {
        Some(match (class, name) {
            ("java.lang.System", "lineSeparator") => Replacement::LineSeparator,
            ("java.security.AccessController", "doPrivileged")
                if descriptor.starts_with("(Ljava/security/PrivilegedAction;") =>
            {
                Replacement::RunAction
            }
            ("jdk.internal.util.ArraysSupport", "vectorizedMismatch") => {
                Replacement::VectorizedMismatch
            }
            ("jdk.internal.access.SharedSecrets", "getJavaLangAccess") => {
                Replacement::JavaLangAccess
            }
            ("java.lang.Enum", "valueOf") => Replacement::EnumValueOf,
            (
                "java.util.concurrent.atomic.AtomicInteger"
                | "java.util.concurrent.atomic.AtomicLong"
                | "java.util.concurrent.atomic.AtomicReference",
                _,
            ) => Replacement::Atomic(Atomic::named(name)?),
            // Stored as 0 or 1, passed as such: the same code serves, but there is no adding.
            ("java.util.concurrent.atomic.AtomicBoolean", _) => {
                Replacement::Atomic(Atomic::named(name)?)
            }
            _ => return None,
        })
    }

    /// The body that replaces `method`.
    pub fn code(self, program: &Program, method: &Method) -> Code {
        let mut body = Synthesis::new(program, 0, 0);
        let receiver = (!method.is_static).then_some(Kind::Ref);
        let kinds = receiver.into_iter().chain(method.params.iter().map(|ty| ty.kind()));
        let params: Vec<Reg> = kinds.map(|kind| body.param(kind)).collect();
        match self {
            Replacement::LineSeparator => {
                let value = Constant::String([u16::from(b'\n')].into());
                let result = body.compute(Kind::Ref, |dst| Op::Const { dst, value });
                body.end(Terminator::Return(Some(result)));
            }
            Replacement::RunAction => {
                let class = program.class_id("java.security.PrivilegedAction");
                let args = vec![params[0]];
                let descriptor = "()Ljava/lang/Object;";
                let kind = InvokeKind::Interface;
                let result = body.call(kind, class, "run", descriptor, args, Kind::Ref);
                body.end(Terminator::Return(Some(result)));
            }
            Replacement::VectorizedMismatch => {
                let ones = int(&mut body, -1);
                let (op, left) = (BinaryOp::XorInt, params[4]);
                let result =
                    body.compute(Kind::Int, |dst| Op::Binary { dst, op, left, right: ones });
                body.end(Terminator::Return(Some(result)));
            }
            Replacement::JavaLangAccess => {
                let class = program.class_id("java.lang.System$2");
                let object = construct(&mut body, class, "()V", Vec::new());
                body.end(Terminator::Return(Some(object)));
            }
            Replacement::EnumValueOf => enum_value_of(&mut body, params[0], params[1]),
            Replacement::Atomic(atomic) => write_atomic(&mut body, atomic, method, &params),
        }
        body.finish()
    }
}

impl Atomic {
    fn named(name: &str) -> Option<Atomic> {
        Some(match name {
            "set" | "lazySet" | "setPlain" | "setOpaque" | "setRelease" => Atomic::Set,
            "getAndSet" => Atomic::GetAndSet,
            // A weak compare-and-set may fail for no reason; on the machines that we replay on
            // it never does.
            "compareAndSet"
            | "weakCompareAndSet"
            | "weakCompareAndSetPlain"
            | "weakCompareAndSetVolatile"
            | "weakCompareAndSetAcquire"
            | "weakCompareAndSetRelease" => Atomic::CompareAndSet,
            "getAndAdd" => Atomic::Add { by: None, new: false },
            "addAndGet" => Atomic::Add { by: None, new: true },
            "getAndIncrement" => Atomic::Add { by: Some(1), new: false },
            "getAndDecrement" => Atomic::Add { by: Some(-1), new: false },
            "incrementAndGet" => Atomic::Add { by: Some(1), new: true },
            "decrementAndGet" => Atomic::Add { by: Some(-1), new: true },
            _ => return None,
        })
    }
}

fn int(body: &mut Synthesis<'_>, value: i32) -> Reg {
    body.compute(Kind::Int, |dst| Op::Const { dst, value: Constant::Int(value) })
}

fn construct(
    body: &mut Synthesis<'_>,
    class: ir::ClassId,
    descriptor: &str,
    mut args: Vec<Reg>,
) -> Reg {
    let object = body.compute(Kind::Ref, |dst| Op::New { dst, class, assertion: false });
    let method = body.program.method_ref(class, "<init>", descriptor);
    args.insert(0, object);
    body.emit(Op::Invoke { dst: None, kind: InvokeKind::Special, method, args });
    object
}

fn write_atomic(body: &mut Synthesis<'_>, atomic: Atomic, method: &Method, params: &[Reg]) {
    let program = body.program;
    // `AtomicBoolean` keeps an int.
    let descriptor = match program.class_name(method.class) {
        "java.util.concurrent.atomic.AtomicLong" => "J",
        "java.util.concurrent.atomic.AtomicReference" => "Ljava/lang/Object;",
        _ => "I",
    };
    let kind = match descriptor {
        "J" => Kind::Long,
        "I" => Kind::Int,
        _ => Kind::Ref,
    };
    let field = program.field_ref(method.class, "value", descriptor);
    let object = params[0];
    let old = body.compute(kind, |dst| Op::GetField { dst, object, field });
    match atomic {
        Atomic::Set | Atomic::GetAndSet => {
            body.emit(Op::PutField { object, field, src: params[1] });
            let result = (atomic == Atomic::GetAndSet).then_some(old);
            body.end(Terminator::Return(result));
        }
        Atomic::CompareAndSet => {
            let cond = match kind {
                Kind::Ref => Cond::SameRef(old, params[1]),
                Kind::Long => {
                    let (op, left, right) = (BinaryOp::CompareLong, old, params[1]);
                    let order = body.compute(Kind::Int, |dst| Op::Binary { dst, op, left, right });
                    Cond::Zero(Compare::Eq, order)
                }
                Kind::Int | Kind::Float | Kind::Double => Cond::Int(Compare::Eq, old, params[1]),
            };
            body.end(Terminator::Branch { cond, then: BlockId(1), other: BlockId(2) });
            body.emit(Op::PutField { object, field, src: params[2] });
            let yes = int(body, 1);
            body.end(Terminator::Return(Some(yes)));
            let no = int(body, 0);
            body.end(Terminator::Return(Some(no)));
        }
        Atomic::Add { by, new } => {
            let right = match (by, kind) {
                (None, _) => params[1],
                (Some(by), Kind::Long) => {
                    let value = Constant::Long(i64::from(by));
                    body.compute(kind, |dst| Op::Const { dst, value })
                }
                (Some(by), _) => int(body, i32::from(by)),
            };
            let op = if kind == Kind::Long { BinaryOp::AddLong } else { BinaryOp::AddInt };
            let sum = body.compute(kind, |dst| Op::Binary { dst, op, left: old, right });
            body.emit(Op::PutField { object, field, src: sum });
            body.end(Terminator::Return(Some(if new { sum } else { old })));
        }
    }
}

/// ```text
/// b0: constants = class.getEnumConstantsShared(); i = 0; name == null ? b5 : b1
/// b1: i < constants.length ? b2 : b4        b2: constants[i].name.equals(name) ? b3 : b6
/// b3: return constants[i]                   b4: throw IllegalArgumentException
/// b5: throw NullPointerException            b6: i++; goto b1
/// ```
fn enum_value_of(body: &mut Synthesis<'_>, class: Reg, name: Reg) {
    let program = body.program;
    let (mirror, enumeration) =
        (program.class_id("java.lang.Class"), program.class_id("java.lang.Enum"));
    let string = program.class_id("java.lang.String");
    let virtually = InvokeKind::Virtual;
    let shared = ("getEnumConstantsShared", "()[Ljava/lang/Object;");
    let array = body.call(virtually, mirror, shared.0, shared.1, vec![class], Kind::Ref);
    let index = int(body, 0);
    body.end(Terminator::Branch { cond: Cond::Null(name), then: BlockId(5), other: BlockId(1) });
    let length = body.compute(Kind::Int, |dst| Op::ArrayLength { dst, array });
    let cond = Cond::Int(Compare::Lt, index, length);
    body.end(Terminator::Branch { cond, then: BlockId(2), other: BlockId(4) });
    let element = None;
    let loaded = body.compute(Kind::Ref, |dst| Op::ArrayLoad { dst, array, index, element });
    let constant =
        body.compute(Kind::Ref, |dst| Op::CheckCast { dst, src: loaded, class: enumeration });
    let field = program.field_ref(enumeration, "name", "Ljava/lang/String;");
    let own = body.compute(Kind::Ref, |dst| Op::GetField { dst, object: constant, field });
    let descriptor = "(Ljava/lang/Object;)Z";
    let same = body.call(virtually, string, "equals", descriptor, vec![own, name], Kind::Int);
    let cond = Cond::Zero(Compare::Ne, same);
    body.end(Terminator::Branch { cond, then: BlockId(3), other: BlockId(6) });
    body.end(Terminator::Return(Some(constant)));
    let descriptor = "()Ljava/lang/String;";
    let shown = body.call(virtually, mirror, "getName", descriptor, vec![class], Kind::Ref);
    let text = |s: &str| ir::body::Piece::Text(s.encode_utf16().collect());
    let pieces = vec![
        text("No enum constant "),
        ir::body::Piece::Value(shown, Type::Ref(string)),
        text("."),
        ir::body::Piece::Value(name, Type::Ref(string)),
    ];
    let message = body.compute(Kind::Ref, |dst| Op::Concat { dst, pieces });
    throw(body, "java.lang.IllegalArgumentException", message);
    let value = Constant::String("Name is null".encode_utf16().collect());
    let message = body.compute(Kind::Ref, |dst| Op::Const { dst, value });
    throw(body, "java.lang.NullPointerException", message);
    let one = int(body, 1);
    body.emit(Op::Binary { dst: index, op: BinaryOp::AddInt, left: index, right: one });
    body.end(Terminator::Goto(BlockId(1)));
}

fn throw(body: &mut Synthesis<'_>, class: &str, message: Reg) {
    let class = body.program.class_id(class);
    let exception = construct(body, class, "(Ljava/lang/String;)V", vec![message]);
    body.end(Terminator::Throw(exception));
}
