//! Makes text from the evidence safe to show: it cannot change the text around it or pass for something else.

use ledger::escapes::{is_unseen, without_small_cherokee};
use unicode_normalization::UnicodeNormalization;
use unicode_script::{Script, UnicodeScript};
use unicode_security::confusable_detection::skeleton;

/// Returns `text` on one line. Control characters, line and paragraph separators, direction controls and invisible blanks become `\u{…}`,
/// and so do letters that imitate the letters next to them.
///
/// Zero-width joiners and variation selectors stay if they can belong to the character before them.
pub fn printable(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut before = None;
    for piece in pieces(text) {
        let disguised = if piece.is_ascii() { Vec::new() } else { disguises(piece) };
        for (at, c) in piece.char_indices() {
            let joins = is_joining(c) && before.is_some_and(takes_joiner);
            match is_unseen(c) && !joins || disguised.binary_search(&at).is_ok() {
                true => out.extend(c.escape_unicode()),
                false => out.push(c),
            }
            // A joined sequence continues: a family emoji has several joiners.
            before = if joins { before } else { Some(c) };
        }
    }
    if text.contains(looks_like_punctuation) { between_ascii(&out) } else { out }
}

/// Returns a value on one line like [`printable`], but with every blank visible: a repeated blank,
/// a blank that is not on the keyboard, and a backslash that would look like the start of an escape also become `\u{…}`.
pub fn value_text(text: &str) -> String {
    with_blanks(&printable(&text.replace("\\u{", "\\u{5c}u{")))
}

/// Returns a sentence about values on one line like [`value_text`], except that a `\u{…}` in it is an escape on purpose.
pub fn sentence_text(text: &str) -> String {
    with_blanks(&printable(text))
}

/// Escapes repeated blanks and blanks that are not on the keyboard.
fn with_blanks(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 8);
    let mut before = None;
    let mut rest = text.chars();
    while let Some(c) = rest.next() {
        let beside = [before, rest.clone().next()];
        let is_behind_blank = before.is_some_and(is_blank);
        // An ideographic space is ordinary next to the letters that it is used with.
        let is_ordinary = c == ' '
            || c == '\u{3000}' && beside.into_iter().flatten().any(|c| !c.is_ascii() && c != '\u{3000}');
        match is_blank(c) && (is_behind_blank || !is_ordinary) {
            true => out.extend(c.escape_unicode()),
            false => out.push(c),
        }
        before = Some(c);
    }
    out
}

/// Escapes marks that look like ASCII punctuation and stand between ASCII characters, such as the full stop of `report․pdf`.
fn between_ascii(text: &str) -> String {
    let characters: Vec<char> = text.chars().collect();
    let is_ascii =
        |at: Option<usize>| at.and_then(|at| characters.get(at)).is_some_and(|c| c.is_ascii_alphanumeric());
    let mut out = String::with_capacity(text.len() + 8);
    for (at, c) in characters.iter().enumerate() {
        match looks_like_punctuation(*c) && is_ascii(at.checked_sub(1)) && is_ascii(Some(at + 1)) {
            true => out.extend(c.escape_unicode()),
            false => out.push(*c),
        }
    }
    out
}

/// Checks whether a mark looks like a full stop, a comma, a hyphen, a colon, a slash or a backslash (Unicode Technical Standard #39,
/// section 4).
const fn looks_like_punctuation(c: char) -> bool {
    matches!(
        c,
        '\u{2024}'
            | '\u{2044}'
            | '\u{2215}'
            | '\u{2216}'
            | '\u{2236}'
            | '\u{29f5}'
            | '\u{a789}'
            | '\u{201a}'
            | '\u{2010}'
            | '\u{2011}'
            | '\u{2212}'
            | '\u{2d0}'
            | '\u{5c3}'
            | '\u{2571}'
            | '\u{2572}'
            | '\u{ff0e}'
            | '\u{ff0f}'
            | '\u{ff1a}'
            | '\u{ff3c}'
            | '\u{fe55}'
            | '\u{fe68}'
    )
}

/// Splits a text into words and the text between them.
fn pieces(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let is_word = rest.chars().next()?.is_alphanumeric();
        let end = rest.find(|c: char| c.is_alphanumeric() != is_word).unwrap_or(rest.len());
        let (piece, behind) = rest.split_at_checked(end)?;
        rest = behind;
        Some(piece)
    })
}

/// Finds the letters that only look like ASCII, in a word that contains ASCII letters.
///
/// A readable word of another script next to an ASCII word is not a disguise (`OneDriveНастройка`): both read as words of their own.
fn disguises(word: &str) -> Vec<usize> {
    if !word.bytes().any(|byte| byte.is_ascii_alphabetic()) {
        return Vec::new();
    }
    let (runs, is_turkish) = (runs(word), word.contains('\u{131}') && is_turkish(word));
    let mut found = Vec::new();
    for (place, (at, run)) in runs.iter().enumerate() {
        let beside = [place.checked_sub(1), Some(place + 1)].map(|place| runs.get(place?));
        let is_own = |(_, run): &(usize, &str)| !is_native(run) || is_word(run);
        let stands_alone = !is_native(run) && is_word(run) && beside.into_iter().flatten().all(is_own);
        let is_disguised = |c: char| looks_ascii(c) || c == '\u{131}' && !is_turkish;
        let alike = run.char_indices().filter(|(_, c)| !stands_alone && is_disguised(*c));
        found.extend(alike.map(|(within, _)| at + within));
    }
    found
}

