//! Covering arrays: few cases in which every two (or three) values of any two (three) axes that may stand together do.
//!
//! Greedy and deterministic: each new case begins with the first pair that no case has yet, and every other axis in turn
//! takes the value with which most new pairs come in (after the idea of Cohen, Dalal, Fredman and Patton 1997).

use std::collections::BTreeSet;

/// What is chosen between, each of several values.
pub struct Axis {
    pub name: &'static str,
    pub values: &'static [&'static str],
}

/// A value by the numbers of its axis and its place there.
pub type Value = (usize, usize);

/// Values that stand together: one of each of some axes, in their order.
pub type Part = Vec<Value>;

/// All choices of one value from each of `strength` axes that no two values rule out.
pub fn parts(axes: &[Axis], strength: usize, apart: &BTreeSet<[Value; 2]>) -> Vec<Part> {
    let mut found = vec![Part::new()];
    for axis in 0..axes.len() {
        let mut more = Vec::new();
        for part in found.iter().filter(|part| part.len() < strength) {
            for value in 0..axes[axis].values.len() {
                if goes(part, (axis, value), apart) {
                    more.push([part.as_slice(), &[(axis, value)]].concat());
                }
            }
        }
        found.extend(more);
    }
    found.retain(|part| part.len() == strength);
    found.sort();
    found
}

/// Whether a value may stand beside others.
fn goes(part: &[Value], value: Value, apart: &BTreeSet<[Value; 2]>) -> bool {
    part.iter().all(|other| {
        let pair = [*other.min(&value), *other.max(&value)];
        !apart.contains(&pair)
    })
}

/// The choices of `strength` values that a case has with one value more.
fn with(part: &[Value], value: Value, strength: usize) -> Vec<Part> {
    let mut chosen = vec![Part::new()];
    for &other in part {
        let more: Vec<Part> = chosen
            .iter()
            .filter(|part| part.len() + 1 < strength)
            .map(|part| [part.as_slice(), &[other]].concat())
            .collect();
        chosen.extend(more);
    }
    chosen.retain(|part| part.len() + 1 == strength);
    for part in &mut chosen {
        part.push(value);
        part.sort_unstable();
    }
    chosen
}

/// Cases that have each part once at least: the place of the value on each axis.
///
/// # Panics
/// A part that no whole case can have: then some value is ruled out with all others of an axis.
pub fn covering(axes: &[Axis], strength: usize, apart: &BTreeSet<[Value; 2]>) -> Vec<Vec<usize>> {
    let mut open: BTreeSet<Part> = parts(axes, strength, apart).into_iter().collect();
    let mut cases = Vec::new();
    while let Some(first) = open.first().cloned() {
        let mut case = first.clone();
        // The axes with most values first: they are the hardest to place.
        let mut order: Vec<usize> = (0..axes.len()).collect();
        order.sort_by_key(|&axis| std::cmp::Reverse(axes[axis].values.len()));
        for axis in order {
            if case.iter().any(|value| value.0 == axis) {
                continue;
            }
            let gain = |value: usize| -> (usize, usize) {
                let value = (axis, value);
                if !goes(&case, value, apart) {
                    return (0, 0);
                }
                let new = with(&case, value, strength);
                let new = new.iter().filter(|part| open.contains(*part)).count();
                // Of the same gain, what leaves most to choose from elsewhere.
                let barred = apart.iter().filter(|pair| pair.contains(&value)).count();
                (1 + new, usize::MAX - barred)
            };
            let best = (0..axes[axis].values.len()).rev().max_by_key(|&v| gain(v));
            let best = best.filter(|&value| gain(value).0 > 0);
            let best = best.unwrap_or_else(|| panic!("no {} goes with {case:?}", axes[axis].name));
            case.push((axis, best));
        }
        case.sort_unstable();
        let places: Vec<Value> = case.clone();
        for part in combinations(&places, strength) {
            open.remove(&part);
        }
        cases.push(case.into_iter().map(|(_, value)| value).collect());
    }
    cases
}

/// All choices of so many out of a list, in its order.
fn combinations(from: &[Value], strength: usize) -> Vec<Part> {
    let mut chosen = vec![Part::new()];
    for &value in from {
        let more: Vec<Part> = chosen
            .iter()
            .filter(|part| part.len() < strength)
            .map(|part| [part.as_slice(), &[value]].concat())
            .collect();
        chosen.extend(more);
    }
    chosen.retain(|part| part.len() == strength);
    chosen
}

/// A small array by hand: three axes of two values, one pair ruled out. Without it four cases hold all pairs.
#[test]
fn few_cases_hold_all_pairs() {
    let axes = ["a", "b", "c"].map(|name| Axis {
        name,
        values: &["0", "1"],
    });
    let all = covering(&axes, 2, &BTreeSet::new());
    assert!(all.len() <= 5, "{all:?}");
    let apart = BTreeSet::from([[(0, 1), (2, 1)]]);
    let cases = covering(&axes, 2, &apart);
    for part in parts(&axes, 2, &BTreeSet::new()) {
        let held = cases
            .iter()
            .any(|case| part.iter().all(|&(axis, value)| case[axis] == value));
        assert_eq!(held, part != [(0, 1), (2, 1)], "{part:?}");
    }
}
