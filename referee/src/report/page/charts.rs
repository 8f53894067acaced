//! Charts of the page as SVG, with a description for screen readers.

use maud::{Markup, html};
use referee_core::io::text::columns;
use referee_statistics::Trinomial;

use crate::report::cells::{whole, with_interval};

/// The width of a chart in user units.
pub const WIDTH: f64 = 640.0;

/// The width of a column of letters on a narrow screen, where they are largest.
const LETTER: f64 = 10.5;

/// The least distance of the names of lines.
const LINE: f64 = 18.0;

/// The height of a row.
const ROW: f64 = 28.0;

/// The height of a chart of lines.
pub const LINES: f64 = 240.0;

/// The largest number of characters of a name in a chart.
const MAX_NAME: usize = 17;

/// The largest number of marks on a scale.
const MAX_TICKS: u8 = 50;

/// The smallest value on a logarithmic scale.
const LEAST: f64 = 1e-3;

/// A row: a line from `low` to `high`, a box if there is one, and a mark at `value`.
#[derive(Clone, Debug, PartialEq)]
pub struct ChartRow {
    /// The name beside the row.
    pub name: String,
    /// The marked value.
    pub value: f64,
    /// The ends of the line; they may be infinite.
    pub ends: [f64; 2],
    /// The ends of the box.
    pub middle: Option<[f64; 2]>,
    /// The row as a sentence.
    pub title: String,
}

/// Lines over a number of games or iterations.
pub struct LineChart<'a> {
    pub lines: &'a [ChartLine],
    /// Values with names.
    pub levels: &'a [(f64, &'a str)],
    /// The text of a value.
    pub format: fn(f64) -> String,
    /// The least distance of a value from the upper and lower edge.
    pub margin: f64,
    /// What is counted from left to right.
    pub unit: &'a str,
}

/// A line of a chart.
#[derive(Clone, Debug, PartialEq)]
pub struct ChartLine {
    /// The name at its end.
    pub name: String,
    pub points: Vec<[f64; 2]>,
    /// The band around it: a number, its low and its high value.
    pub band: Vec<[f64; 3]>,
}

/// A scale of values.
#[derive(Clone, Copy)]
pub struct Scale {
    /// Whether it is logarithmic.
    pub is_log: bool,
    /// Whether it includes 0.
    pub has_zero: bool,
    /// The text of a value.
    pub format: fn(f64) -> String,
}

/// Round values from `low` to `high`, about `count` of them.
fn ticks(low: f64, high: f64, count: f64) -> Vec<f64> {
    if high <= low {
        return vec![low];
    }
    let rough = (high - low) / count;
    let power = 10_f64.powf(rough.log10().floor());
    let step = [1.0, 2.0, 5.0, 10.0].map(|factor| factor * power);
    let step = step.into_iter().find(|step| *step >= rough).unwrap_or(rough);
    let first = (low / step).ceil();
    (0..MAX_TICKS)
        .map(|index| (first + f64::from(index)) * step)
        .take_while(|value| *value <= high + step / 1e6)
        .collect()
}

/// A coordinate.
fn at(value: f64) -> String {
    format!("{value:.1}")
}

fn line(x: [f64; 2], y: [f64; 2], class: &str) -> Markup {
    let ([x1, x2], [y1, y2]) = (x.map(at), y.map(at));
    html! { line x1=(x1) y1=(y1) x2=(x2) y2=(y2) class=(class) {} }
}

fn rectangle([x, y]: [f64; 2], [width, height]: [f64; 2], class: &str) -> Markup {
    html! { rect x=(at(x)) y=(y) width=(at(width)) height=(height) class=(class) {} }
}

pub fn text(x: f64, y: f64, anchor: &str, content: &str) -> Markup {
    html! { text x=(at(x)) y=(at(y)) text-anchor=(anchor) { (content) } }
}

/// The width that these names take.
fn width_of<'a>(names: impl Iterator<Item = &'a str>) -> f64 {
    let widths = names.map(|name| columns(&shortened(name)));
    widths.max().unwrap_or_default() as f64 * LETTER
}

