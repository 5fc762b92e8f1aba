package jarosite.replay;

import java.lang.reflect.Array;
import java.lang.reflect.Field;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The predicted end state against the real one.
 *
 * <p>The two heaps are walked together from the input objects, the static fields and the outcome.
 * Each predicted object stands for exactly one real object and the other way round: the walk
 * extends the numbering of the input heap into an isomorphism or finds a difference.
 */
final class Comparison {
    private static final int SHOWN = 5;

    private final Heap heap;
    private final List<Shape> predicted;
    private final List<String> differences = new ArrayList<>();
    private final Deque<Integer> work = new ArrayDeque<>();
    /** Input objects as numbered before the walk; exceptions among them were not thrown first. */
    private final int inputs;

    Comparison(Heap heap, List<Shape> predicted) {
        this.heap = heap;
        this.predicted = predicted;
        inputs = heap.size();
        differences.addAll(heap.conflicts);
    }

    /** The differences in words; none if the prediction came true. */
    String differences(Call call, Map<String, Object> request) throws Skip {
        for (int number = 0; number < inputs; number++) {
            if (heap.object(number) != null) {
                work.add(number);
            }
        }
        outcome(call, request);
        statics(request);
        while (!work.isEmpty()) {
            int number = work.remove();
            if (number < predicted.size()) {
                content(predicted.get(number), heap.object(number));
            }
        }
        int hidden = differences.size() - SHOWN;
        return String.join("; ", differences.subList(0, Math.min(SHOWN, differences.size())))
                + (hidden > 0 ? "; and " + hidden + " more" : "");
    }

    private void outcome(Call call, Map<String, Object> request) throws Skip {
        Map<String, Object> threw = Json.object(request.get("threw"));
        if (call.thrown == null && threw != null) {
            differences.add("predicted " + threw.get("class") + ", but it returned"
                    + (call.resultType() == null ? "" : " " + words(call.result)));
        } else if (call.thrown != null && threw == null) {
            differences.add("predicted to return, but threw " + thrown(call));
        } else if (call.thrown != null) {
            exception(call, threw);
        } else if (call.isConstructor) {
            if (call.receiver != null) {
                value("the new object", call.receiver, call.result, Object.class);
            }
        } else if (call.resultType() != null && request.get("returned") != null) {
            value("result", (String) request.get("returned"), call.result, call.resultType());
        }
    }

    private static String thrown(Call call) {
        StackTraceElement place = call.place();
        return call.thrown.getClass().getTypeName() + (place == null ? "" : " at " + at(place));
    }

    private static String at(StackTraceElement place) {
        return place.getFileName() + ":" + place.getLineNumber();
    }

    private void exception(Call call, Map<String, Object> threw) throws Skip {
        String real = call.thrown.getClass().getTypeName();
        if (!real.equals(threw.get("class"))) {
            differences.add("predicted " + threw.get("class") + ", but threw " + thrown(call));
            return;
        }
        int number = Json.integer(threw.get("object"));
        value("the exception", "O" + number, call.thrown, Object.class);
        StackTraceElement place = call.place();
        // An exception of the input heap has no trace: it was never created by a constructor.
        if (number >= inputs && place != null) {
            place(Json.object(threw.get("at")), place);
        }
    }

    private void place(Map<String, Object> at, StackTraceElement real) {
        String className = (String) at.get("class");
        int line = Json.integer(at.get("line"));
        boolean otherClass = !className.isEmpty() && !className.equals(real.getClassName());
        boolean otherLine = line > 0 && real.getLineNumber() > 0 && line != real.getLineNumber();
        if (otherClass || otherLine) {
            differences.add("the exception was predicted in " + className + " at " + at.get("file")
                    + ":" + line + ", but came from " + real.getClassName() + " at " + at(real));
        }
    }

    private void statics(Map<String, Object> request) throws Skip {
        Map<String, Shape.Slot> last = new LinkedHashMap<>();
        Shape.slots(request.get("statics")).forEach(slot -> last.put(key(slot), slot));
        Shape.slots(request.get("post_statics")).forEach(slot -> last.put(key(slot), slot));
        for (Shape.Slot slot : last.values()) {
            Field field = heap.types.field(slot.className, slot.name);
            heap.types.initialised(slot.className);
            value(slot.toString(), slot.value, Memory.get(field, null), field.getType());
        }
    }

    private static String key(Shape.Slot slot) {
        return slot.className + "." + slot.name;
    }

