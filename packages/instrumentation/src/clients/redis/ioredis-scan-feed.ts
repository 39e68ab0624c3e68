import { guarded } from '../../host/report-failure.ts';
import type { StreamTape } from '../../results/stream-tape.ts';
import type { AnsweredCall } from '../object/answered-call.ts';
import type { RowFeed } from '../object/row-feed.ts';

/** What a scan command gives: the position after it, and what it found. */
type Reply = readonly [position: unknown, found: unknown];
type ReplyCallback = (error: unknown, reply?: Reply) => void;
type Scan = (this: unknown, parameters: unknown, callback: ReplyCallback) => unknown;

/** A stream of ioredis: it sends one command after the other by the client in its options. */
interface ScanStream {
  readonly opt: { redis: object; readonly command: string };
  once(event: 'close', listener: () => void): unknown;
}

function isScanStream(value: unknown): value is ScanStream {
  if (typeof value !== 'object' || value === null) return false;
  const options: unknown = Reflect.get(value, 'opt');
  return typeof options === 'object' && options !== null && 'redis' in options && 'command' in options;
}

/** Redis says by position 0 that there is no more. */
function isLast([position]: Reply): boolean {
  return String(position) === '0';
}

function tell(tape: StreamTape, error: unknown, reply: Reply | undefined): void {
  if (error) tape.failed(error);
  else if (reply !== undefined) {
    tape.chunk(reply);
    if (isLast(reply)) tape.ended(undefined);
  }
}

function watchedScan(client: object, command: string, tape: StreamTape): Scan {
  return (parameters, callback) =>
    Reflect.apply(Reflect.get(client, command) as Scan, client, [
      parameters,
      (error: unknown, reply?: Reply): void => {
        guarded('observing a scan', () => tell(tape, error, reply), undefined);
        callback(error, reply);
      },
    ]);
}

function servedScan(chunks: AsyncIterator<unknown>): Scan {
  return (_, callback) => {
    // On a tick of its own: what the callback throws is the host's and must not become a rejection of ours.
    chunks.next().then(
      ({ done, value }) => {
        if (done === true) return;
        // Reads the end, which settles the crossing.
        if (isLast(value as Reply)) void chunks.next().catch(() => undefined);
        process.nextTick(callback, null, value as Reply);
      },
      (error: unknown) => process.nextTick(callback, error),
    );
  };
}

/** The stream that the class itself makes, before it has asked a client for anything. */
function unreadStream({ method, parameters, memberOf, holder }: AnsweredCall): ScanStream {
  const prototype = (typeof holder === 'function' ? holder.prototype : holder) as object;
  return Reflect.apply(memberOf(method) as (...parameters: unknown[]) => ScanStream, Object.create(prototype), [
    ...parameters,
  ]);
}

/** `scanStream` of ioredis and its kin: each reply is a chunk; in a replay the stream of the driver reads recorded ones. */
export const ioredisScanFeed: RowFeed = {
  isFed: isScanStream,
  watch: (result, tape) => {
    const stream = result as ScanStream;
    const { redis, command } = stream.opt;
    stream.opt.redis = { [command]: watchedScan(redis, command, tape) };
    stream.once('close', () => guarded('observing a scan', () => tape.aborted(), undefined));
  },
  serve: (chunks, call) => {
    const stream = unreadStream(call);
    stream.opt.redis = { [stream.opt.command]: servedScan(chunks) };
    stream.once('close', () => void chunks.return?.());
    return stream;
  },
};
