//! The linear programme behind the covering charge.

use std::collections::BTreeSet;

use microlp::{ComparisonOp, OptimizationDirection, Problem};

/// What must be covered: a row of columns for each point, and the index of its bound.
///
/// The first column is the base, which is 1 everywhere.
#[derive(Debug, Clone)]
pub(crate) struct Programme {
    rows: Vec<(usize, Vec<f64>)>,
}

/// The cheapest coefficients, and the rows that decide them.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Covered {
    /// The coefficients; not finite if the solver failed.
    pub(crate) coefficients: Vec<f64>,
    /// Places of the rows that the programme was solved with. A programme of similar bounds is solved faster with these.
    pub(crate) deciding: BTreeSet<usize>,
}

/// How far below a bound, relatively, a charge may be while rows are still being added: rounding, which is made up for at the end.
const TOLERANCE: f64 = 1e-9;

impl Programme {
    pub(crate) fn new(rows: Vec<(usize, Vec<f64>)>) -> Self {
        Self { rows }
    }

    /// Minimises the total relative overcharge `Σ(charge/bound − 1)` subject to `charge ≥ bound` at every row and coefficients at or
    /// above `least`.
    ///
    /// Few rows decide the answer, so it begins with those that decided a similar one and adds the row that is missed most until none
    /// is missed (Dantzig, Fulkerson and Johnson, *Solution of a Large-Scale Traveling-Salesman Problem*, 1954, for the idea of
    /// adding violated rows). Rows are divided by their bounds and columns by their largest entries: solvers take small entries for 0.
    pub(crate) fn solve(&self, bounds: &[f64], least: &[f64], begin: &BTreeSet<usize>) -> Covered {
        // What costs nothing is covered by any charge.
        let demanding = self.rows.iter().filter(|(bound, _)| bounds[*bound] > 0.0);
        let scaled: Vec<Vec<f64>> =
            demanding.map(|(bound, columns)| columns.iter().map(|column| column / bounds[*bound]).collect()).collect();
        let columns = least.len();
        let largest = |column: usize| scaled.iter().map(|row| row[column]).fold(0.0, f64::max);
        let units: Vec<f64> = (0..columns).map(largest).map(|unit| if unit > 0.0 { unit } else { 1.0 }).collect();
        let weights: Vec<f64> =
            (0..columns).map(|column| scaled.iter().map(|row| row[column]).sum::<f64>() / units[column]).collect();
        let mut deciding = begin.clone();
        loop {
            // One that fails with few rows may succeed with all of them.
            let all = || (0..scaled.len()).collect();
            let solved = cheapest(&scaled, &units, &weights, least, &deciding)
                .or_else(|| cheapest(&scaled, &units, &weights, least, &all()));
            let Some(solved) = solved else {
                return Covered { coefficients: vec![f64::NAN; columns], deciding };
            };
            let charged = |row: &Vec<f64>| row.iter().zip(&solved).map(|(share, value)| share * value).sum::<f64>();
            let most_missed = scaled.iter().map(charged).enumerate().min_by(|a, b| a.1.total_cmp(&b.1));
            match most_missed {
                Some((row, charged)) if charged < 1.0 - TOLERANCE && deciding.insert(row) => {}
                _ => return Covered { coefficients: self.raised(solved, bounds), deciding },
            }
        }
    }

    /// The base raised by what rounding took away, until nothing is missing.
    fn raised(&self, mut coefficients: Vec<f64>, bounds: &[f64]) -> Vec<f64> {
        loop {
            let missing = |(bound, columns): &(usize, Vec<f64>)| {
                bounds[*bound] - columns.iter().zip(&coefficients).map(|(column, value)| column * value).sum::<f64>()
            };
            let missing = self.rows.iter().map(missing).fold(0.0, f64::max);
            if !(missing > 0.0 && coefficients[0].is_finite()) {
                return coefficients;
            }
            coefficients[0] = (coefficients[0] + missing).max(coefficients[0].next_up());
        }
    }
}

