//! `--emit-tests`: each counterexample as a JUnit 5 test that fails until the code is corrected.
//!
//! A test stands in the package of the class, so that it can do what a colleague's test could. It
//! builds the input (`plan.rs` finds out how, on the JVM; `build.rs` writes it down), calls the
//! method, and asserts that what was violated is not: an exception does not come, a clause holds
//! (`clause.rs`), or, where a clause has no counterpart in Java, the run does not end as the
//! counterexample did (`ending.rs`). The name of a test is made of the method and of what the test
//! says, so that the same counterexample is the same file.

mod access;
mod build;
mod clause;
mod ending;
mod harmless;
mod plan;
mod values;

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use encode::execution::{Content, Datum, Execution, Outcome};
use ir::{Method, MethodId, Program};
use sha2::{Digest, Sha256};
use spec::resolve::Math;
use verify::{MethodResult, Property, Verdict, ViolatedClause, Violation};

use self::access::{Access, package_of};
use self::build::Builder;
use self::harmless::Harmless;
use self::plan::{Plan, Planner};
use crate::contents::hex;
use crate::files;
use crate::project::Project;
use crate::replay::Replayer;

const HELPER: &str = include_str!("../../java/emitted/JarositeHeap.java");

/// What was written, and which violations have no test and why.
#[derive(Default)]
pub struct Emitted {
    pub files: Vec<PathBuf>,
    pub without: Vec<String>,
}

/// A directory that cannot be written is noticed before the work rather than after it.
pub fn try_to_write(directory: &Path) -> Result<(), String> {
    let fail = |e: std::io::Error| format!("cannot write tests to {}: {e}", directory.display());
    fs::create_dir_all(directory).map_err(fail)?;
    tempfile::tempfile_in(directory).map_err(fail)?;
    Ok(())
}

/// Writes a test for each violation. An error is a sentence about a file.
pub fn emit(
    directory: &Path,
    results: &[MethodResult],
    project: &Project,
    math: Math,
    jvm: &mut Replayer,
) -> Result<Emitted, String> {
    let mut emitted = Emitted::default();
    let mut packages = BTreeSet::new();
    let violated = violated(&project.program, results);
    for result in results {
        let Verdict::Violated(violations) = &result.verdict else {
            continue;
        };
        for violation in violations {
            let package = package_of(&violation.execution.class).to_string();
            let access =
                Access { program: &project.program, package: &package, violated: &violated };
            match test(violation, project, math, access, jvm) {
                Ok(test) => {
                    if test.text.contains("JarositeHeap.") {
                        packages.insert(package.clone());
                    }
                    let file = write(directory, &package, &test.class, &test.text)?;
                    if !emitted.files.contains(&file) {
                        emitted.files.push(file);
                    }
                }
                Err(why) => {
                    let name = format!("{}.{}", result.class, result.method);
                    emitted.without.push(format!(
                        "no test for {} in {name}: {why}",
                        violation.property.name()
                    ));
                }
            }
        }
    }
    for package in packages {
        write(directory, &package, "JarositeHeap", &in_package(&package, HELPER))?;
    }
    Ok(emitted)
}

fn write(directory: &Path, package: &str, class: &str, text: &str) -> Result<PathBuf, String> {
    let place = package
        .split('.')
        .filter(|p| !p.is_empty())
        .fold(directory.to_path_buf(), |d, p| d.join(p));
    let file = place.join(format!("{class}.java"));
    let fail = |e: std::io::Error| format!("cannot write {}: {e}", file.display());
    fs::create_dir_all(&place).map_err(fail)?;
    files::write(&file, text.as_bytes()).map_err(fail)?;
    Ok(file)
}

fn in_package(package: &str, text: &str) -> String {
    match package {
        "" => text.to_string(),
        package => format!("package {package};\n\n{text}"),
    }
}

struct Test {
    class: String,
    text: String,
}

