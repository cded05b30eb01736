//! Student's t and Fisher's F distribution.

/// Two-sided p-value of a t statistic.
pub(crate) fn t_p_value(t: f64, freedom: f64) -> f64 {
    incomplete_beta(freedom / 2.0, 0.5, freedom / (freedom + t * t))
}

/// Upper-tail p-value of an F statistic.
pub(crate) fn f_p_value(f: f64, numerator: f64, denominator: f64) -> f64 {
    incomplete_beta(denominator / 2.0, numerator / 2.0, denominator / (denominator + numerator * f))
}

/// The t value that a share `confidence` of the distribution does not exceed in magnitude, by bisection.
pub(crate) fn t_quantile(confidence: f64, freedom: f64) -> f64 {
    let (mut low, mut high) = (0.0, 1.0);
    while t_p_value(high, freedom) > 1.0 - confidence {
        high *= 2.0;
    }
    for _ in 0..100 {
        let middle = f64::midpoint(low, high);
        if t_p_value(middle, freedom) > 1.0 - confidence { low = middle } else { high = middle }
    }
    f64::midpoint(low, high)
}

/// The mean of values with the half-width of its interval; `None` below two.
#[expect(clippy::cast_precision_loss, reason = "a count of processes")]
pub(crate) fn mean_of(values: &[f64], confidence: f64) -> Option<(f64, f64)> {
    let n = values.len() as f64;
    let mean = values.iter().sum::<f64>() / n;
    let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
    let half_width = || (squares / (n - 1.0) / n).sqrt() * t_quantile(confidence, n - 1.0);
    (values.len() > 1).then(|| (mean, half_width()))
}

/// Regularized incomplete beta function by Lentz's continued fraction (Press et al., *Numerical Recipes*, 6.4).
#[expect(clippy::many_single_char_names, reason = "the names of the source")]
fn incomplete_beta(a: f64, b: f64, x: f64) -> f64 {
    if x <= 0.0 {
        return 0.0;
    }
    if x >= 1.0 {
        return 1.0;
    }
    if x > (a + 1.0) / (a + b + 2.0) {
        return 1.0 - incomplete_beta(b, a, 1.0 - x);
    }
    let front = (ln_gamma(a + b) - ln_gamma(a) - ln_gamma(b) + a * x.ln() + b * (-x).ln_1p()).exp() / a;
    let guard = |value: f64| if value.abs() < 1e-300 { 1e-300 } else { value };
    let mut d = 1.0 / guard(1.0 - (a + b) * x / (a + 1.0));
    let (mut c, mut fraction) = (1.0, d);
    for step in 1..10_000 {
        let m = f64::from(step);
        let even = m * (b - m) * x / ((a + 2.0 * m - 1.0) * (a + 2.0 * m));
        let odd = -(a + m) * (a + b + m) * x / ((a + 2.0 * m) * (a + 2.0 * m + 1.0));
        let before = fraction;
        for term in [even, odd] {
            d = 1.0 / guard(1.0 + term * d);
            c = guard(1.0 + term / c);
            fraction *= d * c;
        }
        if ((fraction - before) / fraction).abs() < 1e-14 {
            break;
        }
    }
    front * fraction
}

/// Logarithm of the gamma function for positive arguments: Stirling's series after shifting above 10.
fn ln_gamma(x: f64) -> f64 {
    let (mut x, mut shift) = (x, 0.0);
    while x < 10.0 {
        shift += x.ln();
        x += 1.0;
    }
    let square = x * x;
    let series = (1.0 / 12.0 - (1.0 / 360.0 - (1.0 / 1260.0 - 1.0 / 1680.0 / square) / square) / square) / x;
    (x - 0.5) * x.ln() - x + std::f64::consts::TAU.ln() / 2.0 + series - shift
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_agree_with_tables() {
        for (freedom, expected) in [(1.0, 12.706), (2.0, 4.303), (6.0, 2.447), (30.0, 2.042), (1e6, 1.960)] {
            assert!((t_quantile(0.95, freedom) - expected).abs() < 6e-4, "{freedom}");
        }
    }

    #[test]
    fn p_values_agree_with_tables() {
        assert!((f_p_value(2.866, 4.0, 20.0) - 0.05).abs() < 1e-4);
        assert!((f_p_value(1.0, 10.0, 10.0) - 0.5).abs() < 1e-9);
        assert!((t_p_value(0.0, 5.0) - 1.0).abs() < 1e-12);
    }
}
