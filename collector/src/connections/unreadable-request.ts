import { maxHeaderSize } from 'node:http';
import type { Server, Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { ReenactError } from '@reenact/trace-model';
import { cutOffRequest } from './cut-off-request.ts';
import { answerInHttp, type Beginning, beginningOf } from './first-bytes.ts';
import { endHttp2Later, refuseHttp2 } from './refuse-http2.ts';

const HTTP2_PREFACE = 'PRI * HTTP/2';
/** `NGHTTP2_ERR_BAD_CLIENT_MAGIC`: what begins a connection is not what begins HTTP/2. */
const BAD_CLIENT_MAGIC = -903;

/** Errors of a connection that somebody closed; nobody is left to be helped. */
const HANG_UPS: ReadonlySet<unknown> = new Set(['ECONNRESET', 'EPIPE', 'ECONNABORTED']);

const STATUS_LINES: ReadonlyMap<unknown, string> = new Map([
  ['HPE_HEADER_OVERFLOW', '431 Request Header Fields Too Large'],
  ['HPE_CHUNK_EXTENSIONS_OVERFLOW', '413 Payload Too Large'],
  ['ERR_HTTP_REQUEST_TIMEOUT', '408 Request Timeout'],
]);

/** What is wrong with something that is no request over HTTP/1.1, for whoever runs the collector; undefined where its sender hung up. */
export function describeUnreadable(thrown: Error): ReenactError | undefined {
  const code: unknown = Reflect.get(thrown, 'code');
  if (HANG_UPS.has(code)) return undefined;
  if (isHttp2(thrown)) {
    return new ReenactError('bad-request', 'Somebody speaks HTTP/2 to the port of OTLP/HTTP, as gRPC does.', {
      next: 'Send OTLP/gRPC to grpcPort (4317 unless set), and OTLP/HTTP over HTTP/1.1.',
    });
  }
  if (code === 'HPE_HEADER_OVERFLOW') return headTooLarge();
  if (isCutOff(thrown)) return cutOffRequest();
  if (beginningOf(firstBytesOf(thrown)) === 'tls') {
    return new ReenactError('bad-request', 'Somebody speaks TLS to a port that is not encrypted.', {
      next: 'Give senders an address that begins with http://, or set tls.',
    });
  }
  return new ReenactError('bad-request', `What was sent is no request over HTTP/1.1: ${thrown.message}.`, {
    next: 'Look at the address that the sender at this peer has, and at what stands between.',
  });
}

/** Whether the other side has ended its half of a connection within a request. */
export function isCutOff(thrown: Error): boolean {
  return Reflect.get(thrown, 'code') === 'HPE_INVALID_EOF_STATE';
}

function firstBytesOf(thrown: Error): Buffer {
  const bytes: unknown = Reflect.get(thrown, 'rawPacket');
  return Buffer.isBuffer(bytes) ? bytes : Buffer.alloc(0);
}

function isHttp2(thrown: Error): boolean {
  return firstBytesOf(thrown).toString('latin1', 0, HTTP2_PREFACE.length) === HTTP2_PREFACE;
}

function headTooLarge(): ReenactError {
  return new ReenactError('too-large', `The head of a request is larger than ${maxHeaderSize} bytes.`, {
    next: 'Ask with a shorter address, as in a search for fewer words, and send fewer or shorter headers: they count together.',
  });
}

/** What is told of a handshake that failed, of the socket that it was to encrypt. */
export interface FailedSocket {
  /** Why the certificate of the other side is not trusted, as OpenSSL calls it; in Node.js an Error by its types and a string in truth. */
  readonly authorizationError?: unknown;
}

/** What is wrong with a connection whose encryption did not come about; undefined where the other side hung up. */
export function describeHandshake(thrown: Error, { authorizationError }: FailedSocket = {}): ReenactError | undefined {
  const code: unknown = Reflect.get(thrown, 'code');
  // Node.js hangs up itself then, and tells of it as if the other side had.
  if (typeof authorizationError === 'string') return untrustedSender(authorizationError);
  if (HANG_UPS.has(code)) return undefined;
  if (code === 'ERR_SSL_HTTP_REQUEST') return unencrypted('Give senders an address that begins with https://.');
  if (code === 'ERR_SSL_PEER_DID_NOT_RETURN_A_CERTIFICATE') {
    return new ReenactError('bad-request', 'A sender showed no certificate, and clientCaFile asks for one.', {
      next: 'Give the sender at this peer one: OTEL_EXPORTER_OTLP_CLIENT_CERTIFICATE and OTEL_EXPORTER_OTLP_CLIENT_KEY. Some, as those written in Go, have one and show it only where an authority of clientCaFile has signed it.',
    });
  }
  if (code === 'ERR_SSL_NO_APPLICATION_PROTOCOL') {
    return new ReenactError('bad-request', 'A sender over TLS speaks another version of HTTP than this port does.', {
      next: 'Have it send OTLP/gRPC to grpcPort (4317 unless set), or OTLP/HTTP to httpPort (4318 unless set).',
    });
  }
  // The message of OpenSSL is this among numbers and places in its source.
  const reason: unknown = Reflect.get(thrown, 'reason');
  const why = typeof reason === 'string' ? reason : thrown.message;
  return new ReenactError('bad-request', `A connection could not be encrypted: ${why}.`, {
    next: 'Look at the authorities and the certificate that the sender at this peer has.',
  });
}

function unencrypted(next: string): ReenactError {
  return new ReenactError('bad-request', 'Somebody speaks plain HTTP to a port that is encrypted.', { next });
}

/** What is wrong with a connection to the encrypted port of OTLP/HTTP that begins so; undefined where its encryption may come about. */
export function refuseBeginningOfHttps(beginning: Beginning): ReenactError | undefined {
  if (beginning === 'http1') return unencrypted('Send OTLP/HTTP to this port with https://.');
  if (beginning === 'http2')
    return unencrypted(
      'Send OTLP/gRPC to grpcPort (4317 unless set) with https://, and OTLP/HTTP to this port with https://.',
    );
  return undefined;
}

/** The same of the port of OTLP/gRPC. */
export function refuseBeginningOfGrpc(beginning: Beginning, isEncrypted: boolean): ReenactError | undefined {
  if (!isEncrypted) return beginning === 'http1' || beginning === 'tls' ? noHttp2() : undefined;
  if (beginning === 'http1')
    return unencrypted(
      'Send OTLP/HTTP to httpPort (4318 unless set) with https://, and OTLP/gRPC to this port with https://.',
    );
  if (beginning === 'http2') return unencrypted('Send OTLP/gRPC to this port with https://.');
  return undefined;
}

function untrustedSender(reason: string): ReenactError {
  return new ReenactError('bad-request', `A sender showed a certificate that is not trusted: ${reason}.`, {
    next: 'Give the sender at this peer one that is valid now, signed by an authority of clientCaFile, and made for clients (clientAuth, where it names what it is for).',
  });
}

/** Told of a connection whose encryption did not come about, and from where it came; of no error where the other side hung up. */
export type OnFailedHandshake = (error: ReenactError | undefined, peer: string | undefined, socket: Socket) => void;

/** Has `onFailed` told of failed handshakes before the listeners that Node.js puts there itself. */
export function watchHandshakes(server: Server, onFailed: OnFailedHandshake): void {
  server.on('connection', rememberPeer);
  server.prependListener('tlsClientError', (thrown: Error, socket: TLSSocket) => {
    // Not in the types: what is encrypted. It still knows whom it led to after Node.js has closed both.
    const below = Reflect.get(socket, '_parent') as Socket | null | undefined;
    onFailed(describeHandshake(thrown, socket), socket.remoteAddress ?? below?.remoteAddress, socket);
  });
}

/** A socket that is closed knows of the other side what it was asked before. */
function rememberPeer(socket: Socket): void {
  void socket.remoteAddress;
}

/** What is wrong with a session over HTTP/2 that was none from the beginning; undefined where it failed in another way. */
export function describeUnreadableSession(thrown: Error): ReenactError | undefined {
  return Reflect.get(thrown, 'errno') === BAD_CLIENT_MAGIC ? noHttp2() : undefined;
}

/** What whoever runs the collector is told of a sender that speaks something else to the port of OTLP/gRPC. */
export function noHttp2(): ReenactError {
  return new ReenactError('bad-request', 'What somebody sends to the port of OTLP/gRPC is no HTTP/2.', {
    next: 'Send OTLP/HTTP to httpPort (4318 unless set), and to this port OTLP/gRPC: with https:// only where tls is set.',
  });
}

/** Answers with what is wrong, in the words of HTTP that the other side speaks, and ends the connection; says nothing where an answer is under way already. */
export function answerUnreadable(
  thrown: Error,
  socket: Pick<Socket, 'writable' | 'end' | 'once' | 'destroy'>,
  isAnswering: boolean,
): void {
  if (!socket.writable || isAnswering || HANG_UPS.has(Reflect.get(thrown, 'code'))) {
    socket.destroy();
    return;
  }
  const error = describeUnreadable(thrown);
  const end = () => socket.destroy();
  if (isHttp2(thrown)) endHttp2Later(socket, refuseHttp2(`This is a port for HTTP/1.1. ${error?.next}`), end);
  else socket.end(answerInHttp(error, STATUS_LINES.get(Reflect.get(thrown, 'code'))), end);
}