/// The test for a violation, or why there is none.
fn test(
    violation: &Violation,
    project: &Project,
    math: Math,
    access: Access<'_>,
    jvm: &mut Replayer,
) -> Result<Test, String> {
    let execution = &violation.execution;
    can_be_tested(violation)?;
    if reads_ghosts(project, violation) {
        return Err("the clause reads a ghost field, which no test can set".into());
    }
    let method = method_of(access, execution).ok_or("its method is not known")?;
    let harmless = Harmless::new(access.program);
    let plan = Planner { access, execution, jvm, harmless }.plan();
    can_be_set(access, execution, &plan)?;
    let mut builder = Builder::new(access, execution, &plan);
    builder.build();
    let call = call(&mut builder, execution, method);
    let body = Body { violation, access, math, method, call };
    let statements = body.statements(&mut builder)?;
    let simple = execution.class.rsplit('.').next().unwrap_or(&execution.class).replace('$', "_");
    let name = if execution.method == "<init>" { "constructor" } else { &execution.method };
    let text = class_text(violation, access.package, name, &statements);
    let hash = hex(&Sha256::digest(text.as_bytes())[..4]);
    let class = format!("{simple}_{name}_{hash}Test");
    Ok(Test { text: text.replace(CLASS, &class), class })
}

/// Stands for the name of the class while that is not known.
const CLASS: &str = "%CLASS%";

fn can_be_tested(violation: &Violation) -> Result<(), String> {
    let execution = &violation.execution;
    if let Some(why) = &execution.unrepeatable {
        return Err(why.clone());
    }
    if execution.method == "<clinit>" {
        return Err("a static initialiser cannot be called".into());
    }
    let inside = match violation.property {
        Property::Requires
        | Property::LoopInvariant
        | Property::Decreases
        | Property::Accessible
        | Property::Callable
        | Property::Readable
        | Property::Writable => true,
        Property::Assert => violation.clause.is_some(),
        _ => false,
    };
    if inside {
        return Err("the clause is checked inside the method, where no test can look".into());
    }
    let is_opaque = |o: &encode::execution::Object| matches!(o.content, Content::Opaque);
    match execution.pre.iter().find(|o| is_opaque(o)) {
        Some(object) => Err(format!("the input {} has no state that is shown", object.label)),
        None => Ok(()),
    }
}

/// The methods that are known to be wrong.
fn violated(program: &Program, results: &[MethodResult]) -> BTreeSet<MethodId> {
    let mut found = BTreeSet::new();
    for result in results {
        if let Verdict::Violated(violations) = &result.verdict {
            for execution in violations.iter().map(|v| &v.execution) {
                let class = program.class(program.class_id(&execution.class)).ok();
                found.extend(class.and_then(|class| {
                    program.declared_method(class, &execution.method, &execution.descriptor)
                }));
            }
        }
    }
    found
}

/// Whether a violated clause names a ghost field, which no test can set.
fn reads_ghosts(project: &Project, violation: &Violation) -> bool {
    let Some(clause) = &violation.clause else {
        return false;
    };
    let ghosts = project.contracts.classes.values().flat_map(|c| &c.ghosts);
    let is_word = |c: char| c.is_alphanumeric() || c == '_' || c == '$';
    let words: BTreeSet<&str> = clause.text.split(|c| !is_word(c)).collect();
    ghosts.map(|g| project.program.field(g.0)).any(|field| words.contains(field.name.as_str()))
}

/// Whether reflection may write the fields that are left to it.
fn can_be_set(access: Access<'_>, execution: &Execution, plan: &Plan) -> Result<(), String> {
    for (index, field) in &plan.assignments {
        let Some(class) = access.class(&field.class) else {
            continue;
        };
        if class.is_record || !class.is_given() {
            let label = &execution.pre[*index].label;
            return Err(format!("no constructor leads to the input {label}"));
        }
    }
    Ok(())
}

fn method_of<'p>(access: Access<'p>, execution: &Execution) -> Option<&'p Method> {
    let class = access.class(&execution.class)?;
    let id = access.program.declared_method(class, &execution.method, &execution.descriptor)?;
    Some(access.program.method(id))
}

