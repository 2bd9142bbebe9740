//! Runs that outlive their server: anyone with the key can open them again, and nobody else.

use super::client::{Client, Opened};
use super::{answer, computer_name, demo_arguments, over_demo, reading, slow_case, task_of, told, verified};
use crate::support::{Place, demo_folder, str};
use serde_json::{Value, json};
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;

fn key_file(place: &Place, run: &str) -> PathBuf {
    place.path(&format!("runs/{run}.key"))
}

fn key(place: &Place, run: &str) -> String {
    std::fs::read_to_string(key_file(place, run)).unwrap()
}

fn again(client: &mut Client, run: &str, key: &str) -> Value {
    client.call("open_run", json!({"run": run, "key": key}))
}

fn refusal(result: &Value) -> &str {
    assert_eq!(result["isError"], true, "{result}");
    answer(result)["refusal"].as_str().unwrap()
}

fn claim(client: &mut Client, task: &str, readings: &Value) {
    let said = client.call("record_phenomenon", json!({"task": task, "readings": readings}));
    assert_eq!(said["isError"], false, "{said}");
}

/// The last links of the task chains of a run.
fn heads(place: &Place, run: &str) -> Vec<String> {
    let sealed = app::load_run(&place.path(&format!("runs/{run}"))).unwrap().sealed.unwrap();
    sealed.heads.iter().map(|head| format!("{} {} {}", head.task, head.events, head.head)).collect()
}

/// An investigation in two halves; between them, `between` may do something to the server.
fn in_two_halves(
    place: &Place,
    mut client: Client,
    between: impl FnOnce(Client, &Opened, &str) -> (Client, Opened),
) -> String {
    let opened = client.open(&["registry", "timeline"]);
    let task = opened.task().to_owned();
    let (invocation, record) = computer_name(&mut client, &task);
    let name = record["fields"]["name"].as_str().unwrap();
    claim(&mut client, &task, &reading(&invocation, &record, name));
    assert_eq!(client.call("list_hives", json!({"task": task}))["isError"], false);
    let (mut client, opened) = between(client, &opened, &invocation);
    let task = opened.task().to_owned();
    // Answers from the first half still support claims in the second.
    claim(&mut client, &task, &json!([{"record": format!("{invocation} r1"), "predicate": "configured"}]));
    for task in &opened.tasks {
        assert_eq!(client.call("records", json!({"task": task, "source": "time_zone"}))["isError"], false);
    }
    let closed = client.call("close_run", json!({"run": opened.run}));
    assert_eq!(closed["structuredContent"]["verification"]["verified"], true, "{closed}");
    let (code, said) = client.leave();
    assert_eq!(code, Some(0), "{said}");
    verified(place, &opened.name);
    opened.name
}

#[test]
fn a_run_whose_server_was_killed_goes_on_for_its_key_and_comes_out_as_if_it_had_not_been() {
    let (place, other) = (Place::new(), Place::new());
    let straight = in_two_halves(&other, over_demo(&other), |client, opened, _| {
        let (run, name) = (opened.run.clone(), opened.name.clone());
        let (tasks, instructions) = (opened.tasks.clone(), opened.instructions.clone());
        (client, Opened { run, name, tasks, instructions })
    });
    let run = in_two_halves(&place, over_demo(&place), |client, opened, invocation| {
        let (name, key) = (&opened.name, key(&place, &opened.name));
        client.kill();
        place.locard_ends(32, &["verify", name]);
        let mode = key_file(&place, name).metadata().unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
        let runs = place.locard_ends(0, &["runs"]);
        assert!(runs.contains(name.as_str()) && !runs.contains(".key"), "{runs}");
        assert!(!place.locard_ends(0, &["facts", name]).is_empty());

        let mut client = over_demo(&place);
        let refused = client.call("open_run", json!({"run": name}));
        assert_eq!(refusal(&refused), "key_needed");
        assert!(told(&refused).contains(str(&key_file(&place, name))), "{refused}");
        for wrong in ["", "0123456789abcdef0123456789abcdef", &key[1..], &key.to_uppercase()] {
            assert_eq!(refusal(&again(&mut client, name, wrong)), "wrong_key", "{wrong:?}");
        }
        for no_run in ["nothing", "../runs", &format!("{name}.key"), &name[..20]] {
            assert_eq!(refusal(&again(&mut client, no_run, &key)), "unknown_run", "{no_run}");
        }
        let with_agents = json!({"run": name, "key": key, "agents": ["registry"]});
        for wrong in [with_agents, json!({"key": key}), json!({"run": 7}), json!({"run": name, "key": 7})] {
            assert_eq!(refusal(&client.call("open_run", wrong.clone())), "bad_arguments", "{wrong}");
        }
        let result = again(&mut client, name, &key);
        let tasks = &result["structuredContent"]["tasks"];
        assert_eq!((&tasks[0]["so_far"]["facts"], &tasks[0]["so_far"]["refused"]), (&json!(1), &json!(0)));
        let open = tasks[0]["so_far"]["open"].as_array().unwrap();
        assert!(!open.is_empty() && !open.contains(&json!("computer-name")), "{tasks}");
        assert_eq!(tasks[0]["last"]["tool"], "list_hives");
        assert_ne!(tasks[0]["last"]["answer"]["invocation"], json!(invocation));
        assert!(!tasks[0]["last"]["records"].as_array().unwrap().is_empty(), "{tasks}");
        assert_eq!((&tasks[1]["last"], &tasks[1]["so_far"]), (&Value::Null, &Value::Null));
        let reopened = Opened::of(&result);
        assert_eq!((&reopened.name, &reopened.instructions), (name, &opened.instructions));
        assert!(reopened.run != opened.run && reopened.tasks != opened.tasks, "handles are new");
        assert_eq!(refusal(&again(&mut client, name, &key)), "open_here");
        (client, reopened)
    });
    assert_eq!(heads(&place, &run), heads(&other, &straight), "no call is told from another");
    assert!(!key_file(&place, &run).exists() && !key_file(&other, &straight).exists());
    let mut client = over_demo(&place);
    for key in ["", "0123456789abcdef0123456789abcdef"] {
        let refused = again(&mut client, &run, key);
        assert_eq!(refusal(&refused), "sealed");
        assert!(told(&refused).contains(&format!("locard://run/{run}/report.md")), "{refused}");
    }
}

