import java.io.File;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.tools.JavaCompiler;
import javax.tools.ToolProvider;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.engine.discovery.DiscoverySelectors;
import org.junit.platform.launcher.Launcher;
import org.junit.platform.launcher.LauncherDiscoveryRequest;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;

/**
 * Compiles each directory of sources and runs the tests in it. For each test a line: directory,
 * class, and "pass" or what went wrong.
 */
final class Runner {
    public static void main(String[] directories) throws Exception {
        for (String directory : directories) {
            run(Path.of(directory));
        }
    }

    private static void run(Path directory) throws Exception {
        List<String> sources = sources(directory);
        Path classes = Files.createTempDirectory("emitted");
        JavaCompiler javac = ToolProvider.getSystemJavaCompiler();
        List<String> options = new ArrayList<>(List.of("-proc:none", "-nowarn", "-d", classes.toString()));
        options.addAll(List.of("-classpath", System.getProperty("java.class.path")));
        StringWriter said = new StringWriter();
        boolean compiled = javac.getTask(new PrintWriter(said), null, null, options, null,
                javac.getStandardFileManager(null, null, null).getJavaFileObjectsFromStrings(sources)).call();
        if (!compiled) {
            report(directory, "-", "does not compile: " + said);
            return;
        }
        URL[] urls = {classes.toUri().toURL()};
        try (URLClassLoader loader = new URLClassLoader(urls, Runner.class.getClassLoader())) {
            Thread.currentThread().setContextClassLoader(loader);
            for (String source : sources) {
                if (source.endsWith("Test.java")) {
                    String name = directory.relativize(Path.of(source)).toString();
                    name = name.substring(0, name.length() - ".java".length()).replace(File.separatorChar, '.');
                    test(directory, name.replaceFirst("^tests\\.", ""), loader);
                }
            }
        }
    }

    private static void test(Path directory, String name, ClassLoader loader) throws Exception {
        LauncherDiscoveryRequest request = LauncherDiscoveryRequestBuilder.request()
                .selectors(DiscoverySelectors.selectClass(Class.forName(name, false, loader))).build();
        Launcher launcher = LauncherFactory.create();
        launcher.execute(request, new TestExecutionListener() {
            @Override
            public void executionFinished(TestIdentifier test, TestExecutionResult result) {
                if (test.isTest()) {
                    report(directory, name, result.getThrowable().map(Object::toString).orElse("pass"));
                }
            }
        });
    }

    private static void report(Path directory, String test, String result) {
        System.out.println(directory + "\t" + test + "\t" + result.replaceAll("\\s+", " "));
    }

    private static List<String> sources(Path directory) throws Exception {
        try (Stream<Path> files = Files.walk(directory)) {
            return files.map(Path::toString).filter(f -> f.endsWith(".java")).sorted().collect(Collectors.toList());
        }
    }
}
