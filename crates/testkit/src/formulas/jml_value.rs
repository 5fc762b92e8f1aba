//! What JML conditions mean on explicit heaps: as Java would evaluate them, and nothing at all
//! where Java would throw.

use std::collections::BTreeSet;

use super::jml::{Domain, Expr, Reach, Width};
use super::world::{Class, Datum, Heap, World};

/// The expression has no value.
#[derive(Clone, Copy, Debug)]
pub struct Undefined;

type Valued<T> = Result<T, Undefined>;

/// Ints beside the small ones that stand for all others.
const FAR: [i32; 2] = [i32::MIN, i32::MAX];

/// Whether a condition holds: it has a value, and is true.
pub fn holds(world: &World, condition: &Expr) -> bool {
    let mut values = Values { world, bound: Vec::new(), in_old: false };
    matches!(values.truth(condition), Ok(true))
}

struct Values<'w> {
    world: &'w World,
    bound: Vec<(String, Datum)>,
    in_old: bool,
}

impl Values<'_> {
    fn heap(&self) -> &Heap {
        if self.in_old { &self.world.before } else { &self.world.after }
    }

    fn truth(&mut self, e: &Expr) -> Valued<bool> {
        match self.value(e)? {
            Datum::Truth(b) => Ok(b),
            other => panic!("{} is {other:?}", e.text()),
        }
    }

    fn number(&mut self, e: &Expr) -> Valued<i64> {
        match self.value(e)? {
            Datum::Int(n) => Ok(n.into()),
            Datum::Long(n) => Ok(n),
            other => panic!("{} is {other:?}", e.text()),
        }
    }

    fn reference(&mut self, e: &Expr) -> Valued<Option<usize>> {
        match self.value(e)? {
            Datum::Ref(to) => Ok(to),
            other => panic!("{} is {other:?}", e.text()),
        }
    }

    fn object(&mut self, e: &Expr) -> Valued<usize> {
        self.reference(e)?.ok_or(Undefined)
    }

    fn class(&self, object: usize) -> Class {
        // Objects never change their class, and none disappears.
        self.world.after.0[&object].class
    }

    fn elements(&mut self, e: &Expr) -> Valued<Vec<Datum>> {
        let object = self.object(e)?;
        Ok(self.heap().0.get(&object).map(|o| o.elements.clone()).unwrap_or_default())
    }

    fn value(&mut self, e: &Expr) -> Valued<Datum> {
        Ok(match e {
            Expr::Truth(b) => Datum::Truth(*b),
            Expr::Int(n) => Datum::Int(*n),
            Expr::Long(n) => Datum::Long(*n),
            Expr::Null => Datum::Ref(None),
            Expr::Name(name) => match &**name {
                "r" => Datum::Ref(self.world.r),
                "n" => Datum::Ref(self.world.n),
                "k" => Datum::Int(self.world.k),
                "\\result" => Datum::Ref(self.world.result),
                other => self.bound.iter().rev().find(|b| b.0 == other).expect("it is bound").1,
            },
            Expr::Field(of, field) => {
                let object = self.object(of)?;
                self.heap().field(object, field)
            }
            Expr::Length(of) => Datum::Int(self.elements(of)?.len() as i32),
            Expr::Element(array, index) => {
                let elements = self.elements(array)?;
                let index = self.number(index)?;
                let index = usize::try_from(index).map_err(|_| Undefined)?;
                *elements.get(index).ok_or(Undefined)?
            }
            Expr::Cast(ty, of) => self.cast(ty, of)?,
            Expr::InstanceOf(of, class) => {
                Datum::Truth(self.reference(of)?.is_some_and(|o| self.class(o).is(*class)))
            }
            Expr::HasType(of, class) => {
                let object = self.object(of)?;
                Datum::Truth(self.class(object) == *class)
            }
            Expr::Unary(op, of) => match (*op, self.value(of)?) {
                ("!", Datum::Truth(b)) => Datum::Truth(!b),
                ("-", Datum::Int(n)) => Datum::Int(n.wrapping_neg()),
                ("~", Datum::Int(n)) => Datum::Int(!n),
                (op, other) => panic!("{op}{other:?}"),
            },
            Expr::Binary(op, left, right) => self.binary(op, left, right)?,
            Expr::Conditional(c, a, b) => {
                if self.truth(c)? {
                    self.value(a)?
                } else {
                    self.value(b)?
                }
            }
            Expr::Old(of) => {
                let was = std::mem::replace(&mut self.in_old, true);
                let value = self.value(of);
                self.in_old = was;
                value?
            }
            Expr::Quantified { quantifier, variable, domain, range, body } => {
                self.quantified(quantifier, variable, domain, range.as_deref(), body)?
            }
            Expr::Fresh(of) => {
                let object = self.reference(of)?;
                Datum::Truth(object.is_some_and(|o| !self.world.before.0.contains_key(&o)))
            }
            Expr::NonNullElements(of) => {
                let there = self.reference(of)?.is_some();
                let whole = there && !self.elements(of)?.contains(&Datum::Ref(None));
                Datum::Truth(whole)
            }
            Expr::Has(reach, of) => {
                // Whether it is null is asked first.
                let object = self.reference(of)?;
                match object {
                    Some(object) => Datum::Truth(self.reach(reach)?.contains(&object)),
                    None => Datum::Truth(false),
                }
            }
            Expr::Size(reach) => Datum::Int(self.reach(reach)?.len() as i32),
            Expr::SameReach(a, b) => Datum::Truth(self.reach(a)? == self.reach(b)?),
        })
    }

    fn cast(&mut self, ty: &str, of: &Expr) -> Valued<Datum> {
        if matches!(ty, "Leaf" | "Node") {
            let object = self.reference(of)?;
            let fits = object.is_none_or(|o| ty == "Node" || self.class(o) == Class::Leaf);
            return if fits { Ok(Datum::Ref(object)) } else { Err(Undefined) };
        }
        let number = self.number(of)?;
        Ok(match ty {
            "byte" => Datum::Int((number as i8).into()),
            "short" => Datum::Int((number as i16).into()),
            "char" => Datum::Int((number as u16).into()),
            "int" => Datum::Int(number as i32),
            _ => Datum::Long(number),
        })
    }

    fn binary(&mut self, op: &str, left: &Expr, right: &Expr) -> Valued<Datum> {
        let truth = |b: bool| Ok(Datum::Truth(b));
        match op {
            "&&" => return truth(self.truth(left)? && self.truth(right)?),
            "||" => return truth(self.truth(left)? || self.truth(right)?),
            "==>" => return truth(!self.truth(left)? || self.truth(right)?),
            _ => {}
        }
        let (a, b) = (self.value(left)?, self.value(right)?);
        match (a, b) {
            (Datum::Truth(a), Datum::Truth(b)) => truth(match op {
                "<==>" | "==" => a == b,
                "<=!=>" | "!=" | "^" => a != b,
                "&" => a & b,
                _ => a | b,
            }),
            (Datum::Ref(a), Datum::Ref(b)) => truth((a == b) == (op == "==")),
            (Datum::Int(a), Datum::Int(b)) => int(op, a, b),
            (Datum::Int(a), Datum::Long(b)) if !is_shift(op) => long(op, a.into(), b),
            (Datum::Long(a), Datum::Int(b)) => long(op, a, b.into()),
            (Datum::Long(a), Datum::Long(b)) => long(op, a, b),
            (a, b) => panic!("{a:?} {op} {b:?}"),
        }
    }

    fn reach(&mut self, reach: &Reach) -> Valued<BTreeSet<usize>> {
        let mut work: Vec<usize> = self.reference(&reach.from)?.into_iter().collect();
        let mut found = BTreeSet::new();
        let all = ["next", "other", "first", "second", "data", "nodes"];
        let fields = if reach.fields.is_empty() { &all[..] } else { &reach.fields[..] };
        while let Some(object) = work.pop() {
            if !found.insert(object) {
                continue;
            }
            work.extend(fields.iter().filter_map(|f| self.heap().reference(object, f)));
            let elements = self.heap().0.get(&object).map(|o| &o.elements);
            for element in elements.into_iter().flatten() {
                if let Datum::Ref(to) = element {
                    work.extend(to);
                }
            }
        }
        found.retain(|o| reach.class.is_none_or(|c| self.class(*o).is(c)));
        Ok(found)
    }

    /// What a variable can be.
    fn values(&mut self, domain: &Domain) -> Valued<Vec<Datum>> {
        Ok(match domain {
            Domain::Truths => vec![Datum::Truth(false), Datum::Truth(true)],
            Domain::Objects { class, nullable } => {
                let null = nullable.then_some(None);
                let objects = self.heap().of(*class).map(Some);
                null.into_iter().chain(objects).map(Datum::Ref).collect()
            }
            Domain::Unbounded => (-20..20).chain(FAR).map(Datum::Int).collect(),
            Domain::Numbers { width, low, high } => {
                let (least, most) = width.range();
                let from = i128::from(self.number(&low.0)?) + i128::from(low.1);
                if from > i128::from(most) {
                    return Ok(Vec::new());
                }
                let to = i128::from(self.number(&high.0)?) - i128::from(high.1);
                let (from, to) = (from.max(least.into()), to.min(most.into()));
                let all = (from..=to).map(|n| match width {
                    Width::Long => Datum::Long(n as i64),
                    _ => Datum::Int(n as i32),
                });
                all.collect()
            }
        })
    }

    fn quantified(
        &mut self,
        quantifier: &str,
        variable: &str,
        domain: &Domain,
        range: Option<&Expr>,
        body: &Expr,
    ) -> Valued<Datum> {
        let mut found = Vec::new();
        for value in self.values(domain)? {
            self.bound.push((variable.to_string(), value));
            let here = match range.map_or(Ok(true), |r| self.truth(r)) {
                Ok(true) => self.value(body).map(Some),
                Ok(false) => Ok(None),
                Err(undefined) => Err(undefined),
            };
            self.bound.pop();
            found.extend(here?);
        }
        let is_true = |d: &Datum| *d == Datum::Truth(true);
        Ok(match quantifier {
            "\\forall" => Datum::Truth(found.iter().all(is_true)),
            "\\exists" => Datum::Truth(found.iter().any(is_true)),
            "\\num_of" => Datum::Long(found.iter().filter(|d| is_true(d)).count() as i64),
            "\\min" => found.into_iter().min().ok_or(Undefined)?,
            "\\max" => found.into_iter().max().ok_or(Undefined)?,
            _ => self.folded(quantifier, &found, body),
        })
    }

    fn folded(&self, quantifier: &str, found: &[Datum], body: &Expr) -> Datum {
        let sum = quantifier == "\\sum";
        let start = i64::from(!sum);
        let total = found.iter().fold(start, |total, d| {
            let value = match d {
                Datum::Int(n) => i64::from(*n),
                Datum::Long(n) => *n,
                other => panic!("{other:?}"),
            };
            if sum { total.wrapping_add(value) } else { total.wrapping_mul(value) }
        });
        // The low half of a sum or product is that of the parts' low halves.
        if is_long(body) { Datum::Long(total) } else { Datum::Int(total as i32) }
    }
}

