import type { Store } from '../store/store.ts';
import { type Answerer, answerJson } from './answer.ts';

/** `GET /health/live`: the process answers. */
export const answerLive: Answerer = async () => answerJson({ status: 'live' });

/** `GET /health/ready`: the store serves too; an error otherwise. */
export function createReadyAnswerer(store: Store): Answerer {
  return async () => {
    await store.check();
    return answerJson({ status: 'ready' });
  };
}
