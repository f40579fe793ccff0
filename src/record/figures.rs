//! The scalar figures of a summary as columns, which a table of many runs holds for each run.

use std::sync::LazyLock;

use super::column::{Column, Kind};
use super::nodes::{ForceError, MODELS, ModelFigures, NodeFigures};
use super::summary::{CellFigures, Impacts, Summary};
use super::tables::KINDS;
use super::{BodyFigures, BondFigures};

/// A figure of a run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum FigureValue {
    /// A number.
    Float(f64),
    /// A whole number.
    Integer(u64),
}

impl FigureValue {
    /// Returns the figure as a number.
    pub fn value(self) -> f64 {
        match self {
            FigureValue::Float(value) => value,
            FigureValue::Integer(value) => value as f64,
        }
    }
}

type Get = Box<dyn Fn(&Summary) -> Option<FigureValue> + Send + Sync>;

/// The figures in order, each with the function that takes it from a summary.
static FIGURES: LazyLock<Vec<(Column, Get)>> = LazyLock::new(|| {
    let mut list = List(Vec::new());
    list.fill();
    list.0
});

/// Returns the columns of all figures except wall-clock ones, named by their paths in `summary.json`. A run may lack
/// any of them.
pub fn figure_columns() -> Vec<Column> {
    FIGURES.iter().map(|(column, _)| column.clone()).collect()
}

/// Returns the figures of a run in the order of [`figure_columns`].
pub fn figures(summary: &Summary) -> Vec<Option<FigureValue>> {
    FIGURES.iter().map(|(_, get)| get(summary)).collect()
}

struct List(Vec<(Column, Get)>);

impl List {
    fn push(&mut self, kind: Kind, name: &str, unit: &'static str, about: &str, get: Get) {
        let column = Column {
            name: name.into(),
            unit,
            about: about.into(),
            kind,
            nullable: true,
        };
        self.0.push((column, get));
    }

    fn maybe(
        &mut self,
        name: &str,
        unit: &'static str,
        about: &str,
        get: impl Fn(&Summary) -> Option<f64> + Send + Sync + 'static,
    ) {
        let get = move |s: &Summary| get(s).map(FigureValue::Float);
        self.push(Kind::Float, name, unit, about, Box::new(get));
    }

    fn float(
        &mut self,
        name: &str,
        unit: &'static str,
        about: &str,
        get: impl Fn(&Summary) -> f64 + Send + Sync + 'static,
    ) {
        self.maybe(name, unit, about, move |s| Some(get(s)));
    }

    fn maybe_count(
        &mut self,
        name: &str,
        about: &str,
        get: impl Fn(&Summary) -> Option<u64> + Send + Sync + 'static,
    ) {
        let get = move |s: &Summary| get(s).map(FigureValue::Integer);
        self.push(Kind::Integer, name, "1", about, Box::new(get));
    }

    fn count(
        &mut self,
        name: &str,
        about: &str,
        get: impl Fn(&Summary) -> u64 + Send + Sync + 'static,
    ) {
        self.maybe_count(name, about, move |s| Some(get(s)));
    }

    fn fill(&mut self) {
        self.float("time.virtual", "s", "simulated time", |s| s.time.simulated);
        self.course();
        self.hierarchy();
        self.work();
        self.energy();
        self.outcome();
        self.impacts();
        self.cell();
        self.bonds();
        self.count("warnings", "how many warnings the run gave", |s| {
            s.warnings.len() as u64
        });
    }

    fn course(&mut self) {
        self.count("events.total", "events", |s| s.events.total);
        self.count("events.queue", "events handled from the queue", |s| {
            s.events.queue
        });
        self.count("events.links", "events of links", |s| s.events.links);
        self.count("events.steps", "steps of all that is stepped", |s| {
            s.events.steps
        });
        for kind in KINDS {
            let (name, about) = (
                format!("events.by_kind.{kind}"),
                format!("events of the kind {kind}"),
            );
            self.count(&name, &about, move |s| {
                s.events.by_kind.get(kind).copied().unwrap_or(0)
            });
        }
        self.float(
            "events.per_virtual_second",
            "1/s",
            "events per simulated second",
            |s| s.events.per_virtual_second,
        );
        self.count("grains.initial", "grains at the start", |s| {
            s.grains.initial
        });
        self.count("grains.created", "grains made by feeds", |s| {
            s.grains.created
        });
        self.count("grains.removed", "grains removed", |s| s.grains.removed);
        self.count("grains.final", "grains at the end", |s| s.grains.last);
        self.float("regimes.flight", "1", "mean share in flight", |s| {
            s.regimes.flight
        });
        self.float("regimes.cluster", "1", "mean share in clusters", |s| {
            s.regimes.cluster
        });
        self.float("regimes.rest", "1", "mean share at rest", |s| {
            s.regimes.rest
        });
        self.float("regimes.rigid", "1", "mean share in rigid groups", |s| {
            s.regimes.rigid
        });
    }

