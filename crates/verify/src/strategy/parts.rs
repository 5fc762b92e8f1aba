//! Splitting: a method that is too hard as a whole is checked part by part (Shao et al., section 4).
//!
//! The parts are sets of paths of the computation graph, found by `ir::split`. They are independent of each
//! other.
//!
//! Where nobody has said how many parts there are to be, a part that turns out to be hard is divided again, on
//! the graph of its own run, in which more is known to be impossible. And nobody knows whether dividing pays. So
//! it is asked first how much is left of each part, and then the whole and its parts take turns.
//!
//! Where calls are abstracted, each part refines them for itself: what mattered about a call is what mattered
//! to any part.

use std::collections::VecDeque;

use encode::graph::{Part, Wanted};

use super::pieces::{Piece, Work};
use crate::check::Check;
use crate::options::Tuning;

/// Parts that there are at most if nobody has said how many.
const MOST: usize = 64;

/// How many parts there are to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Wish {
    So(u32),
    /// As many as pay, if any do.
    AsNeeded,
}

/// Whether the whole may give way to its parts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Parts {
    #[default]
    Never,
    /// If looking ahead tells that it pays, which nobody has asked yet.
    IfTheyPay,
    /// Somebody has asked.
    Asked,
}

impl Parts {
    /// What may be spent on the whole before it is asked whether dividing it pays, if that is still to be asked.
    pub fn after(&self, check: &Check<'_>) -> Option<u64> {
        // What a sample has suggested is not proven yet.
        let is_exact = check.solving.borrow().supposing.is_none();
        (*self == Parts::IfTheyPay && is_exact).then_some(check.setting.options.tuning.patience)
    }

    /// Parts that are plainly smaller than the whole, if there are any.
    pub fn that_pay(&mut self, check: &Check<'_>) -> Option<Vec<Part>> {
        self.after(check)?;
        *self = Parts::Asked;
        let Tuning { measure, smaller, .. } = check.setting.options.tuning;
        let parts = check.engine.divide(Wanted::Smallest(MOST), measure);
        let pays = parts.len() > 1 && parts.iter().all(|part| part.left <= smaller);
        pays.then_some(parts)
    }
}

/// So many parts of the last run.
pub(crate) fn divide(check: &Check<'_>, wanted: u32) -> Vec<Part> {
    check.engine.divide(Wanted::So(wanted as usize), check.setting.options.tuning.measure)
}

/// The parts as work to be done.
pub(crate) fn as_work(check: &Check<'_>, parts: Vec<Part>, conflicts: Option<u64>) -> Work {
    let paths = check.engine.graph().paths();
    let pieces: VecDeque<Piece> =
        parts.into_iter().map(|part| Piece::of_paths(part, paths)).collect();
    Work::new(pieces, check.findings.violated_goals(), conflicts)
}
