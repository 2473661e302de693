//! A policy for a contract that is no more, which asked for a name and got a yes or no.

// The bindings are generated here: this contract has no SDK.
#![allow(missing_docs, unreachable_pub, unsafe_code, clippy::all)]

wit_bindgen::generate!({
    inline: "
        package usher:policy@0.0.9;

        interface admission {
            on-connect-request: func(name: string) -> bool;
        }

        world admission-policy {
            export admission;
        }
    ",
});

struct Contract;

impl exports::usher::policy::admission::Guest for Contract {
    fn on_connect_request(name: String) -> bool {
        !name.is_empty()
    }
}

export!(Contract);
