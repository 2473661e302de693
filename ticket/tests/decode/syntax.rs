//! Rules of the payload as a whole: its size, its bytes, and what is one JSON object.

use crate::row::{Row, ending, valid, with, without};
use usher_ticket::{Kind, Reason};

use Reason::{
    PayloadEmpty as Empty, PayloadInvalid as Invalid, PayloadMalformed as Malformed,
    PayloadTooLarge as TooLarge,
};

const LAN: Result<Kind, Reason> = Ok(Kind::Lan);

pub(crate) fn rows() -> Vec<Row> {
    let mut rows = sizes();
    rows.extend(bytes());
    rows.extend(texts().map(|(name, text, expected)| Row::new(name, text, expected)));
    rows.extend(depths());
    rows.extend(keys_twice());
    rows
}

fn sizes() -> Vec<Row> {
    let padded = |length: usize| format!("{:length$}", ending("}"));
    let filled = |length: usize, last: &[u8]| {
        let mut payload = vec![b' '; length - last.len()];
        payload.extend(last);
        payload
    };
    vec![
        Row::new("no bytes", "", Err(Empty)),
        Row::new("one space", " ", Err(Malformed)),
        Row::new("a zero byte", [0], Err(Malformed)),
        Row::new("1023 bytes", padded(1023), LAN),
        Row::new("1024 bytes", padded(1024), LAN),
        Row::new("1025 bytes", padded(1025), Err(TooLarge)),
        Row::new("1024 spaces", filled(1024, b""), Err(Malformed)),
        Row::new("1025 spaces", filled(1025, b""), Err(TooLarge)),
        Row::new(
            "1025 bytes, not UTF-8",
            filled(1025, &[0xFF]),
            Err(TooLarge),
        ),
        Row::new("1025 bytes, not JSON", filled(1025, b"}"), Err(TooLarge)),
        Row::new("a megabyte", filled(1 << 20, b""), Err(TooLarge)),
    ]
}

