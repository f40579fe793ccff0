//! Reads vectors on a regular grid from a table of comma-separated values.

use super::csv::Csv;
use crate::field::keys::Nodes;
use crate::spelling::names;

/// Coordinates that differ by less than this fraction of the spacing count as equal.
const SAME: f64 = 1e-3;

/// Reads a grid of a dimension; its vectors are in columns named by `letter`, such as `vx`. Faults read `:line: what
/// is wrong`, to follow the file's name.
pub(super) fn grid(text: &str, dimension: usize, letter: char) -> Result<Nodes, String> {
    let axes = &["x", "y", "z"][..dimension];
    let vectors: Vec<String> = axes.iter().map(|axis| format!("{letter}{axis}")).collect();
    let wanted: Vec<&str> = axes
        .iter()
        .copied()
        .chain(vectors.iter().map(String::as_str))
        .collect();
    let mut csv = Csv::open(text)?;
    let all = || names(wanted.iter().copied());
    let find = |name: &&str| {
        let missing = || format!(":1: there is no column `{name}`; needed: {}", all());
        csv.find(name).ok_or_else(missing)
    };
    let places = wanted
        .iter()
        .map(find)
        .collect::<Result<Vec<usize>, String>>()?;
    if let Some(other) = csv.columns.iter().find(|column| !wanted.contains(column)) {
        return Err(format!(":1: unknown column `{other}`; allowed: {}", all()));
    }
    // Line number, coordinates, vector.
    let mut nodes: Vec<(usize, Vec<f64>, Vec<f64>)> = Vec::new();
    while let Some(line) = csv.next_line()? {
        let read = |place: &usize| csv.number(&line, *place);
        let mut numbers = places
            .iter()
            .map(read)
            .collect::<Result<Vec<f64>, String>>()?;
        let vector = numbers.split_off(dimension);
        nodes.push((line.number, numbers, vector));
    }
    if nodes.is_empty() {
        return Err(": there are no nodes".into());
    }
    on_grid(axes, nodes)
}

