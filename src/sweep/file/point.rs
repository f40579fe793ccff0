//! Lists the runs of a sweep and their names.

use std::collections::BTreeMap;

use super::{Point, Sweep, column_name};
use crate::record::checksum;
use crate::scenario::path::Place;
use crate::scenario::{Origin, Override, Problem};
use crate::sweep::axis::{self, Scalar, Setting, Spans};
use crate::sweep::{SweepError, expression};

impl Sweep {
    /// Returns all runs, in the order of the table.
    ///
    /// # Errors
    /// An expression without a value.
    pub fn points(&self) -> Result<Vec<Point>, SweepError> {
        let points: Vec<Point> = (0..self.count())
            .map(|k| self.point(k))
            .collect::<Result<_, _>>()?;
        // Different variables may lead to the same run; the message shows only the beginning of long names.
        let mut seen = BTreeMap::new();
        for point in &points {
            if let Some(first) = seen.insert(point.label.as_str(), point.number) {
                let text = format!(
                    "runs {first} and {} start from the same and have the same name, {}",
                    point.number, point.label
                );
                return Err(Problem::plain(text).into());
            }
        }
        Ok(points)
    }

    /// Returns a run by its index, from 0.
    fn point(&self, index: usize) -> Result<Point, SweepError> {
        let mut rest = index;
        let seed = self.seeds[rest % self.seeds.len()];
        rest /= self.seeds.len();
        let mut rows = vec![0; self.axes.len()];
        for (row, axis) in rows.iter_mut().zip(&self.axes).rev() {
            *row = rest % axis.rows;
            rest /= axis.rows;
        }
        let mut chosen = Vec::new();
        for (axis, row) in self.axes.iter().zip(rows) {
            for column in &axis.columns {
                let setting = &column.settings[row];
                chosen.push((column.key.as_str(), setting, &column.spans[row]));
            }
        }
        let mut overrides = self.fixed.clone();
        for (key, setting, spans) in &chosen {
            if !key.starts_with('$') {
                overrides.push(self.written(key, &setting.text, spans));
            }
        }
        let variables = axis::variables(chosen.iter().map(|(key, setting, _)| (*key, *setting)));
        for item in &self.derived {
            let found = expression::evaluate(&item.expression, &variables).map_err(|why| {
                let place = Place::of("derive").key(&item.key);
                let text = format!("`{}` cannot be worked out: {why}", item.expression);
                let values: Vec<String> = variables
                    .iter()
                    .map(|(name, value)| format!("${name} = {value}"))
                    .collect();
                let problem = Problem::at(&place, text);
                self.fail(match values.is_empty() {
                    true => problem,
                    false => problem.help(format!("with {}", values.join(", "))),
                })
            })?;
            let setting = Setting::number(found.value, found.whole);
            overrides.push(self.written(&item.key, &setting.text, &item.spans));
        }
        if let Some(seed) = seed {
            overrides.push(Override::option("seeds", "seed", &seed.to_string()));
        }
        let settings: Vec<(String, Setting)> = chosen
            .into_iter()
            .map(|(key, setting, _)| (column_name(key).to_string(), setting.clone()))
            .collect();
        let label = self.label(&settings, seed, &overrides);
        Ok(Point {
            number: index + 1,
            settings,
            seed,
            label,
            overrides,
        })
    }

    fn written(&self, key: &str, value: &str, spans: &Spans) -> Override {
        let origin = Origin {
            name: self.file.0.clone(),
            text: self.file.1.clone(),
            path: spans.key.clone(),
            value: spans.value.clone(),
        };
        Override::from_file(key, value, origin)
    }

    fn label(
        &self,
        settings: &[(String, Setting)],
        seed: Option<u64>,
        overrides: &[Override],
    ) -> String {
        /// Greatest length of a label before its hash.
        const LONGEST: usize = 80;
        let mut hashed = format!("{:016x}", self.common);
        for item in overrides {
            hashed += &format!("\n{}={}", item.path, item.value);
        }
        let hash = checksum(hashed.as_bytes());
        let hash = (hash >> 16) ^ (hash & 0xffff);
        let mut words: Vec<String> = settings
            .iter()
            .map(|(key, setting)| {
                let last = key.rsplit(['.', '"']).find(|word| !word.is_empty());
                let value = match &setting.scalar {
                    Scalar::Text(text) => text.as_str(),
                    _ => setting.text.as_str(),
                };
                format!("{}={value}", last.unwrap_or(key))
            })
            .collect();
        words.extend(seed.map(|seed| format!("seed={seed}")));
        let plain = |c: char| match c {
            'a'..='z' | 'A'..='Z' | '0'..='9' | '.' | '-' | '+' | '=' | ',' => c,
            _ => '_',
        };
        let words: String = words.join(",").chars().map(plain).take(LONGEST).collect();
        let words = words.trim_start_matches(['.', '-']);
        match words.is_empty() {
            true => format!("{hash:012x}"),
            false => format!("{words}-{hash:012x}"),
        }
    }
}