#[test]
fn a_call_that_was_under_way_when_the_server_was_killed_is_made_again_and_told() {
    let place = Place::new();
    let case = slow_case(&place);
    let arguments = ["--case", case.as_str(), "--integrity", "stat"];
    let mut client = Client::old(&place, &arguments);
    let opened = client.open(&["filesystem"]);
    let sam = "C/Windows/System32/config/SAM";
    let slow = json!({"task": opened.task(), "path": sam});
    client.begin("tools/call", json!({"name": "hash_file", "arguments": slow}));
    // As soon as the call is on disk, it is a turn of the task.
    let run = place.path(&format!("runs/{}", opened.name));
    let is_called = |run: graph::Run| run.tasks.values().any(|task| !task.invocations.is_empty());
    while !app::load_run(&run).is_ok_and(is_called) {}
    client.kill();
    let key = key(&place, &opened.name);
    let mut client = Client::old(&place, &arguments);
    let result = again(&mut client, &opened.name, &key);
    let last = &result["structuredContent"]["tasks"][0]["last"];
    assert_eq!((&last["tool"], &last["answer"]["outcome"]), (&json!("hash_file"), &json!("ok")), "{last}");
    let reopened = Opened::of(&result);
    let closed = client.call("close_run", json!({"run": reopened.run}));
    assert_eq!(closed["structuredContent"]["verification"]["verified"], true, "{closed}");
    verified(&place, &opened.name);
}

#[test]
fn a_server_that_keeps_runs_open_leaves_them_to_the_next_one_and_says_which() {
    let place = Place::new();
    let [case, demo] = demo_arguments();
    let arguments = [case.as_str(), &demo, "--keep-open"];
    let mut client = Client::old(&place, &arguments);
    let (left, closed) = (client.open(&["registry"]), client.open(&["registry"]));
    computer_name(&mut client, left.task());
    client.call("close_run", json!({"run": closed.run}));
    let (code, said) = client.leave();
    assert_eq!(code, Some(0), "{said}");
    let says = |name: &str| said.contains(&format!("{name} stays open"));
    assert!(says(&left.name) && !says(&closed.name), "{said}");
    assert!(said.contains(str(&key_file(&place, &left.name))), "{said}");
    verified(&place, &closed.name);
    place.locard_ends(32, &["verify", &left.name]);

    let key = key(&place, &left.name);
    let mut client = Client::old(&place, &arguments);
    let reopened = Opened::of(&again(&mut client, &left.name, &key));
    assert_eq!(client.call("list_hives", json!({"task": reopened.task()}))["isError"], false);
    let (code, said) = client.leave();
    assert!(code == Some(0) && said.contains(&format!("{} stays open", left.name)), "{said}");
    // A person resumes the run, because the client no longer needs it.
    place.locard_ends(0, &["resume", &left.name, "--no-cache"]);
    assert_eq!(task_of(&place, &left.name)["status"], "cancelled");
    assert!(!key_file(&place, &left.name).exists());
    verified(&place, &left.name);
}