    fn hierarchy(&mut self) {
        let mut node = |name: &str, about: &str, get: fn(&NodeFigures) -> f64| {
            self.maybe(&format!("nodes.{name}"), "1", about, move |s| {
                s.nodes.as_ref().map(get)
            });
        };
        node("clusters", "mean number of clusters", |n| n.clusters);
        node("rest_groups", "mean number of groups at rest", |n| {
            n.rest_groups
        });
        node("rigid_groups", "mean number of rigid groups", |n| {
            n.rigid_groups
        });
        node(
            "largest_rest_group",
            "mean number of grains in the largest group at rest",
            |n| n.largest_rest_group,
        );
        let mut error = |name: &str, about: &str, get: fn(&ForceError) -> f64| {
            let about = format!("estimated error of forces at rest by {about}");
            self.maybe(&format!("force_error.{name}"), "1", &about, move |s| {
                s.force_error.as_ref().map(get)
            });
        };
        error("pending", "loads that no solve has carried down", |e| {
            e.pending
        });
        error("left", "residuals within the thresholds", |e| e.left);
        error("history", "friction that solves mobilised", |e| e.history);
        for name in MODELS {
            let mut share = |what: &str, about: &str, get: fn(&ModelFigures) -> f64| {
                let path = format!("models.{name}.{what}");
                let about = format!("share of {about} under `{name}`");
                self.maybe(&path, "1", &about, move |s| s.models.get(name).map(get));
            };
            share("grain_time", "the time of grains", |m| m.grain_time);
            share("work", "counted work", |m| m.work);
        }
    }

    fn work(&mut self) {
        self.count("work.grain_steps", "grains times steps", |s| {
            s.work.grain_steps
        });
        self.count("work.collisions", "collisions in flight", |s| {
            s.work.collisions
        });
        self.count("work.stress_solves", "quasi-static solves", |s| {
            s.work.stress_solves
        });
        self.count(
            "work.stops",
            "times that a grain was stopped to stand still",
            |s| s.work.stops,
        );
        self.count(
            "work.sleep_wake_cycles",
            "of these, times that it was woken within a dwell",
            |s| s.work.sleep_wake_cycles,
        );
        self.count(
            "work.grain_steps_if_all_stepped",
            "grains times steps if each had been stepped all the time",
            |s| s.work.grain_steps_if_all_stepped,
        );
    }

    fn energy(&mut self) {
        self.float("energy.kinetic", "J", "kinetic energy at the end", |s| {
            s.energy.kinetic
        });
        self.float(
            "energy.potential",
            "J",
            "potential energy at the end, from the origin",
            |s| s.energy.potential,
        );
        self.float("energy.elastic", "J", "elastic energy at the end", |s| {
            s.energy.elastic
        });
        self.float(
            "energy.dissipated.damping",
            "J",
            "lost in normal dampers and drag",
            |s| s.energy.dissipated.damping,
        );
        self.float(
            "energy.dissipated.slip",
            "J",
            "lost to tangential forces",
            |s| s.energy.dissipated.slip,
        );
        self.float(
            "energy.dissipated.collision",
            "J",
            "lost in collisions in flight",
            |s| s.energy.dissipated.collision,
        );
        self.float(
            "energy.dissipated.morph",
            "J",
            "lost at morphs; signed",
            |s| s.energy.dissipated.morph,
        );
        let about = "of energy.elastic, what bonds store";
        self.maybe("energy.elastic_bonds", "J", about, |s| {
            s.bonds.as_ref().map(|_| s.energy.elastic_bonds)
        });
        let about = "released by bonds that broke";
        self.maybe("energy.dissipated.breakage", "J", about, |s| {
            s.bonds.as_ref().map(|_| s.energy.dissipated.breakage)
        });
        self.float(
            "energy.injected",
            "J",
            "brought by feeds and moving walls",
            |s| s.energy.injected,
        );
        self.float("energy.removed", "J", "taken away with grains", |s| {
            s.energy.removed
        });
        self.float(
            "energy.balance_error",
            "1",
            "relative error of the balance",
            |s| s.energy.balance_error,
        );
        self.float(
            "energy.balance_error_max",
            "1",
            "largest error of the rows, over the work of contacts, walls and drag until then and N m g d",
            |s| s.energy.balance_error_max,
        );
    }

