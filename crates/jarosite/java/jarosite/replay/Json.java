package jarosite.replay;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The part of JSON that the protocol uses: objects, arrays, strings, whole numbers, booleans and
 * null. It trusts its input, which only ever comes from the process that started this one.
 */
final class Json {
    private final String text;
    private int at;

    private Json(String text) {
        this.text = text;
    }

    static Map<String, Object> parse(String text) {
        return object(new Json(text).value());
    }

    @SuppressWarnings("unchecked")
    static Map<String, Object> object(Object value) {
        return (Map<String, Object>) value;
    }

    /** An absent list is an empty one. */
    @SuppressWarnings("unchecked")
    static List<Object> list(Object value) {
        return value == null ? List.of() : (List<Object>) value;
    }

    static int integer(Object value) {
        return value == null ? 0 : ((Long) value).intValue();
    }

    private char next() {
        while (Character.isWhitespace(text.charAt(at))) {
            at++;
        }
        return text.charAt(at);
    }

    private Object value() {
        switch (next()) {
            case '{':
                return members();
            case '[':
                return elements();
            case '"':
                return string();
            case 't':
                at += 4;
                return true;
            case 'f':
                at += 5;
                return false;
            case 'n':
                at += 4;
                return null;
            default:
                return number();
        }
    }

    private Map<String, Object> members() {
        Map<String, Object> result = new LinkedHashMap<>();
        at++;
        while (next() != '}') {
            String key = string();
            next();
            at++; // the colon
            result.put(key, value());
            if (next() == ',') {
                at++;
                next();
            }
        }
        at++;
        return result;
    }

    private List<Object> elements() {
        List<Object> result = new ArrayList<>();
        at++;
        while (next() != ']') {
            result.add(value());
            if (next() == ',') {
                at++;
            }
        }
        at++;
        return result;
    }

    private Long number() {
        int start = at;
        while (at < text.length() && "+-0123456789".indexOf(text.charAt(at)) >= 0) {
            at++;
        }
        return Long.valueOf(text.substring(start, at));
    }

    private String string() {
        int end = ++at;
        while (text.charAt(end) != '"' && text.charAt(end) != '\\') {
            end++;
        }
        if (text.charAt(end) == '"') {
            String plain = text.substring(at, end);
            at = end + 1;
            return plain;
        }
        return escapedString();
    }

    private String escapedString() {
        StringBuilder result = new StringBuilder();
        while (text.charAt(at) != '"') {
            char c = text.charAt(at++);
            result.append(c == '\\' ? escape() : c);
        }
        at++;
        return result.toString();
    }

    private char escape() {
        char c = text.charAt(at++);
        switch (c) {
            case 'b':
                return '\b';
            case 'f':
                return '\f';
            case 'n':
                return '\n';
            case 'r':
                return '\r';
            case 't':
                return '\t';
            case 'u':
                at += 4;
                return (char) Integer.parseInt(text.substring(at - 4, at), 16);
            default:
                return c;
        }
    }

    static String write(Object value) {
        StringBuilder out = new StringBuilder();
        write(value, out);
        return out.toString();
    }

    private static void write(Object value, StringBuilder out) {
        if (value instanceof Map) {
            char separator = '{';
            for (Map.Entry<String, Object> member : object(value).entrySet()) {
                out.append(separator);
                quote(member.getKey(), out);
                write(member.getValue(), out.append(':'));
                separator = ',';
            }
            out.append(separator == '{' ? "{}" : "}");
        } else if (value instanceof List) {
            char separator = '[';
            for (Object element : list(value)) {
                write(element, out.append(separator));
                separator = ',';
            }
            out.append(separator == '[' ? "[]" : "]");
        } else if (value instanceof String) {
            quote((String) value, out);
        } else {
            out.append(value);
        }
    }

    private static void quote(String text, StringBuilder out) {
        out.append('"');
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c == '"' || c == '\\') {
                out.append('\\').append(c);
            } else if (c < ' ' || c > '~') {
                // An unpaired surrogate has no place in JSON; it only ever occurs in messages.
                out.append(String.format("\\u%04x", Character.isSurrogate(c) ? 0xfffd : (int) c));
            } else {
                out.append(c);
            }
        }
        out.append('"');
    }
}
