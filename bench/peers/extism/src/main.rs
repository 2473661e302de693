//! `usher-peer-extism PLUGIN`: the rule as a plug-in of Extism, embedded as its documentation has it: the plug-in
//! loaded once and called again and again, JSON in and out through serde, host functions made with its macro. No
//! limits are set: no timeout, no fuel, no memory maximum.

use std::process::ExitCode;

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use extism::{Manifest, PTR, Plugin, PluginBuilder, UserData, Wasm, host_fn};
use serde::{Deserialize, Serialize};
use usher_bench_rule::{Calls, Case, Options, Request, Side, Verdict, World, requests, run};

fn main() -> ExitCode {
    match measure() {
        Ok(()) => ExitCode::SUCCESS,
        Err(problem) => {
            eprintln!("extism: {problem}");
            ExitCode::FAILURE
        }
    }
}

fn measure() -> Result<(), String> {
    let mut args = std::env::args().skip(1);
    let file = args.next().ok_or("which plug-in?")?;
    let options = Options::from_args(args)?;
    let mut embedded = Embedded::load(&file).map_err(|error| error.to_string())?;
    run("extism", "extism 1.30", options, &mut embedded)
}

/// What a policy of ours is told as well.
#[derive(Serialize)]
struct Asked<'a> {
    id: u64,
    ask_id: u64,
    why: &'a str,
    door: &'a str,
    protocol: &'a str,
    room: &'a str,
    max_players: u32,
    address: &'a str,
    port: u16,
    proven: bool,
    payload: String,
    attributes: &'a [(String, String)],
    attempt: u32,
    waited: u64,
}

#[derive(Deserialize)]
struct Claim {
    namespace: String,
    part: String,
    limit: u32,
    full_code: String,
    full_text: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "snake_case")]
enum Answered {
    Accept {
        identity: String,
        claims: Vec<Claim>,
    },
    Reject {
        code: String,
        text: String,
    },
}

host_fn!(note(world: World; name: String) -> String {
    let world = world.get()?;
    let world = world.lock().map_err(|_| extism::Error::msg("poisoned"))?;
    Ok(world.note(&name).unwrap_or_default().to_owned())
});

host_fn!(taken(world: World; key: String) -> String {
    let world = world.get()?;
    let world = world.lock().map_err(|_| extism::Error::msg("poisoned"))?;
    Ok(world.taken(&key).to_string())
});

struct Embedded {
    plugin: Plugin,
    cases: Vec<Case>,
}

impl Embedded {
    fn load(file: &str) -> Result<Embedded, extism::Error> {
        let world = UserData::new(World::new());
        let plugin = PluginBuilder::new(Manifest::new([Wasm::data(std::fs::read(file)?)]))
            .with_function("note", [PTR], [PTR], world.clone(), note)
            .with_function("taken", [PTR], [PTR], world, taken)
            .build()?;
        Ok(Embedded {
            plugin,
            cases: requests(),
        })
    }

    fn decide(plugin: &mut Plugin, request: &Request) -> Result<Verdict, extism::Error> {
        let asked = Asked {
            id: request.id,
            ask_id: request.ask_id,
            why: &request.why,
            door: &request.door,
            protocol: &request.protocol,
            room: &request.room,
            max_players: request.max_players,
            address: &request.address,
            port: request.port,
            proven: request.proven,
            payload: BASE64_STANDARD.encode(&request.payload),
            attributes: &request.attributes,
            attempt: request.attempt,
            waited: request.waited,
        };
        let asked = serde_json::to_string(&asked)?;
        let answered: &str = plugin.call("on_connect_request", asked)?;
        Ok(match serde_json::from_str(answered)? {
            Answered::Reject { code, text } => Verdict::Reject { code, text },
            Answered::Accept { identity, claims } => {
                let claim = claims.into_iter().next();
                let claim = claim.ok_or_else(|| extism::Error::msg("no claim"))?;
                Verdict::Accept {
                    identity,
                    namespace: claim.namespace,
                    part: claim.part,
                    limit: claim.limit,
                    full_code: claim.full_code,
                    full_text: claim.full_text,
                }
            }
        })
    }
}

impl Side for Embedded {
    fn verdict(&mut self, index: usize) -> Verdict {
        let verdict = Embedded::decide(&mut self.plugin, &self.cases[index].request);
        // To be shown beside the right one.
        verdict.unwrap_or_else(|error| Verdict::reject("problem", &error.to_string()))
    }

    fn batch(&mut self, when: &mut Calls) {
        let plugin = &mut self.plugin;
        when.each(&self.cases, |request| Embedded::decide(plugin, request));
    }
}
