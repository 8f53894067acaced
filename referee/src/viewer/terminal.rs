//! Steps through a game on a terminal: reads keys and redraws the screen in place.

use std::io::{self, IsTerminal, Stdout, Write};
use std::time::{Duration, Instant};

use crossterm::event::{self, Event, KeyCode, KeyEvent, KeyEventKind, KeyModifiers};
use crossterm::terminal::{
    Clear, ClearType, EnterAlternateScreen, LeaveAlternateScreen, disable_raw_mode, enable_raw_mode,
};
use crossterm::{cursor, execute, queue, style};

use super::game_text::GameText;
use super::keys::{KeyPress, Reaction, Step, TypedLine};
use super::layout::{help_screen, screen};
use crate::io::failure::Failure;
use crate::io::interrupt::{Interrupt, Signal};
use crate::progress::{Stream, first_that_fits};
use crate::system::terminal::{KeyWait, suspend, wait_for_key};

/// The interval at which a changed size is noticed at the latest. Keys and signals are
/// noticed at once.
const RESIZE_INTERVAL: Duration = Duration::from_millis(250);

/// The number of moves of Page Down and Page Up.
const PAGE: isize = 10;

/// The bottom line, from wide to narrow terminals.
const KEYS: [&str; 3] = [
    "n next  b back  f first  e end  m mistake  12 Enter: move 12  ? help  q quit",
    "n next b back f first e end m mistake ? help q",
    "n next b back f first e end ? help q",
];

/// Whether games can be stepped through: standard input and output are a terminal that
/// can move its cursor.
#[must_use]
pub fn is_interactive() -> bool {
    io::stdin().is_terminal() && Stream::Stdout.is_live()
}

/// Steps through a game until the person quits.
///
/// # Errors
/// If a signal or Ctrl-C ends it, or the terminal fails. The terminal is restored.
pub fn run(game: &GameText, interrupt: &Interrupt) -> Result<(), Failure> {
    let mut viewer = Viewer {
        game,
        screen: RawScreen::open()?,
        plies: 0,
        plies_before: 0,
        line: TypedLine::default(),
        message: String::new(),
        shows_help: false,
    };
    loop {
        viewer.draw()?;
        match next_event(interrupt)? {
            None => return Ok(()),
            Some(event) => {
                if viewer.handle(&event)? == Flow::Quit {
                    return Ok(());
                }
            }
        }
    }
}

/// Waits for a key or a change of size; `None` at the end of input.
fn next_event(interrupt: &Interrupt) -> Result<Option<Event>, Failure> {
    loop {
        if let Some(signal) = interrupt.caught() {
            return Err(signal.into());
        }
        if event::poll(Duration::ZERO)? {
            return Ok(Some(event::read()?));
        }
        if wait_for_key(interrupt.source(), RESIZE_INTERVAL)? == KeyWait::Closed {
            return Ok(None);
        }
    }
}

/// Whether to go on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Flow {
    Continue,
    Quit,
}

struct Viewer<'a> {
    game: &'a GameText,
    screen: RawScreen,
    /// The number of moves before the position shown.
    plies: usize,
    /// The same before the last step.
    plies_before: usize,
    line: TypedLine,
    message: String,
    shows_help: bool,
}

