//! From a drawing to what people open: a title for those who do not see it, a size that follows the
//! page's, dark colours; and a PNG, for which a font is brought along, since a machine need not
//! have any.

use std::sync::Arc;

use maud::html;
use resvg::tiny_skia::{Color, Pixmap, Transform};
use resvg::usvg::{Options, Tree, fontdb};

use super::Figure;
use super::canvas::{COLOURS, WIDTH};

/// Makes pictures.
#[derive(Debug)]
pub(crate) struct Painter {
    options: Options<'static>,
}

impl Figure {
    /// The drawing to be put into a page, whose style sheet knows the colours.
    pub(crate) fn inline(&self) -> String {
        self.dressed("", "")
    }

    /// The drawing as a file of its own.
    pub(crate) fn file(&self) -> String {
        let size = format!(r#" width="{WIDTH}" "#);
        let style = format!(
            "<style>svg{{background:#FFFFFF;color-scheme:light dark}}\
             @media(prefers-color-scheme:dark){{svg{{background:#16181C}}{}}}</style>",
            dark("")
        );
        self.dressed(&size, &style)
    }

    fn dressed(&self, attributes: &str, style: &str) -> String {
        let label = html! { (self.title) }.into_string().replace('"', "&quot;");
        let (head, body) = self.svg.split_once('>').unwrap_or((&self.svg, ""));
        let shape = head.find("viewBox").map_or("", |at| &head[at..]);
        format!(
            r#"<svg role="img" aria-label="{label}"{attributes} {shape}><title>{label}</title>{style}{body}"#
        )
    }
}

/// Rules that exchange each light colour for its dark one, below `scope`.
pub(crate) fn dark(scope: &str) -> String {
    let rule = |property: &str, light: u32, dark: u32| {
        format!(r##"{scope} [{property}="#{light:06X}"]{{{property}:#{dark:06X}}}"##)
    };
    let both = |c: &super::canvas::Colour| {
        rule("fill", c.light, c.dark) + &rule("stroke", c.light, c.dark)
    };
    COLOURS.iter().map(both).collect()
}

impl Painter {
    /// With the font that is brought along.
    pub(crate) fn new() -> Painter {
        let mut fonts = fontdb::Database::new();
        fonts.load_font_data(dejavu::sans::regular().to_vec());
        fonts.load_font_data(dejavu::sans::bold().to_vec());
        fonts.set_sans_serif_family("DejaVu Sans");
        Painter {
            options: Options {
                fontdb: Arc::new(fonts),
                ..Options::default()
            },
        }
    }

    /// The drawing as a PNG file.
    ///
    /// # Errors
    ///
    /// It cannot be read or is too large, which does not happen to drawings made here.
    pub(crate) fn png(&self, svg: &str) -> Result<Vec<u8>, String> {
        let tree = Tree::from_str(svg, &self.options).map_err(|error| error.to_string())?;
        let size = tree.size().to_int_size();
        let mut pixels =
            Pixmap::new(size.width(), size.height()).ok_or("the figure is too large")?;
        pixels.fill(Color::WHITE);
        resvg::render(&tree, Transform::identity(), &mut pixels.as_mut());
        pixels.encode_png().map_err(|error| error.to_string())
    }
}
