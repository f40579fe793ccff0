//! Coarse-grained fields of a run on a grid, for ParaView and as tables.

use std::path::{Path, PathBuf};

use crate::record::read::{self, Snapshot, Snapshots};
use crate::record::{
    CellArray, CellImage, Cells, Frame, FrameColumn, RecordError, RunMeta, forget_older,
    write_collection, write_file,
};
use crate::study::StudyError;
use crate::study::coarse::{Field, Grid, Lattice, Lucy, Sums, lattices, scene};

/// Limit on the rows of all tables together: each uses some 700 bytes of disk space.
const MOST_ROWS: usize = 4_000_000;

/// Options of the fields.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct FieldOptions {
    /// Width of the kernel, m: half its range. None: the mean diameter of the grains.
    pub width: Option<f64>,
    /// Greatest side of a cell, m. None: half the width.
    pub cell: Option<f64>,
    /// Use the snapshot nearest to this time, s. None: all snapshots, and their mean.
    pub time: Option<f64>,
}

/// Reasons why no fields can be made.
#[derive(Debug, thiserror::Error)]
pub enum FieldsError {
    /// The records cannot be read, or files cannot be written.
    #[error(transparent)]
    Record(#[from] RecordError),
    /// A number that is invalid or too great.
    #[error(transparent)]
    Study(#[from] StudyError),
    /// The run recorded no snapshots to make fields from.
    #[error(
        "{0}: the run recorded no snapshot with grains; run it with --set log.snapshots=SECONDS"
    )]
    NoSnapshot(String),
    /// More rows than the limit.
    #[error(
        "{points} points in {snapshots} snapshots are {} rows, more than {MOST_ROWS}: take wider cells (--cell \
         METRES, now {cell}), or one moment (--time SECONDS)",
        points * snapshots
    )]
    TooMany {
        /// Number of grid points.
        points: usize,
        /// Number of snapshots.
        snapshots: usize,
        /// Side of a cell, m.
        cell: f64,
    },
    /// Cells so wide that grains between their centres would be missed.
    #[error(
        "cells of {cell} m are wider than the kernel, {width} m: between their middles grains would be missed; take \
         narrower cells (--cell METRES) or a wider kernel (--kernel METRES)"
    )]
    TooWide {
        /// Side of a cell, m.
        cell: f64,
        /// Width of the kernel, m.
        width: f64,
    },
    /// More points than fit into memory.
    #[error(
        "the grid over {extent} would have {points} points, more than 1e6: take wider cells (--cell METRES, now {cell})"
    )]
    TooFine {
        /// Extent of the grid.
        extent: String,
        /// Number of points that it would have.
        points: String,
        /// Side of a cell, m.
        cell: f64,
    },
    /// The edges of a periodic box move, and the series does not contain their position.
    #[error(
        "{folder}: the periodic box moves, and its series has no row at {time} s, the time of a snapshot; run it with \
         log.series such that log.snapshots is a multiple"
    )]
    NoTick {
        /// Folder of the run.
        folder: String,
        /// Time of the snapshot, s.
        time: f64,
    },
}

/// Times and spatial extent of the snapshots of a run.
struct Survey {
    meta: RunMeta,
    /// Number and time of the selected snapshots.
    taken: Vec<(u64, f64)>,
    low: [f64; 3],
    high: [f64; 3],
    /// Mean diameter of the grains, m.
    diameter: f64,
    lattices: Vec<Lattice>,
}