#[test]
fn a_run_that_another_process_holds_or_that_is_of_another_case_is_not_opened_again() {
    let place = Place::new();
    let mut holder = over_demo(&place);
    let opened = holder.open(&["registry"]);
    let key = key(&place, &opened.name);
    let mut client = over_demo(&place);
    let held = again(&mut client, &opened.name, &key);
    assert!(refusal(&held) == "no_run" && told(&held).contains("another process holds it"), "{held}");
    holder.kill();
    let mut stranger = Client::old(&place, &["--case", &slow_case(&place), "--runs", "runs"]);
    let refused = again(&mut stranger, &opened.name, &key);
    assert!(refusal(&refused) == "unknown_run" && told(&refused).contains("another case"), "{refused}");
    assert_eq!(again(&mut client, &opened.name, &key)["isError"], false);
    // Without --keep-open, a server seals such a run as usual: after its idle time, on a signal, or when
    // the client disconnects.
    client.leave();
    assert!(!key_file(&place, &opened.name).exists());
    verified(&place, &opened.name);
    place.has_demo_run(&[]);
    let playbook = place.runs().into_iter().find(|run| !run.ends_with(&opened.name)).unwrap();
    let sealed = playbook.file_name().unwrap().to_str().unwrap().to_owned();
    assert_eq!(refusal(&again(&mut over_demo(&place), &sealed, &key)), "sealed");
}

#[test]
fn a_run_whose_key_is_gone_can_only_be_resumed_and_no_export_has_the_key() {
    let place = Place::new();
    let [case, demo] = demo_arguments();
    let mut client = Client::old(&place, &[case.as_str(), &demo, "--shared"]);
    let opened = client.open(&["registry"]);
    computer_name(&mut client, opened.task());
    client.kill();
    let (name, file) = (opened.name.as_str(), key_file(&place, &opened.name));
    let key = key(&place, name);
    assert_eq!(file.metadata().unwrap().permissions().mode() & 0o777, 0o600);
    let has_key = |bytes: &[u8]| bytes.windows(16).any(|window| window == &key.as_bytes()[..16]);
    for out in ["open.tar", "sealed.tar"] {
        place.locard_ends(0, &["export", name, "--plain", "--unsealed", "-o", out]);
        let packed = std::fs::read(place.path(out)).unwrap();
        assert!(!has_key(&packed), "{out}");
        for entry in std::fs::read_dir(place.path("runs").join(name)).unwrap() {
            assert!(!has_key(&std::fs::read(entry.unwrap().path()).unwrap()));
        }
        assert!(!has_key(place.locard_ends(0, &["report", name, "--format", "json"]).as_bytes()));
        if !file.exists() {
            break;
        }
        std::fs::remove_file(&file).unwrap();
        let refused = again(&mut over_demo(&place), name, &key);
        assert!(refusal(&refused) == "no_key" && told(&refused).contains("locard resume"), "{refused}");
        place.locard_ends(0, &["resume", name, "--no-cache"]);
    }
    verified(&place, name);
}

#[test]
fn a_lead_goes_on_with_what_it_has_handed_out() {
    let place = Place::new();
    let mut client = over_demo(&place);
    let opened = client.open(&["lead"]);
    let handed = client.call("agent_registry", json!({"task": opened.task()}));
    assert_eq!(answer(&handed)["type"], "reported", "{handed}");
    client.kill();
    let key = key(&place, &opened.name);
    let mut client = over_demo(&place);
    let result = again(&mut client, &opened.name, &key);
    let last = &result["structuredContent"]["tasks"][0]["last"];
    assert_eq!((&last["tool"], &last["answer"]), (&json!("agent_registry"), answer(&handed)));
    let reopened = Opened::of(&result);
    let handed = client.call("agent_timeline", json!({"task": reopened.task()}));
    assert_eq!(answer(&handed)["type"], "reported", "{handed}");
    let closed = client.call("close_run", json!({"run": reopened.run}));
    assert_eq!(closed["structuredContent"]["tasks"].as_array().unwrap().len(), 3, "{closed}");
    verified(&place, &opened.name);
}

#[test]
fn a_server_says_little_when_something_is_closed() {
    let place = Place::new();
    let demo = str(&demo_folder()).to_owned();
    let mut client = Client::reading(&place, &["--case", &demo]);
    let text = |result: &Value| result["content"][0]["text"].as_str().unwrap().to_owned();
    let opened = text(&client.call("open_run", json!({"agents": ["examiner", "registry"]})));
    let handle = |begin: &str| -> Vec<String> {
        let words = opened.split_whitespace().filter(|word| word.starts_with(begin) && word.len() > 30);
        words.map(str::to_owned).collect()
    };
    let (run, tasks) = (handle("run-"), handle("task-"));
    assert!(opened.contains(".key as key opens it again"), "{opened}");
    let ended = loop {
        let said = text(&client.call("close_task", json!({"task": tasks[0]})));
        assert!(said.lines().count() <= 10, "{said}");
        if said.contains("close_run seals its run") {
            break said;
        }
    };
    assert!(ended.starts_with("examiner: ") && ended.contains("objectives are open: "), "{ended}");
    let closed = text(&client.call("close_run", json!({"run": run[0]})));
    assert!(closed.lines().count() <= 10, "{closed}");
    for part in
        ["examiner: ", "registry: ", " questions of the case are open: ", "Verified: ", "Head of its chain: "]
    {
        assert!(closed.contains(part), "{part}: {closed}");
    }
}
