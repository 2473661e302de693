//! The functions that a policy exports, found once an instance and called by type.

use crate::bindings::{admission, types};
use crate::contract::{Command, Decided, Ending, Request};
use crate::guest::State;
use wasmtime::component::{
    Component, ComponentExportIndex, ComponentNamedList, Instance, InstancePre, Lift, Lower,
    TypedFunc,
};
use wasmtime::{Result, Store};

const ADMISSION: &str = "usher:policy/admission@0.1.0";

/// A policy that is linked, and where its functions are.
pub(crate) struct Linked {
    pre: InstancePre<State>,
    places: Places,
}

/// Where the functions are in every instance.
#[derive(Clone, Copy)]
struct Places {
    decide: ComponentExportIndex,
    waiting: ComponentExportIndex,
    ended: ComponentExportIndex,
    describe: ComponentExportIndex,
}

/// The functions of one instance. That which decides is there at once, the others once they are called.
pub(crate) struct Exports {
    instance: Instance,
    places: Places,
    decide: Decide,
    waiting: Option<Waiting>,
    ended: Option<Ended>,
}

/// Why there is no instance.
pub(crate) enum NotStarted {
    /// The function that decides has another type.
    Shape(wasmtime::Error),
    /// The module can't be instantiated, or what it runs first fails.
    Start(wasmtime::Error),
}

type Decide = TypedFunc<(Request,), (Decided,)>;
type Waiting = TypedFunc<(Waiters,), (Texts,)>;
type Ended = TypedFunc<(Request, Ending), (Option<Vec<Command>>,)>;
type Describe = TypedFunc<(), (types::Description,)>;
type Waiters = Vec<admission::Waiter>;
type Texts = Vec<Option<Vec<u8>>>;

impl Linked {
    /// Finds the functions of a component.
    pub(crate) fn new(component: &Component, pre: InstancePre<State>) -> Result<Linked> {
        let missing = |what: &str| wasmtime::Error::msg(format!("no exported {what}"));
        let admission = component.get_export_index(None, ADMISSION);
        let admission = admission.ok_or_else(|| missing(ADMISSION))?;
        let place = |name: &str| {
            let found = component.get_export_index(Some(&admission), name);
            found.ok_or_else(|| missing(name))
        };
        let places = Places {
            decide: place("on-connect-request")?,
            waiting: place("on-waiting")?,
            ended: place("on-ended")?,
            describe: place("describe")?,
        };
        Ok(Linked { pre, places })
    }

    /// A new instance in a store.
    pub(crate) fn instantiate(
        &self,
        store: &mut Store<State>,
    ) -> std::result::Result<Exports, NotStarted> {
        let instance = self.pre.instantiate(&mut *store);
        let instance = instance.map_err(NotStarted::Start)?;
        let decide = instance.get_typed_func(&mut *store, self.places.decide);
        Ok(Exports {
            decide: decide.map_err(NotStarted::Shape)?,
            places: self.places,
            waiting: None,
            ended: None,
            instance,
        })
    }
}

impl Exports {
    /// Looks all functions up, so that one of another shape is found when the module is loaded and not
    /// when it is called.
    pub(crate) fn check(&mut self, store: &mut Store<State>) -> Result<()> {
        found(
            &mut self.waiting,
            &self.instance,
            store,
            self.places.waiting,
        )?;
        found(&mut self.ended, &self.instance, store, self.places.ended)?;
        self.describing(store).map(drop)
    }

    /// `on-connect-request`.
    pub(crate) fn decide(&self, store: &mut Store<State>, request: Request) -> Result<Decided> {
        Ok(self.decide.call(store, (request,))?.0)
    }

    /// `on-waiting`.
    pub(crate) fn waiting(&mut self, store: &mut Store<State>, waiters: Waiters) -> Result<Texts> {
        let place = self.places.waiting;
        let waiting = found(&mut self.waiting, &self.instance, store, place)?;
        Ok(waiting.call(store, (waiters,))?.0)
    }

    /// `on-ended`.
    pub(crate) fn ended(
        &mut self,
        store: &mut Store<State>,
        request: Request,
        how: Ending,
    ) -> Result<Option<Vec<Command>>> {
        let place = self.places.ended;
        let ended = found(&mut self.ended, &self.instance, store, place)?;
        Ok(ended.call(store, (request, how))?.0)
    }

    /// `describe`.
    pub(crate) fn describe(&mut self, store: &mut Store<State>) -> Result<types::Description> {
        Ok(self.describing(store)?.call(store, ())?.0)
    }

    fn describing(&self, store: &mut Store<State>) -> Result<Describe> {
        self.instance.get_typed_func(store, self.places.describe)
    }
}

/// Looks a function up the first time.
fn found<P, R>(
    known: &mut Option<TypedFunc<P, R>>,
    instance: &Instance,
    store: &mut Store<State>,
    place: ComponentExportIndex,
) -> Result<TypedFunc<P, R>>
where
    P: ComponentNamedList + Lower,
    R: ComponentNamedList + Lift,
{
    if let Some(known) = known {
        return Ok(*known);
    }
    let function = instance.get_typed_func(store, place)?;
    Ok(*known.insert(function))
}
