//! How a stand-in misbehaves: which calls it spoils, and in what way.

use crate::request::Request;
use serde_json::Value;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// What is done to a call.
#[derive(Clone, Debug)]
pub enum What {
    /// It waits so long, is done then, and answered.
    Delay(Duration),
    /// It is done at once, and answered so much later.
    Late(Duration),
    /// It waits until so many calls of its path wait, and then all of them are done.
    Gather(usize),
    /// Nothing is done and nothing is said; the connection stays open.
    Silence,
    /// It is done, and nothing is said; the connection stays open.
    Mute,
    /// Nothing is done, and the connection is closed.
    Close,
    /// It is done, and the connection is closed in place of an answer.
    Lose,
    /// Nothing is done, and this is said.
    Say {
        /// The status.
        status: u16,
        /// Such as `application/json`.
        content_type: &'static str,
        /// The body.
        body: String,
    },
    /// Nothing is done; what is said is text in JSON of so many bytes, of no announced length.
    Flood(usize),
    /// It is done, and the answer comes a byte at a time.
    Drip(Duration),
    /// It is done; so many bytes of the answer come, and the connection is closed.
    Cut(usize),
    /// Nothing is done; the listener closes, and what else is open stays open.
    Gone,
    /// Nothing is done; the listener and every connection close.
    Die,
}

impl What {
    /// An answer in JSON in place of the true one.
    pub fn json(status: u16, body: impl Into<String>) -> What {
        What::Say {
            status,
            content_type: "application/json; charset=utf-8",
            body: body.into(),
        }
    }

    /// An error page, as something in between would make it.
    pub fn page(status: u16) -> What {
        What::Say {
            status,
            content_type: "text/html",
            body: format!("<html><body><h1>{status}</h1></body></html>"),
        }
    }
}

/// Which calls are spoiled, and how.
#[derive(Clone, Debug)]
pub struct Fault {
    method: Option<String>,
    path: String,
    skip: u32,
    times: Option<u32>,
    what: What,
}

impl Fault {
    /// Spoils every call to a path that begins so; an empty one is every path.
    pub fn at(path: impl Into<String>, what: What) -> Fault {
        Fault {
            method: None,
            path: path.into(),
            skip: 0,
            times: None,
            what,
        }
    }

    /// Only calls with this method.
    #[must_use]
    pub fn method(mut self, method: impl Into<String>) -> Fault {
        self.method = Some(method.into());
        self
    }

    /// Lets so many pass first.
    #[must_use]
    pub fn skip(mut self, calls: u32) -> Fault {
        self.skip = calls;
        self
    }

    /// Spoils so many and no more.
    #[must_use]
    pub fn times(mut self, calls: u32) -> Fault {
        self.times = Some(calls);
        self
    }

    /// Spoils one.
    #[must_use]
    pub fn once(self) -> Fault {
        self.times(1)
    }

    /// Reads `{"path": "/ready", "do": "delay", "ms": 500}`; `method`, `skip` and `times` may be there too.
    ///
    /// # Errors
    ///
    /// If what is to be done is no fault.
    pub fn read(body: &Value) -> Result<Fault, String> {
        let number = |key: &str| body[key].as_u64();
        let pause = Duration::from_millis(number("ms").unwrap_or(1000));
        let bytes = number("bytes").and_then(|it| usize::try_from(it).ok());
        let status = number("status").and_then(|it| u16::try_from(it).ok());
        let what = match body["do"].as_str().unwrap_or_default() {
            "delay" => What::Delay(pause),
            "late" => What::Late(pause),
            "silence" => What::Silence,
            "mute" => What::Mute,
            "close" => What::Close,
            "lose" => What::Lose,
            "drip" => What::Drip(pause),
            "cut" => What::Cut(bytes.unwrap_or(1)),
            "flood" => What::Flood(bytes.unwrap_or(8 << 20)),
            "page" => What::page(status.unwrap_or(404)),
            "say" => What::json(status.unwrap_or(500), body["body"].to_string()),
            other => return Err(format!("{other:?} is no fault: see GET /fake")),
        };
        let mut fault = Fault::at(body["path"].as_str().unwrap_or_default(), what);
        if let Some(method) = body["method"].as_str() {
            fault = fault.method(method);
        }
        let calls = |key: &str| number(key).and_then(|it| u32::try_from(it).ok());
        fault = fault.skip(calls("skip").unwrap_or(0));
        Ok(match calls("times") {
            Some(times) => fault.times(times),
            None => fault,
        })
    }

    fn is_about(&self, request: &Request) -> bool {
        let method = self.method.as_ref();
        method.is_none_or(|method| *method == request.method)
            && request.path.starts_with(&self.path)
    }
}

/// The faults that a server has.
#[derive(Debug, Default)]
pub(crate) struct Faults(Mutex<Vec<Fault>>);

impl Faults {
    pub(crate) fn add(&self, fault: Fault) {
        self.lock().push(fault);
    }

    pub(crate) fn clear(&self) {
        self.lock().clear();
    }

    /// What is to be done to this call. The first fault that is about it and still has calls to spoil
    /// decides.
    pub(crate) fn strike(&self, request: &Request) -> Option<What> {
        for fault in self.lock().iter_mut() {
            if !fault.is_about(request) || fault.times == Some(0) {
                continue;
            }
            if fault.skip > 0 {
                fault.skip -= 1;
                continue;
            }
            if let Some(times) = &mut fault.times {
                *times -= 1;
            }
            return Some(fault.what.clone());
        }
        None
    }

    fn lock(&self) -> MutexGuard<'_, Vec<Fault>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
