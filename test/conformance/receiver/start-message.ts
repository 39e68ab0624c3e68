import { connect, constants } from 'node:http2';

const EXPORT_PATH = '/opentelemetry.proto.collector.trace.v1.TraceService/Export';

/** A message that has begun. */
export interface StartedMessage {
  /** The gRPC status it was refused with; undefined while it was not. */
  readonly refused: () => string | undefined;
  /** Sends one byte more of it. */
  readonly drip: () => void;
  /** Resolves when what was sent so far has come to the receiver. */
  readonly arrived: () => Promise<void>;
  /** Breaks it off. */
  readonly end: () => void;
}

/** Starts a gRPC message of that length and never ends it; with a deadline, as gRPC writes one, where that is given. */
export function startMessage(grpcUrl: string, bytes: number, timeout?: string): StartedMessage {
  const session = connect(grpcUrl).on('error', () => undefined);
  const stream = session.request({
    [constants.HTTP2_HEADER_METHOD]: 'POST',
    [constants.HTTP2_HEADER_PATH]: EXPORT_PATH,
    [constants.HTTP2_HEADER_CONTENT_TYPE]: 'application/grpc',
    te: 'trailers',
    ...(timeout === undefined ? {} : { 'grpc-timeout': timeout }),
  });
  let refused: string | undefined;
  const note = (headers: Record<string, unknown>) => {
    if (headers['grpc-status'] !== undefined) refused = String(headers['grpc-status']);
  };
  stream
    .on('response', note)
    .on('trailers', note)
    .on('error', () => undefined);
  stream.resume();
  const prefix = Buffer.alloc(5);
  prefix.writeUInt32BE(bytes, 1);
  stream.write(Buffer.concat([prefix, Buffer.alloc(1024)]));
  return {
    refused: () => refused,
    drip: () => void stream.write('x'),
    // Frames of one connection come in order.
    arrived: () => new Promise((resolve) => void session.ping(() => resolve())),
    end: () => session.destroy(),
  };
}
