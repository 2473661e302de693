//! The rule as a rhai script, as its documentation has scripts embedded: one engine, the script compiled once
//! and optimised, host functions registered, the script's function called with an object map that has
//! everything in it that the host knows, and the verdict read out of a map.

use std::process::ExitCode;
use std::sync::Arc;

use rhai::{AST, Dynamic, Engine, EvalAltResult, ImmutableString, Map, Scope};
use usher_bench_rule::{Calls, Case, Options, Request, Side, Verdict, World, requests, run};

fn main() -> ExitCode {
    match measure() {
        Ok(()) => ExitCode::SUCCESS,
        Err(problem) => {
            eprintln!("rhai: {problem}");
            ExitCode::FAILURE
        }
    }
}

fn measure() -> Result<(), String> {
    let options = Options::from_args(std::env::args().skip(1))?;
    let mut script = Script::load().map_err(|error| error.to_string())?;
    run("rhai", "rhai 1.27", options, &mut script)
}

struct Script {
    engine: Engine,
    ast: AST,
    cases: Vec<Case>,
}

impl Script {
    fn load() -> Result<Script, Box<EvalAltResult>> {
        let mut engine = Engine::new();
        let world = Arc::new(World::new());
        let lists = Arc::clone(&world);
        engine.register_fn("note", move |name: &str| match lists.note(name) {
            Some(note) => Dynamic::from(ImmutableString::from(note)),
            None => Dynamic::UNIT,
        });
        engine.register_fn("taken", move |key: &str| i64::from(world.taken(key)));
        let ast = engine.compile(include_str!("rule.rhai"))?;
        Ok(Script {
            engine,
            ast,
            cases: requests(),
        })
    }

    fn decide(&self, request: &Request) -> Result<Verdict, Box<EvalAltResult>> {
        let mut scope = Scope::new();
        let verdict: Map =
            self.engine
                .call_fn(&mut scope, &self.ast, "on_connect_request", (map(request),))?;
        let accept = verdict.get("accept").and_then(|it| it.as_bool().ok());
        if accept != Some(true) {
            return Ok(Verdict::Reject {
                code: text(&verdict, "code")?,
                text: text(&verdict, "text")?,
            });
        }
        let claims = verdict.get("claims").ok_or("no claims")?;
        let claims = claims.as_array_ref()?;
        let claim = claims.first().ok_or("no claim")?.as_map_ref()?;
        let limit = claim.get("limit").ok_or("no limit")?.as_int()?;
        Ok(Verdict::Accept {
            identity: text(&verdict, "identity")?,
            namespace: text(&claim, "namespace")?,
            part: text(&claim, "part")?,
            limit: u32::try_from(limit).map_err(|error| error.to_string())?,
            full_code: text(&claim, "full_code")?,
            full_text: text(&claim, "full_text")?,
        })
    }
}

fn text(map: &Map, name: &str) -> Result<String, Box<EvalAltResult>> {
    let text = map.get(name).ok_or("a field is missing")?;
    Ok(text.as_immutable_string_ref()?.to_string())
}

/// What a policy of ours is told as well.
fn map(request: &Request) -> Map {
    let mut attributes = Map::new();
    for (name, value) in &request.attributes {
        attributes.insert(name.as_str().into(), value.as_str().into());
    }
    let number = |value: u64| Dynamic::from_int(value as i64);
    let mut map = Map::new();
    map.insert("id".into(), number(request.id));
    map.insert("ask_id".into(), number(request.ask_id));
    map.insert("why".into(), request.why.as_str().into());
    map.insert("door".into(), request.door.as_str().into());
    map.insert("protocol".into(), request.protocol.as_str().into());
    map.insert("room".into(), request.room.as_str().into());
    map.insert("max_players".into(), number(request.max_players.into()));
    map.insert("address".into(), request.address.as_str().into());
    map.insert("port".into(), number(request.port.into()));
    map.insert("proven".into(), request.proven.into());
    map.insert(
        "payload".into(),
        Dynamic::from_blob(request.payload.clone()),
    );
    map.insert("attributes".into(), attributes.into());
    map.insert("attempt".into(), number(request.attempt.into()));
    map.insert("waited".into(), number(request.waited));
    map
}

impl Side for Script {
    fn verdict(&mut self, index: usize) -> Verdict {
        let verdict = self.decide(&self.cases[index].request);
        // To be shown beside the right one.
        verdict.unwrap_or_else(|error| Verdict::reject("problem", &error.to_string()))
    }

    fn batch(&mut self, when: &mut Calls) {
        when.each(&self.cases, |request| self.decide(request));
    }
}
