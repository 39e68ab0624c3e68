import type { Store } from '@reenact/collector';
import { type AgentConversations, rawBytesOf } from './agent-conversations.ts';

const INTERLEAVED = 16;
const TENANT = 'default';

/** What went into a store. */
export interface Filled {
  readonly spans: number;
  readonly rawBytes: number;
}

/** Appends runs, 16 at a time step by step, as an application with 16 users at once would send them. */
export async function fillStore(
  store: Store,
  conversations: AgentConversations,
  firstRun: number,
  runs: number,
): Promise<Filled> {
  let spans = 0;
  let rawBytes = 0;
  for (let from = firstRun; from < firstRun + runs; from += INTERLEAVED) {
    const count = Math.min(INTERLEAVED, firstRun + runs - from);
    const open = Array.from({ length: count }, (_, index) => conversations.requestsOf(from + index));
    for (;;) {
      const requests = open.flatMap((steps) => {
        const { done, value } = steps.next();
        return done === true ? [] : [value];
      });
      if (requests.length === 0) break;
      await Promise.all(requests.map((request) => store.appendSpans(TENANT, request, [])));
      spans += requests.reduce((sum, request) => sum + request.length, 0);
      rawBytes += requests.reduce((sum, request) => sum + rawBytesOf(request), 0);
    }
  }
  return { spans, rawBytes };
}
