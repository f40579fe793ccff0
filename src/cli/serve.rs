//! A minimal web server for a page on this machine: loopback only, one request per connection, a thread for each, and
//! limits on everything that a client can make it wait for or store.

use std::io::{ErrorKind, Read, Write};
use std::net::{Ipv4Addr, Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

/// Greatest number of simultaneous connections; further ones are dropped.
const AT_ONCE: usize = 64;
/// Greatest length of a request's head, bytes.
const HEAD: usize = 16 << 10;
/// Time limit for a client to send its request.
const TO_ASK: Duration = Duration::from_secs(10);
/// Time limit for it to receive the answer.
const TO_TAKE: Duration = Duration::from_secs(60);
/// How long further input after the answer is discarded, so that the connection is not reset before the client has
/// read the answer.
const TO_GO: Duration = Duration::from_secs(1);

/// A bound port of this machine.
pub(super) struct Server {
    listener: TcpListener,
    pub(super) address: SocketAddr,
}

/// A request of a client.
#[derive(Debug, PartialEq)]
pub(super) struct Asked {
    pub(super) method: String,
    /// Path and query, as sent.
    pub(super) target: String,
    pub(super) host: Option<String>,
}

/// An answer.
pub(super) struct Answer {
    pub(super) status: u16,
    /// Media type, such as `text/html`.
    pub(super) kind: &'static str,
    pub(super) body: String,
}

impl Answer {
    /// Returns a refusal as plain text.
    pub(super) fn refusal(status: u16, why: &str) -> Answer {
        Answer {
            status,
            kind: "text/plain",
            body: why.into(),
        }
    }
}

impl Server {
    /// Binds this port of the loopback; 0 binds any free port.
    pub(super) fn take(port: u16) -> std::io::Result<Server> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port))?;
        let address = listener.local_addr()?;
        Ok(Server { listener, address })
    }

    /// Answers requests until the program ends. No thread waits for these threads.
    pub(super) fn answer_with(
        self,
        answer: impl Fn(&Asked) -> Answer + Send + Sync + 'static,
    ) -> UnderWay {
        let (answer, under_way) = (Arc::new(answer), UnderWay::default());
        let all = under_way.clone();
        thread::spawn(move || {
            // The count of references is the number of connections plus one.
            let busy = Arc::new(());
            for stream in self.listener.incoming() {
                let Ok(stream) = stream else {
                    // For example without free handles: some are released when other connections end.
                    thread::sleep(Duration::from_millis(50));
                    continue;
                };
                if Arc::strong_count(&busy) > AT_ONCE {
                    continue;
                }
                let (answer, busy, under_way) = (answer.clone(), busy.clone(), all.clone());
                let connection = move || {
                    // A page that was closed meanwhile is no error.
                    let _ = serve(stream, &*answer, &under_way);
                    drop(busy);
                };
                // If no thread can be started, the connection is dropped.
                let _ = thread::Builder::new().spawn(connection);
            }
        });
        under_way
    }
}

/// Counts the answers being computed or sent.
#[derive(Clone, Default)]
pub(super) struct UnderWay(Arc<AtomicUsize>);

impl UnderWay {
    pub(super) fn any(&self) -> bool {
        self.0.load(Ordering::SeqCst) > 0
    }

    fn one(&self) -> One {
        self.0.fetch_add(1, Ordering::SeqCst);
        One(self.clone())
    }
}

/// One of these answers.
struct One(UnderWay);

impl Drop for One {
    fn drop(&mut self) {
        self.0.0.fetch_sub(1, Ordering::SeqCst);
    }
}

