//! Tables of plain text that Markdown reads too, and the few statistics that stand in them.

/// A table under a heading.
pub(crate) struct Table {
    heading: String,
    rows: Vec<Vec<String>>,
}

impl Table {
    /// An empty one with these names of columns.
    pub(crate) fn new(heading: String, columns: &[&str]) -> Table {
        Table { heading, rows: vec![columns.iter().map(|&name| name.to_owned()).collect()] }
    }

    /// A further row.
    pub(crate) fn push(&mut self, cells: &[String]) {
        assert_eq!(cells.len(), self.rows[0].len(), "a row of {} has a cell for each column", self.heading);
        self.rows.push(cells.to_vec());
    }
}

impl std::fmt::Display for Table {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        writeln!(out, "{}\n", self.heading)?;
        let width =
            |column: usize| self.rows.iter().map(|row| row[column].chars().count()).max().unwrap_or_default().max(3);
        for (number, row) in self.rows.iter().enumerate() {
            for (column, cell) in row.iter().enumerate() {
                // Names to the left, figures to the right.
                if column == 0 {
                    write!(out, "| {cell:width$} ", width = width(column))?;
                } else {
                    write!(out, "| {cell:>width$} ", width = width(column))?;
                }
            }
            writeln!(out, "|")?;
            if number == 0 {
                let line = |column: usize| "-".repeat(width(column) + 1);
                let lines: String = (0..row.len())
                    .map(|column| format!("|{}{}", line(column), if column == 0 { "-" } else { ":" }))
                    .collect();
                writeln!(out, "{lines}|")?;
            }
        }
        Ok(())
    }
}

/// The middle of these, or the mean of the two middle ones.
pub(crate) fn median(values: &[f64]) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let middle = sorted.len() / 2;
    if sorted.is_empty() {
        0.0
    } else if sorted.len() % 2 == 1 {
        sorted[middle]
    } else {
        f64::midpoint(sorted[middle - 1], sorted[middle])
    }
}

/// The median of the ratios of each round, with the least and the greatest.
pub(crate) fn ratio(numerators: &[f64], denominators: &[f64]) -> String {
    let ratios: Vec<f64> = numerators.iter().zip(denominators).map(|(over, under)| over / under).collect();
    let least = ratios.iter().copied().fold(f64::INFINITY, f64::min);
    let greatest = ratios.iter().copied().fold(0.0, f64::max);
    format!("{:.2} ({least:.2}..{greatest:.2})", median(&ratios))
}

/// A whole number, with an apostrophe between its thousands.
pub(crate) fn thousands(number: f64) -> String {
    let digits = format!("{number:.0}");
    let mut text = String::new();
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            text.push('\'');
        }
        text.push(digit);
    }
    text
}
