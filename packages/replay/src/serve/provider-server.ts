import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { ReenactError, toReenactError } from '@reenact/trace-model';
import { SERVED_REQUEST_BYTES_MAX } from '../limits.ts';
import type { ReadRequest } from './recorded-answers.ts';

/** Answers one request; what it rejects with is told to the client and to `onFailure`. */
export type Answering = (request: ReadRequest, response: ServerResponse) => Promise<void>;

/** A server on loopback. */
export interface RunningServer {
  /** Without a path or a slash at the end. */
  readonly url: string;
  /** Cuts every connection and resolves when the port is free. */
  stop(): Promise<void>;
}

const host = '127.0.0.1';

async function readText(message: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  let bytes = 0;
  for await (const part of message) {
    const buffer = Buffer.from(part as Uint8Array);
    bytes += buffer.byteLength;
    if (bytes > SERVED_REQUEST_BYTES_MAX) {
      throw new ReenactError('too-large', `The request is larger than ${SERVED_REQUEST_BYTES_MAX} bytes.`);
    }
    parts.push(buffer);
  }
  return Buffer.concat(parts).toString('utf8');
}

async function handle(message: IncomingMessage, response: ServerResponse, answering: Answering): Promise<void> {
  const { method = 'GET', url = '/' } = message;
  const [path = '/'] = url.split('?');
  await answering({ message, method, path, text: await readText(message) }, response);
}

function fail(response: ServerResponse, error: ReenactError): void {
  if (response.headersSent) {
    response.destroy();
    return;
  }
  const status = error.code === 'too-large' ? 413 : 500;
  response.writeHead(status, { 'content-type': 'application/json', 'x-should-retry': 'false' });
  response.end(JSON.stringify({ error: { message: error.message, type: 'reenact_error', code: error.code } }));
}

function listen(server: Server, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (cause: NodeJS.ErrnoException) => {
      const isTaken = cause.code === 'EADDRINUSE' || cause.code === 'EACCES';
      reject(
        new ReenactError(isTaken ? 'port-taken' : 'internal', `Port ${port} of ${host} cannot be listened on.`, {
          where: `${host}:${port}`,
          next: 'Choose another with --port, or leave it out for a free one.',
          cause,
        }),
      );
    });
    server.listen(port, host, resolve);
  });
}

/**
 * Starts an HTTP server on loopback. `port` 0 picks a free one. `onFailure` is told what went wrong with a request. Throws
 * ReenactError `port-taken`.
 */
export async function startServer(
  port: number,
  answering: Answering,
  onFailure: (error: ReenactError) => void,
): Promise<RunningServer> {
  const server = createServer((message, response) => {
    handle(message, response, answering).catch((thrown: unknown) => {
      const error = toReenactError(thrown);
      onFailure(error);
      fail(response, error);
    });
  });
  // A model may think for minutes, and an aborted answer stays open until its client leaves.
  server.requestTimeout = 0;
  await listen(server, port);
  const { port: chosen } = server.address() as AddressInfo;
  return {
    url: `http://${host}:${chosen}`,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
