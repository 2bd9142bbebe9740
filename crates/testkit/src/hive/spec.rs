//! The plain description of keys and values.

/// The structure that lists the subkeys of a key.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ListKind {
    /// The default for the hive's version: `li` below 1.3, `lf` below 1.5, `lh` from there on.
    #[default]
    Auto,
    /// An index leaf: offsets only.
    Li,
    /// A fast leaf: offsets and the first four characters of the name.
    Lf,
    /// A hash leaf: offsets and a hash of the name.
    Lh,
}

/// The description of a key.
#[derive(Clone, Debug, Default)]
pub struct KeySpec {
    /// The name in UTF-16 units; stored as Latin-1 if every unit fits in a byte, as Windows does.
    pub name: Vec<u16>,
    /// The last-written time, in 100-ns ticks since 1601-01-01 UTC.
    pub last_written: u64,
    /// The class name.
    pub class: Option<String>,
    /// The values, in stored order.
    pub values: Vec<ValueSpec>,
    /// The subkeys, in any order; they are stored in Windows sort order.
    pub keys: Vec<KeySpec>,
}

impl KeySpec {
    /// Creates a key without values or subkeys, with last-written time 0.
    pub fn new(name: &str) -> Self {
        Self { name: name.encode_utf16().collect(), ..Self::default() }
    }

    /// Creates a key whose name need not be valid UTF-16.
    pub fn from_units(name: &[u16]) -> Self {
        Self { name: name.to_vec(), ..Self::default() }
    }

    /// Sets the last-written time, in 100-ns ticks since 1601.
    pub fn written(mut self, ticks: u64) -> Self {
        self.last_written = ticks;
        self
    }

    /// Sets the class name.
    pub fn class(mut self, class: &str) -> Self {
        self.class = Some(class.to_owned());
        self
    }

    /// Adds a value.
    pub fn value(mut self, value: ValueSpec) -> Self {
        self.values.push(value);
        self
    }

    /// Adds a subkey.
    pub fn key(mut self, key: KeySpec) -> Self {
        self.keys.push(key);
        self
    }

    /// Adds a chain of subkeys given by a path with `\`, and returns the key it was called on.
    /// Existing keys (with the same spelling) are reused and others created; `last` replaces the content of the last one.
    pub fn path(mut self, path: &str, last: KeySpec) -> Self {
        self.put_path(path, last);
        self
    }

    fn put_path(&mut self, path: &str, last: KeySpec) {
        let (first, rest) = path.split_once('\\').unwrap_or((path, ""));
        let name: Vec<u16> = first.encode_utf16().collect();
        if !self.keys.iter().any(|key| key.name == name) {
            self.keys.push(Self { name: name.clone(), ..Self::default() });
        }
        let Some(key) = self.keys.iter_mut().find(|key| key.name == name) else { return };
        if rest.is_empty() {
            *key = Self { name, ..last };
        } else {
            key.put_path(rest, last);
        }
    }
}

/// The description of a value.
#[derive(Clone, Debug, Default)]
pub struct ValueSpec {
    /// The name in UTF-16 units; empty for the default value.
    pub name: Vec<u16>,
    /// The type number; `REG_SZ` is 1.
    pub kind: u32,
    /// The data in stored form.
    pub data: Vec<u8>,
}

impl ValueSpec {
    /// Creates a value of any type number, with its data in stored form.
    pub fn raw(name: &str, kind: u32, data: &[u8]) -> Self {
        Self { name: name.encode_utf16().collect(), kind, data: data.to_vec() }
    }

    /// Creates a `REG_NONE` value.
    pub fn none(name: &str, data: &[u8]) -> Self {
        Self::raw(name, 0, data)
    }

    /// Creates a `REG_SZ` value: UTF-16LE with a terminating NUL.
    pub fn sz(name: &str, text: &str) -> Self {
        Self::raw(name, 1, &terminated(text))
    }

    /// Creates a `REG_EXPAND_SZ` value: UTF-16LE with a terminating NUL.
    pub fn expand_sz(name: &str, text: &str) -> Self {
        Self::raw(name, 2, &terminated(text))
    }

    /// Creates a `REG_BINARY` value.
    pub fn binary(name: &str, data: &[u8]) -> Self {
        Self::raw(name, 3, data)
    }

    /// Creates a `REG_DWORD` value, little-endian.
    pub fn dword(name: &str, number: u32) -> Self {
        Self::raw(name, 4, &number.to_le_bytes())
    }

    /// Creates a `REG_DWORD_BIG_ENDIAN` value.
    pub fn dword_be(name: &str, number: u32) -> Self {
        Self::raw(name, 5, &number.to_be_bytes())
    }

    /// Creates a `REG_LINK` value: UTF-16LE without a terminator.
    pub fn link(name: &str, target: &str) -> Self {
        Self::raw(name, 6, &utf16(target))
    }

    /// Creates a `REG_MULTI_SZ` value: each text with its NUL, and another NUL at the end.
    pub fn multi_sz(name: &str, texts: &[&str]) -> Self {
        let mut data: Vec<u8> = texts.iter().flat_map(|text| terminated(text)).collect();
        data.extend([0, 0]);
        Self::raw(name, 7, &data)
    }

    /// Creates a `REG_RESOURCE_LIST` value.
    pub fn resource_list(name: &str, data: &[u8]) -> Self {
        Self::raw(name, 8, data)
    }

    /// Creates a `REG_FULL_RESOURCE_DESCRIPTOR` value.
    pub fn resource_descriptor(name: &str, data: &[u8]) -> Self {
        Self::raw(name, 9, data)
    }

    /// Creates a `REG_RESOURCE_REQUIREMENTS_LIST` value.
    pub fn resource_requirements(name: &str, data: &[u8]) -> Self {
        Self::raw(name, 10, data)
    }

    /// Creates a `REG_QWORD` value, little-endian.
    pub fn qword(name: &str, number: u64) -> Self {
        Self::raw(name, 11, &number.to_le_bytes())
    }
}

fn utf16(text: &str) -> Vec<u8> {
    text.encode_utf16().flat_map(u16::to_le_bytes).collect()
}

fn terminated(text: &str) -> Vec<u8> {
    let mut data = utf16(text);
    data.extend([0, 0]);
    data
}