/// Splits a word into runs by script, with their offsets: Latin letters, digits, other letters.
fn runs(word: &str) -> Vec<(usize, &str)> {
    let kind = |c: char| match c.script() {
        _ if c.is_numeric() => None,
        Script::Common | Script::Inherited => Some(Script::Latin),
        script => Some(script),
    };
    let mut runs = Vec::new();
    let mut rest = word;
    while let Some(first) = rest.chars().next() {
        let end = rest.find(|c| kind(c) != kind(first)).unwrap_or(rest.len());
        let (run, behind) = rest.split_at_checked(end).unwrap_or((rest, ""));
        runs.push((word.len() - rest.len(), run));
        rest = behind;
    }
    runs
}

/// Checks whether a run consists of Latin letters.
fn is_native(run: &str) -> bool {
    run.chars().next().is_some_and(|c| {
        !c.is_numeric() && matches!(c.script(), Script::Latin | Script::Common | Script::Inherited)
    })
}

/// The minimum number of letters for a run to read as a word by itself.
const WORD: usize = 3;

/// Checks whether a run of letters of one script reads as a word of it: some of its letters do not exist in the other script.
fn is_word(run: &str) -> bool {
    let own = |c: char| if c.is_ascii() { !SHARED.contains(c) } else { !looks_ascii(c) };
    run.chars().nth(WORD - 1).is_some() && run.chars().any(own)
}

/// ASCII letters that have a lookalike in Greek or Cyrillic.
const SHARED: &str = "aceijopsuvxyABCEHIJKMNOPSTXYZ";

/// Checks whether a word with a dotless i can be Turkish: it has no `q`, `w` or `x`, and the vowels next to each dotless i fit vowel harmony.
fn is_turkish(word: &str) -> bool {
    let lower = word.to_lowercase();
    let vowels: Vec<char> = lower.chars().filter(|c| "aeıioöuü".contains(*c)).collect();
    let goes_with = |pair: &[char]| match pair {
        [before, 'ı'] => matches!(before, 'a' | 'ı'),
        // `yapılıyor`: the suffix has its own `o`.
        ['ı', after] => matches!(after, 'a' | 'ı') || *after == 'o' && lower.contains("ıyo"),
        _ => true,
    };
    !lower.contains(['q', 'w', 'x']) && vowels.windows(2).all(goes_with)
}

/// Checks whether a non-ASCII letter looks like an ASCII one (Unicode Technical Standard #39, section 4):
/// from another script, or the same letter in another form.
fn looks_ascii(c: char) -> bool {
    if c.is_ascii() || !c.is_alphabetic() {
        return false;
    }
    let c = without_small_cherokee(c);
    let is_alike = |is: fn(&char) -> bool| skeleton(c.encode_utf8(&mut [0; 4])).all(|c| is(&c));
    match c.script() {
        // Latin-script languages have letters of their own, which are not disguises. Full-width and mathematical forms are,
        // and so are phonetic letters, including those that look like a punctuation mark.
        Script::Latin | Script::Common | Script::Inherited => {
            std::iter::once(c).nfkc().all(|c| c.is_ascii_alphanumeric())
                || is_phonetic(c) && is_alike(char::is_ascii_graphic)
        }
        _ => is_alike(char::is_ascii_alphanumeric),
    }
}

/// Checks whether a letter is in one of the blocks for phonetics and medieval writing.
const fn is_phonetic(c: char) -> bool {
    matches!(c, '\u{138}' | '\u{196}' | '\u{1c0}'..='\u{1c3}' | '\u{250}'..='\u{2af}' | '\u{1d00}'..='\u{1dbf}' | '\u{a720}'..='\u{a7ff}' | '\u{ab30}'..='\u{ab6f}')
}

const fn is_blank(c: char) -> bool {
    matches!(c, ' ' | '\u{a0}' | '\u{1680}' | '\u{2000}'..='\u{200a}' | '\u{202f}' | '\u{205f}' | '\u{3000}')
}

/// Checks whether a character never affects the text around it. Joiners and variation selectors count as such:
/// they affect only what they belong to.
pub const fn is_printable(c: char) -> bool {
    !is_unseen(c) || is_joining(c)
}

/// Checks for zero-width joiners and variation selectors, which scripts and emoji need.
const fn is_joining(c: char) -> bool {
    matches!(c, '\u{200c}' | '\u{200d}' | '\u{fe00}'..='\u{fe0f}' | '\u{e0100}'..='\u{e01ef}')
}

/// Checks whether a joiner or selector after this character can belong to it: a letter of a script that joins letters or has
/// variants, or a symbol.
fn takes_joiner(c: char) -> bool {
    match c.script() {
        Script::Latin | Script::Greek | Script::Cyrillic | Script::Armenian => false,
        Script::Common | Script::Inherited => c >= '\u{2190}' && !c.is_alphanumeric() && !is_blank(c),
        _ => true,
    }
}

