//! The command line. Its meaning is a contract: see the options' texts.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::time::Duration;

use clap::parser::ValueSource;
use clap::{ArgMatches, Args, Parser, Subcommand, ValueEnum};
use encode::{Property, Scope};
use spec::resolve::{Defaults, Math, Reading};
use verify::select::Filter;
use verify::{Growth, Options, Tuning, Unroll};

use crate::class_names::Origin;
use crate::config::Settings;
use crate::progress::Volume;

/// Bounded verification of Java: finds real bugs, or searches everything within a scope.
#[derive(Parser, Debug)]
#[command(name = "jarosite", version, disable_help_subcommand = true)]
pub struct Cli {
    #[command(subcommand)]
    pub command: Command,
}

#[derive(Subcommand, Debug)]
pub enum Command {
    /// Check the methods in sources, class files, jars or directories.
    Check(Box<CheckArgs>),
    /// Print what the code keeps of its objects without saying so, as JML invariants.
    Infer(Box<InferArgs>),
    /// Check again whenever you save something, and print what changed.
    Watch(Box<CheckArgs>),
    /// Show, compute and keep tight bounds: what fields can hold, given the invariants.
    #[command(subcommand)]
    Bounds(BoundsCommand),
    /// Say why a point of a C program cannot be reached, or show how it can.
    Explain(Box<ExplainArgs>),
}

/// What the user wrote after `explain`.
#[derive(Args, Clone, Debug)]
pub struct ExplainArgs {
    /// C sources, all of one program.
    #[arg(value_name = "FILE.c", required = true)]
    pub paths: Vec<PathBuf>,
    /// What to look for: a label, `FUNCTION:LABEL`, `FILE:LINE`, `assert` for assertions that fail, or
    /// `undefined` for arithmetic without a value (signed overflow, division by zero).
    #[arg(long, value_name = "LABEL|FILE:LINE|assert|undefined", default_value = "ERROR")]
    pub to: String,
    /// The function where the program starts.
    #[arg(long, value_name = "NAME", default_value = "main")]
    pub function: String,
    /// Whether signed overflow is undefined, and taken not to happen, or wraps round.
    #[arg(long, value_enum, default_value_t = Overflow::Undefined)]
    pub overflow: Overflow,
    /// Whether globals start with their initial values or with any values.
    #[arg(long, value_enum, default_value_t = Globals::Initial)]
    pub globals: Globals,
    /// Whether an execution that is found is compiled and run.
    #[arg(long, value_enum, default_value_t = Switch::On)]
    pub replay: Switch,
    /// Report format: `human`, `json`, `sarif` or `html`.
    #[arg(long, value_enum, default_value_t = Format::Human)]
    pub format: Format,
    /// Write the report to this file instead of standard output.
    #[arg(long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Write the proof or the execution to this file, as a witness in the format 2 of the competition
    /// on software verification.
    #[arg(long, value_name = "FILE")]
    pub witness: Option<PathBuf>,
    /// Longest time to search.
    #[arg(long, value_name = "SECONDS", default_value_t = 30.0)]
    pub timeout: f64,
    /// Define a macro for the preprocessor (repeatable).
    #[arg(short = 'D', value_name = "NAME[=VALUE]")]
    pub define: Vec<String>,
    /// Let the preprocessor look for headers here (repeatable).
    #[arg(short = 'I', value_name = "DIR")]
    pub include: Vec<PathBuf>,
}

/// What signed overflow means.
#[derive(ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
pub enum Overflow {
    Undefined,
    Wrap,
}

/// What globals hold at the start.
#[derive(ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
pub enum Globals {
    Initial,
    Unknown,
}

/// What `bounds` does.
#[derive(Subcommand, Debug)]
pub enum BoundsCommand {
    /// List what the store holds.
    List,
    /// Draw the bounds of classes, and compute them first if needed.
    Show(Box<SubjectArgs>),
    /// Compute the bounds of classes and keep them.
    Compute(Box<SubjectArgs>),
    /// Write the store to a file.
    Export { file: PathBuf },
    /// Add the bounds in a file to the store.
    Import { file: PathBuf },
    /// Empty the store.
    Clear,
}

