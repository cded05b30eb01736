//! The pages of a service: they read without script, and what leads from one to another are plain links.

mod bill;
mod fleet;
mod overview;
mod runs;

pub use bill::{bill, empty as price};
pub use fleet::fleet;
pub use overview::overview;
pub use runs::{run, runs};

use crate::history::Record;
use crate::report::document::{Block, Document, Section, Text};

/// The pages by name and path.
const SITE: &[(&str, &str)] =
    &[("Overview", "/"), ("Fleet", "/fleet"), ("Trends", "/trends"), ("Runs", "/runs"), ("Price a contract", "/price")];

/// Where a contract is sent.
pub const PRICE: &str = "/price";

/// A page of the service.
fn framed(title: impl Into<String>, about: Vec<String>, sections: Vec<Section>) -> Document {
    within(Document { title: title.into(), about, sections, ..Document::default() })
}

/// Any document as a page of the service.
#[must_use]
pub fn within(document: Document) -> Document {
    let footer = concat!("estimator ", env!("CARGO_PKG_VERSION")).to_owned();
    Document { site: SITE, footer, ..document }
}

/// The trends of which there are several machines: links to each above the pictures of one. `longer` leads to more runs of it.
#[must_use]
pub fn trends(of_one: Document, machines: &[Record], longer: Option<&str>) -> Document {
    let mut document = within(of_one);
    let link = |record: &Record| {
        let mut line = machine(record);
        line.0.extend(Text::from(format!(", {}", record.cpu)).0);
        line
    };
    let mut blocks = vec![Block::List(machines.iter().map(link).collect())];
    blocks.extend(longer.map(|longer| Block::Lead(Text::leading("More runs", longer))));
    document.sections.insert(0, Section::new("machines", "Machines", blocks));
    document
}

/// What is not there, or cannot be done.
#[must_use]
pub fn problem(title: &str, message: &str) -> Document {
    framed(title, Vec::new(), vec![Section::new("reason", "Why", vec![Block::Warning(message.into())])])
}

/// The name of a run, which leads to its page.
#[must_use]
pub fn name(run: &str) -> Text {
    Text::leading(run, format!("/runs/{}", part(run)))
}

/// The class of a machine, which leads to its trends.
fn machine(record: &Record) -> Text {
    Text::leading(&record.machine, format!("/trends?machine={}", part(&record.machine)))
}

/// A text as a part of an address.
#[must_use]
pub fn part(text: &str) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"._-".contains(&byte);
    let parts = text.bytes().map(|byte| if plain(byte) { char::from(byte).into() } else { format!("%{byte:02X}") });
    parts.collect::<Vec<String>>().concat()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::render;

    #[test]
    fn names_of_others_lead_to_no_other_place() {
        assert_eq!(part("a/../b?c#d \"ü"), "a%2F..%2Fb%3Fc%23d%20%22%C3%BC");
        let html = render::html(&framed("t", vec![], vec![Section::new("a", "A", vec![Block::Lead(name("\"><b>"))])]));
        assert!(html.unwrap().contains("<a href=\"/runs/%22%3E%3Cb%3E\">&#34;&#62;&#60;b&#62;</a>"));
    }

    #[test]
    fn a_page_of_the_service_leads_to_the_others_and_a_file_does_not() {
        let page = render::html(&problem("t", "m")).unwrap();
        for (name, path) in SITE {
            assert!(page.contains(&format!("<a href=\"{path}\">{name}</a>")), "{name}");
        }
        assert!(!page.contains("http-equiv"), "its headers say what it may");
        let file = render::html(&Document::default()).unwrap();
        assert!(file.contains("http-equiv=\"Content-Security-Policy\"") && !file.contains("/fleet"));
    }
}
