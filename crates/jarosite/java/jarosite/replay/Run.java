package jarosite.replay;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** One run: build the input, call the method, then judge or describe what happened. */
final class Run {
    private Run() {}

    static Map<String, Object> result(Types types, Map<String, Object> request) {
        Map<String, Object> result = new LinkedHashMap<>();
        try {
            run(types, request, result);
        } catch (Skip skip) {
            result.put("skipped", skip.getMessage());
        } catch (Throwable failure) {
            // Not its text: the program may have written the code that says it.
            result.put("skipped", "the replay itself failed: " + failure.getClass().getTypeName());
        }
        return result;
    }

    private static void run(Types types, Map<String, Object> request, Map<String, Object> result)
            throws Skip {
        List<Shape> inputs = Shape.shapes(request.get("pre"));
        Call call = new Call(types, request);
        checkReceiver(call, inputs, request);
        call.initialise();
        Heap heap = new Heap(types, inputs);
        List<Call> route = route(types, request);
        heap.build(roots(call, route), Shape.slots(request.get("statics")));
        String astray = follow(route, heap);
        if (astray != null) {
            result.put("differences", astray);
            return;
        }
        call.prepare(heap);
        call.run();
        if (request.containsKey("post")) {
            Comparison comparison = new Comparison(heap, Shape.shapes(request.get("post")));
            result.put("differences", comparison.differences(call, request));
            result.put("message", message(call.thrown));
        } else if (heap.conflicts.isEmpty()) {
            result.putAll(new Observation(heap, inputs.size()).describe(call, request));
        } else {
            throw new Skip(heap.conflicts.get(0));
        }
    }

    /** A constructor can only be run together with the allocation of its own class. */
    private static void checkReceiver(Call call, List<Shape> inputs, Map<String, Object> request)
            throws Skip {
        if (!call.isConstructor || call.receiver == null) {
            return;
        }
        int number = Datum.object(call.receiver);
        if (number < inputs.size() && !inputs.get(number).className.equals(request.get("class"))) {
            throw new Skip("a constructor of " + request.get("class") + " cannot be run alone on a "
                    + inputs.get(number).className);
        }
    }

    /** What the exception says; null if there is none or only the program's code could say it. */
    private static String message(Throwable thrown) {
        return thrown != null && Types.isPlatform(thrown, "getMessage")
                ? thrown.getMessage()
                : null;
    }

    /** The calls that make the input. */
    private static List<Call> route(Types types, Map<String, Object> request) {
        List<Call> route = new ArrayList<>();
        for (Object step : Json.list(request.get("route"))) {
            route.add(new Call(types, Json.object(step)));
        }
        return route;
    }

    /** Makes the input by calls alone; what went another way than predicted, if anything did. */
    private static String follow(List<Call> route, Heap heap) throws Skip {
        for (Call call : route) {
            call.initialise();
            call.prepare(heap);
            call.run();
            if (call.thrown != null) {
                return "on the way, " + call.name() + " threw "
                        + call.thrown.getClass().getTypeName();
            }
            if (call.makes != null) {
                heap.put(Datum.object(call.makes), call.result);
            }
        }
        return null;
    }

    private static List<String> roots(Call call, List<Call> route) {
        List<String> roots = new ArrayList<>();
        for (Call step : route) {
            step.arguments.forEach(argument -> roots.add((String) argument));
        }
        if (call.receiver != null && !call.isConstructor) {
            roots.add(call.receiver);
        }
        call.arguments.forEach(argument -> roots.add((String) argument));
        return roots;
    }
}
