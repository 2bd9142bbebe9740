//! Exported logs of every shape, undamaged and damaged.

use super::*;
use proptest::prelude::*;
use std::convert::Infallible;
use testkit::samples::exported_logs;

/// Returns the events of a text (id, data and place), and the number of defects; reads pieces of `piece` bytes.
fn told(bytes: &[u8], piece: usize) -> Option<(Vec<String>, usize)> {
    let begun = begins(bytes.get(..4096).unwrap_or(bytes))?;
    Some(told_as(begun, bytes, piece))
}

fn told_as(begun: Begun, bytes: &[u8], piece: usize) -> (Vec<String>, usize) {
    let (mut events, mut damage, mut at) = (Vec::new(), 0, 0_usize);
    let mut next = |buffer: &mut [u8]| {
        let rest = &bytes[at..];
        let length = rest.len().min(buffer.len()).min(piece);
        buffer[..length].copy_from_slice(&rest[..length]);
        at += length;
        Ok::<_, Infallible>(length)
    };
    let flow = read(begun, &mut next, &mut |found| {
        match found {
            TextFound::Event(event) => {
                let end = event.offset as usize + event.raw.len();
                assert_eq!(&bytes[event.offset as usize..end], event.raw);
                events.push(format!("{} {} {:?}", event.offset, event.system.event_id, event.data()));
            }
            TextFound::Damage(damaged) => {
                assert!(damaged.offset <= bytes.len() as u64);
                damage += 1;
            }
        }
        ControlFlow::Continue(())
    });
    assert!(flow.unwrap().is_continue());
    (events, damage)
}

#[test]
fn every_shape_is_told_by_its_first_bytes_and_read_alike_in_pieces_of_any_size() {
    for sample in exported_logs() {
        let whole = told(&sample.bytes, usize::MAX).unwrap_or_else(|| panic!("{} is none", sample.path));
        assert_eq!((whole.0.len(), whole.1), (5, 0), "{}", sample.path);
        for piece in [1, 7, 4096] {
            assert_eq!(told(&sample.bytes, piece).unwrap(), whole, "{}", sample.path);
        }
    }
}

#[test]
fn other_xml_and_json_is_none() {
    let others = [
        "<?xml version=\"1.0\"?><Task xmlns=\"http://schemas.microsoft.com/windows/2004/02/mit/task\"><EventTrigger/></Task>",
        "<Events><Event><Name>a party</Name></Event></Events>",
        "{\"name\":\"package\",\"version\":\"1.0.0\",\"Event\":\"none\"}",
        "{\"EventID\":7}",
        "[1,2,3]",
        "",
        "Record 1",
        "<",
    ];
    for other in others {
        assert_eq!(begins(other.as_bytes()), None, "{other}");
    }
}

#[test]
fn documents_of_elasticsearch_and_its_lines_of_actions_are_read() {
    let event = r#"{"@timestamp":"2020-01-02T03:04:05.678Z","winlog":{"event_id":4624,"provider_name":"P","channel":"Security","event_data":{"TargetUserName":"ann"}}}"#;
    let text = format!(
        "{{\"index\":{{\"_index\":\"logs\"}}}}\n{event}\n{{\"_index\":\"logs\",\"_source\":{event}}}\n"
    );
    let begun = Begun { form: Form::Json, wide: false, mark: 0 };
    let (events, damage) = told_as(begun, text.as_bytes(), usize::MAX);
    assert_eq!((events.len(), damage), (2, 0));
    assert!(events[1].contains("4624") && events[1].contains("ann"));
}

proptest! {
    #[test]
    fn any_text_is_read_without_panic(
        text in r#"[\[\]{}<>"':,\\/ A-Ea-e0-9\n&;!\-?=]{0,300}"#,
        xml in any::<bool>(), wide in any::<bool>(), piece in 1..50_usize,
    ) {
        let form = if xml { Form::Xml } else { Form::Json };
        let bytes: Vec<u8> = match wide {
            true => text.encode_utf16().flat_map(u16::to_le_bytes).collect(),
            false => text.into_bytes(),
        };
        told_as(Begun { form, wide, mark: 0 }, &bytes, piece);
    }

    #[test]
    fn a_damaged_export_gives_what_is_left_whatever_the_pieces(which in 0..9_usize, at in any::<prop::sample::Index>(), byte in any::<u8>(), piece in 1..5000_usize) {
        let sample = exported_logs().swap_remove(which);
        let mut bytes = sample.bytes;
        let at = at.index(bytes.len());
        bytes[at] = byte;
        if let Some(found) = told(&bytes, piece) {
            prop_assert_eq!(&found, &told(&bytes, usize::MAX).unwrap());
            prop_assert!(found.0.len() >= 3 || found.1 > 0, "{:?}", found);
        }
    }
}
