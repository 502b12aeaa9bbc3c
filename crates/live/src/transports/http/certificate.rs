//! The times of a certificate (RFC 5280, section 4.1.2.5).

use x509_cert::certificate::{CertificateInner, Raw};
use x509_cert::der::Decode;

/// From when and until when a certificate is valid, in seconds since 1970; `None` of what does not parse.
///
/// Raw: what appliances sign themselves keeps few rules of RFC 5280, such as that on the length of serial numbers.
pub fn validity(certificate: &[u8]) -> Option<[i64; 2]> {
    let times = CertificateInner::<Raw>::from_der(certificate).ok()?.tbs_certificate.validity;
    let seconds = [times.not_before, times.not_after].map(|time| i64::try_from(time.to_unix_duration().as_secs()).ok());
    Some([seconds[0]?, seconds[1]?])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_certificate_has_no_times() {
        for octets in [&[][..], &[0x30, 0x84, 255, 255, 255, 255], &[0x30, 2, 0x30, 0], &[2, 1, 1]] {
            assert_eq!(validity(octets), None);
        }
    }
}
