//! Charts as SVG: axes with ticks that people expect, series told apart without colour, values on hover.
//!
//! [`Chart`] says what is shown, [`Chart::draw`] draws it for a width. Colours are classes of `templates/plot.css`, so that one
//! drawing serves the light theme, the dark one and paper.

mod axis;
mod chart;
mod draw;
mod ink;
mod marks;
mod ticks;

pub use axis::{Axis, Scale};
pub use chart::{Bar, Chart, Mark, Series, Shape, Width};
pub use ink::Ink;

/// The style that a drawing needs: inline in a page, or within a file of its own.
pub const PLOT_CSS: &str = include_str!("../templates/plot.css");
