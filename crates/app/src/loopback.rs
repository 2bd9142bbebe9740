//! What the local servers share: the secret that grants access, and the host names that they answer to.
//!
//! A page of any site can make a browser send requests to 127.0.0.1, but it cannot know the token.
//! The `Host` of a request must be one of ours, because an attacker can make a name resolve to 127.0.0.1 (DNS rebinding).

use std::hint::black_box;
use std::net::SocketAddr;

/// 128 random bits in hex digits.
pub struct Token(String);

impl Token {
    /// Makes a new token from the system's source of randomness.
    ///
    /// # Errors
    ///
    /// Fails if the system provides no randomness.
    pub fn new() -> Result<Token, getrandom::Error> {
        let mut bytes = [0; 16];
        getrandom::fill(&mut bytes)?;
        Ok(Token(bytes.iter().map(|byte| format!("{byte:02x}")).collect()))
    }

    /// Parses a token that was written down; `None` if the text is not a token.
    pub(crate) fn read(text: &str) -> Option<Token> {
        let is_digit = |byte: u8| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
        (text.len() == 32 && text.bytes().all(is_digit)).then(|| Token(text.to_owned()))
    }

    /// Returns its digits.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Whether a text is the token. The time this takes reveals nothing but the length.
    pub fn is(&self, text: &str) -> bool {
        let (ours, theirs) = (self.0.as_bytes(), text.as_bytes());
        let differing = ours.iter().zip(theirs).fold(0, |differing, (a, b)| black_box(differing | (a ^ b)));
        ours.len() == theirs.len() && differing == 0
    }
}

/// The host names of a server that listens on a loopback address.
#[derive(Debug, Clone)]
pub struct Loopback {
    hosts: Vec<String>,
    port: u16,
}

impl Loopback {
    /// Returns the names of a server at this address: the address itself and `localhost`.
    pub fn at(address: SocketAddr) -> Loopback {
        let own = match address {
            SocketAddr::V4(address) => address.ip().to_string(),
            SocketAddr::V6(address) => format!("[{}]", address.ip()),
        };
        Loopback { hosts: vec![own, "localhost".to_owned()], port: address.port() }
    }

    /// Returns the port.
    pub fn port(&self) -> u16 {
        self.port
    }

    /// Returns the URL of a path on the server.
    pub fn address(&self, path: &str) -> String {
        format!("http://{}:{}{path}", self.hosts.first().map_or("", String::as_str), self.port)
    }

    /// Returns the origins of the server's own pages.
    pub fn origins(&self) -> Vec<String> {
        self.hosts.iter().map(|host| format!("http://{host}:{}", self.port)).collect()
    }

    /// Whether the value of a `Host` header names the server; browsers leave out port 80.
    pub fn is_host(&self, host: Option<&str>) -> bool {
        let Some(host) = host else { return false };
        self.hosts.iter().any(|own| match host.strip_prefix(own.as_str()) {
            Some("") => self.port == 80,
            Some(rest) => rest.strip_prefix(':').is_some_and(|port| port == self.port.to_string()),
            None => false,
        })
    }

    /// Whether the value of an `Origin` header is one of the server's own pages.
    pub fn is_origin(&self, origin: Option<&str>) -> bool {
        self.is_host(origin.and_then(|origin| origin.strip_prefix("http://")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_is_128_bits_that_differ_each_time() {
        let [one, other] = [(); 2].map(|()| Token::new().unwrap());
        assert!(one.as_str().len() == 32 && one.as_str().bytes().all(|byte| byte.is_ascii_hexdigit()));
        assert_ne!(one.as_str(), other.as_str());
    }

    #[test]
    fn only_the_whole_token_is_the_token() {
        let token = Token("00ff".into());
        assert!(token.is("00ff"));
        for other in ["", "00f", "00ff0", "00fe", "10ff", "00FF"] {
            assert!(!token.is(other), "{other}");
        }
    }

    #[test]
    fn only_names_of_the_machine_itself_with_the_port_are_ours() {
        let ours = Loopback::at("127.0.0.1:4000".parse().unwrap());
        for host in ["127.0.0.1:4000", "localhost:4000"] {
            assert!(ours.is_host(Some(host)) && ours.is_origin(Some(&format!("http://{host}"))), "{host}");
        }
        for host in
            ["evil.example:4000", "127.0.0.1:4001", "127.0.0.1", "127.0.0.1:4000.evil.example", "", "::1"]
        {
            assert!(!ours.is_host(Some(host)), "{host}");
        }
        assert!(!ours.is_host(None) && !ours.is_origin(Some("https://127.0.0.1:4000")));
        let plain = Loopback::at("127.0.0.1:80".parse().unwrap());
        assert!(plain.is_host(Some("localhost")) && plain.is_host(Some("localhost:80")));
        let six = Loopback::at("[::1]:4000".parse().unwrap());
        assert!(six.is_host(Some("[::1]:4000")));
        assert_eq!(six.address("/mcp"), "http://[::1]:4000/mcp");
    }
}
