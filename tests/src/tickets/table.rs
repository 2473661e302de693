//! Plays whole tables, several hosts at once.

use super::data::World;
use super::play::play;
use crate::visitor::Door;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tokio::sync::Semaphore;
use tokio::task::JoinSet;

/// How many hosts of one table run at once.
const AT_ONCE: usize = 4;

/// Where the tables are.
pub fn data() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("data/tickets")
}

/// Plays every world of a table, and fails if anything is not as it says.
///
/// # Panics
///
/// With what is not.
pub async fn hold_to(table: &str) {
    let file = data().join(table).with_extension("json");
    let text = fs::read_to_string(&file).expect("the table is there");
    play_all(World::table(&text)).await;
}

/// The same for worlds that a test made.
///
/// # Panics
///
/// With what is not as they say.
pub async fn play_all(worlds: Vec<World>) {
    let rows: usize = worlds.iter().map(|world| world.rows.len()).sum();
    let room = Arc::new(Semaphore::new(AT_ONCE));
    let mut playing = JoinSet::new();
    for world in worlds {
        let room = Arc::clone(&room);
        playing.spawn(async move {
            let _turn = room.acquire().await;
            play(world, &Door::ALL).await
        });
    }
    let mut problems = Vec::new();
    while let Some(found) = playing.join_next().await {
        problems.extend(found.expect("a world is played to its end"));
    }
    let text = problems.join("\n");
    assert!(
        problems.is_empty(),
        "{} of {rows} rows:\n{text}",
        problems.len()
    );
}
