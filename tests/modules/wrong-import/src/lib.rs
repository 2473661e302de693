//! A policy that is right in all but one thing: it wants the environment variables, which no host
//! gives to a policy.

// The bindings are generated here: the SDK's world has no such import.
#![allow(missing_docs, unreachable_pub, unsafe_code, clippy::all)]

wit_bindgen::generate!({
    path: "../../../wit",
    inline: "
        package test:wrong-import;

        world nosy-policy {
            include usher:policy/admission-policy@0.1.0;
            import wasi:cli/environment@0.2.0;
        }

        package wasi:cli@0.2.0 {
            interface environment {
                get-environment: func() -> list<tuple<string, string>>;
            }
        }
    ",
    generate_all,
});

use exports::usher::policy::admission::{Decided, Ending, Guest, Request, Waiter};
use usher::policy::answer::{self, Command};
use usher::policy::types::{Description, Reason};

struct Nosy;

impl Guest for Nosy {
    fn on_connect_request(_: Request) -> Decided {
        let environment = wasi::cli::environment::get_environment();
        let reason = Reason {
            code: "nosy".into(),
            text: format!("{} variables", environment.len()),
            number: None,
        };
        answer::reject(&reason);
        Decided::Told
    }

    fn on_waiting(waiters: Vec<Waiter>) -> Vec<Option<Vec<u8>>> {
        vec![None; waiters.len()]
    }

    fn on_ended(_: Request, _: Ending) -> Option<Vec<Command>> {
        None
    }

    fn describe() -> Description {
        Description {
            name: "wrong-import".into(),
            version: "0".into(),
            questions: Vec::new(),
            max_players: None,
        }
    }
}

export!(Nosy);
