import { type CrossingDraft, readCrossing } from '@reenact/dialects';
import { PAYLOAD_KEYS } from '../../payload-keys.ts';
import type { ReadSpan } from '../traces/read-span.ts';

/** Longer texts are taken for what was said. */
const SMALL_CHARACTERS_MAX = 1_000;

/** What a span too large to be looked at says of its crossing beside its payloads; `unread` says how large it is. */
export function unreadCrossing({ span, attributes }: ReadSpan, unread: string): CrossingDraft | undefined {
  const rest = new Map([...attributes].filter(([key, value]) => isSmall(key, value)));
  const draft = readCrossing({ ...span, attributes: [], events: [] }, rest);
  return draft === undefined ? undefined : { ...draft, damage: [], unread };
}

function isSmall(key: string, value: unknown): boolean {
  return !PAYLOAD_KEYS.includes(key) && (typeof value !== 'string' || value.length <= SMALL_CHARACTERS_MAX);
}
