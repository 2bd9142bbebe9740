//! `locard answers`.

use crate::arguments::AnswersArguments;
use crate::commands::{conditions, print, run_folder};
use crate::failure::Failure;
use crate::printer::Printer;
use graph::Run;
use serde_json::{Value, json};

pub(super) fn execute(arguments: &AnswersArguments, printer: &mut Printer) -> Result<u8, Failure> {
    let folder = run_folder(&arguments.of.run, &arguments.of.runs)?;
    let mut run = app::load_run(&folder).map_err(Failure::Open)?;
    run.tell_in(arguments.lang);
    let text = || format!("{}{}", report::answers(&run), conditions(&run));
    print(printer, arguments.of.format, text, || value(&run))?;
    Ok(0)
}

fn value(run: &Run) -> Value {
    let mut report = report::json(run);
    let mut taken = |member: &str| report.get_mut(member).map(Value::take);
    json!({
        "locard_answers": 1,
        "sealed": run.sealed.is_some(),
        "confined": run.opened.confined,
        "answers": taken("answers"),
        "story": taken("story"),
        "narrative": taken("narrative"),
    })
}
