//! Resources that can be read without calling tools. None belongs to a task, so they need no handle.

use crate::close::listed;
use crate::house::House;
use crate::open::causes;
use graph::Run;
use ledger::{InvocationId, RecordId};
use report::json_text;
use rmcp::model::{Resource, ResourceTemplate};
use serde_json::{Value, json};
use std::path::PathBuf;
use thiserror::Error;

/// The maximum size of a resource, in bytes.
const MOST: usize = 4 << 20;
/// Bytes of stored records on one page of an output, as many as an agent is shown at once.
const PAGE: usize = 32 * 1024;

const JSON: &str = "application/json";

/// The reason why a resource cannot be read.
#[derive(Debug, Error)]
pub(crate) enum NoResource {
    #[error("there is no such resource")]
    Unknown,
    #[error("there is no run {0:?} of this case; locard://runs lists them")]
    NoRun(String),
    #[error("{0}")]
    Unreadable(String),
    #[error("it has {bytes} bytes, and {MOST} are sent at most; locard report writes it to a file")]
    TooLong { bytes: usize },
}

/// Returns the resources with a fixed address.
pub(crate) fn list(house: &House) -> Vec<Resource> {
    let of = |uri: &str, name: &str, about: &str| {
        Resource::new(uri, name).with_description(about).with_mime_type(JSON)
    };
    let mut resources = vec![
        of("locard://case", "case", "The case: its name, title, time zone and evidence."),
        of("locard://evidence", "evidence", "The evidence, by the labels that tools know it by."),
        of("locard://runs", "runs", "The recorded runs of the case, the newest first."),
    ];
    for run in listed(house).unwrap_or_default().iter().take(10) {
        let name = run["name"].as_str().unwrap_or_default();
        let uri = format!("locard://run/{name}/report.md");
        let resource = Resource::new(uri, format!("report of {name}")).with_mime_type("text/markdown");
        resources.push(resource.with_description("The report of a run."));
    }
    resources
}

/// Returns the resource templates of a run, by its name.
pub(crate) fn templates() -> Vec<ResourceTemplate> {
    let of = |uri: &str, name: &str, kind: &str, about: &str| {
        ResourceTemplate::new(uri, name).with_description(about).with_mime_type(kind)
    };
    vec![
        of("locard://run/{run}/report.md", "report", "text/markdown", "The report of a run, to read."),
        of("locard://run/{run}/report.json", "report-json", JSON, "The report of a run, whole."),
        of("locard://run/{run}/phenomena", "phenomena", JSON, "What was recorded, the weightiest first."),
        of(
            "locard://run/{run}/rejections",
            "rejections",
            JSON,
            "Claims that were refused, and how each ended.",
        ),
        of("locard://run/{run}/invocations", "invocations", JSON, "The calls of a run."),
        of(
            "locard://run/{run}/invocation/{invocation}/{first}",
            "output",
            JSON,
            "Records of a call's stored output from the record `first` on, such as r0.",
        ),
    ]
}

/// Reads a resource; returns its type and its text.
pub(crate) fn read(house: &House, uri: &str) -> Result<(&'static str, String), NoResource> {
    let path = uri.strip_prefix("locard://").ok_or(NoResource::Unknown)?;
    let parts: Vec<&str> = path.split('/').collect();
    let case = &house.settings.case.entry;
    let (kind, text) = match parts.as_slice() {
        ["case"] => (JSON, json_text(&json!(case))),
        ["evidence"] => (JSON, json_text(&json!(case.evidence))),
        ["runs"] => (JSON, json_text(&json!(listed(house).map_err(NoResource::Unreadable)?))),
        ["run", run, "report.md"] => ("text/markdown", report::markdown(&load(house, run)?)),
        ["run", run, "report.json"] => (JSON, json_text(&report::json(&load(house, run)?))),
        ["run", run, part @ ("phenomena" | "rejections" | "invocations")] => {
            let report = report::json(&load(house, run)?);
            (JSON, json_text(report.get(part).unwrap_or(&Value::Null)))
        }
        ["run", run, "invocation", invocation, first] => {
            (JSON, json_text(&output(house, run, invocation, first)?))
        }
        _ => return Err(NoResource::Unknown),
    };
    match text.len() {
        bytes if bytes > MOST => Err(NoResource::TooLong { bytes }),
        _ => Ok((kind, text)),
    }
}

/// Loads a run of the case by its name.
pub(crate) fn load(house: &House, run: &str) -> Result<Run, NoResource> {
    app::load_run(&folder(house, run)?).map_err(|error| NoResource::Unreadable(causes(&error)))
}

/// Returns the folder of a run of the case: the name is looked up in the list and never used as a path.
fn folder(house: &House, run: &str) -> Result<PathBuf, NoResource> {
    let settings = &house.settings;
    let none = || NoResource::NoRun(run.chars().take(100).collect());
    let folders = app::run_folders(&settings.runs).map_err(|_| none())?;
    let named = folders.into_iter().find(|folder| folder.file_name().is_some_and(|name| name == run));
    let folder = named.ok_or_else(none)?;
    match app::list_run(&folder).case.as_ref() == Some(&settings.case.entry.name) {
        true => Ok(folder),
        false => Err(none()),
    }
}

fn output(house: &House, run: &str, invocation: &str, first: &str) -> Result<Value, NoResource> {
    let folder = folder(house, run)?;
    let id: InvocationId = invocation.parse().map_err(|_| NoResource::Unknown)?;
    let first: RecordId = first.parse().map_err(|_| NoResource::Unknown)?;
    let run = app::load_run(&folder).map_err(|error| NoResource::Unreadable(causes(&error)))?;
    let (_, view) = run.invocation(id).ok_or(NoResource::Unknown)?;
    let output = app::read_output(&folder, view).map_err(|error| NoResource::Unreadable(causes(&error)))?;
    let Some(output) = output else {
        return Ok(json!({"invocation": id, "records": [], "count": 0, "next": null}));
    };
    let (mut records, mut left) = (Vec::new(), PAGE);
    let mut next = None;
    for record in output.records().iter().skip_while(|record| record.id < first) {
        let bytes = output.line_length(record.id).unwrap_or(0);
        if bytes > left && !records.is_empty() {
            next = Some(record.id.to_string());
            break;
        }
        left = left.saturating_sub(bytes);
        records.push(json!(record));
    }
    Ok(json!({"invocation": id, "records": records, "count": output.count(), "next": next}))
}
