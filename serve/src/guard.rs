//! Who may ask: every request passes here, web sockets included.
//!
//! | check | against |
//! |---|---|
//! | `Host` is an address, `localhost` or an allowed name, with any port | DNS rebinding: a page of another name that points here |
//! | the cookie has the secret, or the first address had it | other users and programs of the machine or network |
//! | the path begins with the prefix of this server | servers of others on this machine: browsers send a cookie to all ports, but only to its path |
//! | `Origin` is the same host and port as `Host`, for all but plain reading | pages of other sites that post or connect |
//! | `Sec-Fetch-Site`, where a browser sends it | pages of other sites that embed or read |
//!
//! Every answer has a strict policy for its content, and ends a connection that has not shown the secret.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, UdpSocket};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use axum::Extension;
use axum::body::{Body, to_bytes};
use axum::extract::{Request, State};
use axum::http::header::{
    ACCEPT, CACHE_CONTROL, CONNECTION, CONTENT_SECURITY_POLICY, COOKIE, HOST, LOCATION, ORIGIN,
    REFERRER_POLICY, SET_COOKIE, UPGRADE, X_CONTENT_TYPE_OPTIONS,
};
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode};
use axum::middleware::Next;
use axum::response::{Html, IntoResponse, Response};
use maud::{DOCTYPE, html};
use referee::is_host_name;
use referee_core::failure::Failure;
use tokio::time::timeout;

use crate::connections::Connection;
use crate::reply::{Refusal, Sentence};

const COOKIE_NAME: &str = "referee";

/// Why a request of a page of another site is refused.
const OTHER_SITE: &str = "the request comes from another site";

/// The length of the secret in bytes: 128 bits.
const SECRET: usize = 16;

/// The largest body of a request, in bytes: a saved game or a file of games.
const MAX_BODY: usize = 1024 * 1024;

/// How long a client may take for the body of a request.
const BODY_TIME: Duration = Duration::from_secs(10);

/// Addresses of other networks, which are reserved for examples.
const ELSEWHERE: (Ipv4Addr, Ipv6Addr) = (
    Ipv4Addr::new(192, 0, 2, 1),
    Ipv6Addr::new(0x2001, 0xdb8, 0, 0, 0, 0, 0, 1),
);

/// The policy of all pages but those of reports, which have their own.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; \
                      connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/// What requests are checked against.
#[derive(Debug)]
pub struct Guard {
    address: SocketAddr,
    /// The name of this machine, if other machines can connect.
    name: Option<String>,
    /// The names of `--allowed-host`.
    allowed: Vec<String>,
    secret: String,
    /// The path of all pages, between slashes. The cookie is for this path only.
    prefix: String,
    /// Whether a browser has come with the secret.
    was_opened: AtomicBool,
}

impl Guard {
    /// A guard of the server at this address and under these names, with a new secret.
    pub fn new(address: SocketAddr, allowed: &[String]) -> Result<Arc<Guard>, Failure> {
        Ok(Arc::new(Guard {
            address,
            name: (!address.ip().is_loopback()).then(referee_core::results::host_name),
            allowed: allowed.to_vec(),
            secret: random()?,
            prefix: random()?,
            was_opened: AtomicBool::new(false),
        }))
    }

    /// Whether a browser has opened the address.
    pub fn was_opened(&self) -> bool {
        self.was_opened.load(Ordering::Relaxed)
    }

    /// The path of all pages, without the last slash.
    pub fn path(&self) -> String {
        format!("/{}", self.prefix)
    }

    /// The address for a browser on this machine.
    pub fn address(&self) -> String {
        let mut shown = self.address;
        if shown.ip().is_unspecified() {
            shown.set_ip(if shown.is_ipv4() {
                Ipv4Addr::LOCALHOST.into()
            } else {
                Ipv6Addr::LOCALHOST.into()
            });
        }
        format!("http://{shown}/?key={}", self.secret)
    }

