//! The line that says what an engine thinks, and the keys that are typed meanwhile.

use std::time::Duration;

use lodestone::protocol::Info;
use lodestone::score::Score;

use super::console::time_left;
use super::prompt::SharedPrompt;
use crate::game::{Game, Observer};
use crate::io::interrupt::Stop;
use crate::io::progress::first_that_fits;
use crate::system::terminal::Keys;

/// An engine that answers within this time gets no line.
const QUICK: Duration = Duration::from_millis(200);

/// The line on a terminal while an engine thinks. Dropping it removes the line.
pub struct ThinkingLine {
    prompt: SharedPrompt,
    who: String,
    /// The engine's clock.
    clock: Option<Duration>,
    /// Taken over when the engine begins to think.
    keys: Option<Keys>,
    is_shown: bool,
}

impl ThinkingLine {
    /// A line for an engine that people know as `who`, with this time on its clock. `None`
    /// if the prompt is no terminal that can redraw a line.
    pub fn start(prompt: &SharedPrompt, who: &str, clock: Option<Duration>) -> Option<ThinkingLine> {
        if !prompt.lock().console.edits_lines() {
            return None;
        }
        Some(ThinkingLine {
            prompt: prompt.clone(),
            who: who.to_string(),
            clock,
            keys: None,
            is_shown: false,
        })
    }

    /// What is known so far, in as many words as fit.
    fn text(&self, elapsed: Duration, info: &Info, width: usize) -> String {
        let mut facts = vec![format!("{:.1} s", elapsed.as_secs_f64())];
        facts.extend(info.depth.map(|depth| format!("depth {depth}")));
        facts.extend(info.score.map(score_text));
        let facts = facts.join(", ");
        let who = &self.who;
        let clock = self.clock.map_or(String::new(), |clock| {
            format!(" ({} left)", time_left(clock.saturating_sub(elapsed)))
        });
        let texts = [
            format!("{who}{clock} is thinking: {facts}; q quits"),
            format!("{who} is thinking: {facts}; q quits"),
            format!("{who} is thinking: {facts}"),
            format!("thinking: {facts}"),
            format!("thinking: {:.1} s", elapsed.as_secs_f64()),
        ];
        first_that_fits(texts, width.saturating_sub(1))
    }
}

/// A score of the engine, from its point of view.
fn score_text(score: Score) -> String {
    match score {
        Score::Cp(value) => format!("score {:+.2}", f64::from(value) / 100.0),
        Score::Win(plies) => format!("wins in {plies}"),
        Score::Loss(plies) => format!("loses in {plies}"),
        Score::Draw => "a tie".to_string(),
    }
}

impl Observer for ThinkingLine {
    fn asks(&mut self, _: &Game) -> bool {
        true
    }

    fn thinking(&mut self, elapsed: Duration, info: &Info) -> Result<(), Stop> {
        let mut prompt = self.prompt.lock();
        let keys = match self.keys.take() {
            Some(keys) => keys,
            None => Keys::take_over()?,
        };
        prompt.console.type_ahead(&keys.read()?)?;
        self.keys = Some(keys);
        if elapsed < QUICK {
            return Ok(());
        }
        let text = self.text(elapsed, info, prompt.console.width());
        self.is_shown = true;
        Ok(prompt.console.show_status(&text)?)
    }
}

impl Drop for ThinkingLine {
    fn drop(&mut self) {
        if self.is_shown {
            // If the terminal has gone, the next output reports it.
            let _ = self.prompt.lock().console.show_status("");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_scores_from_the_engine_s_point_of_view() {
        for (score, text) in [
            (Score::Cp(-35), "score -0.35"),
            (Score::Win(5), "wins in 5"),
            (Score::Loss(4), "loses in 4"),
            (Score::Draw, "a tie"),
        ] {
            assert_eq!(score_text(score), text);
        }
    }
}
