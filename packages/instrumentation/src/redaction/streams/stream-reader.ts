import { EVENT_SHAPES_MAX, EVENT_SHAPES_TRIED_MAX } from '../../limits.ts';
import { isItem, secretOption } from '../rules/secret-option.ts';
import { BYTES_MEMBER, introducesNext, type JsonLeaf, jsonLeaves, searchedValue } from '../text/json-leaves.ts';
import type { TextPart } from '../text/text-part.ts';
import { type EventTemplate, firstTemplate, fittedValues, widenedTemplate } from './event-templates.ts';
import { isRepeated, REPEATED_CHARACTERS_MIN, streamKeys } from './stream-key.ts';

/** The pieces of one text that runs through events. */
export interface RunningText {
  readonly pieces: string[];
}

/** A value that stood where other events of its shape have other values, and the leaf of one of those. */
export interface ReadValue {
  readonly leaf: JsonLeaf;
  readonly value: string;
}

/** A template, with what must be noted each time it fits. */
interface Shape {
  readonly template: EventTemplate;
  /** Where each of its values goes on; undefined for numbers. */
  readonly running: readonly (RunningText | undefined)[];
  /** Short texts that are the same each time, and might be pieces all the same. */
  readonly constants: readonly { readonly running: RunningText; readonly text: string }[];
  /** How many events have fitted since the constants were last noted. */
  fitted: number;
}

function isOrdinary({ calledBy, isBytes, name }: JsonLeaf): boolean {
  return calledBy === undefined && !isBytes && name !== '$' && name !== BYTES_MEMBER;
}

/**
 * A word of a list may say what the next one is, `Cookie` or `--token`, or what the rest of it is, `--token=…`: what was taken apart
 * of the events before does not tell.
 */
function holdsIntroduction({ template: { holes, leaves } }: Shape, values: readonly string[]): boolean {
  return values.some((value, hole) => {
    const leaf = leaves[holes[hole]?.index ?? 0];
    if (leaf === undefined || leaf.isNumber || !isItem(leaf)) return false;
    return introducesNext(value) || secretOption(value) !== undefined;
  });
}

function note({ pieces }: RunningText, text: string): void {
  if (!isRepeated(text, pieces.at(-1))) pieces.push(text);
}

function settle(shape: Shape): void {
  if (shape.fitted === 0) return;
  for (const { running, text } of shape.constants) running.pieces.push(text.repeat(shape.fitted));
  shape.fitted = 0;
}

/**
 * Reads events for a first look. Most events of a stream differ from one before in a word: where everything around it is
 * the same, and is looked at there, only the word is read.
 */
export class StreamReader {
  /** Events that are like none before. */
  readonly unlike: TextPart[] = [];
  /** What was read of all others. */
  readonly values: ReadValue[] = [];
  private readonly running = new Map<string, RunningText>();
  private readonly shapes = new Map<string, Shape>();
  private recent: readonly Shape[] = [];

  /** Reads the next event of a text. Never throws. */
  read(text: string, part: TextPart): void {
    const { start, end, isPlain } = part;
    if (isPlain !== true && this.fits(text, start, end)) return;
    this.unlike.push(part);
    this.settle();
    const leaves = isPlain === true ? undefined : jsonLeaves(text, start, end);
    if (leaves === undefined) note(this.runningText(''), text.slice(start, end));
    else this.learn(text, part, leaves);
  }

  /** The texts that run through more than one event. */
  texts(): RunningText[] {
    this.settle();
    return [...this.running.values()].filter(({ pieces }) => pieces.length > 1);
  }

  private settle(): void {
    for (const shape of this.recent) settle(shape);
  }

  private fits(text: string, start: number, end: number): boolean {
    for (const shape of this.recent) {
      const values = fittedValues(shape.template, text, start, end);
      if (values === undefined || holdsIntroduction(shape, values)) continue;
      if (shape !== this.recent[0]) this.prefer(shape);
      shape.fitted += 1;
      this.noteValues(shape, values);
      return true;
    }
    return false;
  }

  private noteValues({ template: { holes, leaves }, running }: Shape, values: readonly string[]): void {
    for (const [hole, value] of values.entries()) {
      const stream = running[hole];
      if (stream !== undefined) note(stream, value);
      const leaf = leaves[holes[hole]?.index ?? 0];
      if (leaf !== undefined && value !== '') this.values.push({ leaf, value });
    }
  }

  private learn(text: string, { start, end }: TextPart, leaves: readonly JsonLeaf[]): void {
    const keys = streamKeys(leaves);
    leaves.forEach((leaf, index) => {
      if (!leaf.isNumber && leaf.value !== '') note(this.runningText(keys[index] ?? ''), searchedValue(leaf));
    });
    // What one text introduces in another is seen only where both are looked at together.
    if (!leaves.every(isOrdinary)) return;
    const name = keys.join('\u0001');
    const known = this.shapes.get(name);
    const event = { text, start, end, leaves, keys };
    const shape = this.shapeOf(known === undefined ? firstTemplate(event) : widenedTemplate(known.template, event));
    if (this.shapes.size >= EVENT_SHAPES_MAX) this.shapes.clear();
    this.shapes.set(name, shape);
    this.recent = this.recent.filter((other) => other !== known);
    this.prefer(shape);
  }

  private shapeOf(template: EventTemplate): Shape {
    const { holes, leaves, keys } = template;
    const varying = new Set(holes.map(({ index }) => index));
    const constants = leaves.flatMap(({ isNumber, value: text }, index) => {
      if (isNumber || varying.has(index) || text === '' || text.length >= REPEATED_CHARACTERS_MIN) return [];
      return [{ running: this.runningText(keys[index] ?? ''), text }];
    });
    const running = holes.map(({ key, isNumber }) => (isNumber ? undefined : this.runningText(key)));
    return { template, running, constants, fitted: 0 };
  }

  private prefer(shape: Shape): void {
    // In the order of the events: what the other shapes have to note comes first.
    this.settle();
    this.recent = [shape, ...this.recent.filter((other) => other !== shape)].slice(0, EVENT_SHAPES_TRIED_MAX);
  }

  private runningText(key: string): RunningText {
    const known = this.running.get(key);
    if (known !== undefined) return known;
    const made = { pieces: [] };
    this.running.set(key, made);
    return made;
  }
}
