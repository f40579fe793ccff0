//! Catalogue of the parts of scenarios: laws, walls, motions, fields, feeds, each with formula, unit and source.
//!
//! The record of each part stands only once, with its key in `scenario/spec`: the comment is its description, the
//! schema extension the rest. `arenite schema` prints the same records as `x-formula`, `x-unit` and `x-source`.

use serde_json::Value;

/// A kind of parts.
#[derive(Clone, Debug, PartialEq)]
pub struct Group {
    /// Name of the kind.
    pub name: &'static str,
    /// Place of the keys in a scenario.
    pub place: &'static str,
    /// The parts in order.
    pub parts: Vec<Part>,
}

/// A law, wall, motion, field or the like.
#[derive(Clone, Debug, PartialEq)]
pub struct Part {
    /// Key of the part.
    pub key: String,
    /// Description, in a sentence or two.
    pub about: String,
    /// Formula.
    pub formula: String,
    /// Unit of the result of the formula, or of the key.
    pub unit: String,
    /// Source in the literature.
    pub source: String,
}

/// Name, place, and type of the specification.
const GROUPS: &[(&str, &str, &str)] = &[
    ("laws", "[[law]]", "LawSection"),
    ("cohesion", "[[law]] cohesion", "CohesionKeys"),
    ("walls", "[[boundary]]", "BoundarySpec"),
    ("motions", "[[boundary]] motion", "MotionSpec"),
    ("fields", "[field]", "FieldSection"),
    ("fluids", "[field] fluid", "FluidKeys"),
    ("flows", "[field] flow", "FlowKeys"),
    ("fills", "[[fill]]", "FillSpec"),
    ("feeds", "[[feed]]", "FeedSpec"),
    ("outlets", "[[outlet]]", "OutletSpec"),
    ("meters", "[[meter]]", "MeterSpec"),
    ("controls", "[[control]]", "ControlSection"),
    ("boxes", "[[periodic.drive]]", "CellDriveSpec"),
    ("shears", "[[periodic.shear]]", "CellShearSpec"),
];

/// Returns the names of all groups.
pub fn groups() -> impl Iterator<Item = &'static str> + Clone {
    GROUPS.iter().map(|(name, ..)| *name)
}

/// Returns all parts, by group.
pub fn catalogue() -> Vec<Group> {
    let schema = super::schema();
    let group = |&(name, place, spec): &(&'static str, &'static str, &str)| Group {
        name,
        place,
        parts: parts(&schema["$defs"], &schema["$defs"][spec]),
    };
    GROUPS.iter().map(group).collect()
}

/// Returns the parts of a specification: the keys of a table, or the one key of each variant.
fn parts(all: &Value, spec: &Value) -> Vec<Part> {
    let mut parts = Vec::new();
    for (key, value) in spec["properties"].as_object().into_iter().flatten() {
        parts.extend(part(all, key, value));
    }
    for kind in spec["oneOf"].as_array().into_iter().flatten() {
        let key = kind["required"][0].as_str().unwrap_or_default();
        parts.extend(part(all, key, kind));
    }
    parts
}

/// Returns a part; its record is with its key or with its type.
fn part(all: &Value, key: &str, value: &Value) -> Option<Part> {
    let of_type = value["anyOf"][0]["$ref"].as_str().unwrap_or_default();
    let of_type = &all[of_type.trim_start_matches("#/$defs/")];
    let text = |key: &str| {
        let here = value[key].as_str().or_else(|| of_type[key].as_str());
        here.unwrap_or_default().replace('\n', " ")
    };
    let formula = text("x-formula");
    (!formula.is_empty()).then(|| Part {
        key: key.into(),
        about: text("description"),
        formula,
        unit: text("x-unit"),
        source: text("x-source"),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Keys that are not parts: names, places, and parameters of a part.
    const OTHERS: &[&str] = &[
        "between",
        "source",
        "law",
        "buoyancy",
        "cohesion",
        "name",
        "material",
        "opens_at",
        "shape",
        "equal_measure",
        "radius",
        "count",
        "mass",
        "min",
        "max",
        "rise",
        "start",
        "velocity",
        "attempts",
        "retry_interval",
        "max_retries",
        "mix_by",
        "every",
        "axes",
        "mass",
        "greatest_rate",
        "from",
        "until",
    ];

    #[test]
    fn each_part_has_a_whole_record() {
        for group in catalogue() {
            assert!(!group.parts.is_empty(), "{}", group.name);
            for part in group.parts {
                let whole = [&part.key, &part.about, &part.unit, &part.source];
                assert!(whole.iter().all(|text| !text.is_empty()), "{part:?}");
            }
        }
    }

    /// A new key must be a part with a record, or be listed above.
    #[test]
    fn no_key_is_forgotten() {
        let schema = super::super::schema();
        for (name, _, spec) in GROUPS {
            let spec = &schema["$defs"][spec];
            let told = parts(&schema["$defs"], spec);
            let keys = spec["properties"].as_object().into_iter().flatten();
            for (key, _) in keys {
                let known = told.iter().any(|part| part.key == *key);
                assert!(known || OTHERS.contains(&key.as_str()), "{name}: {key}");
            }
            let kinds = spec["oneOf"].as_array().map_or(0, Vec::len);
            assert!(kinds == 0 || kinds == told.len(), "{name}");
        }
    }
}
