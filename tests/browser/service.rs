//! The dashboard in a browser, with script allowed and without.

use serde_json::{Value, json};

use crate::chromium::Chromium;
use crate::sent::{run, tar};
use crate::started::{PUSH, Service};
use crate::{ALL, FEW, LAYOUT, axe, browser, nights};

const PAGES: [&str; 8] = ["/", "/fleet", "/trends", "/runs", "/runs/one", "/runs/one/report", "/price", "/runs/none"];

/// A service with sixty nights of a machine, and runs of two others.
fn service() -> Service {
    let service = Service::start();
    std::fs::write(service.path("nights.jsonl"), nights()).unwrap();
    let mut command = assert_cmd::Command::new(assert_cmd::cargo::cargo_bin!("estimator"));
    command.current_dir(service.folder.path()).args(["history", "import", "nights.jsonl"]).assert().success();
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
        let input = browser.node("input[type=file]");
        browser.call("DOM.setFileInputFiles", &json!({ "nodeId": input, "files": [file.display().to_string()] }));
        let button = browser.node("form button");
        browser.events.clear();
        browser.click(&button);
        browser.loaded();
        let found = bad(&browser, &service.address);
        assert!(found.is_empty(), "{found:?}");
        let html = browser.html();
        assert!(html.contains("The bill of mine.wasm") && html.contains("gas for 17 pages"), "{html}");
    }
}

#[test]
fn a_table_is_sorted_by_a_click_or_a_key_on_a_heading_and_filtered_by_words() {
    let Some(mut browser) = browser() else { return };
    let service = service();
    browser.visit(&format!("http://{}/runs", service.address), 1600, "light");
    let column = |browser: &mut Chromium| {
        let cells = "[...document.querySelectorAll('tbody tr')].map(row => row.cells[5].textContent).join('|')";
        browser.evaluate(cells).as_str().unwrap().to_owned()
    };
    let sorted = |browser: &mut Chromium| browser.evaluate("document.querySelector('th:nth-child(6)').ariaSort");
    let first = column(&mut browser);
    let base = browser.node("thead th:nth-child(6) button");
    browser.click(&base);
    let up = column(&mut browser);
    assert_eq!(sorted(&mut browser), json!("ascending"));
    let micros: Vec<f64> = up.split('|').map(|cell| cell.strip_suffix(" µs").unwrap().parse().unwrap()).collect();
    assert!(micros.is_sorted() && micros.len() == 50 && up != first, "{up}");
    // The heading has kept the focus.
    browser.press("Enter", 13);
    let down = column(&mut browser);
    assert_eq!((sorted(&mut browser), down.split('|').next()), (json!("descending"), up.split('|').next_back()));
    assert_eq!(browser.evaluate("document.querySelectorAll('[aria-sort]').length"), json!(1));
    let search = browser.node("input[type=search]");
    browser.call("DOM.focus", &json!({ "nodeId": search }));
    browser.call("Input.insertText", &json!({ "text": "RUN00031 steady" }));
    let left = "[...document.querySelectorAll('tbody tr')].filter(row => row.checkVisibility()).map(row => \
                row.cells[0].textContent)";
    assert_eq!(browser.evaluate(left), json!(["run00031"]));
    assert_eq!(browser.evaluate("document.querySelector('output').textContent"), json!("1 of 50 rows"));
    assert!(bad(&browser, &service.address).is_empty());
}

#[test]
fn without_script_nothing_is_offered_that_takes_one_and_all_rows_are_there() {
    let Some(mut browser) = browser() else { return };
    let service = service();
    browser.call("Emulation.setScriptExecutionDisabled", &json!({ "value": true }));
    browser.visit(&format!("http://{}/runs", service.address), 800, "light");
    let html = browser.html();
    assert!(!html.contains("<button") && !html.contains("<input"), "{html}");
    assert_eq!(html.matches("<tr>").count(), 51);
}
