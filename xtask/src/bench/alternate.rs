//! Sides take turns, so that what the machine does meanwhile meets all of them.

use super::figure::{Sample, Side};
use crate::process::Outcome;

/// One of those that are compared: how it is measured once. It gives a sample for each figure of the row, in
/// the same order each time.
pub(crate) struct Contender<'a> {
    pub(crate) name: String,
    pub(crate) once: Box<dyn FnMut(usize) -> Outcome<Vec<Sample>> + 'a>,
}

impl<'a> Contender<'a> {
    /// The closure is told the number of the round, from 0.
    pub(crate) fn new(
        name: impl Into<String>,
        once: impl FnMut(usize) -> Outcome<Vec<Sample>> + 'a,
    ) -> Contender<'a> {
        Contender {
            name: name.into(),
            once: Box::new(once),
        }
    }
}

/// Measures each in turn, as often as there are rounds; who went first goes last in the next round. Returns the
/// sides of the first figure, of the second, and so on.
pub(crate) fn alternate(
    rounds: usize,
    contenders: &mut [Contender<'_>],
) -> Outcome<Vec<Vec<Side>>> {
    let mut figures: Vec<Vec<Side>> = Vec::new();
    for round in 0..rounds {
        for turn in 0..contenders.len() {
            let place = match round % 2 {
                0 => turn,
                _ => contenders.len() - 1 - turn,
            };
            let name = contenders[place].name.clone();
            println!("  round {} of {rounds}: {name}", round + 1);
            let samples = (contenders[place].once)(round)?;
            if figures.is_empty() {
                let sides = contenders.iter().map(|it| Side {
                    name: it.name.clone(),
                    rounds: Vec::new(),
                });
                figures = vec![sides.collect(); samples.len()];
            }
            if samples.len() != figures.len() {
                return Err(format!(
                    "{name} came to {} figures where others came to {}",
                    samples.len(),
                    figures.len()
                ));
            }
            for (figure, sample) in figures.iter_mut().zip(samples) {
                figure[place].rounds.push(sample);
            }
        }
    }
    Ok(figures)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::RefCell;

    #[test]
    fn who_went_first_goes_last_in_the_next_round() {
        let order = RefCell::new(String::new());
        let contender = |name: &'static str, value: f64| {
            let order = &order;
            Contender::new(name, move |round| {
                order.borrow_mut().push_str(name);
                Ok(vec![Sample::of(value + round as f64), Sample::of(-value)])
            })
        };
        let mut both = [contender("a", 10.0), contender("b", 20.0)];
        let figures = alternate(3, &mut both).unwrap();
        assert_eq!(*order.borrow(), "abbaab");
        assert_eq!(figures.len(), 2);
        let values = |side: &Side| side.rounds.iter().map(|it| it.value).collect::<Vec<_>>();
        assert_eq!(figures[0][0].name, "a");
        assert_eq!(values(&figures[0][0]), [10.0, 11.0, 12.0]);
        assert_eq!(values(&figures[0][1]), [20.0, 21.0, 22.0]);
        assert_eq!(values(&figures[1][1]), [-20.0; 3]);
    }

    #[test]
    fn a_side_that_comes_to_other_figures_is_an_error() {
        let mut both = [
            Contender::new("a", |_| Ok(vec![Sample::of(1.0)])),
            Contender::new("b", |_| Ok(Vec::new())),
        ];
        assert!(alternate(1, &mut both).unwrap_err().contains("b came to 0"));
    }
}
