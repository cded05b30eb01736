//! The reports of a stored run: what they say is what its fit and its table say.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::folder::Folder;

/// Stored runs in `reports/NAME`, with something in their files replaced.
fn stored(runs: &[&str], replaced: &[(&str, &str)]) -> Folder {
    let folder = Folder::new();
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/run");
    for run in runs {
        for file in ["run.toml", "points.csv", "samples.csv", "chain.toml", "reference.toml"] {
            let text = fs::read_to_string(source.join(file)).unwrap();
            let text = replaced.iter().fold(text, |text, (from, to)| text.replace(from, to));
            folder.write(&format!("reports/{run}/{file}"), text);
        }
    }
    folder
}

fn shown(folder: &Folder, args: &[&str]) -> String {
    let output = folder.estimator(args).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

/// The rows of every table of a page: cells without markup, by the title of the table.
fn tables(html: &str) -> BTreeMap<String, Vec<Vec<String>>> {
    let between = |text: &str, open: &str, close: &str| -> Vec<String> {
        text.split(open).skip(1).filter_map(|part| part.split_once(close)).map(|(inner, _)| inner.to_owned()).collect()
    };
    let plain = |cell: &str| {
        let words: String = cell.split('<').map(|part| part.split_once('>').map_or(part, |(_, words)| words)).collect();
        words.replace("&#60;", "<").replace("&#62;", ">").replace("&#39;", "'").replace("&#38;", "&")
    };
    let rows = |table: &str| {
        let row = |row: &String| {
            let cells = row.replace("<th ", "<td ").replace("</th>", "</td>").replace("<td>", "<td >");
            between(&cells, "<td ", "</td>").iter().map(|cell| plain(cell.split_once('>').unwrap().1)).collect()
        };
        between(table, "<tr>", "</tr>").iter().map(row).collect()
    };
    let title = |table: &str| plain(&between(table, "<caption>", "</caption>")[0]);
    between(html, "<table", "</table>").iter().map(|table| (title(table), rows(table))).collect()
}

/// A time as the page shows it: three digits in the unit that fits.
fn time(nanos: &Value) -> String {
    estimator::units::Nanos(nanos.as_f64().unwrap()).to_string()
}

/// The median of a phase of a point.
fn phase<'a>(found: &'a Value, name: &str) -> &'a Value {
    &found["phases"].as_array().unwrap().iter().find(|phase| phase["phase"] == name).unwrap()["median"]
}

/// A run outlives the format of the reference that it keeps.
#[test]
fn a_run_is_read_with_another_reference_than_the_one_that_it_keeps() {
    let folder = stored(&["run", "other"], &[]);
    let kept = folder.read("reports/run/reference.toml");
    folder.write("reference.toml", &kept);
    for run in ["run", "other"] {
        folder.write(&format!("reports/{run}/reference.toml"), kept.replacen("format = 2", "format = 1", 1));
    }
    let output = folder.estimator(&["report", "reports/run"]).output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.code() == Some(6) && said.contains("--reference"), "{said}");
    for runs in [&["reports/run"][..], &["reports/run", "reports/other"]] {
        shown(&folder, &[&["report"], runs, &["--reference", "reference.toml"]].concat());
    }
}

