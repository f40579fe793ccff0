//! Checks the contents of a sweep file.

use std::collections::{BTreeMap, BTreeSet};

use super::{OWN_COLUMNS, Sweep};
use crate::scenario::aliases;
use crate::scenario::path::{Place, Step};
use crate::scenario::{Override, Problem};
use crate::spelling::{names, nearest};
use crate::sweep::axis::{self, MOST};
use crate::sweep::row::figure_columns;
use crate::sweep::spec::{Seeds, SweepSpec};
use crate::sweep::{SweepError, expression};

impl Sweep {
    pub(super) fn fail(&self, problem: Problem) -> SweepError {
        problem.located(&self.document).into()
    }

    /// Checks that each key is a path, occurs once, and is not one with a place of its own.
    pub(super) fn check_keys(&self, overrides: &[Override]) -> Result<(), SweepError> {
        let places = self.places();
        let mut seen: BTreeMap<String, String> = BTreeMap::new();
        let mut variables = BTreeSet::new();
        for (place, key) in &places {
            let place = place.key(key);
            let fail = |text: String, label: &str| {
                Err(self.fail(Problem::at_key(&place, text).label(label)))
            };
            let fixed = place.0.first() == Some(&Step::Key("set".into()));
            let derives = place.0.first() == Some(&Step::Key("derive".into()));
            let normal = if let Some(name) = key.strip_prefix('$') {
                let good = name.starts_with(|c: char| c.is_ascii_alphabetic())
                    && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
                if !good {
                    let text =
                        format!("`{key}` is no variable: letters, digits and `_` follow the `$`");
                    return fail(text, "another name");
                }
                if fixed || derives {
                    let text = format!(
                        "`{key}` is a variable: it gets its values in `grid`, `zip` or `sample`"
                    );
                    return fail(text, "keys of the scenario only");
                }
                let figures = figure_columns();
                if OWN_COLUMNS.contains(&name) || figures.iter().any(|c| c.name == name) {
                    let text = format!("the table has a column `{name}` already");
                    return fail(text, "another name");
                }
                variables.insert(name.to_string());
                key.clone()
            } else {
                let path = match place_of(key) {
                    Ok(path) => path.to_string(),
                    Err(why) => {
                        return fail(
                            format!("`{key}` is not a key path: {why}"),
                            "as in run.end_time",
                        );
                    }
                };
                match path.as_str() {
                    "seed" => {
                        return fail("seeds are listed in `seeds`".into(), "write seeds = ..");
                    }
                    "run.end_time" if self.spec.until.is_some() => {
                        return fail("`run.end_time` is given as `until` too".into(), "twice");
                    }
                    _ => path,
                }
            };
            if let Some(first) = seen.insert(normal, place.to_string()) {
                let text = format!("`{key}` is given twice, first as {first}");
                return fail(text, "twice");
            }
        }
        for item in overrides {
            let path = place_of(&item.path).map(|path| path.to_string());
            let path = path.unwrap_or_else(|_| item.path.clone());
            let given = seen.get(&path).filter(|place| !place.starts_with("set."));
            if let Some(place) = given {
                let text = format!("`{}`: the sweep varies this key ({place})", item.argument);
                return Err(Problem::plain(text).into());
            }
            if path == "seed" {
                let text = format!("`{}`: seeds are listed in `seeds`", item.argument);
                return Err(Problem::plain(text).into());
            }
        }
        let mut used = BTreeSet::new();
        for item in &self.derived {
            let place = Place::of("derive").key(&item.key);
            for name in expression::variables(&item.expression) {
                if !variables.contains(name) {
                    let known = variables.iter().map(String::as_str);
                    let text = format!("there is no variable `${name}`");
                    let problem = match nearest(name, known.clone()) {
                        Some(near) => {
                            Problem::at(&place, text).label(format!("did you mean `${near}`?"))
                        }
                        None => Problem::at(&place, text),
                    };
                    return Err(self.fail(problem.help(format!("there are: {}", names(known)))));
                }
                used.insert(name.to_string());
            }
        }
        if let Some(unused) = variables.difference(&used).next() {
            let key = format!("${unused}");
            let place = places.iter().find(|(_, there)| *there == key);
            let place = place.map_or(Place::default(), |(place, key)| place.key(key));
            let text = format!("nothing in `derive` uses the variable `{key}`");
            return Err(self.fail(Problem::at_key(&place, text).label("changes no run")));
        }
        Ok(())
    }

    /// Returns all keys with their tables.
    fn places(&self) -> Vec<(Place, String)> {
        let mut tables = vec![Place::of("set"), Place::of("grid")];
        tables.extend((0..self.spec.zip.len()).map(|k| Place::of("zip").index(k)));
        tables.push(Place::of("sample").key("keys"));
        tables.push(Place::of("derive"));
        let keys = |place: Place| {
            let keys = axis::keys(&self.document, &place);
            keys.into_iter().map(move |(key, _)| (place.clone(), key))
        };
        tables.into_iter().flat_map(keys).collect()
    }

