//! Export as comma-separated values: one file per table; numbers have enough digits to be read back exactly.

use std::io::Write;
use std::path::{Path, PathBuf};

use crate::record::RecordError;
use crate::record::column::Table;
use crate::record::read::{TableReader, Values, columns};
use crate::record::whole::write_anew;

pub(super) fn export(dir: &Path, out: &Path) -> Result<Vec<PathBuf>, RecordError> {
    let mut files = Vec::new();
    for table in Table::ALL {
        // Runs of older versions lack the tables of stagnant zones, impact spectra and wall maps.
        if matches!(table, Table::Stagnant | Table::Impacts | Table::Wear)
            && !dir.join(table.file_name()).exists()
        {
            continue;
        }
        let mut reader = TableReader::open(dir, table)?;
        let names: Vec<String> = columns(dir, table)?
            .into_iter()
            .map(|c| quoted(&c.name))
            .collect();
        let path = out.join(format!("{}.csv", table.name()));
        write_anew(&path, |w| {
            let refuse = || RecordError::io("cannot write", &path);
            writeln!(w, "{}", names.join(",")).map_err(refuse())?;
            while let Some(group) = reader.next_group()? {
                for row in 0..group.rows {
                    for (k, (_, values)) in group.columns.iter().enumerate() {
                        if k > 0 {
                            w.write_all(b",").map_err(refuse())?;
                        }
                        cell(w, values, row).map_err(refuse())?;
                    }
                    w.write_all(b"\n").map_err(refuse())?;
                }
            }
            Ok(())
        })?;
        files.push(path);
    }
    Ok(files)
}

/// Writes a value; nothing where there is none.
fn cell(w: &mut impl Write, values: &Values, row: usize) -> std::io::Result<()> {
    match values {
        Values::Floats(v) if v[row].is_nan() => Ok(()),
        Values::Floats(v) => write!(w, "{:?}", v[row]),
        Values::Integers(v) => v[row].map_or(Ok(()), |v| write!(w, "{v}")),
        Values::Flags(v) => write!(w, "{}", v[row]),
        Values::Names(v) => v[row]
            .as_ref()
            .map_or(Ok(()), |v| write!(w, "{}", quoted(v))),
    }
}

/// Puts a name in quotation marks where it would break the line (RFC 4180).
fn quoted(name: &str) -> String {
    if name.contains([',', '"', '\n', '\r']) {
        format!("\"{}\"", name.replace('"', "\"\""))
    } else {
        name.to_string()
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn only_awkward_names_are_quoted() {
        assert_eq!(super::quoted("left wall"), "left wall");
        assert_eq!(super::quoted("a,\"b\""), "\"a,\"\"b\"\"\"");
    }
}
