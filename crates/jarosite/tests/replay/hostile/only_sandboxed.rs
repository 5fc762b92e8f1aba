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

use super::trap::Trap;
use super::{ROUTES, place};

/// Does with an object whatever may make its class run.
const GO: &str = "public class Go { public static void go(Object p, String name) throws Exception {
    Class<?> c = Class.forName(name, true, Go.class.getClassLoader());
    try { (\"\" + p).length(); } catch (RuntimeException e) {}
    java.util.HashSet<Object> set = new java.util.HashSet<>(); set.add(p); set.add(p);
    java.util.Arrays.toString(c.getAnnotations());
    if (p instanceof Throwable) ((Throwable) p).getMessage();
    Object made = c.isEnum() ? null : made(c);
    made = null; System.gc(); System.runFinalization(); Thread.sleep(20);
    harm.Harm.done();
}
static Object made(Class<?> c) throws Exception {
    java.lang.reflect.Constructor<?> made = c.getDeclaredConstructor();
    made.setAccessible(true);
    return made.newInstance();
} }";

fn replayer(classes: &Path) -> Replayer {
    let inputs = Inputs::collect(&[classes.to_path_buf()], &[], &[]);
    let (class_path, _) = ClassPath::new(&inputs, None);
    let jdk = Jdk::find().expect("a JDK");
    Replayer::new(&jdk, Arc::new(class_path)).with_limit(Duration::from_secs(2))
}

fn holds() -> bool {
    matches!(sandbox::offered(), Protection::Complete | Protection::Filter)
}

#[test]
fn no_route_leads_out() {
    if !holds() {
        return;
    }
    let trap = Trap::new();
    trap.arm();
    trap.write("Go.java", GO);
    let mut calls = Vec::new();
    for (number, route) in ROUTES.iter().enumerate() {
        let (package, text) = place(number, route, "");
        trap.write(&format!("{package}/P.java"), &text);
        let class = format!("{package}.P");
        let units = class.encode_utf16().collect();
        let name = object("java.lang.String", Content::Text { units, interned: false });
        let is_enum = route.name == "enum";
        let content = Content::Fields(Vec::new());
        calls.push(Call {
            class: "Go".into(),
            method: "go".into(),
            descriptor: "(Ljava/lang/Object;Ljava/lang/String;)V".into(),
            arguments: vec![if is_enum { Datum::Null } else { Datum::Object(1) }, Datum::Object(0)],
            heap: [name].into_iter().chain((!is_enum).then(|| object(&class, content))).collect(),
            ..Call::default()
        });
    }
    let classes = trap.compile();
    let provider = ROUTES.iter().position(|r| r.name == "service").expect("a route");
    std::fs::create_dir_all(classes.join("META-INF/services")).expect("a directory");
    let services = classes.join("META-INF/services/java.lang.Runnable");
    std::fs::write(services, format!("r{provider}.P\n")).expect("a file");
    let mut jvm = replayer(&classes);
    let observed = jvm.observe(&calls, Statics::Fresh).expect("a JVM");
    for (seen, route) in observed.iter().zip(ROUTES) {
        let ended = !matches!(seen.ending, Ending::Skipped(_));
        assert!(ended, "{}: {:?}", route.name, seen.ending);
    }
    drop(jvm);
    assert_eq!(trap.harm(), Vec::<&str>::new());
}

fn object(class: &str, content: Content) -> Object {
    Object { label: "P#0".into(), class: class.into(), content }
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
    let deed = Call {
        class: "Deed".into(),
        method: "deed".into(),
        descriptor: "()I".into(),
        ..Call::default()
    };
    let observed = jvm.observe(&[deed], Statics::Fresh).expect("a JVM");
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
