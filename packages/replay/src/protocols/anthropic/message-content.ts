import { isTree } from '@reenact/trace-model';
import type { AnswerEdit, EditedToolCall } from '../model-protocol.ts';

type Tree = Record<string, unknown>;

/** One block of a message after an edit. */
export interface EditedBlock {
  readonly block: Tree;
  /** Index of the recorded block that it is, or in whose place it comes; undefined for one that is added. */
  readonly recordedAt: number | undefined;
  readonly isChanged: boolean;
  /** The text of a tool's arguments as the model is to have written it. */
  readonly inputText?: string;
}

function jsonOrText(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

function textBlock(recorded: Tree | undefined, text: string): Tree {
  // Citations belong to the words that were there.
  return { ...recorded, type: 'text', text, ...(recorded?.citations === undefined ? {} : { citations: null }) };
}

/** An empty text is no block at all: the API knows none. */
function withText(blocks: readonly EditedBlock[], text: string): EditedBlock[] {
  const isText = ({ block }: EditedBlock): boolean => block.type === 'text';
  const first = blocks.find(isText);
  const made: EditedBlock[] =
    text === ''
      ? []
      : [
          {
            block: textBlock(first?.block, text),
            recordedAt: first?.recordedAt,
            isChanged: first?.block.text !== text,
          },
        ];
  if (first !== undefined) return blocks.flatMap((item) => (item === first ? made : isText(item) ? [] : [item]));
  const call = blocks.findIndex(({ block }) => block.type === 'tool_use');
  const place = call < 0 ? blocks.length : call;
  return [...blocks.slice(0, place), ...made, ...blocks.slice(place)];
}

function callBlock(call: EditedToolCall, recorded: EditedBlock | undefined, index: number): EditedBlock {
  const recordedId = recorded?.block.id;
  const id = call.id ?? (typeof recordedId === 'string' ? recordedId : `toolu_edited_${index + 1}`);
  const inputText = typeof call.arguments === 'string' ? call.arguments : JSON.stringify(call.arguments ?? {});
  return {
    block: { ...recorded?.block, type: 'tool_use', id, name: call.name, input: jsonOrText(inputText) },
    recordedAt: recorded?.recordedAt,
    isChanged: true,
    inputText,
  };
}

function withCalls(blocks: readonly EditedBlock[], calls: readonly EditedToolCall[]): EditedBlock[] {
  const isCall = ({ block }: EditedBlock): boolean => block.type === 'tool_use';
  const recorded = blocks.filter(isCall);
  const made = calls.map((call, index) => callBlock(call, recorded[index], index));
  const place = blocks.findIndex(isCall);
  if (place < 0) return [...blocks, ...made];
  return [...blocks.slice(0, place), ...made, ...blocks.slice(place).filter((item) => !isCall(item))];
}

/**
 * The content of a message that says something else. Blocks of other types, such as thinking with its signature or tools that
 * the provider ran itself, stay where they are.
 */
export function editedContent(content: readonly Tree[], { text, toolCalls }: AnswerEdit): EditedBlock[] {
  const blocks = content.map((block, recordedAt): EditedBlock => ({ block, recordedAt, isChanged: false }));
  const said = text === undefined ? blocks : withText(blocks, text);
  return toolCalls === undefined ? said : withCalls(said, toolCalls);
}

/** Why the model stopped, after an edit, with the stop sequence that only one of these reasons has. */
export function editedStop({ stop_reason: reason, ...rest }: Tree, blocks: readonly EditedBlock[]): Tree {
  const hasCalls = blocks.some(({ block }) => block.type === 'tool_use');
  if (hasCalls && (reason === 'end_turn' || reason === 'stop_sequence')) {
    return { ...rest, stop_reason: 'tool_use', stop_sequence: null };
  }
  return { ...rest, stop_reason: !hasCalls && reason === 'tool_use' ? 'end_turn' : reason };
}

/** A message that says something else. Undefined where the body is none. */
export function editedMessage(body: unknown, edit: AnswerEdit): unknown {
  if (!isTree(body) || !Array.isArray(body.content)) return undefined;
  const blocks = editedContent(body.content.filter(isTree), edit);
  return { ...editedStop(body, blocks), content: blocks.map(({ block }) => block) };
}
