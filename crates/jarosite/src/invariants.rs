//! What the given code keeps of itself, found once for these very classes and then remembered.

use verify::Options;
use verify::invariants::{self, Inferred};

use crate::cache::Cache;
use crate::project::Project;

/// Adds to the contracts of a project what holds of all objects that its code makes.
pub fn complete(project: &mut Project, options: &Options, jobs: usize, cache: Option<&Cache>) {
    let found = remembered_or_found(project, options, jobs, cache);
    project.contracts = invariants::with_inferred(&project.contracts, &found);
}

/// What holds of all objects that the code of a project makes.
pub fn remembered_or_found(
    project: &Project,
    options: &Options,
    jobs: usize,
    cache: Option<&Cache>,
) -> Vec<Inferred> {
    let known = cache.and_then(Cache::inferred);
    if let Some(known) = known.and_then(|known| invariants::recall(project.subject(), &known)) {
        return known;
    }
    let found = invariants::infer(project.subject(), options, jobs);
    // What an interruption has cut short is no answer.
    if !options.watch.is_interrupted() {
        cache.iter().for_each(|cache| cache.put_inferred(&texts(project, &found)));
    }
    found
}

fn texts(project: &Project, found: &[Inferred]) -> Vec<(String, String)> {
    let text = |found: &Inferred| {
        let class = project.program.class_name(found.class).to_string();
        (class, found.clause.site.text.to_string())
    };
    found.iter().map(text).collect()
}
