//! The `ar` format of Debian packages (deb(5)): headers of 60 bytes, contents padded to even lengths.

/// Returns the archive of these members, whose names have at most 16 bytes.
pub(super) fn ar(members: &[(&str, &[u8])], time: u64) -> Vec<u8> {
    let mut out = b"!<arch>\n".to_vec();
    for (name, content) in members {
        debug_assert!(name.len() <= 16, "{name}");
        let length = content.len();
        out.extend(format!("{name:<16}{time:<12}{:<6}{:<6}{:<8}{length:<10}`\n", 0, 0, 100_644).bytes());
        out.extend_from_slice(content);
        if length % 2 == 1 {
            out.push(b'\n');
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_have_sixty_bytes_and_contents_begin_at_even_places() {
        let archive = ar(&[("debian-binary", b"2.0\n"), ("odd", b"abc"), ("last", b"")], 1234);
        let first = "debian-binary   1234        0     0     100644  4         `\n";
        assert_eq!(first.len(), 60);
        let second = "odd             1234        0     0     100644  3         `\n";
        let third = "last            1234        0     0     100644  0         `\n";
        let expected = format!("!<arch>\n{first}2.0\n{second}abc\n{third}");
        // The odd-sized content is padded, so the last header starts at an even offset.
        let expected = expected.replace("abclast", "abc\nlast");
        assert_eq!(String::from_utf8(archive).unwrap(), expected);
    }
}
