//! Minimises a function of one or two numbers, without derivatives.

/// Greatest number of steps; then the best point so far is returned.
const STEPS: usize = 400;
/// Relative spread of the function over the simplex at which it has converged.
const CLOSE: f64 = 1e-13;

/// Returns a local minimum near `start`; `scale` is the size of the first simplex (Nelder & Mead 1965).
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
        // Returns the point at `t` times the displacement from the worst point to the centre of the others.
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

/// Returns the minimum of a unimodal function between two ends (golden-section search).
pub(super) fn golden(mut low: f64, mut high: f64, f: impl Fn(f64) -> f64) -> f64 {
    const PART: f64 = 0.618_033_988_749_894_8;
    let (mut a, mut b) = (high - PART * (high - low), low + PART * (high - low));
    let (mut fa, mut fb) = (f(a), f(b));
    for _ in 0..80 {
        if fa < fb {
            (high, b, fb) = (b, a, fa);
            a = high - PART * (high - low);
            fa = f(a);
        } else {
            (low, a, fa) = (a, b, fb);
            b = low + PART * (high - low);
            fb = f(b);
        }
    }
    0.5 * (low + high)
}
