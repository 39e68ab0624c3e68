import { ReenactError, toReenactError } from '@reenact/trace-model';
import type { Store } from '../store/store.ts';
import { type Answerer, answerJson } from './answer.ts';

/** `GET /health/live`: the process answers. */
export const answerLive: Answerer = async () => answerJson({ status: 'live' });

/**
 * `GET /health/ready`: the store serves what it has, and whether it takes more; an error where it does not serve. With `for=ingest` it is
 * an error, too, where it takes no more: for whoever decides by it where to send.
 */
export function createReadyAnswerer(store: Store): Answerer {
  return async ({ parameters }) => {
    const isForIngest = asksForIngest(parameters);
    await store.check();
    const refusal = await store.checkAppend().then(() => undefined, toReenactError);
    if (refusal === undefined) return answerJson({ status: 'ready', ingest: 'taken' });
    if (isForIngest) throw refusal;
    const { message: reason, next } = refusal;
    return answerJson({ status: 'ready', ingest: 'refused', reason, next });
  };
}

function asksForIngest(parameters: URLSearchParams): boolean {
  for (const [name, value] of parameters) {
    if (name === 'for' && value === 'ingest') continue;
    throw new ReenactError('bad-request', `Health is not asked with "${name}=${value}".`, {
      where: name,
      next: 'Leave it out to ask whether the store serves, or say for=ingest to ask whether requests are taken, too.',
    });
  }
  return parameters.has('for');
}
