use std::fmt::Write as _;

use plotters::chart::ChartContext;
use plotters::coord::Shift;
use plotters::coord::cartesian::Cartesian2d;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

use super::axis::Axis;
use super::chart::{Chart, Series, Shape, Width};
use super::ink::{Ink, themed};
use super::marks::corners;
use crate::text::shown_lines;

type Area<'a> = DrawingArea<SVGBackend<'a>, Shift>;
type Drawn = Result<(), DrawingAreaErrorKind<std::io::Error>>;

/// Height of a line of words.
const LINE: u32 = 40;
const WORDS: u32 = 32;
const MARK: i32 = 9;
/// Radius of what answers to the pointer around a mark.
const REACH: i32 = 16;

impl Chart {
    /// The drawing as an `svg` element, without a style: a page has it in its head, a file gets it from [`Chart::file`].
    ///
    /// # Errors
    /// None is known: the drawing goes to memory. It is returned, since nothing may panic.
    pub fn draw(&self, width: Width) -> Result<String, DrawingAreaErrorKind<std::io::Error>> {
        let legend: Vec<&Series> = self.series.iter().filter(|series| !series.name.is_empty()).collect();
        let rows = u32::try_from(legend.len()).unwrap_or(0).div_ceil(width.legend_columns);
        // Below the legend stand the titles of the vertical axes.
        let head = (rows + 1) * LINE + 16;
        let size = (width.units, head + width.height);
        let mut svg = String::new();
        let mut titles = String::new();
        {
            let root = SVGBackend::with_string(&mut svg, size).into_drawing_area();
            let (top, below) = root.split_vertically(head);
            draw_legend(&top, &legend, width)?;
            self.draw_heads(&top, head, width)?;
            self.draw_plot(&root, &below, width, &mut titles)?;
            root.present()?;
        }
        Ok(self.finished(&themed(svg), &titles, size))
    }

    /// The drawing for a wide page as a file of its own.
    ///
    /// # Errors
    /// As for [`Chart::draw`].
    pub fn file(&self) -> Result<String, DrawingAreaErrorKind<std::io::Error>> {
        let svg = self.draw(Width::WIDE)?;
        let style =
            format!("<style>\n{}</style>\n<rect class=\"paper\" width=\"100%\" height=\"100%\"/>\n", super::PLOT_CSS);
        Ok(svg.replacen(">\n", &format!(" xmlns=\"http://www.w3.org/2000/svg\">\n{style}"), 1))
    }

    fn finished(&self, svg: &str, titles: &str, (width, height): (u32, u32)) -> String {
        let body = svg.split_once('>').map_or("", |(_, body)| body);
        let alternative = askama::filters::escape(&self.alternative, askama::filters::Html)
            .map_or_else(|_| String::new(), |safe| safe.to_string());
        let close = if titles.is_empty() { "" } else { "</g>" };
        let body = body.replacen("</svg>", &format!("{titles}{close}</svg>"), 1);
        let svg = format!(
            "<svg class=\"plot\" viewBox=\"0 0 {width} {height}\" role=\"img\" aria-label=\"{alternative}\">{body}"
        );
        shown_lines(&svg).into_owned()
    }

    fn draw_heads(&self, top: &Area<'_>, head: u32, width: Width) -> Drawn {
        let y = pixel(head - LINE);
        top.draw(&Text::new(self.y.title.clone(), (4, y), words(HPos::Left)))?;
        if let Some(right) = &self.right {
            top.draw(&Text::new(right.title.clone(), (pixel(width.units) - 4, y), words(HPos::Right)))?;
        }
        Ok(())
    }

    fn draw_plot(&self, root: &Area<'_>, below: &Area<'_>, width: Width, titles: &mut String) -> Drawn {
        let grid = Ink::Grid.colour();
        let mut builder = ChartBuilder::on(below);
        builder.margin_top(8).x_label_area_size(LINE * 2 + 8).y_label_area_size(122);
        builder.right_y_label_area_size(if self.right.is_some() { 156 } else { 24 });
        let letters = self.x.ticks.iter().map(|(_, label)| label.chars().count()).max().unwrap_or_default();
        let x = self.x.thinned(width.ticks(letters));
        let y = self.y.thinned(10);
        let right = self.right.clone().unwrap_or_else(|| Axis { ticks: Vec::new(), ..y.clone() }).thinned(10);
        let mut chart = builder.build_cartesian_2d(x.clone(), y)?.set_secondary_coord(x, right);
        let label = words(HPos::Center);
        chart
            .configure_mesh()
            .bold_line_style(grid)
            .max_light_lines(0)
            .axis_style(Ink::Frame.colour())
            .label_style(label.clone())
            .axis_desc_style(label.clone())
            .x_desc(self.x.title.clone())
            .draw()?;
        if self.right.is_some() {
            chart.configure_secondary_axes().axis_style(Ink::Frame.colour()).label_style(label).draw()?;
        }
        if self.y.scale == super::Scale::Linear && self.y.low < 0.0 {
            let ends = vec![chart.backend_coord(&(self.x.low, 0.0)), chart.backend_coord(&(self.x.high, 0.0))];
            root.draw(&PathElement::new(ends, Ink::Frame.colour().stroke_width(2)))?;
        }
        for series in &self.series {
            draw_series(root, &chart, series, titles)?;
        }
        Ok(())
    }
}

