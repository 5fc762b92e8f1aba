//! The vocabulary of JML: which word begins what, which are known but not supported, and which
//! one a misspelt word may have been meant to be.

use crate::diagnostic::did_you_mean;
use crate::jml::ast::ModifierKind;
use crate::lexer::{Token, TokenKind};

/// What a clause keyword begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Word {
    Requires,
    Ensures,
    Signals,
    SignalsOnly,
    Assignable,
    Also,
    NormalBehavior,
    ExceptionalBehavior,
    Behavior,
    Invariant,
    Initially,
    Constraint,
    Represents,
    Assert,
    Assume,
    Set,
    Unreachable,
    LoopInvariant,
    Decreases,
    LoopAssignable,
    Accessible,
    Callable,
    MeasuredBy,
    Old,
    In,
    Maps,
    Readable,
    Writable,
    /// A clause that is skipped up to its semicolon, and means nothing.
    Ignored,
    UnsupportedMethodClause,
    UnsupportedTypeClause,
    UnsupportedStatement,
}

const WORDS: [(&str, Word); 83] = [
    ("requires", Word::Requires),
    ("pre", Word::Requires),
    ("ensures", Word::Ensures),
    ("post", Word::Ensures),
    ("signals", Word::Signals),
    ("exsures", Word::Signals),
    ("signals_only", Word::SignalsOnly),
    ("assignable", Word::Assignable),
    ("modifies", Word::Assignable),
    ("modifiable", Word::Assignable),
    ("assigns", Word::Assignable),
    ("also", Word::Also),
    ("normal_behavior", Word::NormalBehavior),
    ("normal_behaviour", Word::NormalBehavior),
    ("exceptional_behavior", Word::ExceptionalBehavior),
    ("exceptional_behaviour", Word::ExceptionalBehavior),
    ("behavior", Word::Behavior),
    ("behaviour", Word::Behavior),
    ("model_behavior", Word::Behavior),
    ("model_behaviour", Word::Behavior),
    ("invariant", Word::Invariant),
    ("initially", Word::Initially),
    ("constraint", Word::Constraint),
    ("represents", Word::Represents),
    ("assert", Word::Assert),
    ("assume", Word::Assume),
    ("set", Word::Set),
    ("unreachable", Word::Unreachable),
    ("loop_invariant", Word::LoopInvariant),
    ("maintaining", Word::LoopInvariant),
    ("decreases", Word::Decreases),
    ("decreasing", Word::Decreases),
    ("loop_decreases", Word::Decreases),
    ("loop_variant", Word::Decreases),
    ("loop_modifies", Word::LoopAssignable),
    ("loop_assignable", Word::LoopAssignable),
    ("loop_assigns", Word::LoopAssignable),
    ("loop_writes", Word::LoopAssignable),
    ("nowarn", Word::Ignored),
    ("show", Word::Ignored),
    ("accessible", Word::Accessible),
    ("reads", Word::Accessible),
    ("breaks", Word::UnsupportedMethodClause),
    ("assignable_free", Word::UnsupportedMethodClause),
    ("callable", Word::Callable),
    ("captures", Word::UnsupportedMethodClause),
    ("choose", Word::UnsupportedMethodClause),
    ("choose_if", Word::UnsupportedMethodClause),
    ("continues", Word::UnsupportedMethodClause),
    ("determines", Word::UnsupportedMethodClause),
    ("diverges", Word::UnsupportedMethodClause),
    ("duration", Word::UnsupportedMethodClause),
    ("example", Word::UnsupportedMethodClause),
    ("exceptional_example", Word::UnsupportedMethodClause),
    ("extract", Word::UnsupportedMethodClause),
    ("for_example", Word::UnsupportedMethodClause),
    ("forall", Word::UnsupportedMethodClause),
    ("implies_that", Word::UnsupportedMethodClause),
    ("measured_by", Word::MeasuredBy),
    ("model_program", Word::UnsupportedMethodClause),
    ("normal_example", Word::UnsupportedMethodClause),
    ("old", Word::Old),
    ("ensures_free", Word::UnsupportedMethodClause),
    ("requires_free", Word::UnsupportedMethodClause),
    ("recommends", Word::UnsupportedMethodClause),
    ("returns", Word::UnsupportedMethodClause),
    ("separates", Word::UnsupportedMethodClause),
    ("when", Word::UnsupportedMethodClause),
    ("working_space", Word::UnsupportedMethodClause),
    ("axiom", Word::UnsupportedTypeClause),
    ("depends", Word::UnsupportedTypeClause),
    ("in", Word::In),
    ("initializer", Word::UnsupportedTypeClause),
    ("maps", Word::Maps),
    ("monitors_for", Word::UnsupportedTypeClause),
    ("readable", Word::Readable),
    ("static_initializer", Word::UnsupportedTypeClause),
    ("writable", Word::Writable),
    ("reachable", Word::UnsupportedStatement),
    ("debug", Word::UnsupportedStatement),
    ("hence_by", Word::UnsupportedStatement),
    ("refining", Word::UnsupportedStatement),
    ("halt", Word::UnsupportedStatement),
];

