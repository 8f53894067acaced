//! The values of the parameters over the iterations, as an SVG file of its own.

use maud::{Markup, PreEscaped, html};
use referee_core::io::text::printable;
use referee_core::results::tuning::Parameter;
use referee_core::tournament::tuner::Tuner;

use super::cells::short;
use super::page::charts::{ChartLine, LINES, LineChart, WIDTH, text};

/// The height of the title of the picture.
const TITLE: f64 = 40.0;

/// The height of the name of a parameter, above its chart.
const NAME: f64 = 30.0;

/// The most points of a line; more cannot be seen.
const MAX_POINTS: usize = 700;

/// The most characters of the name of a parameter.
const MAX_NAME: usize = 60;

/// Colours for light and dark backgrounds, with a contrast of at least 4.5 for text.
const STYLE: &str = "
  text { font: 13px system-ui, sans-serif; fill: #1f2328; }
  .background { fill: #ffffff; }
  .grid, .axis { stroke: #d1d9e0; }
  .level { stroke: #59636e; stroke-width: 1.5; stroke-dasharray: 5 4; }
  .line { fill: none; stroke: #0969da; stroke-width: 2; stroke-linejoin: round; }
  @media (prefers-color-scheme: dark) {
    text { fill: #f0f6fc; }
    .background { fill: #0d1117; }
    .grid, .axis { stroke: #3d444d; }
    .level { stroke: #9198a1; }
    .line { stroke: #4493f8; }
  }
";

/// The picture: a chart for each parameter, with its value over the iterations and a dashed line at
/// its start.
pub fn svg(tuner: &Tuner) -> String {
    let tuning = &tuner.tuning;
    let height = TITLE + (NAME + LINES) * tuning.parameters.len() as f64;
    let title = format!("Tuning: {} of {} iterations", tuner.done(), tuning.iterations);
    let picture = html! {
        svg xmlns="http://www.w3.org/2000/svg" viewBox={ "0 0 " (WIDTH) " " (height) } width=(WIDTH) height=(height)
            role="img" {
            title { (title) }
            style { (PreEscaped(STYLE)) }
            rect class="background" width=(WIDTH) height=(height) {}
            (text(16.0, 26.0, "start", &title))
            @for (index, parameter) in tuning.parameters.iter().enumerate() { (chart(tuner, index, parameter)) }
        }
    };
    picture.into_string() + "\n"
}

/// The name and the chart of a parameter, below those of the parameters before it.
fn chart(tuner: &Tuner, index: usize, parameter: &Parameter) -> Markup {
    let top = TITLE + (NAME + LINES) * index as f64;
    let path = &tuner.path;
    let shown = path.iter().step_by(path.len().div_ceil(MAX_POINTS).max(1));
    let value = |values: &[f64]| values.get(index).copied().unwrap_or_default();
    let points = shown
        .chain(path.last())
        .map(|(k, values)| [*k as f64, value(values)]);
    let lines = [ChartLine {
        name: printable(&parameter.name, MAX_NAME),
        points: points.collect(),
        band: Vec::new(),
    }];
    let chart = LineChart {
        lines: &lines,
        levels: &[(parameter.start as f64, "start")],
        format: short,
        // So that noise does not fill the chart.
        margin: parameter.c_end,
        unit: "iterations",
    };
    let last = path.last().map(|(_, values)| format!(": {:.1}", value(values)));
    let name = text(
        16.0,
        20.0,
        "start",
        &format!("{}{}", lines[0].name, last.unwrap_or_default()),
    );
    html! {
        g transform={ "translate(0 " (top) ")" } {
            (name)
            g transform={ "translate(0 " (NAME) ")" } { (chart.elements().unwrap_or_default()) }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use referee_core::results::tuning::Gains;
    use referee_core::results::tuning::Tuning;

    #[test]
    fn charts_show_path_and_start() {
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
        assert_eq!(text.matches("class=\"level\"").count(), 2);
        let (_, last) = tuner.path.last().unwrap();
        assert!(text.contains(&format!(">B: {:.1}<", last[1])), "{last:?}");
        let paths: Vec<&str> = text.split("<path class=\"line line-0\" d=\"M").skip(1).collect();
        assert_eq!(paths.len(), 2);
        for path in paths {
            let points = path.split('"').next().unwrap().split('L');
            let x = |point: &str| point.split(' ').next().unwrap().parse::<f64>().unwrap();
            let places: Vec<f64> = points.map(x).collect();
            assert!((301..=MAX_POINTS + 2).contains(&places.len()), "{}", places.len());
            assert!(places.is_sorted(), "{places:?}");
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
}
