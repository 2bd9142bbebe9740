//! Tests of the graph of a run: entities, paths, and pictures that match their tables.

use crate::client::{Opened, links};
use crate::made::name;
use std::collections::BTreeSet;

fn hub(records: usize) -> (tempfile::TempDir, Opened) {
    let runs = tempfile::tempdir().unwrap();
    testkit::hub::write(&runs.path().join(name(1)), records).unwrap();
    let opened = Opened::over(runs.path());
    (runs, opened)
}

fn run() -> String {
    format!("/run/{}", name(1))
}

/// Returns the id of the account that everything is related to.
fn account(opened: &Opened) -> String {
    let reply = opened.get(&format!("{}/graph?q={}", run(), testkit::hub::HUB));
    assert_eq!(reply.status, 303, "{}", reply.body);
    reply.header("location").unwrap().rsplit('/').next().unwrap().to_owned()
}

/// Returns the values of an attribute, in order.
fn values<'b>(body: &'b str, attribute: &str) -> Vec<&'b str> {
    let attribute = format!(" {attribute}=\"");
    body.split(attribute.as_str()).skip(1).filter_map(|rest| rest.split('"').next()).collect()
}

/// Returns the nodes of both drawings and of the table.
fn drawn(body: &str) -> [Vec<&str>; 3] {
    let (pictures, table) = body.split_once("id=\"twin\"").unwrap();
    let mut drawings = pictures.split("<svg class=\"picture").skip(1);
    let broad = values(drawings.next().unwrap(), "data-node");
    let slim = values(drawings.next().unwrap(), "data-node");
    [broad, slim, values(table, "data-node")]
}

#[test]
fn a_picture_and_its_table_hold_the_same_nodes_each_once() {
    for records in [1, 20, 200, 5000] {
        let (_runs, opened) = hub(records);
        let body = opened.page(&format!("{}/picture?of={}", run(), account(&opened)));
        let [broad, slim, table] = drawn(&body);
        assert!(broad == slim && slim == table, "{records}: {broad:?} {slim:?} {table:?}");
        assert_eq!(table.iter().collect::<BTreeSet<_>>().len(), table.len(), "{records}");
        assert!(table.len() > 1 && table.len() < 60, "{records}: {}", table.len());
    }
}

#[test]
fn a_group_opens_grows_and_closes_by_links() {
    let (_runs, opened) = hub(200);
    let account = account(&opened);
    let group = format!("{account}.ran.out.program");
    let members = |body: &str| {
        let [_, _, table] = drawn(body);
        table.iter().filter(|key| key.starts_with(&format!("{group}.file-"))).count()
    };
    let leads = |body: &str, key: &str| {
        let node = body.split("<a class=\"node").find(|node| node.contains(&format!("data-node=\"{key}\"")));
        values(node.unwrap(), "href")[0].replace("&amp;", "&")
    };
    let begin = opened.page(&format!("{}/picture?of={account}", run()));
    assert_eq!(members(&begin), 0);
    let open = opened.page(&leads(&begin, &group));
    assert_eq!(members(&open), 12);
    let more = opened.page(&leads(&open, &format!("{group}.more")));
    assert_eq!(members(&more), 60);
    assert_eq!(members(&opened.page(&leads(&more, &group))), 0);
    // Opening a member shows its other relations; a node that is already drawn is not drawn again with its own relations.
    let service = format!("{account}.set_up.out.service");
    let open = opened.page(&leads(&begin, &service));
    let [_, _, nodes] = drawn(&open);
    let first = nodes.iter().find(|key| key.starts_with(&format!("{service}.service-"))).unwrap();
    let grown = opened.page(&leads(&open, first));
    let id = first.rsplit('.').next().unwrap();
    let [_, _, nodes] = drawn(&grown);
    assert!(nodes.contains(&format!("{id}.persists_through.in.program").as_str()), "{nodes:?}");
}

#[test]
fn what_agents_added_is_drawn_apart_and_is_no_relation_of_code() {
    let (_runs, opened) = hub(20);
    let account = account(&opened);
    let body = opened.page(&format!("{}/picture?of={account}", run()));
    assert!(body.contains(&format!("data-node=\"{account}.readings.0\"")), "{body}");
    assert!(body.contains("agent’s reading") && body.contains("class=\"edge reading\""));
    let page = opened.page(&format!("{}/entity/{account}", run()));
    assert!(page.contains("Agents’ readings") && page.contains("person the trainee"), "{page}");
    let (before, _) = page.split_once("id=\"readings\"").unwrap();
    assert!(!before.contains(">used<"));
}