impl Survey {
    fn of(dir: &Path, time: Option<f64>) -> Result<Survey, FieldsError> {
        let mut reader = Snapshots::open(dir)?;
        let mut all: Vec<(u64, f64, [[f64; 3]; 2])> = Vec::new();
        let (mut diameters, mut count) = (0.0, 0.0);
        while let Some(snapshot) = reader.next_snapshot()? {
            let mut bounds = [[f64::INFINITY; 3], [f64::NEG_INFINITY; 3]];
            for grain in &snapshot.grains {
                for (k, x) in grain.position.into_iter().enumerate() {
                    bounds[0][k] = bounds[0][k].min(x);
                    bounds[1][k] = bounds[1][k].max(x);
                }
                diameters += 2.0 * grain.radius;
                count += 1.0;
            }
            all.push((snapshot.number, snapshot.time, bounds));
        }
        if let Some(time) = time {
            let off = |s: &(u64, f64, [[f64; 3]; 2])| (s.1 - time).abs();
            let nearest = all.iter().min_by(|a, b| off(a).total_cmp(&off(b))).copied();
            all = nearest.into_iter().collect();
        }
        if all.is_empty() {
            return Err(FieldsError::NoSnapshot(dir.display().to_string()));
        }
        let times: Vec<f64> = all.iter().map(|s| s.1).collect();
        let found = lattices(&reader.meta, &read::series(dir)?, &times);
        let mut known = Vec::with_capacity(found.len());
        for (lattice, time) in found.into_iter().zip(times) {
            known.push(lattice.ok_or_else(|| FieldsError::NoTick {
                folder: dir.display().to_string(),
                time,
            })?);
        }
        let edge = |side: usize, of: fn(f64, f64) -> f64| {
            let bounds = all.iter().map(|s| s.2[side]);
            bounds.reduce(|a, b| std::array::from_fn(|k| of(a[k], b[k])))
        };
        Ok(Survey {
            low: edge(0, f64::min).unwrap_or_default(),
            high: edge(1, f64::max).unwrap_or_default(),
            taken: all.iter().map(|s| (s.0, s.1)).collect(),
            meta: reader.meta,
            diameter: diameters / count,
            lattices: known,
        })
    }

    /// Returns the grid: over the range of the kernel around all grains, and over the box along periodic directions.
    /// In a moving box the cells move with it, scaled by its lengths relative to the initial ones.
    fn grid(&self, cell: f64, reach: f64) -> Result<Grid, FieldsError> {
        let (mut low, mut high) = (self.low, self.high);
        for axis in 0..self.meta.dimensions {
            match self.lattices[0].lengths[axis] {
                Some(length) => {
                    low[axis] = self.meta.periodic[axis].map_or(0.0, |[origin, _]| origin);
                    high[axis] = low[axis] + length;
                }
                None => {
                    low[axis] -= reach;
                    high[axis] += reach;
                }
            }
        }
        let n = self.meta.dimensions;
        Grid::over(low, high, cell, n).map_err(|why| match why {
            StudyError::Range {
                what: "number of points",
                value,
                ..
            } => {
                let sides: Vec<String> =
                    (0..n).map(|k| format!("{:.3}", high[k] - low[k])).collect();
                FieldsError::TooFine {
                    extent: format!("{} m", sides.join(" x ")),
                    points: format!("{value:.3e}"),
                    cell,
                }
            }
            other => other.into(),
        })
    }

    fn scaled(&self, grid: &Grid, lattice: &Lattice) -> Grid {
        let mut scaled = *grid;
        if self.meta.cell {
            for axis in 0..self.meta.dimensions {
                if let Some(length) = lattice.lengths[axis] {
                    scaled.step[axis] = length / grid.count[axis] as f64;
                }
            }
        }
        scaled
    }
}

