//! Old names of keys, which every input still accepts: a file, `--set`, a sweep.
//!
//! The table of all of them stands here. A document is renamed where it is read, so that the rest of the program sees
//! only the new names. Positions stay those of the text as written.

use super::document::{Entry, Node, Value};
use super::path::{Place, Step};
use super::problem::Problem;

/// An old name of a key of a section, or of a key of each element of a list of sections.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Alias {
    /// Key of the section or of the list.
    pub section: &'static str,
    /// Whether it is a list of sections.
    pub list: bool,
    /// The old key.
    pub old: &'static str,
    /// The new key.
    pub new: &'static str,
    /// New values of `false` and `true`, where the old key is a flag and the new one is not.
    pub flags: Option<[&'static str; 2]>,
}

const fn of(section: &'static str, old: &'static str, new: &'static str) -> Alias {
    Alias {
        section,
        list: false,
        old,
        new,
        flags: None,
    }
}

const fn of_each(section: &'static str, old: &'static str, new: &'static str) -> Alias {
    Alias {
        list: true,
        ..of(section, old, new)
    }
}

/// All old names.
pub const ALIASES: &[Alias] = &[
    of("run", "finish", "end_time"),
    of("morph", "pace", "solve_time"),
    of("morph", "left", "residual_after_solve"),
    of_each("boundary", "passes", "passes_below_radius"),
    of_each("law", "mutze", "hertz_hysteretic"),
    Alias {
        flags: Some(["total", "spring"]),
        ..of_each("law", "limit_spring_only", "coulomb_limit")
    },
    of_each("feed", "shots", "attempts"),
    of_each("feed", "tries", "max_retries"),
    of_each("feed", "postpone", "retry_interval"),
];

impl Alias {
    /// Returns the path of a key with this alias in messages and docs: `run.finish`, `law[].mutze`.
    pub fn path(&self, key: &str) -> String {
        let list = if self.list { "[]" } else { "" };
        format!("{}{list}.{key}", self.section)
    }

    /// Number of steps to a section with this key.
    fn depth(&self) -> usize {
        if self.list { 2 } else { 1 }
    }

    /// Whether a place is that of a section with this key.
    fn is_in(&self, place: &[Step]) -> bool {
        match place {
            [Step::Key(section)] => !self.list && section == self.section,
            [Step::Key(section), Step::Index(_)] => self.list && section == self.section,
            _ => false,
        }
    }

    /// Returns the new value of a flag.
    fn flag(&self, flag: bool) -> Option<&'static str> {
        self.flags.map(|names| names[usize::from(flag)])
    }

    /// Gives the value of the old key the form that the new key has.
    pub(super) fn convert(&self, node: &mut Node) {
        if let Value::Boolean(flag) = node.value
            && let Some(name) = self.flag(flag)
        {
            node.value = Value::Text(name.into());
        }
    }

    /// Renames the key in a section.
    fn rename(&self, section: &mut Node, place: &Place) -> Result<(), Problem> {
        let Value::Table(entries) = &mut section.value else {
            return Ok(());
        };
        let find = |entries: &[Entry], key: &str| entries.iter().position(|e| e.key == key);
        let Some(old) = find(entries, self.old) else {
            return Ok(());
        };
        if let Some(new) = find(entries, self.new) {
            let second = &entries[old.max(new)].key_span;
            return Err(both(
                &place.key(self.old),
                &place.key(self.new),
                Problem::spanned(second.clone(), ""),
            ));
        }
        let entry = &mut entries[old];
        entry.key = self.new.into();
        self.convert(&mut entry.node);
        Ok(())
    }
}

/// Returns the fault of a key that is given by both of its names, at the position of `at`.
pub(super) fn both(old: &Place, new: &Place, at: Problem) -> Problem {
    at.titled(format!(
        "`{old}` is the old name of `{new}`: both are given"
    ))
    .label("give one of them")
}

/// Renames all old keys of a document.
pub(super) fn rename(root: &mut Node) -> Result<(), Problem> {
    for alias in ALIASES {
        let Some(section) = root.child_mut(&Step::Key(alias.section.into())) else {
            continue;
        };
        let place = Place::of(alias.section);
        match &mut section.value {
            Value::List(items) if alias.list => {
                for (k, item) in items.iter_mut().enumerate() {
                    alias.rename(item, &place.index(k))?;
                }
            }
            _ if !alias.list => alias.rename(section, &place)?,
            _ => {}
        }
    }
    Ok(())
}

/// Renames all old keys of a scenario that was read without positions, and returns whether there are any; where both
/// names are given, the old one stays.
pub(crate) fn rename_table(scenario: &mut toml::Table) -> bool {
    let mut any = false;
    for alias in ALIASES {
        let Some(section) = scenario.get_mut(alias.section) else {
            continue;
        };
        let sections = match section {
            toml::Value::Array(items) if alias.list => items.iter_mut().collect(),
            section if !alias.list => vec![section],
            _ => Vec::new(),
        };
        for section in sections.into_iter().filter_map(toml::Value::as_table_mut) {
            if section.contains_key(alias.new) {
                continue;
            }
            if let Some(value) = section.remove(alias.old) {
                let name = value.as_bool().and_then(|flag| alias.flag(flag));
                let value = name.map_or(value, |name| toml::Value::String(name.into()));
                section.insert(alias.new.into(), value);
                any = true;
            }
        }
    }
    any
}

/// Renames the old key on a path; returns the alias if there is one.
pub(crate) fn rename_place(place: &mut Place) -> Option<&'static Alias> {
    let alias = ALIASES.iter().find(|alias| {
        let key = place.0.get(alias.depth());
        key == Some(&Step::Key(alias.old.into())) && alias.is_in(&place.0[..alias.depth()])
    })?;
    place.0[alias.depth()] = Step::Key(alias.new.into());
    Some(alias)
}

/// Returns the old names of the keys of a table with the new ones, for suggestions.
pub(super) fn of_table(place: &Place) -> impl Iterator<Item = (&'static str, &'static str)> {
    let there = ALIASES.iter().filter(|alias| alias.is_in(&place.0));
    there.map(|alias| (alias.old, alias.new))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn renamed(path: &str) -> (String, bool) {
        let mut place = Place::parse(path).unwrap();
        let found = rename_place(&mut place).is_some();
        (place.to_string(), found)
    }

    #[test]
    fn renames_keys_of_their_sections_only() {
        for (path, new) in [
            ("run.finish", "run.end_time"),
            ("law[1].mutze.friction", "law[1].hertz_hysteretic.friction"),
            ("feed.0.tries", "feed[0].max_retries"),
        ] {
            assert_eq!(renamed(path), (new.into(), true));
        }
        for path in [
            "finish",
            "log.finish",
            "law.mutze",
            "run[0].finish",
            "a.run.finish",
        ] {
            assert_eq!(renamed(path), (path.into(), false));
        }
    }
}
