//! What a client that passes answers to a language model reads, which is text only, and how much it costs.

use super::client::Client;
use super::{demo_arguments, verified};
use crate::support::{Place, demo_folder};
use serde_json::{Map, Value, json};
use std::collections::{BTreeMap, BTreeSet};

/// A client that receives text answers.
struct Reader {
    client: Client,
    task: String,
    run: String,
    name: String,
}

/// A record as an answer shows it.
#[derive(Debug, Clone)]
struct Shown {
    cites: String,
    kind: String,
    proves: Vec<String>,
    fields: Map<String, Value>,
}

impl Reader {
    fn of(place: &Place, agents: &[&str], more: &[&str]) -> Reader {
        let demo = demo_arguments();
        let demo: Vec<&str> = demo.iter().map(String::as_str).chain(more.iter().copied()).collect();
        let mut client = Client::reading(place, &demo);
        let result = client.call("open_run", json!({ "agents": agents }));
        assert!(result["structuredContent"].is_null(), "{result}");
        let opened = text(&result).to_owned();
        let word = |begin: &str| {
            let found = opened.split_whitespace().find(|word| word.starts_with(begin) && word.len() > 20);
            found.unwrap_or_else(|| panic!("{opened}")).to_owned()
        };
        let name = opened.split_whitespace().nth(3).unwrap().trim_end_matches(';').to_owned();
        Reader { task: word("task-"), run: word("run-"), name, client }
    }

    fn call(&mut self, tool: &str, mut arguments: Value) -> (String, Vec<Value>) {
        arguments["task"] = json!(self.task);
        let result = self.client.call(tool, arguments);
        let text = text(&result).to_owned();
        let lines = text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect();
        (text, lines)
    }

    /// The records of a call, assembled from the lines of its answer.
    fn records(&mut self, tool: &str, arguments: Value) -> Vec<Shown> {
        let (_, lines) = self.call(tool, arguments);
        let Some(invocation) = lines.first().and_then(|head| head["invocation"].as_str()) else {
            return vec![];
        };
        let types: Vec<&Value> = lines.iter().filter(|line| line.get("kind").is_some()).collect();
        let shown = |of: &Value, record: &Value, fields: Map<String, Value>| Shown {
            cites: format!("{invocation} {}", record.as_str().unwrap()),
            kind: of["kind"].as_str().unwrap().to_owned(),
            proves: of["proves"]
                .as_array()
                .unwrap()
                .iter()
                .map(|it| it.as_str().unwrap().to_owned())
                .collect(),
            fields,
        };
        let alone = types.iter().filter(|of| of.get("record").is_some());
        let mut all: Vec<Shown> = alone
            .map(|of| shown(of, &of["record"], of["fields"].as_object().cloned().unwrap_or_default()))
            .collect();
        let mut above: BTreeMap<(usize, String), Value> = BTreeMap::new();
        for row in lines.iter().filter_map(Value::as_array) {
            let mut cells = row.iter().skip(1);
            let at = if types.len() == 1 { 0 } else { cells.next().unwrap().as_u64().unwrap() as usize };
            let mut fields = types[at]["same"].as_object().cloned().unwrap_or_default();
            for (name, cell) in types[at]["columns"].as_array().unwrap().iter().zip(cells) {
                let key = (at, name.as_str().unwrap().to_owned());
                let cell = if cell == &json!(0) { above[&key].clone() } else { cell.clone() };
                above.insert(key.clone(), cell.clone());
                if !cell.is_null() && key.1 != "@from" {
                    fields.insert(key.1, cell);
                }
            }
            all.push(shown(types[at], &row[0], fields));
        }
        all
    }

    /// Closes the run, which must verify and replay.
    fn close(mut self, place: &Place) -> String {
        let closed = self.client.call("close_run", json!({"run": self.run}));
        assert!(text(&closed).contains("Verified: "), "{closed}");
        self.client.leave();
        verified(place, &self.name);
        self.name
    }
}

fn text(result: &Value) -> &str {
    result["content"][0]["text"].as_str().unwrap()
}

/// The number of facts in an answer.
fn facts(lines: &[Value]) -> usize {
    lines.iter().filter_map(|line| line["facts"].as_array()).map(Vec::len).sum()
}

/// What an answer says about the first reading that was refused.
fn refused(lines: &[Value]) -> Option<&Value> {
    lines.iter().find_map(|line| line.get("refused"))
}

