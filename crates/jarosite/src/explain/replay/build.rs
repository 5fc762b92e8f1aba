//! From the analysed text to a program: the target marked, compiled, every outer name moved out of the
//! way of the C library, and linked with the driver.

use std::collections::BTreeSet;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use cfront::Source;
use cfront::outside::Mark;

use super::Run;
use super::driver::Driver;
use crate::files;

/// How and where.
pub struct Build<'a> {
    pub directory: &'a Path,
    pub wrap: bool,
}

/// A program that can be run.
pub struct Program {
    pub path: PathBuf,
    /// Whether it checks itself for undefined behaviour.
    pub checked: bool,
}

const SANITIZERS: [&str; 3] =
    ["-fsanitize=undefined,address", "-fno-sanitize-recover=all", "-fno-omit-frame-pointer"];

impl Build<'_> {
    /// The program; with sanitizers if the compiler has them.
    pub fn program(&self, run: &Run<'_>, driver: &Driver) -> Result<Program, String> {
        let checked = match self.linked(run, driver, &SANITIZERS) {
            Ok(path) => return Ok(Program { path, checked: true }),
            Err(why) => why,
        };
        match self.linked(run, driver, &[]) {
            Ok(path) => Ok(Program { path, checked: false }),
            // What is wrong with both is wrong with the program.
            Err(_) => Err(checked),
        }
    }

    fn linked(
        &self,
        run: &Run<'_>,
        driver: &Driver,
        sanitizers: &[&str],
    ) -> Result<PathBuf, String> {
        let mut objects = Vec::new();
        for (unit, source) in run.sources.iter().enumerate() {
            let outside = &run.lowered.outside;
            let before = declared(unit, &outside.undeclared);
            let text = marked(source, unit, &outside.marks, &driver.added[unit]);
            let text = format!("{before}{text}");
            let object = self.compiled(&format!("unit{unit}"), &text, sanitizers)?;
            objects.push(object);
        }
        let mut names = BTreeSet::new();
        for object in &objects {
            names.extend(outer_names(object)?);
        }
        let list: String = names.iter().fold(String::new(), |mut list, name| {
            let _ = writeln!(list, "{name} u_{name}");
            list
        });
        let list = self.file("names", &list)?;
        let mut defined = driver.defines.clone();
        for object in &objects {
            let mut rename = Command::new("objcopy");
            rename.arg(format!("--redefine-syms={}", list.display())).arg(object);
            output(&mut rename, "objcopy")?;
            defined.extend(inner_names(object)?);
        }
        let mut text = driver.text.clone();
        for name in names.difference(&defined) {
            let _ = writeln!(
                text,
                "void u_{name}(void) {{ ended(\"`{name}`, which no path calls\"); }}"
            );
        }
        let driver = self.compiled("driver", &text, &[])?;
        // What the program defines itself counts.
        output(Command::new("objcopy").arg("--weaken").arg(&driver), "objcopy")?;
        let program = self.directory.join("program");
        let mut link = Command::new("cc");
        link.args(sanitizers).arg("-o").arg(&program).args(&objects).arg(driver);
        output(&mut link, "the linker")?;
        Ok(program)
    }

    fn file(&self, name: &str, text: &str) -> Result<PathBuf, String> {
        let path = self.directory.join(name);
        files::write(&path, text.as_bytes())
            .map_err(|error| format!("not run: cannot write {}: {error}", path.display()))?;
        Ok(path)
    }

    fn compiled(&self, name: &str, text: &str, sanitizers: &[&str]) -> Result<PathBuf, String> {
        let source = self.file(&format!("{name}.c"), text)?;
        let object = self.directory.join(format!("{name}.o"));
        let mut compile = Command::new("cc");
        compile.args(["-c", "-std=gnu17", "-g", "-O0", "-w", "-fno-builtin", "-fcommon"]);
        compile.args(sanitizers);
        if self.wrap {
            compile.arg("-fwrapv");
        }
        compile.arg("-o").arg(&object).arg(source);
        output(&mut compile, "the compiler")?;
        Ok(object)
    }
}

/// Declarations of what a source uses without one: otherwise C has it that the result is an `int`.
fn declared(unit: usize, undeclared: &BTreeSet<(usize, String)>) -> String {
    let all = [
        ("malloc", "void *malloc(unsigned long);"),
        ("calloc", "void *calloc(unsigned long, unsigned long);"),
        ("memset", "void *memset(void *, int, unsigned long);"),
        ("memcpy", "void *memcpy(void *, const void *, unsigned long);"),
    ];
    let used = all.iter().filter(|(name, _)| undeclared.contains(&(unit, (*name).to_owned())));
    used.map(|(_, text)| *text).collect()
}

/// The text with a call at every place of the target, on the same lines.
fn marked(source: &Source, unit: usize, marks: &BTreeSet<Mark>, added: &str) -> String {
    let mut text = source.text.clone();
    for mark in marks.iter().rev().filter(|mark| mark.unit == unit) {
        let call = match mark.in_block {
            true => " jarosite_reached(); ",
            // It must be one statement together with what follows it.
            false => " for (; jarosite_reached(); ) ",
        };
        text.insert_str(mark.at as usize, call);
    }
    format!("int jarosite_reached(void);\n{text}\n{added}\n")
}

/// The names that an object shares with others.
fn outer_names(object: &Path) -> Result<BTreeSet<String>, String> {
    names(object, &["-g"])
}

/// Those of them that it defines, without the prefix.
fn inner_names(object: &Path) -> Result<BTreeSet<String>, String> {
    let all = names(object, &["-g", "--defined-only"])?;
    Ok(all.into_iter().filter_map(|name| name.strip_prefix("u_").map(str::to_owned)).collect())
}

fn names(object: &Path, options: &[&str]) -> Result<BTreeSet<String>, String> {
    let mut list = Command::new("nm");
    list.args(options).arg(object);
    let listed = output(&mut list, "nm")?;
    let names = listed.lines().filter_map(|line| line.split_whitespace().last());
    Ok(names.filter(|name| !is_of_the_compiler(name)).map(str::to_owned).collect())
}

fn is_of_the_compiler(name: &str) -> bool {
    let starts = ["__asan_", "__ubsan_", "__stack_chk_", "__odr_asan", "__sanitizer_"];
    name == "_GLOBAL_OFFSET_TABLE_" || starts.iter().any(|start| name.starts_with(start))
}

/// Runs a tool; what it wrote.
fn output(command: &mut Command, what: &str) -> Result<String, String> {
    let name = command.get_program().to_string_lossy().into_owned();
    let ran = command.stdin(Stdio::null()).output();
    let output = ran.map_err(|error| format!("not run: cannot start `{name}`: {error}"))?;
    if output.status.success() {
        return Ok(String::from_utf8_lossy(&output.stdout).into_owned());
    }
    let said = String::from_utf8_lossy(&output.stderr);
    let line = said.lines().find(|line| line.contains("error")).or(said.lines().next());
    Err(format!("not run: {what} refuses: {}", line.unwrap_or("it says nothing")))
}
