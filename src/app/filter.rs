use std::str::FromStr;

use regex::Regex;

use super::error::Error;
use crate::experiment::Point;
use crate::measure::Samples;
use crate::params::ONLY;

/// Points by their names, such as `touch-memory/pages17-stack64KiB touching 17 pages under fresh-map`: those that a regular expression is
/// found in.
#[derive(Debug, Clone)]
pub struct Filter(Regex);

impl Eq for Filter {}

impl PartialEq for Filter {
    fn eq(&self, other: &Self) -> bool {
        self.0.as_str() == other.0.as_str()
    }
}

impl FromStr for Filter {
    type Err = String;

    fn from_str(pattern: &str) -> Result<Self, String> {
        Regex::new(pattern).map(Self).map_err(|error| error.to_string())
    }
}

impl Filter {
    /// The regular expression.
    #[must_use]
    pub fn pattern(&self) -> &str {
        self.0.as_str()
    }

    /// Whether it is found in the name of a point.
    #[must_use]
    pub fn takes(&self, point: &Point) -> bool {
        self.0.is_match(&point.label())
    }

    /// The samples of the points that it takes.
    pub(super) fn samples(&self, samples: &Samples) -> Result<Samples, Error> {
        self.check(samples.points.iter())?;
        Ok(samples.only(|point| self.takes(point)))
    }

    /// Makes sure that it takes a point.
    pub(super) fn check<'a>(&self, points: impl Iterator<Item = &'a Point> + Clone) -> Result<(), Error> {
        if points.clone().any(|point| self.takes(point)) {
            return Ok(());
        }
        let names: Vec<String> = points.take(3).map(Point::label).collect();
        let pattern = self.pattern();
        Err(Error::Usage(format!("no point has `{pattern}` in its name; there are {}, and others", names.join("; "))))
    }

    /// What a reader must know of what was made of some of `all` points.
    pub(super) fn note(&self, some: usize, all: usize) -> String {
        format!(
            "{ONLY}{some} of {all} points: those with `{}` in their names, so that others may not be covered",
            self.pattern()
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::units::Pages;

    #[test]
    fn points_are_taken_by_their_whole_names() {
        let point = Point::of_memory("touch-memory", "pages17-stack16KiB", "fresh-map", Pages(17));
        let takes = |pattern: &str| pattern.parse::<Filter>().unwrap().takes(&point);
        assert!(takes("pages17-") && takes("^touch-memory/.*fresh-map$") && takes(r"pages\d+"));
        assert!(!takes("pages1-") && !takes("^pages"));
        assert!("(".parse::<Filter>().unwrap_err().contains("unclosed"));
        let none = "nowhere".parse::<Filter>().unwrap().check([&point].into_iter()).unwrap_err().to_string();
        assert!(none.contains("`nowhere`") && none.contains("pages17-stack16KiB"), "{none}");
    }
}
