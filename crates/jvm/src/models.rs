//! Which methods of the JDK are not taken from their bytecode, and why.
//!
//! Three kinds: natives and VM-bound methods whose meaning the encoder knows ([`Intrinsic`]);
//! methods with a shorter or thread-free equivalent that we write ourselves ([`Replacement`]);
//! and methods whose bytecode would run but give a wrong answer, because the VM sets state up
//! behind its back or because they lead into machinery (locales, charsets) that always ends in
//! a trap: these trap at once, by their own name. Every other native is a trap too.
//!
//! A class initialiser is `Nothing` only where every field that it sets is used by nothing but
//! methods that are modelled here or trap; the reason stands beside it.

use ir::Intrinsic;

use crate::replacements::Replacement;

/// What stands in for a method.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Model {
    Intrinsic(Intrinsic),
    Replacement(Replacement),
    /// A trap by the method's own name.
    Unsupported,
}

/// The model of a method; `class` is a binary name.
pub fn model(class: &str, name: &str, descriptor: &str) -> Option<Model> {
    let package = class.rsplit_once('.')?.0;
    if matches!(name, "registerNatives" | "initIDs") && descriptor == "()V" {
        return is_jdk(package).then_some(Model::Intrinsic(Intrinsic::Nothing));
    }
    if let Some(replacement) = Replacement::of(class, name, descriptor) {
        return Some(Model::Replacement(replacement));
    }
    if is_unsupported(class, name, descriptor) {
        return Some(Model::Unsupported);
    }
    let found = match package {
        "java.lang" => java_lang(class, name, descriptor),
        "java.util" => java_util(class, name, descriptor),
        _ => elsewhere(class, name),
    };
    found.map(Model::Intrinsic)
}

fn is_jdk(package: &str) -> bool {
    ["java.", "jdk.", "sun."].iter().any(|prefix| package.starts_with(prefix))
}

fn java_lang(class: &str, name: &str, descriptor: &str) -> Option<Intrinsic> {
    Some(match (class, name) {
        ("java.lang.Object", "<init>") => Intrinsic::Nothing,
        ("java.lang.Object", "getClass") => Intrinsic::GetClass,
        ("java.lang.Object", "hashCode") => Intrinsic::IdentityHash,
        ("java.lang.Object", "clone") => Intrinsic::Clone,
        ("java.lang.Class", _) => return java_lang_class(name),
        ("java.lang.System", "<clinit>") => Intrinsic::SystemInit,
        ("java.lang.System", "arraycopy") => Intrinsic::ArrayCopy,
        ("java.lang.System", "identityHashCode") => Intrinsic::IdentityHash,
        ("java.lang.System", "nanoTime" | "currentTimeMillis") => Intrinsic::AnyLong,
        ("java.lang.Thread", "onSpinWait") => Intrinsic::Pause,
        // There is none unless the JVM was started with one.
        ("java.lang.System", "getSecurityManager") => Intrinsic::ReturnNull,
        ("java.lang.System" | "java.lang.Runtime", "gc") => Intrinsic::Nothing,
        ("java.lang.System" | "java.lang.Runtime", "exit") => Intrinsic::Halt,
        ("java.lang.Runtime", "halt") => Intrinsic::Halt,
        // Stack traces are not part of the state; whatever reads them traps below.
        ("java.lang.Throwable", "fillInStackTrace") if descriptor == "()Ljava/lang/Throwable;" => {
            Intrinsic::ReturnFirst
        }
        ("java.lang.Throwable", "printStackTrace") if descriptor == "()V" => Intrinsic::Print,
        ("java.lang.String", "intern") => Intrinsic::Intern,
        ("java.lang.String", "format") => Intrinsic::Format,
        ("java.lang.StringUTF16", "isBigEndian") => Intrinsic::IsBigEndian,
        ("java.lang.Float", "floatToRawIntBits" | "intBitsToFloat") => Intrinsic::SameBits,
        ("java.lang.Double", "doubleToRawLongBits" | "longBitsToDouble") => Intrinsic::SameBits,
        ("java.lang.Integer" | "java.lang.Long", "getChars") => Intrinsic::DecimalDigits,
        ("java.lang.Integer", "bitCount") => Intrinsic::BitCountInt,
        ("java.lang.Long", "bitCount") => Intrinsic::BitCountLong,
        ("java.lang.Math", "multiplyHigh") => Intrinsic::MultiplyHigh,
        // `Boolean.valueOf` has two objects in static fields: its bytecode says it exactly.
        ("java.lang.Byte", "valueOf") if descriptor.starts_with("(B)") => Intrinsic::BoxValueOf,
        ("java.lang.Short", "valueOf") if descriptor.starts_with("(S)") => Intrinsic::BoxValueOf,
        ("java.lang.Character", "valueOf") => Intrinsic::BoxValueOf,
        ("java.lang.Integer", "valueOf") if descriptor.starts_with("(I)") => Intrinsic::BoxValueOf,
        ("java.lang.Long", "valueOf") if descriptor.starts_with("(J)") => Intrinsic::BoxValueOf,
        _ => return None,
    })
}

