import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import java.util.stream.Stream;
import javax.tools.ToolProvider;

/**
 * Runs each of the routes in each version of the corpus, a folder {@code V/real} for version V, and
 * prints a line for each: version, route, how it ended, and the places of the corpus on the stack.
 */
public class Confirm {
    private static final long PATIENCE = 400;

    private final String version;
    private volatile Throwable end;

    Confirm(String version) {
        this.version = version;
    }

    public static void main(String[] folders) throws Exception {
        for (String folder : folders) {
            Path path = Path.of(folder);
            new Confirm(path.getFileName().toString()).run(path);
        }
        System.exit(0);
    }

    void run(Path folder) throws Exception {
        compile(folder);
        ClassLoader loader = new URLClassLoader(new URL[] {folder.toUri().toURL()});
        loader.setDefaultAssertionStatus(true);
        TreeMap<String, Method> routes = new TreeMap<>();
        for (Method method : loader.loadClass("real.Routes").getDeclaredMethods()) {
            routes.put(method.getName(), method);
        }
        for (Method route : routes.values()) {
            System.out.println(version + " " + route.getName() + " " + follow(route));
        }
    }

    private void compile(Path folder) throws Exception {
        List<String> arguments = new ArrayList<>(List.of("-g", "-d", folder.toString()));
        try (Stream<Path> sources = java.nio.file.Files.list(folder.resolve("real"))) {
            sources.map(Path::toString).filter(s -> s.endsWith(".java")).forEach(arguments::add);
        }
        int status = ToolProvider.getSystemJavaCompiler()
                .run(null, null, null, arguments.toArray(new String[0]));
        if (status != 0) {
            throw new IllegalStateException(version + " does not compile");
        }
    }

    private String follow(Method route) throws Exception {
        route.setAccessible(true);
        end = null;
        Thread thread = new Thread(() -> end = call(route));
        thread.setDaemon(true);
        thread.start();
        thread.join(PATIENCE);
        if (thread.isAlive()) {
            return "endless" + places(thread.getStackTrace());
        }
        return end == null ? "returns" : end.getClass().getName() + places(end.getStackTrace());
    }

    private static Throwable call(Method route) {
        try {
            route.invoke(null);
            return null;
        } catch (InvocationTargetException thrown) {
            return thrown.getCause();
        } catch (IllegalAccessException impossible) {
            throw new IllegalStateException(impossible);
        }
    }

    private static String places(StackTraceElement[] stack) {
        StringBuilder places = new StringBuilder();
        for (StackTraceElement frame : stack) {
            boolean isOurs = frame.getClassName().startsWith("real.");
            if (isOurs && !frame.getFileName().equals("Routes.java")) {
                places.append(' ').append(frame.getLineNumber());
            }
        }
        return places.toString();
    }
}