fn shortened(name: &str) -> String {
    if name.chars().count() <= MAX_NAME {
        return name.into();
    }
    name.chars().take(MAX_NAME - 1).chain(['…']).collect()
}

/// A figure with a chart.
fn figure(caption: &str, height: f64, label: &str, content: &Markup) -> Markup {
    html! {
        figure {
            figcaption { (caption) }
            svg class="chart" role="img" aria-label=(label) viewBox={ "0 0 " (WIDTH) " " (height) } { (content) }
        }
    }
}

/// A chart of rows on one scale; `None` without rows, and if all have the same value.
pub fn row_chart(caption: &str, rows: &[ChartRow], scale: Scale) -> Option<Markup> {
    if rows.is_empty() {
        return None;
    }
    let place: fn(f64) -> f64 = if scale.is_log {
        |value| value.max(LEAST).log10()
    } else {
        |value| value
    };
    let values = rows.iter().flat_map(|row| [row.ends[0], row.value, row.ends[1]]);
    let finite: Vec<f64> = values.filter(|value| value.is_finite()).map(place).collect();
    let zero = scale.has_zero.then_some(0.0);
    let low = finite.iter().copied().chain(zero).reduce(f64::min)?;
    let high = finite.iter().copied().chain(zero).reduce(f64::max)?;
    if high <= low {
        return None;
    }
    let margin = (high - low) * 0.05;
    let names = width_of(rows.iter().map(|row| row.name.as_str())) + 12.0;
    let x = |value: f64| {
        let share = (place(value) - low + margin) / (high - low + 2.0 * margin);
        names + 8.0 + share.clamp(0.0, 1.0) * (WIDTH - names - 32.0)
    };
    let height = rows.len() as f64 * ROW + 26.0;
    let marks: Vec<f64> = if scale.is_log {
        let factors = if high - low < 2.0 {
            &[1.0, 2.0, 5.0][..]
        } else {
            &[1.0]
        };
        let powers = (low.floor() as i32..=high.ceil() as i32).map(|power| 10_f64.powi(power));
        let marks = powers.flat_map(|power| factors.iter().map(move |factor| factor * power));
        let range = low - margin..=high + margin;
        marks.filter(|mark| range.contains(&mark.log10())).collect()
    } else {
        ticks(low, high, 6.0)
    };
    let drawn = |row: &ChartRow, y: f64| {
        html! {
            g {
                title { (row.title) }
                (text(names - 4.0, y + 4.0, "end", &shortened(&row.name)))
                (line(row.ends.map(x), [y; 2], "bar"))
                @for end in row.ends.into_iter().filter(|end| end.is_finite()) {
                    (line([x(end); 2], [y - 5.0, y + 5.0], "bar"))
                }
                @if let Some([from, to]) = row.middle {
                    (rectangle([x(from), y - 8.0], [(x(to) - x(from)).max(1.0), 16.0], "box"))
                }
                (rectangle([x(row.value) - 4.0, y - 4.0], [8.0; 2], "mark"))
            }
        }
    };
    let content = html! {
        @for mark in marks {
            (line([x(mark); 2], [0.0, height - 22.0], if mark == 0.0 { "axis" } else { "grid" }))
            (text(x(mark), height - 6.0, "middle", &(scale.format)(mark)))
        }
        @for (row, index) in rows.iter().zip(0..) { (drawn(row, f64::from(index) * ROW + ROW / 2.0)) }
    };
    let titles: Vec<&str> = rows.iter().map(|row| row.title.as_str()).collect();
    let label = format!("{caption}. {}", titles.join(". "));
    Some(figure(caption, height, &label, &content))
}

