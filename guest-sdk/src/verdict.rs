//! Builders of verdicts. Every one starts at [`Verdict`] and becomes a verdict with `.into()`.

use crate::contract::{
    Acceptance, Act, Admission, Claim, Command, Decision, Inquiry, Passing, Question, Reason,
    Verdict, Waiting,
};
use crate::early::{Decided, Early};

impl Verdict {
    /// Lets the request in.
    pub fn accept() -> Acceptance {
        Acceptance {
            options: vec![Admission::new()],
            otherwise_wait: None,
            then: None,
        }
    }

    /// Lets the next policy decide; the last one to pass accepts.
    pub fn pass() -> Passing {
        Passing {
            claims: Vec::new(),
            then: None,
        }
    }

    /// Refuses, and says why.
    pub fn reject(reason: Reason) -> Verdict {
        Decision::Reject(reason).into()
    }

    /// Waits in a lane until the claims can be had. Positions are counted in a lane.
    pub fn wait(lane: impl Into<String>) -> Waiting {
        Waiting::lane(lane)
    }

    /// Finds something out first. [`Facts::get`](crate::Facts::get) is mostly simpler.
    pub fn ask(question: Question) -> Inquiry {
        Inquiry::about(question)
    }

    /// Takes a claim at once and asks again: its index is then in
    /// [`held_index`](crate::Request::held_index).
    pub fn hold(claim: Claim) -> Inquiry {
        Inquiry {
            questions: Vec::new(),
            hold: vec![claim],
        }
    }

    /// With something to do besides. Comes last: it makes any builder a verdict.
    pub fn command(mut self, command: Command) -> Verdict {
        self.commands.push(command);
        self
    }
}

impl Acceptance {
    /// With a claim on its first option.
    pub fn claim(self, claim: Claim) -> Acceptance {
        self.first(|it| it.claim(claim))
    }

    /// With a stated, unproven identity for its first option: a name, for example.
    pub fn identity(self, identity: impl Into<String>) -> Acceptance {
        self.first(|it| it.identity(identity))
    }

    /// With a proven identity for its first option.
    pub fn proven_identity(self, identity: impl Into<String>) -> Acceptance {
        self.first(|it| it.proven_identity(identity))
    }

    /// With the name that others see, for its first option.
    pub fn display_name(self, name: impl Into<String>) -> Acceptance {
        self.first(|it| it.display_name(name))
    }

    /// With the room that its first option enters.
    pub fn room(self, name: impl Into<String>) -> Acceptance {
        self.first(|it| it.room(name))
    }

    /// With what the client is given with the acceptance, by its first option.
    pub fn config(self, config: impl Into<Vec<u8>>) -> Acceptance {
        self.first(|it| it.config(config))
    }

    /// With what the policy wants to read when it is asked of this session again, by its first option.
    pub fn remember(self, bytes: impl Into<Vec<u8>>) -> Acceptance {
        self.first(|it| it.remember(bytes))
    }

    /// With another option, tried when none before it fits.
    pub fn or(mut self, option: Admission) -> Acceptance {
        self.options.push(option);
        self
    }

    /// Waits when no option fits. Without it the request is refused, with the reason of the first
    /// claim that was full.
    pub fn otherwise_wait(mut self, waiting: Waiting) -> Acceptance {
        self.otherwise_wait = Some(waiting);
        self
    }

    /// With an act that the host runs once, when the whole chain has accepted.
    pub fn then(mut self, act: Act) -> Acceptance {
        self.then = Some(act);
        self
    }

    fn first(mut self, change: impl FnOnce(Admission) -> Admission) -> Acceptance {
        // The fields are public, so an author may have emptied the list.
        let option = if self.options.is_empty() {
            Admission::new()
        } else {
            self.options.remove(0)
        };
        self.options.insert(0, change(option));
        self
    }
}

impl Admission {
    /// A way in that claims nothing and knows no identity.
    pub fn new() -> Admission {
        Admission {
            identity: None,
            identity_proven: false,
            display_name: None,
            room: None,
            claims: Vec::new(),
            config: Vec::new(),
            remember: Vec::new(),
        }
    }

    /// With a claim.
    pub fn claim(mut self, claim: Claim) -> Admission {
        self.claims.push(claim);
        self
    }

    /// With an identity that the peer only states.
    pub fn identity(mut self, identity: impl Into<String>) -> Admission {
        self.identity = Some(identity.into());
        self.identity_proven = false;
        self
    }

