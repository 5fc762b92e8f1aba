//! Declarations that only specifications have: model imports and model methods.

use crate::cursor::Cursor;
use crate::diagnostic::{Failure, Parse};
use crate::jml::ast::{Expr, Gap, Ident, Import, MethodSpec, ModelMethod, Modifier, TypeName};
use crate::jml::clause::semicolon;
use crate::jml::expr::expression;
use crate::jml::types;

/// `import static a.b.C.*;`
pub(crate) fn import(c: &mut Cursor<'_>) -> Parse<Import> {
    c.next();
    let is_static = c.eat("static");
    let mut path = c.expect_word("the name of a class or package")?.text.to_string();
    let mut on_demand = false;
    while c.eat(".") {
        c.check_length()?;
        if c.eat("*") {
            on_demand = true;
            break;
        }
        path.push('.');
        path.push_str(c.expect_word("a name after `.`")?.text);
    }
    semicolon(c, "import")?;
    Ok(Import { path, is_static, on_demand })
}

/// `T m(A a, B b) { return e; }`, behind its modifiers.
pub(crate) fn model_method(
    c: &mut Cursor<'_>,
    modifiers: Vec<Modifier>,
    spec: MethodSpec,
) -> Parse<ModelMethod> {
    types::arguments(c)?;
    let ty = types::type_name(c)?;
    if c.is("(") {
        return Err(Failure::new(ty.span, "constructors cannot be model methods"));
    }
    let name = types::ident(c, "the name of the method")?;
    let parameters = parameters(c)?;
    if c.eat("throws") {
        types::type_name(c)?;
        while c.eat(",") {
            types::type_name(c)?;
        }
    }
    let body = body(c)?;
    Ok(ModelMethod { modifiers, ty, name, parameters, body, spec })
}

fn parameters(c: &mut Cursor<'_>) -> Parse<Vec<(TypeName, Ident)>> {
    c.expect("(", "after the name of the method")?;
    let mut parameters = Vec::new();
    while !c.is(")") {
        c.check_length()?;
        while matches!(c.peek().text, "final" | "nullable" | "non_null") {
            c.next();
        }
        let mut ty = types::type_name(c)?;
        ty.dimensions += usize::from(c.eat("..."));
        let name = types::ident(c, "the name of a parameter")?;
        ty.dimensions += types::dimensions(c);
        parameters.push((ty, name));
        if !c.eat(",") {
            break;
        }
    }
    c.expect(")", "after the parameters")?;
    Ok(parameters)
}

/// What a body returns that is a single `return`.
fn body(c: &mut Cursor<'_>) -> Parse<Result<Expr, Gap>> {
    if c.eat(";") {
        return Ok(Err(Gap::Unsupported("model method without a body".into())));
    }
    if !(c.is("{") && c.peek_at(1).is("return")) {
        return skipped(c);
    }
    let mark = c.mark();
    c.next();
    c.next();
    let returned = expression(c)?;
    semicolon(c, "value that is returned")?;
    if c.eat("}") {
        return Ok(Ok(returned));
    }
    c.rewind(mark);
    skipped(c)
}

fn skipped(c: &mut Cursor<'_>) -> Parse<Result<Expr, Gap>> {
    if !c.is("{") {
        return Err(c.unexpected("the body of the method"));
    }
    let open = c.peek().span;
    if !c.skip_balanced() {
        return Err(Failure::new(open, "this `{` is never closed"));
    }
    Ok(Err(Gap::Unsupported("model method of more than one `return`".into())))
}