    pub(super) fn check_count(&self) -> Result<(), SweepError> {
        let counts = self.axes.iter().map(|axis| axis.rows);
        let count = counts
            .chain([self.seeds.len()])
            .try_fold(1usize, usize::checked_mul);
        match count {
            Some(count) if count <= MOST => Ok(()),
            _ => {
                let counts: Vec<String> = self.axes.iter().map(|a| a.rows.to_string()).collect();
                let text = format!(
                    "the sweep has {} x {} seeds, more than {MOST} runs",
                    counts.join(" x "),
                    self.seeds.len()
                );
                Err(self.fail(Problem::plain(text).help("draw from the ranges with `sample`")))
            }
        }
    }

    /// Checks that the study names columns of the table.
    pub(super) fn check_study(&self) -> Result<(), SweepError> {
        let figures: Vec<String> = figure_columns().into_iter().map(|c| c.name).collect();
        let parameters = self.parameters();
        let study = Place::of("study");
        let mut asked = Vec::new();
        for (k, name) in self.spec.study.figures.iter().flatten().enumerate() {
            asked.push((study.key("figures").index(k), name, &figures));
        }
        if let Some(beverloo) = &self.spec.study.beverloo {
            let place = study.key("beverloo");
            asked.push((place.key("rate"), &beverloo.rate, &figures));
            asked.push((place.key("width"), &beverloo.width, &parameters));
            if let Some(p) = beverloo.exponent.filter(|p| !p.is_finite() || *p <= 0.0) {
                let text = format!("`exponent` is {p}, but must be above 0");
                return Err(self.fail(Problem::at(&place.key("exponent"), text)));
            }
            if let Some(k) = beverloo.k.filter(|k| !k.is_finite() || *k < 0.0) {
                let text = format!("`k` is {k}, but must be 0 or more");
                return Err(self.fail(Problem::at(&place.key("k"), text)));
            }
        }
        for (place, name, known) in asked {
            let bare = name.strip_prefix('$').unwrap_or(name);
            if known.iter().any(|there| there == bare) {
                continue;
            }
            let list = || known.iter().map(String::as_str);
            let problem = Problem::at(&place, format!("the table has no column `{bare}`"));
            let problem = match nearest(bare, list()) {
                Some(near) => problem.label(format!("did you mean `{near}`?")),
                None => problem,
            };
            let few = known.len() < 20;
            let help = match few {
                true => format!("there are: {}", names(list())),
                false => "docs/sweep.md lists all columns".into(),
            };
            return Err(self.fail(problem.help(help)));
        }
        Ok(())
    }
}

/// Parses the path of a key; an old name becomes the new one.
fn place_of(key: &str) -> Result<Place, String> {
    let mut place = Place::parse(key)?;
    aliases::rename_place(&mut place);
    Ok(place)
}

pub(super) fn checked_name(spec: &SweepSpec, stem: Option<&str>) -> Result<String, Problem> {
    let allowed = |name: &str| {
        !name.is_empty()
            && !name.starts_with('.')
            && name
                .chars()
                .all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.'))
    };
    match (&spec.name, stem) {
        (Some(name), _) if allowed(name) => Ok(name.clone()),
        (Some(name), _) => Err(Problem::at(
            &Place::of("name"),
            format!("`{name}` cannot be a name: letters, digits, `-`, `_` and `.`"),
        )
        .label("names the folder of the sweep")),
        (None, Some(stem)) if allowed(stem) => Ok(stem.to_string()),
        (None, _) => Ok("sweep".into()),
    }
}

pub(super) fn seeds(spec: &SweepSpec) -> Result<Vec<Option<u64>>, Problem> {
    let place = Place::of("seeds");
    let run = |from: u64, count: u64| {
        if count == 0 {
            return Err(Problem::at(&place, "there is no seed").label("1 or more"));
        }
        if count > MOST as u64
            || from
                .checked_add(count)
                .is_none_or(|end| end > i64::MAX as u64)
        {
            let text = format!("{count} seeds from {from} on are too many");
            return Err(Problem::at(&place, text).label(format!("at most {MOST}")));
        }
        Ok((from..from + count).map(Some).collect())
    };
    match &spec.seeds {
        None => Ok(vec![None]),
        Some(Seeds::Count(count)) => run(1, *count),
        Some(Seeds::From(range)) => run(range.from, range.count),
        Some(Seeds::List(list)) => {
            let mut seen = BTreeSet::new();
            for (k, seed) in list.iter().enumerate() {
                if !seen.insert(seed) {
                    let text = format!("the seed {seed} is there twice");
                    return Err(Problem::at(&place.index(k), text).label("twice"));
                }
            }
            match list.is_empty() {
                true => run(1, 0),
                false => Ok(list.iter().copied().map(Some).collect()),
            }
        }
    }
}
