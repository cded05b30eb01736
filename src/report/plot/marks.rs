//! The forms by which series are told apart without colour.

use super::ink::Ink;

/// Corners of the form of a series around a place, `radius` units wide to each side.
pub(super) fn corners(ink: Ink, (x, y): (i32, i32), radius: i32) -> Vec<(i32, i32)> {
    let half = radius * 5 / 8;
    let shifts: &[(i32, i32)] = match ink {
        // A disc, near enough.
        Ink::Series(0) => &[
            (0, -radius),
            (half, -half),
            (radius, 0),
            (half, half),
            (0, radius),
            (-half, half),
            (-radius, 0),
            (-half, -half),
        ],
        Ink::Series(1) => &[(-half, -half), (half, -half), (half, half), (-half, half)],
        Ink::Series(2) => &[(0, -radius), (radius, half), (-radius, half)],
        Ink::Series(3) => &[(0, -radius), (radius, 0), (0, radius), (-radius, 0)],
        Ink::Series(4) => &[(0, radius), (radius, -half), (-radius, -half)],
        Ink::Series(5) => &[(-radius, -4), (radius, -4), (radius, 4), (-radius, 4)],
        Ink::Series(6) => &[(-4, -radius), (4, -radius), (4, radius), (-4, radius)],
        _ => &[(0, 0), (radius, -radius), (radius, radius), (0, 0), (-radius, radius), (-radius, -radius)],
    };
    shifts.iter().map(|(dx, dy)| (x + dx, y + dy)).collect()
}
