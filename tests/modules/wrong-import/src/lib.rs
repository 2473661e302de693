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

use exports::usher::policy::admission::{
    Acceptance, Admission, Command, Decision, Ending, Guest, Request, Verdict, Waiter,
};
use usher::policy::types::Description;

struct Nosy;

impl Guest for Nosy {
    fn on_connect_request(_: Request) -> Verdict {
        let environment = wasi::cli::environment::get_environment();
        let option = Admission {
            identity: None,
            identity_proven: false,
            display_name: None,
            room: None,
            claims: Vec::new(),
            config: environment.len().to_string().into_bytes(),
            remember: Vec::new(),
        };
        let acceptance = Acceptance {
            options: vec![option],
            otherwise_wait: None,
            then: None,
        };
        Verdict {
            decision: Decision::Accept(acceptance),
            commands: Vec::new(),
        }
    }

    fn on_waiting(waiters: Vec<Waiter>) -> Vec<Option<Vec<u8>>> {
        vec![None; waiters.len()]
    }

    fn on_ended(_: Request, _: Ending) -> Vec<Command> {
        Vec::new()
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
