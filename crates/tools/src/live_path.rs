//! Paths as a running system writes them, with environment variables and home folders, resolved to folders of the evidence.
//!
//! A variable means one folder of each volume or of each user profile; which one is never guessed.
//! The folders are the defaults of Windows 2000 to 11 (known folders), whatever was configured on the examined host.

use crate::drives::{WINDOWS, volumes};
use crate::error::CallError;
use evidence::{EvidencePath, NodeKind, Tree};

/// Folders that contain user profiles.
const PROFILES: [&str; 3] = ["Users", "Documents and Settings", "home"];

/// The beginning of a path, and what follows it.
pub(crate) struct Live<'t> {
    lead: Lead,
    /// Without separators around it.
    rest: &'t str,
}

enum Lead {
    /// One of these folders of a volume.
    Machine(&'static [&'static str]),
    /// The system volume.
    SystemDrive,
    /// One of these folders of any user's profile.
    User(&'static [&'static str]),
    /// The profile of this user.
    Home(String),
}

/// Parses the beginning of `text`; `None` if it is neither a variable nor a home folder.
pub(crate) fn read(text: &str) -> Option<Live<'_>> {
    let separators = ['/', '\\'];
    // Registry values contain paths such as `\SystemRoot\System32\…`.
    if let Some(below) = text.strip_prefix('\\').filter(|below| !below.starts_with(separators)) {
        let (first, rest) = below.split_once(separators)?;
        let lead = Lead::Machine(WINDOWS);
        return first.eq_ignore_ascii_case("SystemRoot").then_some(Live { lead, rest });
    }
    let (first, rest) = text.split_once(separators).unwrap_or((text, ""));
    let lead = if let Some(user) = first.strip_prefix('~') {
        if user.is_empty() { Lead::User(&[""]) } else { Lead::Home(user.to_owned()) }
    } else {
        let inner = first.strip_prefix('%').and_then(|inner| inner.strip_suffix('%'));
        let shell = || first.get(..5).filter(|start| start.eq_ignore_ascii_case("$env:")).and(first.get(5..));
        variable(inner.or_else(shell)?)?
    };
    Some(Live { lead, rest: rest.trim_matches(separators) })
}

fn variable(name: &str) -> Option<Lead> {
    Some(match name.to_ascii_lowercase().as_str() {
        "systemroot" | "windir" => Lead::Machine(WINDOWS),
        "systemdrive" => Lead::SystemDrive,
        "programdata" => Lead::Machine(&["ProgramData", "Documents and Settings/All Users/Application Data"]),
        "allusersprofile" => Lead::Machine(&["ProgramData", "Documents and Settings/All Users"]),
        "programfiles" | "programw6432" => Lead::Machine(&["Program Files"]),
        "programfiles(x86)" => Lead::Machine(&["Program Files (x86)"]),
        "commonprogramfiles" => Lead::Machine(&["Program Files/Common Files"]),
        "public" => Lead::Machine(&["Users/Public"]),
        "userprofile" | "homepath" => Lead::User(&[""]),
        "appdata" => Lead::User(&["AppData/Roaming", "Application Data"]),
        "localappdata" => Lead::User(&["AppData/Local", "Local Settings/Application Data"]),
        "temp" | "tmp" => Lead::User(&["AppData/Local/Temp", "Local Settings/Temp"]),
        _ => return None,
    })
}