#[test]
fn every_fact_of_an_entity_is_one_click_from_its_bytes() {
    let (_runs, opened) = hub(40);
    let account = account(&opened);
    for part in ["", "?part=timeline", "?part=story", "?part=seen", "?part=names"] {
        let body = opened.page(&format!("{}/entity/{account}{part}", run()));
        let facts: Vec<String> = links(&body).into_iter().filter(|link| link.contains("/fact/")).collect();
        assert!(!facts.is_empty(), "{part}: {body}");
        let fact = opened.page(&facts[0]);
        assert!(fact.contains("As it is stored") && fact.contains("<mark>"), "{part}: {fact}");
    }
}

#[test]
fn a_path_has_a_sentence_and_facts_for_each_hop_and_names_the_weakest() {
    let (_runs, opened) = hub(40);
    let account = account(&opened);
    let path = |from: &str, to: &str| opened.get(&format!("{}/path?from={from}&to={to}", run()));
    let body = path("program-0.exe", "Helper+9").body;
    assert!(
        body.contains("weakest link") && body.contains("/fact/fact-") && body.contains(&account),
        "{body}"
    );
    assert!(body.contains("class=\"weak\""), "{body}");
    let body = path("program-0.exe", "helper.exe").body;
    assert!(body.contains("entities fit") && body.contains(">Take<"), "{body}");
    assert!(path("program-0.exe", "no-such-thing").body.contains("No fact names"));
    assert_eq!(path("", "").status, 200);
}

#[test]
fn a_search_finds_one_lists_several_and_says_where_nothing_fits() {
    let (_runs, opened) = hub(40);
    let find = |text: &str| opened.get(&format!("{}/graph?q={text}", run()));
    assert_eq!(find("program-0.exe").status, 303);
    let several = find("helper.exe");
    assert!(several.status == 200 && several.body.contains("entities fit"), "{}", several.body);
    assert!(find("no-such-thing").body.contains("No fact names"));
    assert_eq!(find(&"a".repeat(301)).status, 400);
}

#[test]
fn long_lists_come_in_pages_and_every_relation_stands_in_one() {
    let (_runs, opened) = hub(500);
    let account = account(&opened);
    let mut seen = BTreeSet::new();
    let list = format!("{}/entity/{account}?part=relations&relation=ran&way=out", run());
    for from in ["", "&from=100", "&from=200"] {
        let body = opened.page(&format!("{list}{from}"));
        let facts = links(&body).into_iter().filter(|link| link.contains("/fact/"));
        seen.extend(facts);
    }
    assert_eq!(seen.len(), 300);
}

#[test]
fn other_runs_that_know_the_same_are_linked() {
    let runs = tempfile::tempdir().unwrap();
    for number in 1..=2 {
        testkit::hub::write(&runs.path().join(name(number)), 20).unwrap();
    }
    let opened = Opened::over(runs.path());
    let account = account(&opened);
    let body = opened.page(&format!("{}/entity/{account}", run()));
    assert!(body.contains(&format!("/run/{}/entity/{account}", name(2))), "{body}");
}

#[test]
fn what_is_not_in_the_graph_is_not_found() {
    let (_runs, opened) = hub(20);
    let account = account(&opened);
    for address in [
        "/entity/account-000000000000".to_owned(),
        "/entity/nonsense".to_owned(),
        "/picture".to_owned(),
        "/picture?of=file-000000000000".to_owned(),
        "/graph?kind=planet".to_owned(),
        "/graph?part=nothing".to_owned(),
        format!("/entity/{account}?part=nothing"),
        format!("/entity/{account}?part=relations&relation=liked"),
        format!("/entity/{account}?part=facts&relation=ran&to={account}"),
    ] {
        assert_eq!(opened.get(&format!("{}{address}", run())).status, 404, "{address}");
    }
    // Parts of an address that name nothing in the picture open nothing.
    opened.page(&format!(
        "{}/picture?of={account}&open=%3Cscript%3E*..*{account}.ran.out.program.99999",
        run()
    ));
}
