//! A headless Chromium, driven by the `DevTools` protocol over a pipe, which needs neither a port nor a library
//! (<https://chromedevtools.github.io/devtools-protocol/>).

use std::io::{BufRead as _, BufReader, Write as _};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use serde_json::{Value, json};
use tempfile::TempDir;

pub struct Chromium {
    child: Child,
    to: ChildStdin,
    from: BufReader<ChildStdout>,
    last: u64,
    session: Option<String>,
    /// Events since the page was opened, by name.
    pub events: Vec<Value>,
    _profile: TempDir,
}

/// The program, if this machine has one.
pub fn program() -> Option<&'static str> {
    let found =
        |name: &&str| Command::new(name).arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status().is_ok();
    ["chromium", "chromium-browser", "google-chrome"].into_iter().find(found)
}

impl Chromium {
    pub fn start(program: &str) -> Self {
        let profile = tempfile::tempdir().unwrap();
        // Chromium reads commands from descriptor 3 and answers on 4.
        let mut child = Command::new("sh")
            .args(["-c", "exec \"$0\" \"$@\" 3<&0 4>&1 >/dev/null", program])
            .args(["--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--remote-debugging-pipe"])
            .args(["--no-first-run", "--disable-background-networking", "--disable-dev-shm-usage"])
            .arg(format!("--user-data-dir={}", profile.path().display()))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let (to, from) = (child.stdin.take().unwrap(), BufReader::new(child.stdout.take().unwrap()));
        let mut browser = Self { child, to, from, last: 0, session: None, events: Vec::new(), _profile: profile };
        let target = browser.call("Target.createTarget", &json!({ "url": "about:blank" }));
        let attached =
            browser.call("Target.attachToTarget", &json!({ "targetId": target["targetId"], "flatten": true }));
        browser.session = attached["sessionId"].as_str().map(str::to_owned);
        for domain in ["Page", "Runtime", "Log", "Network"] {
            browser.call(&format!("{domain}.enable"), &json!({}));
        }
        browser
    }

    /// Calls a method and waits for its result; events that arrive before it are kept.
    pub fn call(&mut self, method: &str, params: &Value) -> Value {
        self.last += 1;
        let mut message = json!({ "id": self.last, "method": method, "params": params });
        if let Some(session) = &self.session {
            message["sessionId"] = json!(session);
        }
        self.to.write_all(message.to_string().as_bytes()).unwrap();
        self.to.write_all(b"\0").unwrap();
        loop {
            let message = self.next();
            if message["id"] == json!(self.last) {
                assert!(message["error"].is_null(), "{method}: {}", message["error"]);
                return message["result"].clone();
            }
            self.events.push(message);
        }
    }

    fn next(&mut self) -> Value {
        let mut message = Vec::new();
        self.from.read_until(0, &mut message).unwrap();
        assert!(!message.is_empty(), "the browser has gone");
        message.pop();
        serde_json::from_slice(&message).unwrap()
    }

    /// Opens a file as a reader would, in a theme and at a width.
    pub fn open(&mut self, file: &Path, width: u32, theme: &str) {
        self.visit(&format!("file://{}", file.display()), width, theme);
    }

    /// The same of an address.
    pub fn visit(&mut self, url: &str, width: u32, theme: &str) {
        self.events.clear();
        let metrics = json!({ "width": width, "height": 900, "deviceScaleFactor": 1, "mobile": false });
        self.call("Emulation.setDeviceMetricsOverride", &metrics);
        let features = json!({ "features": [{ "name": "prefers-color-scheme", "value": theme }] });
        self.call("Emulation.setEmulatedMedia", &features);
        self.call("Page.navigate", &json!({ "url": url }));
        self.loaded();
    }

    /// Waits until a page has loaded.
    pub fn loaded(&mut self) {
        while !self.events.iter().any(|event| event["method"] == "Page.loadEventFired") {
            let event = self.next();
            self.events.push(event);
        }
    }

    /// The first element that a selector finds, without script.
    pub fn node(&mut self, selector: &str) -> Value {
        let root = self.call("DOM.getDocument", &json!({}))["root"]["nodeId"].clone();
        self.call("DOM.querySelector", &json!({ "nodeId": root, "selector": selector }))["nodeId"].clone()
    }

    /// The page as it is now, without script.
    pub fn html(&mut self) -> String {
        let root = self.call("DOM.getDocument", &json!({}))["root"]["nodeId"].clone();
        self.call("DOM.getOuterHTML", &json!({ "nodeId": root }))["outerHTML"].as_str().unwrap().to_owned()
    }

    /// Presses the mouse in the middle of an element.
    pub fn click(&mut self, node: &Value) {
        let place = self.call("DOM.getBoxModel", &json!({ "nodeId": node }))["model"]["content"].clone();
        let middle =
            |one: usize, other: usize| f64::midpoint(place[one].as_f64().unwrap(), place[other].as_f64().unwrap());
        let (x, y) = (middle(0, 4), middle(1, 5));
        for kind in ["mousePressed", "mouseReleased"] {
            let click = json!({ "type": kind, "x": x, "y": y, "button": "left", "clickCount": 1 });
            self.call("Input.dispatchMouseEvent", &click);
        }
    }

    /// Presses a key where the focus is.
    pub fn press(&mut self, key: &str, code: u32) {
        for kind in ["keyDown", "keyUp"] {
            let text = if kind == "keyDown" { "\r" } else { "" };
            let press = json!({ "type": kind, "key": key, "code": key, "windowsVirtualKeyCode": code, "text": text });
            self.call("Input.dispatchKeyEvent", &press);
        }
    }

    /// What an expression gives on the page; a promise is waited for.
    pub fn evaluate(&mut self, expression: &str) -> Value {
        let params = json!({ "expression": expression, "awaitPromise": true, "returnByValue": true });
        let answer = self.call("Runtime.evaluate", &params);
        assert!(answer["exceptionDetails"].is_null(), "{}", answer["exceptionDetails"]);
        answer["result"]["value"].clone()
    }
}

impl Drop for Chromium {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
