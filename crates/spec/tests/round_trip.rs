//! Printing and parsing are inverse: random trees survive both.

mod common;

use common::{Random, shape};
use spec::Span;
use spec::alloy::ast::*;
use spec::jml::ast::*;
use spec::{parse_expression, parse_formula};

fn e(kind: ExprKind) -> Expr {
    Expr { kind, span: Span::default() }
}

fn ident(name: &str) -> Ident {
    Ident { name: name.into(), span: Span::default() }
}

fn name(random: &mut Random) -> String {
    (*random.pick(&["a", "b", "next", "head", "x1", "_y", "$z"])).into()
}

fn ty(random: &mut Random, depth: usize) -> TypeName {
    let plain = ["int", "long", "Node", "java.util.List", "\\bigint"];
    let generic = ["Node", "java.util.Map", "?", "? extends Node"];
    let is_generic = depth > 0 && random.below(4) == 0;
    let (name, arguments) = if is_generic {
        let count = 1 + random.below(2);
        (generic[random.below(2)], (0..count).map(|_| ty(random, depth - 1)).collect())
    } else {
        (plain[random.below(plain.len())], Vec::new())
    };
    let dimensions = random.below(3) / 2;
    TypeName { name: name.into(), arguments, dimensions, span: Span::default() }
}

fn literal(random: &mut Random) -> Literal {
    match random.below(9) {
        0 => Literal::Int(random.next() as i32),
        1 => Literal::Int(i32::MIN),
        2 => Literal::Long(random.next() as i64),
        3 => Literal::Double(random.below(100_000) as f64 / 64.0 * 1e30),
        4 => Literal::Float(random.below(1000) as f32 / 8.0 * 1e-20),
        5 => Literal::Char(random.next() as u16),
        6 => Literal::Text((*random.pick(&["", "a\"\\b\n", "€😀\u{7f}"])).into()),
        7 => Literal::Boolean(random.below(2) == 0),
        _ => Literal::Null,
    }
}

const BINARY: [BinaryOp; 24] = [
    BinaryOp::Multiply,
    BinaryOp::Divide,
    BinaryOp::Remainder,
    BinaryOp::Add,
    BinaryOp::Subtract,
    BinaryOp::ShiftLeft,
    BinaryOp::ShiftRight,
    BinaryOp::ShiftRightUnsigned,
    BinaryOp::Less,
    BinaryOp::LessEqual,
    BinaryOp::Greater,
    BinaryOp::GreaterEqual,
    BinaryOp::Subtype,
    BinaryOp::Equal,
    BinaryOp::NotEqual,
    BinaryOp::BitAnd,
    BinaryOp::BitXor,
    BinaryOp::BitOr,
    BinaryOp::And,
    BinaryOp::Or,
    BinaryOp::Implies,
    BinaryOp::ImpliedBy,
    BinaryOp::Iff,
    BinaryOp::NotIff,
];

fn leaf(random: &mut Random) -> ExprKind {
    match random.below(5) {
        0 => ExprKind::This,
        1 => ExprKind::Result,
        2 => ExprKind::Literal(literal(random)),
        _ => ExprKind::Name(name(random)),
    }
}

fn several(random: &mut Random, depth: usize) -> Vec<Expr> {
    (0..random.below(3)).map(|_| expression(random, depth)).collect()
}

