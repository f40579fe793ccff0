//! Writes a picture to a path given by the user.

use std::path::Path;

use super::failure::Failure;
use crate::record::write_file;
use crate::view::{PNG_SCALE, Picture};

/// Writes a picture as PNG if the path ends with `png`, else as SVG.
pub(super) fn write(picture: &Picture, path: &Path) -> Result<(), Failure> {
    let bytes = if path.extension().is_some_and(|end| end == "png") {
        picture
            .to_png(PNG_SCALE)
            .ok_or_else(|| Failure::Run(format!("{}: the picture is too large", path.display())))?
    } else {
        picture.to_svg().into_bytes()
    };
    Ok(write_file(path, &bytes)?)
}
