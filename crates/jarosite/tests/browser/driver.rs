//! A browser without a screen, driven over WebDriver: plain HTTP to a chromedriver of our own.

use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tempfile::TempDir;

/// One browser with one page.
pub struct Browser {
    driver: Child,
    port: u16,
    session: String,
    _profile: TempDir,
}

impl Browser {
    /// Starts a driver and a browser that talks to nobody. `dark` is what the system prefers.
    pub fn start(dark: bool) -> Browser {
        let port = free_port();
        let driver = Command::new("chromedriver")
            .arg(format!("--port={port}"))
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("chromedriver is missing: `./x test` installs it (Debian: chromium-driver)");
        let profile = tempfile::tempdir().expect("a directory");
        let mut browser = Browser { driver, port, session: String::new(), _profile: profile };
        browser.wait_for_driver();
        let directory = format!("--user-data-dir={}", browser._profile.path().display());
        let mut arguments = vec![
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            "--disable-quic",
            "--disable-dev-shm-usage",
            "--no-first-run",
            "--disable-background-networking",
            "--disable-component-update",
            "--disable-sync",
            "--window-size=1400,1000",
            &directory,
        ];
        if dark {
            arguments.push("--blink-settings=preferredColorScheme=0");
        }
        let wanted = json!({"capabilities": {"alwaysMatch": {
            "browserName": "chrome",
            "goog:chromeOptions": {"args": arguments},
            "goog:loggingPrefs": {"browser": "ALL"},
        }}});
        let session = browser.ask("POST", "/session", Some(&wanted));
        browser.session = session["sessionId"].as_str().expect("a session").to_string();
        browser
    }

    fn wait_for_driver(&self) {
        let start = Instant::now();
        while TcpStream::connect(("127.0.0.1", self.port)).is_err() {
            assert!(start.elapsed() < Duration::from_secs(20), "chromedriver does not answer");
            std::thread::sleep(Duration::from_millis(50));
        }
    }

    pub fn open(&self, file: &Path) {
        let url = format!("file://{}", file.display());
        self.command("POST", "/url", Some(&json!({"url": url})));
    }

    /// The value of an expression of JavaScript.
    pub fn read(&self, expression: &str) -> Value {
        let script = json!({"script": format!("return {expression};"), "args": []});
        self.command("POST", "/execute/sync", Some(&script))
    }

    pub fn text(&self, expression: &str) -> String {
        self.read(expression).as_str().unwrap_or_default().to_string()
    }

    /// Presses a key as a person would, wherever the focus is.
    pub fn press(&self, key: Key) {
        let value = key.value();
        let actions = json!({"actions": [{"type": "key", "id": "keyboard", "actions": [
            {"type": "keyDown", "value": value},
            {"type": "keyUp", "value": value},
        ]}]});
        self.command("POST", "/actions", Some(&actions));
    }

    pub fn click(&self, selector: &str) {
        let found = json!({"using": "css selector", "value": selector});
        let element = self.command("POST", "/element", Some(&found));
        let (_, id) = element.as_object().and_then(|e| e.iter().next()).expect("an element");
        let id = id.as_str().expect("an id");
        self.command("POST", &format!("/element/{id}/click"), Some(&json!({})));
    }

    /// A command of the browser's own protocol.
    pub fn devtools(&self, name: &str, parameters: Value) {
        let command = json!({"cmd": name, "params": parameters});
        self.command("POST", "/goog/cdp/execute", Some(&command));
    }

    /// What the console has said since it was last asked.
    pub fn console(&self) -> Vec<String> {
        let log = self.command("POST", "/se/log", Some(&json!({"type": "browser"})));
        let entries = log.as_array().cloned().unwrap_or_default();
        entries.iter().map(|e| e["message"].as_str().unwrap_or_default().to_string()).collect()
    }

    fn command(&self, verb: &str, path: &str, body: Option<&Value>) -> Value {
        self.ask(verb, &format!("/session/{}{path}", self.session), body)
    }

    fn ask(&self, verb: &str, path: &str, body: Option<&Value>) -> Value {
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).expect("the driver listens");
        stream.set_read_timeout(Some(Duration::from_secs(60))).expect("a time limit");
        let body = body.map(Value::to_string).unwrap_or_default();
        let head = format!(
            "{verb} {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n\
             Content-Length: {}\r\nConnection: close\r\n\r\n",
            body.len()
        );
        stream
            .write_all(head.as_bytes())
            .and_then(|()| stream.write_all(body.as_bytes()))
            .expect("a request");
        let answer = response(BufReader::new(stream));
        let value = answer["value"].clone();
        assert!(value.get("error").is_none(), "{verb} {path}: {value}");
        value
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        if !self.session.is_empty() && !std::thread::panicking() {
            self.command("DELETE", "", None);
        }
        let _ = self.driver.kill();
        let _ = self.driver.wait();
    }
}

/// A key without a letter.
#[derive(Clone, Copy)]
pub enum Key {
    Left,
    Right,
    Home,
    End,
    Tab,
    Enter,
}

impl Key {
    fn value(self) -> &'static str {
        match self {
            Key::Left => "\u{e012}",
            Key::Right => "\u{e014}",
            Key::Home => "\u{e011}",
            Key::End => "\u{e010}",
            Key::Tab => "\u{e004}",
            Key::Enter => "\u{e007}",
        }
    }
}

fn response(mut reader: impl BufRead) -> Value {
    let mut length = 0;
    loop {
        let mut line = String::new();
        reader.read_line(&mut line).expect("an answer");
        let line = line.trim();
        if line.is_empty() {
            break;
        }
        if let Some((name, value)) = line.split_once(':')
            && name.eq_ignore_ascii_case("content-length")
        {
            length = value.trim().parse().expect("a length");
        }
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body).expect("the whole answer");
    serde_json::from_slice(&body).expect("JSON")
}

fn free_port() -> u16 {
    let listener = TcpListener::bind(("127.0.0.1", 0)).expect("a port");
    listener.local_addr().expect("an address").port()
}
