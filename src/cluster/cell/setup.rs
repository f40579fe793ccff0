//! What drives the edges of a periodic cell.

use serde::{Deserialize, Serialize};

/// How the edges of a periodic cell change; all directions are periodic.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct CellSetup {
    /// What drives lengths. Of several that are on at once for an axis the last acts; where none is the length stays.
    pub drives: Vec<CellDrive>,
    /// What drives the shear, alike.
    pub shears: Vec<CellShear>,
}

/// What drives the lengths of some axes for a time.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CellDrive {
    /// Which axes; each goes by itself.
    pub axes: [bool; 3],
    /// How.
    pub control: CellControl,
    /// When it is on.
    pub span: Span,
}

/// How a length is driven.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub enum CellControl {
    /// By a true rate of strain, 1/s: dL/dt = rate L.
    Strain(f64),
    /// By a pressure: M d2L/dt2 = A (P - p (1 + (dL/dt) / (L rate))).
    Pressure {
        /// p, Pa, in the plane N/m.
        pressure: f64,
        /// M of each axis, kg.
        mass: [f64; 3],
        /// The greatest rate of strain, 1/s: that at which the pressure presses an empty cell together.
        rate: f64,
    },
}

/// A shear in x between planes across y, for a time.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct CellShear {
    /// dv_x / dy, 1/s.
    pub rate: f64,
    /// When it is on.
    pub span: Span,
}

/// From when to when, s.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Span {
    /// Begins.
    pub from: f64,
    /// Ends; none: never.
    pub until: Option<f64>,
}

impl Span {
    fn holds(&self, time: f64) -> bool {
        time >= self.from && self.until.is_none_or(|until| time < until)
    }
}

impl CellSetup {
    /// Which drive acts on an axis at a time, by its place in the list.
    pub fn drive(&self, axis: usize, time: f64) -> Option<usize> {
        let on = |drive: &CellDrive| drive.axes[axis] && drive.span.holds(time);
        self.drives.iter().rposition(on)
    }

    /// Rate of shear at a time, 1/s.
    pub fn shear(&self, time: f64) -> f64 {
        let on = self.shears.iter().rfind(|shear| shear.span.holds(time));
        on.map_or(0.0, |shear| shear.rate)
    }

    /// The greatest rate at which grains next to each other are driven past each other, 1/s, and the greatest
    /// pressure, Pa.
    pub fn greatest(&self) -> (f64, f64) {
        let (mut rate, mut pressure) = (0.0f64, 0.0f64);
        for shear in &self.shears {
            rate = rate.max(shear.rate.abs());
        }
        for drive in &self.drives {
            match drive.control {
                CellControl::Strain(strain) => rate = rate.max(strain.abs()),
                CellControl::Pressure {
                    pressure: p,
                    rate: most,
                    ..
                } => {
                    rate = rate.max(most);
                    pressure = pressure.max(p);
                }
            }
        }
        (rate, pressure)
    }
}
