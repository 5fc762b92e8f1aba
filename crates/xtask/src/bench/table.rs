//! Tables of text, columns aligned: the first to the left, the others to the right.

/// Rows under a header.
pub struct Table {
    rows: Vec<Vec<String>>,
}

impl Table {
    /// A table with these column titles and no rows.
    pub fn new(header: &[&str]) -> Table {
        Table { rows: vec![header.iter().map(|title| title.to_string()).collect()] }
    }

    /// Adds a row with one cell for each column.
    pub fn row(&mut self, cells: Vec<String>) {
        debug_assert_eq!(cells.len(), self.rows[0].len(), "a row has one cell for each column");
        self.rows.push(cells);
    }

    /// Writes the table, an empty line after it.
    pub fn print(&self) {
        println!("{self}");
    }
}

impl std::fmt::Display for Table {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let width =
            |column: usize| self.rows.iter().map(|r| r[column].chars().count()).max().unwrap_or(0);
        let widths: Vec<usize> = (0..self.rows[0].len()).map(width).collect();
        for row in &self.rows {
            let mut line = String::new();
            for (column, (cell, width)) in row.iter().zip(&widths).enumerate() {
                match column {
                    0 => line.push_str(&format!("  {cell:<width$}")),
                    _ => line.push_str(&format!("  {cell:>width$}")),
                }
            }
            writeln!(f, "{}", line.trim_end())?;
        }
        Ok(())
    }
}

/// How many times `now` is `before`; a dash where there is nothing to compare with.
pub fn ratio(before: Option<f64>, now: f64) -> String {
    match before {
        Some(before) if before > 0.0 => format!("{:.2}", now / before),
        _ => "-".to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_aligned() {
        let mut table = Table::new(&["name", "n"]);
        table.row(vec!["a".into(), "100".into()]);
        assert_eq!(table.to_string(), "  name    n\n  a     100\n");
    }

    #[test]
    fn ratios_need_something_to_compare_with() {
        assert_eq!(ratio(None, 3.0), "-");
        assert_eq!(ratio(Some(0.0), 3.0), "-");
        assert_eq!(ratio(Some(2.0), 3.0), "1.50");
    }
}
