//! `locard completions` and `locard man`, which are generated from the definition of the command line.

use crate::support::{Place, str};

/// The commands that the help lists.
fn commands(place: &Place) -> Vec<String> {
    let help = place.locard_ends(0, &["-h"]);
    let commands: Vec<String> = help
        .split("Commands:\n")
        .nth(1)
        .unwrap()
        .lines()
        .take_while(|line| !line.is_empty())
        // Lines with more indentation continue a description.
        .filter_map(|line| line.strip_prefix("  ").filter(|line| !line.starts_with(' ')))
        .filter_map(|line| line.split_whitespace().next().map(ToOwned::to_owned))
        .collect();
    assert!(commands.len() >= 10 && commands.iter().any(|command| command == "score"), "{commands:?}");
    commands
}

#[test]
fn the_script_of_each_shell_names_every_command() {
    let place = Place::new();
    let commands = commands(&place);
    for shell in ["bash", "elvish", "fish", "powershell", "zsh"] {
        let script = place.locard_ends(0, &["completions", shell]);
        for command in &commands {
            assert!(script.contains(command.as_str()), "{shell} does not know {command}");
        }
        assert!(script.contains("truth"), "{shell} does not know --truth");
    }
    assert_eq!(place.locard(&["completions", "cmd"]).status.code(), Some(2));
}

#[test]
fn the_manual_has_a_page_for_the_program_and_one_for_each_command() {
    let place = Place::new();
    let folder = place.folder("man");
    assert_eq!(place.locard_ends(0, &["man", str(&folder)]), "");
    let page = |name: &str| std::fs::read_to_string(folder.join(name)).unwrap();
    let program = page("locard.1");
    for command in commands(&place).iter().filter(|command| *command != "help") {
        assert!(program.contains(&format!("locard\\-{command}(1)")), "the first page names no {command}");
        assert!(page(&format!("locard-{command}.1")).contains(".SH SYNOPSIS"), "{command}");
    }
    for file in std::fs::read_dir(&folder).unwrap() {
        let name = file.unwrap().file_name().into_string().unwrap();
        // Commands that only have subcommands leave examples and exit codes to the pages of those.
        if !["locard-bench.1", "locard-memory.1", "locard-rules.1"].contains(&name.as_str()) {
            let text = page(&name);
            assert!(text.contains("Examples:") && text.contains("Exit codes"), "{name}: {text}");
        }
    }
    assert!(page("locard-score.1").contains("truth"));
    // Lines of examples are not joined into paragraphs.
    assert!(page("locard-run.1").contains(".nf\nExamples:\n"), "{}", page("locard-run.1"));
    assert_eq!(place.locard(&["man", str(&place.path("nowhere"))]).status.code(), Some(2));
}
