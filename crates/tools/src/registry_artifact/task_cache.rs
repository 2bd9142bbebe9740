//! Scheduled tasks, as the scheduler keeps them in the registry (`TaskCache`).
//!
//! `Tree` has a key for each task and folder, with the GUID of the task; `Tasks` has the definition of the task.
//! Since Windows 8 the scheduler shows a task only if its key in `Tree` has a security descriptor (`SD`) and an `Index` other than 0.
//! Windows 7 keeps no descriptors there, and no actions: what a task does is only in its file.

use super::Artifact;
use super::decoded::{self, damaged, part, time};
use super::draft::{Draft, TextField, number, record_type, text_of};
use super::mru_list::written;
use super::names::last_component;
use super::reader::Reader;
use super::values::{Held, Values};
use crate::hive_file::key_name;
use crate::intake::Flow;
use artifacts::registry::{HiveType, Key};
use artifacts::task_cache::{self, Action, Actions};
use ledger::{FieldType, FieldValue, RecordType};
use std::collections::BTreeMap;
use std::ops::ControlFlow;

const KIND: &str = "task_cache_entry";

const CACHE: &str = "Microsoft\\Windows NT\\CurrentVersion\\Schedule\\TaskCache";

/// The deepest folder of tasks that is read.
const DEEPEST: usize = 64;

pub(crate) const ARTIFACT: Artifact = Artifact {
    name: "task_cache",
    about: "scheduled tasks as the registry keeps them: what they start, when they were registered and last ran, and tasks that are hidden",
    hives: &[HiveType::Software],
    records,
    read,
};

fn records() -> Vec<RecordType> {
    use FieldType::{Bytes, Flag, Guid, Integer, List, Name, Path, Text, Time};
    vec![record_type(
        KIND,
        "one scheduled task in the cache of the scheduler; what starts it is not read, and a last run shows that the task was started, not that its program ran well",
        "task",
        &[
            ("task", &[Path, Guid, Name], "path of the task in the scheduler; its GUID where it has none"),
            ("name", &[Name], "last part of the path"),
            ("guid", &[Guid, Name], "GUID of the task"),
            ("command", &[Path], "program that it starts first"),
            ("arguments", &[Text], "arguments of that program"),
            ("folder", &[Path], "folder in which that program starts"),
            ("com_class", &[Guid], "class of the COM object that it calls first"),
            (
                "actions",
                &[List],
                "all that it does, in words, where that is more than one thing or no program",
            ),
            ("context", &[Name], "principal under which it runs, as stored"),
            ("author", &[Text], "author, as the task says"),
            ("description", &[Text], "description; may be a resource"),
            ("source", &[Text], "where the task comes from; may be a resource"),
            ("uri", &[Path], "path of the task as it was registered"),
            ("date", &[Text], "when it was made, as the task itself says"),
            ("created", &[Time], "when it was registered"),
            ("last_run", &[Time], "when it was last started"),
            ("last_completed", &[Time], "when a run last ended well; Windows 10 and later"),
            ("last_result", &[Integer], "code with which the last run ended; 0 for success"),
            (
                "index",
                &[Integer],
                "list in which the scheduler has it: 1 boot, 2 logon, 3 plain, 4 maintenance; with 0 the scheduler does not show it",
            ),
            (
                "hidden",
                &[Flag],
                "true where its key in Tree has the index 0, or no security descriptor where other tasks have one: the scheduler does not show it; not told of what stands only in Tree, and so starts nothing",
            ),
            (
                "only_in",
                &[Name],
                "Tree or Tasks, where the task stands in one of the two only; Windows itself leaves some",
            ),
            ("tree_last_written", &[Time], "when its key in Tree was last written"),
            ("raw_actions", &[Bytes], "its actions, where they could not be decoded"),
        ],
    )]
}

/// A task in `Tree`.
struct Leaf<'h> {
    key: Key<'h>,
    path: String,
    index: Option<u64>,
    /// Whether it has a security descriptor, or need not have one.
    described: bool,
}

/// The tasks in `Tree`, by lower-case GUID.
type Leaves<'h> = BTreeMap<String, Leaf<'h>>;

const TEXTS: &[TextField] = &[
    ("author", "Author", FieldValue::Text),
    ("description", "Description", FieldValue::Text),
    ("source", "Source", FieldValue::Text),
    ("uri", "URI", FieldValue::Path),
    ("date", "Date", FieldValue::Text),
];

fn read(reader: &mut Reader<'_, '_>) -> Flow {
    let Some(cache) = reader.key(CACHE) else { return ControlFlow::Continue(()) };
    let mut leaves = Leaves::new();
    if let Some(tree) = reader.below(&cache, "Tree") {
        collect(reader, &tree, "", 0, &mut leaves);
    }
    // If no task has a descriptor, this Windows keeps none.
    let with_descriptors = leaves.values().any(|leaf| leaf.described);
    for leaf in leaves.values_mut() {
        leaf.described |= !with_descriptors;
    }
    let tasks = reader.below(&cache, "Tasks").map(|tasks| reader.children(&tasks)).unwrap_or_default();
    for key in tasks {
        let leaf = leaves.remove(&key.name.to_ascii_lowercase());
        task(reader, &key, leaf.as_ref())?;
    }
    for (_, leaf) in leaves {
        let at = key_name(reader.bytes, leaf.key.offset);
        let draft = Draft::of_key(reader, KIND, &leaf.key)
            .set("task", FieldValue::Path(leaf.path.clone()), None)
            .set("name", FieldValue::Name(leaf.key.name.clone()), at)
            .set("only_in", FieldValue::Name("Tree".to_owned()), None);
        let values = reader.values(&leaf.key);
        let draft = draft.text("guid", values.get("Id"), FieldValue::Guid);
        let record = placed(draft, &leaf).done();
        reader.push(record)?;
    }
    ControlFlow::Continue(())
}