/// The call as an expression.
fn call(builder: &mut Builder<'_, '_>, execution: &Execution, method: &Method) -> String {
    let access = builder.values.access;
    let class = access.name(&execution.class);
    let is_constructor = execution.method == "<init>";
    let values: Vec<Datum> = execution.arguments.iter().map(|a| a.1).collect();
    let nameable = |d: &Datum| match d {
        Datum::Object(i) => access.name(&execution.pre[*i].class).is_some(),
        _ => true,
    };
    let is_inner = access.class(&execution.class).is_some_and(|c| c.is_inner);
    let plain = access.can_call(method)
        && values.iter().chain(&execution.receiver).all(nameable)
        && !(is_constructor && is_inner)
        && is_selected(access, execution, method);
    if let (true, Some(class)) = (plain, &class) {
        let arguments = builder.arguments(method, &values);
        return match (is_constructor, execution.is_static, execution.receiver) {
            (true, _, _) => format!("new {class}({arguments})"),
            (_, false, Some(receiver)) => {
                format!("{}.{}({arguments})", builder.values.expression(receiver), method.name)
            }
            _ => format!("{class}.{}({arguments})", method.name),
        };
    }
    let owner = builder.values.class(&execution.class);
    let receiver = execution.receiver.filter(|_| !is_constructor);
    let receiver = receiver.map_or("null".into(), |r| builder.values.expression(r));
    let types: Vec<String> = method
        .params
        .iter()
        .map(|ty| builder.values.class(access.program.type_name(*ty)))
        .collect();
    let mut call = format!(
        "JarositeHeap.call({owner}, {receiver}, \"{}\", new Class<?>[] {{{}}}",
        method.name,
        types.join(", ")
    );
    for value in values {
        let cast = if value == Datum::Null { "(Object) " } else { "" };
        call.push_str(&format!(", {cast}{}", builder.values.expression(value)));
    }
    call.push(')');
    call
}

/// Whether a call on the receiver runs this method and no other that overrides it.
fn is_selected(access: Access<'_>, execution: &Execution, method: &Method) -> bool {
    match execution.receiver {
        Some(Datum::Object(index)) if &*method.name != "<init>" => {
            let class = access.program.class_id(&execution.pre[index].class);
            access.program.select(method.id, class).is_ok_and(|m| m == method.id)
        }
        _ => true,
    }
}

/// What follows the input.
struct Body<'a, 'p> {
    violation: &'a Violation,
    access: Access<'p>,
    math: Math,
    method: &'p Method,
    call: String,
}

impl Body<'_, '_> {
    fn statements(&self, builder: &mut Builder<'_, '_>) -> Result<Vec<String>, String> {
        let message = report::java::string_literal(
            &self.violation.message.encode_utf16().collect::<Vec<_>>(),
            300,
            false,
        );
        let execution = &self.violation.execution;
        let call = &self.call;
        match (&execution.outcome, &self.violation.clause) {
            (Outcome::Threw { class, .. }, None) => {
                let class = self.access.name(class).unwrap_or(class.replace('$', "."));
                let mut lines = std::mem::take(&mut builder.statements);
                lines.extend([
                    "try {".to_string(),
                    format!("    {call};"),
                    format!("}} catch ({class} bug) {{"),
                    format!("    fail({message}, bug);"),
                ]);
                if !["RuntimeException", "Exception", "Throwable"].contains(&class.as_str()) {
                    lines.push("} catch (RuntimeException rejected) {".into());
                    lines.push("    // To refuse this input in another way is no bug.".into());
                }
                lines.push("}".into());
                Ok(lines)
            }
            (Outcome::Returned(_), None) => Err("it ends without an exception".into()),
            (Outcome::Repeats { .. }, _) => {
                let mut lines = std::mem::take(&mut builder.statements);
                lines.push("assertTimeoutPreemptively(Duration.ofSeconds(1),".into());
                lines.push(format!("    () -> {{ {call}; }},"));
                lines.push(format!("    {message});"));
                Ok(lines)
            }
            (Outcome::Returned(value), Some(broken)) => {
                // A constructor returns nothing, but its object is what clauses are about.
                let created = execution.receiver.filter(|_| execution.method == "<init>");
                let value = &created.or(*value);
                let mut lines = std::mem::take(&mut builder.statements);
                // Java's numbers wrap; where those of the clause do not, it cannot say the same.
                let checked = match computes_as_java(broken, self.math) {
                    true => clause::translate(self.violation, broken, self.method, builder),
                    false => None,
                };
                if let Some(checked) = &checked {
                    lines.extend(checked.before.iter().cloned());
                }
                let reads_result = checked.as_ref().is_none_or(|c| c.reads_result);
                match (value, self.result_type()) {
                    (Some(_), Some(ty)) if reads_result => lines.push(self.result(&ty)),
                    _ => lines.push(format!("{call};")),
                }
                match checked {
                    Some(checked) => {
                        lines.push(format!("assertTrue({},", checked.condition));
                        lines.push(format!("    {message});"));
                    }
                    None => {
                        let same = ending::conditions(&builder.values, execution, *value)
                            .ok_or("the end has a state that is not shown")?;
                        lines.extend(not_as_found(&same, &message));
                    }
                }
                Ok(lines)
            }
            (Outcome::Threw { class, .. }, Some(_)) => {
                let class = self.access.name(class).unwrap_or(class.replace('$', "."));
                let mut same = vec![format!("thrown instanceof {class}")];
                let end = ending::conditions(&builder.values, execution, None);
                same.extend(end.ok_or("the end has a state that is not shown")?);
                let mut lines = std::mem::take(&mut builder.statements);
                lines.extend([
                    "Throwable thrown = null;".to_string(),
                    "try {".into(),
                    format!("    {call};"),
                    "} catch (Throwable t) {".into(),
                    "    thrown = t;".into(),
                    "}".into(),
                ]);
                lines.extend(not_as_found(&same, &message));
                Ok(lines)
            }
        }
    }

