//! Reads out of one source file what the import check asks about: the modules it declares and the
//! paths it names, each with the inline modules around it.

use super::lexer::{Placed, Token};

/// Everything of interest in one file.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Scan {
    pub(crate) children: Vec<Child>,
    pub(crate) names: Vec<Name>,
    /// The file says of itself that it is only for tests.
    pub(crate) is_test: bool,
}

/// A declaration `mod name;`
#[derive(Debug, PartialEq)]
pub(crate) struct Child {
    pub(crate) scope: Scope,
    pub(crate) name: String,
    /// The file that a `#[path = "…"]` gives.
    pub(crate) path: Option<String>,
}

/// A path of at least two parts, in a `use` or in code.
#[derive(Debug, PartialEq)]
pub(crate) struct Name {
    pub(crate) scope: Scope,
    pub(crate) parts: Vec<String>,
    pub(crate) is_glob: bool,
    pub(crate) line: usize,
}

/// The inline modules around a place in a file, and whether any of them is only for tests.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Scope {
    pub(crate) modules: Vec<String>,
    pub(crate) is_test: bool,
}

/// Scans the tokens of a file.
pub(crate) fn scan(tokens: &[Placed]) -> Scan {
    let mut scanner = Scanner {
        tokens,
        at: 0,
        scan: Scan::default(),
        scopes: vec![Scope::default()],
        braces: Vec::new(),
        attributes: Attributes::default(),
    };
    while scanner.at < tokens.len() {
        scanner.step();
    }
    scanner.scan
}

struct Scanner<'a> {
    tokens: &'a [Placed],
    at: usize,
    scan: Scan,
    /// The inline modules that are open; the first stands for the file and is never closed.
    scopes: Vec<Scope>,
    /// For each open brace whether it is that of a module.
    braces: Vec<bool>,
    attributes: Attributes,
}

/// What the attributes before an item say.
#[derive(Default)]
struct Attributes {
    is_test: bool,
    path: Option<String>,
}

