//! The pages in a real browser. Where there is none the tests say so and are skipped; continuous integration has one.

mod chromium;
#[allow(dead_code, reason = "the tests of the service use more of it")]
#[path = "../service/sent.rs"]
mod sent;
mod service;
#[allow(dead_code, reason = "the tests of the service use more of it")]
#[path = "../service/started.rs"]
mod started;

use std::fs;
use std::path::{Path, PathBuf};

use assert_cmd::Command;
use chromium::{Chromium, program};
use serde_json::{Value, json};
use tempfile::TempDir;

/// What is cut off, and words that lie on other words.
const LAYOUT: &str = include_str!("layout.js");

/// A browser, or a line that says why the test is skipped.
fn browser() -> Option<Chromium> {
    let found = program();
    if found.is_none() {
        assert!(std::env::var_os("CI").is_none(), "continuous integration must have a Chromium");
        eprintln!("skipped: no chromium here; install the package `chromium` to test the pages in a browser");
    }
    found.map(Chromium::start)
}

/// A history of sixty nights, as `history export` writes it, with a step after the fortieth.
fn nights() -> String {
    let night = |number: u32| {
        let change = if number < 40 { 1.0 } else { 1.06 };
        let wobble = 1.0 + f64::from(number * 7 % 11) * 1e-3;
        let figure = |param: &str, line: &str, form: &str, nanos: f64| {
            let value = nanos * change * wobble;
            json!({ "param": param, "line": line, "form": form, "value": value, "low": value * 0.99, "high": value * 1.01 })
        };
        let name = format!("run{number:05}");
        let estimates: Vec<Value> = [("memory_init_base", 40_000.0), ("memory_init_per_page", 26_000.0)]
            .into_iter()
            .flat_map(|(param, nanos)| {
                [("charge", "measured"), ("cost", "reference")].map(|(line, form)| figure(param, line, form, nanos))
            })
            .collect();
        let record = json!({
            "format": 2, "run": name, "sequence": number, "night": name, "role": "first", "outcome": "measured",
            "created": format!("2026-{:02}-{:02}T02:30:00Z", number / 28 + 1, number % 28 + 1), "machine": "8b4c6356ae54",
            "cpu": "cpu", "strategy": "fresh-map", "statistic": "median", "reference": "", "contract_set": "c", "wasmtime": "48.0.8",
            "estimator": "0.1.0", "budget_seconds": 600, "estimates": estimates, "gas": { "memory_init_base": 1 },
            "judgement": { "verdict": "steady", "findings": [] },
        });
        record.to_string() + "\n"
    };
    (1..=60).map(night).collect()
}

/// The page of a complete run, that of one with hostile names, that of two side by side, and that of a trend.
fn pages(folder: &TempDir) -> [PathBuf; 4] {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let estimator = |args: &[&str]| {
        let mut command = Command::new(assert_cmd::cargo::cargo_bin!("estimator"));
        let output = command.current_dir(folder.path()).args(args).output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        output.stdout
    };
    fs::create_dir_all(folder.path().join("params")).unwrap();
    fs::copy(root.join("params/current.toml"), folder.path().join("params/current.toml")).unwrap();
    let long = "long".repeat(50);
    let hostile = [("touch-memory", "<script>alert(1)</script>"), ("pages256-stack16KiB", &long)];
    for (run, from, replaced) in [("plain", "reports/example", &[][..]), ("hostile", "tests/data/run", &hostile)] {
        let to = folder.path().join(run);
        fs::create_dir_all(&to).unwrap();
        for file in ["run.toml", "points.csv", "samples.csv", "chain.toml", "reference.toml"] {
            let text = fs::read_to_string(root.join(from).join(file)).unwrap();
            let text = replaced.iter().fold(text, |text, (from, to)| text.replace(from, to));
            fs::write(to.join(file), text).unwrap();
        }
        estimator(&["report", run, "--current", "params/current.toml"]);
    }
    let pair = folder.path().join("pair.html");
    fs::write(&pair, estimator(&["report", "plain", "plain", "--format", "html"])).unwrap();
    fs::write(folder.path().join("nights.jsonl"), nights()).unwrap();
    estimator(&["history", "import", "nights.jsonl", "--history", "h.sqlite"]);
    let trend = folder.path().join("trend.html");
    fs::write(&trend, estimator(&["history", "trend", "--history", "h.sqlite", "--format", "html"])).unwrap();
    [folder.path().join("plain/report.html"), folder.path().join("hostile/report.html"), pair, trend]
}

