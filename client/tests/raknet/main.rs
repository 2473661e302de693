//! The client of the RakNet family against a small server, over real sockets.

mod joining;
mod playing;
mod server;

use server::Server;
use usher_client::raknet::{Client, Options};
use usher_wire::raknet::Message;

/// A server, and a client that it let in.
async fn session(options: Options) -> (Server, Client) {
    let mut server = Server::start().await;
    let address = server.address();
    let client = tokio::spawn(async move { Client::connect(address, options).await });
    server.heard(0x80).await;
    server.say(&Message::SessionConfig(b"map")).await;
    let client = client.await.expect("no panic").expect("let in");
    (server, client)
}
