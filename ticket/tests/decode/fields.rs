//! Rules of the fields: which there are, in which order they are looked at, and what each may hold.

use crate::row::{Row, ending, with, without};
use usher_ticket::{Kind, Reason};

use Kind::{Backfill, Lan, Match, Reservation};
use Reason::{PayloadInvalid as Invalid, UnsupportedVersion as OtherVersion};

pub(crate) fn rows() -> Vec<Row> {
    let mut rows = versions();
    rows.extend(unknown_keys());
    rows.extend(kinds());
    rows.extend(protocol_versions());
    rows.extend(texts());
    rows.extend(required_ids());
    rows
}

fn versions() -> Vec<Row> {
    let mut rows: Vec<_> = [
        ("0", OtherVersion),
        ("2", OtherVersion),
        ("-1", OtherVersion),
        ("-0", OtherVersion),
        ("9223372036854775807", OtherVersion),
        ("-9223372036854775808", OtherVersion),
        ("9223372036854775808", Invalid),
        ("-9223372036854775809", Invalid),
        ("1.0", Invalid),
        ("2.0", Invalid),
        ("1e0", Invalid),
        ("1E400", Invalid),
        ("\"1\"", Invalid),
        ("\"2\"", Invalid),
        ("null", Invalid),
        ("true", Invalid),
        ("[1]", Invalid),
        ("{\"v\":1}", Invalid),
    ]
    .into_iter()
    .map(|(json, reason)| {
        Row::new(
            &format!("v is {json}"),
            with(Lan, &[("v", json)]),
            Err(reason),
        )
    })
    .collect();
    let only = |text: &str| text.to_owned();
    for (name, payload, expected) in [
        ("no v", without(Lan, &["v"]), Err(Invalid)),
        (
            "V in capitals",
            without(Lan, &["v"]).replace('{', r#"{"V":1,"#),
            Err(Invalid),
        ),
        (
            "v as an escape",
            ending("}").replace(r#""v""#, r#""\u0076""#),
            Ok(Lan),
        ),
        (
            "only another version",
            only(r#"{"v":2}"#),
            Err(OtherVersion),
        ),
        ("only this version", only(r#"{"v":1}"#), Err(Invalid)),
        (
            "no v, and an unknown key",
            only(r#"{"colour":"red"}"#),
            Err(Invalid),
        ),
        (
            "another version with unknown keys and other types",
            only(r#"{"colour":{"a":[1e400]},"kind":7,"playerId":null,"v":2}"#),
            Err(OtherVersion),
        ),
        (
            "v is text, and another kind",
            only(r#"{"v":"2","kind":"x"}"#),
            Err(Invalid),
        ),
    ] {
        rows.push(Row::new(name, payload, expected));
    }
    rows
}

fn unknown_keys() -> Vec<Row> {
    let mut rows: Vec<_> = [
        "extra",
        "",
        "Kind",
        "playerID",
        "player_id",
        "v ",
        "token",
        "$schema",
    ]
    .into_iter()
    .map(|key| {
        let payload = ending(&format!(r#","{key}":null}}"#));
        Row::new(&format!("a key {key:?}"), payload, Err(Invalid))
    })
    .collect();
    rows.push(Row::new(
        "a known key as an escape",
        with(Lan, &[("\\u0064isplayName", r#""Bob""#)]),
        Ok(Lan),
    ));
    rows
}

fn kinds() -> Vec<Row> {
    let mut rows: Vec<_> = Kind::ALL
        .into_iter()
        .map(|kind| Row::new(&format!("a {kind} ticket"), with(kind, &[]), Ok(kind)))
        .collect();
    rows.push(Row::new("no kind", without(Lan, &["kind"]), Err(Invalid)));
    for json in [
        r#""""#,
        r#""Lan""#,
        r#""LAN""#,
        r#"" lan""#,
        r#""lan ""#,
        r#""lan\u0000""#,
        r#""party""#,
        r#""reservations""#,
        "null",
        "3",
        "true",
        r#"["lan"]"#,
        r#"{"lan":1}"#,
    ] {
        let payload = with(Lan, &[("kind", json)]);
        rows.push(Row::new(&format!("the kind {json}"), payload, Err(Invalid)));
    }
    let escaped = with(Lan, &[("kind", r#""\u006c\u0061n""#)]);
    rows.push(Row::new("a kind in escapes", escaped, Ok(Lan)));
    rows
}

fn protocol_versions() -> Vec<Row> {
    let set = |json: &str| with(Lan, &[("protocolVersion", json)]);
    let mut rows = vec![Row::new(
        "no protocolVersion",
        without(Lan, &["protocolVersion"]),
        Err(Invalid),
    )];
    for json in ["0", "-0", "1", "2147483646", "2147483647"] {
        rows.push(Row::new(
            &format!("protocolVersion {json}"),
            set(json),
            Ok(Lan),
        ));
    }
    for json in [
        "-1",
        "2147483648",
        "4294967295",
        "4294967296",
        "4294967299",
        "9223372036854775808",
        "18446744073709551619",
        "-9223372036854775809",
        "3.5",
        "3.0",
        "3e0",
        "30e-1",
        "1e400",
        r#""3""#,
        "null",
        "true",
        "[3]",
        "{}",
    ] {
        rows.push(Row::new(
            &format!("protocolVersion {json}"),
            set(json),
            Err(Invalid),
        ));
    }
    rows
}

/// The fields that are text. The ids are looked at in every ticket, needed or not.
fn texts() -> Vec<Row> {
    let mut rows = vec![Row::new(
        "no playerId",
        without(Lan, &["playerId"]),
        Err(Invalid),
    )];
    let repeated = |text: &str, times: usize| format!(r#""{}""#, text.repeat(times));
    for key in [
        "playerId",
        "reservationId",
        "ticketId",
        "allocationId",
        "displayName",
    ] {
        let (most, may_be_empty) = match key {
            "displayName" => (32, true),
            _ => (100, false),
        };
        let empty = match may_be_empty {
            true => Ok(Lan),
            false => Err(Invalid),
        };
        for (name, json, expected) in [
            ("of no character", r#""""#.to_owned(), empty),
            ("of one character", r#""x""#.to_owned(), Ok(Lan)),
            ("of the most characters", repeated("x", most), Ok(Lan)),
            ("of one too many", repeated("x", most + 1), Err(Invalid)),
            (
                "of the most, in two bytes each",
                repeated("é", most),
                Ok(Lan),
            ),
            (
                "of the most, in four bytes each",
                repeated("𝔸", most),
                Ok(Lan),
            ),
            (
                "of one too many, in four bytes each",
                repeated("𝔸", most + 1),
                Err(Invalid),
            ),
            // A letter and its accent are two.
            (
                "of half the most, with accents",
                repeated("e\u{301}", most / 2),
                Ok(Lan),
            ),
            (
                "of half the most and one, with accents",
                repeated("e\u{301}", most / 2 + 1),
                Err(Invalid),
            ),
            (
                "of the most, as escapes",
                repeated(r"\u0041", most),
                Ok(Lan),
            ),
            (
                "of one too many, as escapes",
                repeated(r"\u0041", most + 1),
                Err(Invalid),
            ),
            (
                "of one pair of surrogates",
                r#""\ud835\udd38""#.to_owned(),
                Ok(Lan),
            ),
            (
                "of 32 pairs of surrogates",
                repeated(r"\ud835\udd38", 32),
                Ok(Lan),
            ),
            ("of only spaces", r#""  ""#.to_owned(), Ok(Lan)),
            (
                "that looks like a date",
                r#""2026-10-02T12:00:00Z""#.to_owned(),
                Ok(Lan),
            ),
            ("null", "null".to_owned(), Err(Invalid)),
            ("a number", "1".to_owned(), Err(Invalid)),
            ("a truth", "true".to_owned(), Err(Invalid)),
            ("a list", r#"["x"]"#.to_owned(), Err(Invalid)),
            ("an object", "{}".to_owned(), Err(Invalid)),
        ] {
            let payload = with(Lan, &[(key, &json)]);
            rows.push(Row::new(&format!("{key} {name}"), payload, expected));
        }
    }
    let escaped = with(Lan, &[("playerId", r#""lan\u002d1\/x""#)]);
    rows.push(Row::new("an id with escapes", escaped, Ok(Lan)));
    rows
}

fn required_ids() -> Vec<Row> {
    let id = r#""id-1""#;
    let mut rows = Vec::new();
    for (kind, needed) in [
        (Reservation, &["reservationId"][..]),
        (Match, &["ticketId", "allocationId"]),
        (Backfill, &["ticketId", "allocationId"]),
    ] {
        for key in needed {
            let name = format!("a {kind} ticket without {key}");
            rows.push(Row::new(&name, without(kind, &[key]), Err(Invalid)));
            let name = format!("a {kind} ticket whose {key} is null");
            rows.push(Row::new(&name, with(kind, &[(key, "null")]), Err(Invalid)));
        }
        if needed.len() > 1 {
            let name = format!("a {kind} ticket without ids");
            rows.push(Row::new(&name, without(kind, needed), Err(Invalid)));
        }
    }
    for kind in Kind::ALL {
        let all = [
            ("reservationId", id),
            ("ticketId", id),
            ("allocationId", id),
            ("displayName", id),
        ];
        let name = format!("a {kind} ticket with every field");
        rows.push(Row::new(&name, with(kind, &all), Ok(kind)));
    }
    rows
}
