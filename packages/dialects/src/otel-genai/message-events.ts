import {
  ATTR_GEN_AI_EVENT_CONTENT,
  EVENT_GEN_AI_ASSISTANT_MESSAGE,
  EVENT_GEN_AI_CHOICE,
  EVENT_GEN_AI_SYSTEM_MESSAGE,
  EVENT_GEN_AI_TOOL_MESSAGE,
  EVENT_GEN_AI_USER_MESSAGE,
} from '@reenact/semconv/gen-ai';
import { type GenAiMessage, genAiMessage, isTree } from '@reenact/trace-model';
import type { Attributes } from '../attributes.ts';

/** One event of a span, attributes as plain values. */
export interface MessageEvent {
  readonly name: string;
  readonly attributes: Attributes;
}

const roleOfEvent: ReadonlyMap<string, string> = new Map([
  [EVENT_GEN_AI_SYSTEM_MESSAGE, 'system'],
  [EVENT_GEN_AI_USER_MESSAGE, 'user'],
  [EVENT_GEN_AI_ASSISTANT_MESSAGE, 'assistant'],
  [EVENT_GEN_AI_TOOL_MESSAGE, 'tool'],
]);

const bodyMembers = ['content', 'role', 'tool_calls', 'id', 'index', 'finish_reason', 'message'];

/** What an event's body says: its members as attributes, or the whole of it as JSON text. */
function bodyOf({ attributes }: MessageEvent): Record<string, unknown> {
  const members = bodyMembers.filter((key) => attributes.has(key)).map((key) => [key, attributes.get(key)]);
  const whole = attributes.get(ATTR_GEN_AI_EVENT_CONTENT);
  if (typeof whole !== 'string') return Object.fromEntries(members);
  try {
    const tree: unknown = JSON.parse(whole);
    return isTree(tree) ? tree : { content: whole };
  } catch {
    return { content: whole };
  }
}

function inputMessage(role: string, event: MessageEvent): GenAiMessage | undefined {
  const body = bodyOf(event);
  // An event without content says only that there was a message: capture was off.
  if (body.content === undefined && body.tool_calls === undefined) return undefined;
  return genAiMessage({ role, ...body, tool_call_id: body.id });
}

/** A choice without a message says only how it ended: capture was off. */
function choiceMessage(event: MessageEvent): { readonly index: number; readonly message: GenAiMessage | undefined } {
  const { index, message, finish_reason } = bodyOf(event);
  const said = typeof message === 'string' ? { content: message } : isTree(message) ? message : {};
  const isEmpty = said.content === undefined && said.tool_calls === undefined;
  return {
    index: Number(index ?? 0),
    message: isEmpty ? undefined : genAiMessage({ ...said, role: 'assistant', finish_reason }),
  };
}

function allOrNone(messages: readonly (GenAiMessage | undefined)[]): GenAiMessage[] | undefined {
  const whole = messages.filter((message) => message !== undefined);
  return whole.length > 0 && whole.length === messages.length ? whole : undefined;
}

/** Reads the per-message events of conventions up to 1.36. A side of which any message lacks its content is absent. */
export function messagesOfEvents(events: readonly MessageEvent[]): {
  readonly input: GenAiMessage[] | undefined;
  readonly output: GenAiMessage[] | undefined;
} {
  const inputs = events.flatMap((event) => {
    const role = roleOfEvent.get(event.name);
    return role === undefined ? [] : [inputMessage(role, event)];
  });
  const choices = events.filter(({ name }) => name === EVENT_GEN_AI_CHOICE).map(choiceMessage);
  const ordered = choices.toSorted((left, right) => left.index - right.index).map(({ message }) => message);
  return { input: allOrNone(inputs), output: allOrNone(ordered) };
}
