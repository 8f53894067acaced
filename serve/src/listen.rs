//! Connections and their limits: many, slow and silent clients cannot hold up the others.

use std::net::{Ipv4Addr, SocketAddr};
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use hyper::Request;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::{Service as _, service_fn};
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use referee_core::failure::Failure;
use tokio::net::{TcpListener, TcpStream};
use tokio_io_timeout::TimeoutStream;

use crate::connections::{Connection, Connections};

/// How long a client may take for the head of a request; also how long an idle connection stays.
const HEAD_TIME: Duration = Duration::from_secs(10);

/// How long a client may take nothing of what it is sent, web sockets included.
const WRITE_TIME: Duration = Duration::from_secs(10);

/// The largest head of a request, in bytes.
const MAX_HEAD: usize = 16 * 1024;

/// The pause after the system refuses a connection, such as for lack of file descriptors.
const PAUSE: Duration = Duration::from_millis(100);

/// A socket that listens.
#[derive(Debug)]
pub struct Listener {
    socket: TcpListener,
    /// Its address, with the port that the system chose.
    pub address: SocketAddr,
}

/// Listens on this address, or on a free port of the loopback address.
pub async fn open(address: Option<SocketAddr>) -> Result<Listener, Failure> {
    let wanted = address.unwrap_or_else(|| SocketAddr::from((Ipv4Addr::LOCALHOST, 0)));
    let failed = |error| Failure::Usage(format!("--listen {wanted}: {error}"));
    let socket = TcpListener::bind(wanted).await.map_err(failed)?;
    let address = socket.local_addr().map_err(failed)?;
    Ok(Listener { socket, address })
}

/// Answers all connections.
pub async fn serve(listener: Listener, app: Router) {
    let connections = Arc::new(Connections::default());
    loop {
        let Ok((stream, _)) = listener.socket.accept().await else {
            tokio::time::sleep(PAUSE).await;
            continue;
        };
        let _ = stream.set_nodelay(true);
        let mut stream = TimeoutStream::new(stream);
        stream.set_write_timeout(Some(WRITE_TIME));
        let connection = connections.add().await;
        tokio::spawn(answer(Box::pin(stream), connection, app.clone()));
    }
}

/// Answers the requests of a connection.
async fn answer(stream: Pin<Box<TimeoutStream<TcpStream>>>, connection: Connection, app: Router) {
    let app = TowerToHyperService::new(app);
    let own = connection.clone();
    let service = service_fn(move |mut request: Request<Incoming>| {
        request.extensions_mut().insert(own.clone());
        app.call(request)
    });
    let answered = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(HEAD_TIME)
        .max_buf_size(MAX_HEAD)
        .serve_connection(TokioIo::new(stream), service)
        .with_upgrades();
    tokio::select! {
        // The client has gone, or was too slow.
        _ = answered => {}
        () = connection.ended() => {}
    }
}
