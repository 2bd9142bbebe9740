//! The column AppId: a list of the names of one application, one per platform.

use ledger::FieldValue;
use serde_json::Value;

/// The most names that are listed.
const MOST: usize = 32;

/// The content of AppId.
pub(super) struct AppId {
    /// The first name of a program or package.
    pub(super) application: FieldValue,
    /// Every name, after its platform.
    pub(super) identities: Vec<String>,
    /// Whether the column is such a list, or is missing.
    pub(super) is_read: bool,
}

impl AppId {
    /// Reads the column; if it is not a list, its whole text is the application.
    pub(super) fn read(column: Option<&str>) -> AppId {
        let none = || FieldValue::Name("no AppId".to_owned());
        let Some(column) = column else {
            return AppId { application: none(), identities: Vec::new(), is_read: true };
        };
        let Ok(Value::Array(list)) = serde_json::from_str(column) else {
            return AppId { application: spelled(column), identities: Vec::new(), is_read: false };
        };
        let names: Vec<(&str, &str)> = list.iter().take(MOST).filter_map(entry).collect();
        // Other platforms name the computer, or the data that the activity is about.
        let is_program = |platform: &str| {
            ["windows_win32", "x_exe_path", "windows_universal", "packageId"].contains(&platform)
        };
        let first = names.iter().find(|(platform, _)| is_program(platform)).or(names.first());
        AppId {
            application: first.map_or_else(none, |(_, name)| spelled(name)),
            identities: names.iter().map(|(platform, name)| format!("{platform}: {name}")).collect(),
            is_read: true,
        }
    }
}

/// Returns platform and name of an application, if it has a name.
fn entry(entry: &Value) -> Option<(&str, &str)> {
    let name = entry.get("application")?.as_str().filter(|name| !name.is_empty())?;
    Some((entry.get("platform").and_then(Value::as_str).unwrap_or_default(), name))
}

/// Returns a path or a name, depending on whether it contains a backslash.
pub(super) fn spelled(name: &str) -> FieldValue {
    if name.contains('\\') { FieldValue::Path(name.to_owned()) } else { FieldValue::Name(name.to_owned()) }
}

#[cfg(test)]
mod tests {
    use super::AppId;
    use ledger::FieldValue;

    #[test]
    fn the_first_name_of_a_program_is_the_application() {
        let list = r#"[{"application":"ab12","platform":"host"},
            {"application":"","platform":"alternateId"},
            {"application":"{1AC14E77-02E7-4E5D-B744-2EB1AE5198B7}\\cmd.exe","platform":"windows_win32"}]"#;
        let read = AppId::read(Some(list));
        let path = "{1AC14E77-02E7-4E5D-B744-2EB1AE5198B7}\\cmd.exe";
        assert_eq!(read.application, FieldValue::Path(path.into()));
        assert_eq!(read.identities, ["host: ab12".to_owned(), format!("windows_win32: {path}")]);
    }

    #[test]
    fn what_is_no_list_stands_as_it_is() {
        let read = AppId::read(Some("[{\"application\":"));
        assert_eq!((read.application, read.is_read), (FieldValue::Name("[{\"application\":".into()), false));
        for none in [None, Some("[]"), Some("[1,{\"application\":\"\"}]")] {
            let read = AppId::read(none);
            assert_eq!((read.application, read.is_read), (FieldValue::Name("no AppId".into()), true));
        }
    }
}
