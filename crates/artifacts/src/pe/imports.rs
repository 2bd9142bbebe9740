//! The functions that a program imports from libraries.

use goblin::pe::PE;
use goblin::pe::import::Import;
use std::borrow::Cow;
use std::collections::HashSet;

/// Libraries for which the usual definition of the import hash has tables that convert function numbers to names.
const BY_TABLE: [&str; 3] = ["oleaut32", "ws2_32", "wsock32"];

/// The functions that a program imports.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Imports {
    /// The libraries, each once, in their order.
    pub libraries: Vec<String>,
    /// Number of functions.
    pub count: usize,
    /// The list whose MD5 is the import hash: `library.function` in lower case, joined by commas, without the
    /// endings dll, ocx and sys (Mandiant, "Tracking Malware with Import Hashing", as implemented by pefile).
    ///
    /// `None` without imports, or if a function is given by a number whose name is only in the tables of these
    /// libraries.
    pub list: Option<String>,
}

impl Imports {
    pub(super) fn of(pe: &PE<'_>) -> Imports {
        let (mut libraries, mut met) = (Vec::new(), HashSet::new());
        for import in &pe.imports {
            if met.insert(import.dll) {
                libraries.push(import.dll.to_owned());
            }
        }
        let names: Option<Vec<String>> = pe.imports.iter().map(name).collect();
        let list = names.filter(|names| !names.is_empty()).map(|names| names.join(","));
        Imports { libraries, count: pe.imports.len(), list }
    }
}

fn name(import: &Import<'_>) -> Option<String> {
    let library = import.dll.to_lowercase();
    let bare = match library.rsplit_once('.') {
        Some((bare, "dll" | "ocx" | "sys")) => bare,
        _ => &library,
    };
    match &import.name {
        Cow::Borrowed(name) => Some(format!("{bare}.{}", name.to_lowercase())),
        // The library converts a number to a name.
        Cow::Owned(_) if BY_TABLE.contains(&bare) => None,
        Cow::Owned(_) => Some(format!("{bare}.ord{}", import.ordinal)),
    }
}