impl Live<'_> {
    /// Returns the one path that is meant, in the evidence's spelling.
    ///
    /// It is the only one that exists in the evidence; if none exists, the only possible one.
    pub(crate) fn path(&self, trees: &[&dyn Tree], argument: &str, asked: &str) -> Result<String, CallError> {
        let (mut held, mut possible, mut shown) = (Vec::new(), Vec::new(), Vec::new());
        for tree in trees {
            for folder in self.folders(*tree)? {
                let path = join(&folder, self.rest)?;
                // A path behind a link cannot be shown to exist.
                if tree.node(&path).ok().flatten().is_some() && !held.contains(&path) {
                    shown.push(format!("{path} of {}", tree.label()));
                    held.push(path.clone());
                }
                if !possible.contains(&path) {
                    possible.push(path);
                }
            }
        }
        let asked = asked.to_owned();
        match (held.as_slice(), possible.as_slice()) {
            ([one], _) | ([], [one]) => Ok(one.as_str().to_owned()),
            ([], several) => {
                let looked = several.iter().map(ToString::to_string).collect();
                Err(CallError::Nowhere { argument: argument.to_owned(), asked, looked })
            }
            _ => Err(CallError::Several { argument: argument.to_owned(), asked, candidates: shown }),
        }
    }

    /// Returns the path pattern that is meant: any of the folders, in any profile if no user is named.
    pub(crate) fn pattern(
        &self,
        trees: &[&dyn Tree],
        argument: &str,
        asked: &str,
    ) -> Result<String, CallError> {
        let mut heads: Vec<String> = Vec::new();
        for tree in trees {
            let folders = match &self.lead {
                Lead::User(below) => {
                    let parents = profile_folders(*tree)?;
                    let with = |parent: &EvidencePath| {
                        below.iter().map(|below| format!("{parent}/*/{below}")).collect::<Vec<_>>()
                    };
                    parents.iter().flat_map(with).collect()
                }
                Lead::Machine(_) | Lead::SystemDrive | Lead::Home(_) => {
                    let folders = self.folders(*tree)?;
                    folders.iter().map(|folder| folder.as_str().to_owned()).collect::<Vec<_>>()
                }
            };
            heads.extend(folders.into_iter().map(|head| head.trim_matches('/').to_owned()));
        }
        heads.sort();
        heads.dedup();
        let rest = if self.rest.is_empty() { String::new() } else { format!("/{}", self.rest) };
        let (argument, asked) = (argument.to_owned(), asked.to_owned());
        match heads.as_slice() {
            [] => Err(CallError::Nowhere { argument, asked, looked: PROFILES.map(str::to_owned).to_vec() }),
            [one] => Ok(format!("/{one}{rest}")),
            // A name with these characters cannot be one of several alternatives.
            several if several.iter().any(|head| head.contains(['{', '}', ','])) => {
                Err(CallError::Several { argument, asked, candidates: heads })
            }
            several => Ok(format!("/{{{}}}{rest}", several.join(","))),
        }
    }

    /// Returns a pattern of paths as records write them, on any drive.
    /// `None` for a particular user's profile, whose name is like any other there.
    pub(crate) fn on_any_drive(&self) -> Option<String> {
        let heads: Vec<String> = match &self.lead {
            Lead::Machine(folders) => folders.iter().map(|folder| (*folder).to_owned()).collect(),
            Lead::SystemDrive => Vec::new(),
            Lead::User(below) => {
                let of = |parent: &&str| {
                    below.iter().map(|below| format!("{parent}/*/{below}")).collect::<Vec<_>>()
                };
                PROFILES.iter().flat_map(of).collect()
            }
            Lead::Home(_) => return None,
        };
        let head = match heads.as_slice() {
            [] => String::new(),
            [one] => format!("/{}", one.trim_end_matches('/')),
            several => format!(
                "/{{{}}}",
                several.iter().map(|head| head.trim_end_matches('/')).collect::<Vec<_>>().join(",")
            ),
        };
        let rest =
            if self.rest.is_empty() { String::new() } else { format!("/{}", self.rest.replace('\\', "/")) };
        Some(format!("?:{head}{rest}"))
    }

    fn folders(&self, tree: &dyn Tree) -> Result<Vec<EvidencePath>, CallError> {
        let below = |tops: Vec<EvidencePath>, names: &[&str]| -> Result<Vec<EvidencePath>, CallError> {
            let mut folders = Vec::new();
            for (top, name) in tops.iter().flat_map(|top| names.iter().map(move |name| (top, *name))) {
                folders.extend(folder(tree, &join(top, name)?));
            }
            Ok(folders)
        };
        match &self.lead {
            Lead::Machine(names) => below(volumes(tree)?, names),
            Lead::SystemDrive => {
                let parent = |folder: &EvidencePath| folder.parent();
                Ok(below(volumes(tree)?, WINDOWS)?.iter().filter_map(parent).collect())
            }
            Lead::Home(user) => below(profile_folders(tree)?, &[user]),
            Lead::User(names) => {
                let mut profiles = Vec::new();
                for parent in profile_folders(tree)? {
                    let Some(node) = tree.node(&parent)? else { continue };
                    let nodes = tree.children(&node)?.nodes.into_iter();
                    profiles.extend(nodes.filter(|n| n.kind == NodeKind::Directory).map(|node| node.path));
                }
                below(profiles, names)
            }
        }
    }
}

/// Returns the folders of `tree` that contain profiles.
fn profile_folders(tree: &dyn Tree) -> Result<Vec<EvidencePath>, CallError> {
    let mut folders = Vec::new();
    for volume in volumes(tree)? {
        for name in PROFILES {
            folders.extend(folder(tree, &join(&volume, name)?));
        }
    }
    Ok(folders)
}

/// Returns the folder at `path` in the evidence's spelling; `None` if it is behind a link or cannot be read.
fn folder(tree: &dyn Tree, path: &EvidencePath) -> Option<EvidencePath> {
    let node = tree.node(path).ok().flatten()?;
    (node.kind == NodeKind::Directory).then_some(node.path)
}

fn join(folder: &EvidencePath, below: &str) -> Result<EvidencePath, CallError> {
    EvidencePath::parse(&format!("{}/{below}", folder.as_str())).map_err(CallError::Path)
}
