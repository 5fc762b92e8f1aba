//! The file that stands for everything around the program: it makes the memory that was there before,
//! calls the first function, and answers for the functions that have no body.
//!
//! Names of the program begin with `u_` here (`build`).

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use cfront::outside::{Outside, Word};
use cfront::{FAILS, Target};
use explain::inputs::{Given, Held, Inputs, Object};
use explain::program::Unknown;
use explain::term::VarId;

use super::Run;

/// More memory than this is not made for a program.
const MOST: u64 = 16 << 20;

/// What is compiled beside the program.
pub struct Driver {
    /// The file.
    pub text: String,
    /// What is added to the end of each source.
    pub added: Vec<String>,
    /// The functions that it defines.
    pub defines: BTreeSet<String>,
    /// Inputs that nobody can give to a compiled program.
    pub missing: Vec<String>,
}

/// Functions of the C library that the program may really call.
const REAL: [(&str, &str); 8] = [
    ("free", "void u_free(void *p) { free(p); }"),
    ("memset", "void *u_memset(void *p, int c, size_t n) { return memset(p, c, n); }"),
    ("memcpy", "void *u_memcpy(void *p, const void *q, size_t n) { return memcpy(p, q, n); }"),
    ("memmove", "void *u_memmove(void *p, const void *q, size_t n) { return memmove(p, q, n); }"),
    ("strlen", "size_t u_strlen(const char *p) { return strlen(p); }"),
    ("__VERIFIER_assume", "void u___VERIFIER_assume(int c) { if (!c) ended(\"assumption\"); }"),
    ("__CPROVER_assume", "void u___CPROVER_assume(int c) { if (!c) ended(\"assumption\"); }"),
    ("__VERIFIER_atomic_begin", "void u___VERIFIER_atomic_begin(void) {}"),
];

/// Functions after which nothing comes.
const LAST: [&str; 6] = ["abort", "exit", "_exit", "_Exit", "quick_exit", "pthread_exit"];

