//! WMI instances, as in `OBJECTS.DATA`.

/// Builds an instance: texts before its creator, the creator's SID in bytes, and texts after it.
///
/// Source of the format: python-cim, the layout of instances.
pub fn instance(
    class: &str,
    digest: &str,
    before: &[&str],
    creator: Option<&[u8]>,
    behind: &[&str],
) -> Vec<u8> {
    let mut heap = Vec::new();
    text(&mut heap, class);
    before.iter().for_each(|one| text(&mut heap, one));
    if let Some(creator) = creator {
        heap.extend(u32::try_from(creator.len()).unwrap_or(0).to_le_bytes());
        heap.extend(creator);
    }
    behind.iter().for_each(|one| text(&mut heap, one));
    let mut body = vec![0; 41];
    body.extend((u32::try_from(heap.len()).unwrap_or(0) | 0x8000_0000).to_le_bytes());
    body.extend(heap);
    let mut bytes: Vec<u8> = digest.encode_utf16().flat_map(u16::to_le_bytes).collect();
    bytes.extend([129_779_783_208_392_490u64; 2].iter().flat_map(|time| time.to_le_bytes()));
    bytes.extend(u32::try_from(body.len() + 4).unwrap_or(0).to_le_bytes());
    bytes.extend(body);
    bytes
}

/// Builds a page with a filter, two consumers and a binding.
pub fn repository() -> Vec<u8> {
    let mut sid = vec![1, 5, 0, 0, 0, 0, 0, 5];
    sid.extend([21u32, 1, 2, 3, 1001].iter().flat_map(|part| part.to_le_bytes()));
    let by = Some(&sid[..]);
    let mut page = vec![0; 64];
    page.extend(instance(
        "__EventFilter",
        "47C79E62C2227EDD0FF29BF44D87F2FAF9FEDF60A18D9F82597602BD95E20BD3",
        &[],
        by,
        &["root\\cimv2", "Sync", "SELECT * FROM __InstanceModificationEvent WITHIN 60", "WQL"],
    ));
    page.extend(instance(
        "CommandLineEventConsumer",
        "BBFCCB444CF66AA09AE6F15967A6865175BB0ED216D19970A7988B72CDF0A3A4",
        &["C:\\Tools\\sync.exe /all"],
        by,
        &["SyncConsumer", "C:\\Tools"],
    ));
    page.extend(instance(
        "ActiveScriptEventConsumer",
        "3E78A37E1DE70357C353A15D6BBB8A17A1D31F8D501ED8F1C3EB8104F5B04F97",
        &[],
        by,
        &["Talk", "VBScript", "MsgBox \"hello\""],
    ));
    page.extend(instance(
        "__FilterToConsumerBinding",
        "0A7ABE63F36E2B2920FEDAFAE849823AF9429CC0EA373FFEE1507EDB21FD9170",
        &["CommandLineEventConsumer.Name=\"SyncConsumer\""],
        by,
        &["__EventFilter.Name=\"Sync\""],
    ));
    page.resize(8192, 0);
    page
}

fn text(heap: &mut Vec<u8>, text: &str) {
    heap.push(0);
    heap.extend(text.as_bytes());
    heap.push(0);
}
