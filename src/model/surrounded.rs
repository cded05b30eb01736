//! What surroundings add to small calls, estimated over all of them together.
//!
//! A small call after an unlike tenant takes 30 ms of measuring for its 100 µs, so each class has few cycles. But what it costs more than
//! after its like is the same work in all of them: code and data of kernel and runtime that have left the caches, and pages that
//! are cold when they are cleared. So the difference to the like class is taken as linear: a constant, so much a page, so much where there
//! is data to copy, and so much a page where every byte is written. That line, by least squares of relative errors, stands for the differences of the
//! single classes, in the observation and in each resample.

use std::collections::BTreeMap;

use nalgebra::DMatrix;

use super::classes::{Class, Resampled, usual};
use crate::experiment::conditions::WRITE_WIDTH;
use crate::experiment::{Experiment, Levels, Point, WriteWidth};
use crate::units::Bytes;

/// Most touched pages of a small call. Beyond, its own pages are what leaves the caches.
const MOST_PAGES: u32 = 32;

/// Classes that share their surroundings, each with the class of the usual ones.
struct Together {
    members: Vec<Member>,
    /// What makes fitted differences of differences.
    hat: DMatrix<f64>,
}

#[derive(Clone, Copy)]
struct Member {
    class: usize,
    usual: usize,
}

