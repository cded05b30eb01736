//! The socket that systemd holds for the service, so that nobody is refused while it starts again.

use std::env;
use std::net::{SocketAddr, TcpListener};
use std::os::fd::{FromRawFd as _, RawFd};
use std::process;

use nix::fcntl::{FcntlArg, FdFlag, fcntl};

use crate::app::{Error, system};

/// The first that is handed over ([`sd_listen_fds`](https://www.freedesktop.org/software/systemd/man/latest/sd_listen_fds.html)).
const FIRST: RawFd = 3;

/// The socket that is handed to this process, and its address; `None` if none is.
///
/// # Errors
/// There are several, or it is none of TCP.
pub(super) fn inherited() -> Result<Option<(TcpListener, SocketAddr)>, Error> {
    let number = |name: &str| env::var(name).ok()?.parse::<u32>().ok();
    match (number("LISTEN_PID"), number("LISTEN_FDS")) {
        (Some(process), Some(sockets)) if process == process::id() && sockets > 0 => taken(sockets).map(Some),
        _ => Ok(None),
    }
}

fn taken(sockets: u32) -> Result<(TcpListener, SocketAddr), Error> {
    if sockets > 1 {
        return Err(Error::Usage(format!("{sockets} sockets are handed over: name one in the unit of the socket")));
    }
    // SAFETY: by `LISTEN_PID` whoever started this process gives it this descriptor, and nobody else here takes it.
    let socket = unsafe { TcpListener::from_raw_fd(FIRST) };
    let address = socket.local_addr().map_err(system("what is handed over is no socket of TCP"))?;
    let kept = fcntl(&socket, FcntlArg::F_SETFD(FdFlag::FD_CLOEXEC)).map_err(std::io::Error::from);
    kept.map_err(system("the socket cannot be kept from other processes"))?;
    Ok((socket, address))
}
