//! Axes: their range, the positions of their ticks, and the labels of these.

/// Scaling of a quantity along an axis.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(in crate::view) enum Scaling {
    /// Linear; 0 is included if it is near the values.
    #[default]
    Even,
    /// Linear; ends where the values end.
    Tight,
    /// Logarithmic; values that are not above 0 are omitted.
    Log,
}

/// An axis.
#[derive(Clone, Debug, Default, PartialEq)]
pub(in crate::view) struct Axis {
    /// The quantity and its unit, such as "time (s)".
    pub(in crate::view) label: String,
    pub(in crate::view) scaling: Scaling,
}

impl Axis {
    pub(in crate::view) fn new(label: &str, scaling: Scaling) -> Axis {
        Axis {
            label: label.into(),
            scaling,
        }
    }
}

/// Greatest number of decades below the greatest value on a logarithmic axis.
const DECADES: f64 = 12.0;

/// An axis with its range and ticks.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Ruler {
    /// Values at the ends.
    pub(super) ends: [f64; 2],
    pub(super) log: bool,
    /// Values and labels of ticks; ticks without a label are minor.
    pub(super) ticks: Vec<(f64, String)>,
}

impl Ruler {
    /// Makes an axis for values, with about `count` ticks.
    pub(super) fn new(values: impl Iterator<Item = f64>, scaling: Scaling, count: usize) -> Ruler {
        let log = scaling == Scaling::Log;
        let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
        for value in values.filter(|v| v.is_finite() && (!log || *v > 0.0)) {
            (low, high) = (low.min(value), high.max(value));
        }
        if low > high {
            (low, high) = if log { (1.0, 10.0) } else { (0.0, 1.0) };
        }
        if log {
            return logarithmic(low.max(high * libm::exp10(-DECADES)), high);
        }
        // Most quantities begin at zero, or slightly below it.
        if scaling == Scaling::Even && low < 0.5 * high && low > -0.01 * high {
            low = 0.0;
        }
        if high - low <= 1e-12 * high.abs().max(low.abs()) {
            high = low + high.abs().max(1.0);
        }
        even(low, high, scaling, count)
    }

    /// Returns the position of a value as a fraction of the axis; none for a value that cannot be shown.
    pub(super) fn share(&self, value: f64) -> Option<f64> {
        let [low, high] = self.ends;
        let share = if self.log {
            (value > 0.0).then(|| libm::log(value / low) / libm::log(high / low))?
        } else {
            (value - low) / (high - low)
        };
        share.is_finite().then_some(share)
    }
}

/// Returns the least power of ten times 1, 2 or 5 that is at least `rough`.
fn round_step(rough: f64) -> f64 {
    let power = libm::exp10(libm::log10(rough).floor());
    let digit = [1.0, 2.0, 5.0]
        .into_iter()
        .find(|d| d * power >= 0.999 * rough);
    power * digit.unwrap_or(10.0)
}

fn even(low: f64, high: f64, scaling: Scaling, count: usize) -> Ruler {
    let step = round_step((high - low) / count.max(1) as f64);
    let first = (low / step - 1e-9).ceil();
    let last = (high / step + 1e-9).floor();
    let ends = match scaling {
        Scaling::Tight => [low, high],
        // Leaves a margin above the greatest value.
        _ => {
            let room = 0.04 * (high - low);
            let low = if low == 0.0 { 0.0 } else { low - room };
            [low, high + room]
        }
    };
    let ticks = (0..=(last - first).max(0.0) as usize).map(|k| {
        let value = (first + k as f64) * step;
        (value, number(value, step))
    });
    Ruler {
        ends,
        log: false,
        ticks: ticks.collect(),
    }
}

