//! Requests of UDS (ISO 14229-1): which services only read, and what is an answer.

use crate::io::network_error::ServiceError;

/// Services that change nothing of a node. TesterPresent keeps a session that is open; it opens none.
const READS: [(u8, &str); 5] = [
    (0x19, "ReadDTCInformation"),
    (0x22, "ReadDataByIdentifier"),
    (0x23, "ReadMemoryByAddress"),
    (0x24, "ReadScalingDataByIdentifier"),
    (TESTER_PRESENT, "TesterPresent"),
];
/// Services that change sessions, memory or what a node does.
const WRITES: [(u8, &str); 21] = [
    (0x10, "DiagnosticSessionControl"),
    (0x11, "ECUReset"),
    (0x14, "ClearDiagnosticInformation"),
    (0x27, "SecurityAccess"),
    (0x28, "CommunicationControl"),
    (0x29, "Authentication"),
    (0x2a, "ReadDataByPeriodicIdentifier"),
    (0x2c, "DynamicallyDefineDataIdentifier"),
    (0x2e, "WriteDataByIdentifier"),
    (0x2f, "InputOutputControlByIdentifier"),
    (0x31, "RoutineControl"),
    (0x34, "RequestDownload"),
    (0x35, "RequestUpload"),
    (0x36, "TransferData"),
    (0x37, "RequestTransferExit"),
    (0x38, "RequestFileTransfer"),
    (0x3d, "WriteMemoryByAddress"),
    (0x84, "SecuredDataTransmission"),
    (0x85, "ControlDTCSetting"),
    (0x86, "ResponseOnEvent"),
    (0x87, "LinkControl"),
];
const TESTER_PRESENT: u8 = 0x3e;
/// Services whose second octet is a subfunction, whose bit 7 suppresses the positive response.
const WITH_SUBFUNCTION: [u8; 11] = [0x10, 0x11, 0x19, 0x27, 0x28, 0x29, 0x2c, 0x31, TESTER_PRESENT, 0x85, 0x87];
/// What begins a negative answer.
pub const NEGATIVE: u8 = 0x7f;
/// What is added to the service in a positive answer.
pub const POSITIVE: u8 = 0x40;
/// The service that reads records by their identifiers.
pub const READ_DATA_BY_IDENTIFIER: u8 = 0x22;
/// The negative response code of an answer that follows later.
pub const PENDING: u8 = 0x78;
/// The codes of a service that a node does not have, of a wrong length, and of an identifier that it does not have.
pub const NOT_SUPPORTED: u8 = 0x11;
/// The code of a wrong length.
pub const WRONG_LENGTH: u8 = 0x13;
/// The code of an identifier that a node does not have.
pub const OUT_OF_RANGE: u8 = 0x31;

/// Why a request is refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refused {
    /// In one sentence.
    pub message: String,
    /// What helps.
    pub help: Option<String>,
}

/// Refuses requests without an answer, and those that change a node unless that is allowed.
pub fn check(data: &[u8], allows_writes: bool) -> Result<(), Refused> {
    let service = data.first().copied().unwrap_or(0);
    let is_silent =
        WITH_SUBFUNCTION.contains(&service) && data.get(1).is_some_and(|subfunction| subfunction & 0x80 != 0);
    if is_silent {
        let message = format!("bit 7 of the subfunction {:02X}h suppresses the answer", data[1]);
        return Err(Refused { message, help: None });
    }
    if allows_writes || READS.iter().any(|(read, _)| *read == service) {
        return Ok(());
    }
    let known = WRITES.iter().find(|(write, _)| *write == service).map(|(_, name)| *name);
    let message = match known {
        Some(name) => format!("{name} ({service:02X}h) changes the node"),
        None => format!("{service:02X}h is not a service that is known to read alone"),
    };
    let reads = READS.map(|(read, name)| format!("{read:02X}h {name}")).join(", ");
    Err(Refused { message, help: Some(format!("these read: {reads}; for others: allow=write")) })
}

/// What an answer to a request is: its outcome, that it follows later, or that it is an answer to something else.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answer {
    /// The request has ended.
    Ended(Result<(), ServiceError>),
    /// The node needs more time.
    Pending,
    /// It answers another request.
    Another,
}

/// Reads an answer to `request`.
pub fn answer(request: &[u8], answer: &[u8]) -> Answer {
    let service = request.first().copied().unwrap_or(0);
    match answer {
        [NEGATIVE, of, PENDING, ..] if *of == service => Answer::Pending,
        [NEGATIVE, of, code, ..] if *of == service => Answer::Ended(Err(ServiceError::NegativeResponse(*code))),
        [first, rest @ ..] if *first == service.wrapping_add(POSITIVE) && echoes(request, rest) => {
            Answer::Ended(Ok(()))
        }
        _ => Answer::Another,
    }
}

/// Whether what follows the service in an answer repeats what it must of the request: an identifier, or a subfunction.
fn echoes(request: &[u8], rest: &[u8]) -> bool {
    let service = request.first().copied().unwrap_or(0);
    let length = match service {
        READ_DATA_BY_IDENTIFIER | 0x24 | 0x2e => 2,
        _ if WITH_SUBFUNCTION.contains(&service) => 1,
        _ => 0,
    };
    let repeated = request.get(1..=length).unwrap_or_default();
    rest.starts_with(repeated)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_reads_is_allowed_and_what_does_not_needs_a_word() {
        for read in [&[0x22, 0xf1, 0x90][..], &[0x19, 2, 0xff], &[0x23, 0x11, 0, 1], &[0x24, 1, 2], &[0x3e, 0]] {
            assert_eq!(check(read, false), Ok(()), "{read:x?}");
        }
        for write in [&[0x10, 3][..], &[0x11, 1], &[0x2e, 1, 2, 3], &[0x31, 1, 2, 3], &[0x2a, 1, 1], &[0xba, 1]] {
            assert!(check(write, false).is_err(), "{write:x?}");
            assert_eq!(check(write, true), Ok(()), "{write:x?}");
        }
        assert_eq!(check(&[0xba], false).unwrap_err().message, "BAh is not a service that is known to read alone");
    }

    #[test]
    fn a_request_that_suppresses_its_answer_is_refused() {
        let refused = check(&[0x3e, 0x80], true).unwrap_err();
        assert_eq!(refused.message, "bit 7 of the subfunction 80h suppresses the answer");
        assert_eq!(check(&[0x22, 0x80, 1], false), Ok(()), "that is an identifier");
    }

    #[test]
    fn an_answer_is_positive_negative_pending_or_to_another_request() {
        let request = [0x22, 0xf1, 0x90];
        let of = |octets: &[u8]| answer(&request, octets);
        assert_eq!(of(&[0x62, 0xf1, 0x90, b'W']), Answer::Ended(Ok(())));
        assert_eq!(of(&[0x62, 0xf1, 0x91, b'W']), Answer::Another);
        assert_eq!(of(&[0x7f, 0x22, 0x31]), Answer::Ended(Err(ServiceError::NegativeResponse(0x31))));
        assert_eq!(of(&[0x7f, 0x22, 0x78]), Answer::Pending);
        assert_eq!([of(&[0x7f, 0x10, 0x31]), of(&[]), of(&[0x7f, 0x22])], [Answer::Another; 3]);
    }
}
