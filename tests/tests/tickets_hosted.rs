//! Every row of what the contract of join tickets says of a server on a fleet, as the compiled policies decide it
//! in a host: against an endpoint that speaks HTTP, through real doors. The rows are in `tests/data/tickets`.

use usher_tests::tickets::hold_to;

#[tokio::test(flavor = "multi_thread")]
async fn payloads_are_read_in_the_order_of_the_contract() {
    hold_to("payload").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn checks_come_in_the_order_of_the_contract() {
    hold_to("order").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_fleets_reservations_are_decided_by_their_holds() {
    hold_to("hosted_reservation").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_fleets_matches_are_decided_by_the_current_allocation() {
    hold_to("hosted_match").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_fleets_backfills_are_decided_by_what_was_delivered() {
    hold_to("hosted_backfill").await;
}
