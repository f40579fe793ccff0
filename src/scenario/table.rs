//! Grains from a table of comma-separated values.

use super::csv::Csv;
use super::problem::{names, nearest};
use super::spec::{GrainSpec, SpinSpec};
use crate::geometry::Dimension;

/// Reads the grains of a table; a fault reads `:line: what is wrong`, to follow the file's name.
pub(super) fn grains<D: Dimension>(text: &str) -> Result<Vec<GrainSpec>, String> {
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
    let mut list = Vec::new();
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
        list.push(GrainSpec {
            position: numbers(&position)?.unwrap_or_default(),
            radius,
            velocity: numbers(&velocity)?,
            spin: numbers(&spin)?.map(SpinSpec),
            rotation: None,
        });
    }
    if list.is_empty() {
        return Err(": there are no grains".into());
    }
    Ok(list)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geometry::{Planar, Spatial};

    #[test]
    fn reads_columns_by_name() {
        let text = "id,x,y,r,vx,vy\n7, 0.1,0.2,0.01,-1,2\n\n8,0.3,0.2,0.02,0,0\n";
        let list = grains::<Planar>(text).unwrap();
        assert_eq!(list.len(), 2);
        assert_eq!(list[0].position, [0.1, 0.2]);
        assert_eq!(list[0].velocity, Some(vec![-1.0, 2.0]));
        assert_eq!(list[1].radius, 0.02);
        let text = "r,z,y,x,wx,wy,wz\n1,2,3,4,5,6,7\n";
        let list = grains::<Spatial>(text).unwrap();
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
                "x,y,r\n1,2,-3\n",
                ":2: `r` is -3, but must be greater than 0",
            ),
        ] {
            assert_eq!(grains::<Planar>(text).unwrap_err(), message);
        }
    }
}
