//! `bucket`: the operator's lists.

use crate::bucket::{Bucket, Buckets};
use crate::escape::escaped;
use std::net::{IpAddr, Ipv6Addr};
use std::sync::Arc;

/// The longest name of a bucket that is shown, in bytes.
const SHOWN: usize = 64;

/// A module looked into a bucket that there is not.
#[derive(thiserror::Error, Clone, PartialEq, Eq, Debug)]
#[error(
    "looks into the bucket \"{name}\", which the configuration does not have: correct the name, or add \
     [[bucket]] with name = \"{name}\" and file = \"{name}.txt\""
)]
pub(crate) struct NoBucket {
    name: String,
}

/// The buckets of the decision that is being made.
#[derive(Default)]
pub(crate) struct BucketsView(Arc<Buckets>);

impl BucketsView {
    /// Before a call.
    pub(crate) fn begin(&mut self, buckets: Option<&Arc<Buckets>>) {
        self.0 = buckets.cloned().unwrap_or_default();
    }

    fn named(&self, name: &str) -> Result<&Bucket, NoBucket> {
        self.0.named(name).ok_or_else(|| NoBucket {
            name: escaped(name, SHOWN),
        })
    }
}

impl BucketsView {
    /// The note beside a text.
    pub(crate) fn get(&self, bucket: &str, entry: &str) -> Result<Option<Arc<str>>, NoBucket> {
        Ok(self.named(bucket)?.get(entry).cloned())
    }

    /// The note of the smallest network that an address is in.
    pub(crate) fn matches_address(
        &self,
        bucket: &str,
        (high, low): (u64, u64),
    ) -> Result<Option<Arc<str>>, NoBucket> {
        let bits = u128::from(high) << 64 | u128::from(low);
        let address = IpAddr::V6(Ipv6Addr::from_bits(bits)).to_canonical();
        Ok(self.named(bucket)?.matching(address).cloned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bucket::Entry;

    fn view() -> BucketsView {
        let mut bans = Bucket::default();
        for (entry, note) in [("R9", "cheats"), ("192.0.2.0/24", ""), ("192.0.2.9", "x")] {
            bans.insert(Entry::parse(entry).expect("an entry"), note.into());
        }
        let buckets = Buckets::default().with(&"bans".into(), bans.into());
        let mut view = BucketsView::default();
        view.begin(Some(&Arc::new(buckets)));
        view
    }

    #[test]
    fn what_a_bucket_holds_comes_with_its_note() {
        let view = view();
        let get = |entry: &str| {
            view.get("bans", entry)
                .ok()
                .map(|it| it.map(|it| it.to_string()))
        };
        assert_eq!(get("R9"), Some(Some("cheats".to_owned())));
        assert_eq!(get("D2"), Some(None));
        let matches = |address: &str| {
            let bits = match address.parse().expect("an address") {
                IpAddr::V4(v4) => v4.to_ipv6_mapped().to_bits(),
                IpAddr::V6(v6) => v6.to_bits(),
            };
            let address = ((bits >> 64) as u64, bits as u64);
            let found = view.matches_address("bans", address);
            found.map(|note| note.map(|it| it.to_string()))
        };
        assert_eq!(matches("192.0.2.1"), Ok(Some(String::new())));
        assert_eq!(matches("::ffff:192.0.2.9"), Ok(Some("x".to_owned())));
        assert_eq!(matches("192.0.3.1"), Ok(None));
    }

    #[test]
    fn a_bucket_that_there_is_not_is_named_with_what_to_do() {
        let view = view();
        let error = view.get("ban\n", "R9").unwrap_err();
        let says = "looks into the bucket \"ban\\n\", which the configuration does not have: correct \
                    the name, or add [[bucket]] with name = \"ban\\n\" and file = \"ban\\n.txt\"";
        assert_eq!(error.to_string(), says);
        let error = view.matches_address("", (0, 0xffff_c000_0201));
        assert!(error.is_err());
    }
}
