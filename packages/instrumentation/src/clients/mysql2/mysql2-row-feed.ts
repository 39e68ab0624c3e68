import { ReenactError } from '@reenact/trace-model';
import { guarded } from '../../host/report-failure.ts';
import type { StreamTape } from '../../results/stream-tape.ts';
import type { AnsweredCall } from '../object/answered-call.ts';
import type { RowFeed } from '../object/row-feed.ts';
import { plainMysqlResult } from './mysql2-result.ts';

type Emit = (this: unknown, event: string, ...parameters: unknown[]) => boolean;
type Method = (...parameters: unknown[]) => unknown;

/** One event that a query told its listeners. */
type QueryEvent = readonly [event: string, ...parameters: unknown[]];

/** What listeners hear of. */
const told: ReadonlySet<string> = new Set(['fields', 'result', 'error', 'end']);

function methodOf(holder: unknown, key: string): Method | undefined {
  if ((typeof holder !== 'object' && typeof holder !== 'function') || holder === null) return undefined;
  const method: unknown = Reflect.get(holder, key);
  return typeof method === 'function' ? (method as Method) : undefined;
}

/** As it is now: the host may change what it is given, and a burst is kept when it is over. */
function snapshot(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || value instanceof Error) return value;
  return Buffer.isBuffer(value) ? Buffer.from(value) : structuredClone(value);
}

function snapshotOf(parameter: unknown): unknown {
  const result = plainMysqlResult(parameter);
  if (typeof result !== 'object' || result === null || result instanceof Error) return result;
  if (Array.isArray(result)) return result.map(snapshot);
  return Object.fromEntries(Object.entries(result).map(([name, value]) => [name, snapshot(value)]));
}

/**
 * Keeps what a query tells its listeners. Events that come together are one chunk, so that a replay lets nobody read a row before
 * an error that came in one piece with it.
 */
class QueryTape {
  private readonly tape: StreamTape;
  private burst: QueryEvent[] = [];

  constructor(tape: StreamTape) {
    this.tape = tape;
  }

  add(event: string, parameters: readonly unknown[]): void {
    if (!told.has(event)) return;
    if (this.burst.length === 0) process.nextTick(() => guarded('observing a query', () => this.keep(), undefined));
    this.burst.push([event, ...parameters.map(snapshotOf)]);
  }

  private keep(): void {
    const burst = this.burst;
    this.burst = [];
    this.tape.chunk(burst);
    const error = burst.find(([event]) => event === 'error');
    if (error !== undefined) this.tape.failed(error[1]);
    else if (burst.some(([event]) => event === 'end')) this.tape.ended(undefined);
  }
}

/** Emits what was recorded. A burst has a tick of its own: what a listener throws is the host's and must not become a rejection of ours. */
async function play(query: object, chunks: AsyncIterator<unknown>): Promise<void> {
  const emit = methodOf(query, 'emit') as Method;
  const emitted = (burst: readonly QueryEvent[]): Promise<void> =>
    new Promise((resolve) => {
      process.nextTick(() => {
        resolve();
        for (const event of burst) Reflect.apply(emit, query, event);
      });
    });
  for (let next = await chunks.next(); next.done !== true; next = await chunks.next()) {
    await emitted(next.value as QueryEvent[]);
  }
}

/** A query of the driver that no connection ever gets: only what was made by a pool, or the class of a connection, has them. */
function unsentQuery({ holder, memberOf, parameters }: AnsweredCall): unknown {
  const [text, values] = parameters;
  const createQuery = methodOf(holder, 'createQuery') ?? methodOf(memberOf('constructor'), 'createQuery');
  if (createQuery !== undefined) return createQuery(text, values, undefined, {});
  const pool = methodOf(holder, 'createPool')?.({}) ?? holder;
  const core = (Reflect.get(pool as object, 'pool') as object | undefined) ?? pool;
  const starved: object = Object.create(core as object, { getConnection: { value: () => undefined } });
  return methodOf(starved, 'query')?.call(starved, text, values);
}

function isQuery(value: unknown): value is object {
  return methodOf(value, 'emit') !== undefined && methodOf(value, 'stream') !== undefined;
}

/** A query of mysql2 without a callback: an emitter, of which `stream()` makes a stream. */
export const mysql2RowFeed: RowFeed = {
  idle: unsentQuery,
  isFed: isQuery,
  watch: (query, tape) => {
    const emit = methodOf(query, 'emit') as Emit;
    const events = new QueryTape(tape);
    const watched: Emit = function watched(this: unknown, event, ...parameters) {
      guarded('observing a query', () => events.add(event, parameters), undefined);
      return Reflect.apply(emit, this, [event, ...parameters]);
    };
    Object.defineProperty(query, 'emit', { value: watched, configurable: true, writable: true, enumerable: false });
  },
  serve: (chunks, call) => {
    const query = unsentQuery(call);
    if (!isQuery(query)) {
      throw new ReenactError('replay-refused', 'There is no query of the driver to give recorded rows to.', {
        where: `database:mysql.${call.method}`,
        next: 'Wrap the module `mysql2` or `mysql2/promise`, or one of its pools.',
      });
    }
    // An error is the last of what was recorded, and has been told by then.
    void play(query, chunks).catch(() => undefined);
    return query;
  },
};
