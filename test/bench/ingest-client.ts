import { Agent, request as httpRequest } from 'node:http';
import { Client, credentials, status } from '@grpc/grpc-js';
import type { RequestEncoding } from './ingest-requests.ts';

/** How requests travel. */
export type IngestProtocol = 'http-protobuf' | 'http-json' | 'grpc';

/** The encoding of a protocol. */
export function encodingOf(protocol: IngestProtocol): RequestEncoding {
  return protocol === 'http-json' ? 'json' : 'protobuf';
}

/** Where a server takes OTLP. */
export interface IngestAddresses {
  /** `http://127.0.0.1:4318`. */
  readonly httpUrl: string;
  /** `127.0.0.1:4317`. */
  readonly grpcAddress: string;
}

/** What became of one request: everything was taken, it is to be sent again, or anything else. */
export type Answer = 'taken' | 'retry' | 'failed';

/** Sends requests to one server. */
export interface IngestClient {
  send(body: Buffer): Promise<Answer>;
  close(): void;
}

/** The method of gRPC that takes spans. */
export const EXPORT_PATH = '/opentelemetry.proto.collector.trace.v1.TraceService/Export';

/** A client with so many connections for HTTP; gRPC has one, as SDKs have. */
export function ingestClient(protocol: IngestProtocol, addresses: IngestAddresses, connections: number): IngestClient {
  return protocol === 'grpc' ? grpcClient(addresses) : httpClient(protocol, addresses, connections);
}

function httpClient(protocol: IngestProtocol, { httpUrl }: IngestAddresses, connections: number): IngestClient {
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  const { hostname, port } = new URL(httpUrl);
  const type = protocol === 'http-json' ? 'application/json' : 'application/x-protobuf';
  const send = (body: Buffer): Promise<Answer> =>
    new Promise((resolve) => {
      const headers = { 'content-type': type, 'content-length': body.length };
      const sent = httpRequest({ agent, hostname, port, path: '/v1/traces', method: 'POST', headers }, (response) => {
        response.resume();
        response.on('end', () => resolve(answerOf(response.statusCode ?? 0)));
        response.on('error', () => resolve('failed'));
      });
      // A server that refuses before it has read everything may close first: nothing was acknowledged then.
      sent.on('error', () => resolve('retry'));
      sent.end(body);
    });
  return { send, close: () => agent.destroy() };
}

function answerOf(code: number): Answer {
  if (code === 200) return 'taken';
  return code === 429 || code === 503 ? 'retry' : 'failed';
}

function grpcClient({ grpcAddress }: IngestAddresses): IngestClient {
  const client = new Client(grpcAddress, credentials.createInsecure(), { 'grpc.max_send_message_length': -1 });
  const keep = (bytes: Buffer): Buffer => bytes;
  const send = (body: Buffer): Promise<Answer> =>
    new Promise((resolve) => {
      client.makeUnaryRequest(EXPORT_PATH, keep, keep, body, (error) => {
        if (error === null) resolve('taken');
        else
          resolve(error.code === status.UNAVAILABLE || error.code === status.RESOURCE_EXHAUSTED ? 'retry' : 'failed');
      });
    });
  return { send, close: () => client.close() };
}

/** What was sent, and how long it took. */
export interface Sent {
  readonly requests: number;
  readonly bytes: number;
  readonly seconds: number;
}

/** Sends requests on so many lanes, on each one after the other, until so many were taken. */
export async function sendRequests(
  client: IngestClient,
  lanes: number,
  count: number,
  next: () => Buffer,
): Promise<Sent> {
  let requests = 0;
  let bytes = 0;
  const startedAt = performance.now();
  const lane = async (): Promise<void> => {
    while (requests < count) {
      const body = next();
      const answer = await client.send(body);
      if (answer === 'failed') throw new Error('a server refused a request of the benchmark');
      if (answer === 'retry') continue;
      requests += 1;
      bytes += body.length;
    }
  };
  await Promise.all(Array.from({ length: lanes }, lane));
  return { requests, bytes, seconds: (performance.now() - startedAt) / 1000 };
}
