import type { Attributes } from '@opentelemetry/api';
import { ATTR_SESSION_ID, ATTR_USER_ID } from '@reenact/semconv/core';
import { ATTR_GEN_AI_CONVERSATION_ID } from '@reenact/semconv/gen-ai';
import { ATTR_REENACT_REQUIRES_MISSING, ATTR_REENACT_TENANT } from '@reenact/semconv/reenact';
import { ReenactError } from '@reenact/trace-model';

const attributeKeys = {
  'user.id': ATTR_USER_ID,
  'session.id': ATTR_SESSION_ID,
  tenant: ATTR_REENACT_TENANT,
  conversation: ATTR_GEN_AI_CONVERSATION_ID,
} as const;

/** What a boundary may require to be known about whom its call is for: set by `identify` or `withIdentity`. */
export type RequiredIdentity = keyof typeof attributeKeys;

/** The words as they were given. Throws ReenactError `bad-argument` for one that is not in the list. */
export function checkedRequirements(where: string, words: readonly RequiredIdentity[]): readonly RequiredIdentity[] {
  const unknown = Array.isArray(words) ? words.find((word) => !Object.hasOwn(attributeKeys, word)) : words;
  if (unknown === undefined) return [...words];
  throw new ReenactError('bad-argument', `A boundary cannot require ${JSON.stringify(unknown)}.`, {
    where,
    next: `Give a list of: ${Object.keys(attributeKeys).join(', ')}.`,
  });
}

/** Says which of them a span lacks, as an attribute of that span; empty where it lacks none. */
export function missingIdentity(required: readonly RequiredIdentity[], present: Attributes): Attributes {
  const missing = required.filter((word) => {
    const value = present[attributeKeys[word]];
    return value === undefined || value === '';
  });
  return missing.length === 0 ? {} : { [ATTR_REENACT_REQUIRES_MISSING]: missing };
}