    private void value(String where, String datum, Object real, Class<?> type) throws Skip {
        if (type.isPrimitive()) {
            Object value = Datum.primitive(datum, type);
            if (!Datum.spell(value).equals(Datum.spell(real))) {
                differ(where, Datum.words(value), Datum.words(real));
            }
        } else if (!Datum.isObject(datum)) {
            if (real != null) {
                differ(where, "null", words(real));
            }
        } else {
            reference(where, Datum.object(datum), real);
        }
    }

    private void reference(String where, int number, Object real) throws Skip {
        Object known = heap.object(number);
        Integer other = real == null || known != null ? null : heap.number(real);
        if (other != null && isOneObject(number, other)) {
            content(predicted.get(number), real);
            return;
        }
        if (real == null || known != null && known != real) {
            differ(where, label(number), words(real));
        } else if (known == null && heap.number(real) != null) {
            differ(where, label(number), words(real));
        } else if (known == null) {
            heap.put(number, real);
            work.add(number);
        }
    }

    /** Two predicted objects that are the shared object of one value: one object in reality. */
    private boolean isOneObject(int a, int b) {
        if (a >= predicted.size() || b >= predicted.size()) {
            return false;
        }
        Shape one = predicted.get(a);
        Shape other = predicted.get(b);
        return one.unique && other.unique && one.className.equals(other.className);
    }

    private void differ(String where, String predicted, String real) {
        differences.add(where + ": predicted " + predicted + ", was " + real);
    }

    private String label(int number) {
        return number < predicted.size() ? predicted.get(number).label : "object " + number;
    }

    private String words(Object real) {
        Integer number = real == null ? null : heap.number(real);
        if (number != null) {
            return label(number);
        } else if (real instanceof String) {
            return "a string " + Json.write(real);
        }
        return real == null || Datum.isBox(real)
                ? Datum.words(real)
                : "another " + real.getClass().getTypeName();
    }

    private void content(Shape shape, Object real) throws Skip {
        if (shape.kind.equals("opaque")) {
            return;
        }
        String className = real.getClass().getTypeName();
        if (!className.equals(shape.className)) {
            if (!isGenerated(real.getClass())) {
                differ("class of " + shape.label, shape.className, className);
            }
            return;
        }
        switch (shape.kind) {
            case "fields":
                fields(shape, real);
                break;
            case "array":
                elements(shape, real);
                break;
            case "text":
                text(shape, (String) real);
                break;
            case "box":
                box(shape, real);
                break;
            case "constant":
                same(shape, heap.constant(shape), real, shape.target + "." + shape.field);
                break;
            case "mirror":
                same(shape, heap.types.named(shape.target), real, shape.target + ".class");
                break;
            default:
                throw new Skip("unknown content " + shape.kind);
        }
    }

    /** Lambdas and the like: their class has a name that nobody can predict. */
    static boolean isGenerated(Class<?> type) {
        return type.isSynthetic() || type.getName().indexOf('/') >= 0;
    }

    private void fields(Shape shape, Object real) throws Skip {
        for (Shape.Slot slot : shape.slots) {
            Field field = heap.types.field(slot.className, slot.name);
            if (!field.getDeclaringClass().isInstance(real)) {
                throw new Skip(shape.label + " has no field " + slot);
            }
            value(shape.label + "." + slot.name, slot.value, Memory.get(field, real),
                    field.getType());
        }
    }

    private void elements(Shape shape, Object real) throws Skip {
        int length = Array.getLength(real);
        if (length != shape.elements.size()) {
            differ(shape.label + ".length", "" + shape.elements.size(), "" + length);
            return;
        }
        Class<?> component = real.getClass().getComponentType();
        for (int i = 0; i < length; i++) {
            value(shape.label + "[" + i + "]", (String) shape.elements.get(i), Array.get(real, i),
                    component);
        }
    }

    private void text(Shape shape, String real) {
        if (!shape.text.equals(real)) {
            differ(shape.label, Json.write(shape.text), Json.write(real));
        } else if (shape.unique && real != real.intern()) {
            differ(shape.label, "the interned string", "another of the same text");
        }
    }

    private void box(Shape shape, Object real) throws Skip {
        Object value = Datum.valueOf(shape.className, shape.value);
        if (!Datum.spell(value).equals(Datum.spell(real))) {
            differ(shape.label, Datum.words(value), Datum.words(real));
        } else if (shape.unique && value != real) {
            differ(shape.label, "the cached box", "another of the same value");
        }
    }

    private void same(Shape shape, Object expected, Object real, String name) {
        if (expected != real) {
            differ(shape.label, name, words(real));
        }
    }
}