fn on_grid(axes: &[&str], nodes: Vec<(usize, Vec<f64>, Vec<f64>)>) -> Result<Nodes, String> {
    let (mut origin, mut spacing, mut count) = (Vec::new(), Vec::new(), Vec::new());
    for (k, axis) in axes.iter().enumerate() {
        let mut all: Vec<f64> = nodes.iter().map(|(_, x, _)| x[k]).collect();
        all.sort_by(f64::total_cmp);
        let (low, high) = (all[0], all[all.len() - 1]);
        // The smallest step above rounding errors.
        let steps = all.windows(2).map(|pair| pair[1] - pair[0]);
        let whole = 1e-9 * (high - low);
        let least = steps
            .filter(|step| *step > whole)
            .fold(f64::INFINITY, f64::min);
        let parts = ((high - low) / least).round();
        let (step, parts) = if high > low && parts >= 1.0 {
            ((high - low) / parts, parts)
        } else {
            (0.0, 0.0)
        };
        if parts >= nodes.len() as f64 {
            return Err(format!(
                ": along {axis} nodes are as near to each other as {least}, over {} in all: this is no regular grid",
                high - low
            ));
        }
        origin.push(low);
        spacing.push(step);
        count.push(parts as u64 + 1);
    }
    let total = count.iter().fold(1, |n: u64, &m| n.saturating_mul(m));
    if total > 4 * nodes.len() as u64 {
        let counts: Vec<String> = count.iter().map(u64::to_string).collect();
        return Err(format!(
            ": {} nodes are no regular grid: their coordinates would make one of {}",
            nodes.len(),
            counts.join(" x ")
        ));
    }
    let mut filled: Vec<Option<(usize, Vec<f64>)>> = vec![None; total as usize];
    for (line, x, vector) in nodes {
        let (mut index, mut stride) = (0, 1);
        for (k, axis) in axes.iter().enumerate() {
            if count[k] > 1 {
                let place = (x[k] - origin[k]) / spacing[k];
                if (place - place.round()).abs() > SAME {
                    return Err(format!(
                        ":{line}: {axis} = {} is not on the grid, whose nodes begin at {} and are {} apart",
                        x[k], origin[k], spacing[k]
                    ));
                }
                index += place.round() as usize * stride;
            }
            stride *= count[k] as usize;
        }
        if let Some((before, _)) = &filled[index] {
            return Err(format!(":{line}: this node is in line {before} already"));
        }
        filled[index] = Some((line, vector));
    }
    if let Some(hole) = filled.iter().position(Option::is_none) {
        let mut rest = hole as u64;
        let place: Vec<String> = (0..axes.len())
            .map(|k| {
                let at = rest % count[k];
                rest /= count[k];
                format!("{} = {}", axes[k], origin[k] + at as f64 * spacing[k])
            })
            .collect();
        let holes = filled.iter().filter(|node| node.is_none()).count();
        return Err(format!(
            ": the grid has a hole at {} ({holes} of {total} nodes are missing)",
            place.join(", ")
        ));
    }
    let values = filled.into_iter().flatten().map(|(_, vector)| vector);
    Ok(Nodes {
        origin,
        spacing,
        count,
        values: values.collect(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_nodes_in_any_order() {
        let text = "y,x,vx,vy\n0.1,0,3,4\n0,0,1,2\n\n0,0.5,5,6\n0.1,0.5,7,8\n";
        let table = grid(text, 2, 'v').unwrap();
        assert_eq!(table.origin, [0.0, 0.0]);
        assert_eq!(table.spacing, [0.5, 0.1]);
        assert_eq!(table.count, [2, 2]);
        let values = [[1.0, 2.0], [5.0, 6.0], [3.0, 4.0], [7.0, 8.0]];
        assert_eq!(table.values, values.map(Vec::from));
        // A single node along an axis.
        let text = "x,y,ax,ay\n0,1,1,0\n1,1,2,0\n2,1,3,0\n";
        assert_eq!(grid(text, 2, 'a').unwrap().count, [3, 1]);
    }

    #[test]
    fn says_what_is_wrong() {
        let node = |x: f64, y: f64| format!("{x},{y},0,0\n");
        let all = |places: &[(f64, f64)]| {
            let lines: String = places.iter().map(|&(x, y)| node(x, y)).collect();
            format!("x,y,vx,vy\n{lines}")
        };
        for (text, message) in [
            (String::new(), ": the file is empty"),
            (
                "x,y,vx\n".into(),
                ":1: there is no column `vy`; needed: `x`, `y`, `vx`, `vy`",
            ),
            (
                "x,y,vx,vy,p\n".into(),
                ":1: unknown column `p`; allowed: `x`, `y`, `vx`, `vy`",
            ),
            ("x,y,x,vx,vy\n".into(), ":1: the column `x` is there twice"),
            ("x,y,vx,vy\n".into(), ": there are no nodes"),
            ("x,y,vx,vy\n1,2,3\n".into(), ":2: 3 values, but 4 columns"),
            (
                "x,y,vx,vy\n1,2,3,nan\n".into(),
                ":2: `vy` is `nan`, but must be a finite number",
            ),
            (
                all(&[(0.0, 0.0), (1.0, 0.0), (0.0, 1.0)]),
                ": the grid has a hole at x = 1, y = 1 (1 of 4 nodes are missing)",
            ),
            (
                all(&[(0.0, 0.0), (1.4, 0.0), (3.0, 0.0), (3.0, 1.0)]),
                ":3: x = 1.4 is not on the grid, whose nodes begin at 0 and are 1.5 apart",
            ),
            (
                all(&[(0.0, 0.0), (1.0, 0.0), (1.0, 0.0), (0.0, 0.0)]),
                ":4: this node is in line 3 already",
            ),
            (
                all(&[(0.0, 0.0), (1.0, 0.01), (10.0, 0.5)]),
                ": along x nodes are as near to each other as 1, over 10 in all: this is no regular grid",
            ),
        ] {
            assert_eq!(grid(&text, 2, 'v').unwrap_err(), message);
        }
    }
}
