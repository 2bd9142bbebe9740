//! Limits the connections to a local server that have not shown its token.
//!
//! Any program on the machine can connect, and send nothing or half a request.
//! Such connections are closed after a while, and the oldest is closed if there
//! are too many. The first admitted request exempts a connection.

use std::collections::VecDeque;
use std::future::Future;
use std::io;
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::task::{Context, Poll};
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::sync::oneshot;
use tokio::time::timeout;

/// The most strangers at once; a browser opens six connections to a host, each with a request.
const MOST: usize = 64;

/// How long a stranger may take until its first admitted request.
const PATIENCE: Duration = Duration::from_secs(10);

/// The strangers of one server.
#[derive(Default)]
pub(crate) struct Strangers {
    /// In the order of their arrival.
    visits: Mutex<VecDeque<Weak<Visit>>>,
}

/// The state of a connection.
pub struct Visit {
    admitted: AtomicBool,
    /// Dropped to end the connection.
    end: Mutex<Option<oneshot::Sender<()>>>,
}

/// A connection whose reads and writes fail once it has to end.
pub struct Caller<S> {
    stream: S,
    visit: Arc<Visit>,
    end: Pin<Box<dyn Future<Output = ()> + Send>>,
}

impl Strangers {
    /// Registers a new connection, and ends the oldest if there are too many.
    ///
    /// # Panics
    ///
    /// Panics outside a runtime with timers.
    pub(crate) fn receive<S>(&self, stream: S) -> Caller<S> {
        let (end, ended) = oneshot::channel();
        let visit = Arc::new(Visit { admitted: AtomicBool::new(false), end: Mutex::new(Some(end)) });
        let mut visits = self.visits.lock().unwrap_or_else(PoisonError::into_inner);
        visits.retain(|visit| visit.upgrade().is_some_and(|visit| !visit.is_admitted()));
        while visits.len() >= MOST {
            visits.pop_front().and_then(|oldest| oldest.upgrade()).into_iter().for_each(|it| it.end());
        }
        visits.push_back(Arc::downgrade(&visit));
        drop(visits);
        // Ready in both cases: after the timeout, or when the sender is dropped.
        let end = Box::pin(async { drop(timeout(PATIENCE, ended).await) });
        Caller { stream, visit, end }
    }
}

impl Visit {
    /// Records that a request of this connection was admitted, so that the connection may stay.
    pub fn admit(&self) {
        self.admitted.store(true, Ordering::Relaxed);
    }

    fn is_admitted(&self) -> bool {
        self.admitted.load(Ordering::Relaxed)
    }

    fn end(&self) {
        drop(self.end.lock().unwrap_or_else(PoisonError::into_inner).take());
    }
}

impl<S> Caller<S> {
    /// Returns the state of the connection.
    pub fn visit(&self) -> Arc<Visit> {
        Arc::clone(&self.visit)
    }

    fn check(&mut self, context: &mut Context<'_>) -> io::Result<()> {
        match self.visit.is_admitted() || self.end.as_mut().poll(context).is_pending() {
            true => Ok(()),
            false => Err(io::ErrorKind::TimedOut.into()),
        }
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for Caller<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        self.check(context)?;
        Pin::new(&mut self.stream).poll_read(context, buffer)
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for Caller<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        self.check(context)?;
        Pin::new(&mut self.stream).poll_write(context, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.check(context)?;
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        slices: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        self.check(context)?;
        Pin::new(&mut self.stream).poll_write_vectored(context, slices)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::future::poll_fn;

    /// A connection that never receives anything.
    struct Silent;

    impl AsyncRead for Silent {
        fn poll_read(self: Pin<&mut Self>, _: &mut Context<'_>, _: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
            Poll::Pending
        }
    }

    async fn is_over(caller: &mut Caller<Silent>) -> bool {
        let read =
            |context: &mut Context<'_>| Pin::new(&mut *caller).poll_read(context, &mut ReadBuf::new(&mut []));
        let mut read = read;
        poll_fn(|context| Poll::Ready(matches!(read(context), Poll::Ready(Err(_))))).await
    }

    fn in_runtime(test: impl Future<Output = ()>) {
        tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap().block_on(test);
    }

    #[test]
    fn of_too_many_strangers_the_oldest_ends() {
        in_runtime(async {
            let strangers = Strangers::default();
            let mut callers: Vec<_> = (0..MOST + 2).map(|_| strangers.receive(Silent)).collect();
            let mut over = Vec::new();
            for caller in &mut callers {
                over.push(is_over(caller).await);
            }
            let expected: Vec<_> = (0..MOST + 2).map(|number| number < 2).collect();
            assert_eq!(over, expected);
        });
    }

    #[test]
    fn who_was_admitted_is_no_stranger_and_neither_is_who_left() {
        in_runtime(async {
            let strangers = Strangers::default();
            let mut first = strangers.receive(Silent);
            first.visit().admit();
            drop(strangers.receive(Silent));
            let mut callers: Vec<_> = (0..MOST).map(|_| strangers.receive(Silent)).collect();
            assert!(!is_over(&mut first).await && !is_over(callers.first_mut().unwrap()).await);
        });
    }
}
