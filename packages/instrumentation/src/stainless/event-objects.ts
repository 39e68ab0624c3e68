import type { ServerSentEvent } from '@reenact/trace-model';
import { type Members, membersOf } from '../view/members.ts';

/** The JSON objects of an event stream, in order. What is no JSON object, `[DONE]` or half an event, is left out. */
export function eventObjects(events: readonly ServerSentEvent[]): Members[] {
  return events.flatMap(({ data }) => {
    try {
      const value: unknown = JSON.parse(data);
      return typeof value === 'object' && value !== null ? [membersOf(value)] : [];
    } catch {
      return [];
    }
  });
}
