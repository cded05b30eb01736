//! Colours that the theme decides.
//!
//! plotters writes colours as numbers. Each ink has a number that no picture uses by itself, which becomes a class afterwards.

use std::fmt::Write as _;

use plotters::style::RGBColor;

/// What something is drawn with; `templates/plot.css` says how each looks in each theme, on paper, and without colour.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ink {
    /// Words.
    Text,
    /// The lines at ticks.
    Grid,
    /// The frame and the line at zero.
    Frame,
    /// One of eight series, counted from 0; more begin again.
    Series(usize),
    /// One of four parts of a whole, from the darkest.
    Part(usize),
}

/// Eight series and four parts.
const INKS: u8 = 3 + 8 + 4;

impl Ink {
    fn number(self) -> u8 {
        match self {
            Self::Text => 0,
            Self::Grid => 1,
            Self::Frame => 2,
            Self::Series(at) => 3 + u8::try_from(at % 8).unwrap_or(0),
            Self::Part(at) => 11 + u8::try_from(at % 4).unwrap_or(0),
        }
    }

    pub(super) fn colour(self) -> RGBColor {
        RGBColor(1, 2, self.number())
    }
}

/// The drawing with classes instead of numbers: `s3` for a line, `f3` for a filled shape.
pub(super) fn themed(mut svg: String) -> String {
    for number in 0..INKS {
        let colour = format!("#0102{number:02X}");
        for (attribute, class) in [("stroke", 's'), ("fill", 'f')] {
            let mut wanted = String::new();
            // Writing to a `String` cannot fail.
            let _ = write!(wanted, "{attribute}=\"{colour}\"");
            svg = svg.replace(&wanted, &format!("class=\"{class}{number}\""));
        }
    }
    let needless = [" opacity=\"1\"", " stroke=\"none\"", " stroke-width=\"1\"", " font-family=\"sans-serif\""];
    needless.iter().fold(svg, |svg, attribute| svg.replace(attribute, ""))
}
