import { type Crossing, crossingLabel, decodeValue, MISSING_CAUSES, ReenactError } from '@reenact/trace-model';
import { listed } from '../listed.ts';

/** What a recorded crossing was called with, made again. */
export interface RecordedInput {
  readonly parameters: readonly unknown[];
  /** What about it is not as it was, one sentence each. */
  readonly notes: readonly string[];
}

function standIn(name: string): () => undefined {
  const callable = (): undefined => undefined;
  Object.defineProperty(callable, 'name', { value: name, configurable: true });
  return callable;
}

/** Marks are `<JSON pointer> <reason>`, with the part of the crossing as the first step of the pointer. */
function inputMarks(marks: readonly string[]): string[] {
  return marks.filter((mark) => /^\/input(\/|\s|$)/.test(mark)).map((mark) => mark.replace(/^\/input/, '') || '/');
}

function notesOf({ path, lossy, redacted }: Crossing): string[] {
  const marks = inputMarks(lossy);
  const functions = marks.filter((mark) => / function$/.test(mark)).map((mark) => mark.replace(/ function$/, ''));
  const others = marks.filter((mark) => !/ function$/.test(mark));
  const cut = inputMarks(redacted);
  const notes: string[] = [];
  if (functions.length > 0) {
    notes.push(
      `Functions in the recorded input of ${path} were replaced by ones that do nothing: ${listed(functions)}.`,
    );
  }
  if (others.length > 0) {
    notes.push(`The input of ${path} could not be recorded exactly and came back without: ${listed(others)}.`);
  }
  if (cut.length > 0) notes.push(`The input of ${path} came back redacted at ${listed(cut)}.`);
  return notes;
}

/**
 * The arguments a crossing was recorded with, made again for calling its code: fresh values, registered classes as
 * instances, functions as ones that do nothing. Call it after the code that registers classes was loaded. Throws
 * ReenactError `cold-case` where the input was not kept, `unsupported` where it is no list of arguments.
 */
export function recordedInput(crossing: Crossing): RecordedInput {
  const { input, path } = crossing;
  if (input?.data === undefined) {
    throw new ReenactError('cold-case', `The input of ${path} was not recorded, so there is nothing to call it with.`, {
      where: path,
      next: MISSING_CAUSES['no-input'],
    });
  }
  const decoded = decodeValue(input, { callable: standIn });
  if (!Array.isArray(decoded)) {
    throw new ReenactError(
      'unsupported',
      `${path} was not recorded as a call of a function of yours, so it cannot be entered by one.`,
      {
        where: crossingLabel(crossing),
        next: 'Name the agent, tool or other wrapped function around it; `reenact show <id>` lists their span ids.',
      },
    );
  }
  return { parameters: decoded, notes: notesOf(crossing) };
}