/// The clause that a token begins. What is stated redundantly is not supported.
pub(crate) fn word(token: &Token<'_>) -> Option<Word> {
    if token.kind != TokenKind::Word {
        return None;
    }
    let named = |text: &str| WORDS.iter().find(|(word, _)| *word == text).map(|&(_, word)| word);
    match token.text.strip_suffix("_redundantly") {
        Some(base) => named(base).map(redundant),
        None => named(token.text),
    }
}

fn redundant(word: Word) -> Word {
    match word {
        Word::Invariant
        | Word::Initially
        | Word::Constraint
        | Word::Represents
        | Word::In
        | Word::Maps
        | Word::Readable
        | Word::Writable
        | Word::UnsupportedTypeClause => Word::UnsupportedTypeClause,
        Word::Assert
        | Word::Assume
        | Word::Set
        | Word::Unreachable
        | Word::LoopInvariant
        | Word::Decreases
        | Word::LoopAssignable
        | Word::UnsupportedStatement => Word::UnsupportedStatement,
        Word::Requires
        | Word::Ensures
        | Word::Signals
        | Word::SignalsOnly
        | Word::Assignable
        | Word::Also
        | Word::NormalBehavior
        | Word::ExceptionalBehavior
        | Word::Behavior
        | Word::Accessible
        | Word::Callable
        | Word::MeasuredBy
        | Word::Old
        | Word::Ignored
        | Word::UnsupportedMethodClause => Word::UnsupportedMethodClause,
    }
}

const MODIFIERS: [(&str, ModifierKind); 29] = [
    ("public", ModifierKind::Public),
    ("protected", ModifierKind::Protected),
    ("private", ModifierKind::Private),
    ("static", ModifierKind::Static),
    ("final", ModifierKind::Final),
    ("abstract", ModifierKind::Abstract),
    ("pure", ModifierKind::Pure),
    ("strictly_pure", ModifierKind::Pure),
    ("spec_pure", ModifierKind::Pure),
    ("heap_free", ModifierKind::Pure),
    ("helper", ModifierKind::Helper),
    ("nullable", ModifierKind::Nullable),
    ("non_null", ModifierKind::NonNull),
    ("nonnull", ModifierKind::NonNull),
    ("nullable_by_default", ModifierKind::NullableByDefault),
    ("non_null_by_default", ModifierKind::NonNullByDefault),
    ("spec_public", ModifierKind::SpecPublic),
    ("spec_protected", ModifierKind::SpecProtected),
    ("spec_bigint_math", ModifierKind::SpecBigintMath),
    ("spec_java_math", ModifierKind::SpecJavaMath),
    ("spec_safe_math", ModifierKind::SpecSafeMath),
    ("code_java_math", ModifierKind::CodeJavaMath),
    ("code_bigint_math", ModifierKind::CodeBigintMath),
    ("code_safe_math", ModifierKind::CodeSafeMath),
    ("instance", ModifierKind::Instance),
    ("ghost", ModifierKind::Ghost),
    ("model", ModifierKind::Model),
    ("immutable", ModifierKind::Immutable),
    ("code", ModifierKind::Code),
];

/// Modifiers of JML that would change what a specification means, and are not supported.
const UNSUPPORTED_MODIFIERS: [&str; 14] = [
    "inline",
    "monitored",
    "no_state",
    "options",
    "peer",
    "query",
    "readonly",
    "rep",
    "secret",
    "skipesc",
    "skiprac",
    "transient",
    "two_state",
    "uninitialized",
];

pub(crate) fn modifier(token: &Token<'_>) -> Option<ModifierKind> {
    let named = || MODIFIERS.iter().find(|(text, _)| *text == token.text).map(|&(_, kind)| kind);
    (token.kind == TokenKind::Word).then(named).flatten()
}

pub(crate) fn is_unsupported_modifier(token: &Token<'_>) -> bool {
    token.kind == TokenKind::Word && UNSUPPORTED_MODIFIERS.contains(&token.text)
}

