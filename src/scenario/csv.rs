//! Reads numbers from a table of comma-separated values. Faults read `:line: what is wrong`, to follow the file's
//! name.

/// Limit on the columns of a table; no valid table has a tenth as many.
const MOST: usize = 100;

/// The header of a table and the lines below it.
pub(super) struct Csv<'t> {
    /// Names of the columns, all different.
    pub columns: Vec<&'t str>,
    lines: std::iter::Enumerate<std::str::Lines<'t>>,
}

/// One line of a table.
pub(super) struct Line<'t> {
    /// Line number in the file, from 1.
    pub number: usize,
    fields: Vec<&'t str>,
}

impl<'t> Csv<'t> {
    /// Reads the header.
    pub(super) fn open(text: &'t str) -> Result<Self, String> {
        // The byte order mark that some spreadsheets write is no part of the first name.
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let mut lines = text.lines().enumerate();
        let (_, head) = lines.next().ok_or(": the file is empty")?;
        let columns: Vec<&str> = head.split(',').map(str::trim).take(MOST + 1).collect();
        if columns.len() > MOST {
            return Err(format!(":1: there are more than {MOST} columns"));
        }
        for (k, column) in columns.iter().enumerate() {
            if columns[..k].contains(column) {
                return Err(format!(":1: the column `{column}` is there twice"));
            }
        }
        Ok(Self { columns, lines })
    }

    /// Returns the index of a column.
    pub(super) fn find(&self, name: &str) -> Option<usize> {
        self.columns.iter().position(|column| *column == name)
    }

    /// Returns the next line that is not empty.
    pub(super) fn next_line(&mut self) -> Result<Option<Line<'t>>, String> {
        let Some((index, line)) = self.lines.find(|(_, line)| !line.trim().is_empty()) else {
            return Ok(None);
        };
        let (number, columns) = (index + 1, self.columns.len());
        let fields: Vec<&str> = line.split(',').map(str::trim).collect();
        let values = fields.len();
        if values != columns {
            return Err(format!(":{number}: {values} values, but {columns} columns"));
        }
        Ok(Some(Line { number, fields }))
    }

    /// Returns the number in a column of a line.
    pub(super) fn number(&self, line: &Line<'_>, column: usize) -> Result<f64, String> {
        let field = line.fields[column];
        match field.parse::<f64>() {
            Ok(value) if value.is_finite() => Ok(value),
            _ => Err(format!(
                ":{}: `{}` is `{field}`, but must be a finite number",
                line.number, self.columns[column]
            )),
        }
    }
}
