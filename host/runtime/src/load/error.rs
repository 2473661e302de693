//! Why a module is refused: each in one line that says what is wrong and what to do.

use usher_core::Fault;

/// Why a module is refused.
#[derive(thiserror::Error, Debug)]
pub enum LoadError {
    /// No such slot.
    #[error("there is no slot of that name: `GET /v1/status` lists them")]
    NoSuchSlot,
    /// The file could not be read.
    #[error("can't read {path}: {error}: check the path and that the host's user may read it")]
    Unreadable {
        /// The file.
        path: String,
        /// What the system said.
        error: std::io::Error,
    },
    /// A directory, a pipe or a device.
    #[error("{path} is not a file: name the .wasm file itself")]
    NotAFile {
        /// What was named.
        path: String,
    },
    /// More bytes than a module may have.
    #[error("is larger than {} MiB: build it with opt-level = \"s\", LTO and strip", limit >> 20)]
    TooLarge {
        /// The most that is read, in bytes.
        limit: u64,
    },
    /// No bytes.
    #[error("is empty: was it still being written? build it again, or copy it and then rename it")]
    Empty,
    /// Something else.
    #[error("is not WebAssembly: it must begin with \\0asm; name the .wasm that the build left")]
    NotWasm,
    /// WebAssembly that ends early or is broken.
    #[error("is broken WebAssembly ({detail}): copy or build it again")]
    Malformed {
        /// What the decoder said.
        detail: String,
    },
    /// More than could be compiled in a bearable time.
    #[error(
        "has more than {most} {what}, which takes too long to compile: build it with opt-level = \"s\" \
         and LTO, and leave out what it does not need"
    )]
    TooMuch {
        /// Of what.
        what: &'static str,
        /// How many at most.
        most: u64,
    },
    /// A core module that does not say which contract it speaks.
    #[error(
        "is a core module without a contract: build it with usher-sdk, whose export_policy! puts it in"
    )]
    NoContract,
    /// An import that the host does not have.
    #[error(
        "imports {import}, which Usher does not offer: build for wasm32-unknown-unknown with \
         usher-sdk, without WASI"
    )]
    ForeignImport {
        /// Its name.
        import: String,
    },
    /// Another version of the contract.
    #[error(
        "built for usher:policy {built_for}, this host speaks {speaks}: build it with usher-sdk {sdk}"
    )]
    OtherVersion {
        /// The module's version.
        built_for: String,
        /// The host's version.
        speaks: &'static str,
        /// The SDK to build with.
        sdk: &'static str,
    },
    /// Neither a policy nor rules.
    #[error(
        "exports neither usher:policy/admission nor usher:policy/rules: implement one of the two \
         with usher-sdk and export it"
    )]
    NoWorld,
    /// Rules where a policy belongs, or the other way round.
    #[error(
        "is {found}, and here {wanted} is needed: name it under {belongs} in the configuration"
    )]
    WrongWorld {
        /// What it is.
        found: &'static str,
        /// What it should be.
        wanted: &'static str,
        /// Where it would be right.
        belongs: &'static str,
    },
    /// The right name and version, but another shape.
    #[error("does not fit usher:policy {speaks} ({detail}): build it with this host's usher-sdk")]
    OtherShape {
        /// The host's version.
        speaks: &'static str,
        /// What differs.
        detail: String,
    },
    /// It can be called, and does not answer as it must.
    #[error("fails its self-test: {}: try it with `usher check`", .0.message)]
    SelfTest(Fault),
    /// The system has no thread for the workers.
    #[error("no thread for the workers ({0}): raise the limit on threads")]
    NoThread(std::io::Error),
}
