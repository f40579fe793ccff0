//! Several sorts of grains in one fill or feed.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::grains::is_false;
use super::{FeedSpec, FillSpec, RadiusSpec};

/// One sort of the grains of a mixture. What it does not say is as the fill or feed says.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SortSpec {
    /// Its share, by number or by mass (`mix_by`); shares are taken relative to their sum. The sort of each grain
    /// is drawn by itself, so that shares by number are met but for the square root of n p (1 - p) grains.
    #[schemars(range(min = 0.0))]
    pub share: f64,
    /// Name of their material.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub material: Option<String>,
    /// Name of their shape.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shape: Option<String>,
    /// With a shape of its own: radii are those of a disk or sphere of the same area or volume.
    #[serde(default, skip_serializing_if = "is_false")]
    pub equal_measure: bool,
    /// Their radii, m.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub radius: Option<RadiusSpec>,
}

/// A sort of grains as a fill or feed asks for it.
#[derive(Clone, Copy, Debug)]
pub(in crate::scenario) struct Sort<'a> {
    /// Its place in `mix`; none without one.
    pub entry: Option<(usize, &'a SortSpec)>,
    pub material: &'a str,
    pub shape: Option<&'a str>,
    pub equal_measure: bool,
}

fn sorts<'a>(
    material: &'a str,
    shape: Option<&'a str>,
    equal_measure: bool,
    mix: &'a [SortSpec],
) -> Vec<Sort<'a>> {
    if mix.is_empty() {
        return vec![Sort {
            entry: None,
            material,
            shape,
            equal_measure,
        }];
    }
    let sort = |(k, own): (usize, &'a SortSpec)| Sort {
        entry: Some((k, own)),
        material: own.material.as_deref().unwrap_or(material),
        shape: own.shape.as_deref().or(shape),
        equal_measure: match own.shape {
            Some(_) => own.equal_measure,
            None => equal_measure || own.equal_measure,
        },
    };
    mix.iter().enumerate().map(sort).collect()
}

impl FillSpec {
    /// What it is made of.
    pub(in crate::scenario) fn sorts(&self) -> Vec<Sort<'_>> {
        let shape = self.shape.as_deref();
        sorts(&self.material, shape, self.equal_measure, &self.mix)
    }
}

impl FeedSpec {
    /// What it is made of.
    pub(in crate::scenario) fn sorts(&self) -> Vec<Sort<'_>> {
        let shape = self.shape.as_deref();
        sorts(&self.material, shape, self.equal_measure, &self.mix)
    }
}
