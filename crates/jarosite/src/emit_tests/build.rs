//! The statements that build the input of a test.

use std::collections::{BTreeMap, BTreeSet};

use encode::execution::{Content, Datum, Execution, FieldDatum};
use ir::Method;

use super::access::Access;
use super::plan::{Making, Plan, reachable};
use super::values::{Names, Values, decapitalised};

/// Writes one statement after the other.
pub(super) struct Builder<'a, 'p> {
    pub values: Values<'a, 'p>,
    pub names: Names,
    execution: &'a Execution,
    plan: &'a Plan,
    pub statements: Vec<String>,
    /// Objects that have a declaration, or are about to get one.
    begun: BTreeSet<usize>,
    /// Array elements that could not be given at once.
    elements: Vec<(usize, usize, Datum)>,
}

impl<'a, 'p> Builder<'a, 'p> {
    pub fn new(access: Access<'p>, execution: &'a Execution, plan: &'a Plan) -> Builder<'a, 'p> {
        let values = Values { access, objects: &execution.pre, variables: BTreeMap::new() };
        let mut builder = Builder {
            values,
            names: Names::default(),
            execution,
            plan,
            statements: Vec::new(),
            begun: BTreeSet::new(),
            elements: Vec::new(),
        };
        builder.name_objects();
        builder
    }

    /// Arguments have their parameter's name, the receiver and the others that of their class.
    fn name_objects(&mut self) {
        for taken in ["result", "thrown", "bug", "rejected"] {
            self.names.take(taken);
        }
        let execution = self.execution;
        let mut wishes: Vec<(usize, String)> = Vec::new();
        if let (Some(Datum::Object(index)), false) =
            (execution.receiver, execution.method == "<init>")
        {
            wishes.push((index, decapitalised(simple(&execution.pre[index].class))));
        }
        for (name, value) in &execution.arguments {
            if let Datum::Object(index) = value {
                wishes.push((*index, name.clone()));
            }
        }
        let uses = uses(execution);
        for (index, making) in &self.plan.makings {
            let object = &execution.pre[*index];
            wishes.push((*index, decapitalised(&object.label.replace("[]", "s").replace('#', ""))));
            let is_inline = match &object.content {
                Content::Constant { .. } | Content::Mirror(_) => true,
                Content::Text { interned: shared, .. } | Content::Box { cached: shared, .. } => {
                    *shared || uses.get(index).copied().unwrap_or(0) < 2
                }
                Content::Fields(_) | Content::Array(_) | Content::Opaque => false,
            };
            if !is_inline && !matches!(making, Making::Hidden) {
                let wish = wishes.iter().find(|w| w.0 == *index).map(|w| w.1.clone());
                let name = self.names.take(&wish.unwrap_or_default());
                self.values.variables.insert(*index, name);
            }
        }
    }

    /// Builds everything; then sets what is still to be set.
    pub fn build(&mut self) {
        let indices: Vec<usize> = self.values.variables.keys().copied().collect();
        for index in indices {
            self.declare(index);
        }
        for (index, field) in &self.plan.assignments {
            let statement = self.assignment(*index, field);
            self.statements.push(statement);
        }
        for (array, element, value) in std::mem::take(&mut self.elements) {
            let name = &self.values.variables[&array];
            let statement = format!("{name}[{element}] = {};", self.values.expression(value));
            self.statements.push(statement);
        }
        for field in &self.execution.statics {
            let statement = self.static_assignment(field);
            self.statements.push(statement);
        }
    }

    fn declare(&mut self, index: usize) {
        if !self.values.variables.contains_key(&index) || !self.begun.insert(index) {
            return;
        }
        let object = &self.execution.pre[index];
        let class = self.values.access.name(&object.class);
        let (ty, value) = match (&self.plan.makings.get(&index), &object.content) {
            (Some(Making::New { constructor, arguments, calls }), _) => {
                let constructor = self.values.access.program.method(*constructor);
                let class = class.unwrap_or("Object".into());
                let made = format!("new {class}({})", self.arguments(constructor, arguments));
                self.push_declaration(index, &class, &made);
                for (method, arguments) in calls {
                    let method = self.values.access.program.method(*method);
                    let arguments = self.arguments(method, arguments);
                    let name = &self.values.variables[&index];
                    self.statements.push(format!("{name}.{}({arguments});", method.name));
                }
                return;
            }
            (_, Content::Array(elements)) => self.array(index, &object.class, elements),
            (_, Content::Text { .. } | Content::Box { .. }) => {
                (class.unwrap_or("Object".into()), self.values.literal(object))
            }
            _ => {
                let made = format!("JarositeHeap.make({})", self.values.class(&object.class));
                (class.unwrap_or("Object".into()), made)
            }
        };
        self.push_declaration(index, &ty, &value);
    }

