//! A panic of the decoder or the compiler is an answer about the module, not an accident of the host:
//! it becomes an error and does not reach the log as a panic.

use std::any::Any;
use std::cell::Cell;
use std::panic::{self, AssertUnwindSafe};
use std::sync::Once;

thread_local! {
    static QUIET: Cell<bool> = const { Cell::new(false) };
}

/// Runs something that may panic because of its input. Whatever hook is installed goes on telling of
/// every other panic.
pub(super) fn quietly<T>(run: impl FnOnce() -> T) -> Result<T, String> {
    static HOOK: Once = Once::new();
    HOOK.call_once(|| {
        let tell = panic::take_hook();
        panic::set_hook(Box::new(move |panic| {
            if !QUIET.get() {
                tell(panic);
            }
        }));
    });
    QUIET.set(true);
    let result = panic::catch_unwind(AssertUnwindSafe(run));
    QUIET.set(false);
    result.map_err(|panic| message(&*panic))
}

fn message(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    let text = text.or_else(|| panic.downcast_ref::<&str>().copied());
    text.unwrap_or("without a word").to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_becomes_its_message_and_the_next_run_is_as_good_as_new() {
        assert_eq!(
            quietly(|| -> u8 { panic!("bad {}", "input") }),
            Err("bad input".to_owned())
        );
        assert_eq!(quietly(|| 7), Ok(7));
    }
}