#[test]
fn every_number_of_the_page_is_that_of_the_fit_or_the_table() {
    let folder = stored(&["run"], &[]);
    folder.estimator(&["fit", "reports/run", "--params", "table.toml"]).assert().success();
    let fit: Value = serde_json::from_str(&folder.read("reports/run/fit.json")).unwrap();
    let table: toml::Table = toml::from_str(&folder.read("table.toml")).unwrap();
    let page = folder.read("reports/run/report.html");
    let tables = tables(&page);

    let params = &tables["Proposed parameters"];
    for row in &params[1..] {
        let param = &table["params"][&row[0]];
        assert_eq!(row[1].replace('_', ""), param["gas"].as_integer().unwrap().to_string(), "{row:?}");
        let nanos = serde_json::to_value(&param["nanos"]).unwrap();
        assert_eq!(row[2], time(&nanos["value"]));
        assert_eq!(row[3], format!("{} … {}", time(&nanos["low"]), time(&nanos["high"])));
    }
    assert_eq!(params.len() - 1, table["params"].as_table().unwrap().len());

    let own = &fit["strategies"][0];
    assert_eq!(own["strategy"], fit["chain_strategy"]);
    let covering = &own["model"]["covering"];
    let rows = &tables["Points under fresh-map, the chain's strategy"];
    let points = own["points"].as_array().unwrap();
    assert_eq!(rows.len() - 1, points.len());
    for row in &rows[1..] {
        let found = points
            .iter()
            .find(|found| {
                let point = &found["point"];
                let name = format!("{}/{}", point["contract"].as_str().unwrap(), point["variant"].as_str().unwrap());
                name == row[0] && point["levels"]["touched_pages"].as_u64() == row[2].parse().ok()
            })
            .unwrap_or_else(|| panic!("no point for {row:?}"));
        let (levels, cost) = (&found["point"]["levels"], &found["cost"]);
        assert_eq!(row[1], levels["initial_pages"].to_string());
        assert_eq!(row[5], time(&cost["value"]));
        assert_eq!(row[6], format!("{} … {}", time(&cost["low"]), time(&cost["high"])));
        let pages = |name: &str| levels[name].as_f64().unwrap();
        let grown = (pages("touched_pages") - pages("initial_pages")).max(0.0);
        let price = |term: &str| {
            let terms = covering["terms"].as_array().unwrap();
            terms.iter().find(|of| of["term"] == term).map_or(0.0, |of| of["price"]["value"].as_f64().unwrap())
        };
        let base = covering["base"]["value"].as_f64().unwrap();
        let charge = base + price("page") * pages("initial_pages") + price("grown") * grown;
        assert_eq!(row[7], time(&charge.into()));
        let over = charge / cost["value"].as_f64().unwrap() - 1.0;
        assert_eq!(row[8], format!("{:+.1} %", over * 100.0));
        let shown = ["instantiate", "first_touch", "warm_touch", "reset"].map(|name| time(phase(found, name)));
        assert_eq!(row[10..14], shown);
        assert_eq!(row[14..16], [found["cycles"].to_string(), found["outliers"].to_string()]);
    }

    let outliers: u64 = points.iter().map(|found| found["outliers"].as_u64().unwrap()).sum();
    let cycles: u64 = points.iter().map(|found| found["cycles"].as_u64().unwrap()).sum();
    let rows: Vec<_> =
        tables.iter().filter(|(title, _)| title.starts_with("Found")).flat_map(|(_, rows)| rows).collect();
    assert!(!rows.is_empty());
    assert!(page.contains(&format!("{outliers} of {cycles}")), "the page counts the far-out cycles as the fit does");
}

#[test]
fn the_csv_holds_the_fit_unrounded() {
    let folder = stored(&["run"], &[]);
    let text = shown(&folder, &["report", "reports/run", "--format", "csv"]);
    folder.estimator(&["report", "reports/run"]).assert().success();
    let fit: Value = serde_json::from_str(&folder.read("reports/run/fit.json")).unwrap();
    let points: Vec<&Value> =
        fit["strategies"].as_array().unwrap().iter().flat_map(|fit| fit["points"].as_array().unwrap()).collect();
    let mut rows = csv::Reader::from_reader(text.as_bytes());
    let headers = rows.headers().unwrap().clone();
    let at = |name: &str| headers.iter().position(|header| header == name).unwrap();
    let rows: Vec<_> = rows.records().map(Result::unwrap).collect();
    assert_eq!(rows.len(), points.len());
    for (row, found) in rows.iter().zip(points) {
        assert_eq!(row[at("variant")], *found["point"]["variant"].as_str().unwrap());
        assert_eq!(row[at("cost_ns")].parse().ok(), found["cost"]["value"].as_f64());
        assert_eq!(row[at("reset_ns")].parse().ok(), phase(found, "reset").as_f64());
    }
}

#[test]
fn reports_are_made_again_as_the_run_made_them() {
    let folder = stored(&["run"], &[]);
    folder.estimator(&["fit", "reports/run"]).assert().success();
    let files =
        ["report.html", "summary.md", "fit.json", "plots/cost-by-pages.svg"].map(|file| format!("reports/run/{file}"));
    let first: Vec<String> = files.iter().map(|file| folder.read(file)).collect();
    let said = shown(&folder, &["report", "reports/run"]);
    assert!(said.contains("report.html"), "{said}");
    assert_eq!(files.iter().map(|file| folder.read(file)).collect::<Vec<_>>(), first);
    // What may stand anywhere leads to no file beside it.
    let beside = |page: &str| {
        let (page, files) = page.split_once("<section id=\"files\"").unwrap();
        (page.to_owned(), files.contains("href=\"samples.csv\""))
    };
    let ((page, leads), (anywhere, leads_anywhere)) =
        (beside(&first[0]), beside(&shown(&folder, &["report", "reports/run", "--format", "html"])));
    assert_eq!((page, leads, leads_anywhere), (anywhere, true, false));
    assert_eq!(shown(&folder, &["report", "reports/run", "--format", "markdown"]), first[1]);
}

