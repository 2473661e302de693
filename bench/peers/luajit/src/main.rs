//! The rule as a script for LuaJIT.

#[path = "../../lua.rs"]
mod lua;

fn main() -> std::process::ExitCode {
    lua::main("luajit")
}
