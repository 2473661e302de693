//! The queue by itself.

use super::*;

#[test]
fn what_must_get_through_does_and_in_order() {
    let (to, mut from) = inbox(2);
    assert_eq!(to.offer(1), Ok(()));
    to.put(2);
    assert_eq!(to.offer(3), Ok(()));
    assert_eq!(to.offer(4), Err(Full));
    to.put(5);
    assert_eq!(from.try_next(), Some(1));
    assert_eq!(to.offer(6), Ok(()), "what was taken out makes room");
    assert_eq!(to.offer(7), Err(Full));
    let rest: Vec<i32> = std::iter::from_fn(|| from.try_next()).collect();
    assert_eq!(rest, [2, 3, 5, 6]);
}

#[test]
fn who_is_patient_loses_nothing_however_slowly_it_is_taken_out() {
    const MANY: u32 = 10_000;
    let (to, mut from) = inbox(3);
    let sender = std::thread::spawn(move || {
        (0..MANY).for_each(|n| assert_eq!(to.offer_patiently(n), Ok(())));
    });
    let mut expected = 0;
    while expected < MANY {
        match from.try_next() {
            Some(n) => {
                assert_eq!(n, expected);
                expected += 1;
            }
            None => std::thread::yield_now(),
        }
    }
    sender.join().expect("it has sent everything");
}

#[test]
fn who_is_patient_does_not_wait_for_someone_who_is_gone() {
    let (to, from) = inbox(1);
    assert_eq!(to.offer_patiently(1), Ok(()));
    let sender = std::thread::spawn(move || to.offer_patiently(2));
    drop(from);
    assert_eq!(sender.join().expect("it ends"), Err(Full));
}

/// What the receiver has, and whether it was woken since it fell asleep.
struct Sleeper(AtomicBool);

impl std::task::Wake for Sleeper {
    fn wake(self: Arc<Self>) {
        self.0.store(true, Ordering::SeqCst);
    }
}

fn polled<T>(from: &mut Receiver<T>, sleeper: &Arc<Sleeper>) -> Poll<Option<T>> {
    sleeper.0.store(false, Ordering::SeqCst);
    let waker = sleeper.clone().into();
    std::pin::pin!(from.next()).poll(&mut std::task::Context::from_waker(&waker))
}

#[test]
fn who_sleeps_is_woken_once_and_not_by_what_is_put_in_quietly() {
    let (to, mut from) = inbox(2);
    let sleeper = Arc::new(Sleeper(AtomicBool::new(false)));
    let is_awake = || sleeper.0.swap(false, Ordering::SeqCst);
    assert_eq!(polled(&mut from, &sleeper), Poll::Pending);
    to.wake();
    assert!(!is_awake(), "there is nothing to know");
    to.put_quietly(1);
    assert_eq!(to.offer_quietly(2), Ok(()));
    assert!(!is_awake());
    to.wake();
    assert!(is_awake());
    to.put(3);
    assert!(!is_awake(), "it was woken already");
    assert_eq!(polled(&mut from, &sleeper), Poll::Ready(Some(1)));
    to.put(4);
    assert!(!is_awake(), "it does not sleep");
    let rest: Vec<i32> = std::iter::from_fn(|| from.try_next()).collect();
    assert_eq!(rest, [2, 3, 4]);
    assert_eq!(polled(&mut from, &sleeper), Poll::Pending);
    assert_eq!(to.offer(5), Ok(()));
    assert!(is_awake());
    assert_eq!(polled(&mut from, &sleeper), Poll::Ready(Some(5)));
    assert_eq!(polled(&mut from, &sleeper), Poll::Pending);
    drop(to);
    assert!(is_awake());
    assert_eq!(polled(&mut from, &sleeper), Poll::Ready(None));
}

#[test]
fn nothing_is_taken_once_nobody_listens() {
    let (to, from) = inbox(1);
    assert!(!to.is_closed());
    drop(from);
    assert!(to.is_closed());
    to.put(1);
    assert_eq!(to.offer(2), Err(Full));
}