#[test]
fn hostile_and_long_names_are_shown_harmlessly() {
    let (script, long) = ("<script>alert(1)</script>", "long".repeat(50));
    let folder = stored(&["run", "other"], &[("touch-memory", script), ("pages256-stack16KiB", &long)]);
    let page = shown(&folder, &["report", "reports/run", "--format", "html"]);
    let both = shown(&folder, &["report", "reports/run", "reports/other", "--format", "html"]);
    for html in [&page, &both] {
        assert!(html.matches("<script").count() == 1 && html.contains("&#60;script&#62;"));
        assert!(html.contains(&long));
    }
    let markdown = shown(&folder, &["report", "reports/run", "--format", "markdown"]);
    assert!(!markdown.contains("<script"));
    folder.estimator(&["report", "reports/run"]).assert().success();
    for plot in fs::read_dir(folder.join("reports/run/plots")).unwrap() {
        assert!(!fs::read_to_string(plot.unwrap().path()).unwrap().contains("<script"));
    }
}

#[test]
fn the_page_needs_nothing_from_elsewhere() {
    let folder = stored(&["run"], &[]);
    let page = shown(&folder, &["report", "reports/run", "--format", "html"]);
    for foreign in ["src=", "url(", "@import", "<script ", "<link rel=\"stylesheet\"", "href=\"http"] {
        assert!(!page.contains(foreign), "{foreign}");
    }
    assert!(page.len() < 1_000_000, "{} bytes", page.len());
    let order =
        ["fee", "verdict", "cost", "phases", "residuals", "run", "stack", "held-out", "points", "machine", "repeat"];
    let places: Vec<_> = order.iter().filter_map(|id| page.find(&format!("<section id=\"{id}\""))).collect();
    assert!(places.is_sorted() && places.len() >= 9, "{places:?}");
    let links = page.matches("<a href=\"#").count();
    assert!(links >= 2 * places.len(), "each section is linked from the head and from its heading");
}

#[test]
fn two_runs_stand_side_by_side() {
    let folder = stored(&["a", "b"], &[]);
    let markdown = shown(&folder, &["report", "reports/a", "reports/b"]);
    assert!(markdown.contains("| `memory_init_base` |") && markdown.contains("B against A"), "{markdown}");
    let json: Value =
        serde_json::from_str(&shown(&folder, &["report", "reports/a", "reports/b", "--format", "json"])).unwrap();
    assert_eq!(json["a"]["fit"], json["b"]["fit"]);
    let csv = shown(&folder, &["report", "reports/a", "reports/b", "--format", "csv"]);
    let one = shown(&folder, &["report", "reports/a", "--format", "csv"]);
    assert_eq!(csv.lines().count() - 1, 2 * (one.lines().count() - 1));
}

#[test]
fn the_proposal_is_held_against_the_table_in_force() {
    let folder = stored(&["run"], &[]);
    folder.estimator(&["fit", "reports/run", "--params", "params/current.toml"]).assert().success();
    let current = ["report", "reports/run", "--format", "html", "--current", "params/current.toml"];
    let page = shown(&folder, &current);
    assert!(page.contains("nothing changed beyond 2 %"), "the table is its own");
    folder.write("low.toml", folder.read("params/current.toml").replace("gas = ", "gas = 1 # "));
    let page = shown(&folder, &["report", "reports/run", "--format", "html", "--current", "low.toml"]);
    assert!(page.contains("Against the table in force, of run ") && !page.contains("nothing changed"));
    let (code, stderr) = folder.fails(&["report", "reports/run", "--current", "none.toml"]);
    assert_eq!(code, 2, "{stderr}");
    let (code, stderr) = folder.fails(&["report", "reports/none"]);
    assert_eq!(code, 2, "{stderr}");
}

/// What is wider than 80 columns, and the number of lines.
fn measured(text: &str) -> (Vec<&str>, usize) {
    (text.lines().filter(|line| line.chars().count() > 80).collect(), text.lines().count())
}

