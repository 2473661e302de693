use crate::config::Config;
use hyper::http::Method;
use std::path::Path;
use std::time::Duration;

const REST: &str = "[[policy]]\nname = \"all\"\nmodule = \"builtin:open\"\n[[door]]\nname = \"main\"\nprotocol = \"rtyp\"\ntcp = \"127.0.0.1:0\"\nudp = \"127.0.0.1:0\"\n";

const GOOD: &str = "[[service]]\nname = \"players\"\nurl = \"https://example.org/players/{0}\"\n";

fn read(folder: &Path, text: &str) -> Result<Config, String> {
    let config = Config::parse(&format!("{text}{REST}"), &folder.join("usher.toml"));
    config.map_err(|error| error.to_string().replace(&*folder.to_string_lossy(), "."))
}

#[test]
fn a_service_means_what_it_says() {
    let folder = tempfile::tempdir().expect("a directory");
    std::fs::write(folder.path().join("key"), " Bearer abc \n").expect("written");
    let more = "method = \"POST\"\nheaders = { Accept = \"text/plain\" }\nheader-files = { Authorization = \"key\" }\ntimeout = \"500ms\"\nmax-response = 0\n";
    let two = format!("{GOOD}{more}{}", GOOD.replace("\"players\"", "\"second\""));
    let config = read(folder.path(), &two).unwrap_or_else(|error| panic!("{error}"));
    let [first, second] = &config.services[..] else {
        panic!("two services");
    };
    let headers: Vec<_> = first
        .headers
        .iter()
        .map(|header| {
            (
                header.name.as_str(),
                header.value.expose(),
                header.file.is_some(),
            )
        })
        .collect();
    let expected = [
        ("accept", "text/plain", false),
        ("authorization", "Bearer abc", true),
    ];
    assert_eq!(headers, expected);
    assert_eq!((&first.method, first.max_response), (&Method::POST, 0));
    assert_eq!(first.timeout, Duration::from_millis(500));
    assert_eq!(
        (&second.method, second.max_response),
        (&Method::GET, 65_536)
    );
    assert_eq!(second.timeout, Duration::from_secs(2));
    assert!(second.url.is_encrypted() && second.headers.is_empty());
    assert!(!format!("{config:?}").contains("abc"));
}

#[test]
fn each_mistake_is_named_with_what_would_be_right() {
    let folder = tempfile::tempdir().expect("a directory");
    std::fs::write(folder.path().join("two"), "a\nb\n").expect("written");
    for (text, line) in [
        (
            "[[service]]\nurl = \"https://example.org/\"\n",
            "./usher.toml:1: service[0].name: this is missing; for example: name = \"players\"",
        ),
        (
            "[[service]]\nname = \"a\"\n",
            "./usher.toml:1: service[0].url: this is missing; for example: url = \"https://example.org/players/{0}\"",
        ),
        (
            "[[service]]\nname = \"a\"\nurl = \"http://example.org/\"\n",
            "./usher.toml:3: service[0].url = \"http://example.org/\": it must be https, unless it is on this machine; for example: url = \"https://example.org/players/{0}\"",
        ),
        (
            "[[service]]\nname = \"a\"\nurl = \"https://{0}.example.org/\"\n",
            "./usher.toml:3: service[0].url = \"https://{0}.example.org/\": an argument can stand only in its path or its query; for example: url = \"https://example.org/players/{0}\"",
        ),
        (
            &format!("{GOOD}method = \"DELETE\"\n"),
            "./usher.toml:4: service[0].method = \"DELETE\": it must be \"GET\", \"POST\" or \"PUT\"; for example: method = \"GET\"",
        ),
        (
            &format!("{GOOD}headers = {{ Host = \"evil\" }}\n"),
            "./usher.toml:4: service[0].headers.Host: this header is not yours to set",
        ),
        (
            &format!("{GOOD}headers = {{ authorization = \"Bearer abc\" }}\n"),
            "./usher.toml:4: service[0].headers.authorization: this is a secret: put its value into a file, and name that in header-files",
        ),
        (
            &format!("{GOOD}headers = {{ x = \"a\\nb\" }}\n"),
            "./usher.toml:4: service[0].headers.x: it must be what a header can hold, in one line",
        ),
        (
            &format!("{GOOD}headers = {{ \"a b\" = \"c\" }}\n"),
            "./usher.toml:4: service[0].headers.a b: its name is no header's",
        ),
        (
            &format!("{GOOD}header-files = {{ authorization = \"Bearer abc\" }}\n"),
            "./usher.toml:4: service[0].header-files.authorization: the file that this names cannot be read: No such file or directory (os error 2); it must hold the header's value, such as \"Bearer …\"",
        ),
        (
            &format!("{GOOD}header-files = {{ authorization = \"two\" }}\n"),
            "./usher.toml:4: service[0].header-files.authorization: the file must hold the header's value, such as \"Bearer …\": 1 to 4096 printable ASCII characters, in one line",
        ),
        (
            &format!("{GOOD}headers = {{ x = \"a\" }}\nheader-files = {{ X = \"two\" }}\n"),
            "./usher.toml:5: service[0].header-files.X: this header is set already",
        ),
        (
            &format!("{GOOD}timeout = \"2m\"\n"),
            "./usher.toml:4: service[0].timeout = \"2m\": it must be a duration in quotes, from 10ms to 1m; for example: timeout = \"2s\"",
        ),
        (
            &format!("{GOOD}max-response = 1000000\n"),
            "./usher.toml:4: service[0].max-response = 1000000: it must be a whole number from 0 to 524288; for example: max-response = 65536",
        ),
        (
            &format!("{GOOD}header-file = {{}}\n"),
            "./usher.toml:4: service[0].header-file: there is no such key; did you mean header-files?",
        ),
        (
            &format!("{GOOD}{GOOD}"),
            "./usher.toml:4: service[1].name = \"players\": another [[service]] has this name; for example: name = \"second\"",
        ),
    ] {
        assert_eq!(read(folder.path(), text).expect_err(line), line);
    }
}
