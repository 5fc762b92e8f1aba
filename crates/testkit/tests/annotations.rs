//! Annotations of `org.jmlspecs.annotation` mean what the modifiers mean: every fixture with modifiers in
//! comments is run again with annotations in their place, and expects the same.

use std::path::Path;

use testkit::fixtures::{self, Fixture, Way};

/// Modifiers that have an annotation, without those whose words messages show.
const SPELT: [(&str, &str); 21] = [
    ("pure", "Pure"),
    ("spec_pure", "SpecPure"),
    ("strictly_pure", "StrictlyPure"),
    ("helper", "Helper"),
    ("nullable", "Nullable"),
    ("non_null", "NonNull"),
    ("nullable_by_default", "NullableByDefault"),
    ("non_null_by_default", "NonNullByDefault"),
    ("spec_public", "SpecPublic"),
    ("spec_protected", "SpecProtected"),
    ("spec_bigint_math", "SpecBigintMath"),
    ("spec_java_math", "SpecJavaMath"),
    ("spec_safe_math", "SpecSafeMath"),
    ("code_bigint_math", "CodeBigintMath"),
    ("code_java_math", "CodeJavaMath"),
    ("code_safe_math", "CodeSafeMath"),
    ("secret", "Secret"),
    ("monitored", "Monitored"),
    ("uninitialized", "Uninitialized"),
    ("skipesc", "SkipEsc"),
    ("query", "Query"),
];

/// How an annotation is named.
#[derive(Clone, Copy)]
enum Naming {
    Qualified,
    Imported,
    OnDemand,
}

/// The annotations that a comment stands for, if it has nothing but modifiers.
fn annotations_of(comment: &str) -> Option<Vec<&'static str>> {
    let inside = comment.trim_matches(|c: char| c == '@' || c == ';' || c.is_whitespace());
    let words = inside.split_whitespace().map(|word| {
        SPELT.iter().find(|(modifier, _)| *modifier == word).map(|(_, annotation)| *annotation)
    });
    words.collect::<Option<Vec<_>>>().filter(|found| !found.is_empty())
}

/// The text with annotations for the comments that are modifiers, and how many there are.
fn with_annotations(text: &str, naming: Naming) -> (String, usize) {
    let (mut out, mut rest, mut used) = (String::new(), text, Vec::new());
    let mut count = 0;
    while let Some(start) = rest.find("/*@") {
        let Some(length) = rest[start..].find("*/") else {
            break;
        };
        let comment = &rest[start + 2..start + length];
        out.push_str(&rest[..start]);
        match annotations_of(comment).filter(|_| !comment.contains('\n')) {
            Some(found) => {
                for simple in found {
                    let name = match naming {
                        Naming::Qualified => format!("@org.jmlspecs.annotation.{simple}"),
                        Naming::Imported | Naming::OnDemand => format!("@{simple}"),
                    };
                    out.push_str(&name);
                    out.push(' ');
                    used.push(simple);
                    count += 1;
                }
            }
            None => out.push_str(&rest[start..start + length + 2]),
        }
        rest = &rest[start + length + 2..];
    }
    out.push_str(rest);
    used.sort_unstable();
    used.dedup();
    let imports: String = match naming {
        Naming::Qualified => String::new(),
        Naming::Imported => {
            used.iter().map(|name| format!("import org.jmlspecs.annotation.{name}; ")).collect()
        }
        Naming::OnDemand => "import org.jmlspecs.annotation.*; ".into(),
    };
    (imports + &out, count)
}

#[test]
fn annotations_mean_what_modifiers_mean() {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures");
    let filter = std::env::var("FIXTURE").unwrap_or_default();
    let mut count = 0;
    let mut changed = Vec::new();
    let found = fixtures::find(&directory, &filter).expect("fixtures can be read");
    for mut fixture in found {
        let naming = [Naming::Qualified, Naming::Imported, Naming::OnDemand][changed.len() % 3];
        let (text, here) = with_annotations(&fixture.text, naming);
        // A file that declares annotations of these names means those.
        if here > 0 && !fixture.text.contains("@interface") {
            count += here;
            fixture.text = text;
            changed.push(fixture);
        }
    }
    println!("{count} annotations in {} fixtures", changed.len());
    let jobs = std::thread::available_parallelism().map_or(1, |n| n.get());
    let usual = |_: &Fixture| vec![Way::USUAL];
    let outcome = fixtures::run(&changed, jobs, usual).expect("a JDK is installed");
    assert!(!filter.is_empty() || count > 300 && changed.len() > 100, "too few modifiers");
    let failures = outcome.failures.join("\n");
    assert!(outcome.failures.is_empty(), "{}:\n{failures}", outcome.failures.len());
}
