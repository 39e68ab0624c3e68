import { createRequire } from 'node:module';
import { encodeRpcStatus } from '@reenact/otlp';

type Grpc = typeof import('@grpc/grpc-js');
const grpc: Grpc = createRequire(new URL('../../../collector/package.json', import.meta.url))('@grpc/grpc-js') as Grpc;
const SERVICE = '/opentelemetry.proto.collector.trace.v1.TraceService/Export';

/** The codes a call can end with. */
export const grpcStatus: Grpc['status'] = grpc.status;

/** How a call is answered: with a status that failed, or with the bytes of a message. */
export type GrpcAnswer =
  | { readonly code: number; readonly details?: string; readonly retryDelayMs?: number }
  | Uint8Array;

/** An OTLP/gRPC server that keeps what it was sent; only traces are known to it. */
export interface GrpcEndpoint {
  readonly url: string;
  readonly seen: Buffer[];
  stop(): void;
}

/** Starts an endpoint on a free port that answers each request as told; their numbers count from 1. */
export async function startGrpcEndpoint(answer: (number: number, body: Buffer) => GrpcAnswer): Promise<GrpcEndpoint> {
  const server = new grpc.Server();
  const seen: Buffer[] = [];
  const keep = (bytes: Buffer) => bytes;
  server.register(
    SERVICE,
    (call: { request: Buffer }, callback: (error: object | null, value?: Buffer) => void) => {
      seen.push(call.request);
      const given = answer(seen.length, call.request);
      if (given instanceof Uint8Array) return callback(null, Buffer.from(given));
      const { code, details = '', retryDelayMs } = given;
      const metadata = new grpc.Metadata();
      if (retryDelayMs !== undefined) {
        metadata.set('grpc-status-details-bin', Buffer.from(encodeRpcStatus({ code, message: details, retryDelayMs })));
      }
      callback({ code, details, metadata });
    },
    keep,
    keep,
    'unary',
  );
  const port = await new Promise<number>((resolve, reject) => {
    server.bindAsync('127.0.0.1:0', grpc.ServerCredentials.createInsecure(), (error, bound) =>
      error === null ? resolve(bound) : reject(error),
    );
  });
  return { url: `http://127.0.0.1:${port}`, seen, stop: () => server.forceShutdown() };
}
