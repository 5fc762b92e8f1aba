package jarosite.replay;

import java.lang.reflect.Array;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * What a run did, described from scratch: its outcome and everything that can be reached at its
 * end. Input objects keep their numbers and new ones follow in the order of a breadth-first walk.
 */
final class Observation {
    /** Enough for any test; stops a walk that strays into the JVM's own data. */
    private static final int LIMIT = 10_000;

    private final Heap heap;
    private int next;

    Observation(Heap heap, int inputs) {
        this.heap = heap;
        this.next = inputs;
    }

    Map<String, Object> describe(Call call, Map<String, Object> request) throws Skip {
        Map<String, Object> description = new LinkedHashMap<>();
        if (call.isConstructor && call.thrown == null && call.receiver != null) {
            heap.put(Datum.object(call.receiver), call.result);
        }
        if (call.thrown != null) {
            description.put("threw", threw(call));
        } else if (call.resultType() != null) {
            description.put("returned", spell(call.result, call.resultType()));
        }
        description.put("statics", statics(request));
        List<Object> objects = new ArrayList<>();
        for (int number = 0; number < next; number++) {
            Object object = heap.object(number);
            objects.add(object == null ? null : object(object));
        }
        description.put("heap", objects);
        return description;
    }

    private Map<String, Object> threw(Call call) {
        Map<String, Object> threw = new LinkedHashMap<>();
        threw.put("object", Datum.object(spell(call.thrown, Object.class)));
        threw.put("class", call.thrown.getClass().getTypeName());
        StackTraceElement place = call.place();
        if (place != null) {
            Map<String, Object> at = new LinkedHashMap<>();
            at.put("class", place.getClassName());
            at.put("method", place.getMethodName());
            at.put("file", place.getFileName() == null ? "" : place.getFileName());
            at.put("line", Math.max(0, place.getLineNumber()));
            threw.put("at", at);
        }
        return threw;
    }

    private List<Object> statics(Map<String, Object> request) throws Skip {
        List<Object> statics = new ArrayList<>();
        for (Object pair : Json.list(request.get("watched"))) {
            String className = (String) Json.list(pair).get(0);
            String name = (String) Json.list(pair).get(1);
            heap.types.initialised(className);
            Field field = heap.types.field(className, name);
            statics.add(List.of(className, name, spell(Memory.get(field, null), field.getType())));
        }
        return statics;
    }

    private String spell(Object value, Class<?> type) {
        if (type.isPrimitive()) {
            return Datum.spell(value);
        } else if (value == null) {
            return "N";
        }
        Integer number = heap.number(value);
        if (number == null) {
            number = next++;
            heap.put(number, value);
        }
        return "O" + number;
    }

    private Map<String, Object> object(Object object) {
        Map<String, Object> description = new LinkedHashMap<>();
        Class<?> type = object.getClass();
        description.put("class", type.getTypeName());
        if (object instanceof String) {
            description.put("kind", "text");
            description.put("units", units((String) object));
        } else if (Datum.isBox(object)) {
            description.put("kind", "box");
            description.put("value", Datum.spell(object));
        } else if (object instanceof Class) {
            description.put("kind", "mirror");
            description.put("target", ((Class<?>) object).getTypeName());
        } else if (type.isArray()) {
            description.put("kind", "array");
            description.put("elements", elements(object));
        } else if (isOpaque(object)) {
            description.put("kind", "opaque");
        } else {
            description.put("kind", "fields");
            description.put("fields", fields(object));
        }
        return description;
    }

    private boolean isOpaque(Object object) {
        return next > LIMIT
                || Comparison.isGenerated(object.getClass())
                || object instanceof Thread
                || object instanceof ClassLoader;
    }

    private static List<Object> units(String text) {
        List<Object> units = new ArrayList<>();
        text.chars().forEach(units::add);
        return units;
    }

    private List<Object> elements(Object array) {
        List<Object> elements = new ArrayList<>();
        Class<?> component = array.getClass().getComponentType();
        for (int i = 0; i < Array.getLength(array); i++) {
            elements.add(spell(Array.get(array, i), component));
        }
        return elements;
    }

    /** Superclass fields first; those of exceptions themselves describe the JVM, not the program. */
    private List<Object> fields(Object object) {
        List<Class<?>> classes = new ArrayList<>();
        for (Class<?> c = object.getClass(); c != null; c = c.getSuperclass()) {
            if (c != Throwable.class) {
                classes.add(0, c);
            }
        }
        List<Object> fields = new ArrayList<>();
        for (Class<?> declaring : classes) {
            for (Field field : declaring.getDeclaredFields()) {
                if (!Modifier.isStatic(field.getModifiers())) {
                    String value = spell(Memory.get(field, object), field.getType());
                    fields.add(List.of(declaring.getTypeName(), field.getName(), value));
                }
            }
        }
        return fields;
    }
}
