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

impl Chart {
    /// A chart with one vertical axis.
    #[must_use]
    pub fn new(name: &str, alternative: String, x: Axis, y: Axis, series: Vec<Series>) -> Self {
        Self { name: name.into(), alternative, x, y, right: None, series }
    }

    /// The same with heights in another unit at the right.
    #[must_use]
    pub fn with_right(self, right: Axis) -> Self {
        Self { right: Some(right), ..self }
    }
}

impl Series {
    /// The series with this number, by which it is told apart from others.
    #[must_use]
    pub fn new(number: usize, name: impl Into<String>, shape: Shape) -> Self {
        Self { name: name.into(), ink: Ink::Series(number), shape }
    }
}

/// For which width a chart is drawn. Words keep their size, so that they can be read on a phone as well.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Width {
    /// Width of the drawing, two units for each pixel of a page so that lines are smooth.
    pub(super) units: u32,
    /// Height of the part between the axes.
    pub(super) height: u32,
    /// Entries of a legend that stand side by side.
    pub(super) legend_columns: u32,
    /// The most ticks, and the units that their labels share.
    ticks: (usize, usize),
}

impl Width {
    /// A desk or a page of paper.
    pub const WIDE: Self = Self { units: 1440, height: 660, legend_columns: 2, ticks: (16, 1080) };
    /// A phone.
    pub const NARROW: Self = Self { units: 672, height: 540, legend_columns: 1, ticks: (7, 504) };

    /// The most ticks with labels of so many letters that stand side by side.
    pub(super) fn ticks(self, letters: usize) -> usize {
        /// Units that a letter takes, with the room between labels.
        const LETTER: usize = 18;
        let (most, units) = self.ticks;
        most.min(units / (letters.max(1) * LETTER)).max(2)
    }
}