/// What is looked at, and within which limits: common to all commands that look at code.
// Its fields are options, one each.
#[derive(Args, Clone, Debug)]
pub struct SubjectArgs {
    /// Java sources, class files, jars, or directories of them.
    #[arg(value_name = "PATH", required = true)]
    pub paths: Vec<PathBuf>,
    /// Look only at classes whose name matches (`*` and `?` allowed; repeatable).
    #[arg(long = "class", value_name = "GLOB")]
    pub classes: Vec<String>,
    /// Look only at methods whose name or signature matches: `insert`, `insert(int)` (repeatable).
    #[arg(long = "method", value_name = "GLOB")]
    pub methods: Vec<String>,
    /// Look for further sources here (repeatable).
    #[arg(long, value_name = "DIR")]
    pub sourcepath: Vec<String>,
    /// Look for further classes here (repeatable).
    #[arg(long, value_name = "PATH")]
    pub classpath: Vec<String>,
    /// Most objects of each class in the input heap: `3`, `Node=5,List=1`, or both.
    #[arg(long, value_name = "N|CLASS=N,…", value_delimiter = ',', default_value = "3")]
    pub scope: Vec<String>,
    /// Where the configuration names the classes of `scope`.
    #[arg(skip)]
    pub scope_origins: BTreeMap<String, Origin>,
    /// Longest input array [default: 3, and more where a constant of the method asks for it].
    #[arg(long, value_name = "N")]
    pub array_length: Option<u32>,
    /// Longest input string [default: 5, and more where a constant of the method asks for it].
    #[arg(long, value_name = "N")]
    pub string_length: Option<u32>,
    /// Width of input numbers: fewer bits are faster but cover fewer inputs.
    #[arg(long, value_name = "N", default_value_t = 32,
          value_parser = clap::value_parser!(u32).range(2..=32))]
    pub int_bits: u32,
    /// Whether references without annotation may be null.
    #[arg(long, value_enum, default_value_t = Nullness::Auto)]
    pub nullness: Nullness,
    /// How specifications compute with integers.
    #[arg(long, value_enum, default_value_t = SpecMath::Java)]
    pub spec_math: SpecMath,
    /// How many threads to use [default: number of cores].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub jobs: Option<u32>,
    /// Longest time for one method; what is known by then is kept.
    #[arg(long, value_name = "SECONDS|none", default_value = "30")]
    pub timeout: String,
    /// Skip classes whose name matches (repeatable).
    #[arg(long, value_name = "GLOB")]
    pub exclude: Vec<String>,
    /// Read the project's settings here [default: jarosite.toml, found upward from the first PATH].
    #[arg(long, value_name = "FILE")]
    pub config: Option<PathBuf>,
    /// Print only what is wrong: no progress, nothing about what is verified.
    #[arg(long, short, conflicts_with = "verbose")]
    pub quiet: bool,
    /// Print each stage and what it cost.
    #[arg(long, short)]
    pub verbose: bool,
}

/// What `infer` takes.
#[derive(Args, Clone, Debug)]
pub struct InferArgs {
    #[command(flatten)]
    pub subject: SubjectArgs,
    /// Clauses for people, or one JSON document.
    #[arg(long, value_enum, default_value_t = InferFormat::Human)]
    pub format: InferFormat,
}

#[derive(ValueEnum, Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum InferFormat {
    #[default]
    Human,
    Json,
}

