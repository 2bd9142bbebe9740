//! Differences between two readings of a volume.

use super::CompareError;
use super::entry::{Entries, Entry, Key, Kind};
use ledger::Digest;

/// Counts of what both readers agree on.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Counts {
    /// The number of entries that both list.
    pub(crate) both: usize,
    /// The number of contents with equal digests.
    pub(crate) contents: usize,
    /// The number of deleted entries that both list.
    pub(crate) deleted: usize,
}

type Read = Result<Digest, String>;

/// The content according to us, and according to them.
type Both = Result<(Read, Read), CompareError>;

/// Returns the lines that describe differences; `content` returns our digest and theirs.
pub(crate) fn differences(
    ours: &Entries,
    theirs: &Entries,
    content: &mut dyn FnMut(&Key, &Entry) -> Both,
) -> Result<(Counts, Vec<String>), CompareError> {
    let mut counts = Counts::default();
    let mut found = Vec::new();
    for key in ours.keys().filter(|key| !theirs.contains_key(key)) {
        found.push(format!("{}: only we name it", name(key)));
    }
    for (key, their) in theirs {
        let Some(our) = ours.get(key) else {
            found.push(format!("{}: only sleuthkit names it ({})", name(key), their.id));
            continue;
        };
        counts.both += 1;
        counts.deleted += usize::from(key.deleted);
        found.extend(entry(our, their).map(|what| format!("{}: {what}", name(key))));
        if (our.kind, their.kind) != (Kind::File, Kind::File) {
            continue;
        }
        match content(key, their)? {
            (Ok(our), Ok(their)) if our == their => counts.contents += 1,
            (our, their) => found.push(format!("{}: content {} ({})", name(key), told(&our), told(&their))),
        }
    }
    Ok((counts, found))
}

/// Checks whether the kinds differ. Sleuthkit shows a reparse point as the file or folder that has it.
fn different(our: Kind, their: Kind) -> bool {
    our != their && our != Kind::Link && our != Kind::Other
}

/// Returns the differences of one entry, our value first.
fn entry<'a>(our: &'a Entry, their: &'a Entry) -> impl Iterator<Item = String> + use<'a> {
    let kind = different(our.kind, their.kind).then(|| format!("{:?} ({:?})", our.kind, their.kind));
    let size = (our.size != their.size && our.kind == Kind::File)
        .then(|| format!("size {} ({})", our.size, their.size));
    let times = (our.times != their.times).then(|| format!("times {:?} ({:?})", our.times, their.times));
    kind.into_iter().chain(size).chain(times)
}

fn name(key: &Key) -> String {
    let stream = key.stream.iter().map(|stream| format!(":{stream}")).collect::<String>();
    format!("{}{stream}{}", key.path, if key.deleted { " (deleted)" } else { "" })
}

fn told(read: &Read) -> String {
    match read {
        Ok(digest) => digest.to_string(),
        Err(why) => why.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_of_difference_is_told_and_equal_entries_are_counted() {
        let key = |path: &str| Key { path: path.into(), stream: None, deleted: false };
        let entry = |size, born| Entry { id: "1".into(), kind: Kind::File, size, times: [0, 0, 0, born] };
        let ours = Entries::from([(key("a"), entry(1, 1)), (key("b"), entry(1, 1)), (key("o"), entry(1, 1))]);
        let theirs =
            Entries::from([(key("a"), entry(1, 1)), (key("b"), entry(2, 2)), (key("t"), entry(1, 1))]);
        let digest = |text: &str| Ok(Digest::of(text.as_bytes()));
        let mut content =
            |key: &Key, _: &Entry| Ok((digest("x"), if key.path == "a" { digest("x") } else { digest("y") }));
        let (counts, found) = differences(&ours, &theirs, &mut content).unwrap_or_default();
        assert_eq!(counts, Counts { both: 2, contents: 1, deleted: 0 });
        let begin: Vec<_> =
            found.iter().map(|line| line.split(' ').take(2).collect::<Vec<_>>().join(" ")).collect();
        assert_eq!(begin, ["o: only", "b: size", "b: times", "b: content", "t: only"]);
    }
}