fn is_shift(op: &str) -> bool {
    matches!(op, "<<" | ">>" | ">>>")
}

/// Whether an expression is a long; variables that are longs have names of their own.
fn is_long(e: &Expr) -> bool {
    match e {
        Expr::Long(_) => true,
        Expr::Field(_, field) => *field == "big",
        Expr::Cast(ty, _) => *ty == "long",
        Expr::Unary(_, of) | Expr::Old(of) => is_long(of),
        Expr::Binary(op, a, _) if is_shift(op) => is_long(a),
        Expr::Binary(_, a, b) => is_long(a) || is_long(b),
        Expr::Conditional(_, a, b) => is_long(a) || is_long(b),
        Expr::Quantified { quantifier, body, .. } => *quantifier == "\\num_of" || is_long(body),
        Expr::Name(name) => name.starts_with('l'),
        _ => false,
    }
}

fn int(op: &str, a: i32, b: i32) -> Valued<Datum> {
    if let Some(truth) = compared(op, a.into(), b.into()) {
        return Ok(Datum::Truth(truth));
    }
    if b == 0 && matches!(op, "/" | "%") {
        return Err(Undefined);
    }
    Ok(Datum::Int(match op {
        "+" => a.wrapping_add(b),
        "-" => a.wrapping_sub(b),
        "*" => a.wrapping_mul(b),
        "/" => a.wrapping_div(b),
        "%" => a.wrapping_rem(b),
        "&" => a & b,
        "|" => a | b,
        "^" => a ^ b,
        "<<" => a.wrapping_shl(b as u32),
        ">>" => a.wrapping_shr(b as u32),
        ">>>" => (a as u32).wrapping_shr(b as u32) as i32,
        other => panic!("{other}"),
    }))
}

fn long(op: &str, a: i64, b: i64) -> Valued<Datum> {
    if let Some(truth) = compared(op, a, b) {
        return Ok(Datum::Truth(truth));
    }
    if b == 0 && matches!(op, "/" | "%") {
        return Err(Undefined);
    }
    Ok(Datum::Long(match op {
        "+" => a.wrapping_add(b),
        "-" => a.wrapping_sub(b),
        "*" => a.wrapping_mul(b),
        "/" => a.wrapping_div(b),
        "%" => a.wrapping_rem(b),
        "&" => a & b,
        "|" => a | b,
        "^" => a ^ b,
        "<<" => a.wrapping_shl(b as u32),
        ">>" => a.wrapping_shr(b as u32),
        ">>>" => (a as u64).wrapping_shr(b as u32) as i64,
        other => panic!("{other}"),
    }))
}

fn compared(op: &str, a: i64, b: i64) -> Option<bool> {
    Some(match op {
        "==" => a == b,
        "!=" => a != b,
        "<" => a < b,
        "<=" => a <= b,
        ">" => a > b,
        ">=" => a >= b,
        _ => return None,
    })
}