    fn push_declaration(&mut self, index: usize, ty: &str, value: &str) {
        let name = &self.values.variables[&index];
        self.statements.push(format!("{ty} {name} = {value};"));
    }

    /// An array with what it holds; elements that lead back to it come later.
    fn array(&mut self, index: usize, class: &str, elements: &[Datum]) -> (String, String) {
        let mut given = Vec::new();
        for (number, element) in elements.iter().enumerate() {
            if let Datum::Object(to) = element {
                if reachable(&self.execution.pre, [*to]).contains(&index) {
                    self.elements.push((index, number, *element));
                    given.push("null".to_string());
                    continue;
                }
                self.declare(*to);
            }
            given.push(self.values.expression(*element));
        }
        let given = given.join(", ");
        match self.values.access.name(class) {
            Some(name) => (name.clone(), format!("new {name} {{{given}}}")),
            None => {
                let element = class.strip_suffix("[]").unwrap_or(class);
                let element = self.values.class(element);
                ("Object".into(), format!("JarositeHeap.array({element}, {given})"))
            }
        }
    }

    /// Arguments of a call; what they need is declared before.
    pub fn arguments(&mut self, method: &Method, arguments: &[Datum]) -> String {
        let is_overloaded = self.values.access.is_overloaded(method);
        let mut written = Vec::new();
        for (ty, value) in method.params.iter().zip(arguments) {
            if let Datum::Object(index) = value {
                self.declare(*index);
            }
            let mut text = self.values.expression(*value);
            if *value == Datum::Null
                && (is_overloaded || method.is_varargs)
                && let Some(ty) = self.values.access.type_name(*ty)
            {
                text = format!("({ty}) null");
            }
            written.push(text);
        }
        written.join(", ")
    }

    fn assignment(&self, index: usize, field: &FieldDatum) -> String {
        let name = &self.values.variables[&index];
        let value = self.values.expression(field.value);
        let access = &self.values.access;
        let class = &self.execution.pre[index].class;
        let is_hidden = access.field(class, &field.name).is_some() && *class != field.class;
        if is_hidden {
            let class = self.values.class(&field.class);
            return format!("JarositeHeap.set({class}, {name}, \"{}\", {value});", field.name);
        }
        // A variable of a class that cannot be named is an `Object`.
        match access.can_write(&field.class, &field.name)
            && access.name(class).is_some()
            && self.has_static_type(field)
        {
            true => format!("{name}.{} = {value};", field.name),
            false => format!("JarositeHeap.set({name}, \"{}\", {value});", field.name),
        }
    }

    /// Whether the variable for the value can be assigned to the field without reflection.
    fn has_static_type(&self, field: &FieldDatum) -> bool {
        match field.value {
            Datum::Object(index) => self
                .execution
                .pre
                .get(index)
                .is_some_and(|object| self.values.access.name(&object.class).is_some()),
            _ => true,
        }
    }

    fn static_assignment(&self, field: &FieldDatum) -> String {
        let value = self.values.expression(field.value);
        let access = &self.values.access;
        match (access.can_write(&field.class, &field.name), access.name(&field.class)) {
            (true, Some(class)) => format!("{class}.{} = {value};", field.name),
            _ => {
                let class = self.values.class(&field.class);
                format!("JarositeHeap.set({class}, null, \"{}\", {value});", field.name)
            }
        }
    }
}

/// `p.Outer$Inner` → `Inner`.
fn simple(class: &str) -> &str {
    class.rsplit(['.', '$']).next().unwrap_or(class)
}

/// How often each object is referred to.
fn uses(execution: &Execution) -> BTreeMap<usize, usize> {
    let mut uses = BTreeMap::new();
    let fields = execution.pre.iter().flat_map(|o| match &o.content {
        Content::Fields(fields) => fields.iter().map(|f| f.value).collect(),
        Content::Array(elements) => elements.clone(),
        _ => Vec::new(),
    });
    let arguments = execution.arguments.iter().map(|a| a.1);
    let statics = execution.statics.iter().map(|f| f.value);
    for datum in fields.chain(arguments).chain(statics).chain(execution.receiver) {
        if let Datum::Object(index) = datum {
            *uses.entry(index).or_default() += 1;
        }
    }
    uses
}