/// Writes the fields of a run into the folder `out`, by default `export` in the run's folder: for each snapshot and
/// for their mean from time 0 on, or for one snapshot; returns the files that a user opens.
///
/// # Errors
/// A folder without snapshots, options that make no grid, or an error of the disk.
pub fn export_fields(
    dir: &Path,
    out: Option<&Path>,
    options: &FieldOptions,
) -> Result<Vec<PathBuf>, FieldsError> {
    let out = out.map_or_else(|| dir.join("export"), Path::to_path_buf);
    let survey = Survey::of(dir, options.time)?;
    let n = survey.meta.dimensions;
    let kernel = Lucy::new(options.width.unwrap_or(survey.diameter), n)?;
    let cell = options.cell.unwrap_or(0.5 * kernel.width());
    if cell > kernel.width() {
        return Err(FieldsError::TooWide {
            cell,
            width: kernel.width(),
        });
    }
    let grid = survey.grid(cell, kernel.reach())?;
    let points: usize = grid.count.iter().product();
    let snapshots = survey.taken.len();
    if points.saturating_mul(snapshots) > MOST_ROWS {
        return Err(FieldsError::TooMany {
            points,
            snapshots,
            cell,
        });
    }
    let about = format!(
        "Lucy kernel of width {:?} m (reach {:?} m)",
        kernel.width(),
        kernel.reach()
    );
    let mut now = Sums::new(kernel, grid.points())?;
    let mut mean = now.clone();
    let (mut times, mut last) = (Vec::new(), grid);
    forget_older(
        &out,
        &["fields.csv", "fields.vti", "fields-mean.vti", "fields.pvd"],
        &["fields"],
        &["csv", "vti"],
    )?;
    let mut reader = Snapshots::open(dir)?;
    while let Some(snapshot) = reader.next_snapshot()? {
        let Some(taken) = survey.taken.iter().position(|t| t.0 == snapshot.number) else {
            continue;
        };
        let lattice = survey.lattices[taken];
        let here = survey.scaled(&grid, &lattice);
        let moment = scene(&snapshot, &survey.meta, lattice);
        now.clear();
        now.add_at(here.points(), &moment)?;
        let table = Table::new(&here, n, Some(&snapshot), now.fields());
        if options.time.is_some() {
            return Ok(vec![
                table.csv(&out.join("fields.csv"), &about)?,
                table.image(&out.join("fields.vti"))?,
            ]);
        }
        let name = format!("{:05}", times.len());
        let folder = out.join("fields");
        table.csv(&folder.join(format!("{name}.csv")), &about)?;
        table.image(&folder.join(format!("{name}.vti")))?;
        times.push((snapshot.time, format!("{name}.vti")));
        // If the run never reached time 0, all snapshots count.
        if snapshot.time >= 0.0 || survey.taken.last().is_some_and(|t| t.1 < 0.0) {
            mean.add_at(here.points(), &moment)?;
            last = here;
        }
    }
    let table = Table::new(&last, n, None, mean.fields());
    let collection = out.join("fields.pvd");
    write_collection(&collection, "fields", &times)?;
    Ok(vec![
        table.csv(&out.join("fields.csv"), &about)?,
        table.image(&out.join("fields-mean.vti"))?,
        collection,
    ])
}

const AXES: [&str; 3] = ["x", "y", "z"];

/// Fields on a grid at one time, or their mean over several.
struct Table<'a> {
    grid: &'a Grid,
    dimensions: usize,
    time: Option<f64>,
    fields: Vec<Field>,
}