    fn outcome(&mut self) {
        let count = |s: &Summary| s.discharge.map(|d| d.count);
        self.maybe_count("discharge.count", "grains that left through outlets", count);
        self.maybe(
            "discharge.mean_rate",
            "1/s",
            "(count - 1) / (last - first)",
            |s| s.discharge.map(|d| d.mean_rate),
        );
        self.maybe("discharge.first", "s", "time of the first", |s| {
            s.discharge.filter(|d| d.count > 0).map(|d| d.first)
        });
        self.maybe("discharge.last", "s", "time of the last", |s| {
            s.discharge.filter(|d| d.count > 0).map(|d| d.last)
        });
        self.count("jams.count", "all jams, those that were broken too", |s| {
            s.jams.len() as u64
        });
        self.maybe(
            "jam.time",
            "s",
            "of the jam in which the run ended: when the silence began",
            |s| s.jam.as_ref().map(|jam| jam.time),
        );
        self.maybe("jam.flow_stopped", "s", "when the last grain left", |s| {
            s.jam.as_ref().and_then(|jam| jam.flow_stopped)
        });
        self.maybe(
            "jam.verdict_time",
            "s",
            "when it was established that nothing can move",
            |s| s.jam.as_ref().map(|jam| jam.verdict_time),
        );
        self.maybe_count("jam.arch", "grains of its arch", |s| {
            s.jam.as_ref().map(|jam| jam.arch.len() as u64)
        });
        self.maybe("jam.span", "m", "span of its arch", |s| {
            s.jam.as_ref().map(|jam| jam.span)
        });
        self.maybe(
            "jam.force.mean",
            "N",
            "mean normal force along its arch",
            |s| s.jam.as_ref().map(|jam| jam.force.mean),
        );
        self.maybe(
            "jam.force.least",
            "N",
            "least normal force along its arch",
            |s| s.jam.as_ref().map(|jam| jam.force.least),
        );
        self.maybe(
            "jam.weakest.margin",
            "1",
            "its least margin to Coulomb's bound",
            |s| {
                let weakest = s.jam.as_ref().and_then(|jam| jam.weakest);
                weakest.map(|weakest| weakest.margin)
            },
        );
        self.maybe_count("avalanches.count", "micro-avalanches", |s| {
            s.avalanches.map(|a| a.count)
        });
        self.maybe_count("avalanches.largest", "size of the largest", |s| {
            s.avalanches.map(|a| a.largest)
        });
        self.maybe("avalanches.energy", "J", "energy of all", |s| {
            s.avalanches.map(|a| a.energy)
        });
    }

    fn cell(&mut self) {
        type Pick = fn(&CellFigures) -> f64;
        let all: [(&str, &str, &str, Pick); 4] = [
            (
                "offset",
                "m",
                "displacement of the image above a periodic box that moves",
                |c| c.offset,
            ),
            ("sheared", "1", "its shear so far", |c| c.sheared),
            ("fraction", "1", "share of it that grains fill", |c| {
                c.fraction
            }),
            (
                "coordination",
                "1",
                "links a grain, each counted for both grains",
                |c| c.coordination,
            ),
        ];
        for (name, unit, about, pick) in all {
            self.maybe(&format!("cell.{name}"), unit, about, move |s| {
                s.cell.as_ref().map(pick)
            });
        }
        let about = "shear stress over pressure on planes across y, second half of the run";
        self.maybe("cell.friction", "1", about, |s| {
            s.cell.as_ref().and_then(|c| c.friction)
        });
    }

    fn bonds(&mut self) {
        type Pick = fn(&BondFigures) -> u64;
        let all: [(&str, &str, Pick); 6] = [
            ("formed", "bonds that formed", |b| b.formed),
            ("holding", "bonds that hold", |b| b.holding),
            ("torn", "bonds that broke in tension", |b| b.torn),
            ("sheared", "bonds that broke in shear", |b| b.sheared),
            ("removed", "bonds that left with a grain", |b| b.removed),
            (
                "fragments",
                "sets of two grains and more that bonds join",
                |b| b.fragments,
            ),
        ];
        for (name, about, pick) in all {
            self.maybe_count(&format!("bonds.{name}"), about, move |s| {
                s.bonds.as_ref().map(pick)
            });
        }
        let about = "mass of the heaviest of them";
        self.maybe("bonds.largest_fragment", "kg", about, |s| {
            s.bonds.as_ref().map(|bonds| bonds.largest_fragment)
        });
        self.bodies();
    }

