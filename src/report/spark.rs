//! Small pictures in characters.

/// A bar of `width` characters at a share of 1, in eighths of a character; anything above 0 shows.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a share from 0 to 1 of a small width")]
pub(super) fn bar(share: f64, width: usize) -> String {
    const EIGHTHS: [&str; 8] = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"];
    if !share.is_finite() || share <= 0.0 {
        return String::new();
    }
    #[expect(clippy::cast_precision_loss, reason = "a width in characters")]
    let eighths = ((share.min(1.0) * width as f64 * 8.0).round() as usize).max(1);
    "█".repeat(eighths / 8) + EIGHTHS[eighths % 8]
}

/// Characters of a sparkline, which leave room beside it in 80 columns.
const MOST: usize = 32;

/// A character for each value, its height between the least and the greatest, or of more values for the mean of as many that follow each other.
/// Values within 1 % of each other are level.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a share from 0 to 1 of seven steps")]
pub(super) fn sparkline(values: &[f64]) -> String {
    const STEPS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];
    #[expect(clippy::cast_precision_loss, reason = "a count of values")]
    let mean = |values: &[f64]| values.iter().sum::<f64>() / values.len() as f64;
    let values: Vec<f64> = values.chunks(values.len().div_ceil(MOST).max(1)).map(mean).collect();
    let (low, high) =
        values.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), v| (low.min(*v), high.max(*v)));
    let level = |value: &f64| {
        if high - low <= high.abs() * 0.01 {
            return STEPS[3];
        }
        STEPS[(((value - low) / (high - low)).clamp(0.0, 1.0) * 7.0).round() as usize]
    };
    values.iter().map(level).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bars_grow_by_eighths_and_what_is_there_shows() {
        assert_eq!([bar(1.0, 4), bar(0.5, 4), bar(0.28, 4), bar(1e-9, 4), bar(0.0, 4)], ["████", "██", "█▏", "▏", ""]);
        assert_eq!([bar(f64::NAN, 4), bar(2.0, 2)], ["", "██"]);
    }

    #[test]
    fn a_sparkline_has_a_character_for_each_value() {
        assert_eq!(sparkline(&[1.0, 2.0, 3.0]), "▁▅█");
        assert_eq!(sparkline(&[5.0, 5.001]), "▄▄");
        assert_eq!(sparkline(&[]), "");
        let many: Vec<f64> = (0..128).map(f64::from).collect();
        assert_eq!(sparkline(&many).chars().count(), 32, "a night has more processes than a line has room");
        assert!(sparkline(&many).starts_with('▁') && sparkline(&many).ends_with('█'));
    }
}
