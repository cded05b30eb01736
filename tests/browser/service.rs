//! The dashboard in a browser, with script allowed and without.

use serde_json::{Value, json};

use crate::chromium::Chromium;
use crate::sent::{run, tar};
use crate::started::{PUSH, Service};
use crate::{ALL, FEW, LAYOUT, axe, browser};

const PAGES: [&str; 8] = ["/", "/fleet", "/trends", "/runs", "/runs/one", "/runs/one/report", "/price", "/runs/none"];

/// A service with runs of two machines.
fn service() -> Service {
    let service = Service::start();
    let authorization = format!("Bearer {PUSH}");
    for (name, cores) in [("one", 2), ("two", 4)] {
        let path = format!("/api/v1/runs/{name}");
        let answer = service.ask("PUT", &path, &[("Authorization", &authorization)], &tar(&run(name, cores)));
        assert_eq!(answer.status, 201, "{}", answer.text());
    }
    service
}

fn each(views: &[(u32, &str)], mut check: impl FnMut(&mut Chromium, &str, &str)) {
    let Some(mut browser) = browser() else { return };
    let service = service();
    for page in PAGES {
        for (width, theme) in views {
            browser.visit(&format!("http://{}{page}", service.address), *width, theme);
            check(&mut browser, &service.address, &format!("{page} at {width} pixels, {theme}"));
        }
    }
}

/// What a page must not do: say something, fail, or ask somebody else.
fn bad<'a>(browser: &'a Chromium, address: &str) -> Vec<&'a Value> {
    let own = format!("http://{address}/");
    let is_bad = |event: &&Value| {
        let url = event["params"]["request"]["url"].as_str().unwrap_or_default();
        match event["method"].as_str().unwrap_or_default() {
            // A page that is not there is told by the browser itself.
            "Log.entryAdded" => {
                !event["params"]["entry"]["text"].as_str().unwrap_or_default().contains("404 (Not Found)")
            }
            "Runtime.consoleAPICalled" | "Runtime.exceptionThrown" => true,
            "Network.requestWillBeSent" => !url.starts_with("data:") && !url.starts_with(&own),
            _ => false,
        }
    };
    browser.events.iter().filter(is_bad).collect()
}

#[test]
fn pages_of_the_service_open_without_an_error_and_nothing_is_cut_or_overlaps() {
    each(&ALL, |browser, address, at| {
        let found = bad(browser, address);
        assert!(found.is_empty(), "{at}: {found:?}");
        assert_eq!(browser.evaluate("document.scripts.length"), json!(0), "{at}");
        assert_eq!(browser.evaluate(LAYOUT), json!([]), "{at}");
    });
}

#[test]
fn pages_of_the_service_pass_axe() {
    let Some(axe) = axe() else { return };
    each(&FEW, |browser, _, at| {
        browser.evaluate(&format!("{axe}; 0"));
        let run = "axe.run(document, { resultTypes: ['violations'] }).then(found => found.violations.map(v => \
                   v.id + ': ' + v.nodes.slice(0, 3).map(n => n.html.slice(0, 200) + ' ' + n.failureSummary).join(' | ')))";
        assert_eq!(browser.evaluate(run), json!([]), "{at}");
    });
}

#[test]
fn a_person_picks_a_contract_and_reads_its_bill() {
    let Some(mut browser) = browser() else { return };
    let service = Service::start();
    let file = service.path("mine.wasm");
    std::fs::write(&file, wat::parse_str("(module (memory 17))").unwrap()).unwrap();
    for without_script in [false, true] {
        browser.call("Emulation.setScriptExecutionDisabled", &json!({ "value": without_script }));
        browser.visit(&format!("http://{}/price", service.address), 800, "light");
        let document = browser.call("DOM.getDocument", &json!({}));
        let node = |browser: &mut Chromium, selector: &str| {
            let asked = json!({ "nodeId": document["root"]["nodeId"], "selector": selector });
            browser.call("DOM.querySelector", &asked)["nodeId"].clone()
        };
        let input = node(&mut browser, "input[type=file]");
        browser.call("DOM.setFileInputFiles", &json!({ "nodeId": input, "files": [file.display().to_string()] }));
        let button = node(&mut browser, "button");
        let place = browser.call("DOM.getBoxModel", &json!({ "nodeId": button }))["model"]["content"].clone();
        let middle =
            |one: usize, other: usize| f64::midpoint(place[one].as_f64().unwrap(), place[other].as_f64().unwrap());
        let (x, y) = (middle(0, 4), middle(1, 5));
        browser.events.clear();
        for kind in ["mousePressed", "mouseReleased"] {
            let click = json!({ "type": kind, "x": x, "y": y, "button": "left", "clickCount": 1 });
            browser.call("Input.dispatchMouseEvent", &click);
        }
        browser.loaded();
        let found = bad(&browser, &service.address);
        assert!(found.is_empty(), "{found:?}");
        let document = browser.call("DOM.getDocument", &json!({}));
        let html = browser.call("DOM.getOuterHTML", &json!({ "nodeId": document["root"]["nodeId"] }));
        let html = html["outerHTML"].as_str().unwrap();
        assert!(html.contains("The bill of mine.wasm") && html.contains("gas for 17 pages"), "{html}");
    }
}