fn collect<'h>(
    reader: &mut Reader<'_, 'h>,
    key: &Key<'h>,
    path: &str,
    depth: usize,
    leaves: &mut Leaves<'h>,
) {
    if depth > DEEPEST {
        reader.gap(format!("{} lies too deep: tasks in it were not read", key.path));
        return;
    }
    for child in reader.children(key) {
        let path = format!("{path}\\{}", child.name);
        let values = reader.values(&child);
        if let Some(guid) = text_of(values.get("Id")) {
            let leaf = Leaf {
                key: child.clone(),
                path: path.clone(),
                index: values.get("Index").and_then(number),
                described: values.get("SD").is_some(),
            };
            leaves.insert(guid.to_ascii_lowercase(), leaf);
        }
        collect(reader, &child, &path, depth + 1, leaves);
    }
}

/// Adds what the place of a task in `Tree` shows.
fn placed(draft: Draft, leaf: &Leaf<'_>) -> Draft {
    let draft = draft.maybe("index", leaf.index.map(|index| FieldValue::Integer(index.into())), None);
    written(draft, "tree_last_written", &leaf.key)
}

/// Adds whether the scheduler hides a task; a task without a definition starts nothing, and is not assessed.
fn hidden(draft: Draft, leaf: &Leaf<'_>) -> Draft {
    draft.set("hidden", FieldValue::Flag(!leaf.described || leaf.index == Some(0)), None)
}

fn task<'h>(reader: &mut Reader<'_, 'h>, key: &Key<'h>, leaf: Option<&Leaf<'h>>) -> Flow {
    let values = reader.values(key);
    let draft = Draft::of_key(reader, KIND, key).key_name(reader, "guid", key, FieldValue::Guid);
    let draft = named(draft, reader, key, &values, leaf).texts(&values, TEXTS);
    let draft = match leaf {
        Some(leaf) => hidden(placed(draft, leaf), leaf),
        None => draft.set("only_in", FieldValue::Name("Tasks".to_owned()), None),
    };
    let draft = match values.get("DynamicInfo") {
        Some(held) => dynamic(draft, held),
        None => draft,
    };
    let draft = match values.get("Actions") {
        Some(held) => acts(draft, held),
        None => draft,
    };
    reader.push(draft.done())
}

fn named(
    draft: Draft,
    reader: &Reader<'_, '_>,
    key: &Key<'_>,
    values: &Values<'_>,
    leaf: Option<&Leaf<'_>>,
) -> Draft {
    let path = values.get("Path");
    match (text_of(path).filter(|path| !path.is_empty()), leaf) {
        (Some(text), _) => draft.set("name", last_component(text), None).text("task", path, FieldValue::Path),
        (None, Some(leaf)) => draft.set("task", FieldValue::Path(leaf.path.clone()), None).set(
            "name",
            last_component(&leaf.path),
            None,
        ),
        (None, None) => draft.key_name(reader, "task", key, FieldValue::Guid),
    }
}

fn dynamic(draft: Draft, held: &Held<'_>) -> Draft {
    let (dynamic, damage) = task_cache::dynamic(&held.value.raw);
    let draft = damaged(draft.own(held), held, &damage);
    let draft = time(draft, "created", held, dynamic.created.as_ref());
    let draft = time(draft, "last_run", held, dynamic.last_run.as_ref());
    let draft = time(draft, "last_completed", held, dynamic.last_completed.as_ref());
    let ran = dynamic.last_run.as_ref().is_some_and(|time| time.value.is_time());
    let result = dynamic.last_error.as_ref().filter(|_| ran);
    decoded::number(draft, "last_result", held, result)
}

fn acts(draft: Draft, held: &Held<'_>) -> Draft {
    let (read, damage) = task_cache::actions(&held.value.raw);
    let draft = damaged(draft.own(held), held, &damage);
    let draft = part(draft, "context", held, read.context.as_ref(), FieldValue::Name);
    let draft = match read.actions.iter().find(|action| matches!(action, Action::Execute { .. })) {
        Some(Action::Execute { command, arguments, folder }) => {
            let draft = part(draft, "command", held, Some(command), FieldValue::Path);
            let draft = part(draft, "arguments", held, arguments.as_ref(), FieldValue::Text);
            part(draft, "folder", held, folder.as_ref(), FieldValue::Path)
        }
        _ => draft,
    };
    let class = read.actions.iter().find_map(|action| match action {
        Action::ComHandler { class, .. } => Some(class),
        Action::Execute { .. } | Action::Email | Action::Message { .. } => None,
    });
    let draft = part(draft, "com_class", held, class, FieldValue::Guid);
    let plain = matches!(read.actions.as_slice(), [Action::Execute { .. }]);
    let words = (!plain && !read.actions.is_empty()).then(|| FieldValue::List(words(&read)));
    let draft = draft.maybe("actions", words, None);
    if damage.is_empty() { draft } else { draft.bytes("raw_actions", held) }
}

/// Describes the actions in words.
fn words(read: &Actions) -> Vec<String> {
    let word = |action: &Action| match action {
        Action::Execute { command, arguments, .. } => {
            let arguments = arguments.as_ref().map(|text| format!(" {}", text.value));
            format!("starts {}{}", command.value, arguments.unwrap_or_default())
        }
        Action::ComHandler { class, data } => {
            let data = data.as_ref().map(|text| format!(" with {}", text.value));
            format!("calls {}{}", class.value, data.unwrap_or_default())
        }
        Action::Email => "sends a mail".to_owned(),
        Action::Message { title, text } => format!("shows {}: {}", title.value, text.value),
    };
    read.actions.iter().map(word).collect()
}
