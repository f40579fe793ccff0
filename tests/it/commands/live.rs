//! `arenite run --live`: a page that looks on misses nothing and changes nothing.

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use serde_json::Value;

use crate::cli_tools::{TABLES, arenite, command, run_well, said, summary};
use crate::commands::report::{browser, same_part, snapshots};

/// A run that is shown.
struct Shown {
    run: Child,
    address: String,
}

impl Shown {
    fn start(folder: &Path, arguments: &[&str]) -> Shown {
        let mut run = command(folder, arguments)
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let said = BufReader::new(run.stderr.take().unwrap());
        let line = said
            .lines()
            .map_while(Result::ok)
            .find(|line| line.starts_with("live at "));
        let line = line.expect("it says where the page is");
        let address = line
            .trim_start_matches("live at http://")
            .trim_end_matches('/');
        Shown {
            run,
            address: address.into(),
        }
    }

    /// Status and body of an answer.
    fn ask(&self, request: &str, host: &str) -> (u16, String) {
        let mut stream = TcpStream::connect(&self.address).unwrap();
        stream
            .set_read_timeout(Some(Duration::from_secs(60)))
            .unwrap();
        write!(stream, "{request} HTTP/1.0\r\nHost: {host}\r\n\r\n").unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        let (head, body) = answer.split_once("\r\n\r\n").unwrap();
        (
            head.split(' ').nth(1).unwrap().parse().unwrap(),
            body.into(),
        )
    }

    fn get(&self, path: &str) -> String {
        let (status, body) = self.ask(&format!("GET {path}"), &self.address);
        assert_eq!(status, 200, "{path}: {body}");
        body
    }

    fn json(&self, path: &str) -> Value {
        serde_json::from_str(&self.get(path)).unwrap()
    }
}

#[test]
fn a_page_that_looks_on_sees_all_and_changes_nothing() {
    let folder = tempfile::tempdir().unwrap();
    // Grains are fed and leave, a screen shakes: parts tell of new grains and of poses.
    let run = ["run", "screen", "--until", "3.0", "-q", "--threads", "1"];
    let set = ["--set", "log.snapshots=0.01", "--set", "log.series=0.01"];
    run_well(folder.path(), &[&run[..], &set, &["-o", "unseen"]].concat());
    let shown = Shown::start(
        folder.path(),
        &[&run[..], &set, &["-o", "seen", "--live"]].concat(),
    );
    let page = shown.get("/");
    assert!(page.contains("connect-src 'self'") && page.contains("class=\"status running\""));
    let mut parts: Vec<Value> = Vec::new();
    let mut next = 0;
    let mut plots = Vec::new();
    loop {
        let said = shown.json(&format!("/parts?from={next}"));
        next = said["next"].as_u64().unwrap();
        parts.extend(said["parts"].as_array().unwrap().iter().cloned());
        assert_eq!(parts.len() as u64, next);
        let state = shown.json("/state");
        plots.push(state["plots"].as_str().unwrap().matches("<figure").count());
        if said["ended"] == true && state["ended"] == true {
            assert_eq!(state["status"], "finished");
            break;
        }
        std::thread::sleep(Duration::from_millis(30));
    }
    let mut run = shown.run;
    assert!(run.wait().unwrap().success());

    let (seen, unseen) = (folder.path().join("seen"), folder.path().join("unseen"));
    assert_eq!(summary(&seen)["state_hash"], summary(&unseen)["state_hash"]);
    for table in TABLES {
        let same = fs::read(seen.join(table)).unwrap() == fs::read(unseen.join(table)).unwrap();
        assert!(same, "{table}");
    }
    let taken = snapshots(&seen);
    assert!(
        parts.len() > 1 && taken.len() > 100,
        "{} of {}",
        parts.len(),
        taken.len()
    );
    let (mut at, mut known) = (0, Vec::new());
    for (k, part) in parts.iter().enumerate() {
        let chunks = part["chunks"].as_array().unwrap().iter().enumerate();
        let chunks: String = chunks
            .map(|(k, chunk)| format!("id=\"film-{k}\">{}</script>", chunk.as_str().unwrap()))
            .collect();
        let film = format!("id=\"film-head\">{}</script>{chunks}", part["head"]);
        let count = part["head"]["times"].as_array().unwrap().len();
        same_part(
            &format!("part {k}"),
            &film,
            &taken[at..at + count],
            &mut known,
        );
        for wall in part["moving"].as_array().unwrap() {
            assert_eq!(wall["poses"].as_array().unwrap().len(), count);
        }
        at += count;
    }
    assert_eq!(at, taken.len());
    assert!(plots.iter().max() > Some(&3), "{plots:?}");
}

