import { type Crossing, decodeValue, payloadOf, payloadTree, ReenactError } from '@reenact/trace-model';
import { type JsonPath, jsonPathText } from '../recorded/json-path.ts';
import { impossibleEdit, type PreparedEdit } from './outcome-edit.ts';
import { withValueAtPath, withValueInTree } from './value-at-path.ts';

/** One change of an input. */
export interface InputEdit {
  readonly path: JsonPath;
  /** In the tagged form of docs/adr/0004. */
  readonly value: unknown;
}

/** Reads an edit of an input and checks it against the recorded one. Throws ReenactError `bad-plan`. */
export function inputEdit(recorded: Crossing, { target, value, text }: PreparedEdit): InputEdit | undefined {
  if (target.part !== 'input') return undefined;
  const { path } = target;
  if (path.length === 0 || path[0] === 'stream') {
    const why =
      path.length === 0 ? 'an input is edited member by member' : 'the code that asked for a stream reads one';
    throw impossibleEdit(recorded, text, why, 'Name another member of it, for example input.model.');
  }
  const tree = recorded.input?.data === undefined ? undefined : payloadTree(recorded.input);
  const replaced = tree === undefined ? { value: undefined } : withValueInTree(tree, path, value);
  if ('value' in replaced) return { path, value };
  throw impossibleEdit(
    recorded,
    text,
    `its input has ${replaced.found} at ${replaced.missingAt}`,
    `Name a place that \`reenact show ${recorded.spanId} --full\` prints.`,
  );
}

/**
 * The live input with the edits in it: a copy along the paths, so that everything else stays the very value the agent passed.
 * Throws ReenactError `replay-refused` where the live input has no such place.
 */
export function applyInputEdits(input: unknown, edits: readonly InputEdit[]): unknown {
  return edits.reduce<unknown>((edited, { path, value }) => {
    const live = decodeValue(payloadOf('js', JSON.stringify(value)));
    const replaced = withValueAtPath(edited, path, live);
    if ('value' in replaced) return replaced.value;
    throw new ReenactError(
      'replay-refused',
      `The input cannot be edited: it has ${replaced.found} at ${replaced.missingAt}.`,
      {
        where: `input${jsonPathText(path).slice(1)}`,
        next: 'Name a place that the input of the running code has, too.',
      },
    );
  }, input);
}
