//! Executions that are found happen.

use super::explained;
use std::process::Command;

/// Without a compiler there is nothing to run.
fn has_compiler() -> bool {
    let found = Command::new("cc").arg("--version").output().is_ok();
    if !found {
        eprintln!("not run: there is no compiler here");
    }
    found
}

/// The result, and what became of the run.
#[track_caller]
fn check(text: &str, arguments: &[&str], replay: &str) -> String {
    if !has_compiler() {
        return String::new();
    }
    let (document, code) = explained(text, arguments);
    let result = &document["results"][0];
    assert_eq!(result["replay"], replay, "{text}\n{document:#}");
    assert_eq!(code, 1, "{text}");
    result["replay_detail"].as_str().unwrap_or_default().to_owned()
}

/// Every small program whose target is reached: the compiled program reaches it too.
#[test]
fn small_programs_reach_what_they_should() {
    let mut count = 0;
    let all = include_str!("../../../cfront/tests/small.txt").split("//- ").skip(1);
    for section in all.filter(|section| section.lines().next().unwrap().ends_with(" reached")) {
        let (head, text) = section.split_once('\n').expect("a program follows its head");
        let uninitialised = head.starts_with("read before it is set");
        check(text, &[], if uninitialised { "skipped" } else { "confirmed" });
        count += 1;
    }
    assert!(count >= 15, "{count}");
}

#[test]
fn arguments_memory_and_allocations_are_given_to_the_program() {
    let text = "#include <stdlib.h>
        struct n { int v; struct n *next; }; extern int ext; int __VERIFIER_nondet_int(void);
        int main(int argc, char **argv) {
          struct n *a = malloc(sizeof *a); if (!a) return 1;
          struct n *b = malloc(sizeof *b); if (b) return 2;
          if (argc == 7 && argv[1][2] == 'x' && a->v == 9 && ext == 3)
            if (__VERIFIER_nondet_int() - __VERIFIER_nondet_int() == 5) ERROR: return 3; else return 4;
          return 0; }";
    check(text, &[], "confirmed");
}

#[test]
fn globals_with_any_value_and_pointers_to_each_other() {
    let text = "int *p, *q; static int s;
        void main(){ if(*p == 3 && s == 5 && p != q && *q == 8){ ERROR: ; } }";
    check(text, &["--globals", "unknown"], "confirmed");
    let same =
        "int *p, *q; void main(){ if(*p == 3 && p == q){ *q = 4; if (*p == 4) { ERROR: ; } } }";
    check(same, &["--globals", "unknown"], "confirmed");
}

#[test]
fn another_first_function_with_a_function_as_its_argument() {
    let text = "int f(int x) { return x + 1; } int h(int x) { return x; }
        void target(int (*cb)(int), char c, unsigned long long big, short *out) {
          if (cb == f && c == -3 && big > 0xffffffff00000000ull && *out == -7 && cb(4) == 5) { ERROR: out[1] = 3; } }";
    check(text, &["--function", "target"], "confirmed");
}

#[test]
fn every_kind_of_target() {
    let text = "#include <assert.h>\nint n(void);\nint main() {\n  int x = n();\n  int y = x * 3;\n  \
                if (y > 9)\n    y = 4;\n  assert(y != 4);\n  return 0;\n}\n";
    check(text, &["--to", "assert"], "confirmed");
    check(text, &["--to", "t.c:7"], "confirmed");
    let said = check(text, &["--to", "undefined"], "confirmed");
    assert!(said.is_empty() || said.contains("t.c:5"), "{said}");
    let own = "void reach_error() {} int n(void); int main() { if (n() == 3) reach_error(); }";
    check(own, &["--to", "assert"], "confirmed");
    let label = "int n(void); int main() { switch (n()) { case 3: ERROR: default: return 1; } }";
    check(label, &[], "confirmed");
    let unbraced = "int n(void); int main() { if (n() == 3) ERROR: n(); else return 1; return 0; }";
    check(unbraced, &[], "confirmed");
}

#[test]
fn signed_numbers_wrap_on_request() {
    let text = "int n(void); int main() { int x = n(); if (x > 0 && x + 1 < 0) { ERROR: ; } }";
    check(text, &["--overflow", "wrap"], "confirmed");
}

/// Which of two operands comes first is open: one of both orders is what the compiler does.
#[test]
fn two_inputs_of_one_statement() {
    let text = "int n(void); int f(int a, int b) { return a * 2 + b; }
        int main() { int r = f(n(), n()); if (r == 7) { ERROR: ; } }";
    check(text, &[], "confirmed");
}

#[test]
fn what_cannot_be_given_is_said() {
    let text = "int main() { int a[3]; if (a[1] == 4) { ERROR: ; } }";
    let said = check(text, &[], "skipped");
    assert!(said.is_empty() || said.contains("local variable `a`"), "{said}");
}

/// What no statement on the path calls does not run.
#[test]
fn nothing_runs_that_no_statement_says() {
    let text = "int n(void); __attribute__((constructor)) void first(void) { n(); }
        int main() { if (n()) { ERROR: ; } }";
    let said = check(text, &[], "skipped");
    assert!(said.is_empty() || said.contains("constructor"), "{said}");
    let text = "int system(const char *); int main() { if (system(\"false\") == 0) { ERROR: ; } }";
    check(text, &[], "confirmed");
}

#[test]
fn no_run_on_request() {
    let said = check("int main() { ERROR: ; }", &["--replay", "off"], "skipped");
    assert!(said.is_empty() || said.contains("--replay off"), "{said}");
}

/// What is wrong in the model shows when the program runs: the heap keeps what is freed there.
#[test]
fn a_run_that_does_something_else_is_no_bug() {
    if !has_compiler() {
        return;
    }
    let text = "#include <stdlib.h>
        int main() { int *p = malloc(4); if (!p) return 0; *p = 3; free(p); if (*p == 3) { ERROR: ; } }";
    let (document, code) = explained(text, &[]);
    let result = &document["results"][0];
    assert_eq!((result["verdict"].as_str(), code), (Some("undecided"), 3), "{document:#}");
    assert_eq!(result["replay"], "refuted");
    assert!(result["cause"].as_str().unwrap().starts_with("refuted: "), "{document:#}");
}
