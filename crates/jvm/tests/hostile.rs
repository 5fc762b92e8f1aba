//! Damaged class files: a sentence, never a panic, never a hang.

mod common;

use std::time::{Duration, Instant};

use common::{Classes, jdk, program};
use ir::{Code, LoadError};
use jvm::ClassFiles;

/// Marsaglia's xorshift: the same mutants in every run.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    fn below(&mut self, bound: usize) -> usize {
        (self.next() % bound as u64) as usize
    }
}

fn mutate(bytes: &[u8], random: &mut Random) -> Vec<u8> {
    let mut mutant = bytes.to_vec();
    match random.below(6) {
        0 => mutant.truncate(random.below(bytes.len())),
        1 => {
            let at = random.below(bytes.len());
            mutant[at..].iter_mut().take(4).for_each(|b| *b = 0xff);
        }
        _ => {
            for _ in 0..=random.below(3) {
                let at = random.below(bytes.len());
                mutant[at] = match random.below(3) {
                    0 => mutant[at] ^ (1 << random.below(8)),
                    1 => random.next() as u8,
                    _ => [0x00, 0x7f, 0x80, 0xff][random.below(4)],
                };
            }
        }
    }
    mutant
}

/// Loads a class from these bytes and lowers everything in it; how many bodies survived.
fn survive(name: &str, bytes: Vec<u8>) -> usize {
    let program = program(Classes([(name.to_owned(), bytes)].into()));
    let Ok(class) = program.class(program.class_id(&name.replace('/', "."))) else {
        return 0;
    };
    let bodies = class.methods.iter().filter(|method| match program.code(**method) {
        Code::Body(body) => {
            ir::validate::validate(body).expect("what is lowered is valid");
            true
        }
        Code::Intrinsic(_) | Code::Abstract | Code::Unsupported(_) => false,
    });
    bodies.count()
}

#[test]
fn mutants_never_panic_or_hang() {
    let names = [
        "java/util/ArrayDeque",
        "java/util/Optional",
        "java/util/Objects",
        "java/util/Comparator",
        "java/util/Scanner",
        "java/lang/Character$UnicodeScript",
        "java/util/StringTokenizer",
        "java/lang/Character",
    ];
    let originals = names.map(|n| (n, jdk().read(n).expect("the JDK has it").bytes));
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    let (mut survivors, mut slowest) = (0, Duration::ZERO);
    let rounds = match std::env::var_os("JAROSITE_NIGHT") {
        Some(_) => 400_000,
        None if cfg!(debug_assertions) => 4_000,
        None => 40_000,
    };
    for round in 0..rounds {
        let (name, bytes) = &originals[round % originals.len()];
        let mutant = mutate(bytes, &mut random);
        let started = Instant::now();
        survivors += survive(name, mutant);
        slowest = slowest.max(started.elapsed());
    }
    println!("{survivors} bodies of {rounds} mutants, slowest {slowest:?}");
    assert!(survivors > 0);
    assert!(slowest < Duration::from_secs(5), "a mutant took {slowest:?}");
}

/// A class with one method of this code, made by hand.
fn class_with_code(code: &[u8], exceptions: &[[u16; 4]]) -> Vec<u8> {
    let mut out = vec![0xca, 0xfe, 0xba, 0xbe, 0, 0, 0, 61];
    let texts = ["H", "java/lang/Object", "m", "()V", "Code"];
    out.extend(8u16.to_be_bytes());
    for text in texts {
        out.push(1);
        out.extend((text.len() as u16).to_be_bytes());
        out.extend(text.bytes());
    }
    out.extend([7, 0, 1, 7, 0, 2]);
    for word in [0x21u16, 6, 7, 0, 0, 1, 9, 3, 4, 1, 5] {
        out.extend(word.to_be_bytes());
    }
    let length = 2 + 2 + 4 + code.len() + 2 + 8 * exceptions.len() + 2;
    out.extend((length as u32).to_be_bytes());
    out.extend([0, 10, 0, 10]);
    out.extend((code.len() as u32).to_be_bytes());
    out.extend(code);
    out.extend((exceptions.len() as u16).to_be_bytes());
    for entry in exceptions {
        entry.iter().for_each(|word| out.extend(word.to_be_bytes()));
    }
    out.extend([0, 0, 0, 0]);
    out
}

