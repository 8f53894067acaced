//! Connections and their limits: many, slow and silent clients cannot hold up the others.

use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use referee_core::failure::Failure;
use tokio::net::TcpListener;
use tokio::sync::Semaphore;

/// The most connections at a time. A page has one web socket and up to six others.
const MAX_CONNECTIONS: usize = 512;

/// How long a client may take for the head of a request; also how long an idle connection stays.
const HEAD_TIME: Duration = Duration::from_secs(10);

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
///
/// # Errors
/// The address cannot be used.
pub async fn open(address: Option<SocketAddr>) -> Result<Listener, Failure> {
    let wanted = address.unwrap_or_else(|| SocketAddr::from((Ipv4Addr::LOCALHOST, 0)));
    let failed = |error| Failure::Usage(format!("--listen {wanted}: {error}"));
    let socket = TcpListener::bind(wanted).await.map_err(failed)?;
    let address = socket.local_addr().map_err(failed)?;
    Ok(Listener { socket, address })
}

/// Answers all connections.
pub async fn serve(listener: Listener, app: Router) {
    let permits = Arc::new(Semaphore::new(MAX_CONNECTIONS));
    // The semaphore is never closed.
    while let Ok(permit) = Arc::clone(&permits).acquire_owned().await {
        let Ok((stream, _)) = listener.socket.accept().await else {
            tokio::time::sleep(PAUSE).await;
            continue;
        };
        let _ = stream.set_nodelay(true);
        let service = TowerToHyperService::new(app.clone());
        tokio::spawn(async move {
            let connection = http1::Builder::new()
                .timer(TokioTimer::new())
                .header_read_timeout(HEAD_TIME)
                .max_buf_size(MAX_HEAD)
                .serve_connection(TokioIo::new(stream), service)
                .with_upgrades();
            // The client has gone, or was too slow.
            let _ = connection.await;
            drop(permit);
        });
    }
}
