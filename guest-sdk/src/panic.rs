//! The last words of a module. A panic traps, and a trap has no message: the hook writes it first.

use std::sync::Once;

use crate::contract::Level;
use crate::host::imports::log::write;

/// Installs the hook in this instance; later calls do nothing.
///
/// Only in WebAssembly: natively the test harness has a hook of its own.
pub(crate) fn install_hook() {
    static INSTALLED: Once = Once::new();
    if cfg!(target_arch = "wasm32") {
        INSTALLED.call_once(|| {
            std::panic::set_hook(Box::new(|info| {
                // The message first: the host keeps one line, and not all of a long one.
                let message = info.payload_as_str().unwrap_or("panicked");
                let line = match info.location() {
                    Some(location) => format!("{message} (at {location})"),
                    None => message.to_owned(),
                };
                write(Level::Panic, &line);
            }));
        });
    }
}
