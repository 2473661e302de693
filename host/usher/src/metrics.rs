//! What is counted, under which name, for Prometheus.
//!
//! Every metric is named here and nowhere else; the rest of the host calls the functions below. The
//! figures that the core can report at any moment are sampled when someone looks, so there is no second
//! count that could come to disagree with the first.

use metrics::{counter, gauge, histogram};
use metrics_exporter_prometheus::{Matcher, PrometheusBuilder, PrometheusRecorder};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;
use usher_core::{Rechecked, Report};

const PLAYERS: &str = "usher_players";
const PLAYERS_MAX: &str = "usher_players_max";
const PENDING: &str = "usher_pending";
const PENDING_DECIDING: &str = "usher_pending_deciding";
const PENDING_WAITING: &str = "usher_pending_waiting";
const PENDING_MAX: &str = "usher_pending_max";
const CLAIMS: &str = "usher_claims";
const ENDPOINTS: &str = "usher_endpoints_bound";
const DOOR_PEERS: &str = "usher_door_peers";
const DOOR_HELD: &str = "usher_door_held_bytes";
const DECISIONS: &str = "usher_decisions_total";
const DECISION_WAIT: &str = "usher_decision_wait_seconds";
const KNOCKS_REFUSED: &str = "usher_knocks_refused_total";
const KNOCKS_SHED: &str = "usher_knocks_shed_total";
const POLICY_CALLS: &str = "usher_policy_calls_total";
const POLICY_FAULTS: &str = "usher_policy_faults_total";
const POLICY_DURATION: &str = "usher_policy_call_duration_seconds";
const POLICY_GENERATION: &str = "usher_policy_generation";
const RELOADS: &str = "usher_reloads_total";
const SESSIONS_ENDED: &str = "usher_sessions_ended_total";
const DATAGRAMS_DROPPED: &str = "usher_udp_datagrams_dropped_total";
const MESSAGES_DROPPED: &str = "usher_messages_dropped_total";
const RELAY_LOST: &str = "usher_relay_lost_total";
const BUCKET_ENTRIES: &str = "usher_bucket_entries";
const BUCKET_READS: &str = "usher_bucket_reads_total";
const BUCKET_PUTS: &str = "usher_bucket_puts_total";
const RECHECKS: &str = "usher_rechecks_total";
const MESSAGES_REPEATED: &str = "usher_messages_repeated_total";
const AUDIT_LOST: &str = "usher_audit_records_lost_total";
const LOOKUPS: &str = "usher_lookups_total";
const LOOKUP_DURATION: &str = "usher_lookup_duration_seconds";
const HEARTBEATS: &str = "usher_heartbeats_total";
const SDK_CALLS: &str = "usher_sdk_calls_total";
const SDK_RECONNECTS: &str = "usher_sdk_watch_reconnects_total";
const SDK_STRANDED: &str = "usher_sdk_stranded_total";
const BUILD: &str = "usher_build_info";

/// From a call that hits a warm instance to one that runs into a generous deadline.
const CALL_BUCKETS: &[f64] = &[
    0.000_025, 0.000_05, 0.000_1, 0.000_25, 0.000_5, 0.001, 0.002_5, 0.005, 0.01, 0.02, 0.05, 0.1,
    0.5, 1.0,
];

/// From a decision without a queue to a long evening in one.
const WAIT_BUCKETS: &[f64] = &[
    0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1.0, 5.0, 10.0, 30.0, 60.0, 300.0, 1800.0,
];

/// From an answer of this machine to one that ran into the deadline of a decision.
const LOOKUP_BUCKETS: &[f64] = &[
    0.001, 0.002_5, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.0, 5.0, 10.0,
];

/// The metrics. Cheap to clone.
#[derive(Clone)]
pub struct Metrics {
    recorder: Arc<PrometheusRecorder>,
}

/// The recorder is there already: a process has one.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("metrics are recorded already in this process")]
pub struct AlreadyInstalled;

/// What others count on their own.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Counts {
    /// Knocks that were dropped before the core saw them.
    pub knocks_shed: u64,
    /// Records of decisions that were never written.
    pub audit_lost: u64,
}