const HEAD: &str = "\
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <sys/resource.h>
const char *__asan_default_options(void) {
    return \"detect_leaks=0:disable_coredump=0:allocator_may_return_null=1:hard_rss_limit_mb=1024:detect_stack_use_after_return=0\";
}
static void ended(const char *how) { fprintf(stderr, \"\\n@%s\\n\", how); _exit(0); }
int u_jarosite_reached(void) { ended(\"reached\"); return 0; }
";

struct Writer<'a> {
    outside: &'a Outside,
    inputs: &'a Inputs,
    text: String,
    added: Vec<String>,
    defines: BTreeSet<String>,
    missing: Vec<String>,
    /// Memory that was there before the program.
    blocks: BTreeSet<u32>,
    /// Variables whose address the driver asks a source for.
    asked: BTreeSet<VarId>,
}

/// Writes the driver for some inputs.
pub fn write(run: &Run<'_>, inputs: &Inputs) -> Result<Driver, String> {
    let mut writer = Writer {
        outside: &run.lowered.outside,
        inputs,
        text: HEAD.to_owned(),
        added: vec![String::new(); run.sources.len()],
        defines: BTreeSet::from(["jarosite_reached".to_owned()]),
        missing: Vec::new(),
        blocks: BTreeSet::new(),
        asked: BTreeSet::new(),
    };
    writer.blocks()?;
    writer.define_undefined();
    writer.fixed(*run.target == Target::Assert);
    let prepare = writer.prepare();
    let allocations = writer.allocations();
    let stubs = writer.stubs();
    let main = writer.main(run.function);
    let addresses = writer.addresses();
    for part in [addresses, prepare, allocations, stubs, main] {
        writer.text += &part;
    }
    let Writer { text, added, defines, missing, .. } = writer;
    Ok(Driver { text, added, defines, missing })
}

/// A scalar type of C.
fn c_type(word: Word) -> &'static str {
    match (word.width, word.signed) {
        (0, _) => "void",
        (1..=8, true) => "signed char",
        (1..=8, false) => "unsigned char",
        (9..=16, true) => "short",
        (9..=16, false) => "unsigned short",
        (17..=32, true) => "int",
        (17..=32, false) => "unsigned",
        (_, true) => "long",
        (_, false) => "unsigned long",
    }
}

impl Writer<'_> {
    /// Memory that was there before the program.
    fn blocks(&mut self) -> Result<(), String> {
        let mut all: BTreeMap<u32, (u64, u64)> = self.inputs.extents.clone();
        let held = self.inputs.memory.iter().map(|held| &held.value);
        let values = self.inputs.outside.iter().map(|outside| &outside.value);
        for given in held.chain(values).chain(self.inputs.arguments.values()) {
            if let Given::Address(Object::Before(number), offset) = given {
                let extent = all.entry(*number).or_insert((*offset, *offset + 1));
                *extent = (extent.0.min(*offset), extent.1.max(*offset + 1));
            }
        }
        for (number, (start, end)) in &mut all {
            *start &= !15;
            if *end - *start > MOST {
                return Err(format!("not run: it needs {} bytes at one pointer", *end - *start));
            }
            self.blocks.insert(*number);
            let _ = writeln!(
                self.text,
                "static char *block_{number}; enum {{ size_{number} = {} }};\n\
                 static void *in_{number}(unsigned long at) {{ return block_{number} + (at - {start}ul); }}",
                *end - *start
            );
        }
        Ok(())
    }

    /// Variables that no source defines are defined at the end of one.
    fn define_undefined(&mut self) {
        for global in self.outside.globals.values().filter(|global| !global.defined) {
            let name = &global.name;
            let _ = write!(self.added[global.unit], " __typeof__({name}) {name};");
        }
    }

    fn fixed(&mut self, asserts: bool) {
        for (name, text) in REAL {
            let _ = writeln!(self.text, "{text}");
            self.defines.insert(name.to_owned());
        }
        for name in LAST {
            let _ = writeln!(self.text, "void u_{name}(void) {{ ended(\"{name}()\"); }}");
            self.defines.insert(name.to_owned());
        }
        let fails = if asserts { "u_jarosite_reached()" } else { "ended(\"a failed assertion\")" };
        for name in FAILS {
            let _ = writeln!(self.text, "void u_{name}(void) {{ {fails}; }}");
            self.defines.insert(name.to_owned());
        }
        for name in ["__VERIFIER_assert", "__CPROVER_assert"] {
            let text = format!("void u_{name}(int c) {{ if (!c) {fails}; }}");
            let _ = writeln!(self.text, "{text}");
            self.defines.insert(name.to_owned());
        }
    }

    /// A value as an expression of C.
    fn value(&mut self, given: &Given) -> String {
        match given {
            Given::Number(number) => format!("{number}ul"),
            Given::Address(object, offset) => {
                let place = self.place(object, *offset);
                format!("(unsigned long){}", place.unwrap_or_else(|| "0".to_owned()))
            }
        }
    }

    /// An address as an expression of C.
    fn place(&mut self, object: &Object, offset: u64) -> Option<String> {
        match object {
            Object::Global(variable) => match self.outside.globals.get(variable) {
                Some(_) => {
                    self.asked.insert(*variable);
                    Some(format!("((char *)jarosite_at_{}() + {offset})", variable.0))
                }
                None => {
                    let what = "the address of a string or of a static variable of a function \
                                cannot be given to the compiled program";
                    self.missing.push(what.to_owned());
                    None
                }
            },
            Object::Allocated(number) => Some(format!("(allocated[{number}] + {offset})")),
            Object::Before(number) => Some(format!("in_{number}({offset}ul)")),
            Object::Local(name) => {
                self.missing.push(format!(
                    "what the local variable `{name}` holds before it is set cannot be given to \
                     the compiled program"
                ));
                None
            }
        }
    }

    fn write_held(&mut self, held: &Held, out: &mut String) {
        let Some(place) = self.place(&held.object, held.offset) else { return };
        let value = self.value(&held.value);
        let ty = c_type(Word { width: held.width, signed: false });
        let _ = writeln!(out, "    {{ {ty} v = ({ty})({value}); memcpy({place}, &v, sizeof v); }}");
    }

    fn prepare(&mut self) -> String {
        let mut text = String::from("static void prepare(void) {\n");
        for number in &self.blocks {
            let _ = writeln!(text, "    block_{number} = calloc(1, size_{number});");
        }
        for held in &self.inputs.memory {
            if !matches!(held.object, Object::Allocated(_)) {
                self.write_held(held, &mut text);
            }
        }
        text + "}\n"
    }

    /// `malloc` and `calloc` succeed and fail as they do on the path.
    fn allocations(&mut self) -> String {
        self.defines.extend(["malloc".to_owned(), "calloc".to_owned()]);
        let mut cases = String::new();
        for (number, succeeds) in self.inputs.allocations.iter().enumerate() {
            if !succeeds {
                let _ = writeln!(cases, "    case {number}: return 0;");
                continue;
            }
            let mut fills = String::new();
            for held in &self.inputs.memory {
                if held.object == Object::Allocated(number) {
                    self.write_held(held, &mut fills);
                }
            }
            let _ = writeln!(
                cases,
                "    case {number}: allocated[{number}] = zero ? calloc(1, size) : malloc(size);\n    \
                 if (!zero) {{\n{fills}    }} return allocated[{number}];"
            );
        }
        format!(
            "static void *allocate(size_t size, int zero) {{ static unsigned n;\n    switch (n++) {{\n\
             {cases}    default: ended(\"more allocations than the path has\"); return 0;\n    }}\n}}\n\
             void *u_malloc(size_t n) {{ return allocate(n, 0); }}\n\
             void *u_calloc(size_t n, size_t m) {{ return allocate(n * m, 1); }}\n"
        )
    }

    /// The functions without a body: each gives what it gave on the path, in order.
    fn stubs(&mut self) -> String {
        let mut given: BTreeMap<&str, Vec<&Given>> = BTreeMap::new();
        for outside in &self.inputs.outside {
            match &outside.why {
                Unknown::Result(name) => given.entry(name).or_default().push(&outside.value),
                Unknown::NotInitialised(name) => self.missing.push(format!(
                    "what the local variable `{name}` holds before it is set cannot be given to \
                     the compiled program"
                )),
                Unknown::NotReturned => self.missing.push(
                    "a result that no `return` gives cannot be given to the compiled program"
                        .to_owned(),
                ),
            }
        }
        let mut text = String::new();
        for (name, word) in &self.outside.functions {
            if self.defines.contains(name) {
                continue;
            }
            self.defines.insert(name.clone());
            let ty = c_type(*word);
            if word.width == 0 {
                let _ = writeln!(text, "void u_{name}() {{}}");
                continue;
            }
            let mut cases = String::new();
            for (number, value) in given.get(&**name).into_iter().flatten().enumerate() {
                let value = self.value(value);
                let _ = writeln!(cases, "    case {number}: return ({ty})({value});");
            }
            let _ = writeln!(
                text,
                "{ty} u_{name}() {{ static unsigned n;\n    switch (n++) {{\n{cases}    \
                 default: ended(\"more calls of `{name}` than the path has\"); return 0;\n    }}\n}}"
            );
        }
        text
    }

    fn main(&mut self, function: &str) -> String {
        let parameters = self.outside.parameters.clone();
        let arguments = parameters.iter().map(|(id, word)| {
            let given = self.inputs.arguments.get(id).cloned().unwrap_or(Given::Number(0));
            format!("({})({})", c_type(*word), self.value(&given))
        });
        let arguments: Vec<String> = arguments.collect();
        format!(
            "long u_{function}();\n\
             static void limit(int what, rlim_t most) {{ struct rlimit l = {{ most, most }}; setrlimit(what, &l); }}\n\
             int main(void) {{\n    limit(RLIMIT_CPU, 10); limit(RLIMIT_CORE, 0); limit(RLIMIT_FSIZE, 1 << 20);\n    \
             prepare();\n    u_{function}({});\n    ended(\"the end of `{function}`\");\n}}\n",
            arguments.join(", ")
        )
    }

    /// Functions of the sources that say where something is.
    fn addresses(&mut self) -> String {
        let mut text =
            format!("static char *allocated[{}];\n", self.inputs.allocations.len().max(1));
        for variable in &self.asked {
            let Some(global) = self.outside.globals.get(variable) else { continue };
            let (number, name) = (variable.0, &global.name);
            let _ = write!(
                self.added[global.unit],
                " void *jarosite_address_{number}(void) {{ return (void *)&{name}; }}"
            );
            let _ = writeln!(
                text,
                "void *u_jarosite_address_{number}(void);\n\
                 static void *jarosite_at_{number}(void) {{ return u_jarosite_address_{number}(); }}"
            );
        }
        text
    }
}
