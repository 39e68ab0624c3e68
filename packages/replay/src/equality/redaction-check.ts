import { comparableText, holdsPlaceholder, isPlaceholder, prepareRedaction } from '@reenact/instrumentation';
import { ATTR_REENACT_REDACTION_KEY } from '@reenact/semconv/reenact';
import {
  type CanonicalPolicy,
  type Crossing,
  isComparedMember,
  isTree,
  isVolatileHeader,
  payloadTree,
  type Recording,
} from '@reenact/trace-model';
import type { EventSink } from '../events/event-sink.ts';

/** How the redacted places of a recorded input can be compared. */
export interface RedactedPlaces {
  /** JSON pointers of values that were secrets as a whole: only that there is something can be told. */
  readonly whole: readonly string[];
  /** JSON pointers of texts around secrets: all but the secret is compared. */
  readonly partial: readonly string[];
}

const nothing: RedactedPlaces = { whole: [], partial: [] };
const inputPrefix = '/input';

/** Whether this process has the key that the tokens of a recorded crossing were made with. */
export function hasRedactionKeyOf({ attributes, redacted }: Crossing): boolean {
  const keyId = attributes.get(ATTR_REENACT_REDACTION_KEY);
  return keyId === undefined ? redacted.length === 0 : keyId === prepareRedaction();
}

/**
 * Notes the keys that a recording was redacted with and that this process has not. Reads this process's key, too, while files can still
 * be read: the guard comes after.
 */
export function noteRedactionKeys({ crossings }: Recording, sink: EventSink): void {
  const ids = crossings.flatMap(({ attributes }) => attributes.get(ATTR_REENACT_REDACTION_KEY) ?? []);
  const named = [...new Set(ids.map(String))];
  if (named.length === 0) return;
  const own = prepareRedaction();
  const missing = named.filter((id) => id !== own);
  if (missing.length === 0) return;
  const text = `The recording was redacted with the key ${missing.join(', ')}, and this process has the key ${own}: redacted places are compared by presence only. Set REENACT_REDACTION_KEY or REENACT_REDACTION_KEY_FILE as it was recorded.`;
  sink.write({ type: 'note', text, unverified: false });
}

/** JSON pointers of what redaction replaced in the input; pointers without a part name belong to the input. */
export function redactedInputPointers(recorded: Crossing): string[] {
  const ofOutcome = /^\/(output|error|exchanges|chunks)(\/|$)/;
  return recorded.redacted
    .filter((pointer) => !ofOutcome.test(pointer))
    .map((pointer) =>
      pointer === inputPrefix || pointer.startsWith(`${inputPrefix}/`) ? pointer.slice(inputPrefix.length) : pointer,
    );
}

function isCompared(pointer: string, policy: CanonicalPolicy): boolean {
  const [, member, header] = pointer.split('/');
  if (member === undefined) return true;
  const isHeader = member === policy.headersIn && header !== undefined;
  return isComparedMember(policy, member) && !(isHeader && isVolatileHeader(header));
}

function valueAt(tree: unknown, pointer: string): unknown {
  const steps = pointer.split('/').slice(1);
  return steps.reduce<unknown>((value, step) => {
    const key = step.replaceAll('~1', '/').replaceAll('~0', '~');
    if (Array.isArray(value)) return value[Number(key)];
    return isTree(value) ? value[key] : undefined;
  }, tree);
}

/** The same tree with tokens put so that equal secrets are equal, whatever rule found them. */
export function comparableTree(tree: unknown, macs: 'kept' | 'dropped'): unknown {
  if (typeof tree === 'string') return comparableText(tree, macs);
  if (Array.isArray(tree)) return tree.map((item) => comparableTree(item, macs));
  if (!isTree(tree)) return tree;
  return Object.fromEntries(Object.entries(tree).map(([key, item]) => [key, comparableTree(item, macs)]));
}

/** What of a recorded input cannot be compared with a live one, because its tokens were made with another key. */
export function unverifiablePlaces(recorded: Crossing, policy: CanonicalPolicy): RedactedPlaces {
  const pointers = redactedInputPointers(recorded).filter((pointer) => isCompared(pointer, policy));
  if (pointers.length === 0 || hasRedactionKeyOf(recorded)) return nothing;
  const tree = recorded.input?.data === undefined ? undefined : payloadTree(recorded.input);
  const isPartial = (pointer: string): boolean => {
    const value = valueAt(tree, pointer);
    return typeof value === 'string' && holdsPlaceholder(value) && !isPlaceholder(value);
  };
  return {
    whole: pointers.filter((pointer) => !isPartial(pointer)),
    partial: pointers.filter(isPartial),
  };
}

/** Whether a recorded outcome holds tokens that this process cannot make: then all of it but the secrets is compared. */
export function isOutcomeUnverifiable(recorded: Crossing): boolean {
  const isOfOutcome = (pointer: string): boolean => /^\/(output|error|exchanges|chunks)(\/|$)/.test(pointer);
  return recorded.redacted.some(isOfOutcome) && !hasRedactionKeyOf(recorded);
}
