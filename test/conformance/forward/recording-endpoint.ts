import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';

/** One request an endpoint saw. */
export interface SeenRequest {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

/** What an endpoint answers a request with. */
export interface EndpointAnswer {
  readonly status: number;
  readonly headers?: Record<string, string>;
  readonly body?: Uint8Array;
}

/** An HTTP server that keeps what it was sent and answers as it is told. */
export interface RecordingEndpoint {
  readonly url: string;
  readonly seen: SeenRequest[];
  /** Decides about each request; its number counts from 1. */
  answer: (number: number, request: SeenRequest) => EndpointAnswer;
  close(): Promise<void>;
}

/** Starts an endpoint on a free port that answers 200 until told otherwise. */
export async function startEndpoint(): Promise<RecordingEndpoint> {
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const seen = { path: request.url ?? '', headers: request.headers, body: Buffer.concat(chunks) };
      endpoint.seen.push(seen);
      const { status, headers = {}, body = Buffer.alloc(0) } = endpoint.answer(endpoint.seen.length, seen);
      response.writeHead(status, { 'content-type': 'application/x-protobuf', ...headers });
      response.end(body);
    });
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const endpoint: RecordingEndpoint = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    seen: [],
    answer: () => ({ status: 200 }),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
  return endpoint;
}
