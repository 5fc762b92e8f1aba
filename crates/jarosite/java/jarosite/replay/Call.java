package jarosite.replay;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.reflect.Modifier;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * One call of one method: exactly the named body, whatever the receiver's class overrides.
 */
final class Call {
    private static final Map<String, MethodHandle> HANDLES = new HashMap<>();
    private static Types handlesOf;

    /** When the last call began. */
    static volatile long entered = System.nanoTime();

    private final Types types;
    private final Map<String, Object> request;
    private final String className;
    private final String method;
    final boolean isConstructor;
    final String receiver;
    /** The number of the object that it makes or returns, on the way to the input; null for none. */
    final String makes;
    /** On the way to the input: called as a program calls it. */
    private final boolean isStep;
    final List<Object> arguments;
    private MethodHandle handle;
    private MethodType type;
    private Object[] actual;

    /** What it returned, boxed; for a constructor the new object. */
    Object result;
    /** What it threw; null if it returned. */
    Throwable thrown;

    Call(Types types, Map<String, Object> request) {
        this.types = types;
        this.request = request;
        className = (String) request.get("class");
        method = (String) request.get("method");
        isConstructor = method.equals("<init>");
        receiver = (String) request.get("receiver");
        makes = (String) request.get("makes");
        isStep = Boolean.TRUE.equals(request.get("step"));
        arguments = Json.list(request.get("arguments"));
    }

    /** What it is called in messages. */
    String name() {
        String simple = className.substring(className.lastIndexOf('.') + 1);
        return isConstructor ? "new " + simple : simple + "." + method;
    }

    /** The type of the result; null for none. */
    Class<?> resultType() {
        Class<?> result = type == null ? void.class : type.returnType();
        return result == void.class ? null : result;
    }

    /**
     * Initialises the classes that are to be, and the method's own, as it would be by the time
     * anybody calls its methods. To be done before static fields are set, because an initialiser
     * may write any of them.
     */
    void initialise() throws Skip {
        for (Object name : Json.list(request.get("initialised"))) {
            types.initialised((String) name);
        }
        boolean later = Json.list(request.get("uninitialised")).contains(className);
        if (!method.equals("<clinit>") && !later) {
            types.initialised(className);
        }
    }

    /** Finds the method and takes the arguments from the heap. */
    void prepare(Heap heap) throws Skip {
        if (method.equals("<clinit>")) {
            return;
        }
        Class<?> owner = types.named(className);
        type = type();
        handle = handle(owner);
        boolean hasReceiver = receiver != null && !isConstructor;
        if (arguments.size() != type.parameterCount()) {
            throw new Skip(method + " takes " + type.parameterCount() + " arguments");
        }
        actual = new Object[arguments.size() + (hasReceiver ? 1 : 0)];
        if (hasReceiver) {
            actual[0] = argument(heap, receiver, owner);
            if (actual[0] == null) {
                throw new Skip(method + " needs a receiver");
            }
        }
        int first = hasReceiver ? 1 : 0;
        for (int i = 0; i < arguments.size(); i++) {
            actual[first + i] = argument(heap, (String) arguments.get(i), type.parameterType(i));
        }
    }

    private static Object argument(Heap heap, String datum, Class<?> type) throws Skip {
        Object value = heap.value(datum, type);
        if (value != null && !type.isPrimitive() && !type.isInstance(value)) {
            throw new Skip("an argument of class " + value.getClass().getTypeName()
                    + " stands where a " + type.getTypeName() + " belongs");
        }
        return value;
    }

    private MethodType type() throws Skip {
        try {
            String descriptor = (String) request.get("descriptor");
            return MethodType.fromMethodDescriptorString(descriptor, types);
        } catch (TypeNotPresentException | IllegalArgumentException | LinkageError failure) {
            throw new Skip("the signature of " + method + " cannot be resolved: " + failure);
        }
    }

    private MethodHandle handle(Class<?> owner) throws Skip {
        if (handlesOf != types) {
            handlesOf = types;
            HANDLES.clear();
        }
        String key = className + "." + method + request.get("descriptor") + isStep;
        MethodHandle known = HANDLES.get(key);
        if (known == null) {
            known = find(owner);
            known = known.asSpreader(Object[].class, known.type().parameterCount())
                    .asType(MethodType.methodType(Object.class, Object[].class));
            HANDLES.put(key, known);
        }
        return known;
    }

    private MethodHandle find(Class<?> owner) throws Skip {
        if (isConstructor && Modifier.isAbstract(owner.getModifiers())) {
            throw new Skip(className + " is abstract, so its constructor cannot be run alone");
        }
        try {
            MethodHandles.Lookup lookup = isStep && Types.isLibrary(owner)
                    ? MethodHandles.publicLookup()
                    : MethodHandles.privateLookupIn(owner, MethodHandles.lookup());
            if (isConstructor) {
                return lookup.findConstructor(owner, type);
            }
            MethodHandle found;
            if (receiver == null) {
                found = lookup.findStatic(owner, method, type);
            } else if (isStep) {
                found = lookup.findVirtual(owner, method, type);
            } else {
                found = lookup.findSpecial(owner, method, type, owner);
            }
            // A method with variable arguments takes them as the array that the heap describes.
            return found.asFixedArity();
        } catch (ReflectiveOperationException | LinkageError failure) {
            throw new Skip(className + "." + method + " cannot be called: " + failure);
        }
    }

    /** Runs it. Everything that the program may do, endless loops included, happens here. */
    void run() throws Skip {
        entered = System.nanoTime();
        try {
            if (handle == null) {
                Class.forName(className, true, types);
            } else {
                result = (Object) handle.invokeExact(actual);
            }
        } catch (ExceptionInInitializerError failure) {
            thrown = handle == null && failure.getCause() != null ? failure.getCause() : failure;
        } catch (Throwable failure) {
            thrown = failure;
        }
        if (thrown instanceof OutOfMemoryError) {
            boolean isPlain = thrown.getClass() == OutOfMemoryError.class;
            throw new Skip("the JVM ran out of memory"
                    + (isPlain ? ": " + thrown.getMessage() : ""));
        }
    }

    /** Where the exception was created: the first frame of given code; null if there is none. */
    StackTraceElement place() {
        if (!Types.isPlatform(thrown, "getStackTrace")) {
            return null;
        }
        for (StackTraceElement frame : thrown.getStackTrace()) {
            if (types.source.isGiven(frame.getClassName())) {
                return frame;
            }
        }
        return null;
    }
}