    /// With an identity that was proven.
    pub fn proven_identity(mut self, identity: impl Into<String>) -> Admission {
        self.identity = Some(identity.into());
        self.identity_proven = true;
        self
    }

    /// With the name that others see.
    pub fn display_name(mut self, name: impl Into<String>) -> Admission {
        self.display_name = Some(name.into());
        self
    }

    /// With the room to enter.
    pub fn room(mut self, name: impl Into<String>) -> Admission {
        self.room = Some(name.into());
        self
    }

    /// With what the client is given.
    pub fn config(mut self, config: impl Into<Vec<u8>>) -> Admission {
        self.config = config.into();
        self
    }

    /// With what the policy wants to read later.
    pub fn remember(mut self, bytes: impl Into<Vec<u8>>) -> Admission {
        self.remember = bytes.into();
        self
    }
}

impl Default for Admission {
    fn default() -> Admission {
        Admission::new()
    }
}

impl Passing {
    /// With a claim, which is tested at once.
    pub fn claim(mut self, claim: Claim) -> Passing {
        self.claims.push(claim);
        self
    }

    /// With an act that the host runs once, when the whole chain has accepted.
    pub fn then(mut self, act: Act) -> Passing {
        self.then = Some(act);
        self
    }
}

impl Waiting {
    /// A place in a lane, of rank and priority 0.
    pub fn lane(lane: impl Into<String>) -> Waiting {
        Waiting {
            lane: lane.into(),
            lane_rank: 0,
            priority: 0,
            status: None,
            identity: None,
            identity_proven: false,
            claims: Vec::new(),
        }
    }

    /// Lanes of a lower rank are served first.
    pub fn rank(mut self, rank: i32) -> Waiting {
        self.lane_rank = rank;
        self
    }

    /// In a lane a higher priority is served first.
    pub fn priority(mut self, priority: i32) -> Waiting {
        self.priority = priority;
        self
    }

    /// With what the player is told now.
    pub fn status(mut self, status: impl Into<Vec<u8>>) -> Waiting {
        self.status = Some(status.into());
        self
    }

    /// With an identity that the peer only states: its place is kept for a dropped connection at the
    /// same address.
    pub fn identity(mut self, identity: impl Into<String>) -> Waiting {
        self.identity = Some(identity.into());
        self.identity_proven = false;
        self
    }

    /// With an identity that was proven: its place is kept wherever it comes back from.
    pub fn proven_identity(mut self, identity: impl Into<String>) -> Waiting {
        self.identity = Some(identity.into());
        self.identity_proven = true;
        self
    }

    /// With something that it waits for.
    pub fn claim(mut self, claim: Claim) -> Waiting {
        self.claims.push(claim);
        self
    }
}

impl Inquiry {
    /// One question.
    pub fn about(question: Question) -> Inquiry {
        Inquiry {
            questions: vec![question],
            hold: Vec::new(),
        }
    }

    /// With another question, found out at the same time.
    pub fn and(mut self, question: Question) -> Inquiry {
        self.questions.push(question);
        self
    }

    /// With a claim that is taken at once and held meanwhile.
    pub fn hold(mut self, claim: Claim) -> Inquiry {
        self.hold.push(claim);
        self
    }
}

impl From<Decision> for Verdict {
    fn from(decision: Decision) -> Verdict {
        Verdict {
            decision,
            commands: Vec::new(),
        }
    }
}

/// Makes a builder a verdict, and what a policy returns.
macro_rules! becomes_verdict {
    ($($builder:ident => $case:ident),*) => {$(
        impl $builder {
            /// With something to do besides. Comes last: the builder becomes a verdict.
            pub fn command(self, command: Command) -> Verdict {
                Verdict::from(self).command(command)
            }
        }

        impl From<$builder> for Verdict {
            fn from(builder: $builder) -> Verdict {
                Decision::$case(builder).into()
            }
        }

        impl From<$builder> for Early {
            fn from(builder: $builder) -> Early {
                Verdict::from(builder).into()
            }
        }

        impl From<$builder> for Decided {
            fn from(builder: $builder) -> Decided {
                Ok(builder.into())
            }
        }
    )*};
}

becomes_verdict!(Acceptance => Accept, Passing => Pass, Waiting => Wait, Inquiry => Ask);
