//! The rule alone: nothing runs that is not modelled to its end, on a kernel that knows no sandbox.

use std::collections::BTreeMap;
use std::os::unix::process::CommandExt;
use std::process::{Command, Output};

use seccompiler::{BpfProgram, SeccompAction, SeccompFilter};

use super::trap::Trap;
use super::{ROUTES, place};

/// Makes the kernel one that knows neither seccomp nor Landlock, for the command.
fn on_an_old_kernel(command: &mut Command) {
    let unknown = [libc::SYS_seccomp, libc::SYS_landlock_create_ruleset];
    let rules: BTreeMap<i64, _> = unknown.into_iter().map(|call| (call, Vec::new())).collect();
    let (fail, pass) = (SeccompAction::Errno(libc::ENOSYS as u32), SeccompAction::Allow);
    let here = std::env::consts::ARCH.try_into().expect("a processor with filters");
    let filter = SeccompFilter::new(rules, pass, fail, here).expect("a filter");
    let filter: BpfProgram = filter.try_into().expect("a filter");
    let apply = move || {
        seccompiler::apply_filter(&filter)
            .map_err(|_| std::io::Error::from_raw_os_error(libc::EPERM))
    };
    // SAFETY: only system calls are made.
    #[expect(unsafe_code, reason = "there is no other way into the child")]
    unsafe {
        command.pre_exec(apply)
    };
}

fn check(trap: &Trap, arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_jarosite"));
    command.args(["check", "--invariants", "declared"]).args(arguments).current_dir(trap.program());
    command.env("JAROSITE_CACHE_DIR", trap.program().join(".cache"));
    on_an_old_kernel(&mut command);
    command.output().expect("the binary runs")
}

fn said(output: &Output) -> String {
    let streams = [&output.stdout, &output.stderr];
    streams.map(|bytes| String::from_utf8_lossy(bytes).into_owned()).join("\n")
}

#[test]
fn no_route_is_taken() {
    let trap = Trap::new();
    trap.arm();
    for (number, route) in ROUTES.iter().enumerate() {
        let method = format!("int m(P p, int d) {{ {} return 1 / d; }}", route.used);
        let (package, text) = place(number, route, &format!("class Main {{ {method} }}"));
        trap.write(&format!("{package}/Main.java"), &text);
        let services = format!("{package}.P\n");
        if route.name == "service" {
            trap.write("META-INF/services/java.lang.Runnable", &services);
        }
    }
    let output = check(&trap, &[".", "--emit-tests", "../tests"]);
    let said = said(&output);
    assert_eq!(trap.harm(), Vec::<&str>::new(), "{said}");
    assert!(said.contains("has no sandbox"), "{said}");
    // Each of them was found to divide by zero, so that there was something to repeat.
    let found = (0..ROUTES.len()).filter(|n| said.contains(&format!("in r{n}.Main.m(")));
    assert!(found.count() >= ROUTES.len() / 2, "{said}");
}

#[test]
fn the_reason_is_told() {
    let trap = Trap::new();
    trap.arm();
    let class = "class P { static { harm.Harm.done(); } int v; }";
    trap.write(
        "Main.java",
        &format!("{class} class Main {{ int m(P p, int d) {{ return 1 / d; }} }}"),
    );
    let said = said(&check(&trap, &["Main.java", "--sourcepath", ".", "--method", "m"]));
    let told = "not replayed: would run the static initialiser of P";
    assert!(said.contains(told), "{said}");
}

#[test]
fn what_is_modelled_still_runs() {
    let trap = Trap::new();
    let class = "class P { static int made; static { made = 3; } int v; }";
    trap.write("Main.java", &format!("{class} class Main {{ int m(P p) {{ return 1 / p.v; }} }}"));
    let output = check(&trap, &["Main.java", "--method", "m", "--format", "json"]);
    let document: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!(document["results"][0]["violations"][0]["replay"], "confirmed", "{document}");
    assert_eq!(document["sandbox"], "none");
}