/// What `check` takes.
// Its fields are options, one each.
#[derive(Args, Clone, Debug)]
pub struct CheckArgs {
    #[command(flatten)]
    pub subject: SubjectArgs,
    /// Follow loops and recursion this far; `auto` goes deeper until nothing goes further.
    #[arg(long, value_name = "N|auto", default_value = "auto")]
    pub unroll: String,
    /// What stands for a call: the called method's code, its contract, or as much of its code as
    /// turns out to matter.
    #[arg(long, value_enum, default_value_t = Calls::Inline)]
    pub calls: Calls,
    /// What holds of objects beforehand: what the code keeps of itself and what is stated; or only
    /// what is stated.
    #[arg(long, value_enum, default_value_t = Invariants::Infer)]
    pub invariants: Invariants,
    /// Look for this too (repeatable).
    #[arg(long, value_enum, value_name = "PROPERTY")]
    pub check: Vec<OnRequest>,
    /// Which findings fail the run.
    #[arg(long, value_enum, default_value_t = FailOn::Error)]
    pub fail_on: FailOn,
    /// Report format: `human`, `json`, `html`, `sarif` or `junit`; `html=report.html` writes a file
    /// (repeatable).
    #[arg(long = "format", value_name = "FORMAT[=FILE]")]
    pub formats: Vec<String>,
    /// Write the report to this file instead of standard output.
    #[arg(long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Write a JUnit 5 test for each counterexample to this directory.
    #[arg(long, value_name = "DIR")]
    pub emit_tests: Option<PathBuf>,
    /// Skip heaps that are identical up to object naming.
    #[arg(long, value_enum, default_value_t = Switch::On)]
    pub symmetry: Switch,
    /// Divide a method's paths into this many parts; `auto` divides hard methods only.
    #[arg(long, value_name = "N|auto", default_value = "auto")]
    pub split: String,
    /// Compute first what fields can hold, given the invariants.
    #[arg(long, value_enum, default_value_t = BoundsChoice::Auto)]
    pub bounds: BoundsChoice,
    /// Represent numbers that are only compared by their order.
    #[arg(long, value_enum, default_value_t = Switch::On, hide = true)]
    pub order: Switch,
    /// Go through inputs one by one if they are few and hard for the solver.
    #[arg(long, value_enum, default_value_t = Switch::On, hide = true)]
    pub cases: Switch,
    /// With `--calls infer`: show what mattered about called methods.
    #[arg(long)]
    pub show_specs: bool,
    /// With `--calls infer`: write what mattered to this file, as JML.
    #[arg(long, value_name = "FILE")]
    pub emit_specs: Option<PathBuf>,
    /// Run every counterexample on the real JVM.
    #[arg(long, value_enum, default_value_t = Switch::On)]
    pub replay: Switch,
    /// Accept the violations listed in this file: they do not fail the run.
    #[arg(long, value_name = "FILE")]
    pub baseline: Option<PathBuf>,
    /// Write the violations found to this file, for --baseline; they do not fail this run.
    #[arg(long, value_name = "FILE")]
    pub write_baseline: Option<PathBuf>,
    /// Check everything: neither use nor keep results from one run to the next.
    #[arg(long)]
    pub no_cache: bool,
    /// What the configuration says beyond options.
    #[arg(skip)]
    pub settings: Settings,
}

#[derive(ValueEnum, Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Invariants {
    /// What the constructors and methods of a class keep holds too. What fails in a state that no
    /// program is known to reach is only possible.
    #[default]
    Infer,
    /// Every state counts that satisfies the stated invariants.
    Declared,
}

#[derive(ValueEnum, Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum FailOn {
    /// What a program reaches.
    #[default]
    Error,
    /// Also what fails in a state that no program is known to reach.
    Warning,
    /// Also what a method demands of its arguments without saying so.
    Precondition,
}

#[derive(ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
pub enum BoundsChoice {
    /// Where invariants restrict the input.
    Auto,
    Off,
}

#[derive(ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
pub enum Nullness {
    /// Parameters are non-null, or as the annotations in force say; fields are as the code shows.
    Auto,
    /// What is not annotated may be null.
    Nullable,
    /// Parameters are non-null, and in files with JML all references.
    Nonnull,
    /// As the manual of JML has it: what is not annotated is non-null in files with JML.
    Jml,
}

#[derive(ValueEnum, Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Calls {
    /// The code of the called method.
    #[default]
    Inline,
    /// The contract of the called method, where it has one.
    Contract,
    /// What the called method may change, and as much of its code as turns out to matter.
    Infer,
}

#[derive(ValueEnum, Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SpecMath {
    /// As in Java: bounded, and wrapping round.
    #[default]
    Java,
    /// As in mathematics: without bounds.
    Bigint,
    /// As in Java, but a clause in which something overflows has no value.
    Safe,
}

#[derive(ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
pub enum Switch {
    On,
    Off,
}

/// A report to write.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Report {
    pub format: Format,
    /// Standard output if absent.
    pub file: Option<PathBuf>,
}

