package jarosite.replay;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** An object as the other side describes it. */
final class Shape {
    /** A field and its value. */
    static final class Slot {
        final String className;
        final String name;
        final String value;

        Slot(Object triple) {
            List<Object> parts = Json.list(triple);
            className = (String) parts.get(0);
            name = (String) parts.get(1);
            value = (String) parts.get(2);
        }

        @Override
        public String toString() {
            return className.substring(className.lastIndexOf('.') + 1) + "." + name;
        }
    }

    final String label;
    final String className;
    /** {@code fields}, {@code array}, {@code text}, {@code box}, {@code constant}, … */
    final String kind;
    /** Of {@code fields}. */
    final List<Slot> slots;
    /** Of {@code array}: values. */
    final List<Object> elements;
    /** Of {@code text}. */
    final String text;
    /** Of {@code box}. */
    final String value;
    /** Of {@code text} and {@code box}: interned or cached, the one object of this value. */
    final boolean unique;
    /** Of {@code constant} (the field's owner) and {@code mirror}. */
    final String target;
    /** Of {@code constant}. */
    final String field;

    Shape(Map<String, Object> description) {
        label = (String) description.get("label");
        className = (String) description.get("class");
        kind = (String) description.get("kind");
        slots = slots(description.get("fields"));
        elements = Json.list(description.get("elements"));
        text = text(Json.list(description.get("units")));
        value = (String) description.get("value");
        unique = Boolean.TRUE.equals(description.get("unique"));
        target = (String) description.get("target");
        field = (String) description.get("field");
    }

    static List<Slot> slots(Object triples) {
        List<Slot> slots = new ArrayList<>();
        for (Object triple : Json.list(triples)) {
            slots.add(new Slot(triple));
        }
        return slots;
    }

    static List<Shape> shapes(Object descriptions) {
        List<Shape> shapes = new ArrayList<>();
        for (Object description : Json.list(descriptions)) {
            shapes.add(new Shape(Json.object(description)));
        }
        return shapes;
    }

    /** Whether the object has an identity of its own that a run may adopt from a static field. */
    boolean isPlain() {
        return kind.equals("fields") || kind.equals("array");
    }

    private static String text(List<Object> units) {
        char[] text = new char[units.size()];
        for (int i = 0; i < text.length; i++) {
            text[i] = (char) Json.integer(units.get(i));
        }
        return new String(text);
    }
}
