//! What some rounds come to together.

/// The middle one; between the two middle ones of an even number. `None` of nothing.
pub(crate) fn median(values: impl IntoIterator<Item = f64>) -> Option<f64> {
    let sorted = sorted(values);
    let upper = *sorted.get(sorted.len() / 2)?;
    match sorted.len() % 2 {
        1 => Some(upper),
        // The length is even and not 0, so there is one before the middle.
        _ => Some(f64::midpoint(sorted[sorted.len() / 2 - 1], upper)),
    }
}

/// The smallest and the largest. `None` of nothing.
pub(crate) fn range(values: impl IntoIterator<Item = f64>) -> Option<(f64, f64)> {
    let sorted = sorted(values);
    Some((*sorted.first()?, *sorted.last()?))
}

fn sorted(values: impl IntoIterator<Item = f64>) -> Vec<f64> {
    let mut values: Vec<_> = values.into_iter().collect();
    values.sort_by(f64::total_cmp);
    values
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_median_is_the_middle_one_or_between_two() {
        assert_eq!(median([3.0, 1.0, 2.0]), Some(2.0));
        assert_eq!(median([4.0, 1.0, 2.0, 3.0]), Some(2.5));
        assert_eq!(median([7.0]), Some(7.0));
        assert_eq!(median([]), None);
    }

    #[test]
    fn the_range_is_from_the_smallest_to_the_largest() {
        assert_eq!(range([3.0, -1.0, 2.0]), Some((-1.0, 3.0)));
        assert_eq!(range([]), None);
    }
}
