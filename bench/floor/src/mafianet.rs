//! The floor of the `mafianet` door: answers each datagram of a life from a table, with as many system calls as
//! one must have. Nobody is known, nothing is decided, no cookie is looked at and nothing ever comes again.

use crate::ready::ready;
use quinn_udp::{BATCH_SIZE, RecvMeta, Transmit, UdpSockRef, UdpSocketState};
use rustix::event::{PollFd, PollFlags, poll};
use rustix::net::addr::SocketAddrArg as _;
use rustix::net::{MMsgHdr, SendAncillaryBuffer, SendFlags, SocketAddrAny, sendmmsg};
use serde_json::json;
use std::array::from_fn;
use std::io::{self, IoSlice, IoSliceMut};
use std::net::{SocketAddr, UdpSocket};

/// The longest that the system ever hands over at once, also when it joins datagrams of one sender.
const BUFFER: usize = 65_535;

/// What the system should keep for us while we are busy, in bytes.
const KERNEL_BUFFER: usize = 16 << 20;

/// How many datagrams are sent in one call.
const MANY: usize = 32;

/// What every message before a connection has in it.
const MAGIC: [u8; 16] = [
    0x00, 0xff, 0xff, 0x00, 0xfe, 0xfe, 0xfe, 0xfe, 0xfd, 0xfd, 0xfd, 0xfd, 0x12, 0x34, 0x56, 0x78,
];

/// Who we are, and an address that is nobody's: nobody looks.
const GUID: [u8; 8] = [7; 8];
const ADDRESS: [u8; 7] = [4, 0xff, 0xff, 0xff, 0xff, 0, 0];
const MTU: [u8; 2] = 1400u16.to_be_bytes();

/// An acknowledgement of one datagram, whose number is to follow.
const ACK: [u8; 4] = [0xc0, 0x00, 0x01, 0x01];

/// Serves until the process ends.
///
/// # Errors
///
/// The system has no such port to give.
pub(crate) fn run(listen: SocketAddr) -> io::Result<()> {
    let io = UdpSocket::bind(listen)?;
    io.set_nonblocking(true)?;
    let state = UdpSocketState::new(UdpSockRef::from(&io))?;
    // What the system gives is enough or shows as datagrams that come again.
    if rustix::net::sockopt::set_socket_recv_buffer_size_force(&io, KERNEL_BUFFER).is_err() {
        let _ = state.set_recv_buffer_size(UdpSockRef::from(&io), KERNEL_BUFFER);
    }
    let _ = state.set_send_buffer_size(UdpSockRef::from(&io), KERNEL_BUFFER);
    ready(&json!({"udp": io.local_addr()?}))?;
    let table = Table::new();
    let mut buffers = vec![0; BUFFER * BATCH_SIZE];
    let mut metas = [RecvMeta::default(); BATCH_SIZE];
    let mut answers = Vec::new();
    loop {
        let mut chunks = buffers.chunks_exact_mut(BUFFER);
        // There are BATCH_SIZE chunks, so no slice is ever the empty one.
        let mut slices: [IoSliceMut<'_>; BATCH_SIZE] =
            from_fn(|_| IoSliceMut::new(chunks.next().unwrap_or_default()));
        let filled = match state.recv(UdpSockRef::from(&io), &mut slices, &mut metas) {
            Ok(filled) => filled,
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                match poll(&mut [PollFd::new(&io, PollFlags::IN)], None) {
                    Ok(_) | Err(rustix::io::Errno::INTR) => continue,
                    Err(error) => return Err(error.into()),
                }
            }
            Err(error) => return Err(error),
        };
        for (buffer, meta) in buffers.chunks_exact(BUFFER).zip(&metas[..filled]) {
            for datagram in buffer[..meta.len.min(BUFFER)].chunks(meta.stride.max(1)) {
                let answer = table.answer(datagram);
                answers.extend(answer.map(|answer| (meta.addr, answer)));
            }
        }
        send(&io, &state, &mut answers);
    }
}

/// What there is to say.
struct Table {
    reply1: Vec<u8>,
    reply2: Vec<u8>,
    accepted: Vec<u8>,
    config: Vec<u8>,
}

/// One datagram, or messages and an acknowledgement that travel as one.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Answer {
    bytes: Vec<u8>,
    /// Where the second one begins, if there is one.
    second: Option<usize>,
}

impl Table {
    fn new() -> Table {
        let reply1 = [&[0x06][..], &MAGIC, &GUID, &[1, 0, 0, 0, 9], &MTU].concat();
        let reply2 = [&[0x08][..], &MAGIC, &GUID, &ADDRESS, &MTU, &[0]].concat();
        let accepted = [
            &[0x10][..],
            &ADDRESS,
            &[0; 2],
            &ADDRESS.repeat(10),
            &[0; 16],
        ]
        .concat();
        Table {
            reply1,
            reply2,
            accepted: data(0, &accepted),
            config: data(1, &[0x81]),
        }
    }

