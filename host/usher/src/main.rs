//! `usher`: stands at the door of a multiplayer game server and asks WebAssembly policies who may enter.

fn main() -> std::process::ExitCode {
    usher::cli::run()
}
