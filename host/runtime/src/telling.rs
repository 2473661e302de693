//! How a verdict that is told is read: where it lies in the module's memory, as far as it has texts that the host
//! may have already.

use crate::contract as wit;
use crate::guest::State;
use crate::translate::bound::Breach;
use crate::translate::plain::{PlainClaim, PlainReason, accept_in, reject_in};
use crate::translate::verdict::Told;
use std::borrow::Cow;
use usher_core::Decision;
use wasmtime::StoreContextMut;
use wasmtime::component::WasmStr;

type Store<'a> = StoreContextMut<'a, State>;

/// `give`.
pub(crate) fn give(mut store: Store<'_>, verdict: wit::Verdict) -> Result<(), Breach> {
    let answer = &mut store.data_mut().imports.answer;
    answer.tell(Told::Whole(Box::new(verdict)))
}

/// `accept`.
pub(crate) fn accept(
    mut store: Store<'_>,
    (identity, proven, first, second): (
        Option<WasmStr>,
        bool,
        wit::PlainClaim,
        Option<wit::PlainClaim>,
    ),
) -> wasmtime::Result<()> {
    let decision = {
        let identity = identity.map(|it| it.to_str(&store)).transpose()?;
        let first = ClaimTexts::read(&store, &first)?;
        let second = second.map(|it| ClaimTexts::read(&store, &it)).transpose()?;
        let claims = [Some(&first), second.as_ref()].into_iter().flatten();
        let known = store.data().imports.answer.when_full();
        accept_in(
            identity.as_deref(),
            proven,
            claims.map(ClaimTexts::plain),
            known,
        )
    };
    tell_short(&mut store, decision)
}

/// `reject`.
pub(crate) fn reject(mut store: Store<'_>, reason: wit::PlainReason) -> wasmtime::Result<()> {
    let decision = {
        let reason = ReasonTexts::read(&store, &reason)?;
        let known = store.data().imports.answer.refused();
        reject_in(&reason.plain(), known)
    };
    tell_short(&mut store, decision)
}

fn tell_short(store: &mut Store<'_>, decision: Result<Decision, Breach>) -> wasmtime::Result<()> {
    let answer = &mut store.data_mut().imports.answer;
    let decision = decision?;
    answer.keep(&decision);
    answer.tell(Told::Short(decision))?;
    Ok(())
}

/// The texts of a reason, where they lie.
struct ReasonTexts<'a> {
    code: Cow<'a, str>,
    text: Cow<'a, str>,
    number: Option<u32>,
}

impl<'a> ReasonTexts<'a> {
    fn read(store: &'a Store<'_>, reason: &wit::PlainReason) -> wasmtime::Result<Self> {
        Ok(ReasonTexts {
            code: reason.code.to_str(store)?,
            text: reason.text.to_str(store)?,
            number: reason.number,
        })
    }

    fn plain(&self) -> PlainReason<'_> {
        PlainReason {
            code: &self.code,
            text: &self.text,
            number: self.number,
        }
    }
}

/// The texts of a claim, where they lie.
struct ClaimTexts<'a> {
    namespace: Cow<'a, str>,
    part: Option<Cow<'a, str>>,
    limit: u32,
    when_full: ReasonTexts<'a>,
    lowest_index: bool,
}

impl<'a> ClaimTexts<'a> {
    fn read(store: &'a Store<'_>, claim: &wit::PlainClaim) -> wasmtime::Result<Self> {
        let part = claim.part.as_ref().map(|part| part.to_str(store));
        Ok(ClaimTexts {
            namespace: claim.namespace.to_str(store)?,
            part: part.transpose()?,
            limit: claim.limit,
            when_full: ReasonTexts::read(store, &claim.when_full)?,
            lowest_index: claim.lowest_index,
        })
    }

    fn plain(&self) -> PlainClaim<'_> {
        PlainClaim {
            namespace: &self.namespace,
            part: self.part.as_deref(),
            limit: self.limit,
            when_full: self.when_full.plain(),
            lowest_index: self.lowest_index,
        }
    }
}