fn java_lang_class(name: &str) -> Option<Intrinsic> {
    Some(match name {
        "desiredAssertionStatus" => Intrinsic::AssertionStatus,
        "isArray" => Intrinsic::ClassIsArray,
        "isPrimitive" => Intrinsic::ClassIsPrimitive,
        "isInterface" => Intrinsic::ClassIsInterface,
        // Its bytecode reads a field that only the VM writes.
        "getComponentType" | "componentType" => Intrinsic::ClassComponentType,
        "isInstance" => Intrinsic::ClassIsInstance,
        "getSuperclass" => Intrinsic::ClassSuperclass,
        "isAssignableFrom" => Intrinsic::ClassIsAssignableFrom,
        "getName" => Intrinsic::ClassName,
        "getSimpleName" => Intrinsic::ClassSimpleName,
        "getPrimitiveClass" => Intrinsic::PrimitiveClass,
        "getEnumConstantsShared" => Intrinsic::EnumConstants,
        _ => return None,
    })
}

fn java_util(class: &str, name: &str, descriptor: &str) -> Option<Intrinsic> {
    Some(match (class, name) {
        ("java.util.Locale", "<clinit>") => Intrinsic::LocaleInit,
        ("java.util.Locale", "getDefault") => Intrinsic::DefaultLocale,
        ("java.util.Locale", "getLanguage") => Intrinsic::LocaleLanguage,
        ("java.util.Objects", "checkIndex") if descriptor == "(II)I" => Intrinsic::CheckIndex,
        ("java.util.Objects", "checkFromToIndex") if descriptor == "(III)I" => {
            Intrinsic::CheckFromToIndex
        }
        ("java.util.Objects", "checkFromIndexSize") if descriptor == "(III)I" => {
            Intrinsic::CheckFromIndexSize
        }
        // `userRequested` is false unless a system property asks for the sort of Java 6.
        ("java.util.Arrays$LegacyMergeSort", "<clinit>") => Intrinsic::Nothing,
        _ => return None,
    })
}

fn elsewhere(class: &str, name: &str) -> Option<Intrinsic> {
    Some(match (class, name) {
        ("java.lang.reflect.Array", "newArray") => Intrinsic::NewArrayOfClass,
        ("java.lang.ref.Reference", "reachabilityFence") => Intrinsic::Nothing,
        // Arrays are refused in `is_unsupported`: null ones throw.
        ("java.io.PrintStream", "print" | "println" | "write" | "flush" | "close") => {
            Intrinsic::Print
        }
        // The only users of its fields are `mismatch…` (which pass them to
        // `vectorizedMismatch`, replaced) and `vectorizedMismatch` itself.
        ("jdk.internal.util.ArraysSupport", "<clinit>") => Intrinsic::Nothing,
        // Their one field that is not a constant is a VarHandle; its calls trap when lowered,
        // and the common operations are replaced.
        (
            "java.util.concurrent.atomic.AtomicReference"
            | "java.util.concurrent.atomic.AtomicBoolean",
            "<clinit>",
        ) => Intrinsic::Nothing,
        // Its one field is a lookup object that only `ensureClassInitialized` uses, which traps.
        ("jdk.internal.access.SharedSecrets", "<clinit>") => Intrinsic::Nothing,
        ("java.util.concurrent.atomic.AtomicLong", "VMSupportsCS8") => Intrinsic::ReturnTrue,
        ("jdk.internal.misc.VM", "isBooted" | "isModuleSystemInited") => Intrinsic::ReturnTrue,
        // What a JVM started without options answers.
        ("jdk.internal.misc.VM", "getSavedProperty") => Intrinsic::ReturnNull,
        ("sun.security.action.GetPropertyAction", "privilegedGetProperty") => Intrinsic::ReturnNull,
        ("jdk.internal.misc.VM", "initialize") => Intrinsic::Nothing,
        (
            "jdk.internal.misc.CDS",
            "isDumpingClassList0"
            | "isDumpingArchive0"
            | "isSharingEnabled0"
            | "getRandomSeedForDumping",
        ) => Intrinsic::ReturnFalse,
        ("jdk.internal.misc.CDS", "initializeFromArchive") => Intrinsic::Nothing,
        // Offsets only ever reach natives of `Unsafe` that trap.
        (
            "jdk.internal.misc.Unsafe",
            "arrayBaseOffset0" | "arrayIndexScale0" | "objectFieldOffset0" | "objectFieldOffset1"
            | "staticFieldOffset0",
        ) => Intrinsic::ReturnFalse,
        ("jdk.internal.misc.Unsafe", "loadFence" | "storeFence" | "fullFence") => {
            Intrinsic::Nothing
        }
        _ => return None,
    })
}

