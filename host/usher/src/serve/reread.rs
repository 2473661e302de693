//! Reads everything again, as SIGHUP wants it: one reading after the other, on a thread of its own.
//!
//! Reading may wait for a disk that does not answer, and what was read may compile for seconds; the host
//! must hear SIGTERM meanwhile. And the last signal must win: of two readings at once, the older could
//! be the one that ends up in force.

use std::io;
use std::sync::mpsc::{SyncSender, sync_channel};
use std::thread;

/// Reads again when told to.
pub(super) struct Rereader(SyncSender<()>);

impl Rereader {
    /// Starts the thread. It ends after the reading that it is at when this is dropped.
    pub(super) fn start(read: impl Fn() + Send + 'static) -> io::Result<Rereader> {
        let (to, from) = sync_channel(1);
        thread::Builder::new()
            .name("usher-reread".to_owned())
            .spawn(move || {
                for () in from {
                    read();
                }
            })?;
        Ok(Rereader(to))
    }

    /// Reads again, soon.
    pub(super) fn again(&self) {
        // A reading that has yet to begin will find what is there by then: one that waits is enough.
        let _ = self.0.try_send(());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::mpsc::channel;
    use std::time::Duration;

    const LONG: Duration = Duration::from_secs(30);

    #[test]
    fn whatever_is_signalled_while_it_reads_is_read_once_afterwards() {
        let (began, begun) = channel();
        let (go_on, may_go_on) = channel();
        let rereader = Rereader::start(move || {
            let _ = began.send(());
            let _ = may_go_on.recv();
        });
        let rereader = rereader.expect("a thread");
        rereader.again();
        begun.recv_timeout(LONG).expect("the first reading");
        for _ in 0..1000 {
            rereader.again();
        }
        go_on.send(()).expect("it reads");
        begun.recv_timeout(LONG).expect("the second reading");
        drop(rereader);
        go_on.send(()).expect("it reads");
        assert!(begun.recv_timeout(LONG).is_err(), "there is no third");
    }
}
