//! What Alloy-style formulas mean on explicit heaps. Relations are sets of tuples; plain names are
//! of the state before, primed ones of the state after, and all objects are those of the state
//! after. A number or truth value that is not there leaves the whole without a value.

use std::collections::BTreeSet;

use super::alloy::{Declaration, Formula, Num, Rel};
use super::jml_value::Undefined;
use super::world::{Class, Datum, Heap, World};

type Valued<T> = Result<T, Undefined>;
type Tuples = BTreeSet<Vec<Datum>>;

/// Whether a formula holds: it has a value, and is true.
pub fn holds(world: &World, formula: &Formula) -> bool {
    matches!(Values { world, bound: Vec::new() }.formula(formula), Ok(true))
}

struct Values<'w> {
    world: &'w World,
    bound: Vec<(String, Tuples)>,
}

fn object(number: usize) -> Datum {
    Datum::Ref(Some(number))
}

fn singleton(reference: Option<usize>) -> Tuples {
    reference.into_iter().map(|o| vec![object(o)]).collect()
}

fn closure(of: Tuples) -> Tuples {
    let mut all = of;
    loop {
        let more = join(&all, &all);
        let size = all.len();
        all.extend(more);
        if all.len() == size {
            return all;
        }
    }
}

fn join(a: &Tuples, b: &Tuples) -> Tuples {
    let mut found = Tuples::new();
    for x in a {
        for y in b {
            if x.last() == y.first() {
                found.insert(x[..x.len() - 1].iter().chain(&y[1..]).copied().collect());
            }
        }
    }
    found
}