#[cfg(test)]
mod tests {
    use super::{printable, value_text};

    #[test]
    fn what_moves_hides_or_breaks_text_is_escaped() {
        for c in
            "\u{0}\n\u{1b}\u{7f}\u{9b}\u{61c}\u{200b}\u{200e}\u{202e}\u{2028}\u{2029}\u{2060}\u{2069}\u{feff}\u{e0001}\u{e0041}\u{200c}\u{200d}\u{fe0f}\u{e0101}\u{17b4}\u{fff9}\u{fffc}\u{1d173}\u{e000}\u{fdd0}"
                .chars()
        {
            assert_eq!(printable(&c.to_string()), format!("\\u{{{:x}}}", u32::from(c)));
        }
        assert_eq!(printable("SA\u{200c}B \u{fe0f}x"), r"SA\u{200c}B \u{fe0f}x");
    }

    #[test]
    fn joiners_and_variations_stay_beside_what_they_belong_to() {
        for joined in [
            "می\u{200c}خواهم",
            "क\u{94d}\u{200d}ष",
            "\u{2764}\u{fe0f}",
            "👩\u{200d}👩\u{200d}👧",
            "葛\u{e0100}",
        ] {
            assert_eq!(printable(joined), joined);
        }
    }

    #[test]
    fn letters_that_only_look_like_those_beside_them_are_escaped() {
        for (text, expected) in [
            ("Sc\u{430}nToPdf-Setup.exe", r"Sc\u{430}nToPdf-Setup.exe"),
            ("\u{405}etup.exe", r"\u{405}etup.exe"),
            ("\u{ff53}vchost.exe", r"\u{ff53}vchost.exe"),
            ("\u{261}oogle.exe", r"\u{261}oogle.exe"),
            ("\u{a731}vchost.exe", r"\u{a731}vchost.exe"),
            ("report\u{2024}pdf", r"report\u{2024}pdf"),
            ("report\u{ff0e}pdf", r"report\u{ff0e}pdf"),
            ("pay\u{ad}load.exe", r"pay\u{ad}load.exe"),
            ("СССР.docx", "СССР.docx"),
            ("ООО Ромашка.docx", "ООО Ромашка.docx"),
            ("ＡＢＣ.docx", "ＡＢＣ.docx"),
            ("時刻：午後", "時刻：午後"),
            ("æble þing Straße.txt", "æble þing Straße.txt"),
            ("договор.docx", "договор.docx"),
            ("Договор 2025 (copy).docx", "Договор 2025 (copy).docx"),
            ("kapı.txt", "kapı.txt"),
            ("Übersicht.xlsx", "Übersicht.xlsx"),
            ("C:\\Users\\Зоя\\a.txt", "C:\\Users\\Зоя\\a.txt"),
            ("漢字abc.txt", "漢字abc.txt"),
            ("C:\\w\u{131}ndows.exe", r"C:\w\u{131}ndows.exe"),
            ("m\u{131}crosoft.exe", r"m\u{131}crosoft.exe"),
            ("yazılım ayarı kitabı yapılıyor.txt", "yazılım ayarı kitabı yapılıyor.txt"),
            ("readme\u{1c3}.txt", r"readme\u{1c3}.txt"),
            ("\u{ab87}imikatz.exe", r"\u{ab87}imikatz.exe"),
            ("OneDriveНастройка", "OneDriveНастройка"),
            ("НастройкаOneDrive.lnk", "НастройкаOneDrive.lnk"),
            ("Отчёт2025v2.docx", "Отчёт2025v2.docx"),
            ("ΑναφοράReport.pdf", "ΑναφοράReport.pdf"),
            ("прив\u{435}t", r"п\u{440}ив\u{435}t"),
            ("paypal\u{430}\u{440}", r"paypal\u{430}\u{440}"),
            ("\u{430}\u{440}\u{440}le.exe", r"\u{430}\u{440}\u{440}le.exe"),
            ("αβγ and x", "αβγ and x"),
        ] {
            assert_eq!(printable(text), expected);
        }
    }

    #[test]
    fn in_a_value_every_blank_counts() {
        for (text, expected) in [
            ("Ledgerline Backup", "Ledgerline Backup"),
            ("Ledgerline  Backup", r"Ledgerline \u{20}Backup"),
            ("Ledgerline   Backup", r"Ledgerline \u{20}\u{20}Backup"),
            ("a\u{a0}b", r"a\u{a0}b"),
        ] {
            assert_eq!(value_text(text), expected);
        }
        assert_eq!(value_text("日本\u{3000}東京, 日本\u{3000}25"), "日本\u{3000}東京, 日本\u{3000}25");
        assert_eq!(value_text("setup\u{3000}.exe"), r"setup\u{3000}.exe");
        // Text that only looks like an escape is distinguished from a real one.
        assert_eq!(value_text(r"C:\x\u{202e}a"), r"C:\x\u{5c}u{202e}a");
    }
}