fn serve(
    mut stream: TcpStream,
    answer: &dyn Fn(&Asked) -> Answer,
    under_way: &UnderWay,
) -> std::io::Result<()> {
    let head = head(&mut stream)?;
    let one = under_way.one();
    let told = match head {
        Head::Whole(text) => match Asked::read(&text) {
            Some(asked) => answer(&asked),
            None => Answer::refusal(400, "not a request\n"),
        },
        Head::TooLong => Answer::refusal(431, "more than a page asks\n"),
        Head::Nothing => return Ok(()),
    };
    let Answer { status, kind, body } = told;
    let text = format!(
        "HTTP/1.1 {status} {}\r\nContent-Type: {kind}; charset=utf-8\r\nContent-Length: {}\r\nConnection: close\r\n\
         Cache-Control: no-store\r\nX-Content-Type-Options: nosniff\r\nContent-Security-Policy: frame-ancestors \
         'none'\r\n\r\n{body}",
        reason(status),
        body.len(),
    );
    let end = Instant::now() + TO_TAKE;
    let mut rest = text.as_bytes();
    while !rest.is_empty() {
        stream.set_write_timeout(Some(left(end)?))?;
        match stream.write(rest) {
            Ok(0) => return Ok(()),
            Ok(count) => rest = &rest[count..],
            Err(why) if why.kind() == ErrorKind::Interrupted => (),
            Err(why) => return Err(why),
        }
    }
    stream.shutdown(Shutdown::Write)?;
    drop(one);
    let end = Instant::now() + TO_GO;
    let mut thrown = [0; 1024];
    loop {
        stream.set_read_timeout(Some(left(end)?))?;
        if stream.read(&mut thrown)? == 0 {
            return Ok(());
        }
    }
}

enum Head {
    Whole(String),
    TooLong,
    /// The client closed the connection before it sent a whole head.
    Nothing,
}

/// Reads up to the empty line that ends a head.
fn head(stream: &mut TcpStream) -> std::io::Result<Head> {
    let end = Instant::now() + TO_ASK;
    let mut bytes = Vec::new();
    let mut buffer = [0; 1024];
    loop {
        stream.set_read_timeout(Some(left(end)?))?;
        let count = match stream.read(&mut buffer) {
            Ok(0) => return Ok(Head::Nothing),
            Ok(count) => count,
            Err(why) if why.kind() == ErrorKind::Interrupted => continue,
            Err(why) => return Err(why),
        };
        // The mark may span the previous and the current read.
        let from = bytes.len().saturating_sub(3);
        bytes.extend_from_slice(&buffer[..count]);
        if let Some(at) = bytes[from..].windows(4).position(|w| w == b"\r\n\r\n") {
            bytes.truncate(from + at);
            return Ok(Head::Whole(String::from_utf8_lossy(&bytes).into_owned()));
        }
        if bytes.len() > HEAD {
            return Ok(Head::TooLong);
        }
    }
}

/// Returns the time left until `end`.
fn left(end: Instant) -> std::io::Result<Duration> {
    let left = end.saturating_duration_since(Instant::now());
    match left.is_zero() {
        true => Err(ErrorKind::TimedOut.into()),
        false => Ok(left),
    }
}

impl Asked {
    /// Parses a head without the empty line at its end.
    fn read(head: &str) -> Option<Asked> {
        let mut lines = head.split("\r\n");
        let mut words = lines.next()?.split(' ');
        let (method, target, version) = (words.next()?, words.next()?, words.next()?);
        if words.next().is_some() || !version.starts_with("HTTP/1.") || method.is_empty() {
            return None;
        }
        let mut host = None;
        for line in lines {
            let (name, value) = line.split_once(':')?;
            // Two such headers could be interpreted differently by different readers.
            if name.eq_ignore_ascii_case("host") && host.replace(value.trim().to_owned()).is_some()
            {
                return None;
            }
        }
        Some(Asked {
            method: method.into(),
            target: target.into(),
            host,
        })
    }
}

/// Returns the reason phrase of a status.
fn reason(status: u16) -> &'static str {
    match status {
        200 => "OK",
        400 => "Bad Request",
        403 => "Forbidden",
        404 => "Not Found",
        405 => "Method Not Allowed",
        431 => "Request Header Fields Too Large",
        _ => "Internal Server Error",
    }
}

#[cfg(test)]
mod tests {
    use super::Asked;

    #[test]
    fn requests_are_read_or_refused() {
        let asked =
            Asked::read("GET /parts?from=1 HTTP/1.1\r\nAccept: */*\r\nhOsT:  localhost:80 ");
        let expected = Asked {
            method: "GET".into(),
            target: "/parts?from=1".into(),
            host: Some("localhost:80".into()),
        };
        assert_eq!(asked, Some(expected));
        assert_eq!(Asked::read("GET / HTTP/1.0").unwrap().host, None);
        for wrong in [
            "",
            "GET",
            "GET /",
            "GET / HTTP/2",
            "GET / x HTTP/1.1",
            " / HTTP/1.1",
            "GET / HTTP/1.1\r\nno name",
            "GET / HTTP/1.1\r\nHost: localhost\r\nHost: example.org",
        ] {
            assert_eq!(Asked::read(wrong), None, "{wrong}");
        }
    }
}
