//! From the socket to the routes, and the end.

use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::response::Response;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::{Service as _, service_fn};
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::GracefulShutdown;
use hyper_util::service::TowerToHyperService;
use nix::sys::socket::setsockopt;
use nix::sys::socket::sockopt::TcpUserTimeout;
use serde_json::json;
use tokio::net::{TcpListener, TcpStream};
use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use super::blocking::blocking;
use super::guard::Peer;
use super::log::{Aside, Log, entry};
use super::router::router;
use super::settings::ServeSettings;
use super::state::Service;
use super::{limits, schedule, socket};
use crate::app::{Error, system};
use crate::text::with_causes;

/// Answers requests until the process is told to stop (`SIGTERM`, `SIGINT`); then those that are there are answered to their end.
///
/// # Errors
/// The settings let everybody read who was not meant to; tokens or history cannot be read; the address is taken.
pub fn serve(settings: &ServeSettings, log: Log) -> Result<(), Error> {
    let (aside, log) = Aside::new(log)?;
    let ended = served(settings, log);
    aside.end();
    ended
}

fn served(settings: &ServeSettings, log: Log) -> Result<(), Error> {
    let inherited = socket::inherited()?;
    let listen = inherited.as_ref().map_or(settings.listen, |(_, address)| *address);
    let settings = ServeSettings { listen, ..settings.clone() };
    settings.check()?;
    // Before anything is touched that belongs to whoever listens there already.
    let socket = inherited.map_or_else(|| socket::own(listen), |(socket, _)| Ok(socket))?;
    let service = Service::open(&settings, log)?;
    let threads = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .max_blocking_threads(limits::BLOCKING)
        .build()
        .map_err(system("threads cannot be started"))?;
    let ended = threads.block_on(run(&service, &settings, socket));
    // What is still at work has had its time.
    threads.shutdown_background();
    ended
}

async fn run(service: &Arc<Service>, settings: &ServeSettings, socket: std::net::TcpListener) -> Result<(), Error> {
    let heard = |kind| signal(kind).map_err(system("signals cannot be heard"));
    let (mut term, mut int, hup) =
        (heard(SignalKind::terminate())?, heard(SignalKind::interrupt())?, heard(SignalKind::hangup())?);
    let failed = || system(format!("cannot listen on {}", settings.listen));
    let listener = socket.set_nonblocking(true).and_then(|()| TcpListener::from_std(socket)).map_err(failed())?;
    let address = listener.local_addr().map_err(failed())?;
    entry(&service.log, "listening", json!({ "address": address.to_string() }));
    let watching = tokio::spawn(watch(Arc::clone(service), hup));
    let at_work = schedule::AtWork::default();
    let nights = |wanted| tokio::spawn(schedule::nights(wanted, service.log.clone(), Arc::clone(&at_work)));
    let nights = settings.nights.clone().map(nights);
    let connections = Connections::new(service);
    tokio::select! {
        _ = term.recv() => {}
        _ = int.recv() => {}
        () = connections.accept(&listener) => {}
    }
    drop(listener);
    watching.abort();
    if let Some(nights) = nights {
        nights.abort();
        schedule::stop(&at_work);
    }
    entry(&service.log, "stopping", json!({}));
    let in_time = tokio::time::timeout(limits::GRACE, connections.graceful.shutdown()).await.is_ok();
    entry(&service.log, "stopped", json!({ "in_time": in_time }));
    Ok(())
}

/// Reads the tokens again when their file changes, and at once at `SIGHUP`.
async fn watch(service: Arc<Service>, mut hup: Signal) {
    // What failed by itself is tried again each time, and said once.
    let mut told = None;
    loop {
        let asked = tokio::time::timeout(limits::WATCH, hup.recv()).await.is_ok();
        let doors = Arc::clone(&service);
        let read = blocking(move || Ok(doors.doors.reload(asked).map_err(|error| with_causes(&error)))).await;
        match read.unwrap_or_else(|problem| Err(problem.message)) {
            Ok(true) => entry(&service.log, "tokens", json!({ "reloaded": true })),
            Err(cause) if asked || told.as_ref() != Some(&cause) => {
                entry(&service.log, "tokens", json!({ "reloaded": false, "cause": cause }));
                told = Some(cause);
            }
            Ok(false) | Err(_) => {}
        }
    }
}

/// The connections that are open.
struct Connections {
    service: Arc<Service>,
    router: TowerToHyperService<Router>,
    http: http1::Builder,
    places: Arc<Semaphore>,
    graceful: GracefulShutdown,
}

impl Connections {
    fn new(service: &Arc<Service>) -> Self {
        let mut http = http1::Builder::new();
        http.timer(TokioTimer::new())
            .header_read_timeout(limits::HEADER_TIME)
            .max_headers(limits::HEADERS)
            .max_header_size(limits::HEADER)
            .max_buf_size(2 * limits::HEADER);
        Self {
            service: Arc::clone(service),
            router: TowerToHyperService::new(router(service)),
            http,
            places: Arc::new(Semaphore::new(socket::places(limits::CONNECTIONS))),
            graceful: GracefulShutdown::new(),
        }
    }

    /// Takes connections as long as it is polled.
    async fn accept(&self, listener: &TcpListener) {
        loop {
            let Ok(place) = Arc::clone(&self.places).acquire_owned().await else { return };
            match listener.accept().await {
                Ok((stream, peer)) => self.open(stream, Peer(peer), place),
                // Out of descriptors, or the other side has gone: neither ends the service.
                Err(error) => {
                    entry(&self.service.log, "refused", json!({ "cause": error.to_string() }));
                    tokio::time::sleep(Duration::from_millis(50)).await;
                }
            }
        }
    }

    fn open(&self, stream: TcpStream, peer: Peer, place: OwnedSemaphorePermit) {
        let _ = stream.set_nodelay(true);
        let unread = u32::try_from(limits::UNREAD_TIME.as_millis()).unwrap_or(u32::MAX);
        let _ = setsockopt(&stream, TcpUserTimeout, &unread);
        let router = self.router.clone();
        let answer = service_fn(move |mut request: hyper::Request<Incoming>| {
            request.extensions_mut().insert(peer);
            let answered = router.call(request.map(Body::new));
            async move { answered.await as Result<Response, Infallible> }
        });
        let connection = self.http.serve_connection(TokioIo::new(stream), answer);
        let watched = self.graceful.watch(connection);
        let service = Arc::clone(&self.service);
        service.metrics.connections.inc();
        tokio::spawn(async move {
            // A client that breaks off or takes too long is no error of ours.
            let _ = watched.await;
            service.metrics.connections.dec();
            drop(place);
        });
    }
}
