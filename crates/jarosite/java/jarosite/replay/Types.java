package jarosite.replay;

import java.io.IOException;
import java.io.InputStream;
import java.lang.reflect.Array;
import java.lang.reflect.Field;
import java.net.MalformedURLException;
import java.net.URL;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;

/**
 * The program under test as one run sees it: its classes, loaded afresh, so that each run starts
 * with its static fields as the static initialisers leave them. Assertions are enabled.
 */
final class Types extends ClassLoader {
    /** Where class files are found; shared by all runs. */
    static final class Source {
        private final List<Path> roots = new ArrayList<>();
        private final Map<Path, ZipFile> jars = new HashMap<>();
        private final Map<String, Path> files = new HashMap<>();
        private final Map<String, byte[]> read = new HashMap<>();
        private final Set<String> given = new HashSet<>();

        Source(Map<String, Object> description) {
            for (Object root : Json.list(description.get("roots"))) {
                addRoot(Path.of((String) root));
            }
            Json.object(description.get("files"))
                    .forEach((name, file) -> files.put(name, Path.of((String) file)));
            Json.list(description.get("given")).forEach(name -> given.add((String) name));
        }

        private void addRoot(Path root) {
            roots.add(root);
            if (Files.isRegularFile(root)) {
                try {
                    jars.put(root, new ZipFile(root.toFile()));
                } catch (IOException unreadable) {
                    roots.remove(root); // said once already by the process that sent it
                }
            }
        }

        boolean isGiven(String className) {
            return given.contains(className);
        }

        private synchronized byte[] bytes(String className) throws IOException {
            byte[] bytes = read.get(className);
            if (bytes == null) {
                bytes = find(className);
                if (bytes != null) {
                    read.put(className, bytes);
                }
            }
            return bytes;
        }

        private byte[] find(String className) throws IOException {
            Path file = files.get(className);
            if (file != null) {
                return Files.readAllBytes(file);
            }
            String name = className.replace('.', '/') + ".class";
            for (Path root : roots) {
                ZipFile jar = jars.get(root);
                if (jar == null) {
                    Path candidate = root.resolve(name);
                    if (Files.isRegularFile(candidate)) {
                        return Files.readAllBytes(candidate);
                    }
                } else {
                    ZipEntry entry = jar.getEntry(name);
                    if (entry != null) {
                        try (InputStream in = jar.getInputStream(entry)) {
                            return in.readAllBytes();
                        }
                    }
                }
            }
            return null;
        }
    }

    final Source source;

    Types(Source source) {
        super(ClassLoader.getPlatformClassLoader());
        this.source = source;
        setDefaultAssertionStatus(true);
    }

    @Override
    protected Class<?> findClass(String name) throws ClassNotFoundException {
        byte[] bytes;
        try {
            bytes = source.bytes(name);
        } catch (IOException failure) {
            throw new ClassNotFoundException(name, failure);
        }
        if (bytes == null) {
            throw new ClassNotFoundException(name);
        }
        return defineClass(name, bytes, 0, bytes.length);
    }

    @Override
    protected URL findResource(String name) {
        try {
            for (Path root : source.roots) {
                ZipFile jar = source.jars.get(root);
                if (jar == null && Files.exists(root.resolve(name))) {
                    return root.resolve(name).toUri().toURL();
                }
                if (jar != null && jar.getEntry(name) != null) {
                    return new URL("jar:" + root.toUri() + "!/" + name);
                }
            }
        } catch (MalformedURLException impossible) {
            return null;
        }
        return null;
    }

    /** The class of this Java name ({@code int[][]}, {@code p.Outer$Inner}), not initialised. */
    Class<?> named(String name) throws Skip {
        if (name.endsWith("[]")) {
            Class<?> component = named(name.substring(0, name.length() - 2));
            return Array.newInstance(component, 0).getClass();
        }
        switch (name) {
            case "boolean":
                return boolean.class;
            case "byte":
                return byte.class;
            case "char":
                return char.class;
            case "short":
                return short.class;
            case "int":
                return int.class;
            case "long":
                return long.class;
            case "float":
                return float.class;
            case "double":
                return double.class;
            case "void":
                return void.class;
            default:
                return loaded(name);
        }
    }

    private Class<?> loaded(String name) throws Skip {
        try {
            return Class.forName(name, false, this);
        } catch (ClassNotFoundException | LinkageError failure) {
            throw new Skip("class " + name + " cannot be loaded: " + failure);
        }
    }

    /** The class of this name, its static initialiser run. */
    Class<?> initialised(String name) throws Skip {
        Class<?> type = named(name);
        try {
            Class.forName(type.getName(), true, this);
        } catch (ExceptionInInitializerError failure) {
            Throwable cause = failure.getCause() == null ? failure : failure.getCause();
            throw new Skip("the static initialiser of " + name + " threw "
                    + cause.getClass().getTypeName());
        } catch (ClassNotFoundException | LinkageError failure) {
            throw new Skip("class " + name + " cannot be initialised: " + failure);
        }
        return type;
    }

    /** Whether it is a class of the JVM's own library. */
    static boolean isLibrary(Class<?> type) {
        return !(type.getClassLoader() instanceof Types);
    }

    /** Whether it is the JVM's own code that runs if this method is called, not the program's. */
    static boolean isPlatform(Object object, String method) {
        try {
            Class<?> declaring = object.getClass().getMethod(method).getDeclaringClass();
            return !(declaring.getClassLoader() instanceof Types);
        } catch (ReflectiveOperationException | LinkageError unknown) {
            return false;
        }
    }

    /** A declared field, private ones included. */
    Field field(String className, String name) throws Skip {
        try {
            return named(className).getDeclaredField(name);
        } catch (NoSuchFieldException | LinkageError missing) {
            throw new Skip("this JVM has no field " + className + "." + name);
        }
    }
}
