//! Hostile programs: through whichever door their code would run, nothing outside is harmed. Once with nothing but the
//! rule that only what is modelled runs, on a kernel without a sandbox, and once with nothing but
//! the sandbox.

mod only_modelled;
mod only_sandboxed;
mod trap;

/// A class `P` whose code does harm when it gets to run, and how a method `m(P p, int d)` uses it.
pub struct Route {
    pub name: &'static str,
    /// Declares `P` and what belongs to it.
    pub class: &'static str,
    /// Statements of the method.
    pub used: &'static str,
}

const fn route(name: &'static str, class: &'static str, used: &'static str) -> Route {
    Route { name, class, used }
}

pub const ROUTES: &[Route] = &[
    route("parameter", "class P { static { Harm.done(); } int v; }", "d += p.v - p.v;"),
    route(
        "superclass",
        "class S { static { Harm.done(); } } class P extends S { int v; }",
        "d += p.v - p.v;",
    ),
    route(
        "interface",
        "interface I { int X = Harm.done(); default void run() {} } class P implements I { int v; }",
        "d += p.v - p.v;",
    ),
    route("enum", "enum P { A; static { Harm.done(); } }", "if (p == null) d++;"),
    route(
        "field",
        "class Q { static { Harm.done(); } int w; } class P { Q q; }",
        "if (p.q != null) d += p.q.w - p.q.w;",
    ),
    route(
        "toString",
        "class P { public String toString() { Harm.done(); return \"\"; } }",
        "String s = \"\" + p; d += s.length() - s.length();",
    ),
    route(
        "collection",
        "class P { public int hashCode() { Harm.done(); return 1; } \
         public boolean equals(Object o) { Harm.done(); return true; } }",
        "java.util.HashSet<P> set = new java.util.HashSet<>(); set.add(p); set.add(p);",
    ),
    route("finalize", "class P { protected void finalize() { Harm.done(); } }", "new P();"),
    route(
        "hook",
        "class P { static { Runtime.getRuntime().addShutdownHook(new Thread(Harm::done)); } int v; }",
        "d += p.v - p.v;",
    ),
    route(
        "thread",
        "class P { static { new Thread(() -> { while (true) Harm.done(); }).start(); } int v; }",
        "d += p.v - p.v;",
    ),
    route(
        "service",
        "class P implements Runnable { static { for (Runnable r : \
         java.util.ServiceLoader.load(Runnable.class, P.class.getClassLoader())) r.run(); } \
         int v; public P() {} public void run() { Harm.done(); } }",
        "d += p.v - p.v;",
    ),
    route(
        "annotation",
        "@java.lang.annotation.Retention(java.lang.annotation.RetentionPolicy.RUNTIME) \
         @interface Ann { int X = Harm.done(); int value() default 1; } @Ann class P { int v; }",
        "d += p.v - p.v;",
    ),
    route(
        "lambda",
        "class P { static final Runnable R = () -> Harm.done(); static { R.run(); } int v; }",
        "d += p.v - p.v;",
    ),
    route(
        "message",
        "class P extends RuntimeException { public String getMessage() { Harm.done(); return \"\"; } \
         public String toString() { Harm.done(); return \"\"; } \
         public StackTraceElement[] getStackTrace() { Harm.done(); return null; } }",
        "if (d == 7) throw p;",
    ),
    route(
        "trace",
        "class P extends RuntimeException { \
         public synchronized Throwable fillInStackTrace() { Harm.done(); return this; } }",
        "if (d == 7) { new P(); }",
    ),
    route(
        "hash",
        "class P { static { if (P.class.hashCode() != 0) Harm.done(); } int v; }",
        "d += p.v - p.v;",
    ),
];

/// The directory and package of a route, and its class there.
pub fn place(number: usize, route: &Route, more: &str) -> (String, String) {
    let text = route.class.replace("Harm", "harm.Harm");
    (format!("r{number}"), format!("package r{number}; {text} {more}"))
}