/// Whether a word begins a clause.
pub(crate) fn is_keyword(word: &str) -> bool {
    WORDS.iter().any(|(text, _)| *text == word)
}

/// Whether a word is a modifier of JML, supported or not.
pub(crate) fn is_modifier(word: &str) -> bool {
    let is_known = MODIFIERS.iter().any(|(text, _)| *text == word);
    is_known || UNSUPPORTED_MODIFIERS.contains(&word) || word == "extract"
}

/// Whether the token may begin a clause, a declaration or a specification case: where reading can
/// go on after a mistake.
pub(crate) fn begins_clause(token: &Token<'_>) -> bool {
    word(token).is_some() || modifier(token).is_some()
}

/// The keyword that a word at the beginning of a clause was meant to be.
pub(crate) fn meant_keyword(text: &str) -> Option<&'static str> {
    let words = WORDS.iter().map(|&(text, _)| text);
    did_you_mean(text, words.chain(MODIFIERS.iter().map(|&(text, _)| text)))
}

/// Whether a misspelt word was meant to begin a clause of the type around.
pub(crate) fn meant_for_type(text: &str) -> bool {
    let meant = WORDS.iter().find(|(word, _)| Some(*word) == meant_keyword(text));
    let of_types = [Word::Invariant, Word::Initially, Word::Constraint, Word::Represents];
    meant.is_some_and(|(_, word)| of_types.contains(word))
}

const SUPPORTED_BACKSLASH: [&str; 47] = [
    "\\result",
    "\\old",
    "\\pre",
    "\\forall",
    "\\exists",
    "\\num_of",
    "\\sum",
    "\\product",
    "\\min",
    "\\max",
    "\\fresh",
    "\\nonnullelements",
    "\\typeof",
    "\\type",
    "\\elemtype",
    "\\reach",
    "\\nothing",
    "\\everything",
    "\\not_specified",
    "\\such_that",
    "\\lblneg",
    "\\lblpos",
    "\\bigint",
    "\\real",
    "\\TYPE",
    "\\invariant_for",
    "\\static_invariant_for",
    "\\inv",
    "\\count",
    "\\index",
    "\\bsum",
    "\\not_modified",
    "\\not_assigned",
    "\\only_assigned",
    "\\only_accessed",
    "\\only_called",
    "\\strictly_nothing",
    "\\into",
    "\\disjoint",
    "\\empty",
    "\\intersect",
    "\\locset",
    "\\set_minus",
    "\\set_union",
    "\\singleton",
    "\\subset",
    "\\all_fields",
];

const UNSUPPORTED_BACKSLASH: [&str; 43] = [
    "\\by",
    "\\choose",
    "\\constraint_for",
    "\\declassifies",
    "\\distinct",
    "\\dl_",
    "\\duration",
    "\\elemof",
    "\\erases",
    "\\exception",
    "\\fields_of",
    "\\free",
    "\\from",
    "\\in_domain",
    "\\infinite_union",
    "\\is_initialized",
    "\\itself",
    "\\key",
    "\\let",
    "\\lockset",
    "\\map",
    "\\max_lock",
    "\\measured_by",
    "\\new_elems_fresh",
    "\\new_objects",
    "\\nonempty",
    "\\object_set",
    "\\only_captured",
    "\\past",
    "\\peer",
    "\\permission",
    "\\readonly",
    "\\rep",
    "\\safe_math",
    "\\same",
    "\\seq",
    "\\seq_concat",
    "\\seq_def",
    "\\seq_get",
    "\\seq_length",
    "\\set",
    "\\space",
    "\\values",
];

const MORE_UNSUPPORTED_BACKSLASH: [&str; 10] = [
    "\\working_space",
    "\\java_math",
    "\\bigint_math",
    "\\warn",
    "\\nowarn_op",
    "\\warn_op",
    "\\spec_context",
    "\\string",
    "\\transactionUpdated",
    "\\bigfloat",
];

pub(crate) fn is_unsupported_backslash(text: &str) -> bool {
    UNSUPPORTED_BACKSLASH.contains(&text) || MORE_UNSUPPORTED_BACKSLASH.contains(&text)
}

/// The backslash word that an unknown one was meant to be.
pub(crate) fn meant_backslash(text: &str) -> Option<&'static str> {
    let also_unsupported = UNSUPPORTED_BACKSLASH.iter().chain(&MORE_UNSUPPORTED_BACKSLASH);
    did_you_mean(text, SUPPORTED_BACKSLASH.iter().chain(also_unsupported).copied())
}
