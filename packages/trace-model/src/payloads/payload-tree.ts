import type { Payload } from './payload.ts';

/** The payload as a JSON tree, tags left in place: the form that comparison and display work on. */
export function payloadTree(payload: Payload): unknown {
  if (payload.data === undefined) return undefined;
  return payload.format === 'json' || payload.format === 'js' ? JSON.parse(payload.data) : payload.data;
}