#[derive(ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    Human,
    Json,
    Html,
    Sarif,
    Junit,
}

/// The options that the user wrote, by the names of their fields.
pub type Given = BTreeSet<String>;

/// What the user wrote, as opposed to defaults.
pub fn given(matches: &ArgMatches) -> Given {
    match matches.subcommand() {
        Some((_, inner)) => given(inner),
        None => {
            let is_given = |id: &&str| matches.value_source(id) == Some(ValueSource::CommandLine);
            matches.ids().map(|id| id.as_str()).filter(is_given).map(str::to_string).collect()
        }
    }
}

impl Calls {
    /// How calls are treated; an error is a sentence.
    pub fn chosen(self) -> Result<verify::Calls, String> {
        match self {
            Calls::Inline => Ok(verify::Calls::Inline),
            Calls::Contract => Ok(verify::Calls::Contract),
            Calls::Infer => Ok(verify::Calls::INFER),
        }
    }
}

impl From<Nullness> for Defaults {
    fn from(nullness: Nullness) -> Defaults {
        match nullness {
            Nullness::Auto => Defaults::Shown,
            Nullness::Nullable => Defaults::Nullable,
            Nullness::Nonnull | Nullness::Jml => Defaults::NonNull,
        }
    }
}

impl From<SpecMath> for Math {
    fn from(math: SpecMath) -> Math {
        match math {
            SpecMath::Java => Math::Java,
            SpecMath::Bigint => Math::Bigint,
            SpecMath::Safe => Math::Safe,
        }
    }
}

/// What is not looked for unless somebody asks.
#[derive(ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
pub enum OnRequest {
    /// `int` and `long` arithmetic that wraps.
    Overflow,
}

impl CheckArgs {
    /// Whether an option asks for a property.
    fn checks(&self, property: Property) -> bool {
        let asked = self.check.iter().map(|asked| match asked {
            OnRequest::Overflow => Property::Overflow,
        });
        asked.into_iter().any(|asked| asked == property)
    }

    /// The options for the strategies; an error is a sentence.
    pub fn options(&self) -> Result<Options, String> {
        let unroll = match self.unroll.as_str() {
            "auto" => Unroll::Auto,
            number => match number.parse() {
                Ok(depth) => Unroll::Fixed(depth),
                Err(_) => return Err(format!("--unroll takes a number or `auto`, not `{number}`")),
            },
        };
        let calls = self.calls.chosen()?;
        let symmetry = self.symmetry == Switch::On;
        let split = match self.split.as_str() {
            "auto" => None,
            number => match number.parse() {
                Ok(cases) if cases > 0 => Some(cases),
                _ => return Err(format!("--split takes a number or `auto`, not `{number}`")),
            },
        };
        let bounds = self.bounds == BoundsChoice::Auto;
        let order = self.order == Switch::On;
        let off = Property::ON_REQUEST.into_iter();
        let off = off.filter(|p| !self.checks(*p) && !self.settings.requested.contains(p));
        let unchecked = self.settings.unchecked.iter().copied().chain(off).collect();
        let common = self.subject.options()?;
        let walks = self.cases == Switch::On;
        let cases_after = common.tuning.cases_after.filter(|_| walks);
        Ok(Options {
            unroll,
            calls,
            symmetry,
            bounds,
            order,
            split,
            tuning: Tuning { cases_after, ..common.tuning },
            unchecked,
            routes: self.invariants == Invariants::Infer,
            ..common
        })
    }

    /// The reports to write; at most one goes to standard output.
    pub fn reports(&self) -> Result<Vec<Report>, String> {
        let mut reports = Vec::new();
        for text in &self.formats {
            let (format, file) = match text.split_once('=') {
                Some((_, "")) => return Err(format!("--format {text} names no file")),
                Some((format, file)) => (format, Some(PathBuf::from(file))),
                None => (text.as_str(), self.output.clone()),
            };
            let Ok(format) = Format::from_str(format, true) else {
                return Err(format!(
                    "--format knows `human`, `json`, `html`, `sarif` and `junit`, not `{format}`"
                ));
            };
            reports.push(Report { format, file });
        }
        if reports.is_empty() {
            reports.push(Report { format: Format::Human, file: self.output.clone() });
        }
        if reports.iter().filter(|r| r.file.is_none()).count() > 1 {
            return Err("only one --format can go to standard output: write FORMAT=FILE".into());
        }
        let files: Vec<&PathBuf> = reports.iter().filter_map(|r| r.file.as_ref()).collect();
        if let Some(i) = (1..files.len()).find(|i| files[..*i].contains(&files[*i])) {
            return Err(format!(
                "two reports would go to {}: write FORMAT=FILE",
                files[i].display()
            ));
        }
        Ok(reports)
    }
}