impl Viewer<'_> {
    fn handle(&mut self, event: &Event) -> Result<Flow, Failure> {
        let Event::Key(key) = event else {
            return Ok(Flow::Continue);
        };
        if key.kind == KeyEventKind::Release {
            return Ok(Flow::Continue);
        }
        if key.modifiers.contains(KeyModifiers::CONTROL) {
            match key.code {
                KeyCode::Char('c') => return Err(Signal::Interrupt.into()),
                KeyCode::Char('z') => return Ok(self.screen.suspend().map(|()| Flow::Continue)?),
                _ => {}
            }
        }
        let Some(key) = key_press(key) else {
            return Ok(Flow::Continue);
        };
        self.message.clear();
        if std::mem::take(&mut self.shows_help) {
            return Ok(Flow::Continue);
        }
        match self.line.press(key, Instant::now()) {
            Reaction::Step(Step::Quit) => return Ok(Flow::Quit),
            Reaction::Step(step) => self.step(step),
            Reaction::TakeBack => self.plies = self.plies_before,
            Reaction::Message(message) => self.message = message,
            Reaction::Draw => {}
        }
        Ok(Flow::Continue)
    }

    fn step(&mut self, step: Step) {
        self.plies_before = self.plies;
        let last = self.game.plies();
        match step {
            Step::By(moves) => {
                self.plies = self.plies.saturating_add_signed(moves).min(last);
                if self.plies == self.plies_before {
                    let end = if moves < 0 { "start" } else { "end" };
                    self.message = format!("This is the {end} of the game");
                }
            }
            Step::First => self.plies = 0,
            Step::Last => self.plies = last,
            Step::GoTo(plies) if plies > last => {
                self.message = format!("There is no move {plies}: type a number from 0 to {last}");
            }
            Step::GoTo(plies) => self.plies = plies,
            Step::NextMistake => match self.game.replay().next_mistake(self.plies) {
                Some(plies) => self.plies = plies,
                None if self.game.replay().has_scores() => {
                    self.message = "No mistake after this move".into();
                }
                None => self.message = "This game has no scores to find mistakes with".into(),
            },
            Step::Help => self.shows_help = true,
            Step::Quit => {}
        }
    }

    fn draw(&mut self) -> io::Result<()> {
        let size = Stream::Stdout.size();
        let bottom = if self.shows_help {
            "Any key returns to the game".to_string()
        } else if !self.line.text().is_empty() {
            format!("> {}   Enter executes, Esc cancels", self.line.text())
        } else if !self.message.is_empty() {
            self.message.clone()
        } else {
            first_that_fits(KEYS.map(String::from), size.columns - 1)
        };
        let lines = if self.shows_help {
            help_screen(size, &bottom)
        } else {
            screen(self.game, self.plies, size, &bottom)
        };
        self.screen.draw(&lines)
    }
}

/// The meaning of a key, apart from Ctrl-C and Ctrl-Z.
fn key_press(key: &KeyEvent) -> Option<KeyPress> {
    if key.modifiers.contains(KeyModifiers::CONTROL) {
        let quits = key.code == KeyCode::Char('d');
        return quits.then_some(KeyPress::Step(Step::Quit));
    }
    Some(match key.code {
        KeyCode::Char(character) => KeyPress::Char(character),
        KeyCode::Enter => KeyPress::Enter,
        KeyCode::Backspace => KeyPress::Backspace,
        KeyCode::Esc => KeyPress::Escape,
        KeyCode::Right | KeyCode::Down => KeyPress::Step(Step::By(1)),
        KeyCode::Left | KeyCode::Up => KeyPress::Step(Step::By(-1)),
        KeyCode::PageDown => KeyPress::Step(Step::By(PAGE)),
        KeyCode::PageUp => KeyPress::Step(Step::By(-PAGE)),
        KeyCode::Home => KeyPress::Step(Step::First),
        KeyCode::End => KeyPress::Step(Step::Last),
        _ => return None,
    })
}

/// The terminal in raw mode with a screen of its own. Dropping it restores the terminal
/// and what it showed before.
struct RawScreen(Stdout);

impl RawScreen {
    fn open() -> io::Result<RawScreen> {
        let mut screen = RawScreen(io::stdout());
        screen.enter()?;
        Ok(screen)
    }

    fn enter(&mut self) -> io::Result<()> {
        enable_raw_mode()?;
        execute!(self.0, EnterAlternateScreen, cursor::Hide)
    }

    fn leave(&mut self) -> io::Result<()> {
        execute!(self.0, cursor::Show, LeaveAlternateScreen)?;
        disable_raw_mode()
    }

    /// Stops the program, as Ctrl-Z does, until the shell continues it.
    fn suspend(&mut self) -> io::Result<()> {
        self.leave()?;
        suspend()?;
        self.enter()
    }

    fn draw(&mut self, lines: &[String]) -> io::Result<()> {
        for (row, line) in (0..).zip(lines) {
            queue!(
                self.0,
                cursor::MoveTo(0, row),
                style::Print(line),
                Clear(ClearType::UntilNewLine)
            )?;
        }
        queue!(self.0, Clear(ClearType::FromCursorDown))?;
        self.0.flush()
    }
}

impl Drop for RawScreen {
    fn drop(&mut self) {
        // A terminal that is gone needs no restoring.
        let _ = self.leave();
    }
}
