package jarosite.replay;

import java.io.BufferedReader;
import java.io.ByteArrayInputStream;
import java.io.FileDescriptor;
import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Runs methods for the process that started it, which writes one request a line and reads one
 * answer a line.
 *
 * <p>The first request describes the class path. Each other one holds runs, done in order by one
 * thread of its own. A run that exceeds the time limit ends the answer early ({@code stuck}): no
 * thread can be stopped safely, so the other process is expected to start a new JVM. A program
 * that ends the JVM is noticed in a shutdown hook ({@code exit}), and threads that it leaves
 * behind are told of ({@code busy}).
 *
 * <p>An answer line starts with {@code @}; anything else on standard output is noise.
 */
public final class Main {
    private static final long STACK_BYTES = 64L << 20;

    /** What building the input may take. */
    private static final long SETUP_MS = 5_000;

    private static PrintStream answers;
    private static Types.Source source;
    private static volatile Batch current;

    private Main() {}

    public static void main(String[] args) throws IOException {
        answers = new PrintStream(new FileOutputStream(FileDescriptor.out), false, "UTF-8");
        BufferedReader requests = new BufferedReader(new InputStreamReader(
                new FileInputStream(FileDescriptor.in), StandardCharsets.UTF_8));
        Runtime.getRuntime().addShutdownHook(new Thread(Main::exiting));
        silence();
        String line;
        while ((line = requests.readLine()) != null) {
            Map<String, Object> request = Json.parse(line);
            if (request.containsKey("runs")) {
                serve(request);
            } else {
                source = new Types.Source(request);
                answer(new LinkedHashMap<>());
            }
        }
        Runtime.getRuntime().halt(0);
    }

    private static void silence() {
        System.setIn(new ByteArrayInputStream(new byte[0]));
        System.setOut(new PrintStream(OutputStream.nullOutputStream()));
        System.setErr(new PrintStream(OutputStream.nullOutputStream()));
    }

    private static synchronized void answer(Map<String, Object> answer) {
        answers.print("\n@" + Json.write(answer) + "\n");
        answers.flush();
    }

    private static void exiting() {
        Batch batch = current;
        Map<String, Object> answer = batch == null ? new LinkedHashMap<>() : batch.answer();
        answer.put("exit", true);
        answer(answer);
        Runtime.getRuntime().halt(0);
    }

    private static void serve(Map<String, Object> request) {
        Batch batch = new Batch(request);
        current = batch;
        Thread thread = new Thread(null, batch, "main", STACK_BYTES);
        thread.setDaemon(true);
        thread.start();
        boolean ended = batch.await(thread, Json.integer(request.get("limit_ms")));
        Map<String, Object> answer = batch.answer();
        if (!ended) {
            answer.put("stuck", true);
            answer.put("where", batch.where(thread));
            answer.put("running", batch.running(thread));
            answer.put("waits", thread.getState() != Thread.State.RUNNABLE);
        }
        current = null;
        if (Thread.currentThread().getThreadGroup().activeCount() > (ended ? 1 : 2)) {
            answer.put("busy", true);
        }
        answer(answer);
        silence(); // the program may have replaced the streams
    }

    /** The runs of one request. */
    private static final class Batch implements Runnable {
        private final List<Object> runs;
        private final boolean shared;
        private final boolean endless;
        private final List<Object> results = new ArrayList<>();
        private volatile long started = System.nanoTime();

        Batch(Map<String, Object> request) {
            runs = Json.list(request.get("runs"));
            shared = Boolean.TRUE.equals(request.get("shared"));
            endless = Boolean.TRUE.equals(request.get("endless"));
        }

        @Override
        public void run() {
            Types types = new Types(source);
            for (Object run : runs) {
                started = System.nanoTime();
                Thread.currentThread().setContextClassLoader(types);
                Map<String, Object> result = Run.result(types, Json.object(run));
                synchronized (results) {
                    results.add(result);
                }
                types = shared ? types : new Types(source);
            }
        }

        /**
         * Waits for the end; false if one run takes longer than the limit. A call that is to run
         * for ever has the limit for itself: loading classes does not count.
         */
        boolean await(Thread thread, int limit) {
            while (thread.isAlive()) {
                long begun = endless && Call.entered - started >= 0 ? Call.entered : started;
                long granted = endless && begun == started ? limit + SETUP_MS : limit;
                long left = granted - (System.nanoTime() - begun) / 1_000_000;
                if (left <= 0) {
                    return false;
                }
                try {
                    thread.join(endless ? Math.min(left, 20) : left);
                } catch (InterruptedException ignored) {
                    continue; // only the program could have done that
                }
            }
            return true;
        }

        Map<String, Object> answer() {
            Map<String, Object> answer = new LinkedHashMap<>();
            synchronized (results) {
                answer.put("results", new ArrayList<>(results));
            }
            return answer;
        }

        List<Object> running(Thread thread) {
            List<Object> methods = new ArrayList<>();
            for (StackTraceElement frame : thread.getStackTrace()) {
                methods.add(frame.getClassName() + "." + frame.getMethodName());
            }
            return methods;
        }

        String where(Thread thread) {
            for (StackTraceElement frame : thread.getStackTrace()) {
                if (source.isGiven(frame.getClassName())) {
                    return frame.getFileName() + ":" + frame.getLineNumber();
                }
            }
            return "";
        }
    }
}
