//! Looks for secrets in what was said: any part of one that is long enough to be no accident, as it is, in
//! base64 and in hex.

use crate::base64::base64;
use std::collections::HashSet;

/// How long a part must be to be no accident: of 64 letters, and of 16.
const PART: usize = 10;
const HEX_PART: usize = 24;

/// Secrets, prepared to be looked for all at once.
#[derive(Debug, Default)]
pub struct Search {
    parts: Parts<PART>,
    hex: Parts<HEX_PART>,
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
        self.parts.add(secret.as_bytes());
        self.parts.add(escaped(secret).as_bytes());
        for skipped in 0..3 {
            // Depending on what is before it, base64 cuts a text in one of three ways.
            let rest = secret.as_bytes().get(skipped..).unwrap_or_default();
            let whole = rest.len() / 3 * 3;
            let code = base64(&rest[..whole]);
            self.parts.add(code.as_bytes());
        }
        let hex: String = secret.bytes().map(|byte| format!("{byte:02x}")).collect();
        self.hex.add(hex.as_bytes());
    }

    /// Where in a text a part of a secret is.
    pub fn find(&self, text: &[u8]) -> Option<usize> {
        let plain = self.parts.find(text);
        plain.or_else(|| self.hex.find(&text.to_ascii_lowercase()))
    }
}

/// Parts of one length. Tens of megabytes are looked through, in a build that is not optimized: nearly all of
/// them are ruled out by a few of their bytes.
#[derive(Debug)]
struct Parts<const N: usize> {
    all: HashSet<[u8; N]>,
    /// A bit for each mark that a part has.
    marks: Vec<u64>,
}

impl<const N: usize> Default for Parts<N> {
    fn default() -> Parts<N> {
        Parts {
            all: HashSet::new(),
            marks: vec![0; 1 << (MARK_BITS - 6)],
        }
    }
}

impl<const N: usize> Parts<N> {
    fn add(&mut self, text: &[u8]) {
        for part in text.windows(N) {
            let mark = mark(part);
            self.marks[mark >> 6] |= 1 << (mark & 63);
            if let Ok(part) = part.try_into() {
                self.all.insert(part);
            }
        }
    }

    fn find(&self, text: &[u8]) -> Option<usize> {
        text.windows(N).position(|part| {
            let mark = mark(part);
            self.marks[mark >> 6] & 1 << (mark & 63) != 0 && self.all.contains(part)
        })
    }
}

const MARK_BITS: u32 = 24;

/// A number that the first eight bytes of a part make.
fn mark(part: &[u8]) -> usize {
    let first = part
        .first_chunk::<8>()
        .map_or(0, |it| u64::from_le_bytes(*it));
    // Fibonacci hashing: the upper bits of the product depend on all bytes.
    let mixed = first.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> (64 - MARK_BITS);
    usize::try_from(mixed).unwrap_or(0)
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
