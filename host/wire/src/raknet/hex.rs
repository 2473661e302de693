//! Hexadecimal text for tests, spaces allowed.

pub(super) fn hex(text: &str) -> Vec<u8> {
    let digits: Vec<u8> = text
        .chars()
        .filter(|c| !c.is_whitespace())
        .map(|c| c.to_digit(16).expect("a hexadecimal digit") as u8)
        .collect();
    assert!(digits.len().is_multiple_of(2), "{text}");
    digits.chunks(2).map(|two| two[0] << 4 | two[1]).collect()
}
