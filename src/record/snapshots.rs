//! Reads the snapshots of a run one after another, as the rows that the driver wrote.

use std::collections::VecDeque;
use std::path::Path;

use super::RecordError;
use super::bonds::BondState;
use super::column::Table;
use super::meta::RunMeta;
use super::read::{Columns, TableReader};
use super::rows::{BodyRef, GrainRow, LinkRow};
use super::tables::{REGIME_NAMES, REGIMES};
use crate::event::Regime;

/// The grains and links at one time.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Snapshot {
    /// Number of the snapshot, from 0. Snapshots without grains leave no rows and are skipped.
    pub number: u64,
    /// Time, s.
    pub time: f64,
    /// Grains.
    pub grains: Vec<GrainRow>,
    /// Links.
    pub links: Vec<LinkRow>,
}

/// Reader of consecutive snapshots, which holds little more than one at a time.
#[derive(Debug)]
pub struct Snapshots {
    /// The description of the run.
    pub meta: RunMeta,
    grains: Rows<GrainRow>,
    links: Rows<LinkRow>,
}

impl Snapshots {
    /// Opens the snapshots of a run's folder.
    pub fn open(dir: &Path) -> Result<Snapshots, RecordError> {
        let grains = TableReader::open(dir, Table::Grains)?;
        let meta = grains.meta()?;
        let links = TableReader::open(dir, Table::Links)?;
        Ok(Snapshots {
            grains: Rows::new(grains, meta.dimensions, grain_rows),
            links: Rows::new(links, meta.dimensions, link_rows),
            meta,
        })
    }

    /// Returns the next snapshot, or none at the end.
    pub fn next_snapshot(&mut self) -> Result<Option<Snapshot>, RecordError> {
        let Some((number, first)) = self.grains.peek()? else {
            return Ok(None);
        };
        let time = first.time;
        Ok(Some(Snapshot {
            number,
            time,
            grains: self.grains.take(number)?,
            links: self.links.take(number)?,
        }))
    }
}

type Rebuild<R> = fn(&Columns, usize) -> Result<Vec<(u64, R)>, RecordError>;

/// Rows of a table with their snapshot numbers, in order.
#[derive(Debug)]
struct Rows<R> {
    reader: TableReader,
    dimensions: usize,
    rebuild: Rebuild<R>,
    ready: VecDeque<(u64, R)>,
}

impl<R: Copy> Rows<R> {
    fn new(reader: TableReader, dimensions: usize, rebuild: Rebuild<R>) -> Self {
        Rows {
            reader,
            dimensions,
            rebuild,
            ready: VecDeque::new(),
        }
    }

    fn peek(&mut self) -> Result<Option<(u64, R)>, RecordError> {
        while self.ready.is_empty() {
            let Some(group) = self.reader.next_group()? else {
                return Ok(None);
            };
            self.ready.extend((self.rebuild)(&group, self.dimensions)?);
        }
        Ok(self.ready.front().copied())
    }

    /// Returns the rows of one snapshot; those of earlier ones are skipped.
    fn take(&mut self, number: u64) -> Result<Vec<R>, RecordError> {
        let mut taken = Vec::new();
        while let Some((snapshot, row)) = self.peek()? {
            if snapshot > number {
                break;
            }
            self.ready.pop_front();
            if snapshot == number {
                taken.push(row);
            }
        }
        Ok(taken)
    }
}

/// Reads the columns of a vector; `name` has a `*` for the axis; absent axes are 0.
fn vectors(c: &Columns, name: &str, dimensions: usize) -> Result<Vec<[f64; 3]>, RecordError> {
    let mut vectors = vec![[0.0; 3]; c.rows];
    for (k, axis) in ["x", "y", "z"].into_iter().enumerate().take(dimensions) {
        for (vector, &value) in vectors.iter_mut().zip(c.floats(&name.replace('*', axis))?) {
            vector[k] = value;
        }
    }
    Ok(vectors)
}

/// Reads the columns of an angular velocity or moment: in the plane the one component comes first.
fn turns(c: &Columns, name: &str, dimensions: usize) -> Result<Vec<[f64; 3]>, RecordError> {
    if dimensions == 2 {
        return Ok(c.floats(name)?.iter().map(|&v| [v, 0.0, 0.0]).collect());
    }
    vectors(c, &format!("{name}_*"), dimensions)
}