impl<'a> Table<'a> {
    fn new(
        grid: &'a Grid,
        dimensions: usize,
        snapshot: Option<&Snapshot>,
        fields: Vec<Field>,
    ) -> Table<'a> {
        Table {
            grid,
            dimensions,
            time: snapshot.map(|s| s.time),
            fields,
        }
    }

    /// Writes the table, one row per point.
    fn csv(&self, path: &Path, about: &str) -> Result<PathBuf, RecordError> {
        write_file(path, self.frame(about).csv().as_bytes())?;
        Ok(path.to_path_buf())
    }

    fn frame(&self, about: &str) -> Frame {
        let n = self.dimensions;
        let planar = n == 2;
        let pick = |flat: &'static str, full: &'static str| if planar { flat } else { full };
        let stress = pick("N/m", "Pa");
        let mut columns: Vec<FrameColumn> = Vec::new();
        let mut column = |name: String, unit: &'static str, value: &dyn Fn(usize) -> f64| {
            let values = (0..self.fields.len()).map(|k| Some(value(k)).filter(|v| v.is_finite()));
            columns.push(FrameColumn {
                name,
                unit,
                about: about.into(),
                cells: Cells::Floats(values.collect()),
            });
        };
        if let Some(time) = self.time {
            column("time".into(), "s", &|_| time);
        }
        let points = self.grid.points();
        for (axis, name) in AXES.iter().enumerate().take(n) {
            column((*name).into(), "m", &|k| points[k][axis]);
        }
        let f = &self.fields;
        column("density".into(), pick("kg/m^2", "kg/m^3"), &|k| {
            f[k].density
        });
        column("solid_fraction".into(), "1", &|k| f[k].fraction);
        for (axis, name) in AXES.iter().enumerate().take(n) {
            let unit = pick("kg/(m s)", "kg/(m^2 s)");
            column(format!("momentum_{name}"), unit, &|k| f[k].momentum[axis]);
        }
        for (axis, name) in AXES.iter().enumerate().take(n) {
            column(format!("velocity_{name}"), "m/s", &|k| {
                f[k].velocity.map_or(f64::NAN, |v| v[axis])
            });
        }
        column("pressure".into(), stress, &|k| f[k].pressure(n));
        for (i, a) in AXES.iter().enumerate().take(n) {
            for (j, b) in AXES.iter().enumerate().take(n) {
                column(format!("contact_pressure_{a}{b}"), stress, &|k| {
                    f[k].contact[i][j]
                });
            }
        }
        for (i, a) in AXES.iter().enumerate().take(n) {
            for (j, b) in AXES.iter().enumerate().take(n).skip(i) {
                column(format!("kinetic_pressure_{a}{b}"), stress, &|k| {
                    f[k].kinetic[i][j]
                });
            }
        }
        for (axis, name) in AXES.iter().enumerate().take(n) {
            let unit = pick("N/m^2", "N/m^3");
            column(format!("boundary_force_{name}"), unit, &|k| {
                f[k].boundary[axis]
            });
        }
        let per = pick("1/m^2", "1/m^3");
        column("contacts".into(), per, &|k| f[k].contacts);
        column("sliding".into(), per, &|k| f[k].sliding);
        Frame {
            name: "fields".into(),
            columns,
            metadata: Vec::new(),
        }
    }

    /// Writes the file for ParaView.
    fn image(&self, path: &Path) -> Result<PathBuf, RecordError> {
        let n = self.dimensions;
        let mut arrays = Vec::new();
        let mut array = |name: &str, components: usize, of: &dyn Fn(&Field) -> [f64; 9]| {
            let values = self.fields.iter().flat_map(|f| {
                let all = of(f);
                all.into_iter().take(components)
            });
            arrays.push(CellArray {
                name: name.into(),
                components,
                values: values.collect(),
            });
        };
        let single = |x: f64| {
            let mut all = [0.0; 9];
            all[0] = x;
            all
        };
        let vector = |v: [f64; 3]| std::array::from_fn(|k| v.get(k).copied().unwrap_or(0.0));
        let tensor = |t: [[f64; 3]; 3]| std::array::from_fn(|k| t[k / 3][k % 3]);
        array("density", 1, &|f| single(f.density));
        array("solid_fraction", 1, &|f| single(f.fraction));
        array("momentum", 3, &|f| vector(f.momentum));
        array("velocity", 3, &|f| vector(f.velocity.unwrap_or([0.0; 3])));
        array("pressure", 1, &|f| single(f.pressure(n)));
        array("contact_pressure", 9, &|f| tensor(f.contact));
        array("kinetic_pressure", 9, &|f| tensor(f.kinetic));
        array("boundary_force", 3, &|f| vector(f.boundary));
        array("contacts", 1, &|f| single(f.contacts));
        array("sliding", 1, &|f| single(f.sliding));
        let image = CellImage {
            origin: self.grid.origin,
            step: self.grid.step,
            count: self.grid.count,
            arrays,
        };
        image.write(path)?;
        Ok(path.to_path_buf())
    }
}