/// Every width in every theme.
const ALL: [(u32, &str); 6] =
    [(360, "light"), (360, "dark"), (800, "light"), (800, "dark"), (1600, "light"), (1600, "dark")];
/// Both themes, and both sets of pictures: axe-core takes seconds for each.
const FEW: [(u32, &str); 2] = [(360, "light"), (1600, "dark")];

fn each(views: &[(u32, &str)], mut check: impl FnMut(&mut Chromium, &Path, u32, &str)) {
    let Some(mut browser) = browser() else { return };
    let folder = tempfile::tempdir().unwrap();
    for page in pages(&folder) {
        for (width, theme) in views {
            browser.open(&page, *width, theme);
            check(&mut browser, &page, *width, theme);
        }
    }
}

#[test]
fn pages_open_without_an_error_a_request_or_words_that_are_cut_or_overlap() {
    each(&ALL, |browser, page, width, theme| {
        let at = format!("{} at {width} pixels, {theme}", page.display());
        let bad = |event: &&Value| {
            let url = event["params"]["request"]["url"].as_str().unwrap_or_default();
            match event["method"].as_str().unwrap_or_default() {
                "Runtime.consoleAPICalled" | "Runtime.exceptionThrown" | "Log.entryAdded" => true,
                "Network.requestWillBeSent" => !url.starts_with("data:") && url != format!("file://{}", page.display()),
                _ => false,
            }
        };
        let events: Vec<&Value> = browser.events.iter().filter(bad).collect();
        assert!(events.is_empty(), "{at}: {events:?}");
        assert_eq!(browser.evaluate("document.scripts.length"), json!(1), "{at}");
        let found = browser.evaluate(LAYOUT);
        assert_eq!(found, json!([]), "{at}");
    });
}

#[test]
fn every_link_within_a_page_leads_somewhere_and_every_picture_has_words() {
    each(&FEW, |browser, page, _, _| {
        let lost = "[...document.querySelectorAll('a[href^=\"#\"]')].filter(a => !document.querySelector(a.hash)).map(a => a.hash)";
        assert_eq!(browser.evaluate(lost), json!([]), "{}", page.display());
        let mute = "[...document.querySelectorAll('svg')].filter(svg => !(svg.getAttribute('aria-label') || '').trim()).length";
        assert_eq!(browser.evaluate(mute), json!(0), "{}", page.display());
    });
}

/// As CSV, what a link leads to is written down and not followed.
const TAKE: &str = "(() => { let taken; HTMLAnchorElement.prototype.click = function () { taken = [this.download, decodeURIComponent(this.href)]; }; \
                    document.querySelector('#points .take').click(); return taken; })()";

#[test]
fn tables_are_sorted_filtered_and_taken_and_files_lead_somewhere() {
    let Some(mut browser) = browser() else { return };
    let folder = tempfile::tempdir().unwrap();
    let [page, ..] = pages(&folder);
    browser.open(&page, 1600, "light");
    let pages_shown = "[...document.querySelector('#points tbody').rows].filter(row => !row.hidden).map(row => Number(row.cells[1].textContent))";
    let numbers = |shown: Value| -> Vec<f64> { serde_json::from_value(shown).unwrap() };
    for descending in [false, true] {
        browser.evaluate("document.querySelector('#points thead').rows[0].cells[1].querySelector('button').click()");
        let shown = numbers(browser.evaluate(pages_shown));
        assert!(shown.len() > 12 && shown.is_sorted_by(|a, b| if descending { a >= b } else { a <= b }), "{shown:?}");
    }
    browser.evaluate("(() => { const field = document.querySelector('#points .filter input'); field.value = 'grow-memory'; field.dispatchEvent(new Event('input')); })()");
    let kept = numbers(browser.evaluate(pages_shown)).len();
    let taken: [String; 2] = serde_json::from_value(browser.evaluate(TAKE)).unwrap();
    assert_eq!(taken[0], "points-under-fresh-map-the-chain-s-strategy.csv");
    let (kind, csv) = taken[1].split_once(',').unwrap();
    assert_eq!(kind, "data:text/csv;charset=utf-8");
    let mut reader = csv::Reader::from_reader(csv.as_bytes());
    assert_eq!(&reader.headers().unwrap()[0], "point");
    let rows: Vec<csv::StringRecord> = reader.records().map(Result::unwrap).collect();
    assert!(rows.len() == kept && kept > 0 && rows.iter().all(|row| row[0].starts_with("grow-memory/")), "{csv}");
    let links =
        browser.evaluate("[...document.querySelectorAll('#files li a')].map(link => [link.download, link.href])");
    let links: Vec<[String; 2]> = serde_json::from_value(links).unwrap();
    let names: Vec<&str> = links.iter().map(|[name, _]| name.as_str()).collect();
    assert_eq!(names, ["values.csv", "samples.csv", "points.csv", "fit.json"]);
    for [name, to] in &links[1..] {
        let file = page.with_file_name(name);
        assert_eq!(to, &format!("file://{}", file.display()));
        assert!(file.is_file());
    }
    let command = Command::new(assert_cmd::cargo::cargo_bin!("estimator"))
        .current_dir(folder.path())
        .args(["report", "plain", "--format", "csv"])
        .output();
    let values = String::from_utf8(command.unwrap().stdout).unwrap();
    let embedded = browser.evaluate("atob(document.querySelector('#files li a').href.split(',')[1])");
    assert_eq!(embedded.as_str().unwrap().len(), values.len());
    assert!(values.is_ascii() && embedded == json!(values), "unrounded values are in the page itself");
}