impl LineChart<'_> {
    /// A chart of Elo or another number over the games.
    pub fn over_games<'a>(
        lines: &'a [ChartLine],
        levels: &'a [(f64, &'a str)],
        format: fn(f64) -> String,
    ) -> LineChart<'a> {
        LineChart {
            lines,
            levels,
            format,
            margin: 0.1,
            unit: "games",
        }
    }

    /// The chart as a figure; `None` without two points.
    pub fn figure(&self, caption: &str) -> Option<Markup> {
        let ends = self.lines.iter().filter_map(|line| {
            let ([at, value], unit) = (*line.points.last()?, self.unit);
            let ends = line.band.last().map(|&[_, low, high]| [low, high]);
            let ends = ends.map(|ends| with_interval("", Some(ends)));
            let (value, ends) = ((self.format)(value), ends.unwrap_or_default());
            Some(format!("{}: {value}{ends} after {at} {unit}", line.name))
        });
        let label = format!("{caption}. {}", ends.collect::<Vec<_>>().join(". "));
        Some(figure(caption, LINES, &label, &self.elements()?))
    }

    /// The elements of the chart; `None` without two points.
    pub fn elements(&self) -> Option<Markup> {
        let points = || self.lines.iter().flat_map(|line| &line.points);
        if points().count() < 2 {
            return None;
        }
        let values = points().map(|point| point[1]);
        let levels = self.levels.iter().map(|level| level.0);
        let bands = self.lines.iter().filter_map(|line| line.band.last());
        let ends = bands.flat_map(|&[_, low, high]| [low, high]);
        let values: Vec<f64> = values.chain(levels).chain(ends).collect();
        let low = values.iter().copied().reduce(f64::min)?;
        let high = values.iter().copied().reduce(f64::max)?;
        let margin = ((high - low) * 0.1).max(self.margin);
        let (low, high) = (low - margin, high + margin);
        let last = points().map(|point| point[0]).reduce(f64::max)?;
        let first = points().map(|point| point[0]).reduce(f64::min)?.min(last - 1.0);
        let names = self.lines.iter().map(|line| line.name.as_str());
        let names = if self.lines.len() > 1 {
            28.0 + width_of(names)
        } else {
            16.0
        };
        let (left, right) = (52.0, WIDTH - names);
        let x = |at: f64| left + (at - first) / (last - first) * (right - left);
        let y = |value: f64| 8.0 + (1.0 - (value.clamp(low, high) - low) / (high - low)) * (LINES - 48.0);
        let scales = html! {
            @for mark in ticks(low, high, 5.0) {
                (line([left, right], [y(mark); 2], if mark == 0.0 { "axis" } else { "grid" }))
                (text(left - 6.0, y(mark) + 4.0, "end", &(self.format)(mark)))
            }
            @for at in ticks(first, last, 6.0) { (text(x(at), LINES - 22.0, "middle", &whole(at))) }
            (text(f64::midpoint(left, right), LINES - 6.0, "middle", self.unit))
            @for (level, name) in self.levels {
                (line([left, right], [y(*level); 2], "level"))
                (text(right - 4.0, y(*level) - 4.0, "end", name))
            }
        };
        let path = |points: &mut dyn Iterator<Item = [f64; 2]>| {
            let points: Vec<String> = points
                .map(|[at, value]| format!("{:.1} {:.1}", x(at), y(value)))
                .collect();
            format!("M{}", points.join("L"))
        };
        let class = |number: usize| format!("line line-{}", number % 8);
        let area = |band: &[[f64; 3]]| {
            let high = band.iter().map(|&[at, _, high]| [at, high]);
            let low = band.iter().rev().map(|&[at, low, _]| [at, low]);
            path(&mut high.chain(low))
        };
        let curves = html! {
            @for (line, number) in self.lines.iter().zip(0..) {
                @if line.band.len() > 1 { path class="area" d={ (area(&line.band)) "Z" } {} }
                @if !line.points.is_empty() {
                    path class=(class(number)) d=(path(&mut line.points.iter().copied())) {}
                }
            }
        };
        let ends = self.lines.iter().zip(0..);
        let ends = ends.filter_map(|(line, number)| Some((y(line.points.last()?[1]), number)));
        let mut ends: Vec<(f64, usize)> = ends.collect();
        if self.lines.len() > 1 {
            ends.sort_by(|one, other| one.0.total_cmp(&other.0));
            let mut above = f64::MIN;
            for (end, _) in &mut ends {
                above = end.max(above + LINE);
                *end = above;
            }
            let mut below = LINES - 8.0;
            for (end, _) in ends.iter_mut().rev() {
                below = end.min(below - LINE);
                *end = below;
            }
        }
        Some(html! {
            (scales)
            (curves)
            @if self.lines.len() > 1 {
                @for (end, number) in ends {
                    (line([right + 4.0, right + 20.0], [end; 2], &class(number)))
                    (text(right + 24.0, end + 4.0, "start", &shortened(&self.lines[number].name)))
                }
            }
        })
    }
}

