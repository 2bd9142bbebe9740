//! Valid ground truth files, and the errors of invalid ones.

use super::*;

#[expect(clippy::disallowed_methods, reason = "tests write their own truth files")]
fn load(name: &str, text: &str) -> Result<Truth, TruthError> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(name);
    std::fs::write(&path, text).unwrap();
    load_truth(&path)
}

/// Returns the error and its cause in one line.
fn told(name: &str, text: &str) -> String {
    let error = load(name, text).unwrap_err();
    let source = std::error::Error::source(&error).map(ToString::to_string).unwrap_or_default();
    format!("{error} {source}")
}

const TOML: &str = r#"case = "demo"
scenario = "s"
time_tolerance = "2 s"
not_present = ["$MFT"]

[[fact]]
id = "name"
agent = "registry"
question = "What is its name?"
values = ["ALDER-07", 7, true, 2025-09-16T09:47:31Z, ["x"]]
artifact = "SYSTEM"

[[finding]]
finding = "it has a name"
facts = ["name"]

[[must_not_claim]]
claim = "that it ran"
predicate = "executed"
subject = "*svchost*"

[[must_not_claim]]
claim = "that it ran, in a table"
condition = { predicate = "executed", record = "prefetch", value = "*x*" }

[[must_not_claim]]
claim = "anything else"
"#;

const JSON: &str = r#"{"case": "demo", "scenario": "s", "time_tolerance": "2 s (of a coarse clock)", "not_present": ["$MFT"],
"image": {"ads": []}, "facts": [{"id": "name", "agent": "registry", "question": "What is its name?", "verified": "by hand",
"values": ["ALDER-07", 7, true, "2025-09-16T09:47:31Z", {"nested": ["x"]}], "artifact": "SYSTEM", "match": "exact"}],
"findings": {"must_find": [{"finding": "it has a name", "facts": ["name"]}], "must_not_claim": ["anything else"]}}"#;

#[test]
fn both_forms_say_the_same() {
    let (toml, json) = (load("truth.toml", TOML).unwrap(), load("truth.json", JSON).unwrap());
    assert_eq!((&toml.facts, &toml.findings), (&json.facts, &json.findings));
    assert_eq!((toml.tolerance, json.tolerance), (2_000_000_000, 2_000_000_000));
    assert_eq!(toml.facts[0].values.len(), 5);
    assert_eq!(toml.must_not_claim.last(), json.must_not_claim.last());
    let conditions: Vec<_> = toml
        .must_not_claim
        .iter()
        .map(|it| it.condition.as_ref().map(|it| it.predicate.0.as_str()))
        .collect();
    assert_eq!(conditions, [Some("executed"), Some("executed"), None]);
}

#[test]
fn without_an_extension_the_content_decides() {
    assert!(load("truth", TOML).is_ok() && load("truth", JSON).is_ok());
    assert!(load("truth.json", TOML).is_err() && load("truth.toml", JSON).is_err());
}

#[test]
fn the_tolerance_is_one_millisecond_unless_it_is_named() {
    for (text, expected) in [
        ("", Some(1_000_000)),
        ("time_tolerance = \"1 ms (tools round)\"", Some(1_000_000)),
        ("time_tolerance = \"0 ns\"", Some(0)),
        ("time_tolerance = \"100ns\"", Some(100)),
        ("time_tolerance = \"3 µs\"", Some(3_000)),
        ("time_tolerance = \"1 min\"", Some(60_000_000_000)),
        ("time_tolerance = \"1\"", None),
        ("time_tolerance = \"1 fortnight\"", None),
        ("time_tolerance = \"ms\"", None),
    ] {
        assert_eq!(load("truth.toml", text).ok().map(|truth| truth.tolerance), expected, "{text}");
    }
}

#[test]
fn an_error_names_file_place_and_what_was_expected() {
    for (text, expected) in [
        (TOML.replace("question =", "qestion ="), "line 9"),
        (
            TOML.replace("facts = [\"name\"]", "facts = [\"nam\"]"),
            "line 14: expected ids of facts of this file, found \"nam\"",
        ),
        (
            TOML.replace("\"executed\"\n", "\"executd\"\n"),
            "line 18: expected a predicate of the vocabulary, found \"executd\"",
        ),
        (TOML.replace("predicate = \"executed\"\n", ""), "line 18: expected `predicate` beside"),
        (TOML.replace("2 s", "soon"), "line 3: expected a whole number"),
        (
            format!(
                "{TOML}[[fact]]\nid = \"name\"\nagent = \"a\"\nquestion = \"q\"\nvalues = [\"some text\"]\n"
            ),
            "expected an id that no other fact has, found \"name\"",
        ),
        (
            format!("{TOML}[[fact]]\nid = \"one\"\nagent = \"a\"\nquestion = \"q\"\nvalues = [1]\n"),
            "expected an `artifact`",
        ),
        (TOML.replace("artifact =", "match = \"fuzzy\"\nartifact ="), "line 7: expected `exact`"),
    ] {
        let told = told("truth.toml", &text);
        assert!(told.contains("truth.toml") && told.contains(expected), "{expected}: {told}");
    }
    for (text, expected) in [
        (JSON.replace("\"agent\":", "\"agnt\":"), "missing field `agent` at line 3"),
        (JSON.replace("true,", "null,"), "facts[0] (name): expected texts, whole numbers, true or false"),
        (JSON.replace("\"facts\": [\"name\"]", "\"facts\": []"), "findings.must_find[0]: expected ids"),
        (JSON.replace("}}", "}"), "line 4"),
    ] {
        let told = told("truth.json", &text);
        assert!(told.contains("truth.json") && told.contains(expected), "{expected}: {told}");
    }
    let gone = load_truth(Path::new("/nowhere/truth.toml")).unwrap_err();
    assert!(gone.to_string().contains("/nowhere/truth.toml"), "{gone}");
}
