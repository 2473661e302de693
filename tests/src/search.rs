//! Looks for secrets in what was said: any part of one that is long enough to be no accident, as it is, in
//! base64 and in hex.

use std::collections::HashSet;

/// How long a part must be to be no accident: of 64 letters, and of 16.
const PART: usize = 10;
const HEX_PART: usize = 24;

/// Secrets, prepared to be looked for all at once.
#[derive(Debug, Default)]
pub struct Search {
    parts: HashSet<[u8; PART]>,
    hex: HashSet<[u8; HEX_PART]>,
    secrets: usize,
}

impl Search {
    /// Prepares it.
    pub fn of<S: AsRef<str>>(secrets: impl IntoIterator<Item = S>) -> Search {
        let mut search = Search::default();
        for secret in secrets {
            search.add(secret.as_ref());
        }
        search
    }

    /// How many secrets there are.
    pub fn secrets(&self) -> usize {
        self.secrets
    }

    fn add(&mut self, secret: &str) {
        self.secrets += 1;
        self.parts.extend(windows::<PART>(secret.as_bytes()));
        self.parts
            .extend(windows::<PART>(escaped(secret).as_bytes()));
        for skipped in 0..3 {
            // Depending on what is before it, base64 cuts a text in one of three ways.
            let rest = secret.as_bytes().get(skipped..).unwrap_or_default();
            let whole = rest.len() / 3 * 3;
            let code = base64(&rest[..whole]);
            self.parts.extend(windows::<PART>(code.as_bytes()));
        }
        let hex: String = secret.bytes().map(|byte| format!("{byte:02x}")).collect();
        self.hex.extend(windows::<HEX_PART>(hex.as_bytes()));
    }

    /// Where in a text a part of a secret is.
    pub fn find(&self, text: &[u8]) -> Option<usize> {
        let plain = text
            .windows(PART)
            .position(|part| self.parts.contains(part));
        let lower = text.to_ascii_lowercase();
        let hex = || {
            lower
                .windows(HEX_PART)
                .position(|part| self.hex.contains(part))
        };
        plain.or_else(hex)
    }
}

fn windows<const N: usize>(text: &[u8]) -> impl Iterator<Item = [u8; N]> {
    text.windows(N).filter_map(|part| part.try_into().ok())
}

/// It as in a URL: only letters, digits and four signs stay as they are.
fn escaped(text: &str) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~".contains(&byte);
    text.bytes()
        .map(|byte| match plain(byte) {
            true => char::from(byte).to_string(),
            false => format!("%{byte:02X}"),
        })
        .collect()
}

/// Base64 of bytes that come in threes.
fn base64(bytes: &[u8]) -> String {
    const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::new();
    for three in bytes.chunks_exact(3) {
        let all = three
            .iter()
            .fold(0_usize, |all, byte| all << 8 | usize::from(*byte));
        for shift in [18, 12, 6, 0] {
            text.push(char::from(LETTERS[all >> shift & 63]));
        }
    }
    text
}
