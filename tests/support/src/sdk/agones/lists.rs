//! The routes of lists, which only Agones has.

use super::super::integer::integer;
use super::super::list::{List, MOST};
use super::super::state::State;
use super::errors::{failed, misread};
use crate::reply::Reply;
use crate::request::Request;
use serde_json::Value;

/// Answers what is asked of a list by the last part of the path: its name, with `:addValue` or `:removeValue` behind it.
pub(super) fn answer(state: &mut State, path: &str, request: &Request) -> Option<Reply> {
    let (name, verb) = path.split_once(':').unwrap_or((path, ""));
    let body = request.json();
    let Some(list) = state.lists.get_mut(name) else {
        return Some(failed(format!("not found. {name} List not found")));
    };
    match (request.method.as_str(), verb) {
        ("GET", "") => {}
        ("PATCH", "") => {
            let body = body?;
            let Some(capacity) = integer(&body["capacity"]) else {
                return Some(misread());
            };
            if let Some(capacity) = capacity {
                if !(0..=MOST).contains(&capacity) {
                    return Some(failed(format!(
                        "out of range. Capacity must be within range [0,{MOST}]. Found Capacity: \
                         {capacity}"
                    )));
                }
                list.set_capacity(capacity);
            }
            if let Some(values) = body["values"].as_array() {
                let texts = values.iter().filter_map(Value::as_str);
                list.values = texts.map(str::to_owned).collect();
                list.set_capacity(list.capacity);
            }
        }
        ("POST", "addValue") => {
            let value = value(body)?;
            if list.values.contains(&value) {
                let problem = format!("already exists. Value: {value} already in List: {name}");
                return Some(failed(problem));
            }
            if usize::try_from(list.capacity).is_ok_and(|most| list.values.len() >= most) {
                let problem = format!("out of range. No available capacity. List: {name}");
                return Some(failed(problem));
            }
            list.values.push(value);
        }
        ("POST", "removeValue") => {
            let value = value(body)?;
            if !list.values.contains(&value) {
                let problem = format!("not found. Value: {value} not found in List: {name}");
                return Some(failed(problem));
            }
            list.values.retain(|it| *it != value);
        }
        _ => return None,
    }
    Some(named_list(list, name))
}

fn named_list(list: &List, name: &str) -> Reply {
    let mut figures = list.figures();
    figures["name"] = name.into();
    Reply::json(200, &figures)
}

fn value(body: Option<Value>) -> Option<String> {
    body?["value"].as_str().map(str::to_owned)
}
