//! The contract's records and variants, under the names that the rest of the crate uses. Which of them
//! the two worlds share is of no interest outside `bindings`.

pub use crate::bindings::admission::exports::usher::policy::admission::{
    Abandonment, Ending, Endpoint, Waiter, Why,
};
pub use crate::bindings::admission::usher::policy::answer::{
    Acceptance, Act, Admission, BucketPut, Claim, Command, Decision, Inquiry, KickIdentity,
    KickSession, Passing, Until, Verdict, Waiting,
};
pub use crate::bindings::admission::usher::policy::details::{
    DoorAbilities, DoorInfo, HeldUnit, ProgressInfo, ReasonAbility, StatusAbility,
};
pub(crate) use crate::bindings::admission::usher::policy::log::Level;
pub use crate::bindings::admission::usher::policy::types::{
    Answer, Attribute, AttributeValue, Description, Fact, IpAddress, Key, Millis, Question, Reason,
    RequestId, RoomState, SessionId, UnixMillis,
};
pub use crate::bindings::rules::exports::usher::policy::rules::{
    Broadcasting, Delivery, Effect, Kicking, Message, Parting, Player, Sending,
};
