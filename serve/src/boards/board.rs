//! A board: a game by hand, in a thread of its own. Orders of pages come through a channel; the state goes to
//! [`SharedState`], and after each change to a file.

use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::{Duration, Instant};

use lodestone_game::GameResult;
use lodestone_game::board::Side;
use referee::{GameView, HandGame, reworded};
use referee_core::arbiter::outcome;
use referee_core::failure::Stop;
use referee_core::game::clock::TimeControl;
use referee_core::game::{Game, Ruleset};
use referee_core::io::interrupt::Interrupt;
use referee_core::player::verdict::Verdict;
use tokio::sync::oneshot;

use super::beginning::new_game;
use super::order::Order;
use super::seat::{self, BoardSeat, Times};
use super::state::{Advice, BoardState, Over, SharedState};
use super::store::{BoardFolder, SavedBoard};
use super::watcher::Watcher;
use crate::known::{KnownPlayer, OfferedPlayers};
use crate::live::NamedGame;

/// How long a move stays on the board before the next one, if two programs play without a clock.
const SHOWING: Duration = Duration::from_millis(400);

/// The moves after which a game of two programs is held: some games never end.
const MAX_WATCHED: usize = 2000;

/// An order with the place for its answer: why it has no effect.
pub type Request = (Order, oneshot::Sender<Result<(), String>>);

/// What all boards share.
#[derive(Clone, Debug)]
pub struct Context {
    /// The game, the players and the folder of results.
    pub offer: Arc<OfferedPlayers>,
    /// Where the boards are saved.
    pub folder: BoardFolder,
    /// The signal that ends everything.
    pub interrupt: Arc<Interrupt>,
}

impl Context {
    /// The player with this id. One that need not start and has gone leaves its seat to a person.
    fn seat(&self, id: &str, times: Times, starts: bool) -> Result<BoardSeat, String> {
        let seat = seat::seat(id, &self.offer, times, &self.interrupt, starts);
        seat.or_else(|why| if starts { Err(why) } else { Ok(seat::person(times)) })
    }
}

/// Who plays at a new board.
pub struct Players {
    /// Their ids, the first player's first.
    pub ids: [String; 2],
    /// How long they think.
    pub times: Times,
    /// Pieces and turns.
    pub setup: (u32, u32),
    /// Whether programs start at once, or before their first moves.
    pub starts: bool,
}

/// A game by hand.
pub struct Board {
    id: u64,
    context: Context,
    times: Times,
    setup: (u32, u32),
    hand: HandGame<KnownPlayer>,
    view: GameView,
    over: Option<Over>,
    fault: Option<String>,
    /// Why the board is not saved.
    unsaved: Option<String>,
    is_paused: bool,
    is_closed: bool,
    shared: Arc<SharedState>,
}

impl Board {
    /// A board. `game` makes the game for the time controls of the seats.
    pub fn new(
        id: u64,
        context: Context,
        players: Players,
        game: impl FnOnce([TimeControl; 2]) -> Result<Game, String>,
    ) -> Result<Board, String> {
        let Players {
            ids,
            times,
            setup,
            starts,
        } = players;
        let seat = |id: &String| context.seat(id, times, starts);
        let seats = [seat(&ids[0])?, seat(&ids[1])?];
        let game = game(seats.each_ref().map(|seat| seat.control.time))?;
        let view = GameView::new(&game);
        let shared = SharedState::new(BoardState {
            id,
            ..BoardState::default()
        });
        let mut board = Board {
            id,
            times,
            setup,
            hand: HandGame::new(seats, game),
            view,
            over: None,
            fault: None,
            unsaved: None,
            is_paused: false,
            is_closed: false,
            shared,
            context,
        };
        board.end_by_rules();
        board.publish();
        Ok(board)
    }

    /// The board of a file: with the end of its game, such as a resignation, or paused.
    #[must_use]
    pub fn resumed(mut self, over: Option<Over>) -> Board {
        self.over = self.over.or(over);
        self.is_paused = self.over.is_none();
        self.publish();
        self
    }

    /// The state for pages.
    pub fn shared(&self) -> Arc<SharedState> {
        Arc::clone(&self.shared)
    }

    /// The game now.
    pub fn game(&self) -> &Game {
        self.hand.game()
    }

