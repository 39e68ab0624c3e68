import type { Crossing, ReconstructedOutput } from '@reenact/trace-model';
import { type ChatChoice, chatChoices, chatHead, chatUsage } from './chat-completion.ts';

interface StreamedChoice {
  readonly index: number;
  readonly delta: Readonly<Record<string, unknown>>;
  readonly finish_reason: string | null;
}

/** Words with the space after them; together the text again. */
function pieces(text: string): readonly string[] {
  return text.match(/\s*\S+\s*|\s+/g) ?? [];
}

function deltasOf({ message }: ChatChoice): Readonly<Record<string, unknown>>[] {
  const { content, refusal, reasoning_content: reasoning, tool_calls: calls = [] } = message;
  return [
    { role: 'assistant', content: content === null ? null : '', refusal: null },
    ...(reasoning === undefined ? [] : pieces(reasoning).map((piece) => ({ reasoning_content: piece }))),
    ...pieces(content ?? '').map((piece) => ({ content: piece })),
    ...pieces(refusal ?? '').map((piece) => ({ refusal: piece })),
    ...calls.flatMap(({ id, type, function: called }, index) => [
      { tool_calls: [{ index, id, type, function: { name: called.name, arguments: '' } }] },
      { tool_calls: [{ index, function: { arguments: called.arguments } }] },
    ]),
  ];
}

function streamed(choice: ChatChoice): StreamedChoice[] {
  const { index, finish_reason } = choice;
  return [
    ...deltasOf(choice).map((delta) => ({ index, delta, finish_reason: null })),
    { index, delta: {}, finish_reason },
  ];
}

/**
 * The server-sent events of a streamed chat completion put together from what GenAI attributes say, `[DONE]` included.
 * Where its chunks ended is not known: texts come word by word, the arguments of a tool call at once.
 */
export function chatCompletionChunks(output: ReconstructedOutput, crossing: Crossing, includeUsage: boolean): string[] {
  const head = { ...chatHead(output, crossing), object: 'chat.completion.chunk' };
  const empty = includeUsage ? { usage: null } : {};
  const events: Record<string, unknown>[] = chatChoices(output, crossing)
    .flatMap(streamed)
    .map((choice) => ({ ...head, choices: [choice], ...empty }));
  const usage = chatUsage(output);
  if (includeUsage && usage !== undefined) events.push({ ...head, choices: [], usage });
  return [...events.map((event) => `data: ${JSON.stringify(event)}\n\n`), 'data: [DONE]\n\n'];
}
