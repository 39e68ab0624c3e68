import {
  type Crossing,
  isTree,
  type Outcome,
  type Payload,
  payloadTree,
  ReenactError,
  type StreamChunk,
} from '@reenact/trace-model';
import type { EditTarget } from '../plan/edit-target.ts';
import type { JsonPath } from '../recorded/json-path.ts';
import { errorTreeOf, payloadOfTree } from './outcome-payloads.ts';
import { withValueInTree } from './value-at-path.ts';

/** What an edit does, ready to be applied. */
export interface PreparedEdit {
  readonly target: EditTarget;
  readonly value: unknown;
  /** As the user wrote it, for messages. */
  readonly text: string;
}

/** The error of an edit that its crossing cannot take. */
export function impossibleEdit(recorded: Crossing, text: string, message: string, next: string): ReenactError {
  return new ReenactError('bad-plan', `${text} cannot be edited in ${recorded.path}: ${message}.`, {
    where: recorded.path,
    next,
  });
}

/** A payload with another value at a path. Throws ReenactError `bad-plan` where the path leads nowhere. */
function editedPayload(recorded: Crossing, payload: Payload | undefined, path: JsonPath, edit: PreparedEdit): Payload {
  if (path.length > 0 && payload?.data === undefined) {
    throw impossibleEdit(recorded, edit.text, 'it was not recorded', 'Edit it as a whole, without a path.');
  }
  const replaced = withValueInTree(payload === undefined ? undefined : payloadTree(payload), path, edit.value);
  if ('value' in replaced) return payloadOfTree(replaced.value);
  throw impossibleEdit(
    recorded,
    edit.text,
    `the recording has ${replaced.found} at ${replaced.missingAt}`,
    `Name a place that \`reenact show ${recorded.spanId} --full\` prints.`,
  );
}

function withReturned(recorded: Crossing, path: JsonPath, edit: PreparedEdit): Outcome {
  const { outcome } = recorded;
  if ('chunks' in outcome)
    throw impossibleEdit(recorded, edit.text, 'it is a stream', 'Name a chunk of it, for example chunks[0].');
  switch (outcome.type) {
    case 'returned':
      return { type: 'returned', value: editedPayload(recorded, outcome.value, path, edit) };
    case 'threw':
    case 'pending':
      if (path.length === 0) return { type: 'returned', value: payloadOfTree(edit.value) };
      throw impossibleEdit(recorded, edit.text, `it ${outcome.type}, so there is no output`, 'Edit $ as a whole.');
  }
}

function errorPath(path: JsonPath): JsonPath {
  const [first] = path;
  if (first === undefined) return path;
  const isOfRecord = first === 'message' || first === 'name' || first === 'class' || first === 'stack';
  return isOfRecord ? ['record', ...path] : ['record', 'fields', ...path];
}

function withError(recorded: Crossing, path: JsonPath, edit: PreparedEdit): Outcome {
  const { outcome } = recorded;
  const current = 'error' in outcome ? outcome.error : undefined;
  if (path.length > 0 && current === undefined) {
    throw impossibleEdit(recorded, edit.text, 'it did not fail', 'Give the error as a whole: error={"message":"…"}.');
  }
  const fallback = { class: 'Error', message: 'This error comes from the plan of the replay.' };
  const error =
    path.length === 0
      ? payloadOfTree(errorTreeOf(edit.value, fallback))
      : editedPayload(recorded, withFields(current), errorPath(path), edit);
  return 'chunks' in outcome ? { type: 'failed', chunks: outcome.chunks, error } : { type: 'threw', error };
}

/** An error without own members gets a place for them. */
function withFields(payload: Payload | undefined): Payload | undefined {
  const tree = payload === undefined ? undefined : payloadTree(payload);
  if (!isTree(tree) || !isTree(tree.record) || isTree(tree.record.fields)) return payload;
  return payloadOfTree({ ...tree, record: { ...tree.record, fields: {} } });
}

/** The chunks of a stream, or the reason why there are none. */
export function chunksOf(recorded: Crossing, text: string): readonly StreamChunk[] {
  if ('chunks' in recorded.outcome) return recorded.outcome.chunks;
  throw impossibleEdit(recorded, text, 'it is no stream', 'Edit its output with $.');
}

function withChunk(recorded: Crossing, index: number, path: JsonPath, edit: PreparedEdit): Outcome {
  const chunks = chunksOf(recorded, edit.text);
  const chunk = chunks[index];
  if (chunk === undefined || !('chunks' in recorded.outcome)) {
    throw impossibleEdit(recorded, edit.text, `it has ${chunks.length} chunks, counted from 0`, 'Name one of them.');
  }
  const value = editedPayload(recorded, chunk.value, path, edit);
  return { ...recorded.outcome, chunks: chunks.map((item) => (item === chunk ? { ...chunk, value } : item)) };
}

/** The crossing with another outcome, where its outcome is a value and not a wire exchange. Throws ReenactError `bad-plan`. */
export function editedValueOutcome(recorded: Crossing, edit: PreparedEdit): Crossing {
  const { target } = edit;
  switch (target.part) {
    case '$':
      return { ...recorded, outcome: withReturned(recorded, target.path, edit) };
    case 'error':
      return { ...recorded, outcome: withError(recorded, target.path, edit) };
    case 'chunks':
      return { ...recorded, outcome: withChunk(recorded, target.index, target.path, edit) };
    case 'text':
    case 'toolCalls':
      throw impossibleEdit(
        recorded,
        edit.text,
        'it was not recorded as a wire exchange of a model API',
        'Edit the value it returned, with $ and a path.',
      );
    case 'input':
      return recorded;
  }
}
