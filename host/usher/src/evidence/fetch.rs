//! `fetch`: what a web service of the operator's says. A policy names the service and gives what belongs into
//! the places of its address; it reaches nothing that is not in the configuration.

use super::http::{Call, Http, HttpError, Limits, Settings, header};
use crate::config::{Config, Header, Service, Unfit};
use crate::text::Shown;
use hyper::http::{HeaderValue, Method};
use tokio::sync::watch;
use usher_core::{FactAnswer, Question, QuestionArg};

/// Calls to one service under way at once.
const IN_FLIGHT: usize = 1024;

/// The services.
#[derive(Default)]
pub struct Services(Vec<Asked>);

struct Asked {
    /// Its secrets may change while the host runs.
    service: watch::Sender<Service>,
    http: Http,
}

impl Services {
    /// Those of the configuration.
    ///
    /// # Errors
    ///
    /// [`HttpError::NoCertificates`] when one is to be asked by `https` and the system has none.
    pub fn new(config: &Config) -> Result<Services, HttpError> {
        let services = config.services.iter();
        let asked = services.map(|service| {
            let settings = Settings {
                tls: service.url.is_encrypted(),
                keep: true,
                in_flight: IN_FLIGHT,
            };
            Ok(Asked {
                service: watch::Sender::new(service.clone()),
                http: Http::new(settings)?,
            })
        });
        Ok(Services(asked.collect::<Result<_, HttpError>>()?))
    }

    /// Takes over the secrets of a configuration that was read again.
    pub fn configure(&self, config: &Config) {
        for (asked, new) in self.0.iter().zip(&config.services) {
            asked.service.send_if_modified(|service| {
                let takes = service.adopt_secrets(new);
                if takes {
                    tracing::info!(service = &*service.name, "it is asked with other secrets");
                }
                takes
            });
        }
    }

    /// Asks the service that the first argument names, with the others in the places of its address.
    pub async fn fetch(&self, question: &Question) -> FactAnswer {
        let mut arguments = question.args.iter().map(text);
        let name = arguments.next().unwrap_or_default();
        let asked = self
            .0
            .iter()
            .find(|asked| *asked.service.borrow().name == *name);
        let Some(asked) = asked else {
            return unavailable(format!("no service is named {}", Shown(name)));
        };
        let arguments: Vec<&str> = arguments.collect();
        let (call, limits) = {
            let service = asked.service.borrow();
            let limits = Limits {
                timeout: service.timeout,
                max_body: service.max_response as usize,
            };
            (call(&service, &arguments, &question.body), limits)
        };
        let call = match call {
            Ok(call) => call,
            Err(unfit) => return unavailable(format!("{name}: {unfit}")),
        };
        match asked.http.request(call, limits).await {
            Ok(answer) if answer.is_success() => FactAnswer::Found(answer.body.into()),
            Ok(answer) if answer.status == 404 => FactAnswer::Missing,
            Ok(answer) => unavailable(format!("{name}: it answered {}", answer.status)),
            Err(error) => unavailable(format!("{name}: {error}")),
        }
    }
}

/// An argument's text, which may be a secret.
pub(super) fn text(argument: &QuestionArg) -> &str {
    match argument {
        QuestionArg::Plain(text) => text,
        QuestionArg::Secret(secret) => secret.expose(),
    }
}

fn unavailable(why: String) -> FactAnswer {
    FactAnswer::Unavailable(why.into())
}

fn call(service: &Service, arguments: &[&str], body: &[u8]) -> Result<Call, Unfit> {
    let uri = service.url.fill(arguments)?;
    let mut headers: Vec<_> = service.headers.iter().filter_map(sent).collect();
    let has_body = service.method != Method::GET;
    let stated = headers
        .iter()
        .any(|(name, _)| *name == header::CONTENT_TYPE);
    if has_body && !stated {
        let json = HeaderValue::from_static("application/json");
        headers.push((header::CONTENT_TYPE, json));
    }
    Ok(Call {
        method: service.method.clone(),
        uri,
        headers,
        body: has_body.then(|| body.to_vec()),
    })
}

fn sent(header: &Header) -> Option<(super::http::HeaderName, HeaderValue)> {
    // It was checked to be one when the configuration was read.
    let mut value = HeaderValue::from_str(header.value.expose()).ok()?;
    value.set_sensitive(header.file.is_some());
    Some((header.name.clone(), value))
}

#[cfg(test)]
mod tests;
