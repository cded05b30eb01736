//! A service that runs, and what it answers.

use std::fs;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::Duration;

use serde_json::Value;
use tempfile::TempDir;

/// A token to push and one to read.
pub const PUSH: &str = "push-push-push-push-push";
pub const READ: &str = "read-read-read-read-read";

/// The longest that a test waits for a line of the log; one that never comes is a failure.
const PATIENCE: Duration = Duration::from_mins(2);

pub struct Service {
    child: Child,
    pub folder: TempDir,
    pub address: String,
    log: Receiver<String>,
}

/// An answer.
#[derive(Debug)]
pub struct Answer {
    pub status: u16,
    pub head: String,
    pub body: Vec<u8>,
}

impl Answer {
    pub fn text(&self) -> String {
        String::from_utf8(self.body.clone()).unwrap()
    }

    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_else(|error| panic!("{error}: {}", self.text()))
    }

    pub fn header(&self, name: &str) -> Option<&str> {
        let mut lines = self.head.lines().filter_map(|line| line.split_once(": "));
        lines.find(|(found, _)| found.eq_ignore_ascii_case(name)).map(|(_, value)| value.trim())
    }
}

/// A folder with a table in force and its accepted change, and a file of tokens.
pub fn folder() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    fs::create_dir_all(folder.path().join("params/history")).unwrap();
    fs::copy(root.join("params/current.toml"), folder.path().join("params/current.toml")).unwrap();
    for change in fs::read_dir(root.join("params/history")).unwrap() {
        let change = change.unwrap();
        fs::copy(change.path(), folder.path().join("params/history").join(change.file_name())).unwrap();
    }
    fs::write(folder.path().join("tokens.toml"), tokens(&[("push", PUSH), ("read", READ)])).unwrap();
    folder
}

/// A file of tokens, each of the name and role.
pub fn tokens(known: &[(&str, &str)]) -> String {
    let entry = |(role, token): &(&str, &str)| {
        format!("[[tokens]]\nname = \"{role}\"\nrole = \"{role}\"\ntoken = \"{token}\"\n")
    };
    format!("format = 1\n{}", known.iter().map(entry).collect::<Vec<_>>().concat())
}

impl Service {
    /// On loopback, with tokens to push and to read.
    pub fn start() -> Self {
        Self::with(folder(), &["--tokens", "tokens.toml"])
    }

    pub fn with(folder: TempDir, args: &[&str]) -> Self {
        let command = command(folder.path(), args);
        Self::of(folder, command)
    }

    /// Started by any command.
    pub fn of(folder: TempDir, mut command: Command) -> Self {
        let mut child = command.stderr(Stdio::piped()).spawn().unwrap();
        let (said, log) = channel();
        let stderr = BufReader::new(child.stderr.take().unwrap());
        thread::spawn(move || stderr.lines().map_while(Result::ok).try_for_each(|line| said.send(line)));
        let mut service = Self { child, folder, address: String::new(), log };
        let address = service.heard("listening")["address"].as_str().unwrap().to_owned();
        service.address = address.replace("0.0.0.0", "127.0.0.1");
        service
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    /// The next entry of a kind in the log.
    pub fn heard(&self, kind: &str) -> Value {
        loop {
            let line = self.log.recv_timeout(PATIENCE).unwrap_or_else(|_| panic!("no `{kind}` in the log"));
            let entry: Value = serde_json::from_str(&line).unwrap_or_else(|error| panic!("{error}: {line}"));
            if entry["kind"] == kind {
                return entry;
            }
        }
    }

    pub fn signal(&self, name: &str) {
        assert!(Command::new("kill").args([name, &self.pid().to_string()]).status().unwrap().success());
    }

    /// Waits for its end.
    pub fn ended(&mut self) -> ExitStatus {
        self.child.wait().unwrap()
    }

    /// Ends it in the middle of whatever it does, and starts another one in its folder.
    pub fn killed_and_started(self, args: &[&str]) -> Self {
        self.killed_and_started_by(args, command)
    }

    /// The same with another command.
    pub fn killed_and_started_by(mut self, args: &[&str], command: impl Fn(&Path, &[&str]) -> Command) -> Self {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
        let folder = std::mem::replace(&mut self.folder, tempfile::tempdir().unwrap());
        let command = command(folder.path(), args);
        Self::of(folder, command)
    }

    pub fn get(&self, path: &str) -> Answer {
        self.ask("GET", path, &[], b"")
    }

    pub fn post(&self, path: &str, body: &[u8]) -> Answer {
        self.ask("POST", path, &[], body)
    }

    /// One request on a connection of its own.
    pub fn ask(&self, method: &str, path: &str, headers: &[(&str, &str)], body: &[u8]) -> Answer {
        let mut stream = self.begin(method, path, headers, body.len());
        // A service that refuses by the headers need not take the body.
        let _ = stream.write_all(body);
        answer(stream)
    }

    /// A request up to its body.
    pub fn begin(&self, method: &str, path: &str, headers: &[(&str, &str)], length: usize) -> TcpStream {
        let mut stream = TcpStream::connect(&self.address).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        let headers: Vec<String> = headers.iter().map(|(name, value)| format!("{name}: {value}\r\n")).collect();
        let headers = headers.concat();
        let head = format!(
            "{method} {path} HTTP/1.1\r\nHost: {}\r\nConnection: close\r\nContent-Length: {length}\r\n{headers}\r\n",
            self.address
        );
        stream.write_all(head.as_bytes()).unwrap();
        stream
    }
}

/// The rest of a connection as an answer.
pub fn answer(mut stream: TcpStream) -> Answer {
    let mut bytes = Vec::new();
    // A connection that is cut after the answer was sent is no failure of the answer.
    let _ = stream.read_to_end(&mut bytes);
    let end = bytes.windows(4).position(|four| four == b"\r\n\r\n").unwrap_or_else(|| panic!("no answer: {bytes:?}"));
    let head = String::from_utf8(bytes[..end].to_vec()).unwrap();
    let status = head.split(' ').nth(1).unwrap().parse().unwrap();
    Answer { status, head, body: bytes[end + 4..].to_vec() }
}

/// The command that starts a service in this folder on a free port.
pub fn command(folder: &Path, args: &[&str]) -> Command {
    let mut command = Command::new(assert_cmd::cargo::cargo_bin!("estimator"));
    command.current_dir(folder).arg("serve").args(args).env_remove("ESTIMATOR_HISTORY");
    if !args.contains(&"--listen") {
        command.args(["--listen", "127.0.0.1:0"]);
    }
    command
}

impl Drop for Service {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
