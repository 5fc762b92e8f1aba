//! Methods that have no bytecode to analyse (native, or bound to the VM) or whose bytecode is
//! needlessly costly, and whose meaning the encoder knows by name.
//!
//! The `jvm` crate decides which method is which intrinsic; the encoder gives the meaning. The
//! documentation of each variant is its contract.

/// A method whose meaning is built in. Arguments are those of the Java method, receiver first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Intrinsic {
    /// Does nothing and returns nothing, or its type's default value (`registerNatives`,
    /// `Object.<init>`, `Reference.reachabilityFence`, `fence`s …).
    Nothing,
    /// Lets other threads go on, of which there are none here (`Thread.onSpinWait`).
    Pause,
    /// Returns its receiver or first argument (`Throwable.fillInStackTrace`,
    /// `Objects.requireNonNull` it is not: that has bytecode).
    ReturnFirst,
    /// `Object.getClass`.
    GetClass,
    /// `Object.hashCode` itself and `System.identityHashCode`: an arbitrary but fixed number for
    /// each object, 0 for null.
    IdentityHash,
    /// `Object.clone`: a shallow copy of an array or a `Cloneable` object.
    Clone,
    /// `System.arraycopy(Object, int, Object, int, int)` with all its checks.
    ArrayCopy,
    /// `Class.desiredAssertionStatus`: assertions are on in given code.
    AssertionStatus,
    /// `Class.isArray`, `isPrimitive`, `isInterface`: properties of the mirror.
    ClassIsArray,
    ClassIsPrimitive,
    ClassIsInterface,
    /// `Class.getComponentType`.
    ClassComponentType,
    /// `Class.isInstance(Object)`.
    ClassIsInstance,
    /// `Class.getSuperclass`.
    ClassSuperclass,
    /// `Class.isAssignableFrom(Class)`.
    ClassIsAssignableFrom,
    /// `Class.getName`, `getSimpleName`, `getTypeName`.
    ClassName,
    ClassSimpleName,
    /// `Class.hashCode`: fixed, arbitrary; `Class.cast` has bytecode.
    /// `Class.getPrimitiveClass(String)`: the mirror of a primitive type by its keyword.
    PrimitiveClass,
    /// `Class.getEnumConstantsShared`: the array that `values()` returns.
    EnumConstants,
    /// `java.lang.reflect.Array.newArray(Class, int)` (the native below `newInstance`).
    NewArrayOfClass,
    /// `valueOf` of a box class: the cached object for small values, a fresh one otherwise.
    BoxValueOf,
    /// `Float.floatToRawIntBits` and its three siblings: the same bits.
    SameBits,
    /// `String.intern`.
    Intern,
    /// `java.io.PrintStream.print*`/`println*`/`write`/`flush` and the like: output is not part
    /// of the state. Reference arguments other than strings are converted with `String.valueOf`
    /// first, because user code may run there.
    Print,
    /// `System.nanoTime`, `currentTimeMillis`: any number. `Math.random`-like sources are traps.
    AnyLong,
    /// `System.getProperty(String)` and friends in class initialisers: null.
    ReturnNull,
    /// `Unsafe`-level compare-and-set on a field given by offset is a trap; this is
    /// `VM.isSystemDomainLoader`-like constant queries: returns false / 0.
    ReturnFalse,
    /// Constant queries that answer true.
    ReturnTrue,
    /// `StringUTF16.isBigEndian`: false on every machine that we replay on.
    IsBigEndian,
    /// `System.exit`: ends the execution, neither normally nor by an exception.
    Halt,
    /// `Integer.bitCount`/`Long.bitCount` (bytecode exists; a counting circuit is far smaller).
    BitCountInt,
    BitCountLong,
    /// `Math.multiplyHigh(long, long)`.
    MultiplyHigh,
    /// `jdk.internal.util.Preconditions.outOfBounds…` have bytecode that uses lambdas and
    /// formatting: these three are `Objects.checkIndex(int,int)`,
    /// `checkFromToIndex(int,int,int)`, `checkFromIndexSize(int,int,int)`: they return their
    /// first argument or throw `IndexOutOfBoundsException`.
    CheckIndex,
    CheckFromToIndex,
    CheckFromIndexSize,
    /// `String.format(String, Object[])` and the like: a string whose text is not known; asking
    /// for it is unsupported. Arguments are converted as the JDK does, because user code may run
    /// there; formats that could fail are unsupported at once.
    Format,
    /// `Integer.getChars(int, int, byte[])` and `Long`'s: writes the decimal digits so that they
    /// end before the index, and returns where they begin. (The bytecode divides by 100 in a
    /// loop, and each of its array accesses would have to be proven in bounds.)
    DecimalDigits,
    /// `Locale.<clinit>`: the constants as objects without state.
    LocaleInit,
    /// `Locale.getDefault`: one object, whose language has no rules of its own for letter case.
    DefaultLocale,
    /// `Locale.getLanguage` of a constant or the default.
    LocaleLanguage,
    /// `Enum.hashCode`, `Class.hashCode` are `IdentityHash`. `System.<clinit>` sets `out`, `err`
    /// to opaque `PrintStream`s and `in` to null.
    SystemInit,
}