impl Metrics {
    /// Metrics that hold what is sampled through this value, and nothing else before
    /// [`Metrics::install`].
    pub fn new() -> Metrics {
        Metrics {
            recorder: Arc::new(recorder()),
        }
    }

    /// Takes everything that is recorded in this process from now on. Once a process.
    ///
    /// # Errors
    ///
    /// [`AlreadyInstalled`] the second time.
    pub fn install(&self) -> Result<(), AlreadyInstalled> {
        metrics::set_global_recorder(self.recorder.clone()).map_err(|_| AlreadyInstalled)?;
        describe();
        Ok(())
    }

    /// Takes over how things stand.
    pub(crate) fn sample(&self, report: &Report, counts: Counts) {
        self.here(|| {
            gauge!(PLAYERS).set(report.connected);
            gauge!(PLAYERS_MAX).set(report.max_players);
            gauge!(PENDING).set(report.pending);
            gauge!(PENDING_DECIDING).set(report.deciding);
            gauge!(PENDING_WAITING).set(report.waiting);
            gauge!(PENDING_MAX).set(report.max_pending);
            gauge!(CLAIMS).set(report.claims);
            gauge!(ENDPOINTS).set(report.endpoints);
            counter!(KNOCKS_SHED).absolute(counts.knocks_shed);
            counter!(AUDIT_LOST).absolute(counts.audit_lost);
        });
    }

    /// Takes over how a policy does, or the rules.
    pub(crate) fn sample_module(&self, name: &str, generation: u64, calls: u64, faults: u64) {
        self.here(|| {
            let label = || [("policy", name.to_owned())];
            counter!(POLICY_CALLS, &label()).absolute(calls);
            counter!(POLICY_FAULTS, &label()).absolute(faults);
            // A gauge is a float; generations are small.
            gauge!(POLICY_GENERATION, &label()).set(generation as f64);
        });
    }

    /// Takes over what a door holds of its own.
    pub(crate) fn sample_door(
        &self,
        name: &str,
        peers: &BTreeMap<&'static str, u32>,
        held_bytes: u64,
    ) {
        self.here(|| {
            for (state, count) in peers {
                gauge!(DOOR_PEERS, "door" => name.to_owned(), "state" => *state).set(*count);
            }
            // A gauge is a float, and exact far beyond any memory.
            gauge!(DOOR_HELD, "door" => name.to_owned()).set(held_bytes as f64);
        });
    }

    /// Takes over how much is in a bucket.
    pub(crate) fn sample_bucket(&self, name: &str, entries: usize) {
        // A gauge is a float; a bucket has a million entries at most.
        self.here(|| gauge!(BUCKET_ENTRIES, "bucket" => name.to_owned()).set(entries as f64));
    }

    /// Everything, in Prometheus' text format.
    pub fn render(&self) -> String {
        self.recorder.handle().render()
    }

    /// Must be called now and then, or what histograms have not yet sorted grows when nobody looks.
    pub fn upkeep(&self) {
        self.recorder.handle().run_upkeep();
    }

    fn here(&self, record: impl FnOnce()) {
        metrics::with_local_recorder(&*self.recorder, record);
    }
}

impl Default for Metrics {
    fn default() -> Metrics {
        Metrics::new()
    }
}

/// A decision came out. `reason` is empty where there is none.
pub(crate) fn decided(door: &str, outcome: &'static str, reason: &str, waited: Duration) {
    let door = || door.to_owned();
    counter!(DECISIONS, "door" => door(), "outcome" => outcome, "reason" => reason.to_owned())
        .increment(1);
    histogram!(DECISION_WAIT, "door" => door(), "outcome" => outcome).record(waited);
}

/// A knock was refused before anything was decided about it.
pub(crate) fn knock_refused(door: &str, reason: &str) {
    counter!(KNOCKS_REFUSED, "door" => door.to_owned(), "reason" => reason.to_owned()).increment(1);
}

/// A policy was called.
pub(crate) fn policy_called(policy: &str, took: Duration) {
    histogram!(POLICY_DURATION, "policy" => policy.to_owned()).record(took);
}

