import type { Identity } from '@reenact/instrumentation';
import { ATTR_SESSION_ID, ATTR_USER_ID } from '@reenact/semconv/core';
import { ATTR_GEN_AI_CONVERSATION_ID } from '@reenact/semconv/gen-ai';
import { ATTR_REENACT_IDENTITY_LATE, ATTR_REENACT_TENANT } from '@reenact/semconv/reenact';
import type { Crossing } from '@reenact/trace-model';

const attributeKeys = {
  userId: ATTR_USER_ID,
  sessionId: ATTR_SESSION_ID,
  conversationId: ATTR_GEN_AI_CONVERSATION_ID,
  tenant: ATTR_REENACT_TENANT,
} as const satisfies Record<keyof Identity, string>;

/**
 * Whom a crossing was for when it started, as it was recorded. Code around an entry that said so does not run again; what was said
 * after the start is left out, because the replayed code says it again where it was the one.
 */
export function recordedIdentity({ attributes }: Crossing): Identity {
  const late = attributes.get(ATTR_REENACT_IDENTITY_LATE);
  const lateKeys = Array.isArray(late) ? late : [];
  const known = Object.entries(attributeKeys).flatMap(([member, key]) => {
    const value = attributes.get(key);
    return typeof value === 'string' && !lateKeys.includes(key) ? [[member, value] as const] : [];
  });
  return Object.fromEntries(known);
}
