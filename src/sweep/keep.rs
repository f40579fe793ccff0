//! The output that a sweep keeps of each run.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::record::Table;

/// What is kept of each run beside its row of the table.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Keep {
    /// Nothing.
    Row,
    /// `scenario.toml`, which runs it again, and `summary.json`.
    #[default]
    Summary,
    /// These, `series.parquet` and `avalanches.parquet`.
    Series,
    /// All that `arenite run` writes.
    All,
}

impl Keep {
    /// All variants, by name.
    pub const ALL: [Keep; 4] = [Keep::Row, Keep::Summary, Keep::Series, Keep::All];

    /// Returns the name.
    pub const fn name(self) -> &'static str {
        match self {
            Keep::Row => "row",
            Keep::Summary => "summary",
            Keep::Series => "series",
            Keep::All => "all",
        }
    }

    /// Whether a table is kept.
    pub(super) fn table(self, table: Table) -> bool {
        match self {
            Keep::Row | Keep::Summary => false,
            Keep::Series => matches!(table, Table::Series | Table::Avalanches),
            Keep::All => true,
        }
    }
}
