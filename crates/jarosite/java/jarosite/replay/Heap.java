package jarosite.replay;

import java.lang.reflect.Array;
import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Proxy;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;

/**
 * Real objects for described ones, and the numbering that ties the two together.
 *
 * <p>Only what the roots reach is built. The objects come first and their fields second, so that
 * any shape is possible, cycles included.
 */
final class Heap {
    final Types types;
    /** Differences between the described static final fields and the real ones. */
    final List<String> conflicts = new ArrayList<>();

    private final List<Shape> shapes;
    private final List<Object> objects = new ArrayList<>();
    private final Map<Object, Integer> numbers = new IdentityHashMap<>();

    Heap(Types types, List<Shape> shapes) {
        this.types = types;
        this.shapes = shapes;
    }

    /** Builds what these values and static fields reach, and sets the static fields. */
    void build(List<String> roots, List<Shape.Slot> statics) throws Skip {
        for (Shape.Slot slot : statics) {
            types.initialised(slot.className);
            adopt(slot);
        }
        List<Integer> built = reachable(roots, statics);
        // What the program's own calls make is nobody else's to build.
        built.removeIf(number -> shapes.get(number).kind.equals("made"));
        for (int number : built) {
            if (object(number) == null) {
                put(number, allocate(shapes.get(number)));
            }
        }
        for (int number : built) {
            fill(object(number), shapes.get(number));
        }
        for (Shape.Slot slot : statics) {
            set(slot);
        }
    }

    int size() {
        return objects.size();
    }

    /** The real object of this number; null if there is none yet. */
    Object object(int number) {
        return number < objects.size() ? objects.get(number) : null;
    }

    /** The number of this object; null if it has none. */
    Integer number(Object object) {
        return numbers.get(object);
    }

    void put(int number, Object object) {
        while (objects.size() <= number) {
            objects.add(null);
        }
        objects.set(number, object);
        numbers.put(object, number);
    }

    /** The real value that is meant where a value of this type belongs. */
    Object value(String datum, Class<?> type) throws Skip {
        if (type.isPrimitive()) {
            return Datum.primitive(datum, type);
        }
        return Datum.isObject(datum) ? object(Datum.object(datum)) : null;
    }

    private List<Integer> reachable(List<String> roots, List<Shape.Slot> statics) throws Skip {
        Deque<String> work = new ArrayDeque<>(roots);
        statics.forEach(slot -> work.add(slot.value));
        boolean[] seen = new boolean[shapes.size()];
        List<Integer> found = new ArrayList<>();
        while (!work.isEmpty()) {
            String datum = work.remove();
            if (!Datum.isObject(datum)) {
                continue;
            }
            int number = Datum.object(datum);
            if (number >= seen.length) {
                throw new Skip("the input heap has no object numbered " + number);
            }
            if (!seen[number]) {
                seen[number] = true;
                found.add(number);
                shapes.get(number).slots.forEach(slot -> work.add(slot.value));
                shapes.get(number).elements.forEach(element -> work.add((String) element));
            }
        }
        return found;
    }

    /** A static final field keeps its object, which then takes on the described state. */
    private void adopt(Shape.Slot slot) throws Skip {
        Field field = types.field(slot.className, slot.name);
        if (!Modifier.isFinal(field.getModifiers()) || !Datum.isObject(slot.value)) {
            return;
        }
        int number = Datum.object(slot.value);
        Object real = Memory.get(field, null);
        if (real != null && number < shapes.size() && shapes.get(number).isPlain()
                && types.named(shapes.get(number).className) == real.getClass()
                && object(number) == null && number(real) == null) {
            put(number, real);
        }
    }

    private Object allocate(Shape shape) throws Skip {
        switch (shape.kind) {
            case "fields":
                return Memory.allocate(types.initialised(shape.className));
            case "array":
                Class<?> component = types.named(shape.className).getComponentType();
                if (component == null) {
                    throw new Skip(shape.className + " is not a class of arrays");
                }
                return Array.newInstance(component, shape.elements.size());
            case "text":
                return shape.unique ? shape.text.intern() : new String(shape.text.toCharArray());
            case "box":
                return shape.unique
                        ? Datum.valueOf(shape.className, shape.value)
                        : Memory.allocate(types.named(shape.className));
            case "constant":
                return constant(shape);
            case "mirror":
                return types.named(shape.target);
            default:
                return standIn(shape);
        }
    }

    /**
     * An object of which the prediction knows the type only, because nothing looks at it: any
     * object of that type will do, even one that would fail if it were used.
     */
    private Object standIn(Shape shape) throws Skip {
        Class<?> type = types.named(shape.className);
        if (type.isInterface()) {
            return Proxy.newProxyInstance(type.getClassLoader() == null
                            ? Heap.class.getClassLoader()
                            : type.getClassLoader(),
                    new Class<?>[] {type}, Heap::refuse);
        }
        if (Modifier.isAbstract(type.getModifiers()) || type.isArray()) {
            throw new Skip(shape.label + " cannot be built: its state is not known");
        }
        return Memory.allocate(type);
    }

    private static Object refuse(Object proxy, Method method, Object[] arguments) {
        throw new UnsupportedOperationException(method + " on an object of unknown state");
    }

    /** The object that a static final field holds. */
    Object constant(Shape shape) throws Skip {
        types.initialised(shape.target);
        Object value = Memory.get(types.field(shape.target, shape.field), null);
        if (value == null) {
            throw new Skip(shape.target + "." + shape.field + " is null");
        }
        return value;
    }

    private void fill(Object object, Shape shape) throws Skip {
        for (Shape.Slot slot : shape.slots) {
            Field field = types.field(slot.className, slot.name);
            if (!field.getDeclaringClass().isInstance(object)) {
                throw new Skip(shape.label + " has no field " + slot);
            }
            Memory.put(field, object, value(slot.value, field.getType()));
        }
        if (shape.kind.equals("array")) {
            fillArray(object, shape);
        } else if (shape.kind.equals("box") && !shape.unique) {
            Field field = types.field(shape.className, "value");
            Memory.put(field, object, Datum.valueOf(shape.className, shape.value));
        }
    }

    private void fillArray(Object array, Shape shape) throws Skip {
        Class<?> component = array.getClass().getComponentType();
        if (Array.getLength(array) != shape.elements.size()) {
            throw new Skip(shape.label + " is held by a static final field and has another length");
        }
        for (int i = 0; i < shape.elements.size(); i++) {
            Object value = value((String) shape.elements.get(i), component);
            if (value != null && !component.isPrimitive() && !component.isInstance(value)) {
                throw new Skip(shape.label + " cannot hold a " + value.getClass().getTypeName());
            }
            Array.set(array, i, value);
        }
    }

    private void set(Shape.Slot slot) throws Skip {
        Field field = types.field(slot.className, slot.name);
        Object value = value(slot.value, field.getType());
        if (!Modifier.isFinal(field.getModifiers())) {
            Memory.put(field, null, value);
            return;
        }
        Object real = Memory.get(field, null);
        boolean same = field.getType().isPrimitive()
                ? Datum.spell(real).equals(Datum.spell(value))
                : real == value;
        if (!same) {
            conflicts.add("the static final field " + slot + " does not hold what was predicted");
        }
    }
}
