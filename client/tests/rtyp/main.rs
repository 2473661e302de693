//! The `rtyp` client against a small server, over real sockets.

mod login;
mod server;
mod session;

use std::net::SocketAddr;

use server::{Peer, Server};
use usher_client::rtyp::{Client, Error, Options, PlayerName};

const LOGOUT_LEFT: [u8; 2] = [4, 0];

fn name() -> PlayerName {
    "R9".parse().expect("a good name")
}

async fn connect(server: &Server) -> Result<Client, Error> {
    Client::connect(server.address(), &name(), Options::default()).await
}

/// A server and a client that is bound to it.
async fn session() -> (Server, Peer, SocketAddr, Client) {
    let mut server = Server::start().await;
    let address = server.address();
    let client =
        tokio::spawn(async move { Client::connect(address, &name(), Options::default()).await });
    let (peer, endpoint) = server.bind().await;
    let client = client.await.expect("no panic").expect("bound");
    (server, peer, endpoint, client)
}
