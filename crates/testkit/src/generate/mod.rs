//! Random Java: methods that always end, over a small world of classes.
//!
//! A unit is a package: the world, and a class `Main` with the methods. Every statement stands on
//! lines of its own and depends on no other, so that any may be dropped when a failure is shrunk.

mod collections;
mod expression;
pub mod random;
mod references;
mod statement;
mod types;
mod world;

use std::fmt::Write;

use self::expression::Writer;
use self::random::Random;
use self::types::Kind;

/// A statement, in lines.
#[derive(Clone, Debug)]
pub enum Statement {
    Line(String),
    /// Opening lines with what follows each, and the closing line.
    Block(Vec<(String, Vec<Statement>)>, String),
}

/// A method of `Main`.
#[derive(Clone, Debug)]
pub struct Method {
    pub name: String,
    header: String,
    locals: Vec<String>,
    pub body: Vec<Statement>,
    result: String,
}

/// A package of generated code.
#[derive(Clone, Debug)]
pub struct Unit {
    pub package: String,
    world: String,
    pub methods: Vec<Method>,
}

impl Unit {
    /// A unit of `count` methods.
    pub fn random(seed: u64, package: String, count: usize) -> Unit {
        let mut random = Random::new(seed);
        let world = world::write(&mut random);
        let methods = (0..count).map(|n| method(&mut random, n)).collect();
        Unit { package, world, methods }
    }

    /// The same world with one method only.
    pub fn with_only(&self, package: String, method: Method) -> Unit {
        Unit { package, world: self.world.clone(), methods: vec![method] }
    }

    /// The whole file.
    pub fn source(&self) -> String {
        let mut text = format!("package {};\n\n{}", self.package, self.world);
        text.push_str(world::MAIN_OPENING);
        for method in &self.methods {
            text.push_str(&method.source());
        }
        text.push_str("}\n");
        text
    }
}

impl Method {
    pub fn source(&self) -> String {
        let mut text = format!("\n    {} {{\n", self.header);
        for local in &self.locals {
            let _ = writeln!(text, "        {local}");
        }
        print(&self.body, 2, &mut text);
        let _ = writeln!(text, "        {}\n    }}", self.result);
        text
    }

    /// The method with one statement less, for each of them.
    pub fn smaller(&self) -> Vec<Method> {
        let smaller_bodies = without_one(&self.body);
        smaller_bodies.into_iter().map(|body| Method { body, ..self.clone() }).collect()
    }
}

fn print(body: &[Statement], depth: usize, text: &mut String) {
    let indent = "    ".repeat(depth);
    for statement in body {
        match statement {
            Statement::Line(line) => {
                let _ = writeln!(text, "{indent}{line}");
            }
            Statement::Block(parts, end) => {
                for (opening, inner) in parts {
                    let _ = writeln!(text, "{indent}{opening}");
                    print(inner, depth + 1, text);
                }
                let _ = writeln!(text, "{indent}{end}");
            }
        }
    }
}

fn without_one(body: &[Statement]) -> Vec<Vec<Statement>> {
    let mut found = Vec::new();
    for at in 0..body.len() {
        let mut shorter = body.to_vec();
        shorter.remove(at);
        found.push(shorter);
        let Statement::Block(parts, end) = &body[at] else {
            continue;
        };
        for (part, (_, inner)) in parts.iter().enumerate() {
            for smaller in without_one(inner) {
                let mut parts = parts.clone();
                parts[part].1 = smaller;
                let mut changed = body.to_vec();
                changed[at] = Statement::Block(parts, end.clone());
                found.push(changed);
            }
        }
    }
    found
}

fn method(random: &mut Random, number: usize) -> Method {
    let name = format!("m{number}");
    let is_static = !random.one_in(4);
    let mut writer = Writer::new(random, is_static);
    let mut parameters = Vec::new();
    for index in 0..1 + writer.random.below(4) {
        let kind = *writer.random.pick(&Kind::PARAMETERS);
        let name = format!("p{index}");
        parameters.push(format!("{} {name}", kind.java()));
        writer.declare(name, kind);
    }
    let mut locals = Vec::new();
    for index in 0..2 + writer.random.below(3) {
        let kind = *writer.random.pick(&Kind::LOCALS);
        let name = format!("v{index}");
        let value = writer.simple(kind);
        locals.push(format!("{} {name} = {value};", kind.java()));
        writer.declare(name, kind);
    }
    let result = *writer.random.pick(&Kind::RESULTS);
    writer.result = Some(result);
    let length = 2 + writer.random.below(5);
    let body = writer.statements(length, 2);
    let value = writer.value(result, 2);
    let header = format!(
        "{}{} {name}({})",
        if is_static { "static " } else { "" },
        result.java(),
        parameters.join(", ")
    );
    Method { name, header, locals, body, result: format!("return {value};") }
}
