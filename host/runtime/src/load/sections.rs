//! Both forms of a module are a list of sections: an id, a length, and that many bytes.

/// The bytes of a preamble, of which the last four say that it is that of a core module.
const PREAMBLE: usize = 8;
const CORE: [u8; 4] = [1, 0, 0, 0];

/// Whether a binary is a core module, not a component, and what follows its preamble.
pub(super) fn opened(binary: &[u8]) -> Option<(bool, &[u8])> {
    let (preamble, sections) = binary.split_at_checked(PREAMBLE)?;
    Some((preamble[4..] == CORE, sections))
}

/// The sections in what follows a preamble, with their ids. The last is `None` if it does not end.
pub(super) struct Sections<'a>(pub(super) &'a [u8]);

impl<'a> Iterator for Sections<'a> {
    type Item = Option<(u8, &'a [u8])>;

    fn next(&mut self) -> Option<Self::Item> {
        let (id, rest) = std::mem::take(&mut self.0).split_first()?;
        let Some((body, rest)) = counted(rest) else {
            return Some(None);
        };
        self.0 = rest;
        Some(Some((*id, body)))
    }
}

/// As many bytes as the number before them says, and what comes after.
pub(super) fn counted(bytes: &[u8]) -> Option<(&[u8], &[u8])> {
    let (length, rest) = leb_u32(bytes)?;
    rest.split_at_checked(usize::try_from(length).ok()?)
}

/// A number of up to 32 bits as WebAssembly writes it: seven bits a byte, the low ones first.
pub(super) fn leb_u32(bytes: &[u8]) -> Option<(u32, &[u8])> {
    let mut value: u64 = 0;
    for (index, byte) in bytes.iter().enumerate().take(5) {
        value |= u64::from(byte & 0x7f) << (7 * index);
        if byte & 0x80 == 0 {
            return Some((u32::try_from(value).ok()?, &bytes[index + 1..]));
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sections_come_in_order_and_one_that_is_cut_is_the_last() {
        let sections: Vec<_> = Sections(b"\x01\x02ab\x00\x80\x00\x07\x05abc").collect();
        assert_eq!(sections, [Some((1, &b"ab"[..])), Some((0, &b""[..])), None]);
        assert_eq!(Sections(b"\x01\xff\xff\xff\xff\xff").last(), Some(None));
        assert_eq!(Sections(b"").last(), None);
    }
}
