import { connect, constants } from 'node:http2';

const EXPORT_PATH = '/opentelemetry.proto.collector.trace.v1.TraceService/Export';

/** A message that has begun. */
export interface StartedMessage {
  /** The gRPC status it was refused with; undefined while it was not. */
  readonly refused: () => string | undefined;
  /** Sends one byte more of it. */
  readonly drip: () => void;
  /** Breaks it off. */
  readonly end: () => void;
}

/** Starts a gRPC message of that length and never ends it. */
export function startMessage(grpcUrl: string, bytes: number): StartedMessage {
  const session = connect(grpcUrl).on('error', () => undefined);
  const stream = session.request({
    [constants.HTTP2_HEADER_METHOD]: 'POST',
    [constants.HTTP2_HEADER_PATH]: EXPORT_PATH,
    [constants.HTTP2_HEADER_CONTENT_TYPE]: 'application/grpc',
    te: 'trailers',
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
  return { refused: () => refused, drip: () => void stream.write('x'), end: () => session.destroy() };
}
