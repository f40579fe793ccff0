//! Reads a fluid and its flow.

use super::super::FieldSection;
use super::super::keys::{View, vector_or_zero};
use super::super::kind::Read;
use super::keys::{FlowKeys, FluidKeys, PipeKeys, StreamKeys, ViscousName};
use super::{DragLaw, Flow, Fluid, Pipe, Stream, StreamState};
use crate::geometry::{Dimension, Vector};

impl<D: Dimension> Read<D> for Fluid<D> {
    /// If there is a fluid or a flow, the drag on all grains comes from it.
    fn read<V: View>(section: &mut FieldSection, view: &V) -> Result<Option<Self>, V::Fault> {
        if section.fluid.is_none() && section.flow.is_none() {
            return Ok(None);
        }
        let mut fluid = match &mut section.fluid {
            Some(keys) => keys.read::<D, V>(&view.key("fluid"))?,
            None => Fluid {
                flow: Flow::Rest,
                drag: DragLaw::default(),
                density: 0.0,
                buoyancy: false,
            },
        };
        fluid.drag.linear = section.drag;
        if let Some(flow) = &mut section.flow {
            let at = view.key("flow");
            fluid.flow = flow.read::<D, V>(&at)?;
            if fluid.drag.is_none() {
                let text = "no grain feels the flow; give `field.drag`, or a viscosity or another drag in [field.fluid]";
                return Err(at.fault_of_key(text.into()));
            }
        }
        Ok(Some(fluid))
    }
}

impl FluidKeys {
    fn read<D: Dimension, V: View>(&mut self, at: &V) -> Result<Fluid<D>, V::Fault> {
        let density = at.key("density").non_negative(self.density)?;
        let viscosity = at.key("viscosity").non_negative(self.viscosity)?;
        let coefficient = at
            .key("drag_coefficient")
            .non_negative(self.drag_coefficient)?;
        if let Some(time) = self.relaxation_time {
            at.key("relaxation_time").positive(time)?;
        }
        if D::N == 2 && viscosity > 0.0 {
            let text = "in two dimensions there is no drag in proportion to the viscosity (Stokes's paradox); give `field.drag`, `relaxation_time` or `drag_coefficient`";
            return Err(at.key("viscosity").fault_of_key(text.into()));
        }
        let schiller_naumann = self.law == ViscousName::SchillerNaumann;
        if schiller_naumann && viscosity == 0.0 {
            let text = "`schiller-naumann` is a drag by viscosity, which is missing";
            return Err(at.key("law").fault_of_key(text.into()));
        }
        if density == 0.0 {
            let needs = [
                ("law", "`schiller-naumann`", schiller_naumann),
                ("drag_coefficient", "`drag_coefficient`", coefficient > 0.0),
                ("buoyancy", "buoyancy", self.buoyancy == Some(true)),
            ];
            if let Some((key, what, _)) = needs.into_iter().find(|(_, _, given)| *given) {
                let text = format!("{what} goes with the density of the fluid, which is missing");
                return Err(at.key(key).fault_of_key(text));
            }
        }
        Ok(Fluid {
            flow: Flow::Rest,
            drag: DragLaw {
                linear: 0.0,
                relaxation_time: self.relaxation_time,
                viscosity,
                schiller_naumann,
                coefficient,
            },
            density,
            buoyancy: *self.buoyancy.get_or_insert(density > 0.0),
        })
    }
}

impl FlowKeys {
    fn read<D: Dimension, V: View>(&mut self, at: &V) -> Result<Flow<D>, V::Fault> {
        at.one_of(
            "how the fluid flows",
            &[
                ("uniform", self.uniform.is_some()),
                ("pipe", self.pipe.is_some()),
                ("rotation", self.rotation.is_some()),
                ("table", self.table.is_some()),
                ("stream", self.stream.is_some()),
            ],
        )?;
        if let Some(stream) = &self.stream {
            return stream.read::<D, V>(&at.key("stream")).map(Flow::Stream);
        }
        if let Some(velocity) = &self.uniform {
            return at.key("uniform").vector::<D>(velocity).map(Flow::Uniform);
        }
        if let Some(pipe) = &self.pipe {
            return pipe.read::<D, V>(&at.key("pipe")).map(Flow::Pipe);
        }
        if let Some(rotation) = &self.rotation {
            let turns = rotation.read::<D, V>(&at.key("rotation"))?;
            return Ok(Flow::Rotation {
                centre: turns.centre,
                rate: turns.rate,
            });
        }
        let table = self.table.get_or_insert_default();
        table.read(&at.key("table"), 'v').map(Flow::Table)
    }
}

impl StreamKeys {
    fn read<D: Dimension, V: View>(&self, at: &V) -> Result<Stream<D>, V::Fault> {
        let from = at.key("from").finite(self.from)?;
        let until = match self.until {
            Some(until) if until.is_nan() || until <= from => {
                let must = format!("later than the push begins, at {from} s");
                return Err(at.key("until").wrong(&until.to_string(), &must));
            }
            until => until.unwrap_or(f64::INFINITY),
        };
        let resistance = at.key("resistance").non_negative(self.resistance)?;
        let push = vector_or_zero::<D, V>(&at.key("push"), self.push.as_deref())?;
        if push != D::Vector::default() && until.is_infinite() && resistance == 0.0 {
            let text = "a stream that is pushed for ever needs `until` or `resistance`: nothing else bounds its speed";
            return Err(at.key("push").fault_of_key(text.into()));
        }
        let velocity = self.velocity.as_deref();
        Ok(Stream {
            mass: at.key("mass").positive(self.mass)?,
            push,
            pushed: [from, until],
            resistance,
            now: StreamState {
                velocity: vector_or_zero::<D, V>(&at.key("velocity"), velocity)?,
                ..StreamState::default()
            },
        })
    }
}

impl PipeKeys {
    fn read<D: Dimension, V: View>(&self, at: &V) -> Result<Pipe<D>, V::Fault> {
        let axis = at.key("axis").direction::<D>(&self.axis)?;
        let key = at.one_of(
            "how wide it is",
            &[
                ("radius", self.radius.is_some()),
                ("radii", self.radii.is_some()),
            ],
        )?;
        let width = at.key(key);
        let radii = match (&self.radii, self.radius) {
            (Some(radii), _) => radii.clone(),
            (None, radius) => vec![[0.0, width.positive(radius.unwrap_or(0.0))?]],
        };
        if radii.is_empty() {
            return Err(width.wrong("an empty list", "one pair at least"));
        }
        for (k, [place, radius]) in radii.iter().enumerate() {
            let here = width.index(k);
            if key == "radii" {
                here.index(0).finite(*place)?;
                here.index(1).positive(*radius)?;
            }
            if k > 0 && *place <= radii[k - 1][0] {
                let must = format!("greater than the place before, {}", radii[k - 1][0]);
                return Err(here.index(0).wrong(&place.to_string(), &must));
            }
        }
        at.one_of(
            "how fast the fluid flows",
            &[("mean", self.mean.is_some()), ("peak", self.peak.is_some())],
        )?;
        let mean = match (self.mean, self.peak) {
            (Some(mean), _) => at.key("mean").finite(mean)?,
            (None, peak) => {
                at.key("peak").finite(peak.unwrap_or_default())? / Pipe::<D>::peak_over_mean()
            }
        };
        Ok(Pipe {
            point: at.key("point").vector::<D>(&self.point)?,
            axis: axis * (1.0 / axis.norm()),
            radii,
            mean,
        })
    }
}
