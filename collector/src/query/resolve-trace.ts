import { ReenactError } from '@reenact/trace-model';
import type { Store } from '../store/store.ts';
import type { Question } from './answer.ts';

const NEXT = 'List what is here with `reenact runs`; a span shows up as soon as its export was acknowledged.';

/** The trace a trace id or any span id leads to. Throws ReenactError `bad-request` or `not-found`. */
export async function resolveTrace(store: Store, { tenant, id }: Pick<Question, 'tenant' | 'id'>): Promise<string> {
  const wanted = id.toLowerCase();
  if (!/^([0-9a-f]{16}|[0-9a-f]{32})$/.test(wanted)) {
    throw new ReenactError('bad-request', `"${id}" is neither a trace id nor a span id.`, {
      where: id,
      next: 'Give 32 hex digits for a trace, or 16 for a span.',
    });
  }
  const traceId = wanted.length === 32 ? wanted : await store.findTrace(tenant, wanted);
  if (traceId === undefined) throw notFound(`There is no span ${wanted}.`, id);
  return traceId;
}

/** Says that nothing is stored under an id. */
export function notFound(message: string, id: string): ReenactError {
  return new ReenactError('not-found', message, { where: id, next: NEXT });
}