#[test]
fn the_terminal_tells_the_story_in_forty_five_lines() {
    let folder = stored(&["run", "b"], &[]);
    for run in ["example", "run"] {
        if run == "example" {
            let example = Path::new(env!("CARGO_MANIFEST_DIR")).join("reports/example");
            for file in ["run.toml", "points.csv", "samples.csv", "chain.toml", "reference.toml", "current.toml"] {
                folder.write(&format!("reports/example/{file}"), fs::read(example.join(file)).unwrap());
            }
        }
        let story = shown(&folder, &["fit", &format!("reports/{run}")]);
        let (wide, lines) = measured(&story);
        assert!(wide.is_empty() && lines <= 45, "{lines} lines, {wide:?} of\n{story}");
        assert!(story.contains("memory_init_base") && story.contains("drift"), "{story}");
        let order = ["under Wasmtime ", "table in force", "Proposed fee"].map(|part| story.find(part).expect(part));
        assert!(order.is_sorted(), "what was measured, verdict, fee: {story}");
        assert!(!story.contains("Other terms"), "{story}");
    }
    assert!(shown(&folder, &["fit", "reports/run", "--verbose"]).contains("Other terms"));
    let sides = ["reports/example@fresh-map", "reports/example@pool-decommit"];
    for sides in [["reports/run", "reports/b"], sides] {
        let comparison = shown(&folder, &[&["compare"], &sides[..]].concat());
        let (wide, lines) = measured(&comparison);
        assert!(wide.is_empty() && lines <= 45, "{lines} lines, {wide:?} of\n{comparison}");
    }
}

#[test]
fn the_summary_shows_well_as_a_comment() {
    let folder = stored(&["run"], &[]);
    let text = shown(&folder, &["report", "reports/run", "--format", "markdown"]);
    let shown = text.lines().take_while(|line| !line.starts_with("<details>")).count();
    assert!(shown < 40 && text.matches("<details>").count() == 1 && text.ends_with("</details>\n"), "{text}");
    assert!(!text.contains("](") && !text.contains("\\_"), "no pictures and no escaped underscores: {text}");
    assert!(text.contains("| `memory_init_base` |") && text.contains("129_000_000_000 gas"), "{text}");
}

/// People read gas in the chain's unit; what programs read keeps its digits.
#[test]
fn gas_is_shown_in_the_unit_of_the_chain() {
    let tera = "significant_digits = 3\ngas_unit = { name = \"Tgas\", gas = 1_000_000_000_000 }";
    let folder = stored(&["run"], &[("significant_digits = 3", tera)]);
    let story = shown(&folder, &["fit", "reports/run", "--params", "table.toml"]);
    assert!(story.contains("0.129 Tgas") && story.contains("98.433 Tgas"), "{story}");
    let table = folder.read("table.toml");
    assert!(table.contains("gas = 129_000_000_000\n") && table.contains("gas_unit = { name = \"Tgas\""), "{table}");
    for (format, seen) in [("markdown", "0.129 Tgas"), ("html", "0.129 Tgas"), ("json", "129000000000")] {
        let text = shown(&folder, &["report", "reports/run", "--format", format]);
        assert!(text.contains(seen), "{format}");
    }
    let diff = shown(&folder, &["diff", "table.toml", "table.toml", "--format", "json"]);
    assert!(diff.contains("129000000000") && !diff.contains("Tgas"), "{diff}");
    let other = stored(&["plain"], &[]);
    other.estimator(&["fit", "reports/plain", "--params", "plain.toml"]).assert().success();
    folder.write("plain.toml", other.read("plain.toml"));
    let diff = shown(&folder, &["diff", "plain.toml", "table.toml", "--exit-code"]);
    assert!(diff.starts_with("No difference"), "the unit is no price: {diff}");
}

