//! `arenite run --live`: serves the page of a run in progress to browsers on this machine.

use std::net::SocketAddr;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use super::failure::Failure;
use super::serve::{Answer, Asked, Server, UnderWay};
use crate::view::report::Live;

/// A page that sent a request within this time counts as open.
const OPEN: Duration = Duration::from_secs(5);
/// How long the program waits for an open page to fetch the end.
const LAST: Duration = Duration::from_secs(5);

/// A port reserved for the page, before the folder of the run is touched.
pub(super) struct Port(Server);

/// The page, served until the program ends.
pub(super) struct Page {
    live: Arc<Live>,
    /// Time of the last request.
    asked: Arc<Mutex<Option<Instant>>>,
    under_way: UnderWay,
    address: SocketAddr,
}

impl Port {
    /// Binds this port on this machine only; 0 binds any free port.
    pub(super) fn take(port: u16) -> Result<Port, Failure> {
        let server = Server::take(port).map_err(|why| {
            Failure::Input(format!(
                "cannot serve the page on port {port} of this machine: {why}; choose another with --live=PORT, or any \
                 that is free with --live"
            ))
        })?;
        Ok(Port(server))
    }

    /// Serves the page of a run on this port.
    pub(super) fn serve(self, live: Arc<Live>) -> Page {
        let Port(server) = self;
        let (address, shown) = (server.address, live.clone());
        let asked = Arc::<Mutex<Option<Instant>>>::default();
        let last = asked.clone();
        let under_way = server.answer_with(move |request| {
            *last.lock().unwrap_or_else(PoisonError::into_inner) = Some(Instant::now());
            routed(request, &shown).unwrap_or_else(|(status, why)| Answer::refusal(status, why))
        });
        Page {
            live,
            asked,
            under_way,
            address,
        }
    }
}

impl Page {
    /// Returns the address of the page.
    pub(super) fn url(&self) -> String {
        format!("http://{}/", self.address)
    }

    /// Waits for an open page to fetch the end.
    pub(super) fn close(self) {
        let asked = *self.asked.lock().unwrap_or_else(PoisonError::into_inner);
        if asked.is_some_and(|when| when.elapsed() < OPEN) {
            let end = Instant::now() + LAST;
            let going = || !self.live.seen_to_the_end() || self.under_way.any();
            while going() && Instant::now() < end {
                thread::sleep(Duration::from_millis(50));
            }
        }
    }
}

type Refusal = (u16, &'static str);

fn routed(asked: &Asked, live: &Live) -> Result<Answer, Refusal> {
    // Refuses a foreign page whose host name was redirected to this machine.
    if !asked.host.as_deref().is_some_and(is_local) {
        return Err((403, "only for pages of this machine\n"));
    }
    if asked.method != "GET" {
        return Err((405, "only GET\n"));
    }
    let (path, query) = match asked.target.split_once('?') {
        Some(parts) => parts,
        None => (asked.target.as_str(), ""),
    };
    const FAILED: Refusal = (500, "the page cannot be written\n");
    let (kind, body) = match path {
        "/" => ("text/html", live.page().map_err(|_| FAILED)?),
        "/state" => ("application/json", live.state().map_err(|_| FAILED)?),
        "/parts" => {
            let from = query.strip_prefix("from=").and_then(|n| n.parse().ok());
            let from = from.ok_or((400, "parts?from=NUMBER\n"))?;
            ("application/json", live.parts(from))
        }
        _ => return Err((404, "there are /, /parts?from=NUMBER and /state\n")),
    };
    Ok(Answer {
        status: 200,
        kind,
        body,
    })
}

/// Whether a `Host` header names the loopback of this machine, with any port.
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