    fn result_type(&self) -> Option<String> {
        let named = match self.method.result {
            Some(ty) => self.access.type_name(ty),
            None if &*self.method.name == "<init>" => {
                self.access.name(&self.violation.execution.class)
            }
            None => return None,
        };
        Some(named.unwrap_or("Object".into()))
    }

    fn result(&self, ty: &str) -> String {
        match self.call.starts_with("JarositeHeap.") {
            true => format!("{ty} result = ({ty}) {};", self.call),
            false => format!("{ty} result = {};", self.call),
        }
    }
}

/// Whether numbers in a clause are those of Java: nothing in its file says otherwise.
fn computes_as_java(clause: &ViolatedClause, math: Math) -> bool {
    let says_otherwise = |text: String| text.contains("bigint") || text.contains("safe_math");
    let file = crate::files::read_to_string(Path::new(&clause.file));
    match math {
        Math::Java => !file.is_ok_and(says_otherwise),
        Math::Bigint | Math::Safe => false,
    }
}

fn not_as_found(same: &[String], message: &str) -> Vec<String> {
    let all = match same.is_empty() {
        true => "true".to_string(),
        false => same.join("\n        && "),
    };
    vec![
        "// The clause is false of every end like this one.".to_string(),
        format!("assertFalse({all},"),
        format!("    {message});"),
    ]
}

fn class_text(violation: &Violation, package: &str, name: &str, statements: &[String]) -> String {
    let body = statements.join("\n").replace('\n', "\n        ");
    let asserted = ["assertFalse", "assertTimeoutPreemptively", "assertTrue", "fail"];
    let imports: String = asserted
        .iter()
        .filter(|a| body.contains(&format!("{a}(")))
        .map(|a| format!("import static org.junit.jupiter.api.Assertions.{a};\n"))
        .collect();
    let used: String = ["java.time.Duration", "java.util.stream.IntStream"]
        .iter()
        .filter(|class| body.contains(&format!("{}.", ir::program::simple(class))))
        .map(|class| format!("import {class};\n"))
        .collect();
    let found = comment(&violation.message);
    let place = match violation.at.file.is_empty() {
        true => String::new(),
        false => format!("\n * {}, line {}.", comment(&violation.at.file), violation.at.line),
    };
    // Without this, `assert` does nothing in a JVM that was started without -ea.
    let enabled = match violation.property {
        Property::Assert => {
            let class = &violation.execution.class;
            let outer = class.split('$').next().unwrap_or(class);
            format!(
                "    static {{\n        {CLASS}.class.getClassLoader().setClassAssertionStatus(\"{outer}\", true);\n    }}\n\n"
            )
        }
        _ => String::new(),
    };
    let text = format!(
        "{imports}\n{used}import org.junit.jupiter.api.Test;\n\n\
         /**\n * Found by jarosite: {found}{place}\n */\n\
         class {CLASS} {{\n{enabled}    @Test\n    void {name}() throws Throwable {{\n        {body}\n    }}\n}}\n"
    );
    in_package(package, &text)
}

/// Text that cannot end a comment or be read as an escape.
fn comment(text: &str) -> String {
    let plain = |c: char| if c.is_ascii() && !c.is_control() { c } else { '?' };
    text.chars().map(plain).collect::<String>().replace("*/", "* /").replace('\\', "&#92;")
}