impl Scanner<'_> {
    fn step(&mut self) {
        match self.token(0) {
            Some(Token::Sign('#')) => self.attribute(),
            Some(Token::Sign('{')) => self.open(false),
            Some(Token::Sign('}')) => {
                if self.braces.pop() == Some(true) {
                    self.scopes.pop();
                }
                self.end_item();
            }
            Some(Token::Sign(';')) => self.end_item(),
            Some(Token::Word(word)) if word == "mod" => self.module(),
            Some(Token::Word(_)) if self.starts_a_path() => {
                let scope = self.scope().clone();
                let line = self.tokens[self.at].1;
                self.path(&scope, &[], line);
            }
            _ => self.at += 1,
        }
    }

    fn token(&self, ahead: usize) -> Option<&Token> {
        self.tokens.get(self.at + ahead).map(|(token, _)| token)
    }

    fn is_sign(&self, ahead: usize, sign: char) -> bool {
        self.token(ahead) == Some(&Token::Sign(sign))
    }

    fn scope(&self) -> &Scope {
        // The scope of the file stays: only the braces of modules close one.
        &self.scopes[self.scopes.len() - 1]
    }

    fn open(&mut self, is_module: bool) {
        self.braces.push(is_module);
        self.end_item();
    }

    fn end_item(&mut self) {
        self.attributes = Attributes::default();
        self.at += 1;
    }

    /// `#[…]` or `#![…]`: of the former the next item wants to know, the latter speaks of the file.
    fn attribute(&mut self) {
        self.at += 1;
        let is_inner = self.is_sign(0, '!');
        self.at += usize::from(is_inner);
        if !self.is_sign(0, '[') {
            return;
        }
        let start = self.at;
        let mut depth = 0;
        while self.at < self.tokens.len() {
            depth += usize::from(self.is_sign(0, '['));
            depth -= usize::from(self.is_sign(0, ']'));
            self.at += 1;
            if depth == 0 {
                break;
            }
        }
        let inside = &self.tokens[start..self.at];
        let has = |word: &str| {
            let word = Token::Word(word.to_owned());
            inside.iter().any(|(token, _)| *token == word)
        };
        let is_test = has("cfg") && has("test") && !has("not");
        let text = inside.iter().find_map(|(token, _)| match token {
            Token::Text(text) => Some(text.clone()),
            _ => None,
        });
        if is_inner {
            self.scan.is_test |= is_test;
            return;
        }
        self.attributes.is_test |= is_test;
        if has("path") {
            self.attributes.path = text;
        }
    }

    /// `mod name;` or `mod name {`
    fn module(&mut self) {
        let Some(Token::Word(name)) = self.token(1).cloned() else {
            self.at += 1;
            return;
        };
        let mut scope = self.scope().clone();
        scope.is_test |= self.attributes.is_test;
        self.at += 2;
        if self.is_sign(0, ';') {
            let path = self.attributes.path.take();
            self.scan.children.push(Child { scope, name, path });
        } else if self.is_sign(0, '{') {
            scope.modules.push(name);
            self.scopes.push(scope);
            self.open(true);
        }
    }

    /// Whether a path of several parts begins here. One with `::` in front begins with the name of
    /// another crate, and `pub(in …)` says who may import, not what is imported.
    fn starts_a_path(&self) -> bool {
        let before = |back: usize| Some(&self.tokens.get(self.at.checked_sub(back)?)?.0);
        let is_word = |token: Option<&Token>, word: &str| matches!(token, Some(Token::Word(found)) if found == word);
        let is_visibility = is_word(before(1), "in")
            && before(2) == Some(&Token::Sign('('))
            && is_word(before(3), "pub");
        self.token(1) == Some(&Token::PathSeparator)
            && before(1) != Some(&Token::PathSeparator)
            && !is_word(self.token(0), "use")
            && !is_visibility
    }

    /// Takes a path, and all branches of one with braces.
    fn path(&mut self, scope: &Scope, prefix: &[String], line: usize) {
        let mut parts = prefix.to_vec();
        let mut is_glob = false;
        while let Some(token) = self.token(0).cloned() {
            match token {
                Token::Word(word) => parts.push(word),
                Token::Sign('*') => is_glob = true,
                Token::Sign('{') => return self.branches(scope, &parts),
                // A type's parameters, or a macro's: the path is known as far as it matters.
                _ => break,
            }
            self.at += 1;
            if is_glob || self.token(0) != Some(&Token::PathSeparator) {
                break;
            }
            self.at += 1;
        }
        self.scan.names.push(Name {
            scope: scope.clone(),
            parts,
            is_glob,
            line,
        });
    }

    /// Takes `{a, b::c as d, self}` behind a path.
    fn branches(&mut self, scope: &Scope, prefix: &[String]) {
        self.at += 1;
        let mut is_start = true;
        while let Some((token, line)) = self.tokens.get(self.at) {
            match token {
                Token::Sign('}') => {
                    self.at += 1;
                    return;
                }
                Token::Word(_) | Token::Sign('*' | '{') if is_start => {
                    self.path(scope, prefix, *line);
                    is_start = false;
                }
                token => {
                    is_start = *token == Token::Sign(',');
                    self.at += 1;
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::lexer::tokens;
    use super::*;

    /// Every path in a source, with its inline modules before a `|`.
    fn names(source: &str) -> Vec<String> {
        let text = |name: Name| {
            let glob = if name.is_glob { "::*" } else { "" };
            let test = if name.scope.is_test { "test " } else { "" };
            let scope = name.scope.modules.join("::");
            format!("{test}{scope}|{}{glob}", name.parts.join("::"))
        };
        scan(&tokens(source)).names.into_iter().map(text).collect()
    }

    #[test]
    fn paths_are_found_in_uses_and_in_code() {
        let source = "use crate::a::B;\nfn f(x: crate::c::D) -> Vec<super::e::F> { g::h::<u8>() }";
        assert_eq!(
            names(source),
            ["|crate::a::B", "|crate::c::D", "|super::e::F", "|g::h"]
        );
    }

    #[test]
    fn branches_are_followed() {
        let source = "pub use crate::{a::{self, B as C}, d, e::*, f::{g, h::I}};\nuse j::k;";
        let expected = [
            "|crate::a::self",
            "|crate::a::B",
            "|crate::d",
            "|crate::e::*",
            "|crate::f::g",
            "|crate::f::h::I",
            "|j::k",
        ];
        assert_eq!(names(source), expected);
    }

    #[test]
    fn other_crates_and_visibilities_are_no_imports() {
        assert_eq!(
            names("use ::tokio::net::X; pub(in crate::a) fn f() {}"),
            [""; 0]
        );
    }

    #[test]
    fn inline_modules_are_scopes_and_tests_are_marked() {
        let source = "mod a { mod b { use super::x; } fn f() { y::z() } }\n\
            #[cfg(test)]\nmod tests { use super::*; }\n\
            #[cfg(not(test))] mod c { use super::*; }\nuse d::e;";
        let expected = [
            "a::b|super::x",
            "a|y::z",
            "test tests|super::*",
            "c|super::*",
            "|d::e",
        ];
        assert_eq!(names(source), expected);
    }

    #[test]
    fn declared_modules_are_found_with_their_attributes() {
        let source = "#[cfg(test)] use x::y; pub(crate) mod a;\n#[cfg(test)]\nmod b;\n\
            #[path = \"else/where.rs\"] mod c; mod d { mod e; }";
        let children = scan(&tokens(source)).children;
        let text = |child: &Child| {
            let path = child.path.as_deref().unwrap_or("-");
            let scope = child.scope.modules.join("::");
            format!("{scope}|{} {} {path}", child.name, child.scope.is_test)
        };
        let found: Vec<_> = children.iter().map(text).collect();
        let expected = [
            "|a false -",
            "|b true -",
            "|c false else/where.rs",
            "d|e false -",
        ];
        assert_eq!(found, expected);
    }

    #[test]
    fn a_file_can_say_that_it_is_for_tests() {
        assert!(scan(&tokens("#![cfg(test)]\nfn f() {}")).is_test);
        assert!(!scan(&tokens("#![allow(x)]\nfn f() {}")).is_test);
    }

    #[test]
    fn source_that_breaks_off_is_read_to_its_end() {
        for source in [
            "use a::{",
            "use a::{b",
            "mod",
            "mod a",
            "#[",
            "#[cfg(",
            "}",
            "a::",
            "#",
        ] {
            scan(&tokens(source));
        }
    }
}
