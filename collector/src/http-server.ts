import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { ReenactError } from '@reenact/trace-model';
import { STOP_GRACE_MS } from './limits.ts';

/** A listening HTTP server. */
export interface HttpServer {
  readonly port: number;
  /** Finishes requests in flight, then closes every connection. */
  stop(): Promise<void>;
}

/** Listens for HTTP/1.1. Throws ReenactError `port-taken` when the port is in use. */
export function startHttpServer(host: string, port: number, listener: RequestListener): Promise<HttpServer> {
  const server = createServer(listener);
  return new Promise((resolve, reject) => {
    server.once('error', (error) => reject(toListenError(error, host, port)));
    server.listen(port, host, () => {
      const { port: bound } = server.address() as AddressInfo;
      resolve({ port: bound, stop: () => stop(server) });
    });
  });
}

function toListenError(error: Error, host: string, port: number): ReenactError {
  const where = `${host}:${port}`;
  if (Reflect.get(error, 'code') === 'EADDRINUSE') {
    return new ReenactError('port-taken', `The port for OTLP/HTTP and the API is in use: ${where}.`, {
      where,
      next: 'Choose another with --http-port (httpPort); 0 picks a free one.',
      cause: error,
    });
  }
  return new ReenactError('bad-config', `OTLP/HTTP cannot listen on ${where}: ${error.message}.`, {
    where,
    next: 'Give an address of this machine as host, and a port this user may use.',
    cause: error,
  });
}

function stop(server: Server): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => server.closeAllConnections(), STOP_GRACE_MS);
    server.close(() => {
      clearTimeout(timer);
      resolve();
    });
    server.closeIdleConnections();
  });
}
