//! STAND-INS, to be dropped at the merge: the run folder of `record`, the exports of `view` and
//! the models of `collide::calc`. At the merge delete this file and change the three `use` lines
//! marked "At the merge".

pub(super) mod record {
    use crate::record::{EventRow, GrainRow, LinkRow, RecordError, SeriesRow, Sink, Summary};
    use std::path::{Path, PathBuf};

    #[allow(dead_code)]
    pub struct RunMeta {
        pub dimensions: usize,
        pub scenario_toml: String,
        pub boundaries: Vec<String>,
        pub version: String,
        pub walls: Vec<WallDrawing>,
    }

    pub struct WallDrawing;

    pub struct RunFolder {
        dir: PathBuf,
    }

    fn io(action: &'static str, path: &Path) -> impl Fn(std::io::Error) -> RecordError {
        let path = path.display().to_string();
        move |source| RecordError::Io {
            action,
            path: path.clone(),
            source,
        }
    }

    impl RunFolder {
        pub fn create(dir: &Path, meta: &RunMeta, _: usize, _: bool) -> Result<Self, RecordError> {
            std::fs::create_dir_all(dir).map_err(io("cannot create", dir))?;
            let path = dir.join("scenario.toml");
            std::fs::write(&path, &meta.scenario_toml).map_err(io("cannot write", &path))?;
            Ok(RunFolder { dir: dir.into() })
        }
        pub fn resume(
            dir: &Path,
            _: usize,
        ) -> Result<(Self, String, Option<Vec<u8>>), RecordError> {
            let path = dir.join("scenario.toml");
            let text = std::fs::read_to_string(&path).map_err(io("cannot read", &path))?;
            Ok((RunFolder { dir: dir.into() }, text, None))
        }
        pub fn finish(self, summary: &Summary) -> Result<(), RecordError> {
            let path = self.dir.join("summary.json");
            let text = serde_json::to_string_pretty(summary).unwrap_or_default();
            std::fs::write(&path, text).map_err(io("cannot write", &path))
        }
    }

    impl Sink for RunFolder {
        fn event(&mut self, _: &EventRow) -> Result<(), RecordError> {
            Ok(())
        }
        fn series(&mut self, _: &SeriesRow) -> Result<(), RecordError> {
            Ok(())
        }
        fn snapshot(&mut self, _: &[GrainRow], _: &[LinkRow]) -> Result<(), RecordError> {
            Ok(())
        }
        fn checkpoint(&mut self, _: &[u8]) -> Result<(), RecordError> {
            Ok(())
        }
    }
}

pub(super) mod view {
    use super::record::WallDrawing;
    use crate::body::Boundary;
    use crate::geometry::Dimension;
    use crate::record::RecordError;
    use std::path::{Path, PathBuf};

    #[derive(Clone, Copy)]
    pub enum ExportFormat {
        Vtk,
        Xyz,
        Csv,
        Lammps,
        Png,
        Svg,
    }

    pub fn draw_walls<D: Dimension>(
        _: &[Boundary<D>],
        _: D::Vector,
        _: D::Vector,
    ) -> Vec<WallDrawing> {
        Vec::new()
    }

    pub fn export(
        _: &Path,
        _: ExportFormat,
        _: Option<&Path>,
    ) -> Result<Vec<PathBuf>, RecordError> {
        Ok(Vec::new())
    }
}

pub(super) mod calc {
    use serde_json::Value;

    #[derive(Debug, thiserror::Error)]
    #[error("not merged yet")]
    pub struct CalcError;

    pub fn flight(_: Value) -> Result<Value, CalcError> {
        Err(CalcError)
    }
    pub fn collision(_: Value) -> Result<Value, CalcError> {
        Err(CalcError)
    }
}
