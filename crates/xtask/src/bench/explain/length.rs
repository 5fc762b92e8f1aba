//! One path that cannot be taken, longer and longer: what explaining it costs.

use std::fmt::Write;
use std::path::Path;
use std::process::Command;

use serde_json::Value;

use super::super::measure;
use super::super::table::Table;

/// Instructions of the paths.
const LENGTHS: [usize; 6] = [100, 200, 400, 800, 1600, 3200];

/// Shows the time for each length.
pub fn run() -> Result<(), String> {
    let binary = measure::binary()?;
    let directory = tempfile::tempdir().map_err(|e| e.to_string())?;
    let mut table = Table::new(&["instructions", "ms", "µs an instruction", "predicates"]);
    for length in LENGTHS {
        let path = directory.path().join(format!("path{length}.c"));
        std::fs::write(&path, program(length)).map_err(|e| e.to_string())?;
        let (instructions, micros, predicates) = explained(&binary, &path)?;
        table.row(vec![
            format!("{instructions:.0}"),
            format!("{:.1}", micros / 1000.0),
            format!("{:.1}", micros / instructions.max(1.0)),
            format!("{predicates:.0}"),
        ]);
    }
    println!("one path, longer and longer");
    table.print();
    Ok(())
}

fn explained(binary: &Path, path: &Path) -> Result<(f64, f64, f64), String> {
    let mut command = Command::new(binary);
    command.arg("explain").arg(path).args(["--format", "json"]);
    let cost = measure::watch(&mut command)?;
    let report: Value = serde_json::from_slice(&cost.stdout)
        .map_err(|e| format!("{command:?} wrote no report: {e}"))?;
    let path = &report["results"][0]["stats"]["paths"][0];
    let number = |key: &str| path[key].as_f64().unwrap_or(0.0);
    Ok((number("instructions"), number("time_us"), number("predicates")))
}

/// A path through assignments, branches and calls; what contradicts itself stands at both ends.
fn program(length: usize) -> String {
    let mut text = String::from(
        "extern unsigned read_port(unsigned port);\n\
         static unsigned flags, errors, position;\n\
         static void note(unsigned value) { position = position + value; }\n\
         int main(void) {\n    unsigned value, locked = 1;\n",
    );
    for number in 0..length / 8 {
        let _ = write!(
            text,
            "    value = read_port({number});\n    if (value & 1) {{ flags = flags | value; errors++; }}\n    \
             else return 0;\n    if (value > {number}) note(value); else return 1;\n    flags ^= value << 2;\n"
        );
    }
    text + "    if (!locked) { ERROR: return 1; }\n    return 0;\n}\n"
}
