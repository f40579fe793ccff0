//! A part of a sweep, for job arrays.

use std::fmt;
use std::str::FromStr;

/// Part `index` of `count`: the runs whose number, from 1, leaves the same remainder. Parts therefore contain runs of
/// all settings, and take about equally long.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shard {
    /// Number of the part, from 1.
    pub index: u32,
    /// Number of parts.
    pub count: u32,
}

impl Shard {
    /// Whether a run, by its number from 1, belongs to the part.
    pub fn holds(self, number: usize) -> bool {
        number % self.count as usize == self.index as usize % self.count as usize
    }
}

impl FromStr for Shard {
    type Err = String;
    fn from_str(text: &str) -> Result<Self, String> {
        let wrong = || format!("`{text}` is not a part I/N with I from 1 to N, as 3/16");
        let (index, count) = text.split_once('/').ok_or_else(wrong)?;
        let shard = Shard {
            index: index.trim().parse().map_err(|_| wrong())?,
            count: count.trim().parse().map_err(|_| wrong())?,
        };
        match (1..=shard.count).contains(&shard.index) {
            true => Ok(shard),
            false => Err(wrong()),
        }
    }
}

impl fmt::Display for Shard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.index, self.count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_hold_each_run_once() {
        for count in 1..7 {
            for number in 1..50 {
                let parts = (1..=count).map(|index| Shard { index, count });
                assert_eq!(parts.filter(|part| part.holds(number)).count(), 1);
            }
        }
        for text in ["", "3", "0/4", "5/4", "1/0", "a/b", "-1/4"] {
            assert!(text.parse::<Shard>().is_err(), "{text}");
        }
        assert_eq!(
            "3/16".parse(),
            Ok(Shard {
                index: 3,
                count: 16
            })
        );
    }
}
