use super::axis::Axis;
use super::ink::Ink;

/// A picture of series between two axes.
#[derive(Debug, Clone, PartialEq)]
pub struct Chart {
    /// A short name in kebab case, that of its file under `plots/`.
    pub name: String,
    /// What it shows, in words: what a reader hears who does not see it.
    pub alternative: String,
    /// From left to right.
    pub x: Axis,
    /// From the foot up.
    pub y: Axis,
    /// The same heights in another unit, at the right.
    pub right: Option<Axis>,
    /// Drawn in this order, later ones on top.
    pub series: Vec<Series>,
}

/// Marks, a line, a band or bars of one kind.
#[derive(Debug, Clone, PartialEq)]
pub struct Series {
    /// Its name in the legend; none if it is empty.
    pub name: String,
    /// What it is drawn with. Marks of other series have other forms, and lines other dashes.
    pub ink: Ink,
    /// What is drawn.
    pub shape: Shape,
}

/// What is drawn for a series.
#[derive(Debug, Clone, PartialEq)]
pub enum Shape {
    /// A line through places. A place that is not finite parts it in two.
    Line(Vec<(f64, f64)>),
    /// An area between a lower and an upper height at each place.
    Band(Vec<(f64, f64, f64)>),
    /// A form at each place, with its interval.
    Marks(Vec<Mark>),
    /// Rectangles.
    Bars(Vec<Bar>),
}

/// A value with its interval.
#[derive(Debug, Clone, PartialEq)]
pub struct Mark {
    /// Place from left to right.
    pub x: f64,
    /// Height.
    pub y: f64,
    /// Ends of the interval, if it has one.
    pub interval: Option<(f64, f64)>,
    /// What is shown when the pointer is on it.
    pub title: String,
}

/// A rectangle.
#[derive(Debug, Clone, PartialEq)]
pub struct Bar {
    /// Place of its middle.
    pub x: f64,
    /// Half of its width.
    pub half: f64,
    /// Its foot.
    pub from: f64,
    /// Its head.
    pub to: f64,
    /// What is shown when the pointer is on it.
    pub title: String,
}

/// For which width a chart is drawn. Words keep their size, so that they can be read on a phone as well.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Width {
    /// A desk or a page of paper.
    Wide,
    /// A phone.
    Narrow,
}

impl Width {
    /// Width of the drawing, two units for each pixel of a page so that lines are smooth.
    pub(super) const fn units(self) -> u32 {
        match self {
            Self::Wide => 1440,
            Self::Narrow => 672,
        }
    }

    /// Height of the part between the axes.
    pub(super) const fn height(self) -> u32 {
        match self {
            Self::Wide => 660,
            Self::Narrow => 540,
        }
    }

    /// The most ticks with labels of so many letters that stand side by side.
    pub(super) fn ticks(self, letters: usize) -> usize {
        /// Units that a letter takes, with the room between labels.
        const LETTER: usize = 18;
        let (most, units) = match self {
            Self::Wide => (16, 1080),
            Self::Narrow => (7, 504),
        };
        most.min(units / (letters.max(1) * LETTER)).max(2)
    }

    /// The most entries of a legend that stand side by side.
    pub(super) const fn legend_columns(self) -> usize {
        match self {
            Self::Wide => 2,
            Self::Narrow => 1,
        }
    }
}
