//! What is in a module, for `usher check`.

use crate::bucket::Buckets;
use crate::config::Source;
use crate::engine::Engine;
use crate::guest::Owner;
use crate::hex::hex;
use crate::load::{self, LoadError, World};
use crate::policy::PolicyModule;
use crate::rules::RulesCode;
use crate::translate::description::Description;
use crate::translate::duration::millis;
use serde::Serialize;
use sha2::{Digest as _, Sha256};
use std::sync::Arc;
use usher_core::{Decision, TakenView, Verdict};

/// What is in a module.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Inspection {
    /// What it is for.
    pub world: World,
    /// Its name for itself.
    pub module: String,
    /// Its version of itself.
    pub version: String,
    /// The questions and acts that it may use.
    pub questions: Vec<String>,
    /// The most players that it can seat, if it says so.
    pub max_players: Option<u32>,
    /// What it imports.
    pub imports: Vec<String>,
    /// Its size in bytes.
    pub size: u64,
    /// The SHA-256 of its bytes, in hexadecimal.
    pub sha256: String,
    /// Whether it was a core module, which the host made into a component.
    pub componentized: bool,
    /// How long compiling took, in milliseconds.
    pub compile_ms: u64,
    /// What it answered to a canned request, in one line.
    pub sample: String,
}

/// Reads a module as a slot would, and [`inspect`]s it.
pub fn inspect_source(engine: &Arc<Engine>, source: &Source) -> Result<Inspection, LoadError> {
    inspect(engine, &load::read(source)?)
}

/// Loads a module as a slot would, without params, with buckets that are empty, and self-test included, and tells about it.
pub fn inspect(engine: &Arc<Engine>, bytes: &[u8]) -> Result<Inspection, LoadError> {
    let compiled = load::compile(engine, bytes)?;
    let (description, sample) = tried(engine, &compiled)?;
    let questions = description.questions.iter();
    Ok(Inspection {
        world: compiled.world,
        module: description.name.to_string(),
        version: description.version.to_string(),
        questions: questions.map(|question| question.to_string()).collect(),
        max_players: description.max_players,
        imports: compiled.imports,
        size: bytes.len() as u64,
        sha256: hex(&Sha256::digest(bytes)),
        componentized: compiled.componentized,
        compile_ms: millis(compiled.took),
        sample,
    })
}

fn tried(
    engine: &Arc<Engine>,
    compiled: &load::Compiled,
) -> Result<(Description, String), LoadError> {
    let owner = |memory| Owner {
        slot: "check".into(),
        generation: 0,
        memory,
        taken: TakenView::default(),
    };
    let (config, params) = (engine.config(), Arc::default());
    match compiled.world {
        World::AdmissionPolicy => {
            let owner = owner(config.policy_memory);
            // Which buckets it will find is the configuration's to say.
            let buckets = Arc::new(Buckets::any());
            let tried = PolicyModule::load(engine, compiled, owner, (&params, &buckets))?;
            let description = tried.module.description().clone();
            Ok((description, in_a_line(&tried.verdict)))
        }
        World::GameRules => {
            let owner = owner(config.rules_memory);
            let tried = RulesCode::load(engine, compiled, owner, &params)?;
            let sample = format!("starts an empty room with {} effects", tried.effects.len());
            Ok((tried.description, sample))
        }
    }
}

fn in_a_line(verdict: &Verdict) -> String {
    match &verdict.decision {
        Decision::Pass(passing) => format!("pass with {} claims", passing.claims.len()),
        Decision::Accept(acceptance) => {
            let claims = acceptance
                .options
                .first()
                .map_or(0, |option| option.claims.len());
            format!("accept with {claims} claims")
        }
        Decision::Reject(reason) => {
            let text = crate::escape::escaped(&reason.text, 200);
            format!("reject {}: {text}", reason.code)
        }
        Decision::Wait(waiting) => {
            let lane = crate::escape::escaped(&waiting.lane, 200);
            format!("wait in lane {lane}")
        }
        Decision::Ask(inquiry) => {
            let names = inquiry.questions.iter().map(|question| &*question.name);
            format!("ask {}", names.collect::<Vec<_>>().join(", "))
        }
    }
}