fn grain_rows(c: &Columns, dimensions: usize) -> Result<Vec<(u64, GrainRow)>, RecordError> {
    let number = |name: &str, row: usize| -> Result<i64, RecordError> {
        c.integers(name)?[row].ok_or_else(|| c.lacking(name))
    };
    let position = vectors(c, "*", dimensions)?;
    let velocity = vectors(c, "velocity_*", dimensions)?;
    let force = vectors(c, "force_*", dimensions)?;
    let spin = turns(c, "spin", dimensions)?;
    let moment = turns(c, "moment", dimensions)?;
    let mut rotation = vec![[0.0; 4]; c.rows];
    let parts: &[&str] = if dimensions == 2 {
        &["angle"]
    } else {
        &["rotation_x", "rotation_y", "rotation_z", "rotation_w"]
    };
    for (k, part) in parts.iter().enumerate() {
        for (r, &value) in rotation.iter_mut().zip(c.floats(part)?) {
            r[k] = value;
        }
    }
    let (time, radius, mass) = (c.floats("time")?, c.floats("radius")?, c.floats("mass")?);
    let regime = c.names("regime")?;
    // Runs of older versions lack these columns.
    let groups = c.integers("group").ok();
    let errors = c.floats("force_error").ok();
    let fragments = c.integers("fragment").ok();
    let mut rows = Vec::with_capacity(c.rows);
    for k in 0..c.rows {
        let row = GrainRow {
            time: time[k],
            grain: number("grain", k)? as u32,
            shape: u16::try_from(number("shape", k)?).ok(),
            radius: radius[k],
            mass: mass[k],
            material: number("material", k)? as u16,
            position: position[k],
            velocity: velocity[k],
            rotation: rotation[k],
            spin: spin[k],
            force: force[k],
            moment: moment[k],
            regime: regime_named(regime[k].as_deref()).ok_or_else(|| c.lacking("regime"))?,
            cluster: number("cluster", k)?,
            group: groups.and_then(|groups| groups[k]).unwrap_or(-1),
            force_error: errors.map_or(0.0, |errors| errors[k]),
            fragment: match fragments.and_then(|fragments| fragments[k]) {
                Some(fragment) => fragment as u32,
                None => number("grain", k)? as u32,
            },
        };
        rows.push((number("snapshot", k)? as u64, row));
    }
    Ok(rows)
}

fn regime_named(name: Option<&str>) -> Option<Regime> {
    let index = REGIME_NAMES.iter().position(|&n| Some(n) == name)?;
    Some(REGIMES[index])
}

fn link_rows(c: &Columns, dimensions: usize) -> Result<Vec<(u64, LinkRow)>, RecordError> {
    let body = |name: &str, row: usize| -> Result<BodyRef, RecordError> {
        Ok(c.integers(name)?[row].map_or(BodyRef::None, BodyRef::from_code))
    };
    let number = |name: &str, row: usize| -> Result<u64, RecordError> {
        Ok(c.integers(name)?[row].ok_or_else(|| c.lacking(name))? as u64)
    };
    let point = vectors(c, "*", dimensions)?;
    let normal = vectors(c, "normal_*", dimensions)?;
    let tangential_force = vectors(c, "tangential_force_*", dimensions)?;
    let (time, overlap, normal_force) = (
        c.floats("time")?,
        c.floats("overlap")?,
        c.floats("normal_force")?,
    );
    let (slipping, stable) = (c.flags("slip")?, c.flags("stable")?);
    let bonds = BondColumns::of(c)?;
    let mut rows = Vec::with_capacity(c.rows);
    for k in 0..c.rows {
        let row = LinkRow {
            time: time[k],
            link: number("link", k)?,
            body_a: body("body_a", k)?,
            body_b: body("body_b", k)?,
            point: point[k],
            normal: normal[k],
            overlap: overlap[k],
            normal_force: normal_force[k],
            tangential_force: tangential_force[k],
            slipping: slipping[k],
            stable: stable[k],
            bond: bonds.as_ref().and_then(|bonds| bonds.at(k)),
        };
        rows.push((number("snapshot", k)?, row));
    }
    Ok(rows)
}

/// The columns of bonds.
struct BondColumns<'a> {
    holds: &'a [bool],
    loads: [&'a [f64]; 4],
    /// In space only.
    twisting: Option<&'a [f64]>,
}

impl<'a> BondColumns<'a> {
    /// Returns the columns; none in runs without bonds.
    fn of(c: &'a Columns) -> Result<Option<Self>, RecordError> {
        let Ok(holds) = c.flags("bond") else {
            return Ok(None);
        };
        Ok(Some(BondColumns {
            holds,
            loads: [
                c.floats("bond_tension")?,
                c.floats("bond_shear")?,
                c.floats("bond_bending")?,
                c.floats("bond_share")?,
            ],
            twisting: c.floats("bond_twisting").ok(),
        }))
    }

    fn at(&self, row: usize) -> Option<BondState> {
        let [tension, shear, bending, share] = self.loads.map(|column| column[row]);
        self.holds[row].then(|| BondState {
            tension,
            shear,
            bending,
            twisting: self.twisting.map_or(0.0, |column| column[row]),
            share,
        })
    }
}
