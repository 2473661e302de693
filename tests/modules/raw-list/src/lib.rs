//! A policy whose answers claim to be 0xFFFFFFFF entries long, far past the end of its memory. No
//! binding generator writes such an answer, so two of its functions are written by hand: the option
//! list of its verdict, and its list of status texts. Its other two are ordinary.

// What is written by hand here is the binary interface itself.
#![allow(unsafe_code)]

use usher_sdk::prelude::*;

struct RawList;

impl Policy for RawList {
    fn on_connect_request(_: &Request, _: &Facts) -> Decided {
        Verdict::accept().into()
    }
}

#[cfg(not(target_arch = "wasm32"))]
usher_sdk::export_policy!(RawList);

#[cfg(target_arch = "wasm32")]
mod raw {
    /// The SDK's bindings with two functions replaced: a name that is declared here goes before one
    /// that is imported with `*`. The path is the one under which the export macro looks.
    pub(crate) mod exports {
        pub(crate) mod usher {
            pub(crate) mod policy {
                pub(crate) mod admission {
                    pub(crate) use real::*;
                    use usher_sdk::bindings::admission::exports::usher::policy::admission as real;

                    #[link(wasm_import_module = "usher:policy/answer@0.1.0")]
                    unsafe extern "C" {
                        /// Takes a verdict where it lies in memory.
                        fn give(verdict: *const u32);
                    }

                    /// Tells a verdict whose decision is an accept, at which an address and a length are
                    /// its options. All else of it is nothing.
                    #[allow(clippy::too_many_arguments)]
                    pub(crate) unsafe fn _export_on_connect_request_cabi<T: Guest>(
                        _: i64,
                        _: i32,
                        _: i64,
                        _: i64,
                        _: i32,
                        _: i32,
                        _: i32,
                        _: i32,
                        _: i32,
                        _: *mut u8,
                        _: usize,
                        _: *mut u8,
                        _: usize,
                        _: i32,
                    ) -> i32 {
                        let mut verdict = Box::new([0_u32; 64]);
                        verdict[0] = 1;
                        verdict[1] = verdict.as_ptr() as u32;
                        verdict[2] = u32::MAX;
                        // SAFETY: the host reads a verdict at the address, and nothing is written.
                        unsafe { give(verdict.as_ptr()) };
                        real::Decided::Told as i32
                    }

                    pub(crate) unsafe fn _export_on_waiting_cabi<T: Guest>(
                        waiters: *mut u8,
                        _: usize,
                    ) -> *mut u8 {
                        Box::into_raw(Box::new([waiters as u32, u32::MAX])).cast()
                    }

                    pub(crate) unsafe fn __post_return_on_waiting<T: Guest>(_: *mut u8) {}
                }
            }
        }
    }
}

#[cfg(target_arch = "wasm32")]
const _: () = {
    struct Module;

    impl usher_sdk::export::PolicyModule for Module {
        type Policy = RawList;
        const NAME: &'static str = "raw-list";
        const VERSION: &'static str = "0";
    }

    type Exported = usher_sdk::export::ExportedPolicy<Module>;
    usher_sdk::bindings::admission::export_admission_bindings!(Exported with_types_in raw);
};