fn logarithmic(low: f64, high: f64) -> Ruler {
    let from = libm::log10(low).floor();
    let mut to = libm::log10(high).ceil();
    if to - from < 1.0 {
        to = from + 1.0;
    }
    let decades = (to - from) as usize;
    let every = decades.div_ceil(6).max(1);
    let mut ticks = Vec::new();
    for k in 0..=decades {
        let power = libm::exp10(from + k as f64);
        let words = k
            .is_multiple_of(every)
            .then(|| decade(from as i32 + k as i32));
        ticks.push((power, words.unwrap_or_default()));
        if decades <= 3 && k < decades {
            for digit in [2.0, 5.0] {
                let words = (decades == 1).then(|| decimal(digit * power));
                ticks.push((digit * power, words.unwrap_or_default()));
            }
        }
    }
    Ruler {
        ends: [libm::exp10(from), libm::exp10(to)],
        log: true,
        ticks,
    }
}

fn decade(power: i32) -> String {
    match power {
        -2..=4 => decimal(libm::exp10(f64::from(power))),
        _ => format!("10{}", superscript(power)),
    }
}

fn decimal(value: f64) -> String {
    // Returns the shortest decimal form of a digit times a power of ten that may be rounded.
    let digits = (-libm::log10(value).floor()).clamp(0.0, 12.0) as usize;
    format!("{value:.digits$}")
}

fn superscript(power: i32) -> String {
    let digit = |c: char| match c {
        '-' => '\u{207b}',
        '1' => '\u{b9}',
        '2' => '\u{b2}',
        '3' => '\u{b3}',
        c => c
            .to_digit(10)
            .and_then(|d| char::from_u32(0x2070 + d))
            .unwrap_or(c),
    };
    power.to_string().chars().map(digit).collect()
}

/// Formats a tick of a linear axis with as many digits as its step needs.
fn number(value: f64, step: f64) -> String {
    let value = if value.abs() < 1e-9 * step {
        0.0
    } else {
        value
    };
    if value == 0.0 {
        return "0".into();
    }
    let size = value.abs();
    if !(1e-3..1e6).contains(&size) {
        let power = libm::log10(size).floor();
        let lead = value / libm::exp10(power);
        let digits = (power - libm::log10(step).floor()).clamp(0.0, 6.0) as usize;
        let lead = format!("{lead:.digits$}");
        return format!("{}\u{b7}10{}", minus(&lead), superscript(power as i32));
    }
    let digits = (-(libm::log10(step) + 1e-9).floor()).clamp(0.0, 8.0) as usize;
    minus(&format!("{value:.digits$}"))
}

/// Replaces hyphens by minus signs.
fn minus(text: &str) -> String {
    text.replace('-', "\u{2212}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_are_round_and_within_the_axis() {
        for (values, scaling) in [
            (vec![0.0, 1052.0], Scaling::Even),
            (vec![-0.3, 0.45], Scaling::Tight),
            (vec![7.0, 7.0], Scaling::Even),
            (vec![1e-9, 3e-9], Scaling::Tight),
            (vec![1e-5, 30.0], Scaling::Log),
            (vec![], Scaling::Log),
            (vec![f64::NAN, -1.0], Scaling::Log),
        ] {
            let ruler = Ruler::new(values.iter().copied(), scaling, 5);
            let named = ruler.ticks.iter().filter(|t| !t.1.is_empty()).count();
            assert!((2..=9).contains(&named), "{ruler:?}");
            for (value, _) in &ruler.ticks {
                let share = ruler.share(*value).unwrap();
                assert!((-1e-9..=1.0 + 1e-9).contains(&share), "{ruler:?}");
            }
            for value in values.iter().filter(|v| **v > 0.0) {
                let share = ruler.share(*value).unwrap();
                assert!((-1e-9..=1.0 + 1e-9).contains(&share), "{ruler:?}");
            }
        }
        let words =
            |ruler: Ruler| -> Vec<String> { ruler.ticks.into_iter().map(|t| t.1).collect() };
        let even = Ruler::new([0.0, 0.6].into_iter(), Scaling::Even, 3);
        assert_eq!(words(even), ["0", "0.2", "0.4", "0.6"]);
        assert_eq!(decade(-7), "10\u{207b}\u{2077}");
        assert_eq!(decade(0), "1");
        assert_eq!(decade(-2), "0.01");
        assert_eq!(number(2e6, 1e6), "2\u{b7}10\u{2076}");
        assert_eq!(number(-0.25, 0.25), "\u{2212}0.2");
    }
}
