//! The orders, as data.

use serde::Deserialize;
use thiserror::Error;

const ORDERS: &str = include_str!("orders.toml");

/// An order to an agent.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Order {
    /// Its number.
    pub id: u32,
    /// Where it is planted.
    pub vehicle: Vehicle,
    says: String,
    does: String,
    /// The claim that would be false if recorded as a fact.
    pub asserts: Option<Asserted>,
}

/// The claim that an order wants recorded as a fact.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Asserted {
    /// The predicate.
    pub predicate: String,
    /// A part of the subject or of a value.
    pub value: String,
}

/// The place where an order is planted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Vehicle {
    /// In a line of a user's text file.
    Document,
    /// In the name of such a file.
    FileName,
    /// In the name of a program among a user's downloads.
    ProgramName,
    /// In the name of a script in a StartUp folder.
    StartupName,
    /// In a line of a mail that was saved to a file.
    Mail,
    /// In the name of a value in a Run key.
    RunValue,
    /// In the command of such a value.
    RunData,
    /// In a UserAssist name.
    UserAssist,
    /// In what was typed into the Run dialogue.
    RunDialogue,
    /// In an address that was typed into a browser.
    TypedAddress,
    /// In the title of a visited page.
    BrowserTitle,
    /// In the address of a visited page.
    BrowserUrl,
    /// In the path to which a browser saved a download.
    DownloadPath,
    /// In a line of the PowerShell history.
    Powershell,
    /// In the name of a scheduled task.
    TaskName,
    /// In the arguments of a scheduled task's program.
    TaskArguments,
    /// In the arguments of a shortcut.
    LinkArguments,
    /// In a comment of the hosts file.
    Hosts,
    /// In the name of a program in a prefetch file.
    PrefetchName,
    /// In the original path of a file in the Recycle Bin.
    RecycledPath,
    /// In the name of a service in its installation event.
    ServiceEvent,
}

/// The reason why the orders cannot be loaded.
#[derive(Debug, Error)]
pub enum OrdersError {
    /// Their file cannot be parsed.
    #[error("read the orders")]
    Toml(#[from] toml::de::Error),
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    order: Vec<Order>,
}

/// Returns all orders.
pub fn orders() -> Result<Vec<Order>, OrdersError> {
    Ok(toml::from_str::<File>(ORDERS)?.order)
}

impl Order {
    /// Returns the word that identifies the order wherever it turns up.
    pub fn canary(&self) -> String {
        format!("zq{:02}", self.id)
    }

    /// Returns the text to plant; `outside` and `address` replace these words in the order.
    pub fn text(&self, outside: &str, address: &str) -> String {
        let proper = format!("({}~{})", self.canary(), self.does);
        self.says.replace("{do}", &proper).replace("{outside}", outside).replace("{address}", address)
    }
}

/// Returns a text of the same length and kind that orders nothing. Letters are replaced by letters of a sentence about the weather,
/// other signs become hyphens, and digits and white space stay. Each character is replaced by one with the same number of bytes.
///
/// What makes it an address, a path or a file of its type stays.
pub(crate) fn innocuous(text: &str) -> String {
    let (head, text) = text.split_at(head(text));
    let (text, tail) = text.split_at(text.len() - tail(text));
    let mut words = "themorningwasmildandthewindcamefromthewestoverquietfields".chars().cycle();
    let mut letter = |upper: bool| {
        let letter = words.next().unwrap_or('e');
        if upper { letter.to_ascii_uppercase() } else { letter }
    };
    let weather = text.chars().map(|c| match c {
        'a'..='z' => letter(false),
        'A'..='Z' => letter(true),
        '0'..='9' | ' ' | '.' => c,
        _ if c.is_ascii() => '-',
        _ => match c.len_utf8() {
            2 => 'é',
            3 => '天',
            _ => '🌤',
        },
    });
    format!("{head}{}{tail}", weather.collect::<String>())
}

/// Returns the length of the beginning of an address or path.
fn head(text: &str) -> usize {
    let before = text.split('(').next().unwrap_or_default();
    let path = || before.rfind('\\').map_or(0, |at| at + 1);
    let quoted = || before.rfind("\" ").map_or(0, |at| at + 2);
    match text {
        _ if text.starts_with("https://") => "https://".len(),
        _ if text.starts_with("C:\\") => path(),
        _ if text.starts_with("\"C:\\") => quoted(),
        _ => 0,
    }
}

/// Returns the length of the file extension.
fn tail(text: &str) -> usize {
    let types = [".txt", ".exe", ".EXE", ".cmd", ".zip", ".doc"];
    types.iter().find(|end| text.ends_with(**end)).map_or(0, |end| end.len())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn there_are_forty_orders_each_with_a_canary_of_its_own() {
        let orders = orders().unwrap();
        let canaries: BTreeSet<String> = orders.iter().map(Order::canary).collect();
        assert_eq!((orders.len(), canaries.len()), (40, 40));
        for order in &orders {
            assert!(order.text("o", "a").contains(&format!("({}~", order.canary())), "{}", order.id);
        }
    }

    #[test]
    fn every_vehicle_carries_an_order() {
        let vehicles: BTreeSet<Vehicle> = orders().unwrap().iter().map(|order| order.vehicle).collect();
        assert_eq!(vehicles.len(), 21);
    }

    #[test]
    fn a_clean_twin_has_the_length_of_its_order_and_nothing_of_it() {
        for order in orders().unwrap() {
            let text = order.text("/o", "127.0.0.1:1");
            let clean = innocuous(&text);
            assert_eq!((clean.len(), clean.chars().count()), (text.len(), text.chars().count()));
            assert_eq!(clean.encode_utf16().count(), text.encode_utf16().count(), "{}", order.id);
            assert!(!clean.contains(&order.canary()) && !clean.contains('~'), "{clean}");
        }
    }
}
