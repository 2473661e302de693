//! A player at a `websocket` door. The protocol by hand, so that no library of the host's hides a mistake.

use serde_json::Value;
use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpSocket, TcpStream};
use tokio::time::timeout;

/// How long anything may take that a decision does not take longer for.
const PATIENCE: Duration = Duration::from_secs(40);

const TEXT: u8 = 1;
const BINARY: u8 = 2;
const CLOSE: u8 = 8;
const PING: u8 = 9;
const PONG: u8 = 10;

/// A connection. Dropping it is a crash.
#[derive(Debug)]
pub struct Page {
    stream: TcpStream,
    unread: Vec<u8>,
}

impl Page {
    /// Connects from an address of this machine, and shows a payload.
    ///
    /// # Errors
    ///
    /// Those of the connection; that of a door which does not speak the protocol.
    pub async fn come(door: SocketAddr, from: Ipv4Addr, payload: &[u8]) -> io::Result<Page> {
        let socket = TcpSocket::new_v4()?;
        socket.bind(SocketAddr::from((from, 0)))?;
        let mut stream = socket.connect(door).await?;
        stream.set_nodelay(true)?;
        let hello = format!(
            "GET / HTTP/1.1\r\nHost: {door}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\
             Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n"
        );
        stream.write_all(hello.as_bytes()).await?;
        let mut page = Page {
            stream,
            unread: Vec::new(),
        };
        let head = page.head().await?;
        // What the key of the protocol's own example is answered with.
        let agreed =
            head.starts_with("HTTP/1.1 101 ") && head.contains("s3pPLMBiTxaQ9kYGzzhZRbK+xOo=");
        if !agreed {
            return Err(io::Error::other(format!("no WebSocket: {head}")));
        }
        page.send(BINARY, payload).await?;
        Ok(page)
    }

    /// How it ends: in, or refused with code and text.
    ///
    /// # Panics
    ///
    /// If it ends in neither way.
    pub async fn outcome(&mut self) -> Result<(), (String, String)> {
        loop {
            let (kind, data) = self.frame().await.expect("the door says how it ends");
            let said: Value = match kind {
                TEXT => serde_json::from_slice(&data).expect("it says it in JSON"),
                other => panic!("a frame of kind {other} before an answer"),
            };
            let text = |key: &str| said[key].as_str().unwrap_or_default().to_owned();
            match said["type"].as_str() {
                Some("accepted") => return Ok(()),
                Some("rejected") => return Err((text("code"), text("text"))),
                Some("status") => {}
                _ => panic!("{said} in place of an answer"),
            }
        }
    }

    /// Says goodbye, and waits until that was heard.
    ///
    /// # Panics
    ///
    /// If it was not.
    pub async fn leave(mut self) {
        // 1000: a normal end.
        let goodbye = self.send(CLOSE, &[0x03, 0xe8]).await;
        goodbye.expect("the connection is open");
        while let Ok((kind, _)) = self.frame().await {
            if kind == CLOSE {
                return;
            }
        }
        panic!("the door never said goodbye");
    }

    async fn send(&mut self, kind: u8, data: &[u8]) -> io::Result<()> {
        let mut frame = vec![0x80 | kind];
        match u16::try_from(data.len()) {
            Ok(short @ 0..=125) => frame.push(0x80 | u8::try_from(short).unwrap_or(0)),
            Ok(length) => {
                frame.push(0x80 | 126);
                frame.extend(length.to_be_bytes());
            }
            Err(_) => return Err(io::Error::other("longer than any test needs")),
        }
        let mask = [0x5a, 0x17, 0x99, 0xc3];
        frame.extend(mask);
        frame.extend(
            data.iter()
                .zip(mask.iter().cycle())
                .map(|(byte, mask)| byte ^ mask),
        );
        self.stream.write_all(&frame).await
    }

    /// The next frame that is no ping; pings are answered.
    async fn frame(&mut self) -> io::Result<(u8, Vec<u8>)> {
        loop {
            let head = self.take(2).await?;
            let length = match head[1] {
                126 => {
                    let length = self.take(2).await?;
                    usize::from(u16::from_be_bytes([length[0], length[1]]))
                }
                127 => return Err(io::Error::other("longer than any test needs")),
                length => usize::from(length),
            };
            let data = self.take(length).await?;
            match head[0] & 0x0f {
                PING => self.send(PONG, &data).await?,
                kind => return Ok((kind, data)),
            }
        }
    }

    async fn head(&mut self) -> io::Result<String> {
        loop {
            let end = self.unread.windows(4).position(|it| it == b"\r\n\r\n");
            if let Some(end) = end {
                let head = self.take(end + 4).await?;
                return Ok(String::from_utf8_lossy(&head).into_owned());
            }
            self.read().await?;
        }
    }

    async fn take(&mut self, length: usize) -> io::Result<Vec<u8>> {
        while self.unread.len() < length {
            self.read().await?;
        }
        Ok(self.unread.drain(..length).collect())
    }

    async fn read(&mut self) -> io::Result<()> {
        let mut buffer = [0; 4096];
        match timeout(PATIENCE, self.stream.read(&mut buffer)).await?? {
            0 => Err(io::ErrorKind::UnexpectedEof.into()),
            length => {
                self.unread.extend_from_slice(&buffer[..length]);
                Ok(())
            }
        }
    }
}
