import { createGunzip, createInflate } from 'node:zlib';
import { type ServerInterceptingCallInterface, status } from '@grpc/grpc-js';
import { isReenactError, ReenactError } from '@reenact/trace-model';
import { type RequestTimes, watchStall } from '../../connections/stall-watch.ts';
import { inflate, inflateZstd } from '../inflate.ts';
import { INFLATE_CHUNK_BYTES } from '../limits.ts';
import { tooLarge } from '../too-large.ts';
import { statusOf } from './status.ts';

/** Bytes before a message: whether it is compressed, and its length. */
const PREFIX_BYTES = 5;

/**
 * What a call of grpc-js is made of, beyond what it says in public: it gathers and inflates a whole message before anybody
 * is asked. Its version is pinned, and test/conformance/receiver/overload.test.ts notices when this no longer fits.
 */
interface GatheringCall {
  readonly stream: NodeJS.ReadableStream;
  decompressMessage: (message: Buffer, encoding: string) => Promise<Buffer>;
}

/** How the message of a call is watched. */
export interface MessageWatch {
  /** Told how many bytes have come, are announced, or are held in memory; stops the call by throwing ReenactError. */
  readonly allow: (bytes: number) => void;
  /** Whether the call has ended before its message was whole, as by its deadline; nothing is read or inflated any more then. */
  readonly isOver: () => boolean;
  /** Given what `allow` threw while the message arrived. */
  readonly onRefused: (thrown: unknown) => void;
  /** Told why a message could not be inflated; its call is ended with that. */
  readonly onUnread: (error: ReenactError) => void;
  /** Largest message after decompression. */
  readonly bytesMax: number;
  /** How long it may take to come; no limit where nothing is said. */
  readonly times?: RequestTimes;
}

/**
 * Watches the one message of a unary call, as it arrives and as it is inflated; of a call that streams, all that it sends, and the
 * length that its first message announces.
 */
export function watchMessage(call: ServerInterceptingCallInterface, watch: MessageWatch): void {
  const gathering = call as unknown as GatheringCall;
  const { stream } = gathering;
  const { allow, isOver, onRefused, onUnread, bytesMax } = watch;
  const prefix = Buffer.alloc(PREFIX_BYTES);
  let received = 0;
  const stop = (thrown: unknown): void => {
    // The rest is read and thrown away until the sender has seen the answer.
    stream.removeAllListeners('data');
    stream.resume();
    stall?.stop();
    onRefused(thrown);
  };
  const stall = watch.times === undefined ? undefined : watchStall(watch.times, stop);
  for (const event of ['end', 'close']) stream.once(event, () => stall?.stop());
  stream.prependListener('data', (chunk: Buffer) => {
    if (isOver()) return;
    if (received < PREFIX_BYTES) chunk.copy(prefix, received);
    received += chunk.length;
    stall?.moved();
    if (received < PREFIX_BYTES) return;
    try {
      const announced = prefix.readUInt32BE(1);
      // Asked first: whoever is told that there is no room sends again, and what is too large never fits.
      if (announced > bytesMax) throw tooLarge(bytesMax, `of ${announced} bytes`);
      allow(Math.max(received, announced));
    } catch (thrown) {
      stop(thrown);
    }
  });
  gathering.decompressMessage = (message, encoding) => {
    const content = message.subarray(PREFIX_BYTES);
    if (encoding === 'identity') {
      if (message[0] === 0) return Promise.resolve(content);
      const error = unnamedEncoding();
      if (!isOver()) onUnread(error);
      // By the protocol of gRPC, whatever else such an error is answered with.
      return Promise.reject({ ...statusOf(error), code: status.INTERNAL });
    }
    const limit = (bytes: number): void => {
      if (isOver()) throw calledOff();
      if (bytes > bytesMax) throw tooLarge(bytesMax, 'after decompression');
      allow(received + bytes);
    };
    return inflateMessage(content, encoding, limit).catch((thrown: unknown) => {
      const error = isReenactError(thrown) ? thrown : damaged(encoding, thrown);
      if (!isOver()) onUnread(error);
      return Promise.reject(statusOf(error));
    });
  };
}

async function inflateMessage(content: Buffer, encoding: string, limit: (bytes: number) => void): Promise<Buffer> {
  const options = { chunkSize: INFLATE_CHUNK_BYTES };
  if (encoding === 'gzip') return (await inflate(createGunzip(options), content, limit)).content;
  if (encoding === 'deflate') return (await inflate(createInflate(options), content, limit)).content;
  if (encoding === 'zstd') return inflateZstd(content, limit);
  throw new ReenactError('unsupported', `The message encoding "${encoding}" is not known.`, {
    where: 'grpc-encoding',
    next: 'Send gzip, zstd, deflate or identity.',
  });
}

function unnamedEncoding(): ReenactError {
  return new ReenactError('bad-request', 'The message is marked as compressed, and the call names no encoding.', {
    where: 'grpc-encoding',
    next: 'Send grpc-encoding with it, as a library of gRPC does, or the message as it is and marked so.',
  });
}

/** Nobody is told: whoever sent it has the status of its end. */
function calledOff(): ReenactError {
  return new ReenactError('store-busy', 'The call ended while its message was inflated.', { retryable: true });
}

function damaged(encoding: string, thrown: unknown): ReenactError {
  const reason = thrown instanceof Error ? thrown.message : String(thrown);
  return new ReenactError('bad-request', `The ${encoding} data of the message is damaged or cut off: ${reason}.`, {
    where: 'message',
    next: 'Send the request again as a whole.',
  });
}
