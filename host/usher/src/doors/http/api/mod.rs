//! What is said in JSON, both ways: the types are what the API's description is made of.

mod answer;
mod asked;
mod problem;

pub(super) use answer::{
    Accepted, Answer, Ended, Endings, How, Lease, Over, OverWhy, Rejected, Session, SessionState,
    Sessions, Waiting,
};
pub(super) use asked::{After, Behind, End, EndHow, NewLocal, NewRequest, Unfit, Wait, WaitAfter};
pub(super) use problem::{Problem, ProblemBody};
