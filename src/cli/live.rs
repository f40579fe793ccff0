//! `arenite run --live`: the page of a run that goes on, served to browsers on this machine.

use std::io::Cursor;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use tiny_http::{Header, Method, Request, Response, Server};

use super::failure::Failure;
use crate::view::report::Live;

/// A page that asked within this time is still open.
const OPEN: Duration = Duration::from_secs(5);
/// How long an open page has to fetch the end.
const LAST: Duration = Duration::from_secs(5);

/// Requests that are answered at a time; more are let go.
const AT_ONCE: usize = 64;

/// A port that is held for a page: before the folder of the run is touched.
pub(super) struct Port(Server, SocketAddr);

/// A page that is served until it is closed.
pub(super) struct Page {
    live: Arc<Live>,
    /// When a page asked last.
    asked: Arc<Mutex<Option<Instant>>>,
    address: SocketAddr,
}

impl Port {
    /// Takes this port of this machine only; 0 takes any that is free.
    pub(super) fn take(port: u16) -> Result<Port, Failure> {
        let server = Server::http((Ipv4Addr::LOCALHOST, port)).map_err(|why| {
            Failure::Input(format!(
                "cannot serve the page on port {port} of this machine: {why}; choose another with --live=PORT, or any \
                 that is free with --live"
            ))
        })?;
        let fallback = SocketAddr::from((Ipv4Addr::LOCALHOST, port));
        let address = server.server_addr().to_ip().unwrap_or(fallback);
        Ok(Port(server, address))
    }

    /// Serves the page of a run here.
    ///
    /// Whoever asks and then neither talks nor reads holds up a thread of its own, and not the end of the run: nobody
    /// waits for these threads, which end with the program. (tiny_http 0.12 may let a connection that comes in the same
    /// millisecond as such a one wait for it.)
    pub(super) fn serve(self, live: Arc<Live>) -> Page {
        let Port(server, address) = self;
        let asked = Arc::new(Mutex::new(None));
        let page = Page {
            live: live.clone(),
            asked: asked.clone(),
            address,
        };
        let under_way = Arc::new(AtomicUsize::new(0));
        thread::spawn(move || {
            for request in server.incoming_requests() {
                *asked.lock().unwrap_or_else(PoisonError::into_inner) = Some(Instant::now());
                under_way.fetch_add(1, Ordering::Relaxed);
                let (live, busy) = (live.clone(), under_way.clone());
                thread::spawn(move || {
                    if busy.load(Ordering::Relaxed) <= AT_ONCE {
                        answer(request, &live);
                    }
                    busy.fetch_sub(1, Ordering::Relaxed);
                });
            }
        });
        page
    }
}

impl Page {
    /// Where it is.
    pub(super) fn url(&self) -> String {
        format!("http://{}/", self.address)
    }

    /// Gives a page that is open the time to fetch the end.
    pub(super) fn close(self) {
        let asked = *self.asked.lock().unwrap_or_else(PoisonError::into_inner);
        if asked.is_some_and(|when| when.elapsed() < OPEN) {
            let end = Instant::now() + LAST;
            while !self.live.seen_to_the_end() && Instant::now() < end {
                thread::sleep(Duration::from_millis(50));
            }
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
    ["localhost", "127.0.0.1", "[::1]"]
        .iter()
        .any(|known| known.eq_ignore_ascii_case(name))
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