    /// Plays until the board is closed, or its handle is dropped.
    pub fn run(mut self, orders: &Receiver<Request>, changed: impl Fn(&Game)) {
        while !self.is_closed {
            self.publish();
            changed(self.hand.game());
            if self.over.is_none() && !self.is_paused && !self.hand.asks_person() {
                self.think(orders);
            } else {
                self.wait(orders);
            }
        }
        self.hand.stop_programs();
    }

    /// The seat to move.
    fn mover(&self) -> usize {
        self.hand.mover().index()
    }

    /// What sentences call the sides: the game's own word, after the name of a program.
    fn names(&self) -> [String; 2] {
        let sides = sides(self.context.offer.rules);
        [0, 1].map(|index| match &self.hand.seats[index].program {
            Some(known) => format!("{} ({})", known.name, sides[index]),
            None => sides[index].clone(),
        })
    }

    /// The time that a person has left for its move; `None` without a clock that runs. The clocks start with
    /// the second move.
    fn time_left(&self) -> Option<Duration> {
        let is_running = self.over.is_none() && !self.is_paused && !self.hand.game().moves().is_empty();
        self.hand.time_left().filter(|_| is_running)
    }

    /// Waits for an order, or until a clock has run out.
    fn wait(&mut self, orders: &Receiver<Request>) {
        let request = match self.time_left() {
            Some(left) => orders.recv_timeout(left),
            None => orders.recv().map_err(|_| RecvTimeoutError::Disconnected),
        };
        match request {
            Ok(request) => self.execute(request),
            Err(RecvTimeoutError::Timeout) => self.run_out(),
            Err(RecvTimeoutError::Disconnected) => self.is_closed = true,
        }
    }

    /// A person has no time left.
    fn run_out(&mut self) {
        let names = self.names();
        let (loser, winner) = (self.mover(), 1 - self.mover());
        self.finish(Over {
            result: ["1-0", "0-1"][winner].into(),
            reason: "time".into(),
            text: format!("{} wins: {} has no time left", names[winner], names[loser]),
        });
    }

    /// Asks the program to move. An order can interrupt it.
    fn think(&mut self, orders: &Receiver<Request>) {
        let seat = &self.hand.seats[self.mover()];
        let mut watcher = Watcher {
            requests: orders,
            filter: refuse_moves,
            request: None,
            is_unwanted: &|| false,
            advice: Advice {
                player: seat::id(seat).to_string(),
                plies: self.hand.game().moves().len(),
                ..Advice::default()
            },
            show: |advice| self.shared.update(|now| now.thinking = Some(advice)),
            shown: Instant::now(),
        };
        let result = self.hand.think(&mut watcher);
        let request = watcher.request;
        match (result, request) {
            (Ok(None), _) => self.moved(orders),
            (Ok(Some(verdict)), _) => self.end(&verdict),
            (Err(Stop::Quit), Some(request)) => self.execute(request),
            (Err(stop), _) => self.stop(&stop),
        }
    }

    /// The move of a program has been played.
    fn moved(&mut self, orders: &Receiver<Request>) {
        self.played();
        let is_watched = self.hand.resigns().is_none();
        if is_watched && self.hand.game().moves().len() >= MAX_WATCHED {
            self.is_paused = true;
        }
        if is_watched && self.times.clock.is_none() && self.over.is_none() {
            self.publish();
            if let Ok(request) = orders.recv_timeout(SHOWING) {
                self.execute(request);
            }
        }
    }

    /// A move has been played.
    fn played(&mut self) {
        // The rules are asked about the new position only.
        if let Some(last) = self.view.next(self.hand.game()) {
            self.view.push(last);
        }
        self.shared.update(|now| now.hint = None);
        self.end_by_rules();
        self.save();
    }

    fn end_by_rules(&mut self) {
        if let Some(verdict) = outcome(self.hand.game()) {
            self.end(&verdict);
        }
    }

    /// The game has ended.
    fn end(&mut self, verdict: &Verdict) {
        let names = self.names();
        let detail = match verdict {
            Verdict::Rules { why, .. } => self.for_people(why),
            _ => verdict.detail(names.each_ref().map(String::as_str)),
        };
        let result = verdict.result();
        let won = match result {
            GameResult::Draw => "A draw".to_string(),
            GameResult::Win(side) => format!("{} wins", names[side.index()]),
        };
        if let Verdict::Fault { culprit, .. } = verdict {
            let transcript = seat::transcript(&mut self.hand.seats[culprit.index()]);
            self.fault = Some(transcript.unwrap_or_else(|| verdict.stderr_tail()));
        }
        self.finish(Over {
            result: result.to_string(),
            reason: verdict.reason(),
            text: format!("{won}: {detail}"),
        });
    }

