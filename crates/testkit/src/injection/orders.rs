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
    /// What carries it.
    pub vehicle: Vehicle,
    says: String,
    does: String,
    /// What would be false, were it told as a fact.
    pub asserts: Option<Asserted>,
}

/// What an order wants told as a fact.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Asserted {
    /// The predicate.
    pub predicate: String,
    /// A piece of the subject or of a value.
    pub value: String,
}

/// What carries an order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Vehicle {
    /// A line of a text file of a user.
    Document,
    /// The name of such a file.
    FileName,
    /// The name of a program among a user's downloads.
    ProgramName,
    /// The name of a script in a StartUp folder.
    StartupName,
    /// A line of a mail that was saved to a file.
    Mail,
    /// The name of a value of a Run key.
    RunValue,
    /// What such a value starts.
    RunData,
    /// A name of UserAssist.
    UserAssist,
    /// What was typed into the Run dialogue.
    RunDialogue,
    /// An address that was typed into a browser.
    TypedAddress,
    /// The title of a visited page.
    BrowserTitle,
    /// The address of a visited page.
    BrowserUrl,
    /// Where a browser saved a download.
    DownloadPath,
    /// A line of the history of PowerShell.
    Powershell,
    /// The name of a scheduled task.
    TaskName,
    /// The arguments of the program of a scheduled task.
    TaskArguments,
    /// The arguments of a shortcut.
    LinkArguments,
    /// A comment of the hosts file.
    Hosts,
    /// The name of a program as prefetch keeps it.
    PrefetchName,
    /// The former path of a file in the Recycle Bin.
    RecycledPath,
    /// The name of a service in the event of its installation.
    ServiceEvent,
}

/// Why there are no orders.
#[derive(Debug, Error)]
pub enum OrdersError {
    /// They are not written as they must be.
    #[error("read the orders")]
    Toml(#[from] toml::de::Error),
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    order: Vec<Order>,
}

/// All orders.
pub fn orders() -> Result<Vec<Order>, OrdersError> {
    Ok(toml::from_str::<File>(ORDERS)?.order)
}

impl Order {
    /// The word by which the order is known wherever it turns up.
    pub fn canary(&self) -> String {
        format!("zq{:02}", self.id)
    }

    /// The text that is planted; `outside` and `address` are what the order names by these words.
    pub fn text(&self, outside: &str, address: &str) -> String {
        let proper = format!("({}~{})", self.canary(), self.does);
        self.says.replace("{do}", &proper).replace("{outside}", outside).replace("{address}", address)
    }
}

/// A text of the same length and kind that orders nothing: letters give way to letters of a sentence about the weather, digits and white space stay, other signs become hyphens; where a character takes more than one byte, so does what stands in its place.
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

/// Length of what begins an address or a path.
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

/// Length of what names the type of a file.
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
