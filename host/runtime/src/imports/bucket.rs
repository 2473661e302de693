//! `bucket`: the operator's lists.

use crate::bindings::bucket;
use crate::bucket::{Bucket, Buckets};
use crate::escape::escaped;
use crate::translate::bound::Breach;
use std::net::IpAddr;
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

impl bucket::Host for BucketsView {
    fn get(&mut self, bucket: String, entry: String) -> wasmtime::Result<Option<String>> {
        let note = self.named(&bucket)?.get(&entry);
        Ok(note.map(|note| note.to_string()))
    }

    fn matches_address(
        &mut self,
        bucket: String,
        address: String,
    ) -> wasmtime::Result<Option<String>> {
        let bucket = self.named(&bucket)?;
        let Ok(address) = address.trim().parse::<IpAddr>() else {
            let problem = "is not an IP address";
            return Err(Breach::new("bucket.matches-address: address", problem).into());
        };
        Ok(bucket.matching(address).map(|note| note.to_string()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bucket::Entry;
    use bucket::Host as _;

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
        let mut view = view();
        let mut get = |entry: &str| view.get("bans".to_owned(), entry.to_owned()).ok();
        assert_eq!(get("R9"), Some(Some("cheats".to_owned())));
        assert_eq!(get("D2"), Some(None));
        let mut matches = |address: &str| {
            let found = view.matches_address("bans".to_owned(), address.to_owned());
            found.map_err(|error| error.to_string())
        };
        assert_eq!(matches("192.0.2.1"), Ok(Some(String::new())));
        assert_eq!(matches("::ffff:192.0.2.9"), Ok(Some("x".to_owned())));
        assert_eq!(matches("192.0.3.1"), Ok(None));
        for wrong in ["R9", "192.0.2.1:4000", "192.0.2.0/24", ""] {
            let says = "bucket.matches-address: address is not an IP address";
            assert_eq!(matches(wrong), Err(says.to_owned()));
        }
    }

    #[test]
    fn a_bucket_that_there_is_not_is_named_with_what_to_do() {
        let mut view = view();
        let error = view.get("ban\n".to_owned(), "R9".to_owned()).unwrap_err();
        let says = "looks into the bucket \"ban\\n\", which the configuration does not have: correct \
                    the name, or add [[bucket]] with name = \"ban\\n\" and file = \"ban\\n.txt\"";
        assert_eq!(error.to_string(), says);
        let error = view.matches_address(String::new(), "192.0.2.1".to_owned());
        assert!(error.unwrap_err().is::<NoBucket>());
    }
}