fn code_of(bytes: Vec<u8>) -> String {
    let program = program(Classes([("H".to_owned(), bytes)].into()));
    let class = program.class(program.class_id("H")).expect("the structure is fine");
    match program.code(class.methods[0]) {
        Code::Unsupported(why) => why.to_string(),
        other => format!("{other:?}"),
    }
}

#[test]
fn lies_about_sizes_cost_nothing() {
    let nop_return = class_with_code(&[0, 0xb1], &[]);
    assert!(code_of(nop_return).starts_with("Body"));
    // A table switch over all ints, a lookup switch with 2^31 - 1 pairs, jumps far away.
    let table = [[0x03, 0xaa, 0, 0].as_slice(), &[0; 4], &[0x80, 0, 0, 0, 0x7f, 0xff, 0xff, 0xff]];
    let lookup = [[0x03, 0xab, 0, 0].as_slice(), &[0; 4], &[0x7f, 0xff, 0xff, 0xff]];
    for code in [table.concat(), lookup.concat(), vec![0xa7, 0x80, 0], vec![0xc8, 0x7f, 0, 0, 0]] {
        let why = code_of(class_with_code(&code, &[]));
        assert!(why.contains("malformed code"), "{why}");
    }
}

#[test]
fn code_that_the_verifier_refuses_is_refused() {
    let cases: [(&[u8], &str); 8] = [
        (&[0x00], "fall off the end"),
        (&[0x57, 0xb1], "empty operand stack"),
        (&[0x03, 0xb0], "return of another kind"),
        (&[0x1b, 0x74, 0x57, 0xb1], "not written"),
        (&[0x09, 0x57, 0xb1], "splits a long"),
        (&[0x03, 0x99, 0x00, 0x04, 0x03, 0xb1], "differs where two paths meet"),
        (&[0xca, 0xb1], "unknown opcode"),
        (&[0xa7, 0x00, 0x01, 0xb1], "not an instruction"),
    ];
    for (code, expected) in cases {
        let why = code_of(class_with_code(code, &[]));
        assert!(why.contains(expected), "{code:?}: {why}");
    }
    let many = vec![[0, 1, 1, 0]; 65535];
    let why = code_of(class_with_code(&[0u8; 65000], &many));
    assert!(why.contains("fall off the end"), "{why}");
    let jumps: Vec<u8> =
        std::iter::repeat_n([0xa7, 0, 3], 21_000).flatten().chain([0xb1]).collect();
    let why = code_of(class_with_code(&jumps, &many));
    assert!(why.contains("not an instruction") || why.contains("too large"), "{why}");
}

/// Just the structure: a class `name` that extends `parent`.
fn class_extending(name: &str, parent: &str) -> (String, Vec<u8>) {
    let mut out = vec![0xca, 0xfe, 0xba, 0xbe, 0, 0, 0, 61, 0, 5];
    for text in [name, parent] {
        out.push(1);
        out.extend((text.len() as u16).to_be_bytes());
        out.extend(text.bytes());
    }
    out.extend([7, 0, 1, 7, 0, 2]);
    for word in [0x21u16, 3, 4, 0, 0, 0, 0] {
        out.extend(word.to_be_bytes());
    }
    (name.to_owned(), out)
}

#[test]
fn circular_hierarchies_are_refused() {
    let classes = [class_extending("A", "B"), class_extending("B", "C"), class_extending("C", "B")];
    let program = program(Classes(classes.into()));
    for name in ["A", "B", "C"] {
        let loaded = program.class(program.class_id(name));
        assert!(matches!(loaded, Err(LoadError::Malformed(_))), "{name}: {loaded:?}");
    }
}

#[test]
fn missing_and_misnamed_classes_say_so() {
    let (_, bytes) = class_extending("A", "java/lang/Object");
    let program = program(Classes([("B".to_owned(), bytes)].into()));
    let misnamed = program.class(program.class_id("B")).map(|_| ());
    assert_eq!(misnamed, Err(&LoadError::Malformed("the file holds A instead".to_owned())));
    assert_eq!(program.class(program.class_id("p.Gone")).map(|_| ()), Err(&LoadError::Missing));
}