fn draw_series(
    root: &Area<'_>,
    chart: &ChartContext<'_, SVGBackend<'_>, Cartesian2d<Axis, Axis>>,
    series: &Series,
    titles: &mut String,
) -> Drawn {
    let colour = series.ink.colour();
    let at = |x: f64, y: f64| chart.backend_coord(&(x, y));
    match &series.shape {
        Shape::Line(places) => {
            for part in places.split(|(x, y)| !(x.is_finite() && y.is_finite())) {
                let places: Vec<_> = part.iter().map(|(x, y)| at(*x, *y)).collect();
                root.draw(&PathElement::new(places, colour.stroke_width(4)))?;
            }
        }
        Shape::Band(places) => {
            let upper = places.iter().map(|(x, _, high)| at(*x, *high));
            let lower = places.iter().rev().map(|(x, low, _)| at(*x, *low));
            root.draw(&Polygon::new(upper.chain(lower).collect::<Vec<_>>(), colour.mix(0.25).filled()))?;
        }
        Shape::Marks(marks) => {
            for mark in marks {
                let place = at(mark.x, mark.y);
                if let Some((low, high)) = mark.interval {
                    // Filled, since lines of a series may be dashed.
                    let (x, foot) = at(mark.x, low);
                    let (_, head) = at(mark.x, high);
                    let bar = |left, top, right, foot| Rectangle::new([(left, top), (right, foot)], colour.filled());
                    root.draw(&bar(x - 1, head, x + 2, foot))?;
                    root.draw(&bar(x - 6, head - 1, x + 7, head + 2))?;
                    root.draw(&bar(x - 6, foot - 1, x + 7, foot + 2))?;
                }
                root.draw(&Polygon::new(corners(series.ink, place, MARK), colour.filled()))?;
                let (x, y) = place;
                titled(titles, &format!("<circle cx=\"{x}\" cy=\"{y}\" r=\"{REACH}\">"), &mark.title, "circle");
            }
        }
        Shape::Bars(bars) => {
            for bar in bars {
                let (left, top) = at(bar.x - bar.half, bar.from.max(bar.to));
                let (right, foot) = at(bar.x + bar.half, bar.from.min(bar.to));
                root.draw(&Rectangle::new([(left, top), (right, foot)], colour.filled()))?;
                let (wide, high) = (right - left, (foot - top).max(1));
                let open = format!("<rect x=\"{left}\" y=\"{top}\" width=\"{wide}\" height=\"{high}\">");
                titled(titles, &open, &bar.title, "rect");
            }
        }
    }
    Ok(())
}

/// Adds what answers to the pointer, on top of everything that is seen.
fn titled(titles: &mut String, open: &str, title: &str, tag: &str) {
    if titles.is_empty() {
        titles.push_str("<g class=\"hit\">");
    }
    let escaped =
        askama::filters::escape(title, askama::filters::Html).map_or_else(|_| String::new(), |safe| safe.to_string());
    // Writing to a `String` cannot fail.
    let _ = write!(titles, "{open}<title>{escaped}</title></{tag}>");
}

fn draw_legend(top: &Area<'_>, legend: &[&Series], width: Width) -> Drawn {
    let columns = width.legend_columns;
    let column = width.units / columns;
    for (at, series) in (0u32..).zip(legend) {
        let (x, y) = (pixel(at % columns * column) + 4, pixel(at / columns * LINE) + 20);
        let colour = series.ink.colour();
        let swatch = [(x, y - 10), (x + 60, y + 10)];
        match series.shape {
            Shape::Line(_) => top.draw(&PathElement::new(vec![(x, y), (x + 60, y)], colour.stroke_width(4)))?,
            Shape::Band(_) => top.draw(&Rectangle::new(swatch, colour.mix(0.25).filled()))?,
            Shape::Marks(_) => top.draw(&Polygon::new(corners(series.ink, (x + 30, y), MARK + 2), colour.filled()))?,
            Shape::Bars(_) => top.draw(&Rectangle::new(swatch, colour.filled()))?,
        }
        top.draw(&Text::new(series.name.clone(), (x + 74, y), words(HPos::Left)))?;
    }
    Ok(())
}

fn words(anchor: HPos) -> TextStyle<'static> {
    ("sans-serif", WORDS).into_font().color(&Ink::Text.colour()).pos(Pos::new(anchor, VPos::Center))
}

fn pixel(units: u32) -> i32 {
    i32::try_from(units).unwrap_or(i32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::plot::Mark;

    /// As a file of its own a drawing is XML, of which a browser shows nothing behind the first tag that is not closed.
    #[test]
    fn every_element_of_a_drawing_is_closed() {
        let mark = |x: f64| Mark { x, y: 0.1, interval: Some((0.05, 0.2)), title: "a < b".into() };
        let shapes = [Shape::Marks(vec![mark(1.0), mark(4.0)]), Shape::Line(vec![(1.0, 0.1), (f64::NAN, f64::NAN)])];
        for shape in shapes {
            let (x, y) = (Axis::pages("pages", [1, 4].into_iter()), Axis::shares("share", 0.01));
            let chart = Chart::new("some", "words".into(), x, y, vec![Series::new(0, "series", shape)]);
            let svg = chart.file().unwrap();
            let mut open = Vec::new();
            for tag in svg.split('<').skip(1).filter_map(|rest| Some(rest.split_once('>')?.0)) {
                match tag.strip_prefix('/') {
                    Some(name) => assert_eq!(open.pop(), Some(name.to_owned())),
                    None if tag.ends_with('/') => {}
                    None => open.push(tag.split_whitespace().next().unwrap_or_default().to_owned()),
                }
            }
            assert!(open.is_empty(), "not closed: {open:?}");
        }
    }
}