#[test]
fn many_records_are_claimed_at_once_and_each_is_judged_alone() {
    let place = Place::new();
    // The budget allows three refused claims: each claim below counts once, however many records it cites.
    place.file("rules.toml", "[budgets]\nrejected_claims = 3\n");
    let rules = place.path("rules.toml");
    let mut reader = Reader::of(&place, &["execution"], &["--rules", rules.to_str().unwrap()]);
    let shown = reader.records("records", json!({"source": "user_assist"}));
    assert!(shown.len() > 5, "{shown:?}");
    let (invocation, _) = shown[0].cites.split_once(' ').unwrap();
    let (invocation, number) = (invocation.to_owned(), shown.len());
    let all = json!({"record": format!("{invocation} all"), "predicate": "executed"});
    let (told, lines) = reader.call("record_phenomenon", all.clone());
    let ran = shown.iter().filter(|record| record.fields.contains_key("last_run")).count();
    assert_eq!(facts(&lines), ran, "{told}");
    let refusals = lines.iter().filter(|line| line.get("refused").is_some()).count();
    assert_eq!(refusals, number - ran, "{told}");
    // Each of these readings is refused; together they count as one refused claim.
    let wrong =
        json!({"readings": [{"record": format!("{invocation} r0-r{}", number - 1), "predicate": "deleted"}]});
    let (told, lines) = reader.call("record_phenomenon", wrong);
    assert_eq!(facts(&lines), 0, "{told}");
    let some = json!({"readings": [{"record": format!("{invocation} all"), "predicate": "listed", "where": {"name": "powershell*"}, "fields": ["name", "hive"]}]});
    let (told, lines) = reader.call("record_phenomenon", some);
    let expected =
        shown.iter().filter(|it| it.fields["name"].as_str().unwrap().starts_with("powershell")).count();
    assert_eq!(facts(&lines), expected, "{told}");
    let (told, _) = reader.call(
        "record_phenomenon",
        json!({"record": format!("{invocation} all"), "predicate": "listed", "where": {"name": "nothing"}}),
    );
    assert!(told.contains("none fits"), "{told}");
    reader.close(&place);
}

/// Several ways in which a model would claim that a record proves a predicate.
fn wordings(record: &Shown, predicate: &str) -> Vec<Value> {
    let short: Vec<(&String, &str)> = record
        .fields
        .iter()
        .filter_map(|(name, value)| Some((name, value.as_str()?)))
        .filter(|(_, value)| (3..200).contains(&value.len()))
        .collect();
    let names: Vec<&String> = short.iter().map(|(name, _)| *name).take(3).collect();
    let values: Map<String, Value> =
        short.iter().take(3).map(|(name, value)| ((*name).clone(), json!(value))).collect();
    let seconds: Map<String, Value> =
        short.iter().map(|(name, value)| ((*name).clone(), json!(to_the_second(value)))).take(4).collect();
    let (invocation, id) = record.cites.split_once(' ').unwrap();
    let mut all = vec![json!({"record": record.cites, "predicate": predicate})];
    if !names.is_empty() {
        all.push(json!({"record": record.cites, "predicate": predicate, "fields": names}));
        all.push(json!({"invocation": invocation, "record": id, "predicate": predicate, "values": values}));
        all.push(json!({"invocation": invocation, "record": id, "predicate": predicate, "values": seconds}));
    }
    all
}

/// A time as people write it, without its fraction.
fn to_the_second(text: &str) -> String {
    match text.split_once('.') {
        Some((second, rest)) if second.len() == 19 && second.contains('T') && rest.ends_with('Z') => {
            format!("{second}Z")
        }
        _ => text.to_owned(),
    }
}

#[test]
fn help_tells_of_the_servers_own_tools_too() {
    let place = Place::new();
    let mut reader = Reader::of(&place, &[], &[]);
    for tool in ["open_run", "close_task", "close_run", "list_runs", "ask_graph"] {
        let (told, _) = reader.call("help", json!({ "about": tool }));
        assert!(told.starts_with(&format!("{tool}: ")) && told.contains("Its arguments: {"), "{told}");
    }
}

