//! The requests about boards.

use std::sync::{Arc, PoisonError};

use axum::extract::rejection::JsonRejection;
use axum::extract::ws::WebSocketUpgrade;
use axum::extract::{Path, State};
use axum::http::header::{CONTENT_DISPOSITION, CONTENT_TYPE};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use axum::{Extension, Json, Router};
use referee_core::game::Game;
use referee_core::results::stored_game;
use serde_json::{Value, json};
use tokio::sync::oneshot;

use super::order::{NewBoard, Order};
use super::seat::no_player;
use super::{Boards, Handle};
use crate::connections::Connection;
use crate::known::{HUMAN, KnownPlayer};
use crate::live;
use crate::reply::{Refusal, Reply, blocking, body};

/// The requests about boards.
pub fn routes(boards: Arc<Boards>) -> Router {
    Router::new()
        .route("/api/boards", get(list).post(create))
        .route("/api/boards/{id}", post(order))
        .route("/api/boards/{id}/file", get(file))
        .route("/live/board/{id}", get(follow))
        .with_state(boards)
}

async fn list(State(boards): State<Arc<Boards>>) -> Json<Value> {
    Json(boards.list())
}

async fn create(State(boards): State<Arc<Boards>>, new: Result<Json<NewBoard>, JsonRejection>) -> Reply {
    let new = body(new)?;
    let id = blocking(move || boards.create(new)).await?;
    Ok(Json(json!({"id": id})))
}

async fn order(
    State(boards): State<Arc<Boards>>,
    Path(id): Path<u64>,
    order: Result<Json<Order>, JsonRejection>,
) -> Reply {
    let order = body(order)?;
    let board = boards.get(id)?;
    let known = |id: &str| -> Reply<KnownPlayer> {
        let found = boards.context.offer.find(id);
        found.ok_or_else(|| Refusal::wrong(no_player(id)))
    };
    match &order {
        Order::Hint { player } => board.hints.ask(known(player)?, position(&board, usize::MAX)),
        Order::Analyse { player: None, .. } => board.analysis.stop(),
        Order::Analyse {
            player: Some(player),
            plies,
        } => board.analysis.ask(known(player)?, position(&board, *plies)),
        _ => return command(&boards, &board, id, order).await,
    }
    Ok(Json(json!({})))
}

/// Gives the thread of a board an order, and waits for its answer.
async fn command(boards: &Boards, board: &Handle, id: u64, order: Order) -> Reply {
    let closes = order == Order::Close;
    let (answer, answered) = oneshot::channel();
    let gone = || Refusal::unknown(format!("there is no board {id}"));
    board.orders.send((order, answer)).map_err(|_| gone())?;
    let result = answered.await.map_err(|_| gone())?;
    if closes {
        boards.lock().all.remove(&id);
    }
    result.map(|()| Json(json!({}))).map_err(Refusal::wrong)
}

/// The game of a board up to this number of moves.
fn position(board: &Handle, plies: usize) -> Game {
    let mut game = board.game.lock().unwrap_or_else(PoisonError::into_inner).clone();
    while game.moves().len() > plies && game.take_back() {}
    game
}

async fn file(State(boards): State<Arc<Boards>>, Path(id): Path<u64>) -> Reply<Response> {
    let board = boards.get(id)?;
    let game = position(&board, usize::MAX);
    let seats = board.shared.state().now.seats.clone();
    let seats = seats.map(|seat| Some(if seat.is_human { HUMAN.into() } else { seat.name }));
    let rules = boards.context.offer.rules;
    let text = stored_game::text(rules, game.first_position(), game.moves(), &seats);
    let is_plain = |letter: char| letter.is_ascii_alphanumeric() || letter == '-';
    let name = rules.name().replace(|letter| !is_plain(letter), "_");
    let headers = [
        (CONTENT_TYPE, "text/plain; charset=utf-8".to_string()),
        (
            CONTENT_DISPOSITION,
            format!("attachment; filename=\"{name}-{id}.txt\""),
        ),
    ];
    Ok((headers, text).into_response())
}

async fn follow(
    State(boards): State<Arc<Boards>>,
    Path(id): Path<String>,
    Extension(connection): Extension<Connection>,
    upgrade: WebSocketUpgrade,
) -> Response {
    let board = id.parse().ok().and_then(|id| boards.get(id).ok());
    let updates = board.map(|board| board.shared.follow());
    live::answer(upgrade, connection, updates)
}
