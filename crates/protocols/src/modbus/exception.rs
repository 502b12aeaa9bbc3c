//! Why servers refuse.

use std::fmt;

/// Why a server refuses a request (Application Protocol V1.1b3, section 7).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ExceptionCode(pub u8);

impl ExceptionCode {
    /// The server does not know the function.
    pub const ILLEGAL_FUNCTION: ExceptionCode = ExceptionCode(1);
    /// The server has no such address.
    pub const ILLEGAL_DATA_ADDRESS: ExceptionCode = ExceptionCode(2);
    /// A value or count is not allowed.
    pub const ILLEGAL_DATA_VALUE: ExceptionCode = ExceptionCode(3);
    /// The server failed while it carried out the request.
    pub const SERVER_DEVICE_FAILURE: ExceptionCode = ExceptionCode(4);
    /// The request takes long, and the client asks again later.
    pub const ACKNOWLEDGE: ExceptionCode = ExceptionCode(5);
    /// The server is busy with a long command.
    pub const SERVER_DEVICE_BUSY: ExceptionCode = ExceptionCode(6);
    /// The memory of the server has a parity error.
    pub const MEMORY_PARITY_ERROR: ExceptionCode = ExceptionCode(8);
    /// A gateway has no path to the server.
    pub const GATEWAY_PATH_UNAVAILABLE: ExceptionCode = ExceptionCode(10);
    /// The server behind a gateway did not respond.
    pub const GATEWAY_TARGET_FAILED: ExceptionCode = ExceptionCode(11);
}

impl fmt::Display for ExceptionCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = match *self {
            ExceptionCode::ILLEGAL_FUNCTION => "illegal function",
            ExceptionCode::ILLEGAL_DATA_ADDRESS => "illegal data address",
            ExceptionCode::ILLEGAL_DATA_VALUE => "illegal data value",
            ExceptionCode::SERVER_DEVICE_FAILURE => "server device failure",
            ExceptionCode::ACKNOWLEDGE => "acknowledge",
            ExceptionCode::SERVER_DEVICE_BUSY => "server device busy",
            ExceptionCode::MEMORY_PARITY_ERROR => "memory parity error",
            ExceptionCode::GATEWAY_PATH_UNAVAILABLE => "gateway path unavailable",
            ExceptionCode::GATEWAY_TARGET_FAILED => "gateway target device failed to respond",
            ExceptionCode(code) => return write!(f, "exception {code}"),
        };
        f.write_str(name)
    }
}
