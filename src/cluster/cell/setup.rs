//! Drives of the edges of a periodic cell.

use serde::{Deserialize, Serialize};

/// Changes of the edges of a periodic cell; all directions are periodic.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct CellSetup {
    /// Drives of lengths. Of several that are on at once for an axis the last acts; without a drive the length is constant.
    pub drives: Vec<CellDrive>,
    /// Drives of the shear, likewise.
    pub shears: Vec<CellShear>,
}

/// Drive of the lengths of some axes for a time.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CellDrive {
    /// Whether it acts on each axis; axes are driven independently.
    pub axes: [bool; 3],
    /// Type of control.
    pub control: CellControl,
    /// Time interval in which it is on.
    pub span: Span,
}

/// Type of control of a length.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub enum CellControl {
    /// A true rate of strain, 1/s: dL/dt = rate L.
    Strain(f64),
    /// A pressure: M d2L/dt2 = A (P - p (1 + (dL/dt) / (L rate))).
    Pressure {
        /// Pressure p, Pa; in the plane N/m.
        pressure: f64,
        /// Mass M of each axis, kg.
        mass: [f64; 3],
        /// Greatest rate of strain, 1/s: that at which the pressure compresses an empty cell.
        rate: f64,
    },
}

/// A shear flow along x with gradient along y, for a time.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct CellShear {
    /// Shear rate dv_x / dy, 1/s.
    pub rate: f64,
    /// Time interval in which it is on.
    pub span: Span,
}

/// A time interval, s.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Span {
    /// Start.
    pub from: f64,
    /// End; none: no end.
    pub until: Option<f64>,
}

impl Span {
    fn holds(&self, time: f64) -> bool {
        time >= self.from && self.until.is_none_or(|until| time < until)
    }
}

impl CellSetup {
    /// Index in the list of the drive that acts on an axis at a time.
    pub fn drive(&self, axis: usize, time: f64) -> Option<usize> {
        let on = |drive: &CellDrive| drive.axes[axis] && drive.span.holds(time);
        self.drives.iter().rposition(on)
    }

    /// Rate of shear at a time, 1/s.
    pub fn shear(&self, time: f64) -> f64 {
        let on = self.shears.iter().rfind(|shear| shear.span.holds(time));
        on.map_or(0.0, |shear| shear.rate)
    }

    /// The greatest rate at which adjacent grains are driven past each other, 1/s, and the greatest
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
