//! What `wit-bindgen` makes of the contract. Not an interface to build on: the rest of the crate
//! gives these types their names and their constructors.
//!
//! `wit/` beside this crate's manifest is a link into the project, and a plain folder where the SDK
//! was copied next to a policy; the path below is the same in both.

pub use wit_bindgen;

/// The world `admission-policy`.
pub mod admission {
    wit_bindgen::generate!({
        path: "wit",
        world: "admission-policy",
        export_macro_name: "export_admission_bindings",
        pub_export_macro: true,
        default_bindings_module: "usher_sdk::bindings::admission",
        runtime_path: "usher_sdk::bindings::wit_bindgen::rt",
        additional_derives: [PartialEq, Eq, Hash],
        // Ours, because a secret must not be shown by a derived `Debug`.
        with: { "usher:policy/types@0.1.0/part": usher_sdk::part::Part },
    });
}

/// The world `game-rules`, which shares every type that it can with the other.
pub mod rules {
    wit_bindgen::generate!({
        path: "wit",
        world: "game-rules",
        export_macro_name: "export_rules_bindings",
        pub_export_macro: true,
        default_bindings_module: "usher_sdk::bindings::rules",
        runtime_path: "usher_sdk::bindings::wit_bindgen::rt",
        additional_derives: [PartialEq, Eq, Hash],
        with: {
            "usher:policy/types@0.1.0": usher_sdk::bindings::admission::usher::policy::types,
            "usher:policy/params@0.1.0": usher_sdk::bindings::admission::usher::policy::params,
            "usher:policy/clock@0.1.0": usher_sdk::bindings::admission::usher::policy::clock,
            "usher:policy/random@0.1.0": usher_sdk::bindings::admission::usher::policy::random,
            "usher:policy/log@0.1.0": usher_sdk::bindings::admission::usher::policy::log,
        },
    });
}