    /// The address for browsers on other machines; `None` if they cannot connect.
    pub fn address_for_others(&self) -> Option<String> {
        let name = self.name.as_ref()?;
        let mut shown = self.address;
        if shown.ip().is_unspecified() {
            // The way to another network; nothing is sent.
            let elsewhere: IpAddr = if shown.is_ipv4() {
                ELSEWHERE.0.into()
            } else {
                ELSEWHERE.1.into()
            };
            let way = UdpSocket::bind((shown.ip(), 0));
            let way = way.and_then(|way| way.connect((elsewhere, 9)).and_then(|()| way.local_addr()));
            match way {
                Ok(way) => shown.set_ip(way.ip()),
                Err(_) => return Some(format!("http://{name}:{}/?key={}", shown.port(), self.secret)),
            }
        }
        Some(format!("http://{shown}/?key={}", self.secret))
    }

    /// Why the request is refused before its secret is looked at.
    fn refusal(&self, method: &Method, headers: &HeaderMap) -> Option<String> {
        let Some(host) = single(headers, &HOST).and_then(HostPort::parse) else {
            return Some("the request names no host".into());
        };
        if !self.is_own(host) {
            return Some(unknown_name(host.name));
        }
        let is_reading = matches!(*method, Method::GET | Method::HEAD) && !headers.contains_key(UPGRADE);
        match single(headers, &ORIGIN) {
            Some(origin) if host.is_origin(origin) => None,
            None if is_reading && !headers.contains_key(ORIGIN) => None,
            _ => Some(OTHER_SITE.into()),
        }
    }

    /// Whether a host may be this server: an address, `localhost`, the name of this machine if others can
    /// connect, or a name of the command line. Any other name may be one that an attacker has pointed here.
    /// The port may be another one here, behind a tunnel or in a container.
    fn is_own(&self, host: HostPort) -> bool {
        let name = host.name.to_ascii_lowercase();
        let is_local = name == "localhost" || name.ends_with(".localhost");
        let mut own = self.name.iter().chain(&self.allowed);
        host.is_address() || is_local || own.any(|own| own.eq_ignore_ascii_case(&name))
    }

    /// Whether the cookies have the secret.
    fn has_secret(&self, headers: &HeaderMap) -> bool {
        let cookies = headers.get_all(COOKIE).into_iter();
        let mut pairs = cookies
            .filter_map(|header| header.to_str().ok())
            .flat_map(|header| header.split(';'))
            .filter_map(|pair| pair.trim().split_once('='));
        pairs.any(|(name, value)| name == COOKIE_NAME && self.is_secret(value))
    }

    /// Compares in a time that does not depend on where the texts differ.
    fn is_secret(&self, given: &str) -> bool {
        let pairs = given.bytes().zip(self.secret.bytes());
        given.len() == self.secret.len() && pairs.fold(0, |all, (one, other)| all | (one ^ other)) == 0
    }
}

/// A host and a port, as in the header `Host`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct HostPort<'a> {
    /// A name or an address, that of IPv6 in brackets.
    name: &'a str,
    /// `None` is the default of the scheme.
    port: Option<u16>,
}

impl HostPort<'_> {
    fn parse(text: &str) -> Option<HostPort<'_>> {
        let end = if text.starts_with('[') {
            text.find(']')? + 1
        } else {
            text.find(':').unwrap_or(text.len())
        };
        let (name, rest) = text.split_at(end);
        let port = match rest.strip_prefix(':') {
            None if rest.is_empty() => None,
            Some(digits) if digits.bytes().all(|byte| byte.is_ascii_digit()) => Some(digits.parse().ok()?),
            _ => return None,
        };
        (!name.is_empty()).then_some(HostPort { name, port })
    }

    fn is_address(self) -> bool {
        let inner = self
            .name
            .strip_prefix('[')
            .and_then(|name| name.strip_suffix(']'));
        match inner {
            Some(inner) => inner.parse::<Ipv6Addr>().is_ok(),
            None => self.name.parse::<Ipv4Addr>().is_ok(),
        }
    }

    /// Whether an origin has this host and port. Its scheme is `https` behind a proxy that encrypts.
    fn is_origin(self, origin: &str) -> bool {
        let schemes = [("http://", 80), ("https://", 443)];
        let Some((place, default)) = schemes
            .into_iter()
            .find_map(|(scheme, default)| Some((HostPort::parse(origin.strip_prefix(scheme)?)?, default)))
        else {
            return false;
        };
        place.name.eq_ignore_ascii_case(self.name)
            && place.port.unwrap_or(default) == self.port.unwrap_or(default)
    }
}