/// A session ended; `cause` is [`usher_core::SessionEnd::word`].
pub fn session_ended(door: &str, cause: &'static str) {
    sessions_ended(door, cause, 1);
}

/// Several did.
pub fn sessions_ended(door: &str, cause: &'static str, how_many: u64) {
    counter!(SESSIONS_ENDED, "door" => door.to_owned(), "cause" => cause).increment(how_many);
}

/// Datagrams were dropped. `cause` is one of the door's few words, never anything from the datagram.
pub fn datagrams_dropped(door: &str, cause: &'static str, how_many: u64) {
    counter!(DATAGRAMS_DROPPED, "door" => door.to_owned(), "cause" => cause).increment(how_many);
}

/// A message of a player or of the rules was dropped, at a door whose protocol has connections. `cause` is one
/// of the door's few words.
pub fn message_dropped(door: &str, cause: &'static str) {
    counter!(MESSAGES_DROPPED, "door" => door.to_owned(), "cause" => cause).increment(1);
}

/// Something was lost between a door and the game server behind it: `cause` is one of the relay's few words.
pub fn relay_lost(door: &str, cause: &'static str, how_many: u64) {
    counter!(RELAY_LOST, "door" => door.to_owned(), "cause" => cause).increment(how_many);
}

/// Messages, or parts of them, were sent again because the peer did not acknowledge them.
pub fn messages_repeated(door: &str, how_many: u64) {
    counter!(MESSAGES_REPEATED, "door" => door.to_owned()).increment(how_many);
}

/// A module was offered: `result` is `loaded`, `unchanged`, `refused` or `rolled-back`.
pub fn reloaded(policy: &str, result: &'static str) {
    counter!(RELOADS, "policy" => policy.to_owned(), "result" => result).increment(1);
}

/// A bucket's file was read again: `result` is `loaded`, `unchanged` or `refused`.
pub(crate) fn bucket_read(bucket: &str, result: &'static str) {
    counter!(BUCKET_READS, "bucket" => bucket.to_owned(), "result" => result).increment(1);
}

/// A policy put something into a bucket: `result` is `taken`, `known`, `bad-entry`, `full`, `too-many` or
/// `unknown-bucket`, whose name is not told because it may be anything.
pub(crate) fn bucket_put(result: &'static str) {
    counter!(BUCKET_PUTS, "result" => result).increment(1);
}

/// Something was found out, or done, for a policy, or not: `answer` is `found`, `missing`, `unavailable`, or
/// `unwanted` when the request was gone first. `question` is one that the host knows, or `other`.
pub(crate) fn looked_up(question: &'static str, answer: &'static str, took: Duration) {
    counter!(LOOKUPS, "question" => question, "answer" => answer).increment(1);
    histogram!(LOOKUP_DURATION, "question" => question).record(took);
}

/// The directory answered a heartbeat, or did not: `result` is `accepted`, `refused` or `failed`.
pub(crate) fn heartbeat(result: &'static str) {
    counter!(HEARTBEATS, "result" => result).increment(1);
}

/// Those who play were asked about again.
pub(crate) fn rechecked(policy: &str, rechecked: &Rechecked) {
    let result = match rechecked.stopped {
        true => "stopped",
        false => "done",
    };
    counter!(RECHECKS, "policy" => policy.to_owned(), "result" => result).increment(1);
}

/// The local SDK endpoint was called: `outcome` is `ok`, `refused` (any status but a success) or `lost`.
pub(crate) fn sdk_called(call: &'static str, outcome: &'static str) {
    counter!(SDK_CALLS, "call" => call, "outcome" => outcome).increment(1);
}

/// The watch stream of the local SDK endpoint is opened again.
pub(crate) fn sdk_reconnecting() {
    counter!(SDK_RECONNECTS).increment(1);
}

/// Players were let in while this host was ending their session.
pub(crate) fn sdk_stranded() {
    counter!(SDK_STRANDED).increment(1);
}

