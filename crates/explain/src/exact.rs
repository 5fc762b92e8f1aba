//! Whether the text of a condition (`print`) is C that means exactly the same.
//!
//! Texts are for people and leave conversions out. Another program that reads one takes C's own:
//! so a text counts only where these change nothing. What is not surely the same is not.

use crate::program::Space;
use crate::term::{Binary, Term, TermId, Terms, Unary};

/// How C reads the words of an expression.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Sign {
    Signed,
    Unsigned,
    /// A constant that both read alike.
    Either,
}

/// Whether a condition on variables of the program is written as C has it.
pub fn is_c(terms: &Terms, space: &Space, condition: TermId) -> bool {
    match terms.get(condition) {
        Term::Unary { operation: Unary::Not, of } => is_c(terms, space, of),
        Term::Choose { condition, yes, no } => {
            let truth = |id| terms.constant(id).is_some() || is_c(terms, space, id);
            terms.width(yes) == 1 && is_c(terms, space, condition) && truth(yes) && truth(no)
        }
        Term::Binary { operation, left, right } => {
            let signs = both(sign(terms, space, left), sign(terms, space, right));
            match (operation, signs) {
                (_, None) => false,
                (Binary::Equal, Some(_)) => true,
                (Binary::LessSigned, Some(sign)) => sign != Sign::Unsigned,
                (Binary::LessUnsigned, Some(sign)) => sign == Sign::Unsigned,
                _ => false,
            }
        }
        _ => false,
    }
}

fn both(a: Option<Sign>, b: Option<Sign>) -> Option<Sign> {
    match (a?, b?) {
        (Sign::Either, other) | (other, Sign::Either) => Some(other),
        (a, b) => (a == b).then_some(a),
    }
}

/// How C reads a word; `None` if it would read another one.
fn sign(terms: &Terms, space: &Space, word: TermId) -> Option<Sign> {
    let width = terms.width(word);
    match terms.get(word) {
        Term::Number { value, .. } => {
            let fits = value < 1 << (width.min(32) - 1);
            Some(if fits { Sign::Either } else { Sign::Signed })
        }
        Term::Variable { variable, .. } => {
            let variable = space.variable(variable);
            let sign = if variable.unsigned { Sign::Unsigned } else { Sign::Signed };
            // A narrow one becomes an `int` of the same value, whatever it is compared with.
            (!variable.made_up && width >= 32).then_some(sign)
        }
        Term::Binary { operation, left, right } if width >= 32 => {
            let sign = both(sign(terms, space, left), sign(terms, space, right))?;
            let wraps = matches!(operation, Binary::Add | Binary::Sub | Binary::Mul);
            let exact = matches!(operation, Binary::AddExact | Binary::SubExact | Binary::MulExact);
            let bits = matches!(operation, Binary::And | Binary::Or | Binary::Xor);
            let fits = bits || wraps && sign == Sign::Unsigned || exact && sign != Sign::Unsigned;
            fits.then_some(sign)
        }
        _ => None,
    }
}
