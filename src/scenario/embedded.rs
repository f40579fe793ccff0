//! Scenarios and materials embedded in the program, each from one file of the repository.

use std::sync::OnceLock;

use super::document::Document;
use super::read::read;
use super::spec::{MaterialFile, MaterialSpec};

/// An embedded scenario.
#[derive(Clone, Copy, Debug)]
pub struct Embedded {
    /// Name, that of its file.
    pub name: &'static str,
    /// Contents.
    pub text: &'static str,
}

macro_rules! scenarios {
    ($($name:literal),* $(,)?) => {
        /// All embedded scenarios. A new one is a file in `scenarios` and a line here.
        pub const SCENARIOS: &[Embedded] = &[
            $(Embedded {
                name: $name,
                text: include_str!(concat!("../../scenarios/", $name, ".toml")),
            }),*
        ];
    };
}

macro_rules! materials {
    ($($name:literal),* $(,)?) => {
        /// All files of materials. A new one is a file in `models/materials` and a line here.
        #[doc(hidden)]
        pub const MATERIAL_FILES: &[Embedded] = &[
            $(Embedded {
                name: $name,
                text: include_str!(concat!("../../models/materials/", $name, ".toml")),
            }),*
        ];
    };
}

scenarios![
    "hopper",
    "hopper-poly",
    "hopper-3d",
    "dam-break",
    "conveyor",
    "screen",
    "segregation",
    "brazil-nut",
    "shear-cell",
    "simple-shear",
    "triaxial",
    "triaxial-cell",
    "agglomerate-drop",
    "beam",
    "brazilian",
    "uniaxial",
    "fibre",
    "ice-floes",
    "pipe-flow",
    "centrifuge",
    "toning",
    "cohesive-heap",
    "angle-of-repose",
    "rolling",
    "spinning-ball",
    "head-on",
    "hertz-impact",
    "oblique-impact",
    "stacked-compression",
    "silo",
    "silo-large",
    "silo-3d",
    "silo-to-heap",
    "silo-fill",
    "silo-fill-large",
    "fill-3d",
    "discharge-reload",
    "funnel",
    "heap",
    "wind-heap",
    "tilt",
    "drum",
    "pile",
    "bridge",
    "gas",
    "cooling-gas",
    "soft-gas",
    "billiard",
    "newton-cradle",
    "mill",
    "mill-breakage",
    "tumbling-mill",
    "shaker",
    "spray",
    "rain",
    "tbar",
    "t-gas",
    "settle-shapes",
    "hopper-ovals",
    "hopper-clumps",
    "cavity",
    "osmosis",
    "rod-box",
    "domino",
    "gomboc",
    "drum-clumps",
];

materials![
    "thesis",
    "glass-steel",
    "acrylic",
    "soda-lime",
    "sand",
    "gravel",
    "wheat",
    "maize",
    "coal",
    "ice",
    "tablet",
];

/// Returns the embedded scenario with a name.
pub fn scenario(name: &str) -> Option<Embedded> {
    SCENARIOS.iter().copied().find(|item| item.name == name)
}

/// Returns all embedded materials and laws.
#[doc(hidden)]
pub fn materials() -> &'static MaterialFile {
    static LIBRARY: OnceLock<MaterialFile> = OnceLock::new();
    LIBRARY.get_or_init(|| {
        let mut all = MaterialFile {
            material: Default::default(),
            law: Vec::new(),
        };
        // The files are part of the program and a test reads them: they are known to be valid.
        for file in MATERIAL_FILES
            .iter()
            .filter_map(|file| material_file(file).ok())
        {
            all.material.extend(file.material);
            all.law.extend(file.law);
        }
        all
    })
}

fn material_file(file: &Embedded) -> Result<MaterialFile, super::Problem> {
    let document = Document::parse(file.name, file.text, &[])?;
    read(&document)
}

/// Returns names and specs of the embedded materials, in order of name.
#[doc(hidden)]
pub fn material_list() -> impl Iterator<Item = (&'static str, &'static MaterialSpec)> {
    materials()
        .material
        .iter()
        .map(|(name, spec)| (name.as_str(), spec))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A material with ranges has all of them, each with a source, and its own values lie within.
    #[test]
    fn figures_lie_within_their_ranges() {
        let library = materials();
        let mut told = 0;
        for (name, material) in &library.material {
            let Some(ranges) = &material.ranges else {
                assert!(name.starts_with("thesis"), "{name} has no ranges");
                continue;
            };
            told += 1;
            let own = |law: &&super::super::spec::LawSection| law.between == [name.as_str(); 2];
            let law = library
                .law
                .iter()
                .find(own)
                .and_then(|law| law.hertz.as_ref());
            let law = law.unwrap_or_else(|| panic!("{name} has no law with itself"));
            let figures = [
                material.density,
                material.young,
                material.poisson,
                Some(law.restitution),
                Some(law.friction),
                None,
            ];
            for ((what, _, range), figure) in ranges.all().into_iter().zip(figures) {
                let range = range.unwrap_or_else(|| panic!("{name} has no range of {what}"));
                let [low, high] = range.range;
                assert!(0.0 <= low && low < high, "{name}: {what}");
                assert!(!range.source.is_empty(), "{name}: {what}");
                if what != "radius" {
                    let figure = figure.unwrap_or_else(|| panic!("{name} has no {what}"));
                    assert!((low..=high).contains(&figure), "{name}: {what} {figure}");
                }
            }
        }
        assert!(told >= 11, "{told}");
    }

    #[test]
    fn material_files_are_sound() {
        let mut names = std::collections::BTreeSet::new();
        for file in MATERIAL_FILES {
            let read = material_file(file).unwrap_or_else(|problem| panic!("{problem}"));
            for (name, material) in read.material {
                assert!(names.insert(name.clone()), "{name} is defined twice");
                assert!(material.description.is_some(), "{name} lacks a description");
                assert!(material.source.is_some(), "{name} lacks a source");
            }
            for law in read.law {
                assert!(law.source.is_some(), "{:?} lacks a source", law.between);
                assert!(law.between.iter().all(|name| names.contains(name)));
            }
        }
    }
}