#[test]
fn true_claims_of_every_kind_of_record_hold_as_a_model_words_them() {
    let place = Place::new();
    let mut rules = String::from("[budgets]\naccepted_facts = 100000\nrejected_claims = 1000\n");
    rules.push_str("investigate_turns = 100000\n");
    place.file("rules.toml", &rules);
    let rules = place.path("rules.toml");
    let mut reader = Reader::of(&place, &[], &["--rules", rules.to_str().unwrap()]);
    let (help, _) = reader.call("help", json!({"about": "records"}));
    let sources: BTreeSet<String> =
        help.split('"').map(|word| word.trim_end_matches('\\').to_owned()).collect();
    let known = |word: &String| !word.is_empty() && word.chars().all(|c| c.is_ascii_lowercase() || c == '_');
    let (mut claims, mut failed, mut kinds) = (0_usize, Vec::new(), BTreeSet::new());
    let mut once = BTreeSet::new();
    for source in sources.into_iter().filter(known) {
        for record in reader.records("records", json!({"source": source, "limit": 40})) {
            // Two records of each kind are enough.
            let first = once.insert((record.kind.clone(), 0));
            if !first && !once.insert((record.kind.clone(), 1)) {
                continue;
            }
            kinds.insert(record.kind.clone());
            for proof in record.proves.clone() {
                let (predicate, needed) =
                    proof.split_once(':').map_or((proof.as_str(), None), |(a, b)| (a, Some(b)));
                // The line says what at least one of its records proves; this one may lack the field.
                if needed.is_some_and(|field| !record.fields.contains_key(field)) || predicate == "quoted" {
                    continue;
                }
                for claim in wordings(&record, predicate) {
                    claims += 1;
                    let (told, lines) = reader.call("record_phenomenon", json!({"readings": [claim]}));
                    if facts(&lines) == 0 && !told.contains("recorded already") {
                        failed.push((record.kind.clone(), claim, told, lines));
                    }
                }
            }
        }
    }
    println!("{claims} claims of {} kinds of record, {} refused", kinds.len(), failed.len());
    assert!(claims >= 150 && kinds.len() > 30, "{claims} claims of {} kinds", kinds.len());
    let list: Vec<String> =
        failed.iter().map(|(kind, claim, told, _)| format!("{kind} {claim}: {told}")).collect();
    assert!(failed.len() * 50 <= claims, "{} of {claims}:\n{}", failed.len(), list.join("\n"));
    for (_, mut claim, told, lines) in failed {
        let hint =
            refused(&lines).and_then(|refused| refused["hint"].as_str()).unwrap_or_else(|| panic!("{told}"));
        let offered = hint.split('`').nth(1).unwrap_or_else(|| panic!("{told}"));
        claim["predicate"] = json!(offered);
        let (again, lines) = reader.call("record_phenomenon", json!({"readings": [claim]}));
        assert!(facts(&lines) == 1 || again.contains("recorded already"), "{told}\n{again}");
    }
    reader.close(&place);
}

/// `docs/mcp.md` has the figures; the limits here leave some margin.
#[test]
fn an_investigation_costs_a_model_half_of_what_it_did() {
    let place = Place::new();
    let mut reader = Reader::of(&place, &["examiner"], &[]);
    let listed = reader.client.ask("tools/list", json!({}))["result"].to_string().len();
    assert!(listed < 40_000, "tools/list has {listed} bytes");
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/surface/demo.jsonl");
    let steps: Vec<Value> = std::fs::read_to_string(file)
        .unwrap()
        .lines()
        .skip(1)
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let (mut before, mut now, mut carried) = (0, 0, 0);
    for step in &steps {
        let (tool, bytes) = (step["tool"].as_str().unwrap(), step["text"].as_u64().unwrap());
        if tool.starts_with("record_") {
            continue;
        }
        let mut arguments = step["arguments"].clone();
        arguments["task"] = json!(reader.task);
        let answer = reader.client.ask("tools/call", json!({"name": tool, "arguments": arguments}));
        // Tools that this version no longer has give protocol errors.
        let told = answer["result"]["content"][0]["text"].as_str().unwrap_or_default().to_owned();
        let lines: Vec<Value> = told.lines().filter_map(|line| serde_json::from_str(line).ok()).collect();
        if lines.first().is_some_and(|head| head.get("invocation").is_some() && head.get("outcome").is_none())
        {
            carried += 1;
            before += bytes;
            now += told.len() as u64;
        }
    }
    // Only steps whose tools the examiner still has can be repeated.
    assert!(carried >= 30, "{carried} of {} steps can be carried out", steps.len());
    assert!(now * 100 <= before * 50, "{now} bytes in place of {before}");
    assert!(demo_folder().exists());
    reader.close(&place);
}
