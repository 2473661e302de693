//! Holds the `http` door to the description of its API: cases that are made of it, valid and invalid, against
//! a real host, find no server error and no answer that is not described.

use std::fs::{self, File};
use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::http;
use crate::process::{self, Outcome};
use crate::running::{PATIENCE, Running, last_lines, wait_for};
use crate::workspace::Workspace;

/// What makes the cases, pinned.
const REQUIREMENTS: &str = "tests/api/requirements.txt";

/// What it is told beside the description.
const HOOKS: &str = "tests/api/hooks.py";

/// What every call shows.
const TOKEN: &str = "a-token-for-made-up-calls";

/// How many cases are made for each call, at most.
const CASES: &str = "100";

/// What is held of every answer: all but `use_after_free` and the like, which take the door for a store of documents, and
/// `positive_data_acceptance`: bounds in bytes are nothing that a schema can say.
const CHECKS: &str = "not_a_server_error,status_code_conformance,content_type_conformance,\
                      response_headers_conformance,response_schema_conformance,\
                      negative_data_rejection,missing_required_header,unsupported_method,\
                      allow_header_conformance,ignored_auth";

/// Installs what is needed, where it is not yet, and runs it.
pub(crate) fn run(workspace: &Workspace) -> Outcome {
    let folder = workspace.target.join("api");
    fs::create_dir_all(&folder).map_err(|error| format!("cannot make {folder:?}: {error}"))?;
    let schemathesis = install(workspace, &folder)?;
    let log = folder.join("log");
    let tested = test(workspace, &folder, &log, &schemathesis);
    let said = fs::read_to_string(&log).unwrap_or_default();
    if said.contains("panicked at") {
        return Err(format!("the host panicked:\n{}", last_lines(&said)));
    }
    if said.contains(TOKEN) {
        return Err("the host's log has the token".to_owned());
    }
    tested.map_err(|problem| {
        let log = log.display();
        format!("{problem}; {log} ends with:\n{}", last_lines(&said))
    })
}

/// The program; installed anew when the pinned version is another.
fn install(workspace: &Workspace, folder: &Path) -> Outcome<PathBuf> {
    let wanted = workspace.root.join(REQUIREMENTS);
    let wanted =
        fs::read_to_string(&wanted).map_err(|error| format!("cannot read {wanted:?}: {error}"))?;
    let (place, stamp) = (folder.join("venv"), folder.join("installed"));
    let program = place.join("bin/schemathesis");
    if program.is_file() && fs::read_to_string(&stamp).is_ok_and(|installed| installed == wanted) {
        return Ok(program);
    }
    let advice = |problem: String| {
        format!(
            "{problem}; it comes from PyPI, once: run where that can be reached, or run \
             `cargo xtask test --fast` without it"
        )
    };
    let mut venv = Command::new("python3");
    process::run(venv.args(["-m", "venv", "--clear"]).arg(&place)).map_err(advice)?;
    let mut pip = Command::new(place.join("bin/pip"));
    pip.args(["install", "--quiet", "--disable-pip-version-check", "-r"]);
    pip.arg(workspace.root.join(REQUIREMENTS));
    process::run(&mut pip).map_err(advice)?;
    fs::write(&stamp, wanted).map_err(|error| format!("cannot write {stamp:?}: {error}"))?;
    Ok(program)
}

fn test(workspace: &Workspace, folder: &Path, log: &Path, schemathesis: &Path) -> Outcome {
    let (door, admin) = (free_port()?, free_port()?);
    let write = |name: &str, text: &str| {
        let file = folder.join(name);
        fs::write(&file, text).map_err(|error| format!("cannot write {file:?}: {error}"))?;
        Ok::<_, String>(file)
    };
    write("door.token", TOKEN)?;
    let config = write("usher.toml", &config(door, admin))?;
    let mut serve = serve(workspace, &config, log)?;
    wait_for("the host to be ready", PATIENCE, || {
        serve.still_runs()?;
        Ok(matches!(http::get(admin, "/healthz"), Ok((200, _))))
    })?;
    let mut command = Command::new(schemathesis);
    command
        .arg("run")
        .arg(format!("http://{door}/openapi.json"))
        .args(["--url", &format!("http://{door}")])
        .args(["--header", &format!("Authorization: Bearer {TOKEN}")])
        .args(["--checks", CHECKS, "--max-examples", CASES])
        // The same cases each time.
        .args(["--generation-deterministic", "--warnings", "off"])
        // A stream that goes on for minutes is tested from outside by hand.
        .args(["--exclude-path", "/v1/events", "--no-color"])
        .args(["--request-timeout", "10"])
        .env("SCHEMATHESIS_HOOKS", workspace.root.join(HOOKS))
        .env("PYTHONDONTWRITEBYTECODE", "1")
        .current_dir(folder);
    let tested = process::run(&mut command);
    serve.still_runs()?;
    let stopped = serve.stops();
    tested.and(stopped)
}

/// Players that nobody confirms are gone before they fill the host.
fn config(door: SocketAddr, admin: SocketAddr) -> String {
    format!(
        "[limits]\nmax-players = 1000\nmax-pending-per-address = 0\n[[policy]]\nname = \"open\"\n\
         module = \"builtin:open\"\n[[door]]\nname = \"game\"\nprotocol = \"http\"\ntcp = \"{door}\"\n\
         token-file = \"door.token\"\nconfirm-timeout = \"1s\"\n[admin]\nlisten = \"{admin}\"\n"
    )
}

fn serve(workspace: &Workspace, config: &Path, log: &Path) -> Outcome<Running> {
    let problem = |error| format!("cannot write {}: {error}", log.display());
    let output = File::create(log).map_err(problem)?;
    let errors = output.try_clone().map_err(problem)?;
    let mut command = Command::new(workspace.usher("debug"));
    command.args(["serve", "--config"]).arg(config);
    command.stdin(Stdio::null()).stdout(output).stderr(errors);
    Running::start("serve", &mut command)
}

fn free_port() -> Outcome<SocketAddr> {
    let free = TcpListener::bind((Ipv4Addr::LOCALHOST, 0));
    let address = free.and_then(|listener| listener.local_addr());
    address.map_err(|error| format!("loopback has no free port: {error}"))
}
