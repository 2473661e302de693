//! Random bits for the core: session tokens, and the seeds of what policies are asked.

use rand::TryRng as _;
use rand::rngs::SysRng;

/// How many are fetched at once: each time is a call of the system.
const TOGETHER: usize = 64;

/// The operating system's random bits, each given out once.
pub(super) fn entropy() -> impl FnMut() -> u64 {
    let mut fetched = [[0; 8]; TOGETHER];
    let mut left = 0;
    move || {
        if left == 0 {
            SysRng.try_fill_bytes(fetched.as_flattened_mut()).expect(
                "a system whose generator works when it starts does not lose it afterwards",
            );
            left = TOGETHER;
        }
        left -= 1;
        // What has become a token is kept nowhere else.
        u64::from_ne_bytes(std::mem::take(&mut fetched[left]))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn none_is_given_out_twice() {
        let mut entropy = entropy();
        let many = 4 * TOGETHER + 1;
        let given: HashSet<u64> = (0..many).map(|_| entropy()).collect();
        assert_eq!(given.len(), many);
        assert!(!given.contains(&0));
    }
}