    /// Ends the game and its programs.
    fn finish(&mut self, over: Over) {
        self.over = Some(over);
        self.hand.stop_programs();
        self.save();
    }

    /// The rules have failed, or everything ends.
    fn stop(&mut self, stop: &Stop) {
        if matches!(stop, Stop::Rules(_)) {
            self.fault = Some(stop.to_string());
            self.is_paused = true;
        } else {
            self.is_closed = true;
        }
    }

    fn execute(&mut self, (order, answer): Request) {
        let result = self.apply(order);
        // The page may have gone.
        let _ = answer.send(result);
    }

    fn apply(&mut self, order: Order) -> Result<(), String> {
        match order {
            Order::Move { text, plies } => return self.play(&text, plies),
            Order::Undo => {
                let plies = self.plies_after_undo().ok_or("there is no move to take back")?;
                self.keep(plies);
            }
            Order::Continue { plies } if plies <= self.hand.game().moves().len() => self.keep(plies),
            Order::Continue { .. } => return Err("the game has fewer moves now".into()),
            Order::Resign => return self.resign(),
            Order::Players { players } => return self.seat(&players),
            Order::Pause { on } => self.pause(on),
            Order::Again => return self.begin_again(),
            Order::Retry if self.fault.is_some() => {
                self.is_paused = false;
                self.keep(self.hand.game().moves().len());
            }
            Order::Retry => return Err("no program has failed".into()),
            Order::Close => {
                self.is_closed = true;
                self.context.folder.remove(self.id);
                self.shared.close();
            }
            Order::Hint { .. } | Order::Analyse { .. } => return Err("the board does not answer this".into()),
        }
        Ok(())
    }

    fn pause(&mut self, on: bool) {
        self.is_paused = on;
        self.hand.ask_again();
    }

    fn play(&mut self, text: &str, plies: usize) -> Result<(), String> {
        let game = self.hand.game();
        if plies != game.moves().len() || self.over.is_some() || !self.hand.asks_person() {
            return Err("the position has changed; look at the board again".into());
        }
        let mv = game
            .position()
            .parse_written(text)
            .map_err(|error| error.to_string())?;
        if self.is_paused {
            self.pause(false);
        }
        self.hand.play(mv).map_err(|stop| stop.to_string())?;
        self.played();
        Ok(())
    }

    fn resign(&mut self) -> Result<(), String> {
        if self.over.is_some() {
            return Err("the game is over".into());
        }
        let loser = self.hand.resigns().ok_or("two programs play")?;
        // The clock stops where it is.
        if let Some(left) = self.time_left() {
            self.view.clocks[self.mover()] = Some(left.as_millis() as u64);
        }
        self.end(&Verdict::Resigned { loser });
        Ok(())
    }

    /// The number of moves that stay if the last move of a person is taken back.
    fn plies_after_undo(&self) -> Option<usize> {
        let game = self.hand.game();
        if self.over.is_some() && outcome(game).is_none() {
            return Some(game.moves().len());
        }
        self.hand.undo(1).ok()
    }

    /// Keeps this number of moves, and goes on from there.
    fn keep(&mut self, plies: usize) {
        self.hand.keep(plies);
        self.view.truncate(self.hand.game());
        (self.over, self.fault) = (None, None);
        self.shared.update(|now| (now.hint, now.analysis) = (None, None));
        self.end_by_rules();
        self.save();
    }

    /// Changes who plays. The game goes on.
    fn seat(&mut self, ids: &[String; 2]) -> Result<(), String> {
        let mut new = Vec::new();
        for (side, id) in Side::BOTH.into_iter().zip(ids) {
            if seat::id(&self.hand.seats[side.index()]) != id {
                new.push((side, self.context.seat(id, self.times, true)?));
            }
        }
        for (side, seat) in new {
            self.hand.seat(side, seat);
        }
        self.save();
        Ok(())
    }

