//! The identity that a client claims.

use rmcp::model::Implementation;

/// The prefix of such models' names in a log.
pub const MODEL_PREFIX: &str = "mcp:";

/// The maximum length of a client's name, and of its version, in characters.
const LONGEST: usize = 48;

/// Returns the model's name in the log: what the client claims, unverified and in plain characters.
pub(crate) fn model_name(client: Option<&Implementation>) -> String {
    let (name, version) = client.map_or(("", ""), |client| (client.name.as_str(), client.version.as_str()));
    let name = match plain(name) {
        name if name.is_empty() => "unnamed".to_owned(),
        name => name,
    };
    match plain(version) {
        version if version.is_empty() => format!("{MODEL_PREFIX}{name}"),
        version => format!("{MODEL_PREFIX}{name}/{version}"),
    }
}

fn plain(text: &str) -> String {
    let keep = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-' | '+');
    text.trim().chars().take(LONGEST).map(|c| if keep(c) { c } else { '_' }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_client_says_of_itself_is_bounded_and_plain() {
        let name = |name: &str, version: &str| model_name(Some(&Implementation::new(name, version)));
        assert_eq!(name("claude-code", "2.1.329"), "mcp:claude-code/2.1.329");
        assert_eq!(name("a\u{202e}b c\n", "1\"<"), "mcp:a_b_c/1__");
        assert_eq!(name(&"x".repeat(500), ""), format!("mcp:{}", "x".repeat(48)));
        assert_eq!((name(" ", ""), model_name(None)), ("mcp:unnamed".to_owned(), "mcp:unnamed".to_owned()));
    }
}
