import type { Http2Server, ServerOptions } from 'node:http2';
import type { Server, ServerCredentials } from '@grpc/grpc-js';
import { GRPC_CONNECTION_WINDOW_BYTES, GRPC_STREAM_WINDOW_BYTES } from '../../limits.ts';

/**
 * What a server of grpc-js is made of, beyond what it says in public: it has no option for the windows of HTTP/2. Its version is
 * pinned, and test/conformance/receiver/otlp-grpc.test.ts notices when this no longer fits.
 */
interface MadeServer {
  readonly commonServerOptions: ServerOptions;
  createHttp2Server: (credentials: ServerCredentials) => Http2Server;
}

/**
 * Lets senders send a whole request of the usual size before they wait for the server to have read some of it. With the 64 KiB of
 * HTTP/2 they wait once for each of these, which takes a megabyte a quarter of a second where the way there and back takes ten
 * milliseconds. Called before the server is bound.
 */
export function widenWindows(server: Server): void {
  const made = server as unknown as MadeServer;
  const create = made.createHttp2Server.bind(server);
  made.commonServerOptions.settings = {
    ...made.commonServerOptions.settings,
    initialWindowSize: GRPC_STREAM_WINDOW_BYTES,
  };
  made.createHttp2Server = (credentials) => {
    const http2Server = create(credentials);
    http2Server.on('session', (session) => session.setLocalWindowSize(GRPC_CONNECTION_WINDOW_BYTES));
    return http2Server;
  };
}
