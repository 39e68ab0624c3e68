import { type ClientHttp2Session, type ClientHttp2Stream, constants } from 'node:http2';
import type { Listening } from './listening-file.ts';
import { openSession } from './open-session.ts';
import type { RecordedRpc } from './recorded-rpc.ts';

/** A recorded call, and where it goes. */
export interface SentRpc {
  readonly place: Listening & { readonly verifiesCertificate: boolean };
  readonly call: RecordedRpc;
  /** Sent in place of the recorded metadata of the same names. */
  readonly headers: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
  /** Told of the metadata that comes back, first and last, by lower-case names. */
  readonly onMetadata?: (metadata: Readonly<Record<string, unknown>>) => void;
}

/** How a call went: its status code, or why there is none; neither where the signal aborted. */
export interface RpcEnd {
  readonly statusCode?: number;
  readonly failure?: string;
}

// They belong to the transport of one call, and this one has its own.
const transportNames =
  /^(:.*|te|host|connection|content-type|content-length|transfer-encoding|user-agent|grpc-(encoding|accept-encoding|timeout))$/;

function open({ protocol, ...place }: SentRpc['place']): ClientHttp2Session {
  return openSession({ ...place, isEncrypted: protocol === 'grpcs' });
}

function headersOf({ call, headers }: SentRpc): Record<string, string | string[]> {
  const sent: Record<string, string[]> = {};
  const own = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value] as const);
  const names = new Set(own.map(([name]) => name));
  for (const [name, value] of [...call.metadata.filter(([key]) => !names.has(key)), ...own]) {
    if (!transportNames.test(name)) sent[name] = [...(sent[name] ?? []), value];
  }
  return {
    ...sent,
    [constants.HTTP2_HEADER_METHOD]: 'POST',
    [constants.HTTP2_HEADER_PATH]: call.method,
    [constants.HTTP2_HEADER_TE]: 'trailers',
    [constants.HTTP2_HEADER_CONTENT_TYPE]: 'application/grpc',
  };
}

/** A message as it stands in the body: not compressed, its length, its bytes. */
function framed(message: Buffer): Buffer {
  const head = Buffer.alloc(5);
  head.writeUInt32BE(message.byteLength, 1);
  return Buffer.concat([head, message]);
}

function readEnd(stream: ClientHttp2Stream, onMetadata: SentRpc['onMetadata']): Promise<RpcEnd> {
  return new Promise((resolve) => {
    let end: RpcEnd = {};
    const read = (headers: Readonly<Record<string, unknown>>): void => {
      onMetadata?.(headers);
      const status = headers['grpc-status'];
      if (status !== undefined) end = { statusCode: Number(status) };
    };
    // An answer without messages says everything in its first headers.
    stream.on('response', read);
    stream.on('trailers', read);
    stream.on('error', ({ message }) => {
      end = { failure: message };
    });
    stream.on('close', () => resolve('statusCode' in end || 'failure' in end ? end : { failure: 'it has no status' }));
    stream.resume();
  });
}

/**
 * Makes a recorded gRPC call again, with the bytes that were sent, and reads the answer to its end. When the signal aborts, it is
 * called off. Never rejects for what the server does: what came of it the server's own process reports.
 */
export async function sendRecordedRpc(sent: SentRpc): Promise<RpcEnd> {
  const { signal, call } = sent;
  const session = open(sent.place);
  let lost: string | undefined;
  session.on('error', ({ message }) => {
    lost = message;
  });
  try {
    const stream = session.request(headersOf(sent));
    const cancel = (): void => stream.close(constants.NGHTTP2_CANCEL);
    signal.addEventListener('abort', cancel, { once: true });
    const ended = readEnd(stream, sent.onMetadata);
    for (const message of call.messages) stream.write(framed(message));
    stream.end();
    if (signal.aborted) cancel();
    const end = await ended;
    signal.removeEventListener('abort', cancel);
    if (signal.aborted) return {};
    return end.failure === undefined ? end : { failure: lost ?? end.failure };
  } finally {
    session.destroy();
  }
}