/// Solves with some of the rows; `None` if the solver fails.
fn cheapest(
    scaled: &[Vec<f64>],
    units: &[f64],
    weights: &[f64],
    least: &[f64],
    rows: &BTreeSet<usize>,
) -> Option<Vec<f64>> {
    let mut problem = Problem::new(OptimizationDirection::Minimize);
    let bounds = least.iter().zip(units).map(|(least, unit)| (least * unit, f64::INFINITY));
    let variables: Vec<_> =
        weights.iter().zip(bounds).map(|(&weight, bounds)| problem.add_var(weight, bounds)).collect();
    for row in rows.iter().filter_map(|&row| scaled.get(row)) {
        let entries = variables.iter().zip(row).zip(units).map(|((&variable, share), unit)| (variable, share / unit));
        let entries: Vec<_> = entries.filter(|(_, share)| *share > 0.0).collect();
        problem.add_constraint(&entries[..], ComparisonOp::Ge, 1.0);
    }
    let solution = problem.solve().ok()?.into_solution().ok()?;
    Some(variables.iter().zip(units).map(|(&variable, unit)| solution.var_value(variable) / unit).collect())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn solve(points: &[(Vec<f64>, f64)], least: &[f64]) -> Vec<f64> {
        let bounds: Vec<f64> = points.iter().map(|(_, bound)| *bound).collect();
        let rows = points.iter().map(|(columns, _)| columns.clone()).enumerate().collect();
        Programme::new(rows).solve(&bounds, least, &BTreeSet::new()).coefficients
    }

    fn line(points: &[(f64, f64)], least_base: f64) -> (f64, f64) {
        let points: Vec<_> = points.iter().map(|&(x, bound)| (vec![1.0, x], bound)).collect();
        let solved = solve(&points, &[least_base, 0.0]);
        (solved[0], solved[1])
    }

    fn charge(columns: &[f64], coefficients: &[f64]) -> f64 {
        columns.iter().zip(coefficients).map(|(column, value)| column * value).sum()
    }

    fn overcharge(points: &[(f64, f64)], base: f64, slope: f64) -> f64 {
        points.iter().map(|(x, u)| (base + slope * x) / u - 1.0).sum()
    }

    /// All vertices of the programme with one term: crossings of two constraints that satisfy the others.
    fn cheapest_vertex(points: &[(f64, f64)]) -> f64 {
        let mut vertices: Vec<(f64, f64)> = points.iter().flat_map(|&(x, u)| [(u, 0.0), (0.0, u / x)]).collect();
        for a in points {
            for b in points.iter().filter(|b| b.0 > a.0) {
                let slope = (b.1 - a.1) / (b.0 - a.0);
                vertices.push((a.1 - slope * a.0, slope));
            }
        }
        let feasible = |&(base, slope): &(f64, f64)| {
            base >= -1e-9 && slope >= -1e-9 && points.iter().all(|(x, u)| base + slope * x >= u * (1.0 - 1e-9))
        };
        vertices.into_iter().filter(feasible).map(|(b, s)| overcharge(points, b, s)).fold(f64::INFINITY, f64::min)
    }

    proptest! {
        #[test]
        fn covers_every_point_at_the_least_overcharge(
            points in prop::collection::vec((1u32..1025, 100.0..1e8), 1..20)
        ) {
            let points: Vec<_> = points.into_iter().map(|(x, u)| (f64::from(x), u)).collect();
            let (base, slope) = line(&points, 0.0);
            prop_assert!(base >= 0.0 && slope >= 0.0);
            for (x, u) in &points {
                prop_assert!(base + slope * x >= *u, "{base} + {slope}·{x} < {u}");
            }
            let best = cheapest_vertex(&points);
            let total = overcharge(&points, base, slope);
            prop_assert!(total <= best + (best.abs() + 20.0) * 1e-5, "{total} > {best}");
        }

        #[test]
        fn any_number_of_terms_covers_and_no_coefficient_is_below_its_least(
            points in prop::collection::vec((prop::collection::vec(0.0..1000.0, 3), 100.0..1e8), 1..40),
            least in 0.0..1e6,
        ) {
            let points: Vec<_> = points
                .into_iter()
                .map(|(terms, bound)| ([1.0].into_iter().chain(terms).collect::<Vec<f64>>(), bound))
                .collect();
            let solved = solve(&points, &[least, 0.0, 0.0, 0.0]);
            prop_assert!(solved[0] >= least * (1.0 - 1e-9) && solved[1..].iter().all(|value| *value >= 0.0), "{solved:?}");
            for (columns, bound) in &points {
                prop_assert!(charge(columns, &solved) >= *bound);
            }
        }

        #[test]
        fn what_is_begun_with_does_not_change_what_is_found(
            points in prop::collection::vec((1u32..1025, 100.0..1e6), 2..20), begin in prop::collection::btree_set(0usize..20, 0..6)
        ) {
            let bounds: Vec<f64> = points.iter().map(|point| point.1).collect();
            let rows = points.iter().map(|point| vec![1.0, f64::from(point.0)]).enumerate().collect();
            let programme = Programme::new(rows);
            let total = |begin: &BTreeSet<usize>| {
                let found = programme.solve(&bounds, &[0.0, 0.0], begin).coefficients;
                points.iter().map(|(x, u)| (found[0] + found[1] * f64::from(*x)) / u).sum::<f64>()
            };
            let (one, other) = (total(&BTreeSet::new()), total(&begin));
            prop_assert!((one / other - 1.0).abs() < 1e-6, "{one} {other}");
        }
    }

    #[test]
    fn noise_of_the_largest_points_makes_no_free_call() {
        let points = [(1.0, 68.0), (17.0, 480.0), (1024.0, 80_000.0)];
        assert!(line(&points, 0.0).0 < 1.0, "the fault that this guards against");
        let (base, slope) = line(&points, 20.0);
        assert!((base - 20.0).abs() < 1e-6 && slope < 80_000.0 / 1024.0);
    }

    #[test]
    fn recovers_exact_costs_of_several_terms() {
        let points: Vec<_> = [1.0, 2.0, 17.0, 128.0, 1024.0]
            .into_iter()
            .flat_map(|pages: f64| [0.0, pages / 2.0].map(|data| vec![1.0, pages, data]))
            .map(|columns| (columns.clone(), 40_000.0 + 28_000.0 * columns[1] + 7_000.0 * columns[2]))
            .collect();
        let solved = solve(&points, &[0.0; 3]);
        for (found, truth) in solved.iter().zip([40_000.0, 28_000.0, 7_000.0]) {
            assert!((found / truth - 1.0).abs() < 1e-6, "{solved:?}");
        }
    }

    #[test]
    fn convex_costs_keep_a_base_and_are_covered_at_both_ends() {
        let points = [(1.0, 68.0), (17.0, 480.0), (1024.0, 33_000.0)];
        let (base, slope) = line(&points, 0.0);
        assert!((base + slope - 68.0).abs() < 1e-6 && base > 0.0);
        assert!((base + 1024.0 * slope - 33_000.0).abs() < 1e-3);
    }

    /// Entries of 1e-9, as times in nanoseconds give them, are taken for 0 by solvers unless rows and columns are scaled.
    #[test]
    fn costs_of_seconds_in_nanoseconds_are_covered() {
        let (base, slope) = line(&[(1.0, 6.8e10), (1024.0, 3.3e13)], 0.0);
        assert!((base + slope) / 6.8e10 - 1.0 < 1e-6 && (base + 1024.0 * slope) / 3.3e13 - 1.0 < 1e-6);
    }
}
