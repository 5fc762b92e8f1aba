//! The sandbox alone: the JVM is told to run everything, and nobody asks what it is.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use encode::execution::{Content, Datum, Object};
use jarosite::class_path::ClassPath;
use jarosite::inputs::Inputs;
use jarosite::jdk::Jdk;
use jarosite::replay::{Call, Ending, Replayer, Statics};
use jarosite::sandbox::{self, Protection};

use super::ROUTES;
use super::trap::Trap;

/// Does with an object whatever may make its class run.
const GO: &str = "class Go { static void go(Object p) throws Exception {
    Class<?> c = Class.forName(\"P\");
    try { (\"\" + p).length(); } catch (RuntimeException e) {}
    java.util.HashSet<Object> set = new java.util.HashSet<>(); set.add(p); set.add(p);
    java.util.Arrays.toString(c.getAnnotations());
    if (p instanceof Throwable) ((Throwable) p).getMessage();
    Object made = c.isEnum() ? null : c.getDeclaredConstructor().newInstance();
    made = null; System.gc(); System.runFinalization(); Thread.sleep(20);
    Harm.done();
} }";

fn replayer(classes: &Path) -> Replayer {
    let inputs = Inputs::collect(&[classes.to_path_buf()], &[], &[]);
    let (class_path, _) = ClassPath::new(&inputs, None);
    let jdk = Jdk::find().expect("a JDK");
    Replayer::new(&jdk, Arc::new(class_path)).with_limit(Duration::from_secs(2))
}

fn call(class: &str, method: &str, descriptor: &str) -> Call {
    let (class, method) = (class.into(), method.into());
    Call { class, method, descriptor: descriptor.into(), ..Call::default() }
}

fn holds() -> bool {
    matches!(sandbox::offered(), Protection::Complete | Protection::Filter)
}

#[test]
fn no_route_leads_out() {
    for route in ROUTES.iter().filter(|_| holds()) {
        let trap = Trap::new();
        trap.arm();
        trap.write("P.java", route.class);
        trap.write("Go.java", GO);
        let classes = trap.compile();
        std::fs::create_dir_all(classes.join("META-INF/services")).expect("a directory");
        let services = classes.join("META-INF/services/java.lang.Runnable");
        std::fs::write(services, "P\n").expect("a file");
        let mut jvm = replayer(&classes);
        let mut go = call("Go", "go", "(Ljava/lang/Object;)V");
        let content = Content::Fields(Vec::new());
        let object = Object { label: "P#0".into(), class: "P".into(), content };
        let is_enum = route.name == "enum";
        go.arguments = vec![if is_enum { Datum::Null } else { Datum::Object(0) }];
        go.heap = if is_enum { Vec::new() } else { vec![object] };
        let observed = jvm.observe(&[go], Statics::Fresh).expect("a JVM");
        let ending = &observed[0].ending;
        assert!(!matches!(ending, Ending::Skipped(_)), "{}: {ending:?}", route.name);
        drop(jvm);
        assert_eq!(trap.harm(), Vec::<&str>::new(), "{}", route.name);
    }
}

/// Runs a static method without arguments whose result is 1 if it was stopped.
fn stopped(body: &str) {
    if !holds() {
        return;
    }
    let trap = Trap::new();
    trap.write(
        "Deed.java",
        &format!("class Deed {{ static int deed() throws Throwable {{ {body} }} }}"),
    );
    let classes = trap.compile();
    let mut jvm = replayer(&classes);
    let observed = jvm.observe(&[call("Deed", "deed", "()I")], Statics::Fresh).expect("a JVM");
    let returned = encode::execution::Outcome::Returned(Some(Datum::Int(1)));
    assert_eq!(observed[0].ending, Ending::Ended(returned), "{body}");
}

#[test]
fn no_process_is_ended() {
    let own = std::process::id();
    stopped(&format!(
        "ProcessHandle parent = ProcessHandle.of({own}L).get(); \
         return parent.isAlive() && !parent.destroyForcibly() && parent.isAlive() ? 1 : 0;"
    ));
}

#[test]
fn no_file_changes_its_name_or_mode_and_no_link_is_made() {
    stopped(
        "java.nio.file.Path dir = java.nio.file.Path.of(System.getProperty(\"user.dir\")); \
         java.nio.file.Path home = dir.getParent().resolve(\"jarosite-link\"); \
         int stopped = 0; \
         try { java.nio.file.Files.createSymbolicLink(home, dir); } catch (java.io.IOException e) { stopped++; } \
         try { java.nio.file.Files.move(dir, home); } catch (java.io.IOException e) { stopped++; } \
         if (!dir.toFile().setLastModified(1000)) stopped++; \
         if (!dir.toFile().setExecutable(false)) stopped++; \
         return stopped == 4 ? 1 : stopped + 10;",
    );
}

#[test]
fn nobody_listens() {
    stopped(
        "try { new java.net.ServerSocket(0); return 0; } catch (java.io.IOException e) { return 1; }",
    );
}

#[test]
fn memory_beside_the_heap_ends() {
    stopped(
        "java.util.List<Object> all = new java.util.ArrayList<>(); \
         try { for (int i = 0; i < 64; i++) { Thread t = new Thread(null, () -> { \
         try { Thread.sleep(100000); } catch (InterruptedException e) {} }, \"t\", 256L << 20); \
         t.setDaemon(true); t.start(); all.add(t); } return 0; } \
         catch (OutOfMemoryError e) { return 1; }",
    );
}