/// Bytecode that must not run.
fn is_unsupported(class: &str, name: &str, descriptor: &str) -> bool {
    match class {
        // A backtrace that `fillInStackTrace` did not record would read as an empty trace.
        "java.lang.Throwable" => matches!(name, "getOurStackTrace" | "getStackTrace"),
        // Set by the VM's start-up code, which does not run here.
        "java.lang.System" => matches!(
            name,
            "getProperty"
                | "getProperties"
                | "setProperty"
                | "clearProperty"
                | "getenv"
                | "setOut"
                | "setErr"
                | "setIn"
                | "console"
                | "initPhase1"
                | "initPhase2"
                | "initPhase3"
                | "setSecurityManager"
                | "loadLibrary"
                | "load"
                | "getLogger"
        ),
        "java.lang.Math" | "java.lang.StrictMath" => name == "random",
        // Formats with a locale, and `formatted`, are rare.
        "java.lang.String" => {
            name == "formatted" || (name == "format" && descriptor.starts_with("(Ljava/util/"))
        }
        // Its objects have no state here: only what `java_util` lists works on them.
        "java.util.Locale" => {
            !matches!(name, "<clinit>" | "getLanguage")
                && (name, descriptor) != ("getDefault", "()Ljava/util/Locale;")
        }
        // Only the opaque streams of `System` exist, so output through one is never seen again.
        "java.io.PrintStream" => {
            let prints_array = name != "checkError" && descriptor.starts_with("([");
            prints_array || matches!(name, "<init>" | "format" | "printf" | "append")
        }
        "java.nio.charset.Charset" | "java.lang.ref.Reference" => name == "<clinit>",
        "java.util.Formatter" => name == "<init>",
        "jdk.internal.access.SharedSecrets" => name != "<clinit>" && !name.starts_with("set"),
        "java.lang.Thread" | "java.lang.ThreadGroup" => matches!(name, "<init>" | "<clinit>"),
        "java.lang.invoke.MethodHandles" => matches!(name, "lookup" | "privateLookupIn"),
        "java.lang.Class" => matches!(
            name,
            "forName"
                | "getClassLoader"
                | "getClassLoader0"
                | "elementType"
                | "newInstance"
                | "getModule"
                | "getPackage"
                | "getDeclaredField"
                | "getField"
                | "getMethod"
                | "getDeclaredMethod"
                | "getConstructor"
                | "getDeclaredConstructor"
        ),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_boxing_value_of_is_built_in() {
        let of = |class, descriptor| model(class, "valueOf", descriptor);
        let boxed = Some(Model::Intrinsic(Intrinsic::BoxValueOf));
        assert_eq!(of("java.lang.Integer", "(I)Ljava/lang/Integer;"), boxed);
        assert_eq!(of("java.lang.Integer", "(Ljava/lang/String;)Ljava/lang/Integer;"), None);
        assert_eq!(of("java.lang.Boolean", "(Z)Ljava/lang/Boolean;"), None);
    }

    #[test]
    fn classes_of_others_have_no_models() {
        assert_eq!(model("p.Object", "registerNatives", "()V"), None);
        assert_eq!(model("Main", "registerNatives", "()V"), None);
    }
}
