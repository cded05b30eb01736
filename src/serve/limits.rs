//! What one client, and all together, can take of the service.

use std::time::Duration;

use crate::units::Bytes;

/// Connections that are open at once; more wait in the backlog of the system.
pub(super) const CONNECTIONS: usize = 4096;

/// Requests that are worked on at once, probes of health apart; more are told to come again.
pub(super) const REQUESTS: usize = 1024;

/// Threads for what blocks.
pub(super) const BLOCKING: usize = 64;

/// The request line and the headers.
pub(super) const HEADER: usize = 16 << 10;

/// How many headers.
pub(super) const HEADERS: usize = 64;

/// How long a client may take over its headers, and be silent between requests.
pub(super) const HEADER_TIME: Duration = Duration::from_secs(10);

/// How long the next part of a body may take.
pub(super) const PART_TIME: Duration = Duration::from_secs(15);

/// What all bodies of requests together take of the memory that are read whole.
pub(super) const BODIES: Bytes = Bytes(64 << 20);

/// What all answers together take of it that clients have not read.
pub(super) const ANSWERS: Bytes = Bytes(48 << 20);

/// How long a client may take none of an answer that waits for it.
pub(super) const UNREAD_TIME: Duration = Duration::from_secs(30);

/// A contract that is priced, decompressed.
pub(super) const MODULE: Bytes = Bytes(8 << 20);

/// A form with a contract: what browsers write around it.
pub(super) const FORM: Bytes = Bytes(MODULE.0 + (16 << 10));

/// A run as it is sent.
pub(super) const SENT: Bytes = Bytes(32 << 20);

/// The same unpacked.
pub(super) const UNPACKED: Bytes = Bytes(128 << 20);

/// Runs that are on their way at once; each takes a thread.
pub(super) const UPLOADS: usize = 16;

/// What is still taken of a body that was refused, and for how long.
pub(super) const LINGER: Bytes = Bytes(128 << 20);
pub(super) const LINGER_TIME: Duration = Duration::from_secs(5);

/// How long a request may take in all.
pub(super) const REQUEST_TIME: Duration = Duration::from_mins(1);

/// How long requests may go on after the signal to stop.
pub(super) const GRACE: Duration = Duration::from_secs(20);

/// How often files that may change are looked at.
pub(super) const WATCH: Duration = Duration::from_secs(5);

/// The same for a run that is sent, fitted and recorded.
pub(super) const UPLOAD_TIME: Duration = Duration::from_mins(15);