    fn begin_again(&mut self) -> Result<(), String> {
        let times = self.hand.seats.each_ref().map(|seat| seat.control.time);
        self.hand
            .begin(new_game(self.context.offer.rules, self.setup, times)?);
        self.view = GameView::new(self.hand.game());
        self.is_paused = false;
        self.keep(0);
        Ok(())
    }

    /// What a built-in game says, with the words for its sides.
    fn for_people(&self, text: &str) -> String {
        let rules = self.context.offer.rules;
        if rules.variant().is_none() {
            return text.into();
        }
        let [first, second] = sides(rules);
        reworded(text, |word| match word {
            "x" => first.clone(),
            "o" => second.clone(),
            _ => word.into(),
        })
    }

    /// Writes the board to its file.
    fn save(&mut self) {
        let names = self.hand.seats.each_ref().map(|seat| seat::view(seat).name);
        let saved = SavedBoard {
            players: self.hand.seats.each_ref().map(|seat| seat::id(seat).to_string()),
            text: self.hand.text(self.context.offer.rules, names.clone()),
            names,
            clock: self.times.clock,
            per_move: self.times.per_move.as_millis() as u64,
            setup: self.setup,
            ms: self.view.ms.clone(),
            over: self.over.clone(),
        };
        let error = self.context.folder.save(self.id, &saved).err();
        if let (Some(error), None) = (&error, &self.unsaved) {
            log::warn!("board {} cannot be saved: {error}", self.id);
        }
        self.unsaved = error.map(|error| format!(" This board cannot be saved: {}.", error.kind()));
    }

    /// Sends the state to all pages.
    fn publish(&self) {
        let seats = self.hand.seats.each_ref().map(seat::view);
        let mover = self.mover();
        let mut view = self.view.clone();
        let running = self.time_left().map(|left| {
            view.clocks[mover] = Some(left.as_millis() as u64);
            mover + 1
        });
        if self.over.as_ref().is_some_and(|over| over.reason == "time") {
            view.clocks[mover] = view.clocks[mover].map(|_| 0);
        }
        let is_program = !self.hand.asks_person() && self.over.is_none() && !self.is_paused;
        let status = self.status();
        let legal = self
            .hand
            .game()
            .position()
            .legal_moves()
            .into_iter()
            .map(|mv| mv.text);
        let can_undo = self.plies_after_undo().is_some();
        let game = NamedGame {
            id: self.id,
            players: seats.each_ref().map(|seat| seat.name.clone()),
            view,
        };
        self.shared.set_game(game, |now| {
            now.seats = seats;
            now.legal = legal.collect();
            now.side = mover + 1;
            now.thinking = is_program.then(Advice::default);
            now.running = running.or(is_program
                .then_some(mover + 1)
                .filter(|_| self.times.clock.is_some()));
            now.is_paused = self.is_paused;
            now.over.clone_from(&self.over);
            now.status = status;
            now.fault.clone_from(&self.fault);
            now.can_undo = can_undo;
        });
    }

    fn status(&self) -> String {
        let side = &sides(self.context.offer.rules)[self.mover()];
        let people = self.hand.seats.iter().filter(|seat| seat.is_human()).count();
        let status = match &self.over {
            Some(over) => format!("{}.", over.text),
            None if self.is_paused && self.fault.is_some() => "The rules program has failed.".into(),
            None if self.is_paused => "Paused.".into(),
            None if !self.hand.asks_person() => format!("{} thinks …", self.names()[self.mover()]),
            None if people == 1 => format!("Your move ({side})."),
            None => format!("{side} to move."),
        };
        status + self.unsaved.as_deref().unwrap_or_default()
    }
}

/// What people call the sides, at the beginning of a sentence.
fn sides(rules: Ruleset) -> [String; 2] {
    rules.side_names().map(|name| {
        let mut letters = name.chars();
        let first = letters.next().map(|letter| letter.to_uppercase().to_string());
        first.unwrap_or_default() + letters.as_str()
    })
}

/// A move that comes while a program thinks is too late or too early; all other orders end the search.
fn refuse_moves((order, answer): Request) -> Option<Request> {
    if !matches!(order, Order::Move { .. }) {
        return Some((order, answer));
    }
    // The page may have gone.
    let _ = answer.send(Err("the program is to move".into()));
    None
}
