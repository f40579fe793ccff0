//! Vectors that are constant or vary sinusoidally with time.

use std::borrow::Cow;
use std::f64::consts::TAU;
use std::fmt;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::value::MapAccessDeserializer;
use serde::de::{MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::keys::{PhaseKeys, View, numbers};
use crate::geometry::dot;

/// A sin(2 pi f t + p), component by component: with equal phases it oscillates along a line, with different ones it
/// turns.
///
/// It is a function of time, and has no state.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Oscillation {
    /// A.
    pub amplitude: [f64; 3],
    /// f, Hz.
    pub frequency: f64,
    /// p at time 0, rad.
    pub phase: [f64; 3],
}

impl Oscillation {
    /// Returns the value at a time, s.
    pub fn at(&self, time: f64) -> [f64; 3] {
        let angle = self.rate() * time;
        std::array::from_fn(|k| match self.amplitude[k] {
            0.0 => 0.0,
            amplitude => amplitude * libm::sin(angle + self.phase[k]),
        })
    }

    /// Returns the angular frequency, rad/s.
    pub fn rate(&self) -> f64 {
        TAU * self.frequency
    }

    /// Returns a bound of the magnitude.
    pub fn greatest(&self) -> f64 {
        dot(self.amplitude, self.amplitude).sqrt()
    }
}

/// Amplitude, frequency and phase of what alternates about a constant part.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AlternatingKeys {
    /// Greatest values, as many as the vector has components and in its unit.
    pub amplitude: Vec<f64>,
    /// Frequency, Hz.
    #[schemars(range(min = 0.0))]
    pub frequency: f64,
    /// Phase at time 0, rad: 0 (the default) begins at `mean` and goes towards the amplitude. With one for each component the
    /// vector may turn instead.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub phase: Option<PhaseKeys>,
    /// The constant part; none when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mean: Option<Vec<f64>>,
}

/// A vector: constant, or a table of an oscillation.
#[derive(Clone, Debug, PartialEq)]
pub enum VectorKeys {
    /// Constant.
    Steady(Vec<f64>),
    /// Sinusoidal.
    Alternating(AlternatingKeys),
}

/// A checked vector: its constant part, and its oscillation.
pub type Parts = ([f64; 3], Option<Oscillation>);

/// Reads an oscillation from amplitude and frequency; `vector` reads vectors.
pub(super) fn oscillation<V: View>(
    view: &V,
    (amplitude, frequency): (&[f64], f64),
    phase: Option<&PhaseKeys>,
    vector: impl Fn(&V, &[f64]) -> Result<[f64; 3], V::Fault>,
) -> Result<Oscillation, V::Fault> {
    let components = amplitude.len();
    let amplitude = vector(&view.key("amplitude"), amplitude)?;
    let frequency = view.key("frequency").positive(frequency)?;
    let at = view.key("phase");
    let given = phase.map_or(&[0.0][..], |phase| &phase.0);
    for (k, value) in given.iter().enumerate() {
        if given.len() > 1 {
            at.index(k).finite(*value)?;
        } else {
            at.finite(*value)?;
        }
    }
    let phase = match *given {
        [one] => [one; 3],
        _ if given.len() == components => {
            std::array::from_fn(|k| given.get(k).copied().unwrap_or(0.0))
        }
        _ => {
            let must = format!("a number, or a list of {components}");
            return Err(at.wrong(&format!("a list of {}", given.len()), &must));
        }
    };
    Ok(Oscillation {
        amplitude,
        frequency,
        phase,
    })
}

impl VectorKeys {
    /// Reads it; `vector` reads vectors.
    pub(super) fn read<V: View>(
        &self,
        view: &V,
        vector: impl Fn(&V, &[f64]) -> Result<[f64; 3], V::Fault>,
    ) -> Result<Parts, V::Fault> {
        match self {
            VectorKeys::Steady(values) => Ok((vector(view, values)?, None)),
            VectorKeys::Alternating(keys) => {
                let mean = match &keys.mean {
                    Some(mean) => vector(&view.key("mean"), mean)?,
                    None => [0.0; 3],
                };
                let swing = (&keys.amplitude[..], keys.frequency);
                let found = oscillation(view, swing, keys.phase.as_ref(), vector)?;
                Ok((mean, (found.amplitude != [0.0; 3]).then_some(found)))
            }
        }
    }
}

impl Serialize for VectorKeys {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            VectorKeys::Steady(values) => values.serialize(serializer),
            VectorKeys::Alternating(keys) => keys.serialize(serializer),
        }
    }
}

impl<'de> Deserialize<'de> for VectorKeys {
    fn deserialize<R: Deserializer<'de>>(deserializer: R) -> Result<Self, R::Error> {
        struct Reader;
        impl<'de> Visitor<'de> for Reader {
            type Value = VectorKeys;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(
                    "a list of numbers, or a table of `amplitude`, `frequency`, `phase` and `mean`",
                )
            }
            fn visit_seq<A: SeqAccess<'de>>(self, list: A) -> Result<VectorKeys, A::Error> {
                numbers(list).map(VectorKeys::Steady)
            }
            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<VectorKeys, A::Error> {
                let keys = AlternatingKeys::deserialize(MapAccessDeserializer::new(map))?;
                Ok(VectorKeys::Alternating(keys))
            }
        }
        deserializer.deserialize_any(Reader)
    }
}

impl JsonSchema for VectorKeys {
    fn schema_name() -> Cow<'static, str> {
        "VectorKeys".into()
    }
    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let table = generator.subschema_for::<AlternatingKeys>();
        json_schema!({
            "description": "The same at all times, or what alternates.",
            "anyOf": [
                { "type": "array", "items": { "type": "number" } },
                table,
            ],
        })
    }
}