fn expression(random: &mut Random, depth: usize) -> Expr {
    if depth == 0 {
        return e(leaf(random));
    }
    let depth = depth - 1;
    let sub = |random: &mut Random| Box::new(expression(random, depth));
    e(match random.below(34) {
        0 | 1 => leaf(random),
        2 => ExprKind::Field(sub(random), ident(&name(random))),
        3 => ExprKind::Index(sub(random), sub(random)),
        4 => {
            let receiver = if random.below(2) == 0 { None } else { Some(sub(random)) };
            let arguments = several(random, depth);
            ExprKind::Call { receiver, method: ident(&name(random)), arguments }
        }
        5 => ExprKind::Cast(ty(random, 2), sub(random)),
        6 => ExprKind::InstanceOf(sub(random), ty(random, 2)),
        7 | 8 => {
            let ops = [UnaryOp::Not, UnaryOp::Complement, UnaryOp::Minus, UnaryOp::Plus];
            ExprKind::Unary(*random.pick(&ops), sub(random))
        }
        9 => ExprKind::Conditional(sub(random), sub(random), sub(random)),
        10 => ExprKind::Old(sub(random)),
        11 => quantified(random, depth),
        12 => ExprKind::Fresh(several(random, depth)),
        13 => ExprKind::NonNullElements(sub(random)),
        14 => ExprKind::TypeOf(sub(random)),
        15 => ExprKind::Type(ty(random, 2)),
        16 => ExprKind::ElemType(sub(random)),
        17 => {
            let class = if random.below(3) == 0 { None } else { Some(ty(random, 1)) };
            let count = if class.is_some() { random.below(3) } else { 0 };
            let fields = (0..count).map(|_| e(ExprKind::Name(name(random)))).collect();
            ExprKind::Reach { from: sub(random), class, fields }
        }
        18 => {
            let (ty, variable) = (ty(random, 1), ident(&name(random)));
            let (from, to) = (expression(random, depth), expression(random, depth));
            let body = expression(random, depth);
            ExprKind::BoundedSum(Box::new(BoundedSum { ty, variable, from, to, body }))
        }
        19 => ExprKind::InvariantFor(sub(random)),
        20 => ExprKind::StaticInvariantFor(ty(random, 1)),
        21 => ExprKind::Count,
        22 => {
            use Touching::*;
            let kinds = [NotModified, NotAssigned, OnlyAssigned, OnlyAccessed];
            ExprKind::Touched(*random.pick(&kinds), Box::new(locations(random, depth)))
        }
        23 => ExprKind::OnlyCalled(callees(random)),
        24 => ExprKind::LocationSet((0..random.below(3)).map(|_| place(random, depth)).collect()),
        25 => {
            use LocationsOp::*;
            let kinds = [Union, Intersection, Difference, Subset, Disjoint];
            ExprKind::OfLocations(*random.pick(&kinds), sub(random), sub(random))
        }
        _ => ExprKind::Binary(*random.pick(&BINARY), sub(random), sub(random)),
    })
}

fn locations(random: &mut Random, depth: usize) -> Frame {
    match random.below(5) {
        0 => Frame::Nothing,
        1 => Frame::StrictlyNothing,
        2 => Frame::Everything,
        _ => Frame::Locations((0..1 + random.below(2)).map(|_| place(random, depth)).collect()),
    }
}

fn place(random: &mut Random, depth: usize) -> StoreRef {
    let of = e(ExprKind::Name(name(random)));
    let kind = match random.below(4) {
        0 => StoreRefKind::Location(of),
        1 => StoreRefKind::Elements(of),
        2 => StoreRefKind::Fields(of),
        _ => {
            let first = Box::new(expression(random, depth));
            let last = Box::new(expression(random, depth));
            StoreRefKind::Range { array: of, first, last }
        }
    };
    StoreRef { kind, span: Span::default() }
}

fn callees(random: &mut Random) -> Callees {
    let method = |random: &mut Random| {
        let path = (0..1 + random.below(3)).map(|_| ident(&name(random))).collect();
        let typed = random.below(2) == 0;
        let parameters = typed.then(|| (0..random.below(3)).map(|_| ty(random, 1)).collect());
        MethodRef { path, parameters, span: Span::default() }
    };
    match random.below(5) {
        0 => Callees::Everything,
        1 => Callees::NotSpecified,
        _ => Callees::Methods((0..random.below(3)).map(|_| method(random)).collect()),
    }
}

fn quantified(random: &mut Random, depth: usize) -> ExprKind {
    use Quantifier::*;
    let quantifier = *random.pick(&[Forall, Exists, NumOf, Sum, Product, Min, Max]);
    let nullness = *random.pick(&[None, Some(Nullness::Nullable), Some(Nullness::NonNull)]);
    let variables = (0..1 + random.below(2)).map(|_| ident(&name(random))).collect();
    let range = if random.below(2) == 0 { None } else { Some(expression(random, depth)) };
    let (ty, body) = (ty(random, 2), expression(random, depth));
    let quantified = Quantified { quantifier, nullness, ty, variables, range, body };
    ExprKind::Quantified(Box::new(quantified))
}

#[test]
fn printed_expressions_parse_to_themselves() {
    for seed in 0..20_000 {
        let mut random = Random::new(seed);
        let depth = random.below(6);
        let tree = expression(&mut random, depth);
        let text = tree.to_string();
        match parse_expression(&text) {
            Ok(parsed) => assert_eq!(shape(&parsed), shape(&tree), "seed {seed}: {text}"),
            Err(diagnostic) => panic!("seed {seed}: {text}: {diagnostic}"),
        }
    }
}

fn f(kind: FormulaKind) -> Formula {
    Formula { kind, span: Span::default() }
}

fn r(kind: RelationKind) -> Relation {
    Relation { kind, span: Span::default() }
}

