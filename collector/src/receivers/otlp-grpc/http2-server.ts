import type {
  Http2SecureServer,
  Http2Server,
  IncomingHttpHeaders,
  ServerHttp2Session,
  ServerHttp2Stream,
  ServerOptions,
} from 'node:http2';
import type { TLSSocket } from 'node:tls';
import type { Server, ServerCredentials } from '@grpc/grpc-js';
import type { ReenactError } from '@reenact/trace-model';
import type { ConnectionLimit } from '../../connections/connection-limit.ts';
import { answerInHttp, destroyOnceDrained, FirstBytes, MAY_BE_SET_RIGHT } from '../../connections/first-bytes.ts';
import { OpenSockets } from '../../connections/open-sockets.ts';
import {
  describeUnreadableSession,
  noHttp2,
  refuseBeginningOfGrpc,
  watchHandshakes,
} from '../../connections/unreadable-request.ts';
import { GRPC_CONNECTION_WINDOW_BYTES, GRPC_STREAM_WINDOW_BYTES } from '../limits.ts';

/**
 * What a server of grpc-js is made of, beyond what it says in public: it has no option for the windows of HTTP/2, and tells nobody of
 * connections that speak something else; and what it answers to a call that its sender has taken back by then ends the process. Its version is pinned, and test/conformance/receiver notices when this no longer fits.
 */
interface MadeServer {
  readonly commonServerOptions: ServerOptions;
  createHttp2Server: (credentials: ServerCredentials) => Http2Server | Http2SecureServer;
  _streamHandler: (interceptors: unknown, stream: ServerHttp2Stream, headers: IncomingHttpHeaders) => void;
}

/** Told of what came over a connection and is not gRPC, and from where. */
export type OnUnreadable = (error: ReenactError, peer: string | undefined) => void;

/** What is known of the server of HTTP/2 below one of grpc-js. */
export interface PreparedHttp2 {
  readonly callsOpen: number;
  /** Ends connections that have brought nothing, for which a stop would wait. */
  endSilent(): void;
  /** Ends every connection, whatever was to be sent over it. */
  endAll(): void;
}

/** Sets up the server of HTTP/2 below one of grpc-js. Called before that is bound. */
export function prepareHttp2(
  server: Server,
  onUnreadable: OnUnreadable,
  connectionLimit?: ConnectionLimit,
): PreparedHttp2 {
  let callsOpen = 0;
  const watched: FirstBytes[] = [];
  const sockets = new OpenSockets();
  const made = server as unknown as MadeServer;
  const create = made.createHttp2Server.bind(server);
  made.commonServerOptions.settings = {
    ...made.commonServerOptions.settings,
    initialWindowSize: GRPC_STREAM_WINDOW_BYTES,
  };
  const handle = made._streamHandler.bind(server);
  made._streamHandler = (interceptors, stream, headers) => {
    stream.on('error', () => undefined);
    // To one that was taken back in the very bytes that began it there is no answer: to try throws where nobody catches.
    if (stream.destroyed || stream.closed) return;
    callsOpen += 1;
    stream.once('close', () => {
      callsOpen -= 1;
    });
    handle(interceptors, stream, headers);
  };
  made.createHttp2Server = (credentials) => {
    const http2Server = create(credentials);
    const isEncrypted = credentials._isSecure();
    watched.push(
      new FirstBytes(http2Server, (beginning) => refuseBeginningOfGrpc(beginning, isEncrypted), onUnreadable),
    );
    connectionLimit?.watch(http2Server, onUnreadable);
    sockets.watch(http2Server);
    http2Server.on('session', (session: ServerHttp2Session) => {
      widenWindow(session);
      watchSession(session, onUnreadable);
    });
    http2Server.on('secureConnection', (socket: TLSSocket) => {
      if (socket.alpnProtocol === 'h2') return;
      onUnreadable(noHttp2(), socket.remoteAddress);
      // Node.js would hear only after ten seconds that the sender has left: a stop waits for that.
      socket.resume();
    });
    http2Server.on('unknownProtocol', (socket: TLSSocket) => {
      // Node.js would end such connections by itself in the end, but not where somebody listens.
      destroyOnceDrained(socket);
      socket.end(answerInHttp(noHttp2(), MAY_BE_SET_RIGHT));
    });
    watchHandshakes(http2Server, (error, peer) => {
      if (error !== undefined) onUnreadable(error, peer);
    });
    return http2Server;
  };
  return {
    get callsOpen() {
      return callsOpen;
    },
    endSilent: () => {
      for (const firstBytes of watched) firstBytes.stop();
    },
    endAll: () => sockets.destroy(),
  };
}

/**
 * Lets senders send a whole request of the usual size before they wait for the server to have read some of it. With the 64 KiB of
 * HTTP/2 they wait once for each of these, which takes a megabyte a quarter of a second where the way there and back takes ten
 * milliseconds.
 */
function widenWindow(session: ServerHttp2Session): void {
  session.setLocalWindowSize(GRPC_CONNECTION_WINDOW_BYTES);
}

function watchSession(session: ServerHttp2Session, onUnreadable: OnUnreadable): void {
  // Asked now: a session that has failed has no socket any more.
  const { remoteAddress } = session.socket;
  session.on('error', (thrown) => {
    const error = describeUnreadableSession(thrown);
    if (error !== undefined) onUnreadable(error, remoteAddress);
  });
}