/// The refusal of a name, with the option that allows it.
fn unknown_name(name: &str) -> String {
    if is_host_name(name) {
        format!(
            "this server does not know the name `{name}`; start it with `--allowed-host {name}`, or use the address \
             that it printed"
        )
    } else {
        "this server has another name; use the address that it printed".into()
    }
}

/// A random text.
fn random() -> Result<String, Failure> {
    let mut bytes = [0; SECRET];
    getrandom::fill(&mut bytes)
        .map_err(|error| Failure::Output(format!("no random numbers for the secret: {error}")))?;
    Ok(format!("{:032x}", u128::from_be_bytes(bytes)))
}

/// The value of a header that stands there once.
fn single<'a>(headers: &'a HeaderMap, name: &HeaderName) -> Option<&'a str> {
    let mut values = headers.get_all(name).iter();
    let first = values.next()?.to_str().ok()?;
    values.next().is_none().then_some(first)
}

/// Whether a browser says that a page of another site asks. A link to the start of the pages is fine, and the
/// first address leads there.
fn is_from_other_site(guard: &Guard, request: &Request) -> bool {
    let header = |name: &str| {
        let value = request.headers().get(name);
        value.and_then(|value| value.to_str().ok()).unwrap_or_default()
    };
    let is_link = header("sec-fetch-mode") == "navigate" && header("sec-fetch-dest") == "document";
    let is_other = matches!(header("sec-fetch-site"), "cross-site" | "same-site");
    let is_start = ["/", &format!("{}/", guard.path())].contains(&request.uri().path());
    is_other && !(is_link && request.method() == Method::GET && is_start)
}

