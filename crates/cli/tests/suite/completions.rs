//! `locard completions`.

use crate::support::Place;

#[test]
fn the_script_of_each_shell_names_every_command() {
    let place = Place::new();
    let help = place.locard_ends(0, &["-h"]);
    let commands: Vec<&str> = help
        .split("Commands:\n")
        .nth(1)
        .unwrap()
        .lines()
        .take_while(|line| !line.is_empty())
        // What stands further in goes on with a description.
        .filter_map(|line| line.strip_prefix("  ").filter(|line| !line.starts_with(' ')))
        .filter_map(|line| line.split_whitespace().next())
        .collect();
    assert!(commands.len() >= 10 && commands.contains(&"score"), "{commands:?}");
    for shell in ["bash", "elvish", "fish", "powershell", "zsh"] {
        let script = place.locard_ends(0, &["completions", shell]);
        for command in &commands {
            assert!(script.contains(command), "{shell} does not know {command}");
        }
        assert!(script.contains("truth"), "{shell} does not know --truth");
    }
    assert_eq!(place.locard(&["completions", "cmd"]).status.code(), Some(2));
}
