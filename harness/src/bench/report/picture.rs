//! SVG to PNG.

use std::sync::Arc;

use resvg::tiny_skia::{Pixmap, Transform};
use resvg::usvg::{Options, Tree, fontdb};

use crate::exit::{Failure, Result};

/// Turns drawings into pixels with the fonts of the system.
pub struct Painter {
    fonts: Arc<fontdb::Database>,
}

impl Painter {
    /// A painter; none where the system has no font, since a plot without words says nothing.
    pub fn new() -> Option<Self> {
        let mut fonts = fontdb::Database::new();
        fonts.load_system_fonts();
        let families = ["DejaVu Sans", "Liberation Sans", "Arial", "Helvetica"];
        let known = |family: &&&str| {
            let families = [fontdb::Family::Name(family)];
            let query = fontdb::Query {
                families: &families,
                ..fontdb::Query::default()
            };
            fonts.query(&query).is_some()
        };
        let first = families
            .iter()
            .find(known)
            .map(|family| (*family).to_owned());
        let any = || fonts.faces().next().map(|face| face.families[0].0.clone());
        let family = first.or_else(any)?;
        fonts.set_sans_serif_family(family);
        Some(Self {
            fonts: Arc::new(fonts),
        })
    }

    /// The drawing as PNG, at one and a half times its size.
    ///
    /// # Errors
    /// Exit 3 when it can't be drawn.
    pub fn png(&self, svg: &str) -> Result<Vec<u8>> {
        const SCALE: f32 = 1.5;
        let fail = |error: &dyn std::fmt::Display| {
            Failure::harness(format!("a plot can't be drawn: {error}"))
        };
        let options = Options {
            fontdb: Arc::clone(&self.fonts),
            ..Options::default()
        };
        let tree = Tree::from_str(svg, &options).map_err(|error| fail(&error))?;
        let size = tree.size();
        let pixels = |length: f32| (length * SCALE).ceil() as u32;
        let mut pixmap = Pixmap::new(pixels(size.width()), pixels(size.height()))
            .ok_or_else(|| fail(&"it is too large"))?;
        let scale = Transform::from_scale(SCALE, SCALE);
        resvg::render(&tree, scale, &mut pixmap.as_mut());
        pixmap.encode_png().map_err(|error| fail(&error))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_drawing_becomes_a_png() {
        let Some(painter) = Painter::new() else {
            return;
        };
        let svg = r##"<svg xmlns="http://www.w3.org/2000/svg" width="20" height="10">
            <rect width="20" height="10" fill="#ff0000"/></svg>"##;
        let png = painter.png(svg).unwrap();
        assert_eq!(&png[1..4], b"PNG");
        assert!(painter.png("no svg").is_err());
    }
}
