//! The queue between those who ask and the workers. Its length is bounded by who asks: a request has one
//! ask outstanding at most. What nobody waits for comes after that, and is bounded here.

use std::collections::VecDeque;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

/// A queue with many readers, who take one job at a time: a job that takes long holds up its own worker
/// and no other job.
pub(crate) struct Queue<T> {
    inner: Mutex<Inner<T>>,
    ready: Condvar,
}

struct Inner<T> {
    jobs: VecDeque<T>,
    /// For when there are none of the former.
    later: VecDeque<T>,
    /// How many readers sleep.
    asleep: usize,
    closed: bool,
}

impl<T> Queue<T> {
    /// An empty queue.
    pub(crate) fn new() -> Queue<T> {
        Queue {
            inner: Mutex::new(Inner {
                jobs: VecDeque::new(),
                later: VecDeque::new(),
                asleep: 0,
                closed: false,
            }),
            ready: Condvar::new(),
        }
    }

    /// Adds a job. Dropped if the queue is closed.
    pub(crate) fn push(&self, job: T) {
        let mut inner = self.inner();
        if !inner.closed {
            inner.jobs.push_back(job);
            self.wake(inner);
        }
    }

    /// Adds a job that has its turn when there is no other. Given back if `most` of these wait.
    pub(crate) fn push_later(&self, job: T, most: usize) -> Result<(), T> {
        let mut inner = self.inner();
        if inner.later.len() >= most {
            return Err(job);
        }
        if !inner.closed {
            inner.later.push_back(job);
            self.wake(inner);
        }
        Ok(())
    }

    fn wake(&self, inner: MutexGuard<'_, Inner<T>>) {
        let asleep = inner.asleep > 0;
        drop(inner);
        // Waking costs a call of the system, and readers that are busy come by themselves.
        if asleep {
            self.ready.notify_one();
        }
    }

    /// The next job, in the order in which they came; `None` once the queue is closed. Waits.
    pub(crate) fn pop(&self) -> Option<T> {
        let mut inner = self.inner();
        loop {
            if inner.closed {
                return None;
            }
            let Inner { jobs, later, .. } = &mut *inner;
            if let Some(job) = jobs.pop_front().or_else(|| later.pop_front()) {
                return Some(job);
            }
            inner.asleep += 1;
            inner = self
                .ready
                .wait(inner)
                .unwrap_or_else(PoisonError::into_inner);
            inner.asleep -= 1;
        }
    }

    /// Lets every reader go. Jobs that are still there are dropped.
    pub(crate) fn close(&self) {
        let mut inner = self.inner();
        inner.closed = true;
        let dropped = (
            std::mem::take(&mut inner.jobs),
            std::mem::take(&mut inner.later),
        );
        drop(inner);
        drop(dropped);
        self.ready.notify_all();
    }

    fn inner(&self) -> MutexGuard<'_, Inner<T>> {
        // Nothing panics while the lock is held.
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;

    #[test]
    fn every_job_is_read_once() {
        let queue = Arc::new(Queue::new());
        let readers: Vec<_> = (0..4)
            .map(|_| {
                let queue = Arc::clone(&queue);
                std::thread::spawn(move || {
                    let mut read = Vec::new();
                    while let Some(Some(job)) = queue.pop() {
                        read.push(job);
                    }
                    read
                })
            })
            .collect();
        for job in 0..1_000 {
            queue.push(Some(job));
        }
        for _ in 0..4 {
            queue.push(None);
        }
        let read = readers
            .into_iter()
            .flat_map(|reader| reader.join().expect("no panic"));
        let mut read: Vec<i32> = read.collect();
        read.sort_unstable();
        assert!(read.into_iter().eq(0..1_000));
    }

    #[test]
    fn what_can_wait_comes_last_and_is_bounded() {
        let queue = Queue::new();
        assert_eq!(queue.push_later(1, 2), Ok(()));
        queue.push(2);
        assert_eq!(queue.push_later(3, 2), Ok(()));
        assert_eq!(queue.push_later(4, 2), Err(4));
        queue.push(5);
        let read: Vec<_> = (0..4).map(|_| queue.pop()).collect();
        assert_eq!(read, [Some(2), Some(5), Some(1), Some(3)]);
        assert_eq!(queue.push_later(6, 2), Ok(()));
    }

    #[test]
    fn closing_lets_readers_go() {
        let queue = Arc::new(Queue::new());
        queue.push(1);
        queue.close();
        queue.push(2);
        assert_eq!(queue.pop(), None);
    }
}
