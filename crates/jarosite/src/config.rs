//! `jarosite.toml`: what a project always wants, so that nobody has to say it.
//!
//! The file is found upward from the first path. What the command line says wins. A mistake is an error
//! with its place: a setting that silently does nothing is worse than none.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::path::{Path, PathBuf};

use clap::ValueEnum;
use toml::Spanned;
use toml::de::{DeTable, DeValue};
use verify::Property;

use crate::class_names::Origin;
use crate::cli::{CheckArgs, Given, SubjectArgs, Switch, part_of_scope};

const NAME: &str = "jarosite.toml";

const KEYS: [&str; 20] = [
    "scope",
    "unroll",
    "array-length",
    "string-length",
    "int-bits",
    "nullness",
    "spec-math",
    "calls",
    "split",
    "bounds",
    "symmetry",
    "replay",
    "jobs",
    "timeout",
    "classpath",
    "sourcepath",
    "exclude",
    "properties",
    "suppress",
    "baseline",
];

/// What only a file can say.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Settings {
    /// Properties that are switched off.
    pub unchecked: BTreeSet<Property>,
    /// Properties that are switched on.
    pub requested: BTreeSet<Property>,
    pub suppressed: Vec<Suppressed>,
    /// The directory that the file is for, if there is one.
    pub directory: Option<PathBuf>,
    /// Whether the command line leaves classes out that the project does not.
    pub leaves_out_more: bool,
}

/// A violation that the project accepts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Suppressed {
    pub fingerprint: String,
    pub reason: String,
    /// `jarosite.toml:7:1`.
    pub place: String,
}

/// Fills in what the command line of `check` leaves open. An error is a sentence.
pub fn complete(args: &mut CheckArgs, given: &Given) -> Result<(), String> {
    let Some(file) = File::find(&args.subject)? else {
        return Ok(());
    };
    let mut settings = Settings {
        directory: Some(file.beside(".")),
        leaves_out_more: given.contains("exclude"),
        ..Settings::default()
    };
    for (key, value) in file.table()?.get_ref() {
        let entry = Entry { file: &file, key: key.get_ref(), span: key.span(), value };
        let is_open = !given.contains(&entry.key.replace('-', "_"));
        match entry.key {
            "properties" => (settings.unchecked, settings.requested) = entry.switched()?,
            "suppress" => settings.suppressed = entry.suppressed()?,
            _ if !entry.for_check(args, is_open)? => {
                entry.for_subject(&mut args.subject, is_open)?
            }
            _ => {}
        }
    }
    args.settings = settings;
    Ok(())
}

/// The same for other commands, which have fewer options; the rest of the file is not theirs.
pub fn complete_subject(args: &mut SubjectArgs, given: &Given) -> Result<(), String> {
    let Some(file) = File::find(args)? else {
        return Ok(());
    };
    for (key, value) in file.table()?.get_ref() {
        let entry = Entry { file: &file, key: key.get_ref(), span: key.span(), value };
        entry.for_subject(args, !given.contains(&entry.key.replace('-', "_")))?;
    }
    Ok(())
}

/// A configuration on disk.
struct File {
    path: PathBuf,
    text: String,
}

impl File {
    /// The file that is named, or the next one upward from the first path.
    fn find(args: &SubjectArgs) -> Result<Option<File>, String> {
        let path = match (&args.config, args.paths.first()) {
            (Some(named), _) => named.clone(),
            (None, Some(first)) => match discovered(first) {
                Some(found) => found,
                None => return Ok(None),
            },
            (None, None) => return Ok(None),
        };
        match crate::files::read_to_string(&path) {
            Ok(text) => Ok(Some(File { path, text })),
            Err(error) => Err(format!("cannot read {}: {error}", path.display())),
        }
    }

    fn table(&self) -> Result<Spanned<DeTable<'_>>, String> {
        DeTable::parse(&self.text)
            .map_err(|error| self.error(error.span().unwrap_or(0..0), error.message()))
    }

    /// A sentence about a place in the file.
    fn error(&self, span: Range<usize>, message: &str) -> String {
        format!("{}: {message}", self.place(span))
    }

    /// `jarosite.toml:3:1`.
    fn place(&self, span: Range<usize>) -> String {
        let before = self.text.get(..span.start).unwrap_or(&self.text);
        let line = before.matches('\n').count() + 1;
        let column = before.chars().rev().take_while(|c| *c != '\n').count() + 1;
        format!("{}:{line}:{column}", self.path.display())
    }

    /// Paths in the file are relative to the file.
    fn beside(&self, path: &str) -> PathBuf {
        self.path.parent().unwrap_or(Path::new("")).join(path)
    }
}

fn discovered(first: &Path) -> Option<PathBuf> {
    let start = std::path::absolute(first).ok()?;
    let found = start.ancestors().map(|directory| directory.join(NAME)).find(|f| f.is_file())?;
    // Shorter, and as the user would write it.
    let here = std::env::current_dir().ok();
    let relative = here.and_then(|here| found.strip_prefix(here).ok().map(Path::to_path_buf));
    Some(relative.unwrap_or(found))
}