#[test]
fn a_name_that_a_spreadsheet_takes_for_a_formula_is_no_formula_in_csv() {
    let Some(mut browser) = browser() else { return };
    let folder = tempfile::tempdir().unwrap();
    let [page, ..] = pages(&folder);
    browser.open(&page, 800, "dark");
    browser.evaluate("document.querySelectorAll('#points tbody th').forEach((cell, at) => { cell.textContent = at ? '-3.1 %' : '=HYPERLINK(\"x\",\"y\")' })");
    let taken: [String; 2] = serde_json::from_value(browser.evaluate(TAKE)).unwrap();
    let mut reader = csv::Reader::from_reader(taken[1].split_once(',').unwrap().1.as_bytes());
    let names: Vec<String> = reader.records().map(|row| row.unwrap()[0].to_owned()).collect();
    assert_eq!(names[..2], ["'=HYPERLINK(\"x\",\"y\")", "-3.1 %"]);
}

#[test]
fn dates_stand_in_one_line_and_a_table_that_is_cut_shows_it() {
    each(&[(360, "light"), (360, "dark")], |browser, page, _, theme| {
        let broken = "[...document.querySelectorAll('.date')].filter(date => date.getClientRects().length > 1).map(date => date.textContent)";
        assert_eq!(browser.evaluate(broken), json!([]), "{}", page.display());
        let cut = "[...document.querySelectorAll('.scroll')].filter(scroll => scroll.scrollWidth > scroll.clientWidth + 1)\
                   .every(scroll => scroll.tabIndex === 0 && scroll.ariaLabel && getComputedStyle(scroll).backgroundImage.split('linear-gradient').length === 5)";
        assert_eq!(browser.evaluate(cut), json!(true), "{} {theme}", page.display());
    });
    let Some(mut browser) = browser() else { return };
    let folder = tempfile::tempdir().unwrap();
    browser.open(&pages(&folder)[0], 360, "light");
    assert!(browser.evaluate("document.querySelectorAll('.date').length").as_u64() > Some(0));
    assert_eq!(browser.evaluate("(() => { const scroll = document.querySelector('#points .scroll'); scroll.focus(); return scroll.scrollWidth > scroll.clientWidth && document.activeElement === scroll; })()"), json!(true));
}

#[test]
fn contrast_and_names_pass_axe() {
    let Some(axe) = axe() else { return };
    each(&FEW, |browser, page, width, theme| {
        browser.evaluate(&format!("{axe}; 0"));
        let run = "axe.run(document, { resultTypes: ['violations'] }).then(found => found.violations.map(v => \
                   v.id + ': ' + v.nodes.slice(0, 3).map(n => n.html.slice(0, 200) + ' ' + n.failureSummary).join(' | ')))";
        assert_eq!(browser.evaluate(run), json!([]), "{} at {width} pixels, {theme}", page.display());
    });
}

/// axe-core from `AXE_CORE`, or from where `.ci/run` installs it.
fn axe() -> Option<String> {
    let usual = Path::new(env!("CARGO_MANIFEST_DIR")).join("target/npm/node_modules/axe-core/axe.min.js");
    let file = std::env::var_os("AXE_CORE").map_or(usual, PathBuf::from);
    let text = fs::read_to_string(&file).ok();
    if text.is_none() {
        assert!(std::env::var_os("CI").is_none(), "continuous integration must have axe-core at {}", file.display());
        eprintln!("skipped: no axe-core here; npm install --prefix target/npm axe-core");
    }
    text
}
