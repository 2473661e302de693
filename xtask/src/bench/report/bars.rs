//! Bars of what is compared: one a side, below each other.

use plotters::prelude::*;

use super::super::figure::Figure;
use super::super::judge::value;
use super::super::stats::range;
use super::canvas::{WIDTH, colour, scale, text, tick};

/// How high a bar and the room around it is.
const STEP: u32 = 34;

/// Room for the title and the axis.
const AROUND: u32 = 96;

/// Room for names, a letter of them at the size in which they are written.
const LETTER: u32 = 8;

/// A bar for each side of every figure that compares, and is not a point of a curve.
pub(super) fn of(figures: &[Figure]) -> Vec<(String, Result<String, String>)> {
    let compared = figures
        .iter()
        .filter(|figure| figure.plot.is_none() && figure.sides.len() > 1);
    let drawn = compared.map(|figure| {
        let svg = draw(figure).map_err(|error| error.to_string());
        (figure.what.clone(), svg)
    });
    drawn.collect()
}

fn draw(figure: &Figure) -> Result<String, Box<dyn std::error::Error>> {
    let count = u32::try_from(figure.sides.len())?;
    let last = count.saturating_sub(1);
    let all = figure.sides.iter().flat_map(|side| &side.rounds);
    let (low, high) = range(all.map(|round| round.value)).ok_or("it has no rounds")?;
    let (size, unit) = scale(figure.unit, high);
    let end = match high {
        // Room for the number behind the longest bar.
        it if it > 0.0 => it * 1.18,
        _ => 1.0,
    };
    let longest = figure
        .sides
        .iter()
        .map(|side| side.name.chars().count())
        .max();
    let names = LETTER * u32::try_from(longest.unwrap_or(0))? + 16;
    let mut svg = String::new();
    {
        let area = SVGBackend::with_string(&mut svg, (WIDTH, AROUND + STEP * count));
        let area = area.into_drawing_area();
        area.fill(&WHITE)?;
        let mut plane = ChartBuilder::on(&area)
            .caption(&figure.what, text(17))
            .margin(12)
            .x_label_area_size(42)
            .y_label_area_size(names)
            .build_cartesian_2d(low.min(0.0) / size..end / size, (0..last).into_segmented())?;
        let name = |place: &SegmentValue<u32>| match place {
            SegmentValue::CenterOf(place) => {
                // The first is on top.
                let side = count
                    .checked_sub(place + 1)
                    .and_then(|place| figure.sides.get(place as usize));
                side.map_or(String::new(), |side| side.name.clone())
            }
            _ => String::new(),
        };
        plane
            .configure_mesh()
            .disable_y_mesh()
            .light_line_style(WHITE)
            .bold_line_style(RGBColor(225, 225, 225))
            .x_desc(unit)
            .y_labels(count as usize)
            .axis_desc_style(text(14))
            .label_style(text(13))
            .x_label_formatter(&|value| tick(*value))
            .y_label_formatter(&name)
            .draw()?;
        for (place, side) in figure.sides.iter().enumerate() {
            let (Some(middle), Some((low, high))) = (
                value(side),
                range(side.rounds.iter().map(|round| round.value)),
            ) else {
                continue;
            };
            let at = last - u32::try_from(place)?;
            let above = |at| match at == last {
                true => SegmentValue::Last,
                false => SegmentValue::Exact(at + 1),
            };
            let corners = [(0.0, SegmentValue::Exact(at)), (middle / size, above(at))];
            let mut bar = Rectangle::new(corners, colour(place).filled());
            bar.set_margin(6, 6, 0, 0);
            plane.draw_series([bar])?;
            let ends = [low, high].map(|end| (end / size, SegmentValue::CenterOf(at)));
            plane.draw_series([PathElement::new(ends, BLACK.stroke_width(1))])?;
            let number = EmptyElement::at((high / size, SegmentValue::CenterOf(at)))
                + Text::new(figure.unit.show(middle), (6, -7), text(13));
            plane.draw_series([number])?;
        }
        area.present()?;
    }
    svg.push('\n');
    Ok(svg)
}

#[cfg(test)]
mod tests {
    use super::super::super::figure::{Sample, Side};
    use super::super::super::unit::Unit;
    use super::*;

    fn figure(sides: &[(&str, f64)]) -> Figure {
        let sides = sides.iter().map(|(name, value)| Side {
            name: (*name).to_owned(),
            rounds: vec![Sample::of(*value), Sample::of(value * 1.1)],
        });
        Figure::new("a decision", Unit::Nanoseconds, sides.collect())
    }

    #[test]
    fn each_side_has_a_bar_with_its_name_and_number() {
        let charts = of(&[figure(&[("usher", 2e3), ("rhai", 22e3)])]);
        assert_eq!(charts.len(), 1);
        let svg = charts[0].1.as_ref().unwrap();
        for text in ["usher", "rhai", "2.10 µs", "23.1 µs", "a decision"] {
            assert!(svg.contains(text), "{text} is not in {svg}");
        }
        assert_eq!(of(&[figure(&[("usher", 2e3), ("rhai", 22e3)])]), charts);
    }

    #[test]
    fn what_stands_alone_or_is_part_of_a_curve_has_no_bars() {
        let alone = figure(&[("usher", 1.0)]);
        let curved = figure(&[("usher", 1.0), ("floor", 1.0)]).plotted("c", "n", 1.0);
        assert!(of(&[alone, curved]).is_empty());
        assert!(
            of(&[figure(&[("usher", 0.0), ("floor", 0.0)])])[0]
                .1
                .is_ok()
        );
    }
}
