//! The rule as a Lua script, through `mlua`, as its documentation has scripts embedded: one state that stays,
//! the script's function looked up once, host functions as Rust closures, the request as a table with
//! everything in it that the host knows, and the verdict read out of a table.
//!
//! Shared by two packages, since `mlua` has one Lua a build.

use std::process::ExitCode;

use mlua::{Function, Lua, Table};
use usher_bench_rule::{Calls, Case, Options, Request, Side, Verdict, World, requests, run};

/// Measures, and says what went wrong.
pub fn main(name: &str) -> ExitCode {
    match measure(name) {
        Ok(()) => ExitCode::SUCCESS,
        Err(problem) => {
            eprintln!("{name}: {problem}");
            ExitCode::FAILURE
        }
    }
}

fn measure(name: &str) -> Result<(), String> {
    let options = Options::from_args(std::env::args().skip(1))?;
    let mut script = Script::load().map_err(|error| error.to_string())?;
    let version = script.lua.globals().get::<Table>("jit");
    let version = version.and_then(|jit| jit.get::<String>("version"));
    let version = version.or_else(|_| script.lua.globals().get::<String>("_VERSION"));
    let version = version.map_err(|error| error.to_string())?;
    run(name, &format!("mlua 0.12, {version}"), options, &mut script)
}

struct Script {
    lua: Lua,
    decide: Function,
    cases: Vec<Case>,
}

impl Script {
    fn load() -> mlua::Result<Script> {
        let lua = Lua::new();
        let (lists, ledger) = (World::new(), World::new());
        let host = lua.create_table()?;
        let note = lua.create_function(move |lua, name: mlua::LuaString| {
            let note = lists.note(&name.to_str()?);
            note.map(|note| lua.create_string(note)).transpose()
        })?;
        let taken =
            lua.create_function(move |_, key: mlua::LuaString| Ok(ledger.taken(&key.to_str()?)))?;
        host.raw_set("note", note)?;
        host.raw_set("taken", taken)?;
        lua.globals().set("host", host)?;
        lua.load(include_str!("rule.lua")).exec()?;
        let decide = lua.globals().get("on_connect_request")?;
        Ok(Script {
            lua,
            decide,
            cases: requests(),
        })
    }

    fn decide(&self, request: &Request) -> mlua::Result<Verdict> {
        let verdict: Table = self.decide.call(self.table(request)?)?;
        if !verdict.raw_get::<bool>("accept")? {
            return Ok(Verdict::Reject {
                code: verdict.raw_get("code")?,
                text: verdict.raw_get("text")?,
            });
        }
        let claims: Table = verdict.raw_get("claims")?;
        let claim: Table = claims.raw_get(1)?;
        Ok(Verdict::Accept {
            identity: verdict.raw_get("identity")?,
            namespace: claim.raw_get("namespace")?,
            part: claim.raw_get("part")?,
            limit: claim.raw_get("limit")?,
            full_code: claim.raw_get("full_code")?,
            full_text: claim.raw_get("full_text")?,
        })
    }

    /// What a policy of ours is told as well.
    fn table(&self, request: &Request) -> mlua::Result<Table> {
        let attributes = self.lua.create_table_with_capacity(0, 1)?;
        for (name, value) in &request.attributes {
            attributes.raw_set(name.as_str(), value.as_str())?;
        }
        let table = self.lua.create_table_with_capacity(0, 16)?;
        table.raw_set("id", request.id)?;
        table.raw_set("ask_id", request.ask_id)?;
        table.raw_set("why", request.why.as_str())?;
        table.raw_set("door", request.door.as_str())?;
        table.raw_set("protocol", request.protocol.as_str())?;
        table.raw_set("room", request.room.as_str())?;
        table.raw_set("max_players", request.max_players)?;
        table.raw_set("address", request.address.as_str())?;
        table.raw_set("port", request.port)?;
        table.raw_set("proven", request.proven)?;
        table.raw_set("payload", self.lua.create_string(&request.payload)?)?;
        table.raw_set("attributes", attributes)?;
        table.raw_set("attempt", request.attempt)?;
        table.raw_set("waited", request.waited)?;
        Ok(table)
    }
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