/// Puts the common line in the place of the single differences. `nanos` is what a ratio of 1 stands for in each class.
pub(crate) fn estimate_together(
    experiment: &Experiment,
    classes: &[Class<'_>],
    nanos: &[f64],
    resampled: &mut Resampled,
) {
    let observed: Vec<f64> = resampled.logs.iter().zip(nanos).map(|(log, nanos)| log.exp() * nanos).collect();
    for together in
        groups(experiment, classes).into_values().filter_map(|members| Together::new(members, classes, &observed))
    {
        together.smooth(nanos, &mut resampled.logs);
        resampled.replicates.iter_mut().for_each(|logs| together.smooth(nanos, logs));
        let cycles: f64 = together.members.iter().map(|member| resampled.cycles[member.class]).sum();
        together.members.iter().for_each(|member| resampled.cycles[member.class] = cycles);
    }
}

fn groups(experiment: &Experiment, classes: &[Class<'_>]) -> BTreeMap<Levels, Vec<Member>> {
    let known: BTreeMap<Point, usize> = (classes.iter().enumerate())
        .filter(|(_, class)| class.point.is_undisturbed())
        .map(|(at, class)| (usual(experiment, class.point), at))
        .collect();
    let mut groups: BTreeMap<Levels, Vec<Member>> = BTreeMap::new();
    for (class, point) in classes.iter().map(|class| class.point).enumerate() {
        let met = point.without(&[&WRITE_WIDTH]).levels.surroundings();
        if met == Levels::default() || point.touched_pages().0 > MOST_PAGES {
            continue;
        }
        if let Some(&usual) = known.get(&usual(experiment, point)) {
            groups.entry(met).or_default().push(Member { class, usual });
        }
    }
    groups
}

impl Together {
    /// `None` where there are too few to draw a line through.
    fn new(members: Vec<Member>, classes: &[Class<'_>], costs: &[f64]) -> Option<Self> {
        let columns: [fn(&Point) -> f64; 4] = [
            |_| 1.0,
            |point| f64::from(point.touched_pages().0),
            |point| f64::from(u8::from(point.data_bytes() > Bytes(0))),
            |point| {
                f64::from(u8::from(point.write_width() == WriteWidth::EveryByte)) * f64::from(point.touched_pages().0)
            },
        ];
        let point = |member: &Member| classes[member.class].point;
        let varied = |column: &&fn(&Point) -> f64| members.iter().any(|member| column(point(member)) > 0.0);
        let columns: Vec<_> = columns.iter().filter(varied).collect();
        if members.len() <= columns.len() {
            return None;
        }
        let weight = |row: usize| 1.0 / costs[members[row].class];
        let level = |row: usize, column: usize| columns[column](point(&members[row]));
        let weighted = DMatrix::from_fn(members.len(), columns.len(), |row, column| level(row, column) * weight(row));
        let plain = DMatrix::from_fn(members.len(), columns.len(), level);
        let weights =
            DMatrix::from_fn(members.len(), members.len(), |row, other| if row == other { weight(row) } else { 0.0 });
        let hat = plain * weighted.pseudo_inverse(1e-9).ok()? * weights;
        Some(Self { members, hat })
    }

    fn smooth(&self, nanos: &[f64], logs: &mut [f64]) {
        let cost = |at: usize| logs[at].exp() * nanos[at];
        let differences = DMatrix::from_iterator(
            self.members.len(),
            1,
            self.members.iter().map(|of| cost(of.class) - cost(of.usual)),
        );
        let fitted = &self.hat * differences;
        let smoothed: Vec<(usize, f64)> = (self.members.iter().zip(fitted.iter()))
            .map(|(member, difference)| (member.class, ((cost(member.usual) + difference) / nanos[member.class]).ln()))
            .collect();
        for (class, log) in smoothed.into_iter().filter(|(_, log)| log.is_finite()) {
            logs[class] = log;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::experiment::MEMORY;
    use crate::experiment::Previous;
    use crate::experiment::conditions::PREVIOUS;
    use crate::experiment::memory::DATA_BYTES;
    use crate::units::Pages;

    /// Five sizes after their like and after an unlike tenant, which adds 70 and 7 a page, and 15 where there is data.
    fn points() -> Vec<(Point, f64)> {
        let mut points = Vec::new();
        for (pages, data) in [(1, 0), (2, 0), (4, 0), (17, 0), (1, 9), (4, 9)] {
            let cost = 60.0 + 25.0 * f64::from(pages);
            let point = Point::of_memory("a", &format!("{pages}-{data}"), "s", Pages(pages)).with(&DATA_BYTES, data);
            let added = 70.0 + 7.0 * f64::from(pages) + if data > 0 { 15.0 } else { 0.0 };
            points.push((point.clone(), cost));
            points.push((point.with(&PREVIOUS, Previous::Dirty as u64), cost + added));
        }
        points
    }

    fn resampled(points: &[(Point, f64)], noise: impl Fn(usize) -> f64) -> Resampled {
        let logs: Vec<f64> = points.iter().enumerate().map(|(at, (_, cost))| (cost * noise(at)).ln()).collect();
        Resampled {
            replicates: vec![logs.clone()],
            cycles: vec![10.0; logs.len()],
            logs,
            freedom: 7.0,
            correction: 1.0,
        }
    }

    fn smoothed(noise: impl Fn(usize) -> f64) -> (Vec<(Point, f64)>, Resampled) {
        let points = points();
        let classes: Vec<Class<'_>> =
            (points.iter().enumerate()).map(|(at, (point, _))| Class { point, rows: vec![at] }).collect();
        let mut resampled = resampled(&points, noise);
        estimate_together(&MEMORY, &classes, &vec![1.0; points.len()], &mut resampled);
        drop(classes);
        (points, resampled)
    }

    #[test]
    fn differences_that_lie_on_a_line_stay_as_they_are() {
        let (points, resampled) = smoothed(|_| 1.0);
        for ((point, cost), log) in points.iter().zip(&resampled.logs) {
            assert!((log.exp() / cost - 1.0).abs() < 1e-9, "{}", point.label());
        }
        assert!((resampled.cycles[1] - 60.0).abs() < 1e-9 && (resampled.cycles[0] - 10.0).abs() < 1e-9);
    }

    #[test]
    fn the_noise_of_one_class_is_shared_and_those_of_the_usual_surroundings_are_left_alone() {
        let (points, resampled) = smoothed(|at| if at == 3 { 1.2 } else { 1.0 });
        let off = |at: usize| resampled.logs[at].exp() / points[at].1 - 1.0;
        assert!(off(3) < 0.12 && off(3) > 0.0, "{}", off(3));
        assert!(off(2).abs() < 1e-12);
        assert_eq!(resampled.logs, resampled.replicates[0]);
    }
}
