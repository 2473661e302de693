//! The templates that a new module starts from compile, and their own tests pass.

// In a module of its own each exports its type; here they are parts of one.
#![allow(unreachable_pub)]

#[path = "../templates/policy/lib.rs"]
mod policy;
#[path = "../templates/rules/lib.rs"]
mod rules;