impl Values<'_> {
    fn heap(&self, after: bool) -> &Heap {
        if after { &self.world.after } else { &self.world.before }
    }

    fn universe(&self) -> Vec<usize> {
        let heap = &self.world.after;
        heap.of(Class::Node).chain(heap.of(Class::Root)).collect()
    }

    fn relation(&mut self, r: &Rel) -> Valued<Tuples> {
        Ok(match r {
            Rel::Name(name) => match &**name {
                "r" => singleton(self.world.r),
                "n" => singleton(self.world.n),
                "result" => singleton(self.world.result),
                other => {
                    let found = self.bound.iter().rev().find(|b| b.0 == other);
                    found.expect("it is bound").1.clone()
                }
            },
            Rel::Field(field, after) => {
                let owner = match *field {
                    "first" | "second" | "size" => Class::Root,
                    _ => Class::Node,
                };
                let heap = self.heap(*after);
                let pairs = heap.of(owner).map(|o| vec![object(o), heap.field(o, field)]);
                pairs.filter(|p| p[1] != Datum::Ref(None)).collect()
            }
            Rel::Objects(class, after) => {
                self.heap(*after).of(*class).map(|o| vec![object(o)]).collect()
            }
            Rel::Universe => self.universe().into_iter().map(|o| vec![object(o)]).collect(),
            Rel::Identity => {
                self.universe().into_iter().map(|o| vec![object(o), object(o)]).collect()
            }
            Rel::Empty | Rel::Null => Tuples::new(),
            Rel::Unary(op, of) => {
                let of = self.relation(of)?;
                match op {
                    '~' => of.into_iter().map(|t| vec![t[1], t[0]]).collect(),
                    '^' => closure(of),
                    _ => {
                        let mut all = closure(of);
                        all.extend(self.relation(&Rel::Identity)?);
                        all
                    }
                }
            }
            Rel::Binary(op, a, b) => {
                let (a, b) = (self.relation(a)?, self.relation(b)?);
                match *op {
                    "+" => a.union(&b).cloned().collect(),
                    "-" => a.difference(&b).cloned().collect(),
                    "&" => a.intersection(&b).cloned().collect(),
                    "." => join(&a, &b),
                    "->" => {
                        let with = |x: &Vec<Datum>| {
                            let x = x.clone();
                            b.iter().map(move |y| [&x[..], y].concat()).collect::<Vec<_>>()
                        };
                        a.iter().flat_map(with).collect()
                    }
                    "<:" => b.into_iter().filter(|t| a.contains(&t[..1])).collect(),
                    ":>" => a.into_iter().filter(|t| b.contains(&t[t.len() - 1..])).collect(),
                    "++" => {
                        let kept = a.into_iter().filter(|t| b.iter().all(|o| o[0] != t[0]));
                        kept.chain(b.iter().cloned()).collect()
                    }
                    other => panic!("{other}"),
                }
            }
            Rel::Box(of, at) => {
                let at = self.relation(at)?;
                join(&at, &self.relation(of)?)
            }
            Rel::Comprehension(declarations, body) => {
                let mut found = Tuples::new();
                let outer = self.bound.len();
                self.each(declarations, &mut |values| {
                    if values.formula(body)? {
                        let chosen = values.bound[outer..].iter();
                        found.insert(chosen.flat_map(|b| b.1.iter().flatten().copied()).collect());
                    }
                    Ok(())
                })?;
                found
            }
            Rel::IfElse(c, a, b) => {
                if self.formula(c)? {
                    self.relation(a)?
                } else {
                    self.relation(b)?
                }
            }
            Rel::Let(name, value, body) => {
                let value = self.relation(value)?;
                self.bound.push((name.clone(), value));
                let body = self.relation(body);
                self.bound.pop();
                body?
            }
        })
    }

    /// Visits all values of variables.
    fn each(
        &mut self,
        declarations: &[Declaration],
        visit: &mut dyn FnMut(&mut Self) -> Valued<()>,
    ) -> Valued<()> {
        let Some((first, rest)) = declarations.split_first() else {
            return visit(self);
        };
        let members = self.relation(first.bound.as_ref().unwrap_or(&Rel::Universe))?;
        let mut chosen: Vec<Vec<&Vec<Datum>>> = vec![Vec::new()];
        for _ in &first.names {
            let longer = |c: &Vec<_>| {
                let c = c.clone();
                members.iter().map(move |m| [&c[..], &[m]].concat()).collect::<Vec<_>>()
            };
            chosen = chosen.iter().flat_map(longer).collect();
        }
        for values in chosen {
            let distinct: BTreeSet<_> = values.iter().collect();
            if first.disjoint && distinct.len() < values.len() {
                continue;
            }
            let outer = self.bound.len();
            for (name, value) in first.names.iter().zip(values) {
                self.bound.push((name.clone(), Tuples::from([value.clone()])));
            }
            let went = self.each(rest, visit);
            self.bound.truncate(outer);
            went?;
        }
        Ok(())
    }

    /// A number as the set that it is.
    fn numbers(&mut self, n: &Num) -> Valued<Tuples> {
        let one = |n: i32| Tuples::from([vec![Datum::Int(n)]]);
        Ok(match n {
            Num::Int(n) => one(*n),
            Num::K => one(self.world.k),
            Num::Size(of) => one(self.relation(of)?.len() as i32),
            Num::In(of) => self.relation(of)?,
            Num::IfElse(c, a, b) => {
                if self.formula(c)? {
                    self.numbers(a)?
                } else {
                    self.numbers(b)?
                }
            }
            Num::Compute(op, a, b) => {
                let (a, b) = (self.number(a)?, self.number(b)?);
                one(match *op {
                    "plus" | "add" | "+" => a.wrapping_add(b),
                    "minus" | "sub" | "-" => a.wrapping_sub(b),
                    "mul" => a.wrapping_mul(b),
                    _ if b == 0 => return Err(Undefined),
                    "div" => a.wrapping_div(b),
                    _ => a.wrapping_rem(b),
                })
            }
        })
    }

    fn number(&mut self, n: &Num) -> Valued<i32> {
        match self.numbers(n)?.into_iter().collect::<Vec<_>>()[..] {
            [ref one] => match one[..] {
                [Datum::Int(n)] => Ok(n),
                _ => panic!("{one:?}"),
            },
            _ => Err(Undefined),
        }
    }

    fn formula(&mut self, f: &Formula) -> Valued<bool> {
        Ok(match f {
            Formula::Truth(b) => *b,
            Formula::Holds(of) => {
                let values = self.relation(of)?;
                if values.len() != 1 {
                    return Err(Undefined);
                }
                values.contains(&vec![Datum::Truth(true)])
            }
            Formula::Count(word, of) => {
                let count = self.relation(of)?.len();
                many(word, count)
            }
            Formula::Relate(op, a, b) => {
                let (a, b) = (self.relation(a)?, self.relation(b)?);
                match *op {
                    "in" => a.is_subset(&b),
                    "!in" => !a.is_subset(&b),
                    "=" => a == b,
                    _ => a != b,
                }
            }
            Formula::Compare(op @ ("=" | "!="), a, b) => {
                let (a, b) = (self.numbers(a)?, self.numbers(b)?);
                (a == b) == (*op == "=")
            }
            Formula::Compare(op, a, b) => {
                let (a, b) = (self.number(a)?, self.number(b)?);
                match *op {
                    "<" => a < b,
                    "<=" => a <= b,
                    ">" => a > b,
                    _ => a >= b,
                }
            }
            Formula::Not(of) => !self.formula(of)?,
            Formula::Connect(op, a, b) => {
                let left = self.formula(a)?;
                match *op {
                    "&&" => left && self.formula(b)?,
                    "||" => left || self.formula(b)?,
                    "=>" => !left || self.formula(b)?,
                    _ => left == self.formula(b)?,
                }
            }
            Formula::IfElse(c, a, b) => {
                if self.formula(c)? {
                    self.formula(a)?
                } else {
                    self.formula(b)?
                }
            }
            Formula::Quantified(word, declarations, body) => {
                let (mut holding, mut count) = (0, 0);
                self.each(declarations, &mut |values| {
                    count += 1;
                    holding += usize::from(values.formula(body)?);
                    Ok(())
                })?;
                if *word == "all" { holding == count } else { many(word, holding) }
            }
            Formula::Let(name, value, body) => {
                let value = self.relation(value)?;
                self.bound.push((name.clone(), value));
                let body = self.formula(body);
                self.bound.pop();
                body?
            }
        })
    }
}

fn many(word: &str, count: usize) -> bool {
    match word {
        "some" => count > 0,
        "no" => count == 0,
        "one" => count == 1,
        _ => count <= 1,
    }
}