fn bytes() -> Vec<Row> {
    let named = |bytes: &[u8]| {
        let whole = with(Kind::Lan, &[("displayName", r#""~""#)]);
        let (before, after) = whole.split_once('~').expect("a place");
        [before.as_bytes(), bytes, after.as_bytes()].concat()
    };
    let plain = ending("}");
    let utf16: Vec<u8> = plain.encode_utf16().flat_map(u16::to_le_bytes).collect();
    let bom = ["\u{FEFF}", &plain].concat();
    vec![
        Row::new("two bytes a character", named("é".as_bytes()), LAN),
        Row::new("three bytes a character", named("漢".as_bytes()), LAN),
        Row::new("four bytes a character", named("𝔸".as_bytes()), LAN),
        Row::new("DEL in a string", named(b"\x7F"), LAN),
        Row::new("a stray byte", named(&[0xFF]), Err(Malformed)),
        Row::new("half a character", named(&[0xC3]), Err(Malformed)),
        Row::new("an overlong slash", named(&[0xC0, 0xAF]), Err(Malformed)),
        Row::new(
            "a surrogate as bytes",
            named(&[0xED, 0xA0, 0x80]),
            Err(Malformed),
        ),
        Row::new(
            "beyond the last character",
            named(&[0xF4, 0x90, 0x80, 0x80]),
            Err(Malformed),
        ),
        Row::new("a BOM", bom, Err(Malformed)),
        Row::new("UTF-16", utf16, Err(Malformed)),
        Row::new("a zero in a string", named(&[0]), Err(Malformed)),
        Row::new("a tab in a string", named(b"\t"), Err(Malformed)),
        Row::new("a line break in a string", named(b"\n"), Err(Malformed)),
        Row::new("the last control character", named(&[0x1F]), Err(Malformed)),
        Row::new("the first character that is none", named(&[0x20]), LAN),
        Row::new(
            "a line separator in a string",
            named("\u{2028}".as_bytes()),
            LAN,
        ),
    ]
}

fn texts() -> impl Iterator<Item = (&'static str, String, Result<Kind, Reason>)> {
    let plain = || ending("}");
    let extra = |json: &str| ending(&format!(r#","extra":{json}}}"#));
    let named = |text: &str| with(Kind::Lan, &[("displayName", &format!(r#""{text}""#))]);
    let bare = |text: &str| text.to_owned();
    [
        (
            "whitespace around",
            format!(" \t\r\n{}\n\r\t ", plain()),
            LAN,
        ),
        (
            "whitespace inside",
            plain().replace(':', " :\t").replace(',', "\r\n,  "),
            LAN,
        ),
        (
            "a form feed around",
            format!("\u{c}{}", plain()),
            Err(Malformed),
        ),
        (
            "a no-break space around",
            format!("{}\u{a0}", plain()),
            Err(Malformed),
        ),
        // Not an object.
        ("an array", format!("[{}]", plain()), Err(Malformed)),
        ("an empty array", bare("[]"), Err(Malformed)),
        ("a string", bare(r#""{}""#), Err(Malformed)),
        ("a number", bare("1"), Err(Malformed)),
        ("a bare null", bare("null"), Err(Malformed)),
        ("a bare true", bare("true"), Err(Malformed)),
        ("an empty object", bare("{}"), Err(Invalid)),
        // Not exactly one.
        ("cut short", ending(""), Err(Malformed)),
        (
            "cut in a string",
            ending(r#","displayName":"Bo"#),
            Err(Malformed),
        ),
        (
            "cut in an escape",
            ending(r#","displayName":"\u00"#),
            Err(Malformed),
        ),
        ("one brace", bare("{"), Err(Malformed)),
        ("a brace too many", ending("}}"), Err(Malformed)),
        ("a bracket instead of a brace", ending("]"), Err(Malformed)),
        (
            "a second object",
            format!("{0}{0}", plain()),
            Err(Malformed),
        ),
        (
            "a second object on a line of its own",
            format!("{}\n{{}}", plain()),
            Err(Malformed),
        ),
        ("garbage behind", format!("{} x", plain()), Err(Malformed)),
        (
            "a zero byte behind",
            format!("{}\0", plain()),
            Err(Malformed),
        ),
        ("a comma behind", format!("{},", plain()), Err(Malformed)),
        // Not JSON.
        ("a block comment", ending("/* */}"), Err(Malformed)),
        (
            "a line comment",
            format!("{} // ticket", plain()),
            Err(Malformed),
        ),
        ("single quotes", plain().replace('"', "'"), Err(Malformed)),
        ("a key without quotes", ending(",extra:1}"), Err(Malformed)),
        ("a key that is a number", ending(",1:1}"), Err(Malformed)),
        (
            "a key without value",
            ending(r#","extra"}"#),
            Err(Malformed),
        ),
        ("a comma at the end", ending(",}"), Err(Malformed)),
        ("two commas", ending(r#",,"extra":1}"#), Err(Malformed)),
        (
            "a comma at the beginning",
            plain().replace("{", "{,"),
            Err(Malformed),
        ),
        ("no comma", plain().replace(",", " "), Err(Malformed)),
        ("no colon", plain().replace(":", " "), Err(Malformed)),
        (
            "a comma at the end of an array",
            extra("[1,]"),
            Err(Malformed),
        ),
        ("a word", extra("yes"), Err(Malformed)),
        ("a word in capitals", extra("True"), Err(Malformed)),
        ("half a word", extra("nul"), Err(Malformed)),
        ("NaN", extra("NaN"), Err(Malformed)),
        ("Infinity", extra("Infinity"), Err(Malformed)),
        ("minus Infinity", extra("-Infinity"), Err(Malformed)),
        // Numbers.
        (
            "a leading zero",
            with(Kind::Lan, &[("protocolVersion", "03")]),
            Err(Malformed),
        ),
        (
            "a leading zero behind a minus",
            extra("-03"),
            Err(Malformed),
        ),
        ("a leading plus", extra("+3"), Err(Malformed)),
        ("only a minus", extra("-"), Err(Malformed)),
        ("nothing before the point", extra(".5"), Err(Malformed)),
        ("nothing behind the point", extra("5."), Err(Malformed)),
        ("no exponent", extra("5e"), Err(Malformed)),
        ("a hexadecimal number", extra("0x10"), Err(Malformed)),
        ("a number with separators", extra("1_000"), Err(Malformed)),
        ("a number that no float holds", extra("1e400"), Err(Invalid)),
        (
            "a number of 300 digits",
            extra(&"9".repeat(300)),
            Err(Invalid),
        ),
        ("minus zero", extra("-0"), Err(Invalid)),
        ("every sign of a number", extra("-0.50E+10"), Err(Invalid)),
        // Escapes.
        ("every escape", named(r#"\"\\\/\b\f\n\r\t\u0041"#), LAN),
        ("an escape that is none", named(r"\q"), Err(Malformed)),
        ("an escape in capitals", named(r"\N"), Err(Malformed)),
        ("an escape of JavaScript", named(r"\x41"), Err(Malformed)),
        ("three hex digits", named(r"\u041"), Err(Malformed)),
        (
            "a letter that is no hex digit",
            named(r"\u004g"),
            Err(Malformed),
        ),
        ("a zero as an escape", named(r"\u0000"), LAN),
        ("a pair of surrogates", named(r"\ud83d\ude00"), LAN),
        ("a lone first half", named(r"\ud835"), Err(Malformed)),
        ("a lone second half", named(r"\udd38"), Err(Malformed)),
        (
            "halves the wrong way round",
            named(r"\udd38\ud835"),
            Err(Malformed),
        ),
        ("two first halves", named(r"\ud835\ud835"), Err(Malformed)),
        (
            "a first half before another escape",
            named(r"\ud835\n"),
            Err(Malformed),
        ),
        (
            "half a pair in a key",
            ending(r#","\ud835":1}"#),
            Err(Malformed),
        ),
        (
            "half a pair deep inside",
            extra(r#"[[{"a":"\ud835"}]]"#),
            Err(Malformed),
        ),
        (
            "half a pair in a key deep inside",
            extra(r#"[{"\udd38":1}]"#),
            Err(Malformed),
        ),
    ]
    .into_iter()
}

/// The outermost object is the first level.
fn depths() -> Vec<Row> {
    let nested = |open: &str, close: &str, levels: usize| {
        let inside = format!("{}{}", open.repeat(levels), close.repeat(levels));
        ending(&format!(r#","extra":{inside}}}"#))
    };
    let objects = |levels: usize| {
        let inside = format!("{}1{}", r#"{"a":"#.repeat(levels), "}".repeat(levels));
        ending(&format!(r#","extra":{inside}}}"#))
    };
    let side_by_side = format!(r#","extra":[{}[]]}}"#, "[],".repeat(100));
    let arrays_only = format!("{}{}", "[".repeat(512), "]".repeat(512));
    vec![
        Row::new("arrays 64 deep", nested("[", "]", 63), Err(Invalid)),
        Row::new("arrays 65 deep", nested("[", "]", 64), Err(Malformed)),
        Row::new("objects 64 deep", objects(63), Err(Invalid)),
        Row::new("objects 65 deep", objects(64), Err(Malformed)),
        Row::new("arrays 400 deep", nested("[", "]", 400), Err(Malformed)),
        Row::new("only arrays, 512 deep", arrays_only, Err(Malformed)),
        Row::new("1024 brackets", "[".repeat(1024), Err(Malformed)),
        Row::new(
            "101 arrays side by side",
            ending(&side_by_side),
            Err(Invalid),
        ),
        Row::new(
            "brackets in a string",
            ending(&format!(r#","extra":"{}"}}"#, "[{".repeat(100))),
            Err(Invalid),
        ),
    ]
}

fn keys_twice() -> Vec<Row> {
    let mut rows: Vec<_> = valid(Kind::Match)
        .into_iter()
        .map(|(key, json)| {
            let whole = without(Kind::Match, &[]);
            let doubled = whole.replacen('{', &format!(r#"{{"{key}":{json},"#), 1);
            Row::new(&format!("{key} twice"), doubled, Err(Malformed))
        })
        .collect();
    let extra = |json: &str| ending(&format!(r#","extra":{json}}}"#));
    let nested = |inside: &str| {
        let levels = 62;
        extra(&format!(
            "{}{inside}{}",
            "[".repeat(levels),
            "]".repeat(levels)
        ))
    };
    for (name, payload, expected) in [
        ("an unknown key twice", extra(r#"1,"extra":1"#), Malformed),
        (
            "a key twice, once escaped",
            ending(r#","\u0076":1}"#),
            Malformed,
        ),
        (
            "v twice, and the first is another version",
            r#"{"v":2,"v":1}"#.to_owned(),
            Malformed,
        ),
        (
            "a key twice one level down",
            extra(r#"{"a":1,"a":2}"#),
            Malformed,
        ),
        (
            "a key twice one level down, once escaped",
            extra(r#"{"a":1,"\u0061":2}"#),
            Malformed,
        ),
        ("an empty key twice", extra(r#"{"":1,"":2}"#), Malformed),
        (
            "a key twice in an array",
            extra(r#"[1,{"a":1,"b":[],"a":2}]"#),
            Malformed,
        ),
        (
            "a key twice around an object",
            extra(r#"{"a":{"b":1},"a":2}"#),
            Malformed,
        ),
        ("a key twice 64 deep", nested(r#"{"a":1,"a":1}"#), Malformed),
        ("a key once 64 deep", nested(r#"{"a":1,"b":1}"#), Invalid),
        (
            "a key in two objects",
            extra(r#"[{"a":1},{"a":1}]"#),
            Invalid,
        ),
        (
            "a key inside of its own value",
            extra(r#"{"a":{"a":{"a":1}}}"#),
            Invalid,
        ),
        (
            "a key that is a value too",
            extra(r#"{"a":"a","b":"a"}"#),
            Invalid,
        ),
        ("texts twice in an array", extra(r#"["a","a"]"#), Invalid),
        (
            "a text twice behind an object",
            extra(r#"[{"a":1},"a","a"]"#),
            Invalid,
        ),
        (
            "keys that differ in case",
            extra(r#"{"a":1,"A":1}"#),
            Invalid,
        ),
        (
            "é composed in two ways",
            extra("{\"\u{e9}\":1,\"e\u{301}\":1}"),
            Invalid,
        ),
    ] {
        rows.push(Row::new(name, payload, Err(expected)));
    }
    rows
}