fn recorder() -> PrometheusRecorder {
    let mut builder = PrometheusBuilder::new();
    for (name, buckets) in [
        (POLICY_DURATION, CALL_BUCKETS),
        (DECISION_WAIT, WAIT_BUCKETS),
        (LOOKUP_DURATION, LOOKUP_BUCKETS),
    ] {
        let name = Matcher::Full(name.to_owned());
        builder = builder
            .set_buckets_for_metric(name, buckets)
            .expect("the buckets above are not empty");
    }
    builder.build_recorder()
}

fn describe() {
    use metrics::{describe_counter, describe_gauge, describe_histogram};
    describe_gauge!(PLAYERS, "Sessions that hold a seat.");
    describe_gauge!(PLAYERS_MAX, "Seats in all.");
    describe_gauge!(
        PENDING,
        "Requests in the pending pool, places without a connection included."
    );
    describe_gauge!(PENDING_DECIDING, "Pending requests that are being decided.");
    describe_gauge!(
        PENDING_WAITING,
        "Pending requests that wait in a lane, and places."
    );
    describe_gauge!(PENDING_MAX, "The size of the pending pool.");
    describe_gauge!(CLAIMS, "Units taken in the seat ledger.");
    describe_gauge!(ENDPOINTS, "UDP endpoints bound to sessions.");
    describe_gauge!(DOOR_PEERS, "Peers that a door knows, by where they stand.");
    describe_gauge!(
        DOOR_HELD,
        "Bytes of what peers sent and what is not whole, or not decided about."
    );
    describe_counter!(DECISIONS, "Decisions, by outcome and reason code.");
    describe_histogram!(
        DECISION_WAIT,
        "From a request's arrival to the decision's outcome, in seconds."
    );
    describe_counter!(
        KNOCKS_REFUSED,
        "Requests refused before anything was decided about them."
    );
    describe_counter!(
        KNOCKS_SHED,
        "Knocks dropped because too many waited for the core."
    );
    describe_counter!(POLICY_CALLS, "Calls of a policy, or of the rules.");
    describe_counter!(
        POLICY_FAULTS,
        "Calls that trapped, overran or answered badly."
    );
    describe_histogram!(
        POLICY_DURATION,
        "How long on-connect-request took, in seconds."
    );
    describe_gauge!(POLICY_GENERATION, "The generation that is asked.");
    describe_counter!(RELOADS, "Modules offered, by what came of it.");
    describe_gauge!(BUCKET_ENTRIES, "Entries in a bucket.");
    describe_counter!(
        BUCKET_READS,
        "Readings of a bucket's file, by what came of it."
    );
    describe_counter!(
        BUCKET_PUTS,
        "Entries that policies put into buckets, by what came of it."
    );
    describe_counter!(RECHECKS, "Rechecks of those who play, by what came of it.");
    describe_counter!(SESSIONS_ENDED, "Sessions that ended, by cause.");
    describe_counter!(DATAGRAMS_DROPPED, "Datagrams dropped, by cause.");
    describe_counter!(
        MESSAGES_DROPPED,
        "Messages dropped at doors that have connections, by cause."
    );
    describe_counter!(
        RELAY_LOST,
        "Lost between a door and the game server behind it, by cause."
    );
    describe_counter!(
        MESSAGES_REPEATED,
        "Messages and parts sent again because they were not acknowledged."
    );
    describe_counter!(AUDIT_LOST, "Records of decisions that were never written.");
    describe_counter!(
        LOOKUPS,
        "What policies wanted found out or done, by what came of it."
    );
    describe_histogram!(LOOKUP_DURATION, "How long that took, in seconds.");
    describe_counter!(
        HEARTBEATS,
        "Heartbeats to the directory, by what came of it."
    );
    describe_counter!(
        SDK_CALLS,
        "Calls of the local SDK endpoint, by what came of them."
    );
    describe_counter!(
        SDK_RECONNECTS,
        "How often the watch stream of the local SDK endpoint was opened again."
    );
    describe_counter!(
        SDK_STRANDED,
        "How often players were let in while their session was being ended."
    );
    describe_gauge!(BUILD, "Always 1; the version is a label.");
    gauge!(BUILD, "version" => env!("CARGO_PKG_VERSION")).set(1.0);
}