/// One setting, and where it stands.
struct Entry<'f> {
    file: &'f File,
    key: &'f str,
    span: Range<usize>,
    value: &'f Spanned<DeValue<'f>>,
}

impl Entry<'_> {
    /// What only `check` knows; whether it was that. What the command line said is checked all the same
    /// but not used.
    fn for_check(&self, args: &mut CheckArgs, is_open: bool) -> Result<bool, String> {
        let mut unused = args.clone();
        let args = if is_open { args } else { &mut unused };
        match self.key {
            "unroll" => args.unroll = self.number_or_auto()?,
            "split" => args.split = self.number_or_auto()?,
            "calls" => args.calls = self.choice()?,
            "bounds" => args.bounds = self.choice()?,
            "symmetry" => args.symmetry = self.switch()?,
            "replay" => args.replay = self.switch()?,
            "baseline" => args.baseline = Some(self.file.beside(self.string()?)),
            _ => return Ok(false),
        }
        Ok(true)
    }

    fn for_subject(&self, args: &mut SubjectArgs, is_open: bool) -> Result<(), String> {
        if self.key == "scope" {
            let (mut scope, origins) = self.scope()?;
            args.scope_origins = origins;
            if !is_open {
                for part in &args.scope {
                    // What the command line says comes from there.
                    if let Ok((Some(class), _)) = part_of_scope(part) {
                        args.scope_origins.remove(class);
                    }
                }
                scope.extend(std::mem::take(&mut args.scope));
            }
            args.scope = scope;
            return Ok(());
        }
        let mut unused = args.clone();
        let args = if is_open { args } else { &mut unused };
        match self.key {
            "array-length" => args.array_length = Some(self.number(0, u32::MAX)?),
            "string-length" => args.string_length = Some(self.number(0, u32::MAX)?),
            "int-bits" => args.int_bits = self.number(2, 32)?,
            "nullness" => args.nullness = self.choice()?,
            "spec-math" => args.spec_math = self.choice()?,
            "jobs" => args.jobs = Some(self.number(1, u32::MAX)?),
            "timeout" => args.timeout = self.seconds()?,
            "classpath" => args.classpath = self.paths()?,
            "sourcepath" => args.sourcepath = self.paths()?,
            "exclude" => args.exclude = self.strings()?,
            known if KEYS.contains(&known) => {}
            unknown => {
                let guess = did_you_mean(unknown, KEYS);
                let message = format!("unknown setting `{unknown}`{guess}");
                return Err(self.file.error(self.span.clone(), &message));
            }
        }
        Ok(())
    }

    fn error(&self, message: &str) -> String {
        self.file.error(self.value.span(), message)
    }

    fn expected(&self, what: &str) -> String {
        let found = self.value.get_ref().type_str();
        self.error(&format!("`{}` takes {what}, not this {found}", self.key))
    }

    fn integer(&self) -> Option<i64> {
        let integer = self.value.get_ref().as_integer()?;
        i64::from_str_radix(integer.as_str(), integer.radix()).ok()
    }

    fn number(&self, least: u32, most: u32) -> Result<u32, String> {
        let range = match most {
            u32::MAX => format!("a number from {least}"),
            _ => format!("a number from {least} to {most}"),
        };
        let number = self.integer().and_then(|n| u32::try_from(n).ok());
        number
            .filter(|n| (least..=most).contains(n))
            .ok_or_else(|| self.error(&format!("`{}` takes {range}", self.key)))
    }

    fn seconds(&self) -> Result<String, String> {
        if self.value.get_ref().as_str() == Some("none") {
            return Ok("none".into());
        }
        let float = self.value.get_ref().as_float().and_then(|f| f.as_str().parse().ok());
        let seconds = float.or_else(|| self.integer().map(|n| n as f64));
        let seconds = seconds.filter(|s| *s > 0.0 && *s < 1e9).map(|s| s.to_string());
        seconds.ok_or_else(|| {
            let what = "a positive number of seconds, or \"none\"";
            self.error(&format!("`{}` takes {what}", self.key))
        })
    }

    fn number_or_auto(&self) -> Result<String, String> {
        match (self.integer(), self.value.get_ref().as_str()) {
            (Some(number), _) if number >= 0 => Ok(number.to_string()),
            (_, Some("auto")) => Ok("auto".into()),
            _ => Err(self.error(&format!("`{}` takes a number or \"auto\"", self.key))),
        }
    }

    fn string(&self) -> Result<&str, String> {
        self.value.get_ref().as_str().ok_or_else(|| self.expected("a text"))
    }

    fn strings(&self) -> Result<Vec<String>, String> {
        let text = |value: &Spanned<DeValue<'_>>| match value.get_ref().as_str() {
            Some(text) => Ok(text.to_string()),
            None => Err(self.file.error(value.span(), "this list takes texts")),
        };
        match self.value.get_ref() {
            DeValue::Array(array) => array.iter().map(text).collect(),
            DeValue::String(one) => Ok(vec![one.to_string()]),
            _ => Err(self.expected("a list of texts")),
        }
    }

    fn paths(&self) -> Result<Vec<String>, String> {
        let paths = self.strings()?;
        Ok(paths.iter().map(|path| self.file.beside(path).display().to_string()).collect())
    }

    fn choice<T: ValueEnum>(&self) -> Result<T, String> {
        let text = self.string()?;
        T::from_str(text, false).map_err(|_| {
            let values = T::value_variants().iter().filter_map(T::to_possible_value);
            let names: Vec<String> = values.map(|v| v.get_name().to_string()).collect();
            let guess = did_you_mean(text, names.iter().map(String::as_str));
            let known = names.join(", ");
            self.error(&format!("`{}` is one of {known}, not `{text}`{guess}", self.key))
        })
    }

    fn switch(&self) -> Result<Switch, String> {
        match self.value.get_ref().as_bool() {
            Some(true) => Ok(Switch::On),
            Some(false) => Ok(Switch::Off),
            None => self.choice(),
        }
    }

    /// `3`, or a table of classes in which `default` is for all others.
    fn scope(&self) -> Result<(Vec<String>, BTreeMap<String, Origin>), String> {
        let number = |key: &str, value| {
            let entry = Entry { file: self.file, key, span: self.span.clone(), value };
            entry.number(0, u32::MAX)
        };
        let DeValue::Table(table) = self.value.get_ref() else {
            return Ok((vec![number("scope", self.value)?.to_string()], BTreeMap::new()));
        };
        let mut origins = BTreeMap::new();
        let mut parts = vec!["3".to_string()];
        for (class, value) in table {
            let objects = number(class.get_ref(), value)?;
            match class.get_ref().as_ref() {
                "default" => parts[0] = objects.to_string(),
                name => {
                    parts.push(format!("{name}={objects}"));
                    let place = self.file.place(class.span());
                    let directory = self.file.beside(".");
                    origins.insert(name.to_string(), Origin { place, directory });
                }
            }
        }
        Ok((parts, origins))
    }

    /// A table of properties, each off or on.
    fn switched(&self) -> Result<(BTreeSet<Property>, BTreeSet<Property>), String> {
        let DeValue::Table(table) = self.value.get_ref() else {
            return Err(self.expected("a table of properties"));
        };
        let (mut off, mut on) = (BTreeSet::new(), BTreeSet::new());
        for (name, value) in table {
            let property = named_property(name.get_ref());
            let property = property.map_err(|why| self.file.error(name.span(), &why))?;
            let key = name.get_ref();
            let entry = Entry { file: self.file, key, span: name.span(), value };
            match entry.switch()? {
                Switch::Off => off.insert(property),
                Switch::On => on.insert(property),
            };
        }
        Ok((off, on))
    }

    /// Tables with a fingerprint and a reason.
    fn suppressed(&self) -> Result<Vec<Suppressed>, String> {
        let DeValue::Array(array) = self.value.get_ref() else {
            return Err(self.expected("tables: write [[suppress]]"));
        };
        array.iter().map(|item| self.one_suppressed(item)).collect()
    }

    fn one_suppressed(&self, item: &Spanned<DeValue<'_>>) -> Result<Suppressed, String> {
        let DeValue::Table(table) = item.get_ref() else {
            return Err(self.file.error(item.span(), "a suppression is a table"));
        };
        let (mut fingerprint, mut reason) = (String::new(), String::new());
        for (key, value) in table {
            let entry = Entry { file: self.file, key: key.get_ref(), span: key.span(), value };
            match entry.key {
                "fingerprint" => fingerprint = entry.string()?.into(),
                "reason" => reason = entry.string()?.into(),
                other => {
                    let guess = did_you_mean(other, ["fingerprint", "reason"]);
                    let message = format!("a suppression has no `{other}`{guess}");
                    return Err(self.file.error(key.span(), &message));
                }
            }
        }
        if fingerprint.is_empty() || reason.trim().is_empty() {
            let message = "a suppression needs a fingerprint and a reason";
            return Err(self.file.error(item.span(), message));
        }
        let place = self.file.place(item.span());
        Ok(Suppressed { fingerprint, reason, place })
    }
}

/// The property of this name; an error says which one may be meant.
pub fn named_property(name: &str) -> Result<Property, String> {
    Property::named(name).ok_or_else(|| {
        let guess = did_you_mean(name, Property::ALL.iter().map(|p| p.name()));
        format!("there is no property `{name}`{guess}")
    })
}

/// ` (did you mean …?)`, if something is close enough.
pub(crate) fn did_you_mean<'n>(word: &str, known: impl IntoIterator<Item = &'n str>) -> String {
    let likeness = |name: &str| strsim::jaro_winkler(word, name);
    let best = known.into_iter().max_by(|a, b| likeness(a).total_cmp(&likeness(b)));
    match best.filter(|name| likeness(name) > 0.75) {
        Some(name) => format!(" (did you mean `{name}`?)"),
        None => String::new(),
    }
}

#[cfg(test)]
#[path = "config_tests.rs"]
mod tests;
