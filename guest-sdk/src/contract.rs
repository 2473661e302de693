//! The contract's records and variants, under the names that the rest of the crate uses. Which of them
//! the two worlds share is of no interest outside `bindings`.

pub use crate::bindings::admission::exports::usher::policy::admission::{
    Abandonment, Acceptance, Act, Admission, Answer, BucketPut, Claim, Command, Decision,
    DoorAbilities, Ending, Endpoint, Fact, HeldUnit, Inquiry, KickIdentity, KickSession, Passing,
    Question, ReasonAbility, StatusAbility, Until, Verdict, Waiter, Waiting, Why,
};
pub(crate) use crate::bindings::admission::usher::policy::log::Level;
pub use crate::bindings::admission::usher::policy::types::{
    Attribute, AttributeValue, Description, Key, Millis, Reason, RequestId, RoomState, SessionId,
    UnixMillis,
};
pub use crate::bindings::rules::exports::usher::policy::rules::{
    Broadcasting, Delivery, Effect, Kicking, Message, Parting, Player, Sending,
};
