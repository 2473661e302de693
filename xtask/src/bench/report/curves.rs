//! Curves of what was measured along something: sockets, sessions, players.

use plotters::coord::ranged1d::{AsRangedCoord, ValueFormatter};
use plotters::prelude::*;

use super::super::figure::Figure;
use super::super::judge::value;
use super::super::stats::range;
use super::super::unit::Unit;
use super::canvas::{WIDTH, colour, scale, text, tick};

/// How high a chart is.
const HEIGHT: u32 = 340;

/// Where the parameter grows by more than this, it grows by powers.
const FAR: f64 = 20.0;

/// One point: where, the median, the smallest and the largest.
type Point = (f64, f64, f64, f64);

/// A chart before it is drawn.
struct Chart<'a> {
    title: &'a str,
    along: &'a str,
    unit: Unit,
    /// One a side, each with its points from left to right.
    curves: Vec<(&'a str, Vec<Point>)>,
}

/// Every chart that the figures name, drawn, with its title.
pub(super) fn of(figures: &[Figure]) -> Vec<(String, Result<String, String>)> {
    let mut charts: Vec<Chart<'_>> = Vec::new();
    for figure in figures {
        let Some(plot) = &figure.plot else { continue };
        let place = charts.iter().position(|chart| chart.title == plot.chart);
        let place = place.unwrap_or_else(|| {
            charts.push(Chart {
                title: &plot.chart,
                along: &plot.along,
                unit: figure.unit,
                curves: Vec::new(),
            });
            charts.len() - 1
        });
        for side in &figure.sides {
            let low_high = range(side.rounds.iter().map(|round| round.value));
            let (Some(middle), Some((low, high))) = (value(side), low_high) else {
                continue;
            };
            let curves = &mut charts[place].curves;
            let at = curves.iter().position(|(name, _)| *name == side.name);
            let at = at.unwrap_or_else(|| {
                curves.push((&side.name, Vec::new()));
                curves.len() - 1
            });
            curves[at].1.push((plot.at, middle, low, high));
        }
    }
    for chart in &mut charts {
        for (_, points) in &mut chart.curves {
            points.sort_by(|a, b| a.0.total_cmp(&b.0));
        }
    }
    let drawn = charts
        .iter()
        .map(|chart| (chart.title.to_owned(), draw(chart)));
    drawn.collect()
}

fn draw(chart: &Chart<'_>) -> Result<String, String> {
    let points = || chart.curves.iter().flat_map(|(_, points)| points);
    let (left, right) = range(points().map(|point| point.0)).ok_or("it has no points")?;
    let (low, high) =
        range(points().flat_map(|point| [point.2, point.3])).ok_or("it has no points")?;
    let (size, unit) = scale(chart.unit, high);
    // Room for the names above the highest curve.
    let top = match high {
        it if it > 0.0 => it * (1.12 + 0.08 * chart.curves.len() as f64),
        _ => 1.0,
    };
    // Where it grows by powers, numbers stand where something was measured.
    let mut marks: Vec<_> = points().map(|point| point.0).collect();
    marks.sort_by(f64::total_cmp);
    marks.dedup();
    let vertical = low.min(0.0) / size..top / size;
    let mut svg = String::new();
    let drawn = match left > 0.0 && right / left > FAR {
        true => {
            let margin = (right / left).powf(0.03);
            let along = (left / margin..right * margin).log_scale();
            let along = along.with_key_points(marks);
            fill(&mut svg, chart, along, vertical, (size, unit))
        }
        false => {
            let margin = (right - left).max(1.0) * 0.03;
            fill(
                &mut svg,
                chart,
                left - margin..right + margin,
                vertical,
                (size, unit),
            )
        }
    };
    drawn.map_err(|error| error.to_string())?;
    svg.push('\n');
    Ok(svg)
}

fn fill<X>(
    svg: &mut String,
    chart: &Chart<'_>,
    along: X,
    vertical: std::ops::Range<f64>,
    (size, unit): (f64, &str),
) -> Result<(), Box<dyn std::error::Error>>
where
    X: AsRangedCoord<Value = f64>,
    X::CoordDescType: ValueFormatter<f64>,
{
    let area = SVGBackend::with_string(svg, (WIDTH, HEIGHT)).into_drawing_area();
    area.fill(&WHITE)?;
    let mut plane = ChartBuilder::on(&area)
        .caption(chart.title, text(17))
        .margin(12)
        .x_label_area_size(42)
        .y_label_area_size(62)
        .build_cartesian_2d(along, vertical)?;
    plane
        .configure_mesh()
        .light_line_style(WHITE)
        .bold_line_style(RGBColor(225, 225, 225))
        .x_desc(chart.along)
        .y_desc(unit)
        .axis_desc_style(text(14))
        .label_style(text(13))
        .x_label_formatter(&|value| tick(*value))
        .y_label_formatter(&|value| tick(*value))
        .draw()?;
    for (place, (name, points)) in chart.curves.iter().enumerate() {
        let colour = colour(place);
        let middle = points.iter().map(|point| (point.0, point.1 / size));
        plane
            .draw_series(LineSeries::new(middle.clone(), colour.stroke_width(2)))?
            .label(*name)
            .legend(move |(x, y)| PathElement::new([(x, y), (x + 18, y)], colour.stroke_width(2)));
        plane.draw_series(middle.map(|at| Circle::new(at, 3, colour.filled())))?;
        // From the smallest round to the largest.
        plane.draw_series(points.iter().map(|point| {
            let ends = [(point.0, point.2 / size), (point.0, point.3 / size)];
            PathElement::new(ends, colour.stroke_width(1))
        }))?;
    }
    plane
        .configure_series_labels()
        .position(SeriesLabelPosition::UpperLeft)
        .background_style(WHITE.mix(0.8))
        .label_font(text(13))
        .draw()?;
    area.present()?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::super::super::figure::{Sample, Side};
    use super::*;

    fn figure(at: f64, ours: &[f64], floor: &[f64]) -> Figure {
        let side = |name: &str, values: &[f64]| Side {
            name: name.to_owned(),
            rounds: values.iter().copied().map(Sample::of).collect(),
        };
        let sides = vec![side("usher", ours), side("floor", floor)];
        Figure::new("lives", Unit::PerSecond, sides).plotted("lives a second", "sockets", at)
    }

    #[test]
    fn figures_of_one_chart_are_points_of_curves_and_drawn_alike_each_time() {
        let figures = [
            figure(2000.0, &[9e3, 8e3], &[2e4, 2e4]),
            figure(256.0, &[1e4, 1.1e4], &[2e4, 2e4]),
            figure(1e4, &[7e3, 7e3], &[2e4, 2e4]),
        ];
        let charts = of(&figures);
        assert_eq!(charts.len(), 1);
        let (title, svg) = &charts[0];
        let svg = svg.as_ref().unwrap();
        assert_eq!(title, "lives a second");
        assert_eq!(svg.matches("<circle").count(), 6);
        assert!(svg.contains("usher") && svg.contains("floor") && svg.contains("sockets"));
        assert_eq!(of(&figures), charts);
    }

    #[test]
    fn figures_without_a_chart_are_none_and_one_point_is_enough() {
        let mut alone = figure(1.0, &[0.0], &[0.0]);
        assert!(of(&[alone.clone()])[0].1.is_ok());
        alone.plot = None;
        assert!(of(&[alone]).is_empty());
    }
}
