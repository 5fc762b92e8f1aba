//! `examples/` as a user checks them: wall time, memory, and the methods that cost most.

use serde_json::Value;

use super::measure::{self, median, ms, results, stat};
use super::table::Table;

const RUNS: usize = 3;
const SLOWEST: usize = 10;

/// Checks `examples/` three times and shows the median.
pub fn run() -> Result<(), String> {
    let binary = measure::binary()?;
    let (mut walls, mut together, mut runs) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..RUNS {
        let (cost, report) = measure::check(&binary, &["examples"])?;
        walls.push(ms(cost.wall));
        together.push(cost.together);
        runs.push((cost, report));
    }
    let (cost, report) = runs.pop().ok_or("no run")?;
    let summary = &report["summary"];
    println!("jarosite check examples: median of {RUNS} runs");
    let mut table = Table::new(&["", ""]);
    let mut line = |name: &str, value: String| table.row(vec![name.into(), value]);
    line("wall time", format!("{:.2} s", median(walls) / 1000.0));
    for (name, title) in [("methods", "methods"), ("verified", "  verified")] {
        line(title, summary[name].to_string());
    }
    for (name, title) in [("violated", "  violated"), ("undecided", "  undecided")] {
        line(title, summary[name].to_string());
    }
    for (program, peak) in &cost.peaks {
        line(&format!("peak memory of {program}"), format!("{peak:.0} MB"));
    }
    line("most at one time, all processes", format!("{:.0} MB", median(together)));
    table.print();
    slowest(&report);
    Ok(())
}

fn slowest(report: &Value) {
    let mut methods: Vec<&Value> = results(report).iter().collect();
    methods.sort_by(|a, b| stat(b, "time_ms").total_cmp(&stat(a, "time_ms")));
    println!("slowest methods of the last run (ms; the rest of the time is decoding and replay)");
    let mut table =
        Table::new(&["method", "total", "encode", "solve", "instructions", "variables", "clauses"]);
    for method in methods.into_iter().take(SLOWEST) {
        let text = |key: &str| method[key].as_str().unwrap_or_default();
        let number = |key: &str| format!("{:.0}", stat(method, key));
        table.row(vec![
            format!("{}.{}", text("class"), text("method")),
            number("time_ms"),
            number("encode_ms"),
            number("solve_ms"),
            number("instructions"),
            number("variables"),
            number("clauses"),
        ]);
    }
    table.print();
}
