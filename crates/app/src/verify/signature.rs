//! Signatures over certificates and manifests: ed25519 (RFC 8032), raw, in a file next to the signed one.
//!
//! Keys are read in the form that `openssl genpkey -algorithm ed25519` and `openssl pkey -pubout` write: PEM over PKCS#8 (RFC 5958) and
//! over SubjectPublicKeyInfo (RFC 5280).
//! No error quotes any part of a key.

use crate::publish::publish_in;
use crate::regular::read_regular;
use ed25519_dalek::pkcs8::{DecodePrivateKey, DecodePublicKey, EncodePublicKey};
use ed25519_dalek::{Signature, Signer as _, SigningKey, VerifyingKey};
use ledger::Digest;
use std::fmt;
use std::path::{Path, PathBuf};
use thiserror::Error;

/// The suffix that is appended to the name of a signed file for its signature.
const SUFFIX: &str = "sig";

/// Why signing failed, or why a signature is not trusted.
#[derive(Debug, Error)]
pub enum SignatureError {
    /// The signature cannot be written.
    #[error("write {}", path.display())]
    Write {
        /// The file.
        path: PathBuf,
        /// The error of the operating system.
        #[source]
        source: std::io::Error,
    },
    /// A file cannot be read.
    #[error("read {}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// The error of the operating system.
        #[source]
        source: std::io::Error,
    },
    /// The file does not contain a key of the right kind.
    #[error("read the key {}: expected {expected}", path.display())]
    Key {
        /// The file.
        path: PathBuf,
        /// What was expected.
        expected: &'static str,
    },
    /// The signature was not made with this key over this file.
    #[error("check the signature of {}: it does not verify with the key {}", path.display(), key.display())]
    Wrong {
        /// The signed file.
        path: PathBuf,
        /// The key.
        key: PathBuf,
    },
}

/// A private key.
pub struct Signer(SigningKey);

impl fmt::Debug for Signer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Signer(..)")
    }
}

impl Signer {
    /// Reads a private key.
    ///
    /// # Errors
    ///
    /// Fails if the file cannot be read or is not an unencrypted ed25519 private key.
    pub fn read(path: &Path) -> Result<Signer, SignatureError> {
        let expected = "an unencrypted ed25519 private key as PEM (PKCS#8)";
        let key = SigningKey::from_pkcs8_pem(&pem(path, expected)?).ok();
        key.map(Signer).ok_or(SignatureError::Key { path: path.to_owned(), expected })
    }

    /// Returns the 64 bytes of the signature over `bytes`.
    pub fn sign(&self, bytes: &[u8]) -> [u8; 64] {
        self.0.sign(bytes).to_bytes()
    }

    /// Returns the name of the public key: the SHA-256 of its SubjectPublicKeyInfo (DER),
    /// which is the output of `openssl pkey -pubin -outform DER | sha256sum`.
    pub fn key_id(&self) -> String {
        let der = self.0.verifying_key().to_public_key_der();
        der.map(|der| Digest::of(der.as_bytes()).to_string()).unwrap_or_default()
    }
}

/// A public key.
#[derive(Debug, Clone)]
pub struct Checker {
    key: VerifyingKey,
    path: PathBuf,
}

impl Checker {
    /// Reads a public key.
    ///
    /// # Errors
    ///
    /// Fails if the file cannot be read or is not an ed25519 public key.
    pub fn read(path: &Path) -> Result<Checker, SignatureError> {
        let expected = "an ed25519 public key as PEM";
        let key = VerifyingKey::from_public_key_pem(&pem(path, expected)?).ok();
        let key = key.ok_or(SignatureError::Key { path: path.to_owned(), expected })?;
        Ok(Checker { key, path: path.to_owned() })
    }

    /// Checks the signature next to the file `path`, whose contents are `bytes`.
    pub(super) fn check(&self, path: &Path, bytes: &[u8]) -> Result<(), SignatureError> {
        let beside = beside(path);
        let signature = read_regular(&beside, LONGEST_SIGNATURE)
            .map_err(|source| SignatureError::File { path: beside, source })?;
        let signature = Signature::from_slice(&signature).ok();
        match signature.map(|signature| self.key.verify_strict(bytes, &signature)) {
            Some(Ok(())) => Ok(()),
            Some(Err(_)) | None => {
                Err(SignatureError::Wrong { path: path.to_owned(), key: self.path.clone() })
            }
        }
    }
}

