//! The heaps that the encoder admits, one model after the other.

use encode::atom::Name;
use encode::bounds::Survey;
use encode::inputs::{LeafKey, Source};
use encode::value::Value as Leaf;
use encode::{Engine, Limits, NoOracle};
use logic::{Evaluation, Lit};
use sat::Answer;
use verify::solving::Solving;

use super::brute::{Heap, Holds, Id, Value};
use super::{Compiled, World};

/// More models than this are not asked for.
const MOST: usize = 100_000;

/// All heaps that the laid-out input of the world's method can be, each as often as the solver
/// finds it; without numbers except for the lengths of arrays.
pub fn heaps(world: &World, compiled: &Compiled<'_>) -> Result<Vec<Heap>, String> {
    let oracle = Box::new(NoOracle);
    let mut engine = Engine::new(compiled.subject(), &compiled.scope, Source::Symbolic, oracle);
    let survey = engine.survey(compiled.method, &Limits::default(), true);
    let survey = survey.ok_or("the input is not laid out")?;
    let reader = Reader { world, compiled, survey: &survey };
    reader.expect_slots()?;
    let mut solving = Solving::new(None);
    let mut found = Vec::new();
    loop {
        match solving.solve(&engine.circuit, engine.constraints(), &[], None) {
            Answer::Unsat => return Ok(found),
            Answer::Unknown(_) => return Err("the solver gives up".into()),
            Answer::Sat => {}
        }
        if found.len() > MOST {
            return Err(format!("more than {MOST} models"));
        }
        let model = solving.model(&engine.circuit);
        let (heap, chosen) = reader.read(&engine, &model)?;
        found.push(heap.bare(&world.kinds));
        let same = engine.circuit.and_all(chosen);
        engine.exclude(same);
    }
}

/// Reads models as heaps.
struct Reader<'r> {
    world: &'r World,
    compiled: &'r Compiled<'r>,
    survey: &'r Survey,
}

impl Reader<'_> {
    /// Every reference of the world is surveyed.
    fn expect_slots(&self) -> Result<(), String> {
        for (kind, class) in self.world.kinds.iter().enumerate() {
            for (at, slot) in class.slots.iter().enumerate() {
                for number in 0..class.most {
                    let missing = self.key(Some((kind, number)), at).is_none();
                    if missing && matches!(slot.holds, Holds::Object { .. }) {
                        return Err(format!("{}#{number}.{} is missing", class.name, slot.name));
                    }
                }
            }
        }
        let roots = self.survey.references.iter().filter(|(key, _)| owner(key).is_none());
        let (roots, wanted) = (roots.count(), self.world.roots.len());
        if roots != wanted {
            return Err(format!("{roots} roots, not {wanted}"));
        }
        Ok(())
    }

    fn id(&self, name: &Name) -> Option<Id> {
        let Name::Input(class, number) = name else {
            return None;
        };
        let simple = self.compiled.simple(*class);
        let kind = self.world.kinds.iter().position(|k| k.name == simple)?;
        Some((kind, *number))
    }

    /// The reference in a slot of an object, or a root.
    fn key(&self, object: Option<Id>, slot: usize) -> Option<&(LeafKey, Vec<(Name, Lit)>)> {
        let program = self.compiled.program();
        self.survey
            .references
            .iter()
            .filter(|(key, _)| owner(key).is_some() == object.is_some())
            .find(|(key, _)| match (key, object) {
                (LeafKey::Field(name, field), Some(id)) => {
                    let wanted = self.world.kinds[id.0].slots[slot].name;
                    self.id(name) == Some(id) && *program.field(*field).name == *wanted
                }
                (LeafKey::Element(name, index), Some(id)) => {
                    self.id(name) == Some(id) && *index as usize + 1 == slot
                }
                (LeafKey::Receiver, None) => self.world.roots[slot].name == "receiver",
                (LeafKey::Parameter(number), None) => {
                    self.world.roots[slot].name == format!("parameter {number}")
                }
                (LeafKey::Static(field), None) => {
                    *program.field(*field).name == *self.world.roots[slot].name
                }
                _ => false,
            })
    }

    /// A model as a heap, and the literals that say so.
    fn read(&self, engine: &Engine<'_>, model: &Evaluation) -> Result<(Heap, Vec<Lit>), String> {
        let mut heap = Heap::default();
        let mut chosen = Vec::new();
        let mut work = Vec::new();
        for slot in 0..self.world.roots.len() {
            let to = self.reference(model, None, slot, &mut chosen)?;
            heap.roots.push(to);
            work.extend(to);
        }
        while let Some(id) = work.pop() {
            if heap.objects.contains_key(&id) {
                continue;
            }
            let kind = &self.world.kinds[id.0];
            let mut values = Vec::new();
            for (at, slot) in kind.slots.iter().enumerate() {
                values.push(match &slot.holds {
                    Holds::Object { .. } => {
                        let to = self.reference(model, Some(id), at, &mut chosen)?;
                        work.extend(to);
                        Value::Object(to)
                    }
                    Holds::Number(_) if kind.is_array => {
                        Value::Number(self.length(engine, model, id, &mut chosen)?)
                    }
                    Holds::Number(_) => Value::Number(0),
                });
            }
            heap.objects.insert(id, values);
        }
        Ok((heap, chosen))
    }

    fn reference(
        &self,
        model: &Evaluation,
        object: Option<Id>,
        slot: usize,
        chosen: &mut Vec<Lit>,
    ) -> Result<Option<Id>, String> {
        let (key, entries) = self.key(object, slot).ok_or("a reference is missing")?;
        let held: Vec<&(Name, Lit)> = entries.iter().filter(|e| model.value(e.1)).collect();
        let [(name, lit)] = held[..] else {
            return Err(format!("{key:?} holds {} objects", held.len()));
        };
        chosen.push(*lit);
        match (name, self.id(name)) {
            (Name::Null, _) => Ok(None),
            (_, Some(id)) => Ok(Some(id)),
            (other, None) => Err(format!("{key:?} holds {other:?}")),
        }
    }

    fn length(
        &self,
        engine: &Engine<'_>,
        model: &Evaluation,
        id: Id,
        chosen: &mut Vec<Lit>,
    ) -> Result<i64, String> {
        let found = engine.inputs().leaves().find_map(|(key, value)| match (key, value) {
            (LeafKey::Length(name), Leaf::Bits(bits)) if self.id(name) == Some(id) => Some(bits),
            _ => None,
        });
        let bits = found.ok_or("an array has no length")?;
        for lit in bits.iter().filter(|l| !l.is_constant()) {
            chosen.push(if model.value(lit) { lit } else { !lit });
        }
        Ok(model.word(bits) as i64)
    }
}

/// The object that holds a leaf; roots have none.
fn owner(key: &LeafKey) -> Option<&Name> {
    match key {
        LeafKey::Field(name, _) | LeafKey::Element(name, _) => Some(name),
        _ => None,
    }
}
