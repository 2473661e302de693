//! The rule as a script for Lua 5.4.

#[path = "../../lua.rs"]
mod lua;

fn main() -> std::process::ExitCode {
    lua::main("lua54")
}