/// Answers a request that may pass; refuses any other.
pub async fn check(
    State(guard): State<Arc<Guard>>,
    Extension(connection): Extension<Connection>,
    request: Request,
    next: Next,
) -> Response {
    let accepted = request
        .headers()
        .get(ACCEPT)
        .and_then(|value| value.to_str().ok());
    let is_page = accepted.is_some_and(|kinds| kinds.contains("text/html"));
    let mut response = match guard.refusal(request.method(), request.headers()) {
        Some(why) => Refusal::forbidden(why).into_response(),
        None if is_from_other_site(&guard, &request) => Refusal::forbidden(OTHER_SITE).into_response(),
        None => answer(&guard, &connection, request, next).await,
    };
    if is_page && let Some(Sentence(text)) = response.extensions_mut().remove() {
        response = (response.status(), page(&text)).into_response();
    }
    let headers = response.headers_mut();
    if !connection.is_known() {
        headers.insert(CONNECTION, HeaderValue::from_static("close"));
    }
    headers
        .entry(CONTENT_SECURITY_POLICY)
        .or_insert(HeaderValue::from_static(POLICY));
    headers.insert(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    headers.insert(REFERRER_POLICY, HeaderValue::from_static("no-referrer"));
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    let same_origin = HeaderValue::from_static("same-origin");
    headers.insert("cross-origin-opener-policy", same_origin.clone());
    headers.insert("cross-origin-resource-policy", same_origin);
    response
}

/// A sentence as a page that a phone shows in readable letters.
fn page(text: &str) -> Html<String> {
    let first = text.chars().take(1).flat_map(char::to_uppercase);
    let text: String = first.chain(text.chars().skip(1)).collect();
    let page = html! {
        (DOCTYPE)
        html lang="en" {
            meta charset="utf-8";
            meta name="viewport" content="width=device-width, initial-scale=1";
            meta name="color-scheme" content="light dark";
            title { "referee" }
            h1 { "referee" }
            p {
                // What it quotes is code.
                @for (at, part) in text.split('`').enumerate() {
                    @if at % 2 == 0 { (part) } @else { code { (part) } }
                }
                @if !text.ends_with('.') { "." }
            }
        }
    };
    Html(page.into_string())
}

/// Answers a request of this server. The secret in the first address becomes a cookie, so that it stands in
/// no later address.
async fn answer(guard: &Guard, connection: &Connection, request: Request, next: Next) -> Response {
    // Chat programs add parameters of their own to an address.
    let mut parameters = request.uri().query().unwrap_or_default().split('&');
    let key = parameters.find_map(|parameter| parameter.strip_prefix("key="));
    if request.uri().path() == "/"
        && request.method() == Method::GET
        && let Some(key) = key
    {
        if !guard.is_secret(key) {
            return Refusal::forbidden(
                "the key in the address is not that of this server; it prints another one at each start",
            )
            .into_response();
        }
        connection.show_key();
        guard.was_opened.store(true, Ordering::Relaxed);
        let path = format!("{}/", guard.path());
        let cookie = format!(
            "{COOKIE_NAME}={}; HttpOnly; SameSite=Lax; Path={path}",
            guard.secret
        );
        return (StatusCode::SEE_OTHER, [(SET_COOKIE, cookie), (LOCATION, path)]).into_response();
    }
    if !guard.has_secret(request.headers()) {
        return Refusal::forbidden("open the address that `referee serve` printed; it contains a key")
            .into_response();
    }
    connection.show_key();
    // Handlers wait for no client.
    let (head, body) = request.into_parts();
    match timeout(BODY_TIME, to_bytes(body, MAX_BODY)).await {
        Ok(Ok(body)) => next.run(Request::from_parts(head, Body::from(body))).await,
        Ok(Err(_)) => {
            Refusal::too_large(format!("the request is larger than {MAX_BODY} bytes")).into_response()
        }
        Err(_) => StatusCode::REQUEST_TIMEOUT.into_response(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Why a guard of port 80 refuses a request with these headers.
    fn refusal(headers: &[(HeaderName, &'static str)]) -> Option<String> {
        let guard = Guard::new(([127, 0, 0, 1], 80).into(), &["mine.example".into()]).unwrap();
        let values = headers
            .iter()
            .map(|(name, value)| (name.clone(), HeaderValue::from_static(value)));
        guard.refusal(&Method::GET, &values.collect())
    }

    #[test]
    fn requests_and_web_sockets_under_a_foreign_name_are_refused() {
        let foreign = [(HOST, "evil.example"), (ORIGIN, "http://evil.example")];
        let named = unknown_name("evil.example");
        assert_eq!(refusal(&foreign), Some(named.clone()));
        let socket = [&foreign[..], &[(UPGRADE, "websocket")]].concat();
        assert_eq!(refusal(&socket), Some(named));
        for (host, origin) in [
            ("localhost", "http://localhost"),
            ("mine.example", "http://mine.example"),
            ("127.0.0.1:8000", "http://127.0.0.1:8000"),
        ] {
            let own = [(HOST, host), (ORIGIN, origin), (UPGRADE, "websocket")];
            assert_eq!(refusal(&own), None, "{host}");
        }
    }

    #[test]
    fn of_another_site_only_a_link_to_the_start_is_followed() {
        let guard = Guard::new(([127, 0, 0, 1], 80).into(), &[]).unwrap();
        for (is_refused, mode, dest, path) in [
            (false, "navigate", "document", "/"),
            (true, "navigate", "document", "/x"),
            (true, "navigate", "iframe", "/"),
            (true, "no-cors", "document", "/"),
        ] {
            let request = axum::http::Request::get(path)
                .header("sec-fetch-site", "cross-site")
                .header("sec-fetch-mode", mode)
                .header("sec-fetch-dest", dest);
            let request = request.body(axum::body::Body::empty()).unwrap();
            assert_eq!(
                is_from_other_site(&guard, &request),
                is_refused,
                "{mode} {dest} {path}"
            );
        }
    }

    #[test]
    fn only_plain_reading_needs_no_origin() {
        assert_eq!(refusal(&[(HOST, "localhost")]), None);
        let socket = [(HOST, "localhost"), (UPGRADE, "websocket")];
        assert_eq!(refusal(&socket).as_deref(), Some(OTHER_SITE));
        let other = [(HOST, "localhost"), (ORIGIN, "http://evil.example")];
        assert_eq!(refusal(&other).as_deref(), Some(OTHER_SITE));
    }
}
