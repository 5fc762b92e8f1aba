//! What each property is about, for readers who meet it for the first time.

use verify::Property;

/// A property in words.
pub(crate) struct Rule {
    /// One sentence.
    pub short: &'static str,
    /// What it means and what to do about it.
    pub help: &'static str,
}

pub(crate) fn rule(property: Property) -> Rule {
    let (short, help) = match property {
        Property::NullDereference => (
            "A null reference is dereferenced.",
            "The execution shown reads a field, calls a method or takes the length of a reference that \
             is null there. Test for null before, make sure that it is never null, or annotate the \
             parameter if callers must not pass null.",
        ),
        Property::ArrayIndex => (
            "An array index is out of bounds.",
            "The execution shown uses an index below 0 or beyond the last element. Test the index, or \
             correct the loop or the length that it comes from.",
        ),
        Property::NegativeArraySize => (
            "An array is created with a negative size.",
            "The execution shown computes a size below 0; an overflow is a common reason.",
        ),
        Property::ArrayStore => (
            "An array is given an element of the wrong class.",
            "Arrays of Java know the class of their elements: the array shown was created for \
             another class than that of the stored object.",
        ),
        Property::ClassCast => (
            "A cast fails.",
            "The object is not of the class that it is cast to. Test with instanceof before, or keep \
             objects of other classes out.",
        ),
        Property::DivisionByZero => (
            "An integer is divided by zero.",
            "The divisor of / or % is 0 in the execution shown. Test it before the division.",
        ),
        Property::Assert => (
            "An assertion fails.",
            "The condition of an assert statement, in Java or in a specification, is false in the \
             execution shown.",
        ),
        Property::UncaughtException => (
            "An undeclared exception comes out of a call.",
            "A method of a library throws an exception that the method neither catches nor declares.",
        ),
        Property::Requires => (
            "A precondition is violated at a call.",
            "The caller does not do what the called method requires.",
        ),
        Property::Ensures => (
            "A postcondition is violated.",
            "The method returns, but what it promises with `ensures` is false then.",
        ),
        Property::Signals => (
            "An exceptional postcondition is violated.",
            "The method throws, but what it promises with `signals` is false then.",
        ),
        Property::SignalsOnly => (
            "An exception is thrown that the specification does not allow.",
            "The method throws an exception that `signals_only` does not list.",
        ),
        Property::Assignable => (
            "Something is changed that must not be.",
            "The method assigns a field or an element that its `assignable` clause does not list.",
        ),
        Property::Invariant => (
            "An invariant is violated.",
            "After the method an invariant, an initial condition or a constraint of a class is false.",
        ),
        Property::LoopInvariant => (
            "A loop invariant is violated.",
            "The condition is false when the loop is entered, or after one of its rounds.",
        ),
        Property::Decreases => (
            "A loop or a recursion makes no progress.",
            "The measure of a `decreases` or `measured_by` clause does not become smaller, or is \
             negative.",
        ),
        Property::Accessible => (
            "Something is read that must not be.",
            "The method reads a field or an element that its `accessible` clause does not list.",
        ),
        Property::Callable => (
            "Something is called that must not be.",
            "The method calls a method that its `callable` clause does not list.",
        ),
        Property::Readable => (
            "A field is read at the wrong time.",
            "The condition under which the field is `readable` is false where it is read.",
        ),
        Property::Writable => (
            "A field is assigned at the wrong time.",
            "The condition under which the field is `writable` is false where it is assigned.",
        ),
        Property::NonTermination => (
            "A loop never ends.",
            "An execution comes back to a state in which it was before, so it goes round for ever.",
        ),
        Property::Overflow => (
            "Arithmetic wraps.",
            "A sum, a difference, a product, a negation or an absolute value is beyond the range of \
             its type, so that the result is another number.",
        ),
    };
    Rule { short, help }
}
