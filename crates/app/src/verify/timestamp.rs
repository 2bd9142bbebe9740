//! A request for a trusted timestamp: TimeStampReq of RFC 3161, section 2.4.1, in DER.

use ledger::Digest;

/// Everything before the digest: `SEQUENCE { version 1, SEQUENCE { SEQUENCE { sha256, NULL }, OCTET STRING …`.
const BEFORE: [u8; 24] = [
    0x30, 0x39, // TimeStampReq
    0x02, 0x01, 0x01, // version INTEGER v1
    0x30, 0x31, // messageImprint MessageImprint
    0x30, 0x0D, // hashAlgorithm AlgorithmIdentifier
    0x06, 0x09, 0x60, 0x86, 0x48, 0x01, 0x65, 0x03, 0x04, 0x02, 0x01, // 2.16.840.1.101.3.4.2.1
    0x05, 0x00, // its parameters: NULL
    0x04, 0x20, // hashedMessage OCTET STRING
];

/// `certReq BOOLEAN TRUE`: the response must contain the certificate of the signer.
const AFTER: [u8; 3] = [0x01, 0x01, 0xFF];

/// Returns the request to timestamp `bytes` by their SHA-256.
///
/// It has no nonce, so equal bytes produce equal requests. The sender must compare the digest in the response.
pub fn timestamp_request(bytes: &[u8]) -> Vec<u8> {
    [&BEFORE, Digest::of(bytes).as_bytes().as_slice(), &AFTER].concat()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The expected bytes are the output of `openssl ts -query -data FILE -sha256 -cert -no_nonce` for a file that contains `abc`.
    #[test]
    fn a_request_is_the_one_that_openssl_writes() {
        let digest = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
        let expected = format!("30390201013031300d060960864801650304020105000420{digest}0101ff");
        let found: String = timestamp_request(b"abc").iter().map(|byte| format!("{byte:02x}")).collect();
        assert_eq!(found, expected);
    }
}
