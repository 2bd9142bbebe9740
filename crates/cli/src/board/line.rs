//! Text that fits into a given number of columns.

use std::time::Duration;

pub(crate) fn elapsed(time: Duration) -> String {
    let seconds = time.as_secs();
    match (seconds / 3600, seconds / 60 % 60, seconds % 60) {
        (0, 0, seconds) => format!("{seconds} s"),
        (0, minutes, seconds) => format!("{minutes} min {seconds:02} s"),
        (hours, minutes, _) => format!("{hours} h {minutes:02} min"),
    }
}

/// The greatest width that a text can have: every non-ASCII character counts as two columns.
pub(crate) fn width(text: &str) -> usize {
    text.chars().map(wide).sum()
}

fn wide(c: char) -> usize {
    if c.is_ascii() { 1 } else { 2 }
}

/// The text, cut to at most this many columns.
pub(crate) fn cut(text: &str, columns: usize) -> String {
    if width(text) <= columns {
        return text.to_owned();
    }
    let mut left = columns.saturating_sub(3);
    let fits = text.chars().take_while(|c| {
        let width = wide(*c);
        let fits = width <= left;
        left = left.saturating_sub(width);
        fits
    });
    let mut short: String = fits.collect();
    short.push_str(&"..."[..columns.min(3)]);
    short
}

/// With fewer columns than this, a longer text is not worth showing at all.
const LEAST: usize = 8;

/// The most columns that the second of two texts gets if both do not fit.
const LATER: usize = 20;

/// Two texts, each after a gap, in at most `room` columns. The second one has priority, because it is what a person waits for.
pub(crate) fn middle(call: &str, remark: &str, room: usize) -> String {
    let gap = |text: &str| if text.is_empty() { 0 } else { 2 };
    let fit = |text: &str, columns: usize| match columns < LEAST.min(width(text)) {
        true => String::new(),
        false => cut(text, columns),
    };
    let all = gap(call) + width(call) + gap(remark) + width(remark);
    let most = if all <= room || call.is_empty() { room } else { room.min(gap(remark) + LATER) };
    let remark = fit(remark, most.saturating_sub(gap(remark)));
    let left = room.saturating_sub(gap(&remark) + width(&remark));
    let call = fit(call, left.saturating_sub(gap(call)));
    let shown = [call, remark].into_iter().filter(|text| !text.is_empty());
    shown.map(|text| format!("  {text}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_texts_share_the_room() {
        assert_eq!(middle("read_events -> cleared", "", 40), "  read_events -> cleared");
        assert_eq!(middle("", "refused too_weak", 40), "  refused too_weak");
        assert_eq!(
            middle("registry_artifact -> programs", "refused too_weak (programs)", 40),
            "  registry_arti...  refused too_weak ..."
        );
        assert_eq!(
            middle("hash_file", "refused too_weak (programs)", 40),
            "  hash_file  refused too_weak (programs)"
        );
        assert_eq!(middle("registry_artifact", "refused", 6), "");
        for room in 0..80 {
            let shown = middle("日本語日本語日本語日本語", "refused too_weak (programs)", room);
            assert!(width(&shown) <= room, "{room} {shown}");
        }
    }
}
