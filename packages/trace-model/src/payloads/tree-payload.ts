import { digestOf } from './digest.ts';
import { type Payload, payloadOf } from './payload.ts';

/** Trees that are deeper are written at once: what is nested too deep for that is to be known where it is met. */
const DEPTH_MAX = 256;

/** Whether it is exactly what comes of writing it as JSON and reading that. */
function isExactJson(value: unknown, depthLeft: number): boolean {
  if (typeof value === 'number') return Number.isFinite(value) && !Object.is(value, -0);
  if (typeof value !== 'object') return typeof value === 'string' || typeof value === 'boolean';
  if (value === null) return true;
  if (depthLeft === 0) return false;
  if (Array.isArray(value)) {
    // Not `every`, which passes over holes.
    for (const member of value) if (!isExactJson(member, depthLeft - 1)) return false;
    return true;
  }
  if (Object.getPrototypeOf(value) !== Object.prototype) return false;
  for (const member of Object.values(value)) if (!isExactJson(member, depthLeft - 1)) return false;
  return true;
}

/**
 * Writes the text of a tree when somebody asks for it: who digests or searches what a call was given needs no more than the tree. From then on
 * it holds the text alone.
 */
class TreePayload implements Payload {
  readonly format = 'json';
  declare readonly data: string;
  #tree: object | undefined;
  #text: string | undefined;
  #digest: string | undefined;

  constructor(tree: object) {
    this.#tree = tree;
    // Of its own, as that of every payload: whoever copies it has the text.
    Object.defineProperty(this, 'data', { enumerable: true, get: () => this.text() });
  }

  static treeOf(payload: Payload): object | undefined {
    return #tree in payload ? payload.#tree : undefined;
  }

  get digest(): string {
    this.#digest ??= digestOf(this.text());
    return this.#digest;
  }

  private text(): string {
    this.#text ??= JSON.stringify(this.#tree);
    this.#tree = undefined;
    return this.#text;
  }
}

/** A payload of JSON by what it says, which nobody may change afterwards. Throws RangeError where it is nested too deep to be written. */
export function payloadOfTree(tree: object): Payload {
  return isExactJson(tree, DEPTH_MAX) ? new TreePayload(tree) : payloadOf('json', JSON.stringify(tree));
}

/** The tree that a payload was made of, which is others' too; undefined where it was made of text, or was written since. */
export function sharedTreeOf(payload: Payload): object | undefined {
  return TreePayload.treeOf(payload);
}

/** Whether its content is there. Asking for `data` would write the text of one that was made of a tree. */
export function hasContent(payload: Payload): boolean {
  return sharedTreeOf(payload) !== undefined || payload.data !== undefined;
}
