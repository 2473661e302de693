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

                    /// The verdict, with the length of its options changed where the memory holds
                    /// it: after the decision's case and the address of the list.
                    #[allow(clippy::too_many_arguments)]
                    pub(crate) unsafe fn _export_on_connect_request_cabi<T: Guest>(
                        id: i64,
                        why: i32,
                        address_high: i64,
                        address_low: i64,
                        port: i32,
                        proven: i32,
                        joinable: i32,
                        max_players: i32,
                        named: i32,
                        name: *mut u8,
                        name_length: usize,
                        payload: *mut u8,
                        payload_length: usize,
                        attempt: i32,
                    ) -> *mut u8 {
                        // SAFETY: these are the arguments as the host gave them, and the real function
                        // returns a verdict of the case `accept`.
                        unsafe {
                            let verdict = real::_export_on_connect_request_cabi::<T>(
                                id,
                                why,
                                address_high,
                                address_low,
                                port,
                                proven,
                                joinable,
                                max_players,
                                named,
                                name,
                                name_length,
                                payload,
                                payload_length,
                                attempt,
                            );
                            verdict.cast::<u32>().add(2).write(u32::MAX);
                            verdict
                        }
                    }

                    /// Nothing is given back: what the verdict says of itself is not true.
                    pub(crate) unsafe fn __post_return_on_connect_request<T: Guest>(_: *mut u8) {}

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
