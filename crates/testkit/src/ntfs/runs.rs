//! Runs of clusters and their encoding ("Data Runs").

/// Consecutive clusters of a stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Run {
    /// The first cluster; `None` for a hole.
    pub lcn: Option<u64>,
    /// The number of clusters.
    pub length: u64,
}

/// Counts the clusters, including holes.
pub(crate) fn clusters(runs: &[Run]) -> u64 {
    runs.iter().map(|run| run.length).sum()
}

/// Counts the clusters without holes.
pub(crate) fn stored(runs: &[Run]) -> u64 {
    runs.iter().filter(|run| run.lcn.is_some()).map(|run| run.length).sum()
}

/// Adds a run, merging it with the last one if it continues it.
pub(crate) fn push(runs: &mut Vec<Run>, run: Run) {
    if run.length == 0 {
        return;
    }
    if let Some(last) = runs.last_mut() {
        let next = last.lcn.map(|lcn| lcn + last.length);
        if next == run.lcn {
            last.length += run.length;
            return;
        }
    }
    runs.push(run);
}

/// Encodes the mapping pairs, including the terminating zero.
pub(crate) fn encode(runs: &[Run]) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut before = 0i64;
    for run in runs {
        let length = signed(run.length);
        let offset = match run.lcn {
            Some(lcn) => {
                let lcn = i64::try_from(lcn).unwrap_or(i64::MAX);
                let delta = signed_i64(lcn - before);
                before = lcn;
                delta
            }
            None => Vec::new(),
        };
        bytes.push(u8::try_from(offset.len() << 4 | length.len()).unwrap_or(0));
        bytes.extend(length);
        bytes.extend(offset);
    }
    bytes.push(0);
    bytes
}

fn signed(value: u64) -> Vec<u8> {
    signed_i64(i64::try_from(value).unwrap_or(i64::MAX))
}

/// Returns the fewest little-endian bytes that preserve the sign.
fn signed_i64(value: i64) -> Vec<u8> {
    let mut bytes = value.to_le_bytes().to_vec();
    while let [.., below, top] = bytes.as_slice() {
        let extension = if below & 0x80 == 0 { 0 } else { 0xff };
        if *top != extension {
            break;
        }
        bytes.pop();
    }
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_are_written_with_signed_differences_and_holes() {
        let run = |lcn, length| Run { lcn, length };
        let runs = [run(Some(0x5634), 0x18), run(None, 0x80), run(Some(0x5600), 1)];
        assert_eq!(encode(&runs), [0x21, 0x18, 0x34, 0x56, 0x02, 0x80, 0x00, 0x11, 0x01, 0xcc, 0x00]);
    }

    #[test]
    fn neighbours_are_joined() {
        let mut runs = Vec::new();
        for run in [(Some(4), 2), (Some(6), 1), (None, 3), (None, 0), (None, 1), (Some(9), 1)] {
            push(&mut runs, Run { lcn: run.0, length: run.1 });
        }
        let found: Vec<_> = runs.iter().map(|run| (run.lcn, run.length)).collect();
        assert_eq!(found, [(Some(4), 3), (None, 4), (Some(9), 1)]);
    }
}
