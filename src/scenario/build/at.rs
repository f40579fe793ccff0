//! A place in a scenario, with the checks through which other parts of the program read their keys.

use std::path::Path;

use super::check::Check;
use super::walls;
use crate::field::keys::SpinSpec;
use crate::geometry::Dimension;
use crate::keys::{Nodes, View};
use crate::scenario::path::Place;
use crate::scenario::problem::Problem;
use crate::scenario::spec::GrainSpec;
use crate::scenario::{grid_table, input, table};
use crate::spelling::{names, nearest};

/// A place in the document, for code that reads its own keys.
pub(super) struct At<'a> {
    pub check: Check<'a>,
    pub place: Place,
    pub folder: Option<&'a Path>,
}

impl View for At<'_> {
    type Fault = Problem;

    fn key(&self, key: &str) -> Self {
        At {
            place: self.place.key(key),
            ..*self
        }
    }
    fn index(&self, index: usize) -> Self {
        At {
            place: self.place.index(index),
            ..*self
        }
    }
    fn path(&self) -> String {
        self.place.to_string()
    }
    fn finite(&self, value: f64) -> Result<f64, Problem> {
        self.check.finite(&self.place, value)
    }
    fn positive(&self, value: f64) -> Result<f64, Problem> {
        self.check.positive(&self.place, value)
    }
    fn non_negative(&self, value: f64) -> Result<f64, Problem> {
        self.check.non_negative(&self.place, value)
    }
    fn vector<D: Dimension>(&self, values: &[f64]) -> Result<D::Vector, Problem> {
        self.check.vector::<D>(&self.place, values)
    }
    fn direction<D: Dimension>(&self, values: &[f64]) -> Result<D::Vector, Problem> {
        self.check.direction::<D>(&self.place, values)
    }
    fn in_space(&self, values: &[f64]) -> Result<[f64; 3], Problem> {
        self.check.in_space(&self.place, values)
    }
    fn spin<D: Dimension>(&self, values: &[f64]) -> Result<D::Spin, Problem> {
        walls::spin::<D>(self.check, &self.place, &SpinSpec(values.to_vec()))
    }
    fn one_of<'k>(&self, what: &str, keys: &[(&'k str, bool)]) -> Result<&'k str, Problem> {
        self.check.one_of(&self.place, what, keys)
    }
    fn one_named<'n>(
        &self,
        what: &str,
        name: &str,
        all: impl Iterator<Item = &'n str> + Clone,
    ) -> Result<usize, Problem> {
        if let Some(found) = all.clone().position(|other| other == name) {
            return Ok(found);
        }
        let problem = Problem::at(
            &self.place,
            format!("`{}`: there is no {what} `{name}`", self.place),
        );
        let problem = match nearest(name, all.clone()) {
            Some(other) => problem.label(format!("did you mean `{other}`?")),
            None => problem.label(format!("unknown {what}")),
        };
        Err(match all.clone().next() {
            Some(_) => problem.help(format!("known: {}", names(all))),
            None => problem.help(format!("add a [[{what}]] of this name")),
        })
    }
    fn corners<D: Dimension>(
        &self,
        min: &[f64],
        max: &[f64],
    ) -> Result<(D::Vector, D::Vector), Problem> {
        self.check.corners::<D>(&self.place, min, max)
    }
    fn bytes(&self, file: &str, most: u64) -> Result<(Vec<u8>, String), Problem> {
        let path = input::located(self.folder, file);
        let shown = path.display().to_string();
        let read = crate::input::bytes(&path, most);
        let bytes = read.map_err(|why| self.fault(format!("cannot read {shown}: {why}")))?;
        Ok((bytes, shown))
    }
    fn balls<D: Dimension>(&self, file: &str) -> Result<Vec<(Vec<f64>, f64)>, Problem> {
        let found = input::table(&self.place, file, self.folder, table::grains::<D>)?.grains;
        let moves = |grain: &GrainSpec| grain.velocity.is_some() || grain.spin.is_some();
        if found.iter().any(moves) {
            let text =
                format!("{file}: grains of a wall move with it; leave velocities and spins out");
            return Err(self.fault(text));
        }
        // Tables have a column of radii.
        let ball = |grain: GrainSpec| Some((grain.position, grain.radius?));
        Ok(found.into_iter().filter_map(ball).collect())
    }
    fn nodes(&self, file: &str, dimension: usize, letter: char) -> Result<Nodes, Problem> {
        let read = |text: &str| grid_table::grid(text, dimension, letter);
        input::table(&self.place, file, self.folder, read)
    }
    fn wrong(&self, value: &str, must: &str) -> Problem {
        self.check.wrong(&self.place, value, must)
    }
    fn fault(&self, text: String) -> Problem {
        Problem::at(&self.place, text)
    }
    fn fault_of_key(&self, text: String) -> Problem {
        Problem::at_key(&self.place, text)
    }
    fn with_help(fault: Problem, help: String) -> Problem {
        fault.help(help)
    }
}
