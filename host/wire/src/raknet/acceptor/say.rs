//! What a peer is told, by its stage.

use std::time::Duration;

use super::super::address::Addresses;
use super::super::message::Message;
use super::super::reliability::Reliability;
use super::event::Stage;
use super::server::Server;
use super::unsent::Unsent;
use super::{Acceptor, Nanos, is_the_games};

/// How long our last word may take to be acknowledged.
const LAST_WORD: Duration = Duration::from_secs(5);

/// How long a request for another place is taken for a late one of before.
const LATE: Duration = Duration::from_secs(1);

impl Acceptor {
    /// Tells it that its request to connect is accepted: its session request comes next. In a dialect without
    /// a session exchange this is [`accept`](Self::accept)'s to say.
    pub fn admit(&mut self, server: &Server, now: Duration) {
        if self.stage == Stage::Requested && self.opening.dialect.session_exchange {
            self.say_accepted(server, now);
        }
    }

    fn say_accepted(&mut self, server: &Server, now: Duration) {
        let addresses = Addresses::new(server.address.as_slice(), self.opening.dialect);
        let accepted = Message::Accepted {
            client: self.opening.client,
            index: 0,
            addresses,
            request_time: self.request_time,
            time: server.clock_at(now),
        };
        // The queue is empty so far.
        let _ = self.say(&accepted, Reliability::ReliableOrdered, now);
        self.stage = Stage::Handling;
    }

    /// Tells it that its password is wrong, and nothing after that.
    pub fn refuse_password(&mut self, server: &Server, now: Duration) {
        if self.stage == Stage::Requested {
            let guid = server.guid.to_bytes();
            self.say_last(&Message::InvalidPassword(&guid), Reliability::Reliable, now);
        }
    }

    /// Tells it that it is in. The config is at most 65,536 bytes, and lost on a dialect without a session
    /// exchange.
    ///
    /// # Errors
    ///
    /// [`Unsent`] when it does not wait for that, or does not keep up. It is to be ended then, unless it is
    /// [closing](Unsent::Closing) already.
    pub fn accept(&mut self, server: &Server, config: &[u8], now: Duration) -> Result<(), Unsent> {
        if matches!(self.stage, Stage::Closing | Stage::Over) {
            return Err(Unsent::Closing);
        }
        if !self.opening.dialect.session_exchange {
            if self.stage != Stage::Requested {
                return Err(Unsent::WrongStage);
            }
            self.say_accepted(server, now);
            self.waiting = Some(Box::default());
            return Ok(());
        }
        if self.stage != Stage::Pending {
            return Err(Unsent::WrongStage);
        }
        self.say(
            &Message::SessionConfig(config),
            Reliability::ReliableOrdered,
            now,
        )?;
        self.connection.release();
        self.connection.set_limits(server.accepted());
        self.waiting = Some(Box::default());
        self.stage = Stage::Connected;
        Ok(())
    }

    /// Tells it how things stand, in at most 65,536 bytes.
    ///
    /// # Errors
    ///
    /// [`Unsent`] when it does not wait for a decision, or does not keep up.
    pub fn status(&mut self, text: &[u8], now: Duration) -> Result<(), Unsent> {
        if self.stage != Stage::Pending {
            return Err(Unsent::WrongStage);
        }
        self.say(
            &Message::SessionStatus(text),
            Reliability::ReliableOrdered,
            now,
        )
    }

    /// Tells it that it is refused, and why, in at most 65,536 bytes; as far as its stage and its dialect can be
    /// told. `password` says that the reason is its password, for which there may be a word of its own.
    pub fn reject(&mut self, server: &Server, text: &[u8], password: bool, now: Duration) {
        let exchange = self.opening.dialect.session_exchange;
        match self.stage {
            // Whatever came before it is handled before it, so one that is on its way to wait is told too.
            Stage::Handling | Stage::Exchanging | Stage::Pending if exchange => self.say_last(
                &Message::SessionRejected(text),
                Reliability::ReliableOrdered,
                now,
            ),
            Stage::Requested if password => self.refuse_password(server, now),
            Stage::Requested | Stage::Handling => self.say_goodbye(text, now),
            // It cannot be told anything yet, or not any more.
            Stage::Unverified => self.end(),
            Stage::Exchanging
            | Stage::Pending
            | Stage::Connected
            | Stage::Closing
            | Stage::Over => {}
        }
    }

    /// Tells one that is in that it is sent away, and why, where the dialect has a place for that.
    pub fn disconnect(&mut self, reason: &[u8], now: Duration) {
        match self.stage {
            Stage::Connected | Stage::Handling => self.say_goodbye(reason, now),
            Stage::Closing | Stage::Over => {}
            _ => self.end(),
        }
    }

    /// Sends a message of the game, its id first. The channel counts for ordered and sequenced ones.
    ///
    /// # Errors
    ///
    /// [`Unsent`]; nothing of the message is sent.
    pub fn send(
        &mut self,
        bytes: &[u8],
        reliability: Reliability,
        channel: u8,
        now: Duration,
    ) -> Result<(), Unsent> {
        let is_in = self.stage == Stage::Connected || self.waiting.is_some();
        if !is_in || self.stage == Stage::Closing {
            return Err(Unsent::WrongStage);
        }
        let id = bytes.first().copied().unwrap_or(0);
        if !is_the_games(id, self.opening.dialect) {
            return Err(Unsent::Id(id));
        }
        match &mut self.waiting {
            // Until it knows that it is in, what overtakes that would be lost on it.
            Some(waiting) => {
                let most = self.connection.limits().max_outgoing;
                waiting.add(bytes, reliability, channel, most)?;
            }
            None => {
                self.connection.send(bytes, reliability, channel)?;
                if reliability.is_reliable() {
                    self.spoke = Nanos::of(now);
                }
            }
        }
        Ok(())
    }

    pub(super) fn say_goodbye(&mut self, reason: &[u8], now: Duration) {
        // What was said to it before comes first, but for what could overtake the news of its being in.
        if let Some(waiting) = self.waiting.take() {
            waiting.send(&mut self.connection, |later| later.follows());
        }
        let reason = if self.opening.dialect.disconnect_reason {
            reason
        } else {
            &[]
        };
        self.say_last(
            &Message::Disconnect(reason),
            Reliability::ReliableOrdered,
            now,
        );
    }

    /// Says a last word. Once it is acknowledged, or no later than a while from now, it is over.
    fn say_last(&mut self, message: &Message<'_>, reliability: Reliability, now: Duration) {
        // One whose queue is full does not hear it.
        let _ = self.say(message, reliability, now);
        self.close(now + LAST_WORD);
    }

    /// Whether it was just told its last word, and has neither acknowledged that nor left by itself. A second
    /// request of the same guid is then one of before that was late or came twice, since its client does not
    /// know yet that it has to ask again.
    #[must_use]
    pub fn is_hearing_its_last_word(&self, now: Duration) -> bool {
        let is_recent = now + LAST_WORD < self.until.time() + LATE;
        self.stage == Stage::Closing && !self.has_left && is_recent
    }

    pub(super) fn say(
        &mut self,
        message: &Message<'_>,
        reliability: Reliability,
        now: Duration,
    ) -> Result<(), Unsent> {
        self.connection.send(&message.to_bytes(), reliability, 0)?;
        if reliability.is_reliable() {
            self.spoke = Nanos::of(now);
        }
        Ok(())
    }
}
