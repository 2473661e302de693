//! The floor of the `rtyp` door: what tokio does without being told more. A task a connection, which reads the
//! login's frame, writes the acceptance's and reads the goodbye; and one for all datagrams, which sends each
//! back as an Accept.

use crate::ready::ready;
use serde_json::json;
use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream, UdpSocket};

/// The longest body of a frame.
const LONGEST: usize = 512;

/// Longer than any datagram of the protocol.
const DATAGRAM: usize = 1_500;

/// Where the type is in a datagram, and the one that says that an endpoint is bound.
const TYPE: usize = 5;
const ACCEPT: u8 = 2;

/// Serves until the process ends.
///
/// # Errors
///
/// The system has no such port, or no threads, to give.
pub(crate) fn run(listen: &[SocketAddr]) -> io::Result<()> {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()?;
    runtime.block_on(serve(listen))
}

async fn serve(listen: &[SocketAddr]) -> io::Result<()> {
    let first = listen.first().ok_or(io::ErrorKind::InvalidInput)?;
    let tcp = TcpListener::bind(first).await?;
    let here = tcp.local_addr()?;
    let udp = UdpSocket::bind(listen.get(1).unwrap_or(&here)).await?;
    let udp_port = udp.local_addr()?.port();
    ready(&json!({"tcp": here, "udp": udp.local_addr()?}))?;
    tokio::spawn(echo(udp));
    let tokens = Arc::new(AtomicU32::new(1));
    loop {
        let (connection, _) = tcp.accept().await?;
        let tokens = tokens.clone();
        // Who breaks off loses its connection, and nobody else notices.
        tokio::spawn(async move { live(connection, udp_port, &tokens).await });
    }
}

async fn live(mut connection: TcpStream, udp_port: u16, tokens: &AtomicU32) -> io::Result<()> {
    let mut frame = [0; 2 + LONGEST];
    read_frame(&mut connection, &mut frame).await?;
    let token = tokens.fetch_add(1, Ordering::Relaxed).max(1);
    let [t0, t1, t2, t3] = token.to_le_bytes();
    let [p0, p1] = udp_port.to_le_bytes();
    // Length, LoginAccepted, token, player 0, port.
    let accepted = [8, 0, 2, t0, t1, t2, t3, 0, p0, p1];
    connection.write_all(&accepted).await?;
    read_frame(&mut connection, &mut frame).await
}

async fn read_frame(connection: &mut TcpStream, frame: &mut [u8]) -> io::Result<()> {
    let mut filled = 0;
    loop {
        let read = connection.read(&mut frame[filled..]).await?;
        filled += read;
        let whole = 2 + usize::from(u16::from_le_bytes([frame[0], frame[1]]));
        if filled >= whole && filled >= 2 {
            return Ok(());
        }
        if read == 0 || whole > frame.len() {
            return Err(io::ErrorKind::InvalidData.into());
        }
    }
}

async fn echo(udp: UdpSocket) {
    let mut datagram = [0; DATAGRAM];
    loop {
        // What the system reports of datagrams before is nobody's business here.
        let Ok((length, from)) = udp.recv_from(&mut datagram).await else {
            continue;
        };
        if length > TYPE {
            datagram[TYPE] = ACCEPT;
            let _ = udp.send_to(&datagram[..length], from).await;
        }
    }
}
