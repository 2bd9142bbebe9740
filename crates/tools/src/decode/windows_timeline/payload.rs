//! The column Payload: a JSON object for activities that are shown, base64 for settings.

use super::super::sqlite::Cell;
use serde_json::{Map, Value};

/// The content of a payload.
#[derive(Default)]
pub(super) struct Payload {
    pub(super) display_text: Option<String>,
    /// An address, or else a description.
    pub(super) content: Option<String>,
    /// The description, if there is also an address.
    pub(super) description: Option<String>,
    pub(super) application_name: Option<String>,
    pub(super) active_seconds: Option<i64>,
    pub(super) time_zone: Option<String>,
    /// False only if the payload begins like an object but is not one.
    pub(super) is_read: bool,
}

impl Payload {
    pub(super) fn read(cell: Option<&Cell>) -> Payload {
        let plain = cell.and_then(plain).filter(|text| text.trim_start().starts_with('{'));
        let Some(object) = plain else { return Payload { is_read: true, ..Payload::default() } };
        let Ok(object) = serde_json::from_str::<Map<String, Value>>(&object) else {
            return Payload::default();
        };
        let text = |name: &str| {
            object.get(name).and_then(Value::as_str).filter(|text| !text.is_empty()).map(str::to_owned)
        };
        let (address, description) = (text("contentUri"), text("description"));
        let (content, description) = match address {
            Some(address) => (Some(address), description),
            None => (description, None),
        };
        Payload {
            display_text: text("displayText"),
            content,
            description,
            application_name: text("appDisplayName"),
            active_seconds: object.get("activeDurationSeconds").and_then(Value::as_i64),
            time_zone: text("userTimezone"),
            is_read: true,
        }
    }
}

/// Returns a text, or the bytes of one.
pub(super) fn plain(cell: &Cell) -> Option<String> {
    match cell {
        Cell::Text(text) => Some(text.clone()),
        Cell::Blob(bytes) => Some(String::from_utf8_lossy(bytes).into_owned()),
        Cell::Null | Cell::Integer(_) | Cell::Real(_) => None,
    }
    .map(|text| text.trim_end_matches('\0').to_owned())
    .filter(|text| !text.is_empty())
}

#[cfg(test)]
mod tests {
    use super::{Cell, Payload};

    #[test]
    fn a_payload_of_a_setting_is_no_object_and_no_damage() {
        let setting = Payload::read(Some(&Cell::Blob(b"Q0IBAAIBAA==".to_vec())));
        assert!(setting.is_read && setting.display_text.is_none());
        assert!(!Payload::read(Some(&Cell::Blob(b"{\"displayText\":".to_vec()))).is_read);
    }

    #[test]
    fn an_address_comes_before_a_description() {
        let both = r#"{"contentUri":"file:///C:/plan.txt","description":"plan"}"#;
        let read = Payload::read(Some(&Cell::Text(both.into())));
        assert_eq!(read.content.as_deref(), Some("file:///C:/plan.txt"));
        assert_eq!(read.description.as_deref(), Some("plan"));
        let one = Payload::read(Some(&Cell::Text(r#"{"description":"plan"}"#.into())));
        assert_eq!((one.content.as_deref(), one.description), (Some("plan"), None));
    }
}
