//! What the service answers is what its document says.

use serde_json::Value;

use crate::sent::{run, tar};
use crate::started::{PUSH, Service};

/// What is wrong with a value by a schema, as far as the document uses them.
fn faults(value: &Value, schema: &Value, document: &Value, place: &str) -> Vec<String> {
    if let Some(reference) = schema["$ref"].as_str() {
        return faults(value, document.pointer(&reference[1..]).unwrap(), document, place);
    }
    let mut found = Vec::new();
    if let Some(choices) = schema["oneOf"].as_array() {
        let fitting = choices.iter().filter(|choice| faults(value, choice, document, place).is_empty()).count();
        return if fitting == 1 { found } else { vec![format!("{place}: fits {fitting} of the choices: {value}")] };
    }
    let kind = |name: &str| match name {
        "object" => value.is_object(),
        "array" => value.is_array(),
        "string" => value.is_string(),
        "integer" => value.is_i64() || value.is_u64(),
        "number" => value.is_number(),
        "boolean" => value.is_boolean(),
        "null" => value.is_null(),
        other => panic!("{other} is no type"),
    };
    let kinds: Vec<&str> = match &schema["type"] {
        Value::String(one) => vec![one],
        Value::Array(several) => several.iter().filter_map(Value::as_str).collect(),
        _ => Vec::new(),
    };
    if !kinds.is_empty() && !kinds.iter().any(|name| kind(name)) {
        found.push(format!("{place}: {value} is none of {kinds:?}"));
    }
    if schema.get("const").is_some_and(|only| only != value) {
        found.push(format!("{place}: {value} is not {}", schema["const"]));
    }
    if schema["enum"].as_array().is_some_and(|all| !all.contains(value)) {
        found.push(format!("{place}: {value} is none of {}", schema["enum"]));
    }
    for name in schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str) {
        if value.get(name).is_none() {
            found.push(format!("{place}: no {name}"));
        }
    }
    for (name, value) in value.as_object().into_iter().flatten() {
        let own = schema["properties"].get(name).or_else(|| schema.get("additionalProperties"));
        match own {
            Some(Value::Bool(false)) => found.push(format!("{place}: {name} is not in the document")),
            Some(schema) => found.extend(faults(value, schema, document, &format!("{place}.{name}"))),
            None => {}
        }
    }
    for (at, value) in value.as_array().into_iter().flatten().enumerate() {
        found.extend(faults(value, &schema["items"], document, &format!("{place}[{at}]")));
    }
    found
}

/// The schema of an answer in JSON.
fn schema<'a>(document: &'a Value, method: &str, path: &str, status: u16) -> &'a Value {
    let answer = &document["paths"][path][method]["responses"][status.to_string()];
    let answer = answer["$ref"].as_str().map_or(answer, |reference| document.pointer(&reference[1..]).unwrap());
    let schema = &answer["content"]["application/json"]["schema"];
    assert!(schema.is_object(), "{method} {path} {status} is not in the document");
    schema
}

#[test]
fn answers_are_what_the_document_says() {
    let service = Service::start();
    let document = service.get("/api/v1/openapi.json").json();
    let bearer = format!("Bearer {PUSH}");
    let archive = tar(&run("one", 2));
    let wasm = wat::parse_str("(module (memory 3))").unwrap();
    for (method, path, asked, body) in [
        ("get", "/healthz", "/healthz", &b""[..]),
        ("get", "/readyz", "/readyz", b""),
        ("get", "/api/v1/params", "/api/v1/params", b""),
        ("get", "/api/v1/params", "/api/v1/params?a=b", b""),
        ("post", "/api/v1/price", "/api/v1/price", &wasm),
        ("post", "/api/v1/price", "/api/v1/price", b"rubbish"),
        ("get", "/api/v1/export/{format}", "/api/v1/export/json", b""),
        ("get", "/api/v1/export/{format}", "/api/v1/export/none", b""),
        ("put", "/api/v1/runs/{id}", "/api/v1/runs/one", &archive),
        ("put", "/api/v1/runs/{id}", "/api/v1/runs/one", &archive),
        ("put", "/api/v1/runs/{id}", "/api/v1/runs/two", &archive),
        ("put", "/api/v1/runs/{id}", "/api/v1/runs/%20", &archive),
        ("get", "/api/v1/runs/{id}", "/api/v1/runs/one", b""),
        ("get", "/api/v1/runs/{id}", "/api/v1/runs/two", b""),
        ("get", "/api/v1/runs/{id}/report", "/api/v1/runs/two/report", b""),
        ("get", "/api/v1/runs", "/api/v1/runs?last=1", b""),
        ("get", "/api/v1/runs", "/api/v1/runs?last=x", b""),
        ("get", "/api/v1/fleet", "/api/v1/fleet", b""),
    ] {
        let headers: &[(&str, &str)] = if method == "put" { &[("Authorization", &bearer)] } else { &[] };
        let answer = service.ask(&method.to_uppercase(), asked, headers, body);
        let schema = schema(&document, method, path, answer.status);
        assert_eq!(faults(&answer.json(), schema, &document, asked), Vec::<String>::new());
    }
}

#[test]
fn an_answer_that_is_not_in_the_document_would_be_seen() {
    let service = Service::start();
    let document = service.get("/api/v1/openapi.json").json();
    let schema = schema(&document, "get", "/api/v1/params", 200);
    let sound = service.get("/api/v1/params").json();
    for (pointer, wrong) in [("/format", 2.into()), ("/table/run", Value::Null), ("/changes/0/number", "1".into())] {
        let mut broken = sound.clone();
        *broken.pointer_mut(pointer).unwrap() = wrong;
        assert!(!faults(&broken, schema, &document, "").is_empty(), "{pointer}");
    }
}
