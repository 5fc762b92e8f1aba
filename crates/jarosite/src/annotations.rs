//! Declarations of JML's annotations, for sources that use them without having them: they come with
//! the tools of others, and a source that imports them does not compile without. What is on the class
//! path or among the sources comes first.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::Path;
use std::time::SystemTime;

/// Those that are modifiers.
const NAMES: [&str; 35] = [
    "CodeBigintMath",
    "CodeJavaMath",
    "CodeSafeMath",
    "Extract",
    "Ghost",
    "HeapFree",
    "Helper",
    "Immutable",
    "Inline",
    "Instance",
    "Model",
    "Monitored",
    "NoState",
    "NonNull",
    "NonNullByDefault",
    "Nullable",
    "NullableByDefault",
    "Options",
    "Peer",
    "Pure",
    "Query",
    "Readonly",
    "Rep",
    "Secret",
    "SkipEsc",
    "SkipRac",
    "SpecBigintMath",
    "SpecJavaMath",
    "SpecProtected",
    "SpecPublic",
    "SpecPure",
    "SpecSafeMath",
    "StrictlyPure",
    "TwoState",
    "Uninitialized",
];

/// Writes their sources below a directory.
pub(crate) fn write(directory: &Path) -> io::Result<()> {
    let package = spec::annotation::PACKAGE;
    let directory = directory.join(package.replace('.', "/"));
    fs::create_dir_all(&directory)?;
    for name in NAMES {
        let mut file = File::create(directory.join(format!("{name}.java")))?;
        writeln!(file, "package {package};")?;
        // Wherever an annotation can stand.
        let places = "TYPE, FIELD, METHOD, PARAMETER, CONSTRUCTOR, LOCAL_VARIABLE, PACKAGE";
        let places = match name {
            "NonNull" | "Nullable" | "Readonly" | "Peer" | "Rep" => format!("{places}, TYPE_USE"),
            _ => places.to_string(),
        };
        let places = places.replace(", ", ", java.lang.annotation.ElementType.");
        writeln!(
            file,
            "@java.lang.annotation.Target({{java.lang.annotation.ElementType.{places}}})"
        )?;
        writeln!(file, "public @interface {name} {{ String[] value() default {{}}; }}")?;
        // javac takes the newer one of a class and a source, and these are to give way.
        file.set_modified(SystemTime::UNIX_EPOCH)?;
    }
    Ok(())
}
