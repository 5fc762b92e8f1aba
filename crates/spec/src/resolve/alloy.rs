//! Resolves Alloy-style formulas.

use crate::alloy::ast::Formula;
use crate::core::Term;
use crate::diagnostic::Diagnostic;
use crate::resolve::scope::Scope;

/// The meaning of a formula.
pub(crate) fn formula(
    _scope: &Scope<'_>,
    formula: &Formula,
    _next_bound: &mut u32,
) -> Result<Term, Diagnostic> {
    let message = "Alloy-style formulas are not resolved yet".to_string();
    Err(Diagnostic { span: formula.span, message, suggestion: None })
}
