//! The path of a value in a scenario: `fill[0].lattice.radius`.

use std::fmt;

/// One step of a [`Place`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step {
    /// A key of a table.
    Key(String),
    /// An index of a list, from 0.
    Index(usize),
}

/// The path of a value from the root of a scenario.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Place(pub Vec<Step>);

/// Limit on the steps of a path given by the user; no scenario is a quarter as deep.
const DEEPEST: usize = 64;

impl Place {
    /// Returns the place of a top-level key.
    pub(crate) fn of(key: &str) -> Self {
        Place::default().key(key)
    }
    /// Returns the place of a key of the table at this place.
    pub(crate) fn key(&self, key: &str) -> Self {
        let mut steps = self.0.clone();
        steps.push(Step::Key(key.to_string()));
        Place(steps)
    }
    /// Returns the place of an element of the list at this place.
    pub(crate) fn index(&self, index: usize) -> Self {
        let mut steps = self.0.clone();
        steps.push(Step::Index(index));
        Place(steps)
    }
    /// Parses a path of at most 64 steps in the user's notation: `a.b[0].c`; `a.b.0.c` is accepted too, and a key
    /// that contains a dot is put in double quotes.
    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        let mut steps = Vec::new();
        let mut rest = text;
        while !rest.is_empty() {
            if let Some(inner) = rest.strip_prefix('[') {
                let (digits, after) = inner.split_once(']').ok_or("`[` without `]`")?;
                let index = digits
                    .parse()
                    .map_err(|_| format!("`{digits}` is not an index"))?;
                steps.push(Step::Index(index));
                rest = after;
            } else if let Some(inner) = rest.strip_prefix('"') {
                let (key, after) = inner.split_once('"').ok_or("a quote is not closed")?;
                steps.push(Step::Key(key.to_string()));
                rest = after;
            } else {
                let end = rest.find(['.', '[']).unwrap_or(rest.len());
                let word = &rest[..end];
                if word.is_empty() {
                    return Err("a key is empty".into());
                }
                match word.parse::<usize>() {
                    Ok(index) if !steps.is_empty() => steps.push(Step::Index(index)),
                    _ => steps.push(Step::Key(word.to_string())),
                }
                rest = &rest[end..];
            }
            if steps.len() > DEEPEST {
                return Err(format!("it has more than {DEEPEST} steps"));
            }
            if let Some(after) = rest.strip_prefix('.') {
                if after.is_empty() {
                    return Err("it ends with a dot".into());
                }
                rest = after;
            } else if !rest.is_empty() && !rest.starts_with('[') {
                return Err(format!("`{rest}` follows without a dot"));
            }
        }
        if steps.is_empty() {
            return Err("it is empty".into());
        }
        Ok(Place(steps))
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (k, step) in self.0.iter().enumerate() {
            match step {
                Step::Index(index) => write!(f, "[{index}]")?,
                Step::Key(key) => {
                    if k > 0 {
                        f.write_str(".")?;
                    }
                    if key.contains(['.', '[', '"', ' ']) {
                        write!(f, "{key:?}")?;
                    } else {
                        f.write_str(key)?;
                    }
                }
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_what_it_writes() {
        for text in [
            "a",
            "a.b",
            "fill[0].lattice.radius",
            "m.\"x.y\".z",
            "a[1][2].b",
        ] {
            assert_eq!(Place::parse(text).unwrap().to_string(), text);
        }
        assert_eq!(Place::parse("a.0.b").unwrap().to_string(), "a[0].b");
    }

    #[test]
    fn refuses_what_is_no_path() {
        for text in ["", ".", "a.", "a..b", "a[x]", "a[0", "a[0]b", "\"a"] {
            assert!(Place::parse(text).is_err(), "{text}");
        }
    }
}
