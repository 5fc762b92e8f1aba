import java.lang.reflect.Array;
import java.lang.reflect.Constructor;
import java.lang.reflect.Field;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;

/** Builds and reads objects that no public method leads to. */
final class JarositeHeap {
    private JarositeHeap() {}

    /** An object whose fields all have their default value; no constructor runs. */
    static <T> T make(Class<T> type) {
        try {
            // By name, because javac warns of this class wherever a source names it.
            Class<?> factories = Class.forName("sun.reflect.ReflectionFactory");
            Object factory = factories.getMethod("getReflectionFactory").invoke(null);
            Object constructor =
                    factories
                            .getMethod("newConstructorForSerialization", Class.class, Constructor.class)
                            .invoke(factory, type, Object.class.getDeclaredConstructor());
            return type.cast(((Constructor<?>) constructor).newInstance());
        } catch (ReflectiveOperationException e) {
            throw new AssertionError(e);
        }
    }

    /** The class of this binary name: one that the source cannot name. */
    static Class<?> type(String name) {
        try {
            return Class.forName(name, true, JarositeHeap.class.getClassLoader());
        } catch (ClassNotFoundException e) {
            throw new AssertionError(e);
        }
    }

    static void set(Object object, String field, Object value) {
        set(object.getClass(), object, field, value);
    }

    static Object get(Object object, String field) {
        return get(object.getClass(), object, field);
    }

    /** For a field of a superclass that a field of the same name hides, and for static fields. */
    static void set(Class<?> type, Object object, String field, Object value) {
        try {
            field(type, field).set(object, value);
        } catch (ReflectiveOperationException e) {
            throw new AssertionError(e);
        }
    }

    static Object get(Class<?> type, Object object, String field) {
        try {
            return field(type, field).get(object);
        } catch (ReflectiveOperationException e) {
            throw new AssertionError(e);
        }
    }

    static Object array(Class<?> element, Object... values) {
        Object array = Array.newInstance(element, values.length);
        for (int i = 0; i < values.length; i++) {
            Array.set(array, i, values[i]);
        }
        return array;
    }

    /** Calls a method or, as {@code <init>}, a constructor, and throws what it throws. */
    static Object call(Class<?> type, Object receiver, String name, Class<?>[] types, Object... values)
            throws Throwable {
        try {
            if (name.equals("<init>")) {
                return accessible(type.getDeclaredConstructor(types)).newInstance(values);
            }
            return accessible(type.getDeclaredMethod(name, types)).invoke(receiver, values);
        } catch (InvocationTargetException e) {
            throw e.getCause();
        }
    }

    private static Constructor<?> accessible(Constructor<?> constructor) {
        constructor.setAccessible(true);
        return constructor;
    }

    private static Method accessible(Method method) {
        method.setAccessible(true);
        return method;
    }

    private static Field field(Class<?> type, String name) throws NoSuchFieldException {
        for (Class<?> at = type; at != null; at = at.getSuperclass()) {
            for (Field field : at.getDeclaredFields()) {
                if (field.getName().equals(name)) {
                    field.setAccessible(true);
                    return field;
                }
            }
        }
        throw new NoSuchFieldException(type.getName() + "." + name);
    }
}
