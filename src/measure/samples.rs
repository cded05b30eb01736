//! What a run measures: its points and, for each call cycle, one sample.

use crate::experiment::{Experiment, MEMORY, Point};

/// Where in the run a cycle was measured.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place {
    /// Worker process that took it, counted from 0 over the run.
    pub process: u32,
    /// Round within the process, counted from 0. Every point appears in it at least once.
    pub round: u32,
    /// Place within the round, counted from 0.
    pub order: u32,
    /// Index into [`Samples::points`].
    pub point: u32,
}

/// One call cycle: where it was measured, its phases in nanoseconds, and its counters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sample<'a> {
    /// Where it was measured.
    pub place: Place,
    /// Its values, in the order of [`Experiment::columns`].
    pub values: &'a [u64],
}

/// The samples of a run with the points they belong to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Samples {
    /// What was measured.
    pub experiment: &'static Experiment,
    /// Every point that a sample refers to.
    pub points: Vec<Point>,
    places: Vec<Place>,
    /// The values of all cycles, one after the other.
    values: Vec<u64>,
}

impl Default for Samples {
    fn default() -> Self {
        Self::of(&MEMORY, Vec::new())
    }
}

impl Samples {
    /// None yet.
    #[must_use]
    pub const fn of(experiment: &'static Experiment, points: Vec<Point>) -> Self {
        Self { experiment, points, places: Vec::new(), values: Vec::new() }
    }

    /// How many there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.places.len()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.places.is_empty()
    }

    /// Adds a cycle. `values` are as many as the experiment has.
    pub fn push(&mut self, place: Place, values: &[u64]) {
        debug_assert_eq!(values.len(), self.experiment.values());
        self.places.push(place);
        self.values.extend_from_slice(values);
    }

    /// Adds samples of the same experiment.
    pub fn append(&mut self, other: Self, renumbered: impl Fn(Place) -> Place) {
        debug_assert!(std::ptr::eq(self.experiment, other.experiment), "values of another experiment");
        self.places.extend(other.places.into_iter().map(renumbered));
        self.values.extend(other.values);
    }

    /// One of them.
    #[must_use]
    pub fn get(&self, index: usize) -> Sample<'_> {
        let width = self.experiment.values();
        Sample { place: self.places[index], values: &self.values[index * width..(index + 1) * width] }
    }

    /// All of them, in the order in which they were taken.
    #[must_use]
    pub fn iter(&self) -> impl ExactSizeIterator<Item = Sample<'_>> + Clone {
        let values = self.values.chunks_exact(self.experiment.values());
        self.places.iter().zip(values).map(|(&place, values)| Sample { place, values })
    }

    /// Where they were taken.
    #[must_use]
    pub fn places(&self) -> &[Place] {
        &self.places
    }

    /// The same, to be numbered.
    pub(super) fn places_mut(&mut self) -> &mut [Place] {
        &mut self.places
    }

    /// Leaves out all but the first so many.
    pub(super) fn truncate(&mut self, count: usize) {
        self.places.truncate(count);
        self.values.truncate(count * self.experiment.values());
    }

    /// Those that are wanted, with the points that are wanted.
    #[must_use]
    pub fn only(&self, wanted: impl Fn(&Point) -> bool) -> Self {
        let mut points = Vec::new();
        let mut moved = vec![None; self.points.len()];
        for (moved, point) in moved.iter_mut().zip(&self.points).filter(|(_, point)| wanted(point)) {
            *moved = u32::try_from(points.len()).ok();
            points.push(point.clone());
        }
        let mut kept = Self::of(self.experiment, points);
        for sample in self.iter() {
            if let Some(point) = moved.get(sample.place.point as usize).copied().flatten() {
                kept.push(Place { point, ..sample.place }, sample.values);
            }
        }
        kept
    }

    /// These with each sample replaced; `None` leaves one out. For tests and simulations.
    #[must_use]
    pub fn changed(&self, change: impl Fn(usize, Place, &mut [u64]) -> Option<Place>) -> Self {
        let mut changed = Self::of(self.experiment, self.points.clone());
        for (index, sample) in self.iter().enumerate() {
            let mut values = sample.values.to_vec();
            if let Some(place) = change(index, sample.place, &mut values) {
                changed.push(place, &values);
            }
        }
        changed
    }
}
