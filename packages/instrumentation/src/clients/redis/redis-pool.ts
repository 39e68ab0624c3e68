import { context as contexts } from '@opentelemetry/api';
import type { AroundCall, ClientMethod, ReturnedObject } from '../object/client-definition.ts';

type Work = (client: object) => unknown;

/** That a pool has a client to give, or why not. */
const NAME = 'redis.acquire';
const acquire: ClientMethod = { name: NAME, effect: 'read' };
const nothing = (): undefined => undefined;

/** The host's code, with a client that nobody has; with one of the pool's where a replay is asked to acquire it live. */
async function replayed({ cross, give, call }: AroundCall, work: Work, shape: ReturnedObject): Promise<unknown> {
  const withClient = contexts.bind(contexts.active(), (client: object) => work(give(shape, client)));
  let live: { readonly done: unknown } | undefined;
  // Within the crossing: the pool may have to connect for it.
  cross('execute', acquire, () => {
    live = { done: call('execute', [withClient]) };
  });
  return live === undefined ? work(give(shape, undefined)) : live.done;
}

async function recorded({ cross, give, call }: AroundCall, work: Work, shape: ReturnedObject): Promise<unknown> {
  let isAcquired = false;
  // A pool calls what waits for a client from where another one was given back.
  const withClient = contexts.bind(contexts.active(), (client: object) => {
    isAcquired = true;
    cross('execute', acquire, nothing);
    return work(give(shape, client));
  });
  try {
    return await call('execute', [withClient]);
  } catch (error) {
    if (isAcquired) throw error;
    return cross('execute', acquire, () => {
      throw error;
    });
  }
}

/** `execute` of a pool, which gives the host's code a client of its own; `shape`: what is a crossing of that. */
export function poolExecute(shape: ReturnedObject): ClientMethod {
  return {
    name: NAME,
    hidesArguments: true,
    around(call) {
      const [work] = call.parameters;
      if (typeof work !== 'function') return call.call('execute', call.parameters);
      return call.isReplayed() ? replayed(call, work as Work, shape) : recorded(call, work as Work, shape);
    },
  };
}
