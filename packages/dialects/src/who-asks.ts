import { ATTR_SESSION_ID, ATTR_USER_ID } from '@reenact/semconv/core';
import { ATTR_GEN_AI_CONVERSATION_ID } from '@reenact/semconv/gen-ai';
import type { Translation } from './translation.ts';

/** Under which names applications say who asks, in whatever metadata their instrumentation takes. */
const who: readonly (readonly [key: string, names: readonly string[]])[] = [
  [ATTR_SESSION_ID, ['sessionId', 'session_id', 'session.id']],
  [ATTR_USER_ID, ['userId', 'user_id', 'user.id']],
  [ATTR_GEN_AI_CONVERSATION_ID, ['conversationId', 'conversation_id', 'threadId', 'thread_id', 'chatId']],
];

/** Adds session, user and conversation, each by the first of its names that is there. */
export function addWhoAsks(translation: Translation, find: (name: string) => unknown): void {
  for (const [key, names] of who) {
    for (const name of names) translation.addText(key, find(name));
  }
}