    fn bodies(&mut self) {
        type Pick = fn(&BodyFigures) -> u64;
        let all: [(&str, &str, Pick); 5] = [
            ("formed", "rigid bodies that formed", |b| b.formed),
            ("holding", "rigid bodies at the end", |b| b.holding),
            ("divided", "times that a rigid body came apart", |b| {
                b.divided
            }),
            (
                "screened",
                "times that the load of a rigid body was bounded",
                |b| b.screened,
            ),
            (
                "solved",
                "times that the loads of its bonds were solved for",
                |b| b.solved,
            ),
        ];
        for (name, about, pick) in all {
            self.maybe_count(&format!("bonds.bodies.{name}"), about, move |s| {
                s.bonds.as_ref()?.bodies.as_ref().map(pick)
            });
        }
    }

    fn impacts(&mut self) {
        type Pick = fn(&Summary) -> Option<Impacts>;
        let sorts: [(&str, &str, Pick); 2] = [
            ("grain", "of two grains", |s| {
                s.impacts.as_ref().map(|i| i.grain)
            }),
            ("wall", "of grains with walls", |s| {
                s.impacts.as_ref().map(|i| i.wall)
            }),
        ];
        for (sort, of, pick) in sorts {
            let name = |what: &str| format!("impacts.{sort}.{what}");
            self.maybe_count(&name("count"), &format!("collisions {of}"), move |s| {
                pick(s).map(|i| i.count)
            });
            let about = "of these, parts of lasting contacts that lose nothing";
            self.maybe_count(&name("lasting"), about, move |s| pick(s).map(|i| i.lasting));
            let about = "per simulated second, lasting ones too";
            self.maybe(&name("rate"), "1/s", about, move |s| {
                pick(s).map(|i| i.rate)
            });
            self.maybe(&name("lost"), "J", "energy lost in them", move |s| {
                pick(s).map(|i| i.lost)
            });
            let about = "energy lost per simulated second";
            self.maybe(&name("power"), "W", about, move |s| {
                pick(s).map(|i| i.power)
            });
        }
        self.maybe_count(
            "soft.collisions",
            "contacts that last, of two grains",
            |s| s.soft.map(|soft| soft.collisions),
        );
        self.maybe(
            "soft.exceptional_share",
            "1",
            "exceptions over these contacts",
            |s| s.soft.map(|soft| soft.exceptional_share),
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::{ArchForce, Avalanches, Discharge, ImpactFigures, Jam, WeakestLink};

    /// Every number of `summary.json` is a column, except wall-clock figures, lists, and the details of soft
    /// contacts. This test fails when a new figure is forgotten here.
    #[test]
    fn no_figure_is_missing() {
        fn leaves(path: &str, value: &serde_json::Value, into: &mut Vec<String>) {
            match value {
                serde_json::Value::Object(map) => {
                    for (key, value) in map {
                        let dot = if path.is_empty() { "" } else { "." };
                        leaves(&format!("{path}{dot}{key}"), value, into);
                    }
                }
                serde_json::Value::Number(_) => into.push(path.into()),
                _ => {}
            }
        }
        let summary = Summary {
            bonds: Some(BondFigures {
                bodies: Some(BodyFigures::default()),
                ..BondFigures::default()
            }),
            discharge: Some(Discharge::default()),
            jam: Some(Jam {
                flow_stopped: Some(1.0),
                force: ArchForce::default(),
                weakest: Some(WeakestLink::default()),
                ..Jam::default()
            }),
            avalanches: Some(Avalanches::default()),
            impacts: Some(ImpactFigures::default()),
            nodes: Some(NodeFigures::default()),
            force_error: Some(ForceError::default()),
            models: MODELS
                .map(|name| (name.to_string(), ModelFigures::default()))
                .into(),
            cell: Some(CellFigures {
                friction: Some(0.3),
                ..CellFigures::default()
            }),
            ..Summary::default()
        };
        let value = serde_json::to_value(&summary).unwrap();
        let mut there = Vec::new();
        leaves("", &value, &mut there);
        let columns: Vec<String> = figure_columns().into_iter().map(|c| c.name).collect();
        let left_out = [
            "seed",
            "time.wall",
            "events.per_wall_second",
            "jam.weakest.a",
            "jam.weakest.b",
            "jam.weakest.normal",
            "jam.weakest.tangential",
        ];
        for name in there {
            let known = left_out.contains(&name.as_str())
                || name.starts_with("work.grains_per_link_event")
                || columns.contains(&name);
            assert!(known, "{name} is no column");
        }
        let mut sorted = columns.clone();
        sorted.sort();
        sorted.dedup();
        assert_eq!(sorted.len(), columns.len());
    }
}
