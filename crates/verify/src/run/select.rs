//! Which methods are checked.

use ir::{Class, ClassId, Code, Method, MethodId, Op, Program};

/// Filters of the command line: globs over class names and over method names or signatures. An
/// empty list admits everything.
#[derive(Clone, Debug, Default)]
pub struct Filter {
    pub classes: Vec<String>,
    pub methods: Vec<String>,
    /// Classes that are not checked, whatever else is said.
    pub excluded: Vec<String>,
}

impl Filter {
    /// Whether methods of the class with this Java name are wanted at all.
    pub fn admits_class(&self, name: &str) -> bool {
        let names = names_of_class(name);
        let is_excluded = !self.excluded.is_empty() && admits(&self.excluded, &names);
        !is_excluded && admits(&self.classes, &names)
    }
}

/// The methods of the given classes that have code of their own and pass the filter, in the
/// order of the source.
pub fn methods(program: &Program, given: &[ClassId], filter: &Filter) -> Vec<MethodId> {
    let mut found = Vec::new();
    for class in given {
        let Ok(class) = program.class(*class) else {
            continue;
        };
        if class.is_synthetic || !filter.admits_class(&class.name) {
            continue;
        }
        for method in &class.methods {
            let method = program.method(*method);
            let names = [method_name(program, method), program.signature(method)];
            if is_written_by_hand(program, class, method) && admits(&filter.methods, &names) {
                found.push(method.id);
            }
        }
    }
    found
}

fn names_of_class(name: &str) -> [String; 3] {
    let after_package = name.rsplit('.').next().unwrap_or(name);
    [name.to_string(), after_package.to_string(), ir::program::simple(name).to_string()]
}

fn method_name(program: &Program, method: &Method) -> String {
    let signature = program.signature(method);
    signature.split('(').next().unwrap_or_default().to_string()
}

fn admits(globs: &[String], names: &[String]) -> bool {
    globs.is_empty() || globs.iter().any(|g| names.iter().any(|n| matches(g, n)))
}

/// Whether the method is the user's: not the compiler's, and with a body.
fn is_written_by_hand(program: &Program, class: &Class, method: &Method) -> bool {
    let anonymous = {
        let last = class.name.rsplit('$').next().unwrap_or_default();
        class.name.contains('$') && last.chars().all(|c| c.is_ascii_digit())
    };
    let is_constructor = &*method.name == "<init>";
    let of_enum = class.is_enum
        && (is_constructor
            || (&*method.name == "values" && method.params.is_empty())
            || (&*method.name == "valueOf" && method.params.len() == 1 && method.is_static));
    let enum_body = class
        .superclass
        .and_then(|s| program.class(s).ok())
        .is_some_and(|parent| parent.is_enum && is_constructor);
    !is_generated_record_member(program, class, method)
        && !method.is_abstract
        && !method.is_native
        && !method.is_synthetic
        && !method.is_bridge
        && &*method.name != "<clinit>"
        && !of_enum
        && !enum_body
        && !(anonymous && is_constructor)
}

/// `equals`, `hashCode` and `toString` of a record that javac wrote: they only call what the
/// front end made of their `invokedynamic`.
fn is_generated_record_member(program: &Program, class: &Class, method: &Method) -> bool {
    if !class.is_record || !matches!(&*method.name, "equals" | "hashCode" | "toString") {
        return false;
    }
    let Code::Body(body) = program.code(method.id) else {
        return false;
    };
    let mut instrs = body.blocks.iter().flat_map(|b| &b.instrs);
    instrs.any(|i| match &i.op {
        Op::Invoke { method, .. } => {
            program.class_name(program.method_ref_class(*method)).contains("$$Record$")
        }
        _ => false,
    })
}

/// Whether `text` fits a glob of `*` and `?`.
pub fn matches(glob: &str, text: &str) -> bool {
    let strip = |s: &str| s.chars().filter(|c| !c.is_whitespace()).collect::<Vec<char>>();
    fits(&strip(glob), &strip(text))
}

/// What lies before a star may as well match at the first place where it can: whatever matches
/// later leaves less to the rest. So only the last star is ever tried again.
fn fits(glob: &[char], text: &[char]) -> bool {
    let (mut at, mut read) = (0, 0);
    let mut star: Option<(usize, usize)> = None;
    while read < text.len() {
        match glob.get(at) {
            Some('*') => {
                star = Some((at + 1, read));
                at += 1;
            }
            Some(c) if *c == '?' || *c == text[read] => {
                at += 1;
                read += 1;
            }
            Some(_) | None => match star {
                Some((after, from)) => {
                    star = Some((after, from + 1));
                    (at, read) = (after, from + 1);
                }
                None => return false,
            },
        }
    }
    glob[at..].iter().all(|c| *c == '*')
}

#[cfg(test)]
mod tests {
    use super::matches;

    #[test]
    fn globs() {
        assert!(matches("insert", "insert"));
        assert!(matches("in*", "insert(int)"));
        assert!(matches("insert(int, String)", "insert(int,String)"));
        assert!(matches("*.Node", "p.Node"));
        assert!(!matches("insert", "insert(int)"));
        assert!(matches("?dd", "add"));
        assert!(matches("*", ""));
        assert!(!matches("?", ""));
        assert!(matches("a*b*c", "abxbc"));
        assert!(!matches("a*b*c", "abxb"));
    }

    #[test]
    fn stars_cost_no_more_than_text() {
        let glob = format!("{}b", "*a".repeat(30));
        assert!(!matches(&glob, &"a".repeat(10_000)));
        assert!(matches(&glob, &format!("{}b", "a".repeat(10_000))));
    }

    /// Against the definition, on every short glob and text.
    #[test]
    fn globs_mean_what_they_say() {
        fn means(glob: &[char], text: &[char]) -> bool {
            match glob.split_first() {
                None => text.is_empty(),
                Some(('*', rest)) => (0..=text.len()).any(|i| means(rest, &text[i..])),
                Some((c, rest)) => {
                    text.split_first().is_some_and(|(x, t)| (*c == '?' || x == c) && means(rest, t))
                }
            }
        }
        fn words(letters: &[char], most: usize) -> Vec<Vec<char>> {
            let mut all = vec![Vec::new()];
            let mut from = 0;
            for _ in 0..most {
                let to = all.len();
                for i in from..to {
                    all.extend(
                        letters.iter().map(|c| [&all[i][..], &[*c]].concat()).collect::<Vec<_>>(),
                    );
                }
                from = to;
            }
            all
        }
        for glob in words(&['*', '?', 'a', 'b'], 5) {
            for text in words(&['a', 'b'], 5) {
                assert_eq!(super::fits(&glob, &text), means(&glob, &text), "{glob:?} {text:?}");
            }
        }
    }
}
