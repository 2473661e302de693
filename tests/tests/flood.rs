//! Strangers at the door: they cost bounded memory and time, and real players get in.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};
use tokio::io::AsyncWriteExt;
use tokio::net::TcpStream;
use usher_tests::{Setup, Usher, knock};

fn host() -> Usher {
    Usher::start(&Setup::new().policy("rtyp", "builtin:rtyp", ""))
}

/// Memory may grow by this much under a flood: buffers of the kernel's size, not of the flood's.
const GROWTH: u64 = 64 << 20;

#[tokio::test(flavor = "multi_thread")]
async fn ten_thousand_connections_that_send_one_byte_keep_nobody_out() {
    let host = host();
    let before = host.memory();
    let mut strangers = Vec::new();
    for _ in 0..100 {
        let batch: Vec<_> = (0..100)
            .map(|_| {
                let tcp = host.tcp;
                tokio::spawn(async move {
                    let mut stream = TcpStream::connect(tcp).await?;
                    stream.write_all(&[6]).await?;
                    Ok::<_, std::io::Error>(stream)
                })
            })
            .collect();
        for stranger in batch {
            // The host may close the oldest at any moment.
            strangers.extend(stranger.await.expect("no panic"));
        }
        if strangers.len() == 5_000 {
            knock(host.tcp, "early")
                .await
                .expect("an answer")
                .accepted()
                .leave()
                .await;
        }
    }
    let player = knock(host.tcp, "R9").await.expect("an answer").accepted();
    player.bind().await;
    let after = host.memory();
    assert!(
        after < before + GROWTH,
        "memory went from {before} to {after} bytes"
    );
    println!(
        "{} strangers, memory {before} to {after} bytes",
        strangers.len()
    );
    player.leave().await;
    drop(strangers);
    host.stop();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_hundred_thousand_random_datagrams_keep_nobody_out() {
    const EACH_SECOND: u64 = 10_000;
    const SECONDS: u64 = 10;
    let host = host();
    let before = host.memory();
    let (stop, sent) = (
        Arc::new(AtomicBool::new(false)),
        Arc::new(AtomicU64::new(0)),
    );
    let noise = {
        let (udp, stop, sent) = (host.udp, stop.clone(), sent.clone());
        std::thread::spawn(move || shout(udp, EACH_SECOND, EACH_SECOND * SECONDS, &stop, &sent))
    };
    let start = Instant::now();
    let mut joined = 0;
    while !noise.is_finished() {
        let player = knock(host.tcp, "R9").await.expect("an answer").accepted();
        player.bind().await;
        player.leave().await;
        joined += 1;
        assert!(
            start.elapsed() < Duration::from_secs(60),
            "the noise never ends"
        );
    }
    stop.store(true, Ordering::Relaxed);
    noise.join().expect("no panic");
    let after = host.memory();
    assert_eq!(sent.load(Ordering::Relaxed), EACH_SECOND * SECONDS);
    assert!(joined > 10, "only {joined} players got in");
    assert!(
        after < before + GROWTH,
        "memory went from {before} to {after} bytes"
    );
    println!("{joined} players got in, memory {before} to {after} bytes");
    host.stop();
}

/// Sends random datagrams at a pace, a third of them shaped like the protocol's own.
fn shout(udp: SocketAddr, pace: u64, total: u64, stop: &AtomicBool, sent: &AtomicU64) {
    use rand::{Rng, RngExt, SeedableRng};
    let mut random = rand::rngs::StdRng::seed_from_u64(1);
    let sockets: Vec<_> = (0..16)
        .map(|_| std::net::UdpSocket::bind("127.0.0.1:0").expect("loopback has a free port"))
        .collect();
    let start = Instant::now();
    let mut buffer = [0; 1400];
    for number in 0..total {
        if stop.load(Ordering::Relaxed) {
            return;
        }
        let length = random.random_range(0..buffer.len());
        random.fill_bytes(&mut buffer[..length]);
        if number % 3 == 0 && length >= 18 {
            buffer[..6].copy_from_slice(b"RTYP\x01\x01");
        }
        let socket = &sockets[usize::try_from(number % 16).unwrap_or(0)];
        // A full socket buffer loses it, as a network would.
        let _ = socket.send_to(&buffer[..length], udp);
        sent.fetch_add(1, Ordering::Relaxed);
        if number % 100 == 99 {
            let due = start + Duration::from_micros((number + 1) * 1_000_000 / pace);
            std::thread::sleep(due.saturating_duration_since(Instant::now()));
        }
    }
}