#[test]
fn a_comparison_sums_up_its_points_and_begins_with_the_largest_effects() {
    let folder = stored(&["a", "b"], &[]);
    let samples = folder.read("reports/b/samples.csv");
    let header: Vec<&str> = samples.lines().next().unwrap().split(',').collect();
    let at = |name: &str| header.iter().position(|column| *column == name).unwrap();
    let (point, touch) = (at("point"), at("first_touch_ns"));
    // One point takes twice as long.
    let row = |line: &str| {
        let mut cells: Vec<String> = line.split(',').map(str::to_owned).collect();
        if cells[point] == "3" {
            cells[touch] = (cells[touch].parse::<u64>().unwrap() * 2).to_string();
        }
        cells.join(",") + "\n"
    };
    let changed: String = samples.lines().skip(1).map(row).collect();
    folder.write("reports/b/samples.csv", header.join(",") + "\n" + &changed);
    // Its samples are no longer those that the run wrote, and it is another run.
    let run = folder.read("reports/b/run.toml");
    let run: String = run.split_inclusive('\n').filter(|line| !line.starts_with("samples = ")).collect();
    folder.write("reports/b/run.toml", run.replacen("run = \"", "run = \"other-", 1));
    let text = shown(&folder, &["compare", "reports/a", "reports/b"]);
    let words = text.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(words.contains("8 points: 1 regressed, 0 improved, ") && words.contains("largest +"), "{text}");
    let names: Vec<&str> = text.lines().filter(|line| line.starts_with("  pages")).collect();
    let points = folder.read("reports/a/points.csv");
    let dearer = points.lines().nth(4).unwrap().split(',').nth(2).unwrap();
    let (dearer, common) = dearer.split_once('-').unwrap();
    assert!(names.len() == 8 && names[0].starts_with(&format!("  {dearer} ")) && names[0].contains(" +"), "{text}");
    assert!(names[0].contains("<0.0001") && names[1].contains('~') | names[1].contains("unchanged"), "{text}");
    let said = format!("All points begin with `touch-memory/` and end in `-{common}`.");
    assert!(words.contains(&said) && words.contains("Counted (minor faults): no change."), "{text}");
    let whole = shown(&folder, &["compare", "reports/a", "reports/b", "--verbose"]);
    let first = whole.lines().find(|line| line.contains("touch-memory/")).unwrap();
    assert!(first.contains(" regressed ") && first.ends_with(&format!("touch-memory/{dearer}-{common}")), "{whole}");
    let json: Value =
        serde_json::from_str(&shown(&folder, &["compare", "reports/a", "reports/b", "--format", "json"])).unwrap();
    for point in json["points"].as_array().unwrap() {
        let [a, b, ratio] = ["/cost_a/value", "/cost_b/value", "/ratio/ratio/value"]
            .map(|at| point.pointer(at).unwrap().as_f64().unwrap());
        assert!((b / a / ratio - 1.0).abs() < 1e-9, "{point}");
        assert!(point["cycles_a"].as_u64() > Some(0) && point["counters"][0]["verdict"] == "same", "{point}");
    }

    let filter = |args: &[&str]| shown(&folder, &[&["compare", "reports/a", "reports/b", "--filter"], args].concat());
    assert!(filter(&["/pages1-"]).contains("1 point: "), "{}", filter(&["/pages1-"]));
    for (pattern, says) in [("nowhere", "no point has `nowhere`"), ("(", "unclosed group")] {
        let (code, stderr) = folder.fails(&["compare", "reports/a", "reports/b", "--filter", pattern]);
        assert!(code == 2 && stderr.contains(says), "{code} {stderr}");
    }
}

#[test]
fn some_points_are_fitted_to_look_at_and_nothing_is_written() {
    let folder = stored(&["run"], &[]);
    let text = shown(&folder, &["fit", "reports/run", "--filter", "/pages(1|2|4|8|17)-", "--verbose"]);
    assert!(text.contains("Proposed fee") && text.contains("only 5 of 8 points"), "{text}");
    assert!(!folder.join("params/proposed.toml").exists() && !folder.join("reports/run/fit.json").exists());
    let text = shown(&folder, &["report", "reports/run", "--filter", "/pages(1|2|4|8|17)-"]);
    assert!(text.contains("only 5 of 8 points") && !folder.join("reports/run/fit.json").exists(), "{text}");
}

#[test]
fn a_run_is_compared_with_one_that_has_a_name() {
    let folder = stored(&["one", "two"], &[]);
    folder.write("reports/baselines/main", "one\n");
    let text = shown(&folder, &["compare", "--baseline", "main", "reports/two"]);
    assert!(text.starts_with("reports/two against reports/one\n"), "{text}");
    let (code, stderr) = folder.fails(&["compare", "--baseline", "other", "reports/two"]);
    assert!(code == 2 && stderr.contains("there is main"), "{stderr}");
    let (code, stderr) = folder.fails(&["compare", "--baseline", "main"]);
    assert!(code == 2 && stderr.contains("reports/latest"), "{stderr}");
    assert_eq!(folder.fails(&["compare", "reports/one"]).0, 2);
    assert_eq!(folder.fails(&["compare", "--baseline", "main", "reports/one", "reports/two"]).0, 2);
}
