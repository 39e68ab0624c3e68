import { context as contexts } from '@opentelemetry/api';
import { runInContext } from '../../host/run-in-context.ts';
import { coveredWork } from '../../run/covered-work.ts';
import type { AroundCall, ClientMethod } from '../object/client-definition.ts';

type Fn = (this: unknown, ...parameters: unknown[]) => unknown;

const variants = ['default', 'deferred', 'immediate', 'exclusive'] as const;
const begin: ClientMethod = { name: 'sqlite.begin', effect: 'write' };
const commit: ClientMethod = { name: 'sqlite.commit', effect: 'write' };
const nothing = (): undefined => undefined;

function rethrow(error: unknown): () => never {
  return () => {
    throw error;
  };
}

/** The transaction of a replay: the host's code, between the beginning and the end that were recorded. */
function replayed({ cross, call }: AroundCall, body: Fn, variant: (typeof variants)[number]): Fn {
  const beginText = variant === 'default' ? 'BEGIN' : `BEGIN ${variant.toUpperCase()}`;
  return function transaction(this: unknown, ...parameters: unknown[]): unknown {
    let isLive = false;
    cross('begin', begin, () => {
      call('exec', [beginText]);
      isLive = true;
    });
    let result: unknown;
    try {
      result = Reflect.apply(body, this, parameters);
    } catch (error) {
      if (isLive) call('exec', ['ROLLBACK']);
      throw error;
    }
    cross('commit', commit, () => call('exec', ['COMMIT']));
    return result;
  };
}

/** The driver's own transaction, whose beginning and end are told to the gate when they have happened. */
function recorded({ cross, call }: AroundCall, body: Fn, variant: (typeof variants)[number]): Fn {
  let phase: 'beginning' | 'inside' | 'ending' = 'beginning';
  let outside = contexts.active();
  const watched: Fn = function watched(this: unknown, ...parameters: unknown[]): unknown {
    cross('begin', begin, nothing);
    phase = 'inside';
    // What the driver runs around it is in none of its crossings, and what it runs itself may be anything.
    const result = runInContext(outside, () => Reflect.apply(body, this, parameters));
    phase = 'ending';
    return result;
  };
  const own = call('transaction', [watched]) as Record<string, Fn>;
  return function transaction(this: unknown, ...parameters: unknown[]): unknown {
    phase = 'beginning';
    outside = contexts.active();
    let result: unknown;
    try {
      result = coveredWork(() => Reflect.apply(own[variant] ?? nothing, this, parameters));
    } catch (error) {
      if (phase === 'beginning') return cross('begin', begin, rethrow(error));
      if (phase === 'ending') return cross('commit', commit, rethrow(error));
      throw error;
    }
    cross('commit', commit, nothing);
    return result;
  };
}

/** `database.transaction(fn)`: the function that runs `fn` in a transaction, with the driver's variants hung on it. */
export function betterSqlite3Transaction(around: AroundCall): unknown {
  const [body] = around.parameters;
  if (typeof body !== 'function') return around.call('transaction', around.parameters);
  const made = variants.map((variant) => {
    const once: Fn = function run(this: unknown, ...parameters: unknown[]): unknown {
      const make = around.isReplayed() ? replayed : recorded;
      return Reflect.apply(make(around, body as Fn, variant), this, parameters);
    };
    return [variant, once] as const;
  });
  const [[, standard]] = made as [(typeof made)[number]];
  return Object.assign(standard, Object.fromEntries(made));
}
