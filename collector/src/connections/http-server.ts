import { createServer, type RequestListener, type Server, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import { markOwnServer, ReenactError } from '@reenact/trace-model';
import type { LiveTls } from '../access/live-tls.ts';
import type { TlsMaterial } from '../access/load-access.ts';
import { HTTP_IDLE_MS, PIPELINED_REQUESTS_MAX } from '../limits.ts';
import { noteWaiting } from './ask-for-body.ts';
import type { ConnectionLimit } from './connection-limit.ts';
import { ConnectionTurns } from './connection-turns.ts';
import { FirstBytes } from './first-bytes.ts';
import { OpenSockets } from './open-sockets.ts';
import { portHolderAdvice } from './port-holder-advice.ts';
import {
  answerUnreadable,
  describeUnreadable,
  isCutOff,
  refuseBeginningOfHttps,
  watchHandshakes,
} from './unreadable-request.ts';

/** A listening HTTP server. */
export interface HttpServer {
  readonly port: number;
  /** How many requests have come whose answer was not sent yet. */
  readonly requestsOpen: number;
  /** Finishes requests in flight, then closes every connection; waits `stopGraceMs` for them where nothing else is said. */
  stop(graceMs?: number): Promise<void>;
}

/** How a server listens. */
export interface HttpServerOptions {
  readonly host: string;
  readonly port: number;
  /** Undefined where connections are not encrypted. */
  readonly tls: LiveTls | undefined;
  /** How long a stop waits for requests in flight. */
  readonly stopGraceMs: number;
  /** How many connections there may be; any number where nothing is said. */
  readonly connectionLimit?: ConnectionLimit;
  /** Told of what came over a connection and was no request, and from where. */
  readonly onUnreadable?: (error: ReenactError, peer: string | undefined) => void;
}

/** Listens for HTTP/1.1. Whoever wants the body of a request asks for it (`askForBody`): its sender may wait for that. Throws ReenactError `port-taken` when the port is in use. */
export function startHttpServer(options: HttpServerOptions, listener: RequestListener): Promise<HttpServer> {
  const { host, port, tls, stopGraceMs } = options;
  const closing = new Closing();
  const turns = new ConnectionTurns((socket) => {
    options.onUnreadable?.(tooManyAtOnce(), socket.remoteAddress);
    socket.destroy();
  });
  const listen: RequestListener = (request, response) => {
    closing.enter(response);
    turns.take(request, response, () => listener(request, response));
  };
  const server = tls === undefined ? createServer(listen) : createEncrypted(tls, listen);
  const silent = new SilentConnections(server, tls !== undefined);
  server.on('checkContinue', (request, response) => {
    noteWaiting(request);
    listen(request, response);
  });
  server.keepAliveTimeout = HTTP_IDLE_MS;
  // A sender that ends its half with the request, as `nc -N` does, waits for the answer. Its connection ends with that. Not in the types.
  Reflect.set(server, 'httpAllowHalfOpen', true);
  const tell = (error: ReenactError, peer: string | undefined) => options.onUnreadable?.(error, peer);
  const firstBytes = tls === undefined ? undefined : new FirstBytes(server, refuseBeginningOfHttps, tell);
  options.connectionLimit?.watch(server, tell);
  const sockets = new OpenSockets();
  sockets.watch(server);
  watchUnreadable(server, closing, options.onUnreadable);
  markOwnServer(server);
  return new Promise((resolve, reject) => {
    server.once('error', (error) => reject(toListenError(error, host, port)));
    server.listen(port, host, () => {
      const { port: bound } = server.address() as AddressInfo;
      resolve({
        port: bound,
        get requestsOpen() {
          return closing.requestsOpen;
        },
        stop: (graceMs = stopGraceMs) => {
          firstBytes?.stop();
          return stop({ server, closing, silent, sockets }, graceMs);
        },
      });
    });
  });
}

/** Without this nobody would hear of a sender that speaks TLS or HTTP/2 to a port that does not. */
function watchUnreadable(server: Server, closing: Closing, onUnreadable: HttpServerOptions['onUnreadable']): void {
  const tell = (error: ReenactError | undefined, peer: string | undefined): void => {
    if (error !== undefined) onUnreadable?.(error, peer);
  };
  const seen = new WeakSet<object>();
  server.on('clientError', (error, socket) => {
    // What more of it was on the way is wrong once more.
    if (seen.has(socket)) return;
    seen.add(socket);
    // Whoever reads the body of a request tells that it was cut off.
    if (!isCutOff(error) || !closing.isServing(socket))
      tell(describeUnreadable(error), (socket as Socket).remoteAddress);
    answerUnreadable(error, socket as Socket, closing.isAnswering(socket));
  });
  watchHandshakes(server, (error, peer, socket) => {
    // A server of node:https tells of it once more, as of a request that is none.
    seen.add(socket);
    tell(error, peer);
    socket.destroy();
  });
}

function tooManyAtOnce(): ReenactError {
  const message = `More than ${PIPELINED_REQUESTS_MAX} requests came over one connection without waiting for an answer.`;
  return new ReenactError('bad-request', message, { next: 'Wait for answers, or use more connections.' });
}

function createEncrypted(tls: LiveTls, listener: RequestListener): Server {
  const server = createTlsServer(tlsOptions(tls.current), listener);
  tls.onReloaded((material) => server.setSecureContext(tlsOptions(material)));
  return server;
}

function tlsOptions({ certificate, key, clientCa }: TlsMaterial) {
  const mutual = clientCa === undefined ? {} : { ca: clientCa, requestCert: true, rejectUnauthorized: true };
  return { cert: certificate, key, minVersion: 'TLSv1.2' as const, ...mutual };
}

function toListenError(error: Error, host: string, port: number): ReenactError {
  const where = `${host}:${port}`;
  if (Reflect.get(error, 'code') === 'EADDRINUSE') {
    return new ReenactError('port-taken', `The port for OTLP/HTTP and the API is in use: ${where}.`, {
      where,
      next: `Choose another with --http-port (httpPort); 0 picks a free one.${portHolderAdvice(port)}`,
      cause: error,
    });
  }
  return new ReenactError('bad-config', `OTLP/HTTP cannot listen on ${where}: ${error.message}.`, {
    where,
    next: 'Give an address of this machine as host, and a port this user may use.',
    cause: error,
  });
}

/**
 * Has every answer end its connection once a stop has begun. Senders that go on over a connection they keep would otherwise hold the
 * stop up for all its grace, and then be cut within a request.
 */
class Closing {
  private readonly open = new Set<ServerResponse>();
  private hasBegun = false;

  enter(response: ServerResponse): void {
    if (this.hasBegun) endConnection(response);
    this.open.add(response);
    response.once('close', () => this.open.delete(response));
  }

  get requestsOpen(): number {
    return this.open.size;
  }

  /** Whether a request that came over a connection was not answered yet. */
  isServing(socket: unknown): boolean {
    return [...this.open].some((response) => response.socket === socket);
  }

  /** Whether some of an answer was sent over a connection and not all of it. */
  isAnswering(socket: unknown): boolean {
    return [...this.open].some((response) => response.socket === socket && response.headersSent);
  }

  begin(): void {
    this.hasBegun = true;
    for (const response of this.open) endConnection(response);
  }
}

function endConnection(response: ServerResponse): void {
  if (!response.headersSent) response.setHeader('connection', 'close');
}

/** Connections over which nothing was sent, as browsers and load balancers make them ahead: a stop would take each for a request that is on its way. */
class SilentConnections {
  private readonly open = new Set<Socket>();

  constructor(server: Server, isEncrypted: boolean) {
    server.on(isEncrypted ? 'secureConnection' : 'connection', (socket: Socket) => {
      this.open.add(socket);
      socket.once('close', () => this.open.delete(socket));
    });
  }

  end(): void {
    for (const socket of this.open) if (socket.bytesRead === 0) socket.destroy();
  }
}

interface Stopped {
  readonly server: Server;
  readonly closing: Closing;
  readonly silent: SilentConnections;
  readonly sockets: OpenSockets;
}

function stop({ server, closing, silent, sockets }: Stopped, graceMs: number): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => sockets.destroy(), graceMs);
    closing.begin();
    const close = (): void => {
      silent.end();
      server.close(() => {
        clearTimeout(timer);
        resolve();
      });
    };
    // A request that has arrived and was not read yet is in flight, too: closing would take its connection for one that nobody uses, and
    // reset it. After the second turn everything that was there has been looked at.
    setImmediate(() => setImmediate(close));
  });
}
