//! `arenite run --live`: the page of a run that goes on, served to browsers on this machine.

use std::io::Cursor;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use tiny_http::{Header, Method, Request, Response, Server};

use super::failure::Failure;
use crate::view::report::Live;

/// A page that asked within this time is still open.
const OPEN: Duration = Duration::from_secs(5);
/// How long an open page has to fetch the end.
const LAST: Duration = Duration::from_secs(5);

/// A page that is served until it is closed.
pub(super) struct Page {
    server: Arc<Server>,
    thread: Option<JoinHandle<()>>,
    live: Arc<Live>,
    /// When a page asked last.
    asked: Arc<Mutex<Option<Instant>>>,
    address: SocketAddr,
}

impl Page {
    /// Serves a run's page on this machine only, at this port; 0 takes any that is free.
    pub(super) fn open(port: u16, live: Arc<Live>) -> Result<Page, Failure> {
        let server = Server::http((Ipv4Addr::LOCALHOST, port)).map_err(|why| {
            Failure::Input(format!(
                "cannot serve the page on port {port} of this machine: {why}; choose another with --live=PORT, or any \
                 that is free with --live"
            ))
        })?;
        let server = Arc::new(server);
        let asked = Arc::new(Mutex::new(None));
        let fallback = SocketAddr::from((Ipv4Addr::LOCALHOST, port));
        let address = server.server_addr().to_ip().unwrap_or(fallback);
        let thread = {
            let (server, live, asked) = (server.clone(), live.clone(), asked.clone());
            thread::spawn(move || {
                for request in server.incoming_requests() {
                    *asked.lock().unwrap_or_else(PoisonError::into_inner) = Some(Instant::now());
                    answer(request, &live);
                }
            })
        };
        Ok(Page {
            server,
            thread: Some(thread),
            live,
            asked,
            address,
        })
    }

    /// Where it is.
    pub(super) fn url(&self) -> String {
        format!("http://{}/", self.address)
    }

    /// Ends the service; a page that is open is given the time to fetch the end first.
    pub(super) fn close(mut self) {
        let asked = *self.asked.lock().unwrap_or_else(PoisonError::into_inner);
        if asked.is_some_and(|when| when.elapsed() < OPEN) {
            let end = Instant::now() + LAST;
            while !self.live.seen_to_the_end() && Instant::now() < end {
                thread::sleep(Duration::from_millis(50));
            }
        }
        self.server.unblock();
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

fn answer(request: Request, live: &Live) {
    let (status, kind, body) = match routed(&request, live) {
        Ok((kind, body)) => (200, kind, body),
        Err((status, why)) => (status, "text/plain", why.to_owned()),
    };
    let length = body.len();
    let header = |name: &str, value: &str| Header::from_bytes(name, value).ok();
    let headers = [
        header("Content-Type", &format!("{kind}; charset=utf-8")),
        header("Cache-Control", "no-store"),
        header("X-Content-Type-Options", "nosniff"),
        header("Content-Security-Policy", "frame-ancestors 'none'"),
    ];
    let response = Response::new(
        status.into(),
        headers.into_iter().flatten().collect(),
        Cursor::new(body.into_bytes()),
        Some(length),
        None,
    )
    .with_chunked_threshold(usize::MAX);
    // A page that is closed meanwhile is no reason to stop.
    let _ = request.respond(response);
}

type Refusal = (u16, &'static str);

fn routed(request: &Request, live: &Live) -> Result<(&'static str, String), Refusal> {
    // A foreign page whose name was made to mean this machine is told nothing.
    let host = request.headers().iter().find(|h| h.field.equiv("Host"));
    if !host.is_some_and(|h| is_local(h.value.as_str())) {
        return Err((403, "only for pages of this machine\n"));
    }
    if *request.method() != Method::Get {
        return Err((405, "only GET\n"));
    }
    let (path, query) = match request.url().split_once('?') {
        Some((path, query)) => (path, query),
        None => (request.url(), ""),
    };
    const FAILED: Refusal = (500, "the page cannot be written\n");
    match path {
        "/" => Ok(("text/html", live.page().map_err(|_| FAILED)?)),
        "/state" => Ok(("application/json", live.state().map_err(|_| FAILED)?)),
        "/parts" => {
            let from = query.strip_prefix("from=").and_then(|n| n.parse().ok());
            let from = from.ok_or((400, "parts?from=NUMBER\n"))?;
            Ok(("application/json", live.parts(from)))
        }
        _ => Err((404, "there are /, /parts?from=NUMBER and /state\n")),
    }
}

/// Whether a `Host` names this machine by its own loopback, at any port.
fn is_local(host: &str) -> bool {
    let name = match host.rsplit_once(':') {
        Some((name, port)) if port.bytes().all(|b| b.is_ascii_digit()) => name,
        _ => host,
    };
    ["localhost", "127.0.0.1", "[::1]"].contains(&name)
}

#[cfg(test)]
mod tests {
    use super::is_local;

    #[test]
    fn only_this_machine() {
        for host in [
            "localhost",
            "localhost:8000",
            "127.0.0.1:1",
            "[::1]:80",
            "[::1]",
        ] {
            assert!(is_local(host), "{host}");
        }
        for host in [
            "",
            "example.org",
            "localhost.example.org:80",
            "127.0.0.1.example.org",
            "localhost:a",
            "::1",
        ] {
            assert!(!is_local(host), "{host}");
        }
    }
}