    fn answer(&self, datagram: &[u8]) -> Option<Answer> {
        match *datagram {
            [0x05, ..] => Some(one(&self.reply1)),
            [0x07, ..] => Some(one(&self.reply2)),
            [0x84, a, b, c, ..] => {
                let ack = [&ACK[..], &[a, b, c]].concat();
                match message(datagram)? {
                    0x09 => Some(two(&self.accepted, &ack)),
                    0x13 => Some(two(&self.config, &ack)),
                    _ => Some(one(&ack)),
                }
            }
            _ => None,
        }
    }
}

fn one(bytes: &[u8]) -> Answer {
    Answer {
        bytes: bytes.to_vec(),
        second: None,
    }
}

fn two(bytes: &[u8], then: &[u8]) -> Answer {
    Answer {
        bytes: [bytes, then].concat(),
        second: Some(bytes.len()),
    }
}

/// A datagram with one message, reliable and in order.
fn data(number: u8, message: &[u8]) -> Vec<u8> {
    // All of ours are short.
    let [high, low] = (message.len() as u16 * 8).to_be_bytes();
    let head = [
        0x84, number, 0, 0, 0x60, high, low, number, 0, 0, number, 0, 0, 0,
    ];
    [&head[..], message].concat()
}

/// The id of the first message in a data datagram.
fn message(datagram: &[u8]) -> Option<u8> {
    let at = match datagram.get(4)? >> 5 {
        0 => 7,
        2 => 10,
        3 => 14,
        _ => return None,
    };
    datagram.get(at).copied()
}

/// Sends all of them: those that travel as one, and then the others, many a call.
fn send(io: &UdpSocket, state: &UdpSocketState, answers: &mut Vec<(SocketAddr, Answer)>) {
    let (joined, alone): (Vec<_>, Vec<_>) = answers.drain(..).partition(|it| it.1.second.is_some());
    for (to, answer) in &joined {
        let transmit = Transmit {
            destination: *to,
            ecn: None,
            contents: &answer.bytes,
            segment_size: answer.second,
            src_ip: None,
        };
        // What the system does not take is asked for again.
        let _ = state.try_send(UdpSockRef::from(io), &transmit);
    }
    for some in alone.chunks(MANY) {
        // An array has to be full; what is behind the last is not handed over.
        let at = |place: usize| &some[place.min(some.len() - 1)];
        let to: [SocketAddrAny; MANY] = from_fn(|place| at(place).0.as_any());
        let bytes: [[IoSlice<'_>; 1]; MANY] = from_fn(|place| [IoSlice::new(&at(place).1.bytes)]);
        let mut nothing: [SendAncillaryBuffer<'_, '_, '_>; MANY] = from_fn(|_| Default::default());
        let mut parts = to.iter().zip(&bytes);
        let mut headers = nothing.each_mut().map(|nothing| {
            let (to, bytes) = parts.next().expect("arrays of the same length");
            MMsgHdr::new_with_addr(to, bytes, nothing)
        });
        let _ = sendmmsg(io, &mut headers[..some.len()], SendFlags::empty());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_datagram_of_a_life_has_its_answer() {
        let table = Table::new();
        let answer = |datagram: &[u8]| table.answer(datagram);
        let first = answer(&[&[0x05][..], &MAGIC, &[7], &[0; 100]].concat()).unwrap();
        assert_eq!((first.bytes[0], first.bytes.len()), (0x06, 32));
        let second = answer(&[&[0x07][..], &MAGIC].concat()).unwrap();
        assert_eq!((second.bytes[0], second.bytes.len()), (0x08, 35));
        // Reliable, of 20 bytes.
        let request = [0x84, 0, 0, 0, 0x40, 0, 160, 0, 0, 0, 0x09];
        let accepted = answer(&request).unwrap();
        let (said, ack) = accepted.bytes.split_at(accepted.second.unwrap());
        assert_eq!((said.len(), said[14]), (110, 0x10));
        assert_eq!(ack, [0xc0, 0, 1, 1, 0, 0, 0]);
        let entry = data(1, &[0x13]);
        let config = answer(&entry).unwrap();
        let (said, ack) = config.bytes.split_at(config.second.unwrap());
        assert_eq!(said, data(1, &[0x81]));
        assert_eq!(ack, [0xc0, 0, 1, 1, 1, 0, 0]);
        let goodbye = answer(&data(2, &[0x15])).unwrap();
        assert_eq!(goodbye, one(&[0xc0, 0, 1, 1, 2, 0, 0]));
        for nothing in [&[][..], &[0xc0, 0, 1, 1, 0, 0, 0], &[0x84, 0], &[0x1c]] {
            assert_eq!(answer(nothing), None, "{nothing:?}");
        }
    }
}