#[test]
fn only_pages_of_this_machine_are_answered() {
    let folder = tempfile::tempdir().unwrap();
    let run = [
        "run", "hopper", "--until", "1.0", "-q", "-o", "run", "--live",
    ];
    let shown = Shown::start(folder.path(), &run);
    let status = |request: &str, host: &str| shown.ask(request, host).0;
    assert_eq!(status("GET /", "localhost:80"), 200);
    for host in [
        "example.org",
        "localhost.example.org",
        "127.0.0.1.example.org:80",
    ] {
        assert_eq!(status("GET /state", host), 403, "{host}");
    }
    assert_eq!(status("POST /state", "localhost"), 405);
    for path in ["/../scenario.toml", "/scenario.toml", "//", "/x"] {
        assert_eq!(status(&format!("GET {path}"), "localhost"), 404, "{path}");
    }
    for wrong in [
        "/parts",
        "/parts?from=",
        "/parts?from=-1",
        "/parts?from=1e99",
    ] {
        assert_eq!(status(&format!("GET {wrong}"), "localhost"), 400, "{wrong}");
    }
    // What is no request, and what is too long for one.
    assert_eq!(status("GET / /", "localhost"), 400);
    assert_eq!(status("GET /", "localhost\r\nHost: localhost"), 400);
    assert_eq!(
        status(&format!("GET /{}", "x".repeat(20_000)), "localhost"),
        431
    );
    // Far beyond what there is: nothing, and no harm.
    assert_eq!(
        shown.json("/parts?from=1000000000")["parts"],
        serde_json::json!([])
    );
    let mut run = shown.run;
    assert!(run.wait().unwrap().success());
}

#[test]
fn a_port_in_use_and_what_is_no_port_are_told() {
    let folder = tempfile::tempdir().unwrap();
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = taken.local_addr().unwrap().port();
    let output = arenite(
        folder.path(),
        &["run", "hopper", "-o", "run", &format!("--live={port}")],
    );
    assert_eq!(output.status.code(), Some(2));
    let text = said(&output);
    assert!(
        text.contains(&port.to_string()) && text.contains("--live=PORT"),
        "{text}"
    );
    // What is in the folder stays: nothing was touched yet.
    assert!(!folder.path().join("run").exists());
    let output = arenite(folder.path(), &["run", "hopper", "--live=70000"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(said(&output).contains("70000"), "{}", said(&output));
}

/// Whoever neither talks nor reads holds up nobody: not the others, and not the end of the run.
#[test]
fn a_silent_client_holds_up_nobody() {
    let folder = tempfile::tempdir().unwrap();
    let run = [
        "run", "screen", "--until", "4.0", "-q", "-o", "run", "--live",
    ];
    let shown = Shown::start(folder.path(), &run);
    let pipelined = "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n".repeat(60);
    let mut silent = Vec::new();
    for head in [
        "POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2000\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: localhost\r\nExpect: 100-continue\r\nContent-Length: 10\r\n\r\n",
        "GET / HTTP/1.1\r\nHo",
        &pipelined,
    ] {
        let mut stream = TcpStream::connect(&shown.address).unwrap();
        stream.write_all(head.as_bytes()).unwrap();
        silent.push(stream);
        for _ in 0..12 {
            silent.push(TcpStream::connect(&shown.address).unwrap());
        }
        assert!(shown.get("/").contains("running"));
    }
    let mut run = shown.run;
    assert!(run.wait().unwrap().success());
    drop(silent);
}

/// In a real browser: `cargo test --release --test it live::in_a_browser -- --ignored`.
#[test]
#[ignore = "needs chromium or chrome on the path"]
fn in_a_browser_it_goes_with_the_run() {
    let folder = tempfile::tempdir().unwrap();
    let run = [
        "run", "hopper", "--until", "4.0", "-q", "-o", "run", "--live",
    ];
    let shown = Shown::start(folder.path(), &run);
    let output = Command::new(browser())
        .args([
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            "--enable-logging=stderr",
        ])
        .args(["--virtual-time-budget=20000", "--dump-dom"])
        .arg(format!("http://{}/", shown.address))
        .output()
        .unwrap();
    let errors = String::from_utf8_lossy(&output.stderr);
    let errors: Vec<&str> = errors
        .lines()
        .filter(|line| line.contains("CONSOLE"))
        .collect();
    assert_eq!(errors, Vec::<&str>::new());
    let document = String::from_utf8_lossy(&output.stdout);
    assert!(document.contains("data-ready=\"yes\""), "it does not play");
    assert!(document.contains("id=\"discharged\""), "it has no plots");
    let mut run = shown.run;
    run.kill().unwrap();
    run.wait().unwrap();
}
