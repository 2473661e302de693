use super::*;

/// What was sent, each datagram by itself.
#[derive(Default)]
struct Sent(Vec<Vec<u8>>);

impl Way for Sent {
    fn send(&mut self, _: Ipv4Addr, bytes: &[u8]) {
        self.0.push(bytes.to_vec());
    }

    fn send_two(&mut self, _: Ipv4Addr, bytes: &[u8], length: usize) {
        assert!(bytes.len() <= 2 * length);
        self.0.extend(bytes.chunks(length).map(<[u8]>::to_vec));
    }
}

const DOOR: SocketAddrV4 = SocketAddrV4::new(Ipv4Addr::LOCALHOST, 4243);
const HERE: Ipv4Addr = Ipv4Addr::new(127, 1, 0, 1);

fn at(millis: u64) -> Duration {
    Duration::from_millis(millis)
}

fn reply1() -> Vec<u8> {
    let mut reply = Vec::new();
    Offline::Reply1 {
        guid: Guid(7),
        cookie: Some(0xc00c_1e55),
        mtu: 1400,
    }
    .encode(&mut reply);
    reply
}

fn reply2() -> Vec<u8> {
    let mut reply = Vec::new();
    Offline::Reply2 {
        guid: Guid(7),
        client: SocketAddrV4::new(HERE, 1),
        mtu: 1400,
    }
    .encode(&mut reply);
    reply
}

fn said(number: u32, order: u32, message: &Message<'_>) -> Vec<u8> {
    let mut out = Vec::new();
    begin_data(number, &mut out);
    frame(
        message,
        Reliability::ReliableOrdered,
        order,
        order,
        &mut out,
    );
    out
}

fn ack(number: u32) -> Vec<u8> {
    let mut out = Vec::new();
    encode_ack(&[(number, number)], 1400, &mut out);
    out
}

/// Brings one as far as its session request.
fn waiting(sent: &mut Sent, buffer: &mut Vec<u8>) -> Life {
    let mut life = Life::new(HERE, 5, DOOR, at(0), (buffer, sent));
    for answer in [
        reply1(),
        reply2(),
        ack(0),
        said(
            0,
            0,
            &Message::Accepted {
                client: SocketAddrV4::new(HERE, 1),
                index: 0,
                addresses: Addresses::new(&[], Dialect::MAFIANET),
                request_time: 0,
                time: 9,
            },
        ),
    ] {
        assert_eq!(
            life.take(&answer, at(1), (&mut *buffer, &mut *sent)),
            Step::None
        );
    }
    life
}

#[test]
fn a_life_is_five_datagrams_and_an_acknowledgement() {
    let (mut sent, mut buffer) = (Sent::default(), Vec::new());
    let mut life = waiting(&mut sent, &mut buffer);
    let config = said(1, 1, &Message::SessionConfig(b""));
    let step = life.take(&config, at(2), (&mut buffer, &mut sent));
    assert_eq!(step, Step::Admitted);
    let step = life.take(&ack(1), at(3), (&mut buffer, &mut sent));
    assert_eq!(step, Step::None, "that was not its goodbye");
    let step = life.take(&ack(2), at(3), (&mut buffer, &mut sent));
    assert_eq!(step, Step::Over);
    assert_eq!(sent.0.len(), 6);
    assert_eq!(sent.0[0].len(), 1372);
    let Ok(Datagram::Ack(ranges)) = Datagram::parse(&sent.0[5]) else {
        panic!("{:?}", sent.0[5]);
    };
    assert_eq!(ranges.iter().collect::<Vec<_>>(), [(0, 1)]);
}

#[test]
fn before_anything_of_it_was_acknowledged_it_acknowledges_at_once() {
    let (mut sent, mut buffer) = (Sent::default(), Vec::new());
    let mut life = Life::new(HERE, 5, DOOR, at(0), (&mut buffer, &mut sent));
    for answer in [reply1(), reply2(), said(0, 0, &Message::Ping { time: 0 })] {
        life.take(&answer, at(1), (&mut buffer, &mut sent));
    }
    assert!(life.is_restless());
    life.settle((&mut buffer, &mut sent));
    assert!(!life.is_restless());
    let last = sent.0.last().unwrap();
    assert!(matches!(Datagram::parse(last), Ok(Datagram::Ack(_))));
}

#[test]
fn what_is_not_answered_is_said_again_until_it_gives_up() {
    let (mut sent, mut buffer) = (Sent::default(), Vec::new());
    let mut life = waiting(&mut sent, &mut buffer);
    let mut steps = Vec::new();
    for second in 1..=12 {
        let now = at(1 + 1000 * second);
        steps.push(life.tick(now, (&mut buffer, &mut sent)));
    }
    let again = steps.iter().filter(|step| **step == Step::Again).count();
    assert_eq!(again, usize::from(TRIES) - 1);
    assert_eq!(steps[usize::from(TRIES) - 1], Step::Lost);
    assert_eq!(steps.last(), Some(&Step::None));
}

#[test]
fn a_refusal_ends_it_with_its_word() {
    let (mut sent, mut buffer) = (Sent::default(), Vec::new());
    let mut life = waiting(&mut sent, &mut buffer);
    let no = said(1, 1, &Message::SessionRejected(b"full"));
    let step = life.take(&no, at(2), (&mut buffer, &mut sent));
    assert_eq!(step, Step::Refused("full".to_owned()));
    assert_eq!(
        life.take(&no, at(3), (&mut buffer, &mut sent)),
        Step::None,
        "it is over"
    );
}