/// Wins, draws and losses as a bar with their numbers. `words` say what they mean.
pub fn result_bar(games: Trinomial, words: [&str; 3]) -> Markup {
    let total = games.games().max(1) as f64;
    let counts = [games.wins, games.draws, games.losses];
    let mut end = 0.0;
    let mut part = |count: u64, class: &str| {
        let (begin, width) = (end, 200.0 * count as f64 / total);
        end += width;
        html! {
            (rectangle([begin, 0.0], [width, 14.0], class))
            @if width > 22.0 { (text(begin + width / 2.0, 11.0, "middle", &count.to_string())) }
        }
    };
    let label = counts.iter().zip(words);
    let label: Vec<String> = label.map(|(count, word)| format!("{count} {word}")).collect();
    html! {
        svg class="result-bar" role="img" aria-label=(label.join(", ")) viewBox="0 0 200 14" {
            @for (count, class) in counts.into_iter().zip(["won", "drawn", "lost"]) { (part(count, class)) }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(name: &str, value: f64, ends: [f64; 2]) -> ChartRow {
        ChartRow {
            name: name.into(),
            value,
            ends,
            middle: None,
            title: format!("{name}: {value}"),
        }
    }

    const SCALE: Scale = Scale {
        is_log: false,
        has_zero: true,
        format: whole,
    };

    #[test]
    fn charts_have_no_undefined_numbers() {
        let inf = f64::INFINITY;
        let rows = [row("<a>", 10.0, [-inf, inf]), row("b", 10.0, [10.0, 10.0])];
        for scale in [
            SCALE,
            Scale {
                is_log: true,
                ..SCALE
            },
        ] {
            let chart = row_chart("c", &rows, scale).unwrap().into_string();
            assert!(!chart.contains("NaN") && !chart.contains("inf\""), "{chart}");
            assert!(chart.contains("&lt;a&gt;") && !chart.contains("<a>"));
        }
        assert!(row_chart("c", &[], SCALE).is_none());
        let points = |points: &[[f64; 2]]| ChartLine {
            name: "a".into(),
            points: points.to_vec(),
            band: Vec::new(),
        };
        let chart = |points| LineChart::over_games(&[points], &[], whole).figure("c");
        assert!(chart(points(&[[1.0, 1.0]])).is_none());
        let chart = chart(points(&[[1.0, 5.0], [2.0, 5.0]])).unwrap().into_string();
        assert!(!chart.contains("NaN"), "{chart}");
        assert!(chart.contains("a: 5 after 2 games"));
    }

    #[test]
    fn names_of_lines_that_end_together_are_below_each_other() {
        // At the top and at the bottom.
        for ends in [[[1.0, 0.0], [2.0, 9.0]], [[1.0, 9.0], [2.0, 0.0]]] {
            let lines = ["a", "b", "c"].map(|name| ChartLine {
                name: name.into(),
                points: ends.to_vec(),
                band: Vec::new(),
            });
            let chart = LineChart::over_games(&lines, &[], whole).figure("c");
            let chart = chart.unwrap().into_string();
            let place = |name: &str| -> f64 {
                let (before, _) = chart
                    .split_once(&format!("\" text-anchor=\"start\">{name}<"))
                    .unwrap();
                before.rsplit('"').next().unwrap().parse().unwrap()
            };
            let [a, b, c] = ["a", "b", "c"].map(place);
            let is_inside = 0.0 < a && c < LINES;
            assert!(is_inside && a + LINE <= b && b + LINE <= c, "{a} {b} {c}");
        }
    }

    #[test]
    fn ticks_are_round_numbers_within_the_range() {
        assert_eq!(ticks(-120.0, 320.0, 5.0), [-100.0, 0.0, 100.0, 200.0, 300.0]);
        assert_eq!(ticks(0.0, 1.0, 2.0), [0.0, 0.5, 1.0]);
        assert_eq!(ticks(5.0, 5.0, 6.0), [5.0]);
    }
}
