//! `params`: the operator's settings for the module.

use crate::bindings::params;
use crate::config::Params;
use std::sync::Arc;

/// The params of the decision that is being made.
#[derive(Default)]
pub(crate) struct ParamsView(Arc<Params>);

impl ParamsView {
    /// Before a call.
    pub(crate) fn begin(&mut self, params: &Arc<Params>) {
        self.0 = Arc::clone(params);
    }
}

impl params::Host for ParamsView {
    fn get(&mut self, name: String) -> Option<String> {
        self.0.get(&name).cloned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use params::Host as _;

    #[test]
    fn a_name_has_the_value_of_this_call() {
        let mut view = ParamsView::default();
        assert_eq!(view.get("seats".to_owned()), None);
        let params = Params::from([("seats".to_owned(), "8".to_owned())]);
        view.begin(&Arc::new(params));
        assert_eq!(view.get("seats".to_owned()).as_deref(), Some("8"));
        view.begin(&Arc::default());
        assert_eq!(view.get("seats".to_owned()), None);
    }
}