/// No scope that is larger fits in a computer's memory, let alone is searched.
const LARGEST: u32 = 100_000;

impl SubjectArgs {
    /// The options for the strategies, as far as these tell; an error is a sentence.
    pub fn options(&self) -> Result<Options, String> {
        let usual = Scope::default();
        let growth =
            Growth { arrays: self.array_length.is_none(), strings: self.string_length.is_none() };
        let mut scope = Scope {
            array_length: self.array_length.unwrap_or(usual.array_length),
            string_length: self.string_length.unwrap_or(usual.string_length),
            int_bits: self.int_bits,
            nullable_parameters: self.nullness == Nullness::Nullable,
            ..usual
        };
        set_objects(&mut scope, &self.scope)?;
        for (option, size) in [
            ("--scope", scope.most_objects()),
            ("--array-length", scope.array_length),
            ("--string-length", scope.string_length),
        ] {
            if size > LARGEST {
                return Err(format!(
                    "{option} is at most {LARGEST}, not {size}: start with 3 or 10"
                ));
            }
        }
        Ok(Options { scope, growth, timeout: seconds(&self.timeout)?, ..Options::default() })
    }

    /// How specifications are read where they leave it open.
    pub fn reading(&self) -> Reading {
        Reading { math: self.spec_math.into(), defaults: self.nullness.into() }
    }

    /// The filter of `--class` and `--method`.
    pub fn filter(&self) -> Filter {
        Filter {
            classes: self.classes.clone(),
            methods: self.methods.clone(),
            excluded: self.exclude.clone(),
        }
    }

    /// Whether everything is looked at.
    pub fn is_whole(&self) -> bool {
        self.classes.is_empty() && self.methods.is_empty()
    }

    /// How much is said beside the results.
    pub fn volume(&self) -> Volume {
        match (self.quiet, self.verbose) {
            (true, _) => Volume::Quiet,
            (_, true) => Volume::Verbose,
            _ => Volume::Normal,
        }
    }

    /// How many threads work.
    pub fn threads(&self) -> usize {
        let cores = || std::thread::available_parallelism().map_or(1, |n| n.get());
        self.jobs.map_or_else(cores, |jobs| jobs as usize)
    }
}

fn seconds(timeout: &str) -> Result<Option<Duration>, String> {
    match timeout.parse::<f64>() {
        _ if timeout == "none" => Ok(None),
        Ok(seconds) if seconds > 0.0 && seconds < 1e9 => Ok(Some(Duration::from_secs_f64(seconds))),
        _ => {
            Err(format!("--timeout takes a positive number of seconds, or `none`, not `{timeout}`"))
        }
    }
}

/// Reads `--scope`.
fn set_objects(scope: &mut Scope, parts: &[String]) -> Result<(), String> {
    for part in parts.iter().map(|p| p.trim()).filter(|p| !p.is_empty()) {
        match part_of_scope(part)? {
            (Some(class), number) => {
                scope.per_class.insert(class.to_string(), number);
            }
            (None, number) => scope.objects = number,
        }
    }
    Ok(())
}

/// `Node=5` or `3`.
pub(crate) fn part_of_scope(part: &str) -> Result<(Option<&str>, u32), String> {
    let (class, number) = match part.split_once('=') {
        Some((class, number)) => (Some(class.trim()), number.trim()),
        None => (None, part.trim()),
    };
    match number.parse() {
        Ok(number) => Ok((class, number)),
        Err(_) => {
            let whole = part.trim();
            Err(format!(
                "--scope takes a number or Class=number, separated by commas, not `{whole}`"
            ))
        }
    }
}
