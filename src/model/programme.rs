//! The linear programme behind the covering charge.

/// What must be covered: a row of columns for each point, and the index of its bound.
///
/// The first column is the base, which is 1 everywhere.
#[derive(Debug, Clone)]
pub(crate) struct Programme {
    rows: Vec<(usize, Vec<f64>)>,
}

/// How far below a bound, relatively, a charge may be while the programme is solved: rounding, which is made up for at the end.
const TOLERANCE: f64 = 1e-10;

/// The part of the largest share among ties that is large enough to divide by.
const LARGE: f64 = 0.1;

/// More exchanges than this are going round in circles.
const MOST_EXCHANGES: usize = 1000;

impl Programme {
    pub(crate) fn new(rows: Vec<(usize, Vec<f64>)>) -> Self {
        Self { rows }
    }

    /// The coefficients with the least total relative overcharge `Σ(charge/bound − 1)` subject to `charge ≥ bound` at every row and
    /// coefficients at or above `least`.
    ///
    /// Rows are divided by their bounds and columns by their largest entries, so that nanoseconds and seconds weigh alike. Then the
    /// dual simplex method (Lemke, *The dual method of solving the linear programming problem*, 1954) begins at the least
    /// coefficients, where every price of a constraint is at or above 0, and takes in the row that is missed most until none is. A fit
    /// asks for some hundred thousand such programmes of dozens of rows and two or three columns, each of which takes a few
    /// exchanges; a general solver takes ten times as long to set one up.
    ///
    /// `None` if a row is still missed when no exchange brings it in, or after [`MOST_EXCHANGES`]: raising the base alone would cover
    /// it, at a charge that is not the least.
    pub(crate) fn solve(&self, bounds: &[f64], least: &[f64]) -> Option<Vec<f64>> {
        let columns = least.len();
        // What costs nothing is covered by any charge.
        let demanding = self.rows.iter().filter(|(bound, _)| bounds[*bound] > 0.0);
        let mut scaled: Vec<f64> =
            demanding.flat_map(|(bound, row)| row.iter().map(|column| column / bounds[*bound])).collect();
        let mut units = vec![0.0_f64; columns];
        for row in scaled.chunks_exact(columns) {
            units.iter_mut().zip(row).for_each(|(unit, share)| *unit = unit.max(*share));
        }
        units.iter_mut().filter(|unit| **unit <= 0.0).for_each(|unit| *unit = 1.0);
        for row in scaled.chunks_exact_mut(columns) {
            row.iter_mut().zip(&units).for_each(|(share, unit)| *share /= unit);
        }
        let least: Vec<f64> = least.iter().zip(&units).map(|(least, unit)| least * unit).collect();
        let solved = Corner::at(&least, &scaled).moved(&least, &scaled)?;
        Some(self.raised(solved.iter().zip(&units).map(|(value, unit)| value / unit).collect(), bounds))
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

/// A corner of what is allowed so far: as many constraints as there are columns hold with equality there.
struct Corner {
    /// The inverse of the matrix whose rows are those constraints, by columns.
    inverse: Vec<Vec<f64>>,
    /// What each of them asks for.
    asked: Vec<f64>,
    /// What the total overcharge would fall by if one asked for one less: never below 0.
    prices: Vec<f64>,
}

impl Corner {
    /// Where every coefficient is the least. A coefficient that is raised raises the overcharge at every row that has its column.
    fn at(least: &[f64], rows: &[f64]) -> Self {
        let columns = least.len();
        let unit = |column| (0..columns).map(|at| if at == column { 1.0 } else { 0.0 }).collect();
        let mut prices = vec![0.0; columns];
        for row in rows.chunks_exact(columns) {
            prices.iter_mut().zip(row).for_each(|(price, share)| *price += share);
        }
        Self { inverse: (0..columns).map(unit).collect(), asked: least.to_vec(), prices }
    }

    /// The coefficients at the corner that covers all rows; `None` if the way there is not found.
    fn moved(mut self, least: &[f64], rows: &[f64]) -> Option<Vec<f64>> {
        let columns = least.len();
        for _ in 0..MOST_EXCHANGES {
            let values = self.values();
            let charged = |row: &[f64]| row.iter().zip(&values).map(|(share, value)| share * value).sum::<f64>();
            let missed = rows.chunks_exact(columns).map(|row| 1.0 - charged(row));
            let (row, missing) =
                missed.enumerate().fold((0, 0.0), |most, here| if here.1 > most.1 { here } else { most });
            let below = least.iter().zip(&values).map(|(least, value)| least - value);
            let (column, lacking) =
                below.enumerate().fold((0, 0.0), |most, here| if here.1 > most.1 { here } else { most });
            if missing > lacking.max(TOLERANCE) {
                self.exchange(&rows[row * columns..(row + 1) * columns], 1.0)?;
            } else if lacking > TOLERANCE {
                let unit: Vec<f64> = (0..columns).map(|at| if at == column { 1.0 } else { 0.0 }).collect();
                self.exchange(&unit, least[column])?;
            } else {
                return Some(values.into_iter().zip(least).map(|(value, least)| value.max(*least)).collect());
            }
        }
        None
    }

    fn values(&self) -> Vec<f64> {
        let mut values = vec![0.0; self.asked.len()];
        for (column, asked) in self.inverse.iter().zip(&self.asked) {
            values.iter_mut().zip(column).for_each(|(value, share)| *value += share * asked);
        }
        values
    }

    /// Takes a constraint in, for one whose price falls to 0 first. `None` if none does.
    fn exchange(&mut self, row: &[f64], asked: f64) -> Option<()> {
        let shares: Vec<f64> = self
            .inverse
            .iter()
            .map(|column| column.iter().zip(row).map(|(inverse, share)| inverse * share).sum())
            .collect();
        // Of those that fall to 0 first but for rounding, the first with a large share: dividing by a small one is what makes the
        // inverse imprecise, and ties go round in circles (Harris, *Pivot selection methods of the Devex LP code*, 1973). That it is
        // the first says which of two terms is priced where either would do.
        let falling = || (0..shares.len()).filter(|&at| shares[at] > TOLERANCE);
        let soonest = falling().map(|at| (self.prices[at].max(0.0) + TOLERANCE) / shares[at]).min_by(f64::total_cmp)?;
        let tied = || falling().filter(|&at| self.prices[at] / shares[at] <= soonest);
        let largest = tied().map(|at| shares[at]).fold(0.0, f64::max);
        let leaves = tied().find(|&at| shares[at] >= largest * LARGE)?;
        self.prices[leaves] /= shares[leaves];
        self.asked[leaves] = asked;
        let entered: Vec<f64> = self.inverse[leaves].iter().map(|value| value / shares[leaves]).collect();
        for at in (0..shares.len()).filter(|&at| at != leaves) {
            self.prices[at] -= shares[at] * self.prices[leaves];
            self.inverse[at].iter_mut().zip(&entered).for_each(|(value, entered)| *value -= shares[at] * entered);
        }
        self.inverse[leaves] = entered;
        Some(())
    }
}

#[cfg(test)]
mod tests {
    use microlp::{ComparisonOp, OptimizationDirection, Problem};
    use proptest::prelude::*;

    use super::*;

    fn solve(points: &[(Vec<f64>, f64)], least: &[f64]) -> Vec<f64> {
        let bounds: Vec<f64> = points.iter().map(|(_, bound)| *bound).collect();
        let rows = points.iter().map(|(columns, _)| columns.clone()).enumerate().collect();
        Programme::new(rows).solve(&bounds, least).expect("solved")
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
        fn a_general_solver_finds_nothing_cheaper(
            points in prop::collection::vec((prop::collection::vec(0.0..1000.0, 2), 100.0..1e8), 1..40),
            least in 0.0..1e5,
        ) {
            is_cheapest(points, &[least, 0.0, 0.0])?;
        }

        /// As many as a load is charged for. A module has few of most things and nothing of many, and modules that vary one thing alone tie.
        #[test]
        fn a_general_solver_finds_nothing_cheaper_by_ten_terms(
            points in prop::collection::vec((prop::collection::vec(prop_oneof![Just(0.0), 1.0..8.0, 0.0..4000.0], 10), 4e4..4e6), 1..60),
        ) {
            is_cheapest(points, &[0.0; 11])?;
        }
    }

    fn is_cheapest(points: Vec<(Vec<f64>, f64)>, least: &[f64]) -> Result<(), TestCaseError> {
        let points: Vec<(Vec<f64>, f64)> =
            points.into_iter().map(|(terms, bound)| ([1.0].into_iter().chain(terms).collect(), bound)).collect();
        let total = |solved: &[f64]| points.iter().map(|(columns, bound)| charge(columns, solved) / bound).sum::<f64>();
        let (found, general) = (total(&solve(&points, least)), total(&by_microlp(&points, least)));
        prop_assert!(found <= general * (1.0 + 1e-6), "{found} {general}");
        Ok(())
    }

    /// Three modules by seven terms, where prices tie at 0 but for rounding: one was divided by a share of 1e-10, and no exchange was left.
    #[test]
    fn fewer_points_than_terms_are_solved() {
        let points = [
            (vec![1.0, 1.0, 3_447.039_909_133_314, 0.0, 57.0, 3_075.005_761_469_057, 0.0], 2_975_371.351_253_115),
            (vec![1.0, 3212.8, 5.401_164_758_531_429, 0.0, 0.0, 1.0, 1695.0], 1_915_858.890_484_409_4),
            (vec![1.0, 0.0, 4.987_953_012_652_598, 1.0, 0.0, 2215.7, 0.0], 2_995_601.590_265_159),
        ];
        let solved = solve(&points, &[0.0; 7]);
        for (columns, bound) in &points {
            assert!((charge(columns, &solved) / bound - 1.0).abs() < 1e-6, "each is met exactly: {solved:?}");
        }
    }

    /// A bound beyond all numbers is one that no charge reaches. The base alone would have been raised to it.
    #[test]
    fn what_no_exchange_brings_in_is_no_charge() {
        let solve =
            |bound: f64| Programme::new(vec![(0, vec![1.0, 1.0]), (1, vec![1.0, 9.0])]).solve(&[5.0, bound], &[0.0; 2]);
        assert!(solve(30.0).is_some());
        assert_eq!(solve(f64::INFINITY), None);
    }

    /// The same programme, every row at once, by a general solver.
    fn by_microlp(points: &[(Vec<f64>, f64)], least: &[f64]) -> Vec<f64> {
        let mut problem = Problem::new(OptimizationDirection::Minimize);
        let weight = |column: usize| points.iter().map(|(columns, bound)| columns[column] / bound).sum();
        let variables: Vec<_> =
            least.iter().enumerate().map(|(at, &least)| problem.add_var(weight(at), (least, f64::INFINITY))).collect();
        for (columns, bound) in points {
            let entries: Vec<_> = variables.iter().copied().zip(columns.iter().copied()).collect();
            problem.add_constraint(&entries[..], ComparisonOp::Ge, *bound);
        }
        let solution = problem.solve().unwrap().into_solution().unwrap();
        variables.iter().map(|&variable| solution.var_value(variable)).collect()
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
