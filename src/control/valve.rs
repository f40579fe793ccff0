//! A valve: closes when a meter has counted enough.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Acts, ControlRow, Kind, Known, Order, Readings};
use crate::geometry::Dimension;
use crate::keys::View;
use crate::walls::{Motion, Slide};

/// Valves.
pub(super) const VALVE: ControlRow = ControlRow {
    name: "control.valve",
    key: "valve",
    noun: "valves",
};

/// A valve closes when a meter has counted so many grains: exactly one of `boundary` and `feed` says what it closes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ValveKeys {
    /// Name of the meter whose count, forward less back, is read each time that it looks.
    pub meter: String,
    /// It closes when so many have passed.
    #[schemars(range(min = 1))]
    pub count: u64,
    /// Name of a wall that stands open at first, and slides to where it is closed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub boundary: Option<String>,
    /// How far the wall slides, m.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub way: Option<Vec<f64>>,
    /// How long it takes, s.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0.0))]
    pub lasts: Option<f64>,
    /// Which `[[feed]]` gives no more, from 0.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub feed: Option<u64>,
}

/// The part that a valve closes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Closes {
    /// An opening, closed by a sliding wall.
    Wall(usize),
    /// A feed.
    Feed(usize),
}

/// A valve.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Valve {
    /// Index of the meter.
    pub meter: usize,
    /// Number of passed grains at which it closes.
    pub count: i64,
    /// Time between two checks, s.
    pub every: f64,
    /// The part that it closes.
    pub closes: Closes,
    /// Number of checks so far.
    looks: u64,
    /// Time at which it closed, s.
    closed: Option<f64>,
}

impl Valve {
    fn order(&self) -> Order {
        match self.closes {
            Closes::Wall(wall) => Order::Slide(wall),
            Closes::Feed(feed) => Order::Shut(feed),
        }
    }
}

/// Returns the sliding wall, which is marked as such.
fn slides<D: Dimension, V: View>(
    keys: &ValveKeys,
    view: &V,
    known: &mut Known<'_, D>,
    name: &str,
) -> Result<Closes, V::Fault> {
    let here = view.key("boundary");
    let names = known.walls.iter().map(|wall| wall.name.as_str());
    let index = here.one_named("boundary", name, names)?;
    let wall = &mut known.walls[index];
    let other = match (&wall.motion, wall.opens_at) {
        (Motion::Fixed, None) => None,
        (Motion::Slide(_), _) => Some("is closed by another valve"),
        (Motion::Fixed, Some(_)) => Some("opens at a time of its own"),
        _ => Some("has a motion of its own"),
    };
    if let Some(other) = other {
        return Err(here.fault(format!("the wall `{name}` {other}")));
    }
    let missing = |key: &str| {
        view.key(key)
            .fault_of_key(format!("a valve that closes a wall needs `{key}`"))
    };
    let way = keys.way.as_ref().ok_or_else(|| missing("way"))?;
    let lasts = keys.lasts.ok_or_else(|| missing("lasts"))?;
    wall.motion = Motion::Slide(Slide {
        way: view.key("way").direction::<D>(way)?,
        lasts: view.key("lasts").positive(lasts)?,
        from: None,
    });
    Ok(Closes::Wall(index))
}

impl<D: Dimension> Kind<D> for Valve {
    type Keys = ValveKeys;

    fn read<V: View>(
        keys: &ValveKeys,
        view: &V,
        known: &mut Known<'_, D>,
    ) -> Result<Self, V::Fault> {
        let names = known.meters.iter().map(|(name, _)| *name);
        let meter = view.key("meter").one_named("meter", &keys.meter, names)?;
        let count = match i64::try_from(keys.count) {
            Ok(count) if count > 0 => count,
            _ => {
                let must = format!("from 1 to {}", i64::MAX);
                return Err(view.key("count").wrong(&keys.count.to_string(), &must));
            }
        };
        view.one_of(
            "what it closes",
            &[
                ("boundary", keys.boundary.is_some()),
                ("feed", keys.feed.is_some()),
            ],
        )?;
        let closes = match (&keys.boundary, keys.feed) {
            (Some(name), _) => slides(keys, view, known, name)?,
            (None, feed) => {
                for (key, given) in [("way", keys.way.is_some()), ("lasts", keys.lasts.is_some())] {
                    if given {
                        let text = format!("`{key}` goes with a `boundary`, not with a `feed`");
                        return Err(view.key(key).fault_of_key(text));
                    }
                }
                let feed = feed.unwrap_or(0);
                if feed >= known.feeds as u64 {
                    let must = match known.feeds {
                        0 => "of a [[feed]], of which there is none".to_owned(),
                        feeds => format!("from 0 to {}", feeds - 1),
                    };
                    return Err(view.key("feed").wrong(&feed.to_string(), &must));
                }
                Closes::Feed(feed as usize)
            }
        };
        // Meters are all read at the shortest of their intervals.
        let every = known.meters.iter().map(|(_, every)| *every);
        Ok(Valve {
            meter,
            count,
            every: every.fold(f64::INFINITY, f64::min),
            closes,
            looks: 0,
            closed: None,
        })
    }
}

impl Acts for Valve {
    fn next(&self) -> Option<f64> {
        // From the count, so that rounding errors do not accumulate.
        let time = (self.looks + 1) as f64 * self.every;
        self.closed.is_none().then_some(time)
    }

    fn act(&mut self, time: f64, readings: &dyn Readings) -> Vec<Order> {
        self.looks += 1;
        if self.closed.is_some() || readings.passed(self.meter) < self.count {
            return Vec::new();
        }
        self.closed = Some(time);
        vec![self.order()]
    }

    fn slides(&self) -> bool {
        matches!(self.closes, Closes::Wall(_))
    }

    fn standing(&self) -> Option<(Order, f64)> {
        self.closed.map(|time| (self.order(), time))
    }
}
