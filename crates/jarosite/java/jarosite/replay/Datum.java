package jarosite.replay;

/**
 * Values as the protocol spells them: a letter for the type and a whole number. Booleans are
 * {@code Z0} and {@code Z1}, floating-point numbers their bits, {@code N} is null and {@code O3}
 * the object numbered 3.
 */
final class Datum {
    private Datum() {}

    static boolean isObject(String datum) {
        return datum.charAt(0) == 'O';
    }

    static int object(String datum) {
        return Integer.parseInt(datum.substring(1));
    }

    /** A primitive value as a box of exactly this primitive type. */
    static Object primitive(String datum, Class<?> type) throws Skip {
        if (datum.equals("N") || isObject(datum)) {
            throw new Skip("a reference stands where a " + type + " belongs");
        }
        long bits = Long.parseLong(datum.substring(1));
        if (type == boolean.class) {
            return bits != 0;
        } else if (type == byte.class) {
            return (byte) bits;
        } else if (type == char.class) {
            return (char) bits;
        } else if (type == short.class) {
            return (short) bits;
        } else if (type == int.class) {
            return (int) bits;
        } else if (type == long.class) {
            return bits;
        } else if (type == float.class) {
            return Float.intBitsToFloat((int) bits);
        }
        return Double.longBitsToDouble(bits);
    }

    /** A boxed primitive as the protocol spells it; NaN is always the same NaN. */
    static String spell(Object box) {
        if (box instanceof Boolean) {
            return (Boolean) box ? "Z1" : "Z0";
        } else if (box instanceof Character) {
            return "C" + (int) (Character) box;
        } else if (box instanceof Byte) {
            return "B" + box;
        } else if (box instanceof Short) {
            return "S" + box;
        } else if (box instanceof Integer) {
            return "I" + box;
        } else if (box instanceof Long) {
            return "J" + box;
        } else if (box instanceof Float) {
            return "F" + Float.floatToIntBits((Float) box);
        }
        return "D" + Double.doubleToLongBits((Double) box);
    }

    static boolean isBox(Object value) {
        return value instanceof Number && value.getClass().getName().startsWith("java.lang.")
                || value instanceof Boolean
                || value instanceof Character;
    }

    /** The object that {@code valueOf} gives for a value of this wrapper class. */
    static Object valueOf(String wrapper, String datum) throws Skip {
        return primitive(datum, primitiveOf(wrapper));
    }

    static Class<?> primitiveOf(String wrapper) throws Skip {
        switch (wrapper) {
            case "java.lang.Boolean":
                return boolean.class;
            case "java.lang.Byte":
                return byte.class;
            case "java.lang.Character":
                return char.class;
            case "java.lang.Short":
                return short.class;
            case "java.lang.Integer":
                return int.class;
            case "java.lang.Long":
                return long.class;
            case "java.lang.Float":
                return float.class;
            case "java.lang.Double":
                return double.class;
            default:
                throw new Skip(wrapper + " is not a class of boxes");
        }
    }

    /** A value in words, for messages. */
    static String words(Object value) {
        if (value instanceof Character) {
            char c = (Character) value;
            return c >= ' ' && c <= '~' ? "'" + c + "'" : String.format("'\\u%04x'", (int) c);
        }
        return String.valueOf(value);
    }
}
