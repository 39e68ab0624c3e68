import { eventObjects, listOf, type Members, membersOf, numberOf, stringOf } from '@reenact/instrumentation';
import type { ServerSentEvent } from '@reenact/trace-model';

interface CallDraft {
  id?: unknown;
  type?: unknown;
  name: string;
  text: string;
}

interface ChoiceDraft {
  role: string;
  content: string;
  reasoning: string;
  refusal: string;
  finishReason: unknown;
  readonly calls: Map<number, CallDraft>;
  legacyCall: CallDraft | undefined;
}

function draftOf<Draft>(drafts: Map<number, Draft>, index: unknown, make: () => Draft): Draft {
  const key = numberOf(index) ?? 0;
  const draft = drafts.get(key) ?? make();
  drafts.set(key, draft);
  return draft;
}

function newCall(): CallDraft {
  return { name: '', text: '' };
}

function newChoice(): ChoiceDraft {
  return {
    role: 'assistant',
    content: '',
    reasoning: '',
    refusal: '',
    finishReason: null,
    calls: new Map(),
    legacyCall: undefined,
  };
}

function addCall(draft: CallDraft, delta: Members): void {
  const called = membersOf(delta.function ?? delta.custom);
  draft.id ??= delta.id;
  draft.type ??= delta.type;
  draft.name += stringOf(called.name) ?? '';
  draft.text += stringOf(called.arguments) ?? stringOf(called.input) ?? '';
}

function addDelta(draft: ChoiceDraft, delta: Members): void {
  draft.role = stringOf(delta.role) ?? draft.role;
  draft.content += stringOf(delta.content) ?? '';
  draft.reasoning += stringOf(delta.reasoning_content) ?? '';
  draft.refusal += stringOf(delta.refusal) ?? '';
  for (const call of listOf(delta.tool_calls)) {
    const members = membersOf(call);
    addCall(draftOf(draft.calls, members.index, newCall), members);
  }
  if (delta.function_call !== undefined && delta.function_call !== null) {
    draft.legacyCall ??= newCall();
    addCall(draft.legacyCall, { function: delta.function_call });
  }
}

function callOf({ id, type, name, text }: CallDraft): Members {
  return type === 'custom'
    ? { id, type, custom: { name, input: text } }
    : { id, type: 'function', function: { name, arguments: text } };
}

function choiceOf(draft: ChoiceDraft): Members {
  const { role, content, reasoning, refusal, finishReason, calls, legacyCall } = draft;
  const ordered = [...calls].sort(([first], [second]) => first - second);
  return {
    finish_reason: finishReason,
    message: {
      role,
      content: content === '' ? null : content,
      ...(reasoning === '' ? {} : { reasoning_content: reasoning }),
      ...(refusal === '' ? {} : { refusal }),
      ...(ordered.length === 0 ? {} : { tool_calls: ordered.map(([, call]) => callOf(call)) }),
      ...(legacyCall === undefined ? {} : { function_call: { name: legacyCall.name, arguments: legacyCall.text } }),
    },
  };
}

/**
 * The chat completion that the chunks of a stream add up to, as far as they go: for the view, never for a replay. A
 * stream without one chunk gives an empty object.
 */
export function chatCompletionOf(events: readonly ServerSentEvent[]): Members {
  const completion: Record<string, unknown> = {};
  const choices = new Map<number, ChoiceDraft>();
  for (const chunk of eventObjects(events)) {
    for (const key of ['id', 'model', 'service_tier', 'system_fingerprint', 'usage']) {
      if (chunk[key] !== undefined && chunk[key] !== null && chunk[key] !== '') completion[key] = chunk[key];
    }
    for (const value of listOf(chunk.choices)) {
      const choice = membersOf(value);
      const draft = draftOf(choices, choice.index, newChoice);
      addDelta(draft, membersOf(choice.delta));
      draft.finishReason = choice.finish_reason ?? draft.finishReason;
    }
  }
  const ordered = [...choices].sort(([first], [second]) => first - second);
  return { ...completion, choices: ordered.map(([, draft]) => choiceOf(draft)) };
}