/// Signs the file `name` of `folder`, with a signature that everyone who can read the
/// folder can check; once this returns, the signature survives a loss of power.
pub(crate) fn sign_beside(signer: &Signer, folder: &Path, name: &str) -> Result<(), SignatureError> {
    let path = folder.join(name);
    let bytes = std::fs::read(&path).map_err(|source| SignatureError::File { path, source })?;
    let name = format!("{name}.{SUFFIX}");
    publish_in(folder, &name, &signer.sign(&bytes))
        .map_err(|source| SignatureError::Write { path: folder.join(name), source })
}

/// The most bytes to read of a signature file; a signature has 64 bytes.
pub(crate) const LONGEST_SIGNATURE: u64 = 4096;

/// Returns the file of the signature of `path`.
pub(crate) fn beside(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(".");
    name.push(SUFFIX);
    name.into()
}

fn pem(path: &Path, expected: &'static str) -> Result<String, SignatureError> {
    let bytes =
        std::fs::read(path).map_err(|source| SignatureError::File { path: path.to_owned(), source })?;
    String::from_utf8(bytes).map_err(|_| SignatureError::Key { path: path.to_owned(), expected })
}

#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "a test writes its keys")]
mod tests {
    use super::*;

    /// The key pair of RFC 8410, section 10.3.
    const PRIVATE: &str = "-----BEGIN PRIVATE KEY-----\nMC4CAQAwBQYDK2VwBCIEINTuctv5E1hK1bbY8fdp+K06/nwoy/HU++CXqI9EdVhC\n-----END PRIVATE KEY-----\n";
    const PUBLIC: &str = "-----BEGIN PUBLIC KEY-----\nMCowBQYDK2VwAyEAGb9ECWmEzf6FQbrBZ9w7lshQhqowtrbLDFw4rXAxZuE=\n-----END PUBLIC KEY-----\n";

    #[test]
    fn what_is_signed_verifies_and_nothing_else_does() {
        let home = tempfile::tempdir().unwrap();
        let [private, public, file] = ["key.pem", "pub.pem", "file"].map(|name| home.path().join(name));
        std::fs::write(&private, PRIVATE).unwrap();
        std::fs::write(&public, PUBLIC).unwrap();
        let (signer, checker) = (Signer::read(&private).unwrap(), Checker::read(&public).unwrap());
        let missing = checker.check(&file, b"text").unwrap_err();
        assert!(matches!(missing, SignatureError::File { .. }), "{missing}");
        std::fs::write(beside(&file), signer.sign(b"text")).unwrap();
        checker.check(&file, b"text").unwrap();
        for (signature, text) in [
            (signer.sign(b"text").to_vec(), b"texT".as_slice()),
            (signer.sign(b"other").to_vec(), b"text"),
            (vec![0; 64], b"text"),
            (Vec::new(), b"text"),
        ] {
            std::fs::write(beside(&file), signature).unwrap();
            let error = checker.check(&file, text).unwrap_err();
            assert!(matches!(error, SignatureError::Wrong { .. }), "{error}");
        }
    }

    #[test]
    fn no_error_tells_anything_of_a_key() {
        let home = tempfile::tempdir().unwrap();
        let path = home.path().join("key.pem");
        let secret = "MC4CAQAwBQYDK2VwBCIEINTuctv5E1hK1bbY8fdp";
        for text in [format!("-----BEGIN PRIVATE KEY-----\n{secret}\n"), PUBLIC.into(), "\u{0}".into()] {
            std::fs::write(&path, &text).unwrap();
            let told = format!("{0} {0:?}", Signer::read(&path).unwrap_err());
            assert!(told.contains("key.pem") && !told.contains("MC4"), "{told}");
        }
        std::fs::write(&path, PRIVATE).unwrap();
        assert!(Checker::read(&path).is_err());
        assert!(!format!("{:?}", Signer::read(&path).unwrap()).contains("212"));
    }
}
