package jarosite.replay;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import jdk.internal.misc.Unsafe;

/**
 * Objects without constructors and fields without access control: private, final and record
 * fields are read and written alike. A reference is only stored where its type allows it, because
 * nothing else would stop the JVM from being corrupted.
 */
final class Memory {
    private static final Unsafe UNSAFE = Unsafe.getUnsafe();
    // Named putObject and getObject before Java 12.
    private static final MethodHandle PUT = accessor("put", void.class, Object.class);
    private static final MethodHandle GET = accessor("get", Object.class);

    private Memory() {}

    private static MethodHandle accessor(String verb, Class<?> result, Class<?>... value) {
        MethodType type = MethodType.methodType(result, Object.class, long.class)
                .appendParameterTypes(value);
        for (String noun : new String[] {"Reference", "Object"}) {
            try {
                return MethodHandles.lookup().findVirtual(Unsafe.class, verb + noun, type)
                        .bindTo(UNSAFE);
            } catch (ReflectiveOperationException otherVersion) {
                continue;
            }
        }
        throw new IllegalStateException("no Unsafe." + verb + "Reference");
    }

    static Object allocate(Class<?> type) throws Skip {
        int modifiers = type.getModifiers();
        if (Modifier.isAbstract(modifiers) || type == Class.class) {
            throw new Skip("no object of class " + type.getTypeName() + " can be made");
        }
        try {
            return UNSAFE.allocateInstance(type);
        } catch (InstantiationException | LinkageError failure) {
            throw new Skip("no object of " + type.getTypeName() + " can be made: " + failure);
        }
    }

    private static Object base(Field field, Object owner) {
        return Modifier.isStatic(field.getModifiers()) ? UNSAFE.staticFieldBase(field) : owner;
    }

    private static long offset(Field field) {
        return Modifier.isStatic(field.getModifiers())
                ? UNSAFE.staticFieldOffset(field)
                : UNSAFE.objectFieldOffset(field);
    }

    /** The field's value, boxed; {@code owner} is ignored for a static field. */
    static Object get(Field field, Object owner) {
        Object base = base(field, owner);
        long offset = offset(field);
        Class<?> type = field.getType();
        if (type == boolean.class) {
            return UNSAFE.getBoolean(base, offset);
        } else if (type == byte.class) {
            return UNSAFE.getByte(base, offset);
        } else if (type == char.class) {
            return UNSAFE.getChar(base, offset);
        } else if (type == short.class) {
            return UNSAFE.getShort(base, offset);
        } else if (type == int.class) {
            return UNSAFE.getInt(base, offset);
        } else if (type == long.class) {
            return UNSAFE.getLong(base, offset);
        } else if (type == float.class) {
            return UNSAFE.getFloat(base, offset);
        } else if (type == double.class) {
            return UNSAFE.getDouble(base, offset);
        }
        try {
            return (Object) GET.invokeExact(base, offset);
        } catch (Throwable impossible) {
            throw new IllegalStateException(impossible);
        }
    }

    /** Stores a boxed value or a reference of the field's type. */
    static void put(Field field, Object owner, Object value) throws Skip {
        Object base = base(field, owner);
        long offset = offset(field);
        Class<?> type = field.getType();
        if (type == boolean.class) {
            UNSAFE.putBoolean(base, offset, (Boolean) value);
        } else if (type == byte.class) {
            UNSAFE.putByte(base, offset, (Byte) value);
        } else if (type == char.class) {
            UNSAFE.putChar(base, offset, (Character) value);
        } else if (type == short.class) {
            UNSAFE.putShort(base, offset, (Short) value);
        } else if (type == int.class) {
            UNSAFE.putInt(base, offset, (Integer) value);
        } else if (type == long.class) {
            UNSAFE.putLong(base, offset, (Long) value);
        } else if (type == float.class) {
            UNSAFE.putFloat(base, offset, (Float) value);
        } else if (type == double.class) {
            UNSAFE.putDouble(base, offset, (Double) value);
        } else {
            putReference(field, base, offset, value);
        }
    }

    private static void putReference(Field field, Object base, long offset, Object value)
            throws Skip {
        if (value != null && !field.getType().isInstance(value)) {
            throw new Skip("the field " + field.getDeclaringClass().getTypeName() + "."
                    + field.getName() + " cannot hold a " + value.getClass().getTypeName());
        }
        try {
            PUT.invokeExact(base, offset, value);
        } catch (Throwable impossible) {
            throw new IllegalStateException(impossible);
        }
    }
}
