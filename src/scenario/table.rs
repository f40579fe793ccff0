//! Reads grains from a table of comma-separated values.

use super::csv::Csv;
use super::spec::{GrainSpec, SpinSpec};
use crate::geometry::Dimension;
use crate::spelling::{names, nearest};

/// The greatest number of a grain.
const MAX_ID: f64 = u32::MAX as f64;

/// Grains of a table.
#[derive(Debug)]
pub(super) struct Listing {
    /// Grains in order of `id` if there is one, else in order of lines.
    pub grains: Vec<GrainSpec>,
    /// The `id` of each grain, if there is such a column; ascending.
    pub ids: Option<Vec<u64>>,
}

/// Reads the grains of a table; faults read `:line: what is wrong`, to follow the file's name.
pub(super) fn grains<D: Dimension>(text: &str) -> Result<Listing, String> {
    let positions = &["x", "y", "z"][..D::N];
    let velocities = &["vx", "vy", "vz"][..D::N];
    let spins: &[&str] = if D::N == 2 {
        &["w"]
    } else {
        &["wx", "wy", "wz"]
    };
    let mut allowed = vec!["id", "r"];
    allowed.extend(positions);
    allowed.extend(velocities);
    allowed.extend(spins);
    let mut csv = Csv::open(text)?;
    let unknown = |column: &&&str| !allowed.contains(column);
    if let Some(column) = csv.columns.iter().find(unknown) {
        let hint = match nearest(column, allowed.iter().copied()) {
            Some(name) => format!(" did you mean `{name}`?"),
            None => String::new(),
        };
        let all = names(allowed.iter().copied());
        return Err(format!(
            ":1: unknown column `{column}`;{hint} allowed: {all}"
        ));
    }
    for name in positions.iter().chain(&["r"]) {
        if csv.find(name).is_none() {
            return Err(format!(":1: there is no column `{name}`"));
        }
    }
    let group = |wanted: &[&str]| -> Result<Option<Vec<usize>>, String> {
        let found: Vec<usize> = wanted.iter().filter_map(|name| csv.find(name)).collect();
        match found.len() {
            0 => Ok(None),
            n if n == wanted.len() => Ok(Some(found)),
            _ => Err(format!(
                ":1: the columns {} go together",
                names(wanted.iter().copied())
            )),
        }
    };
    let (position, radius) = (group(positions)?, csv.find("r"));
    let (velocity, spin) = (group(velocities)?, group(spins)?);
    let id = csv.find("id");
    // By number, with the line.
    let mut list: Vec<(u64, usize, GrainSpec)> = Vec::new();
    while let Some(line) = csv.next_line()? {
        let number = |column: usize| csv.number(&line, column);
        let numbers = |group: &Option<Vec<usize>>| -> Result<Option<Vec<f64>>, String> {
            group
                .as_ref()
                .map(|list| list.iter().map(|k| number(*k)).collect())
                .transpose()
        };
        let radius = number(radius.unwrap_or(0))?;
        if radius <= 0.0 {
            return Err(format!(
                ":{}: `r` is {radius}, but must be greater than 0",
                line.number
            ));
        }
        let own = match id {
            Some(column) => {
                let value = number(column)?;
                if !(0.0..=MAX_ID).contains(&value) || value.fract() != 0.0 {
                    return Err(format!(
                        ":{}: `id` is {value}, but must be a whole number from 0 to {MAX_ID}",
                        line.number
                    ));
                }
                value as u64
            }
            None => list.len() as u64,
        };
        let grain = GrainSpec {
            position: numbers(&position)?.unwrap_or_default(),
            radius: Some(radius),
            velocity: numbers(&velocity)?,
            spin: numbers(&spin)?.map(SpinSpec),
            rotation: None,
        };
        list.push((own, line.number, grain));
    }
    if list.is_empty() {
        return Err(": there are no grains".into());
    }
    list.sort_by_key(|(id, line, _)| (*id, *line));
    if let Some(pair) = list.windows(2).find(|pair| pair[0].0 == pair[1].0) {
        return Err(format!(
            ":{}: `id` is {}, which is that of line {} already",
            pair[1].1, pair[1].0, pair[0].1
        ));
    }
    Ok(Listing {
        ids: id.map(|_| list.iter().map(|row| row.0).collect()),
        grains: list.into_iter().map(|(_, _, grain)| grain).collect(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geometry::{Planar, Spatial};

    #[test]
    fn reads_columns_by_name() {
        let text = "id,x,y,r,vx,vy\n7, 0.1,0.2,0.01,-1,2\n\n8,0.3,0.2,0.02,0,0\n";
        let list = grains::<Planar>(text).unwrap().grains;
        assert_eq!(list.len(), 2);
        assert_eq!(list[0].position, [0.1, 0.2]);
        assert_eq!(list[0].velocity, Some(vec![-1.0, 2.0]));
        assert_eq!(list[1].radius, Some(0.02));
        let text = "id,x,y,r\n8,0.3,0.2,0.02\n7,0.1,0.2,0.01\n";
        let list = grains::<Planar>(text).unwrap().grains;
        assert_eq!([list[0].radius, list[1].radius], [Some(0.01), Some(0.02)]);
        let text = "r,z,y,x,wx,wy,wz\n1,2,3,4,5,6,7\n";
        let list = grains::<Spatial>(text).unwrap().grains;
        assert_eq!(list[0].position, [4.0, 3.0, 2.0]);
        assert_eq!(list[0].spin, Some(SpinSpec(vec![5.0, 6.0, 7.0])));
    }

    #[test]
    fn says_what_is_wrong() {
        for (text, message) in [
            ("", ": the file is empty"),
            ("x,y\n", ":1: there is no column `r`"),
            ("x,y,r\n", ": there are no grains"),
            (
                "x,y,r,vx\n1,2,3,4\n",
                ":1: the columns `vx`, `vy` go together",
            ),
            ("x,y,r,x\n", ":1: the column `x` is there twice"),
            ("x,y,r\n1,2\n", ":2: 2 values, but 3 columns"),
            (
                "x,y,r\n1,2,3\n1,a,3\n",
                ":3: `y` is `a`, but must be a finite number",
            ),
            (
                "x,y,r\n1,NaN,3\n",
                ":2: `y` is `NaN`, but must be a finite number",
            ),
            (
                "id,x,y,r\n4,1,2,3\n4.5,1,2,3\n",
                ":3: `id` is 4.5, but must be a whole number from 0 to 4294967295",
            ),
            (
                "id,x,y,r\n4,1,2,3\n2,1,2,3\n4,5,2,3\n",
                ":4: `id` is 4, which is that of line 2 already",
            ),
            (
                "x,y,r\n1,2,-3\n",
                ":2: `r` is -3, but must be greater than 0",
            ),
        ] {
            assert_eq!(grains::<Planar>(text).unwrap_err(), message);
        }
    }
}
