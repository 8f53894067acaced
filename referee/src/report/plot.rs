//! The values of the parameters over the iterations, as an SVG file of its own.

use std::fmt::Write as _;

use super::page::html::html;
use crate::io::text::printable;
use crate::results::tuning::{Parameter, Tuner};

/// The width of the picture, in pixels.
const WIDTH: f64 = 760.0;

/// The height of the panel of one parameter, with its title.
const PANEL: f64 = 170.0;

/// The margin to the left of a plot area, for the numbers of the grid.
const LEFT: f64 = 64.0;

/// The margin to the right of a plot area, for the last value.
const RIGHT: f64 = 88.0;

/// The margin above a plot area, for the name of the parameter.
const ABOVE: f64 = 34.0;

/// The margin below a plot area, for the iterations.
const BELOW: f64 = 28.0;

/// The height of the title of the picture.
const TITLE: f64 = 40.0;

/// The most points of a line; more cannot be seen.
const MAX_POINTS: usize = 700;

/// Colours for light and dark backgrounds, with a contrast of at least 4.5 for text.
const STYLE: &str = "
  text { font: 13px system-ui, sans-serif; fill: #1f2328; }
  .name { font-weight: 600; }
  .small { font-size: 12px; fill: #59636e; }
  .background { fill: #ffffff; }
  .grid { stroke: #d1d9e0; stroke-width: 1; }
  .start { stroke: #59636e; stroke-width: 1.5; stroke-dasharray: 5 4; }
  .line { fill: none; stroke: #0969da; stroke-width: 2; stroke-linejoin: round; }
  .end { fill: #0969da; }
  @media (prefers-color-scheme: dark) {
    text { fill: #f0f6fc; }
    .small { fill: #9198a1; }
    .background { fill: #0d1117; }
    .grid { stroke: #3d444d; }
    .start { stroke: #9198a1; }
    .line { stroke: #4493f8; }
    .end { fill: #4493f8; }
  }
";

/// The picture: a panel for each parameter, with its value over the iterations and a dashed
/// line at its start.
pub fn svg(tuner: &Tuner) -> String {
    let tuning = &tuner.tuning;
    let height = TITLE + PANEL * tuning.parameters.len() as f64;
    let title = format!("Tuning: {} of {} iterations", tuner.done(), tuning.iterations);
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {height}\" width=\"{WIDTH}\" \
         height=\"{height}\" role=\"img\">\n<title>{title}</title>\n<style>{STYLE}</style>\n\
         <rect class=\"background\" width=\"{WIDTH}\" height=\"{height}\"/>\n\
         <text class=\"name\" x=\"16\" y=\"26\">{title}</text>\n\
         <text class=\"small\" x=\"{:.0}\" y=\"26\" text-anchor=\"end\">dashed: start</text>\n",
        WIDTH - 16.0
    );
    for (index, parameter) in tuning.parameters.iter().enumerate() {
        let top = TITLE + PANEL * index as f64;
        panel(&mut svg, tuner, (index, parameter), top);
    }
    svg.push_str("</svg>\n");
    svg
}

/// Adds the panel of a parameter, whose upper edge is at `top`.
fn panel(svg: &mut String, tuner: &Tuner, (index, parameter): (usize, &Parameter), top: f64) {
    let points: Vec<(u64, f64)> = tuner
        .path
        .iter()
        .map(|(k, values)| (*k, values.get(index).copied().unwrap_or_default()))
        .collect();
    let start = parameter.start as f64;
    let mut texts = String::new();
    // At least the perturbation around the start, so that noise does not fill the panel.
    let values = || points.iter().map(|point| point.1);
    let low = values().fold(start - parameter.c_end, f64::min);
    let high = values().fold(start + parameter.c_end, f64::max);
    let step = tick_step(high - low);
    let (low, high) = (libm::floor(low / step) * step, libm::ceil(high / step) * step);
    let (right, bottom) = (WIDTH - RIGHT, top + PANEL - BELOW);
    let x = |k: u64| LEFT + (right - LEFT) * k as f64 / tuner.tuning.iterations.max(1) as f64;
    let y = |value: f64| bottom - (bottom - top - ABOVE) * (value - low) / (high - low);
    let mut text = |class: &str, x: f64, y: f64, anchor: &str, content: &str| {
        let _ = writeln!(
            texts,
            "<text class=\"{class}\" x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"{anchor}\">{content}</text>"
        );
    };
    let mut rule = |class: &str, y: f64| {
        let _ = writeln!(
            svg,
            "<line class=\"{class}\" x1=\"{LEFT}\" x2=\"{right}\" y1=\"{y:.1}\" y2=\"{y:.1}\"/>"
        );
    };
    let name = html(&printable(&parameter.name, 60));
    text("name", LEFT, top + ABOVE - 12.0, "start", &name);
    let ticks = libm::round((high - low) / step) as u64;
    for tick in 0..=ticks {
        let value = low + step * tick as f64;
        rule("grid", y(value));
        text("small", LEFT - 8.0, y(value) + 4.0, "end", &number(value, step));
    }
    rule("start", y(start));
    for (k, anchor) in [(0, "start"), (tuner.tuning.iterations, "end")] {
        text("small", x(k), bottom + 18.0, anchor, &k.to_string());
    }
    let every = points.len().div_ceil(MAX_POINTS).max(1);
    let last = points.len() - 1;
    let shown = points.iter().enumerate();
    let shown = shown.filter(|(place, _)| place % every == 0 || *place == last);
    let line: Vec<String> = shown
        .map(|(_, &(k, value))| format!("{:.1},{:.1}", x(k), y(value)))
        .collect();
    let _ = writeln!(svg, "<polyline class=\"line\" points=\"{}\"/>", line.join(" "));
    if let Some(&(k, value)) = points.last() {
        text("", x(k) + 9.0, y(value) + 4.0, "start", &format!("{value:.1}"));
        let _ = writeln!(
            svg,
            "<circle class=\"end\" cx=\"{:.1}\" cy=\"{:.1}\" r=\"3.5\"/>",
            x(k),
            y(value)
        );
    }
    svg.push_str(&texts);
}

/// The distance of the grid lines for this range: 1, 2 or 5 times a power of ten, for at most
/// four lines.
fn tick_step(range: f64) -> f64 {
    let power = libm::pow(10.0, libm::floor(libm::log10(range / 4.0)));
    let step = [1.0, 2.0, 5.0, 10.0]
        .into_iter()
        .find(|step| step * power * 3.0 >= range);
    step.unwrap_or(10.0) * power
}

/// The number at a grid line.
fn number(value: f64, step: f64) -> String {
    if step < 1.0 {
        format!("{value:.1}")
    } else {
        format!("{value:.0}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::results::tuning::Gains;
    use crate::results::tuning::Tuning;

    #[test]
    fn panels_show_path_and_start() {
        let tuning = Tuning {
            iterations: 2000,
            batch: 1,
            gains: Gains::default(),
            parameters: ["A<b>&\"c\"=50,0,100,4,0.02", "B=5,0,9,1,0.1"]
                .map(|text| text.parse().unwrap())
                .into(),
        };
        let mut tuner = Tuner::new(tuning, 1);
        let empty = svg(&tuner);
        assert!(empty.contains("0 of 2000 iterations"), "{empty}");
        for k in 1..=1500 {
            tuner.add_score(k, 1);
            tuner.add_score(k, 1);
        }
        let text = svg(&tuner);
        assert!(text.contains("1500 of 2000 iterations") && text.contains("A&lt;b&gt;&amp;&quot;c&quot;"));
        assert_eq!(text.matches("class=\"line\"").count(), 2);
        assert_eq!(text.matches("class=\"start\"").count(), 2);
        for line in text.lines().filter(|line| line.starts_with("<polyline")) {
            assert!(
                (300..=MAX_POINTS + 1).contains(&line.matches(',').count()),
                "{line}"
            );
        }
        assert!(!text.contains("NaN") && !text.contains("inf"));
        // Well-formed: every start tag ends.
        let (mut depth, mut tags) = (0_i32, 0);
        for tag in text.split('<').skip(1) {
            tags += 1;
            depth += match tag {
                tag if tag.starts_with('/') => -1,
                tag if tag.split('>').next().unwrap().ends_with('/') => 0,
                _ => 1,
            };
        }
        assert!(depth == 0 && tags > 20, "{depth} {tags}");
    }

    #[test]
    fn grid_has_round_numbers() {
        for (range, step) in [(8.0, 5.0), (100.0, 50.0), (3.0, 1.0), (1.0, 0.5), (60.0, 20.0)] {
            assert!(
                (tick_step(range) - step).abs() < 1e-9,
                "{range}: {}",
                tick_step(range)
            );
        }
    }
}
