//! The description of the API: OpenAPI 3.1, made of the types and of the table of operations.

mod operations;

use super::api::ProblemBody;
use operations::{Answered, OPERATIONS, Operation};
use schemars::generate::{SchemaGenerator, SchemaSettings};
use serde_json::{Map, Value, json};

const PROBLEM: &str = "application/problem+json";

/// Says what the names of a path stand for.
const ID: &str = "The name that Usher gave.";

const ABOUT: &str = "For game servers that keep their own sockets: ask whether a player may come in, \
                     say when it is in, and when it is gone. Every call may carry `Usher-Instance`, a \
                     name that the game server gives itself anew each time it starts: the first call \
                     with another name ends whatever the one before it had.";

/// What any call may be answered, beside what is its own.
const ALWAYS: &[(u16, &str)] = &[
    (400, "Something is not as it is described here."),
    (401, "The token is missing or wrong."),
    (
        403,
        "The call may come from a web page. Only where no token is needed.",
    ),
    (409, "Another game server has come to this door."),
    (503, "There is no room, or Usher is stopping: try again."),
];

/// What a call with a body may be answered, too.
const WITH_BODY: &[(u16, &str)] = &[
    (408, "The body did not come in time."),
    (413, "The body is too long."),
    (415, "The body is not said to be JSON."),
];

/// The description, as JSON that ends in a line break.
pub(super) fn json() -> String {
    // The description has nothing that JSON could not carry.
    let json = serde_json::to_string_pretty(&describe()).unwrap_or_default();
    json + "\n"
}

/// Both directions, each with what serde makes of its types.
pub(super) struct Schemas {
    asked: SchemaGenerator,
    answered: SchemaGenerator,
}

impl Schemas {
    fn new() -> Schemas {
        let settings = || {
            SchemaSettings::draft2020_12().with(|settings| {
                settings.definitions_path = "/components/schemas".into();
                settings.meta_schema = None;
            })
        };
        Schemas {
            asked: settings().for_deserialize().into_generator(),
            answered: settings().for_serialize().into_generator(),
        }
    }

    fn named(mut self) -> Map<String, Value> {
        let mut named = self.asked.take_definitions(true);
        named.extend(self.answered.take_definitions(true));
        named
    }
}

fn describe() -> Value {
    let mut schemas = Schemas::new();
    let mut paths = Map::new();
    for operation in OPERATIONS {
        let path = paths.entry(operation.path).or_insert_with(|| json!({}));
        path[operation.method] = described(operation, &mut schemas);
    }
    json!({
        "openapi": "3.1.0",
        "info": {
            "title": "Usher: the http door",
            "description": ABOUT,
            "license": { "name": "Apache-2.0 OR MIT", "identifier": "Apache-2.0 OR MIT" },
            "version": env!("CARGO_PKG_VERSION"),
        },
        "security": [{ "token": [] }],
        "tags": [
            { "name": "requests", "description": "Players who want to come in." },
            { "name": "sessions", "description": "Players who are in, or may come in." },
            { "name": "lease", "description": "That the game server is still there." },
        ],
        "paths": paths,
        "components": {
            "securitySchemes": { "token": { "type": "http", "scheme": "bearer" } },
            "schemas": schemas.named(),
        },
    })
}

fn described(operation: &Operation, schemas: &mut Schemas) -> Value {
    let mut responses = Map::new();
    let problem = schemas.answered.subschema_for::<ProblemBody>();
    let with_body = operation.body.map(|_| WITH_BODY).unwrap_or_default();
    let problems = ALWAYS.iter().chain(with_body).chain(operation.problems);
    for (status, description) in problems {
        let content = json!({ PROBLEM: { "schema": problem } });
        let response = json!({ "description": description, "content": content });
        responses.insert(status.to_string(), response);
    }
    for Answered {
        status,
        description,
        kind,
        schema,
    } in operation.answers
    {
        let content = json!({ *kind: { "schema": schema(&mut schemas.answered) } });
        let response = json!({ "description": description, "content": content });
        responses.insert(status.to_string(), response);
    }
    let mut described = json!({
        "tags": [operation.tag],
        "summary": operation.summary,
        "description": operation.description,
        "operationId": operation.id,
        "responses": responses,
    });
    let parameters = parameters(operation, schemas);
    if !parameters.is_empty() {
        described["parameters"] = parameters.into();
    }
    if let Some(body) = operation.body {
        let schema = body(&mut schemas.asked);
        described["requestBody"] = json!({
            "required": true,
            "content": { "application/json": { "schema": schema } },
        });
    }
    described
}

fn parameters(operation: &Operation, schemas: &mut Schemas) -> Vec<Value> {
    let mut parameters = Vec::new();
    if operation.path.contains("{id}") {
        parameters.push(json!({
            "name": "id", "in": "path", "required": true, "description": ID,
            "schema": { "type": "string" },
        }));
    }
    if let Some(description) = operation.key {
        parameters.push(json!({
            "name": "Idempotency-Key", "in": "header", "required": true,
            "description": description, "example": "conn-8812",
            "schema": { "type": "string", "pattern": "^[!-~]{1,128}$" },
        }));
    }
    let query = operation.query.map(|query| query(&mut schemas.asked));
    let properties = query.as_ref().and_then(|query| query.get("properties"));
    for (name, schema) in properties.and_then(Value::as_object).into_iter().flatten() {
        let mut schema = schema.clone();
        let described = schema.as_object_mut();
        let description = described.and_then(|schema| schema.remove("description"));
        // What is left out is left out: there is no way to say null behind a path.
        if let Some(first) = schema.pointer("/type/0").cloned() {
            schema["type"] = first;
        }
        parameters.push(json!({
            "name": name, "in": "query", "required": false, "description": description,
            "schema": schema,
        }));
    }
    parameters
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    /// `USHER_WRITE=1 cargo test -p usher --lib openapi` writes it anew.
    #[test]
    fn the_description_in_the_documentation_is_that_of_the_types() {
        let docs = "../../docs/protocols/http.openapi.json";
        let file = Path::new(env!("CARGO_MANIFEST_DIR")).join(docs);
        if std::env::var_os("USHER_WRITE").is_some() {
            std::fs::write(&file, super::json()).expect("the tree can be written");
        }
        let written = std::fs::read_to_string(&file).unwrap_or_default();
        assert!(
            written == super::json(),
            "{docs} is not current: run `USHER_WRITE=1 cargo test -p usher --lib openapi`"
        );
    }
}