fn declarations(random: &mut Random, depth: usize) -> Vec<Declaration> {
    // Without bounds, all variables are of one declaration.
    if random.below(5) == 0 {
        let names = vec![ident(&name(random)), ident(&name(random))];
        return vec![Declaration { is_disjoint: random.below(2) == 0, names, bound: None }];
    }
    let declaration = |random: &mut Random| Declaration {
        is_disjoint: random.below(3) == 0,
        names: (0..1 + random.below(2)).map(|_| ident(&name(random))).collect(),
        bound: Some(relation(random, depth)),
    };
    (0..1 + random.below(2)).map(|_| declaration(random)).collect()
}

fn relation(random: &mut Random, depth: usize) -> Relation {
    if depth == 0 {
        return r(match random.below(10) {
            0 => RelationKind::This,
            1 => RelationKind::Null,
            2 => RelationKind::Result,
            3 => RelationKind::Int(random.next() as i32),
            4 => RelationKind::Boolean(random.below(2) == 0),
            5 => random
                .pick(&[RelationKind::Empty, RelationKind::Universe, RelationKind::Identity])
                .clone(),
            _ => RelationKind::Name { name: name(random), primed: random.below(3) == 0 },
        });
    }
    let depth = depth - 1;
    let sub = |random: &mut Random| Box::new(relation(random, depth));
    use RelationOp::*;
    let ops = [
        Union,
        Difference,
        Override,
        Intersection,
        Product,
        DomainRestriction,
        RangeRestriction,
        Join,
    ];
    let unary =
        [RelationUnaryOp::Transpose, RelationUnaryOp::Closure, RelationUnaryOp::ReflexiveClosure];
    r(match random.below(14) {
        0 | 1 => RelationKind::Unary(*random.pick(&unary), sub(random)),
        2 => {
            let count = 1 + random.below(2);
            let arguments = (0..count).map(|_| relation(random, depth)).collect();
            RelationKind::Box(sub(random), arguments)
        }
        3 => RelationKind::Cardinality(sub(random)),
        4 => RelationKind::Comprehension {
            declarations: declarations(random, depth),
            body: Box::new(formula(random, depth)),
        },
        5 => RelationKind::IfElse(Box::new(formula(random, depth)), sub(random), sub(random)),
        6 => {
            RelationKind::Let { name: ident(&name(random)), value: sub(random), body: sub(random) }
        }
        7 => return relation(random, 0),
        _ => RelationKind::Binary(*random.pick(&ops), sub(random), sub(random)),
    })
}

/// A formula that is not just a value: as the result of `let` and `else` a value stays one.
fn proper(random: &mut Random, depth: usize) -> Formula {
    loop {
        let found = formula(random, depth);
        if !matches!(found.kind, FormulaKind::Holds(_)) {
            return found;
        }
    }
}

fn formula(random: &mut Random, depth: usize) -> Formula {
    let choice = if depth == 0 { random.below(4) } else { random.below(14) };
    let less = depth.saturating_sub(1);
    let sub = |random: &mut Random| Box::new(formula(random, less));
    f(match choice {
        0 => FormulaKind::Holds(relation(random, less)),
        1 => {
            use Multiplicity::*;
            FormulaKind::Multiplicity(*random.pick(&[No, Some, One, Lone]), relation(random, less))
        }
        2 | 3 => {
            use CompareOp::*;
            FormulaKind::Compare {
                op: *random.pick(&[In, Equal, Less, LessEqual, Greater, GreaterEqual]),
                negated: random.below(3) == 0,
                left: relation(random, less),
                right: relation(random, less),
            }
        }
        4 => FormulaKind::Not(sub(random)),
        5 => FormulaKind::IfElse(sub(random), Box::new(proper(random, less)), sub(random)),
        6 | 7 => {
            use AlloyQuantifier::*;
            FormulaKind::Quantified {
                quantifier: *random.pick(&[All, Some, No, One, Lone]),
                declarations: declarations(random, less),
                body: sub(random),
            }
        }
        8 => FormulaKind::Let {
            name: ident(&name(random)),
            value: Box::new(relation(random, less)),
            body: Box::new(proper(random, less)),
        },
        _ => {
            use Connective::*;
            let op = *random.pick(&[And, Or, Implies, Iff]);
            FormulaKind::Binary(op, sub(random), sub(random))
        }
    })
}

#[test]
fn printed_formulas_parse_to_themselves() {
    for seed in 0..20_000 {
        let mut random = Random::new(seed);
        let depth = random.below(6);
        let tree = formula(&mut random, depth);
        let text = tree.to_string();
        match parse_formula(&text) {
            Ok(parsed) => assert_eq!(shape(&parsed), shape(&tree), "seed {seed}: {text}"),
            Err(diagnostic) => panic!("seed {seed}: {text}: {diagnostic}"),
        }
    }
}
