//! Old names of columns and figures, under which older builds wrote them.

/// Old and new names of columns of tables and of figures.
pub const OLD_COLUMNS: &[(&str, &str)] = &[
    ("pressed_way", "archard_work"),
    ("cell_fraction", "solid_fraction"),
    ("work.thrash", "work.sleep_wake_cycles"),
];

/// Returns the name that a column or a figure has now.
#[must_use]
pub fn column_now(name: &str) -> &str {
    let found = OLD_COLUMNS.iter().find(|(old, _)| *old == name);
    found.map_or(name, |(_, new)| new)
}

/// Returns the old name of a column or a figure, if it has one.
pub(super) fn column_before(name: &str) -> Option<&'static str> {
    let found = OLD_COLUMNS.iter().find(|(_, new)| *new == name);
    found.map(|(old, _)| *old)
}
