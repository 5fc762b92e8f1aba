//! The end of an execution as a condition in Java: true if and only if a run ends as the
//! counterexample did.
//!
//! The input is the same, so whatever ends like this violates the clause as well: the condition
//! says of every object that the end knows of what the clause could see.

use std::collections::{BTreeMap, VecDeque};

use encode::execution::{Content, Datum, Execution, FieldDatum};

use super::access::Access;
use super::values::{Values, primitive};

/// An expression and what the source takes it for.
#[derive(Clone)]
struct Path {
    text: String,
    seen: Seen,
}

#[derive(Clone, PartialEq)]
enum Seen {
    /// An `Object`, also where it is a number.
    AsObject,
    /// Something of the declared type, which may be more general than the object's class.
    AsDeclared,
    /// An object of this class.
    As(String),
}

pub(super) struct Ending<'a, 'p> {
    access: Access<'p>,
    values: &'a Values<'a, 'p>,
    execution: &'a Execution,
    conditions: Vec<String>,
    /// Where each object was met first.
    met: BTreeMap<usize, Path>,
    waiting: VecDeque<usize>,
}

/// All conditions, for a test in which `result` holds what the method returned. `None` if the
/// end holds something that no test can look at.
pub(super) fn conditions(
    values: &Values<'_, '_>,
    execution: &Execution,
    result: Option<Datum>,
) -> Option<Vec<String>> {
    let mut ending = Ending {
        access: values.access,
        values,
        execution,
        conditions: Vec::new(),
        met: BTreeMap::new(),
        waiting: VecDeque::new(),
    };
    for (index, name) in &values.variables {
        let object = execution.post.get(*index)?;
        let seen = match values.access.name(&object.class) {
            Some(_) => Seen::As(object.class.clone()),
            None => Seen::AsObject,
        };
        ending.met.insert(*index, Path { text: name.clone(), seen });
        ending.waiting.push_back(*index);
    }
    if let Some(value) = result {
        ending.equal(Path { text: "result".into(), seen: Seen::AsDeclared }, value)?;
    }
    for field in &execution.post_statics {
        let path = ending.static_field(field);
        ending.equal(path, field.value)?;
    }
    while let Some(index) = ending.waiting.pop_front() {
        ending.object(index)?;
    }
    Some(ending.conditions)
}

impl Ending<'_, '_> {
    fn static_field(&self, field: &FieldDatum) -> Path {
        let text = match self.access.can_read(&field.class, &field.name) {
            true => {
                format!("{}.{}", self.access.name(&field.class).unwrap_or_default(), field.name)
            }
            false => {
                let class = self.values.class(&field.class);
                let text = format!("JarositeHeap.get({class}, null, \"{}\")", field.name);
                return Path { text, seen: Seen::AsObject };
            }
        };
        Path { text, seen: Seen::AsDeclared }
    }

    /// Says what all slots of an object hold.
    fn object(&mut self, index: usize) -> Option<()> {
        let path = self.met[&index].clone();
        match &self.execution.post.get(index)?.content {
            Content::Fields(fields) => {
                for field in fields {
                    // Nobody can look into the objects of the JDK.
                    if !self.access.class(&field.class)?.is_given() {
                        return None;
                    }
                    let slot = self.field(&path, index, field);
                    self.equal(slot, field.value)?;
                }
            }
            Content::Array(elements) => {
                let class = &self.execution.post[index].class;
                let name = self.access.name(class)?;
                let text = match path.seen {
                    Seen::As(_) => path.text,
                    Seen::AsObject | Seen::AsDeclared => format!("(({name}) {})", path.text),
                };
                self.conditions.push(format!("{text}.length == {}", elements.len()));
                for (number, element) in elements.iter().enumerate() {
                    let text = format!("{text}[{number}]");
                    let slot = Path { text, seen: Seen::AsDeclared };
                    self.equal(slot, *element)?;
                }
            }
            // Found equal where they were met.
            Content::Text { .. }
            | Content::Box { .. }
            | Content::Constant { .. }
            | Content::Mirror(_)
            | Content::Opaque => {}
        }
        Some(())
    }

    /// How a field is read.
    fn field(&self, path: &Path, index: usize, field: &FieldDatum) -> Path {
        let class = &self.execution.post[index].class;
        let is_hidden = *class != field.class && self.access.field(class, &field.name).is_some();
        if is_hidden {
            let owner = self.values.class(&field.class);
            let text = format!("JarositeHeap.get({owner}, {}, \"{}\")", path.text, field.name);
            return Path { text, seen: Seen::AsObject };
        }
        if !self.access.can_read(&field.class, &field.name) {
            let text = format!("JarositeHeap.get({}, \"{}\")", path.text, field.name);
            return Path { text, seen: Seen::AsObject };
        }
        let text = match (path.seen == Seen::As(class.clone()), self.access.name(&field.class)) {
            (false, Some(owner)) => format!("(({owner}) {}).{}", path.text, field.name),
            (_, _) => format!("{}.{}", path.text, field.name),
        };
        Path { text, seen: Seen::AsDeclared }
    }

    /// Says that an expression has a value.
    fn equal(&mut self, path: Path, value: Datum) -> Option<()> {
        let Path { text, seen } = &path;
        let is_object = *seen == Seen::AsObject;
        let condition = match value {
            Datum::Null => format!("{text} == null"),
            Datum::Object(index) => return self.same_object(path, index),
            Datum::Float(_) => format!("Float.compare((float) {text}, {}) == 0", primitive(value)),
            Datum::Double(_) => {
                format!("Double.compare((double) {text}, {}) == 0", primitive(value))
            }
            Datum::Boolean(true) if !is_object => text.clone(),
            Datum::Boolean(false) if !is_object => format!("!{text}"),
            _ if is_object => format!("({}) {text} == {}", keyword(value), primitive(value)),
            _ => format!("{text} == {}", primitive(value)),
        };
        self.conditions.push(condition);
        Some(())
    }

    fn same_object(&mut self, path: Path, index: usize) -> Option<()> {
        if let Some(known) = self.met.get(&index) {
            self.conditions.push(format!("{} == {}", path.text, known.text));
            return Some(());
        }
        let object = self.execution.post.get(index)?;
        match &object.content {
            Content::Text { .. } | Content::Box { .. } => {
                let shared = self.values.literal(object);
                let literal = shared.strip_prefix("new String(").and_then(|l| l.strip_suffix(')'));
                let literal = literal.unwrap_or(&shared);
                self.conditions.push(format!("{literal}.equals({})", path.text));
            }
            Content::Constant { .. } | Content::Mirror(_) => {
                self.conditions.push(format!("{} == {}", path.text, self.values.literal(object)));
            }
            Content::Fields(_) | Content::Array(_) => {
                match self.access.name(&object.class) {
                    Some(name) => {
                        self.conditions.push(format!("{} instanceof {name}", path.text));
                    }
                    None => self.conditions.push(format!("{} != null", path.text)),
                }
                self.met.insert(index, path);
                self.waiting.push_back(index);
            }
            Content::Opaque => return None,
        }
        Some(())
    }
}

fn keyword(value: Datum) -> &'static str {
    match value {
        Datum::Boolean(_) => "boolean",
        Datum::Byte(_) => "byte",
        Datum::Char(_) => "char",
        Datum::Short(_) => "short",
        Datum::Int(_) => "int",
        Datum::Long(_) => "long",
        Datum::Float(_) => "float",
        Datum::Double(_) => "double",
        Datum::Null | Datum::Object(_) => "Object",
    }
}
