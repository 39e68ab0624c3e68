import { type EncodedValue, encodeValue, isTree, payloadTree } from '@reenact/trace-model';
import { CHANGED_PLACES_TOLD_MAX, WATCHED_INPUT_CHARACTERS_MAX } from '../limits.ts';
import { redactEncoded } from '../redaction/redact-crossing.ts';

type Tree = Readonly<Record<string, unknown>>;

/** Whether a call can change anything of what it is given. */
export function canBeChanged(parameters: readonly unknown[]): boolean {
  return parameters.some((parameter) => typeof parameter === 'object' && parameter !== null);
}

function stepOf(key: string): string {
  return key.replaceAll('~', '~0').replaceAll('/', '~1');
}

function tagOf({ $: name }: Tree): string | undefined {
  return typeof name === 'string' ? name : undefined;
}

/** What is shared is named where it is met first, by numbers that what is added moves. */
function withoutName(node: unknown): unknown {
  return isTree(node) && node.$ === 'def' ? node.value : node;
}

/** Finds where two encoded values differ. */
class ChangedPlaces {
  readonly found: string[] = [];
  private readonly lossy: readonly string[];

  /** `lossy`: the marks of what was there before. */
  constructor(lossy: readonly string[]) {
    this.lossy = lossy;
  }

  private tell(pointer: string): void {
    if (this.found.length < CHANGED_PLACES_TOLD_MAX) this.found.push(pointer);
  }

  compare(left: unknown, right: unknown, pointer: string): void {
    const before = withoutName(left);
    const now = withoutName(right);
    if (Array.isArray(before) && Array.isArray(now) && before.length === now.length) {
      for (const [index, item] of before.entries()) this.compare(item, now[index], `${pointer}/${index}`);
    } else if (isTree(before) && isTree(now)) {
      this.compareTrees(before, now, pointer);
    } else if (before !== now) {
      this.tell(pointer);
    }
  }

  private compareTrees(before: Tree, now: Tree, pointer: string): void {
    const [tag, tagNow] = [tagOf(before), tagOf(now)];
    if (tag !== tagNow) {
      this.tell(pointer);
      return;
    }
    switch (tag) {
      // That of one of the host's classes changes as that sees fit: it is told of as such.
      case 'object':
        if (!this.isOfUnknownClass(pointer)) this.compare(before.fields, now.fields, pointer);
        return;
      case 'ref':
      case 'handle':
      case 'function':
      case 'error':
        return;
      case undefined:
        this.compareFields(before, now, pointer);
        return;
      default:
        if (JSON.stringify(before) !== JSON.stringify(now)) this.tell(pointer);
    }
  }

  private compareFields(before: Tree, now: Tree, pointer: string): void {
    for (const key of new Set([...Object.keys(before), ...Object.keys(now)])) {
      const place = `${pointer}/${stepOf(key)}`;
      if (Object.hasOwn(before, key) && Object.hasOwn(now, key)) this.compare(before[key], now[key], place);
      else this.tell(place);
    }
  }

  private isOfUnknownClass(pointer: string): boolean {
    return this.lossy.some((mark) => mark.startsWith(`${pointer} class `));
  }
}

/**
 * The places of its input that a call has changed, as JSON pointers: a replay that answers it does not change them. Of what
 * is no plain data, and of a very large input, it is not looked for.
 */
export function changedPlaces(input: EncodedValue, parameters: readonly unknown[]): readonly string[] {
  const { data } = input.payload;
  if (data === undefined || data.length > WATCHED_INPUT_CHARACTERS_MAX) return [];
  const encoded = encodeValue(parameters);
  if (encoded.payload.data === data) return [];
  const now = input.redacted === undefined ? encoded : redactEncoded(encoded);
  if (now.payload.data === data) return [];
  const places = new ChangedPlaces(input.lossy);
  places.compare(payloadTree(input.payload), payloadTree(now.payload), '');
  return places.found;
}
