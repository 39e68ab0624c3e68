import { isTree } from '@reenact/trace-model';
import { type EventBlock, eventBlock, eventJson } from '../event-blocks.ts';
import type { AnswerEdit } from '../model-protocol.ts';
import { textPieces } from '../text-pieces.ts';
import { chatToolCalls, finishReason, treesOf } from './chat-answer.ts';

type Tree = Record<string, unknown>;

/** One event that carries a delta of the first choice. */
interface DeltaEvent {
  readonly block: EventBlock;
  readonly chunk: Tree;
  readonly choice: Tree;
  readonly delta: Tree;
}

function deltaOf(block: EventBlock): DeltaEvent | undefined {
  const chunk = eventJson(block);
  if (!isTree(chunk)) return undefined;
  const choice = treesOf(chunk.choices).find(({ index }) => index === 0 || index === undefined);
  return choice === undefined || !isTree(choice.delta) ? undefined : { block, chunk, choice, delta: choice.delta };
}

function withChoice({ block, chunk, choice }: DeltaEvent, changed: Tree): EventBlock {
  const choices = treesOf(chunk.choices).map((item) => (item === choice ? changed : item));
  return eventBlock(block.atUs, JSON.stringify({ ...chunk, choices }), block.event);
}

/** An event like this one that carries only this delta. */
function deltaBlock({ block, chunk, choice }: DeltaEvent, delta: Tree): EventBlock {
  const { usage: _usage, ...head } = chunk as Tree & { usage?: unknown };
  const changed = { index: choice.index ?? 0, delta, ...('logprobs' in choice ? { logprobs: null } : {}) };
  const usage = 'usage' in chunk ? { usage: null } : {};
  const text = JSON.stringify({ ...head, choices: [{ ...changed, finish_reason: null }], ...usage });
  return eventBlock(block.atUs, text, block.event);
}

/** The tool calls that a stream was put together from, as far as an edit needs them. */
function recordedCalls(deltas: readonly DeltaEvent[]): Tree[] {
  const calls: Tree[] = [];
  for (const { delta } of deltas) {
    for (const part of treesOf(delta.tool_calls)) {
      const index = typeof part.index === 'number' ? part.index : 0;
      calls[index] = { ...part, ...calls[index] };
    }
  }
  return calls.filter(isTree);
}

function isWord({ delta }: DeltaEvent): boolean {
  return typeof delta.content === 'string' && delta.content !== '';
}

/** Rewrites the events of one choice; everything else in the stream stays where it is. */
class ChatStreamEdit {
  private readonly edit: AnswerEdit;
  private readonly deltas: readonly DeltaEvent[];
  private readonly pieces: string[];
  private readonly calls: Tree[];
  private readonly hasWords: boolean;
  private saidCalls = false;

  constructor(deltas: readonly DeltaEvent[], edit: AnswerEdit) {
    this.edit = edit;
    this.deltas = deltas;
    const words = deltas.filter(isWord).length;
    this.hasWords = words > 0;
    this.pieces = edit.text === undefined ? [] : textPieces(edit.text, Math.max(1, words));
    this.calls = edit.toolCalls === undefined ? [] : chatToolCalls(edit.toolCalls, recordedCalls(deltas));
  }

  private get hasCalls(): boolean {
    return this.edit.toolCalls === undefined ? recordedCalls(this.deltas).length > 0 : this.calls.length > 0;
  }

  private newCalls(near: DeltaEvent): EventBlock[] {
    if (this.saidCalls) return [];
    this.saidCalls = true;
    return this.calls.flatMap(({ id, type, function: called }, index) => {
      const { name, arguments: text } = called as { name: string; arguments: string };
      return [
        deltaBlock(near, { tool_calls: [{ index, id, type, function: { name, arguments: '' } }] }),
        deltaBlock(near, { tool_calls: [{ index, function: { arguments: text } }] }),
      ];
    });
  }

  private newWords(near: DeltaEvent): EventBlock[] {
    return this.pieces.splice(0).map((piece) => deltaBlock(near, { content: piece }));
  }

  /** The delta without what is edited, and whether anything is left of it. */
  private kept({ delta }: DeltaEvent): Tree {
    const kept = Object.entries(delta).filter(([key, value]) => {
      if (key === 'tool_calls' || key === 'function_call') return this.edit.toolCalls === undefined;
      if (key === 'content') return this.edit.text === undefined || value === '' || value === null;
      if (key === 'refusal') return this.edit.text === undefined || value === null;
      return true;
    });
    return Object.fromEntries(kept);
  }

  /** What an event becomes: none, itself, or itself with new ones around it. */
  rewrite(event: DeltaEvent, isFirst: boolean): EventBlock[] {
    const { choice, delta } = event;
    const isEnd = choice.finish_reason !== null && choice.finish_reason !== undefined;
    const before: EventBlock[] = [];
    const asksForTools = treesOf(delta.tool_calls).length > 0;
    if (this.edit.text !== undefined && isWord(event)) before.push(...this.nextWord(event));
    if (this.edit.text !== undefined && !isFirst && (asksForTools || isEnd)) before.push(...this.newWords(event));
    if (this.edit.toolCalls !== undefined && (asksForTools || isEnd)) before.push(...this.newCalls(event));
    const kept = this.kept(event);
    const isEmpty = Object.keys(kept).length === 0 && Object.keys(delta).length > 0 && !isEnd;
    const changed = {
      ...choice,
      delta: kept,
      ...(choice.logprobs !== undefined && this.edit.text !== undefined ? { logprobs: null } : {}),
      ...(isEnd ? { finish_reason: finishReason(choice.finish_reason, this.hasCalls) } : {}),
    };
    const own = isEmpty ? [] : [withChoice(event, changed)];
    const after = isFirst && !this.hasWords ? this.newWords(event) : [];
    // The role comes first, and why it stopped comes last, also where one event says both.
    return isFirst && !isEnd ? [...own, ...before, ...after] : [...before, ...after, ...own];
  }

  private nextWord(event: DeltaEvent): EventBlock[] {
    const piece = this.pieces.shift();
    return piece === undefined ? [] : [deltaBlock(event, { content: piece })];
  }

  /** What is still to be said where the stream broke off before its end. */
  rest(last: DeltaEvent): EventBlock[] {
    return [...this.newWords(last), ...(this.edit.toolCalls === undefined ? [] : this.newCalls(last))];
  }
}

/** A chat stream that says something else, in as many events as before. Undefined where it has no first choice. */
export function editedChatStream(blocks: readonly EventBlock[], edit: AnswerEdit): EventBlock[] | undefined {
  const deltaByBlock = new Map(blocks.flatMap((block) => [[block, deltaOf(block)] as const]));
  const deltas = [...deltaByBlock.values()].filter((event) => event !== undefined);
  const [first] = deltas;
  const last = deltas.at(-1);
  if (first === undefined || last === undefined) return undefined;
  const stream = new ChatStreamEdit(deltas, edit);
  return blocks.flatMap((block) => {
    const event = deltaByBlock.get(block);
    if (event === undefined) return [block];
    const rewritten = stream.rewrite(event, event === first);
    return event === last ? [...rewritten, ...stream.rest(event)] : rewritten;
  });
}
