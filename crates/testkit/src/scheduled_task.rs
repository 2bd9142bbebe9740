//! XML files of scheduled tasks.

/// A task that starts a program every five minutes.
pub const TASK: &str = "<?xml version=\"1.0\" encoding=\"UTF-16\"?>\r\n\
<Task version=\"1.2\" xmlns=\"http://schemas.microsoft.com/windows/2004/02/mit/task\">\r\n\
  <RegistrationInfo><Date>2012-04-04T01:58:40</Date><Author>WKS-1\\ann</Author><URI>\\Sync</URI></RegistrationInfo>\r\n\
  <Triggers><TimeTrigger>\r\n\
    <Repetition><Interval>PT5M</Interval></Repetition>\r\n\
    <StartBoundary>2012-04-04T02:00:00</StartBoundary><Enabled>true</Enabled>\r\n\
  </TimeTrigger></Triggers>\r\n\
  <Settings><Enabled>true</Enabled><Hidden>false</Hidden></Settings>\r\n\
  <Actions Context=\"Author\"><Exec>\r\n\
    <Command>C:\\Tools\\sync.exe</Command><Arguments>/all &gt; C:\\Tools\\log.txt</Arguments>\r\n\
  </Exec></Actions>\r\n\
  <Principals><Principal id=\"Author\"><UserId>S-1-5-18</UserId><RunLevel>HighestAvailable</RunLevel></Principal></Principals>\r\n\
</Task>";

/// Encodes a text as Windows writes it: UTF-16LE with a byte order mark.
pub fn utf16(text: &str) -> Vec<u8> {
    std::iter::once(0xFEFF).chain(text.encode_utf16()).flat_map(u16::to_le_bytes).collect()
}

/// Encodes a text as in registry values: UTF-16LE without a byte order mark or terminator.
pub fn wide(text: &str) -> Vec<u8> {
    text.encode_utf16().flat_map(u16::to_le_bytes).collect()
}
