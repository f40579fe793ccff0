//! The least value of a function of two numbers without derivatives (Nelder & Mead 1965).

/// Steps after which the best point so far is taken.
const STEPS: usize = 400;
/// Relative spread of the function over the simplex at which it has converged.
const CLOSE: f64 = 1e-13;

/// A point of least value near `start`; `scale` is how far the first simplex reaches.
pub(super) fn minimise(f: impl Fn([f64; 2]) -> f64, start: [f64; 2], scale: [f64; 2]) -> [f64; 2] {
    let mut points = [
        start,
        [start[0] + scale[0], start[1]],
        [start[0], start[1] + scale[1]],
    ]
    .map(|p| (f(p), p));
    for _ in 0..STEPS {
        points.sort_by(|a, b| a.0.total_cmp(&b.0));
        let [best, middle, worst] = points;
        if worst.0 - best.0 <= CLOSE * best.0.abs() {
            break;
        }
        // The point at `t` times the way from the worst to the middle of the others.
        let along = |t: f64| {
            let p = [0, 1].map(|k| {
                let centre = 0.5 * (best.1[k] + middle.1[k]);
                worst.1[k] + t * (centre - worst.1[k])
            });
            (f(p), p)
        };
        let mirrored = along(2.0);
        let better = if mirrored.0 < best.0 {
            let further = along(3.0);
            if further.0 < mirrored.0 {
                further
            } else {
                mirrored
            }
        } else if mirrored.0 < middle.0 {
            mirrored
        } else {
            along(if mirrored.0 < worst.0 { 1.5 } else { 0.5 })
        };
        if better.0 < worst.0 {
            points[2] = better;
            continue;
        }
        for point in &mut points[1..] {
            let p = [0, 1].map(|k| 0.5 * (best.1[k] + point.1[k]));
            *point = (f(p), p);
        }
    }
    points.sort_by(|a, b| a.0.total_cmp(&b.0));
    points[0].1
}
