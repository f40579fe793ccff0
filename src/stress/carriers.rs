//! Choice of the bars that carry a new node of an inverse.

use super::inverse::MOST;

/// Least square of the remainder that a row adds to those before it; the reciprocal is the
/// flexibility that the row would cause, relative to that of the stiffest bar.
const APART: f64 = 1e-5;

/// Chooses linearly independent rows, greatest remainder first, at most `width` of them. `weights`
/// are the square roots of their stiffnesses relative to the greatest one; `scales` converts the
/// components to one unit (rotations times a length). Axes, returned as the second list, complete
/// the set.
pub(super) fn choose(
    rows: &[[f64; MOST]],
    weights: &[f64],
    scales: &[f64; MOST],
    width: usize,
) -> (Vec<usize>, Vec<usize>) {
    let scaled = |(row, weight): (&[f64; MOST], &f64)| {
        let mut out = [0.0; MOST];
        for k in 0..width {
            out[k] = weight * row[k] / scales[k];
        }
        out
    };
    let mut basis = Vec::with_capacity(width);
    let bars = extend(
        rows.iter().zip(weights).map(scaled).collect(),
        width,
        &mut basis,
    );
    let axes = (0..width).map(|axis| {
        let mut row = [0.0; MOST];
        row[axis] = 1.0;
        row
    });
    let axes = extend(axes.collect(), width, &mut basis);
    (bars, axes)
}

/// Extends an orthonormal basis by the remainders of rows; returns the rows used.
fn extend(mut rest: Vec<[f64; MOST]>, width: usize, basis: &mut Vec<[f64; MOST]>) -> Vec<usize> {
    for row in &mut rest {
        for direction in basis.iter() {
            project(row, direction);
        }
    }
    let mut taken = Vec::new();
    while basis.len() < width {
        let mut best: Option<(usize, f64)> = None;
        for (index, row) in rest.iter().enumerate() {
            let left = dot(row, row);
            let apart = left > APART && !taken.contains(&index);
            if apart && best.is_none_or(|(_, most)| left > most) {
                best = Some((index, left));
            }
        }
        let Some((index, left)) = best else { break };
        let mut direction = rest[index];
        for value in &mut direction {
            *value /= left.sqrt();
        }
        for row in &mut rest {
            project(row, &direction);
        }
        basis.push(direction);
        taken.push(index);
    }
    taken
}

fn dot(a: &[f64; MOST], b: &[f64; MOST]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// Subtracts the component along a direction; twice, since the first pass leaves rounding errors.
fn project(row: &mut [f64; MOST], direction: &[f64; MOST]) {
    for _ in 0..2 {
        let along = dot(row, direction);
        for (value, d) in row.iter_mut().zip(direction) {
            *value -= along * d;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_bars_leave_free_is_held_by_axes() {
        let rows = [
            [1.0, 0.0, 0.0, 0.0, 0.0, 0.0],
            [1.0, 1e-3, 0.0, 0.0, 0.0, 0.0],
            [0.0, 3.0, 0.5, 0.0, 0.0, 0.0],
        ];
        let (bars, axes) = choose(&rows, &[1.0; 3], &[1.0; MOST], 3);
        assert_eq!((bars.len(), bars[0]), (2, 2));
        assert_eq!(axes, [2]);
        let (bars, axes) = choose(&[], &[], &[1.0; MOST], 2);
        assert_eq!((bars.len(), axes), (0, vec![0, 1]));
    }
}
