import { parsedText } from '@reenact/recordings';
import { canonicalJson, isTree, offPair, pathStep } from '@reenact/trace-model';
import { CONTAINED_CHARACTERS_MIN, EXCERPT_CHARACTERS_MAX, PART_CHARACTERS_MIN, VALUES_VISITED_MAX } from './limits.ts';

/**
 * How strong a sign one place is for where a value came from. `equal`: the same value stands there, also inside JSON text;
 * `contained`: a longer text there holds it; `part`: the value is a longer text that holds what stands there.
 */
export const EVIDENCE = ['equal', 'contained', 'part'] as const;

/** One kind of evidence, strongest first in EVIDENCE. */
export type Evidence = (typeof EVIDENCE)[number];

/** One place where a value was found. */
export interface FoundValue {
  /** JSON path of the place. */
  readonly jsonPath: string;
  readonly evidence: Evidence;
  /** JSON path inside the JSON text that stands at the place. */
  readonly insideText?: string;
  /** A short piece of what stands there. */
  readonly excerpt: string;
}

/** Text cut around a place, on one line. */
export function excerptOf(text: string, at = 0): string {
  const start = text.length <= EXCERPT_CHARACTERS_MAX ? 0 : Math.max(0, at - EXCERPT_CHARACTERS_MAX / 4);
  const end = start + EXCERPT_CHARACTERS_MAX;
  const cut = text.slice(offPair(text, start), offPair(text, end)).replaceAll(/\s+/g, ' ');
  return `${start > 0 ? '…' : ''}${cut}${end < text.length ? '…' : ''}`;
}

const numberPattern = /-?\d[\d,]*(?:\.\d+)?/g;

/** Where a number stands in a text, also as `1,000` or `190.00`; never as a part of a longer number. */
function numberAt(text: string, wanted: number): number {
  for (const match of text.matchAll(numberPattern)) {
    const digits = match[0].replaceAll(',', '');
    if (Number(digits) === wanted) return match.index;
    // A hyphen before a number is more often a dash than a minus.
    if (digits.startsWith('-') && -Number(digits) === wanted) return match.index + 1;
  }
  return -1;
}

function jsonOf(text: string): unknown {
  return /^\s*[[{]/.test(text) ? parsedText(text) : undefined;
}

/** One value that is looked for in many trees. */
export class WantedValue {
  readonly value: unknown;
  /** Short or common: an equal value elsewhere may well be a coincidence. */
  readonly isCommon: boolean;
  private readonly canonical: string;
  private readonly canonicalInText: string | undefined;
  private visited = 0;
  /** Whether a tree had more values than are looked at. */
  wasCut = false;

  constructor(value: unknown) {
    this.value = value;
    this.canonical = canonicalJson(value);
    const inText = typeof value === 'string' ? jsonOf(value) : undefined;
    this.canonicalInText = isTree(inText) || Array.isArray(inText) ? canonicalJson(inText) : undefined;
    const text = typeof value === 'string' ? value : this.canonical;
    this.isCommon = typeof value === 'boolean' || value === null || text.length < CONTAINED_CHARACTERS_MIN;
  }

  private isEqual(node: unknown): boolean {
    if (typeof node !== 'object' || node === null) return Object.is(node, this.value);
    const isContainer = typeof this.value === 'object' && this.value !== null;
    if (!isContainer && this.canonicalInText === undefined) return false;
    const text = canonicalJson(node);
    return text === this.canonical || text === this.canonicalInText;
  }

  /** Where the value stands inside a text, or -1. */
  private placeIn(text: string): number {
    const { value } = this;
    if (typeof value === 'number') {
      return String(value).length < CONTAINED_CHARACTERS_MIN ? -1 : numberAt(text, value);
    }
    if (typeof value !== 'string' || value.length < CONTAINED_CHARACTERS_MIN) return -1;
    return text.indexOf(value);
  }

  private isPart(node: unknown): boolean {
    if (typeof this.value !== 'string') return false;
    if (typeof node === 'string') return node.length >= PART_CHARACTERS_MIN && this.value.includes(node);
    if (typeof node !== 'object' || node === null) return false;
    const text = JSON.stringify(node);
    return text.length >= PART_CHARACTERS_MIN && text.length <= this.value.length && this.value.includes(text);
  }

  /** The best place of a tree, the first of equally good ones; a part is better the longer it is. */
  findIn(tree: unknown): FoundValue | undefined {
    this.visited = 0;
    const search = new Search();
    this.visit(tree, '$', undefined, search);
    return search.best;
  }

  private visit(node: unknown, jsonPath: string, textAt: string | undefined, search: Search): void {
    this.visited += 1;
    if (this.visited > VALUES_VISITED_MAX) {
      this.wasCut = true;
      return;
    }
    const place = textAt === undefined ? { jsonPath } : { jsonPath: textAt, insideText: jsonPath };
    if (this.isEqual(node)) search.offer({ ...place, evidence: 'equal' }, node, 0);
    else if (typeof node === 'string' || typeof node === 'number') {
      const at = this.placeIn(String(node));
      if (at >= 0) search.offer({ ...place, evidence: 'contained' }, node, at);
    }
    if (this.isPart(node)) search.offer({ ...place, evidence: 'part' }, node, 0);
    if (typeof node === 'string') {
      const inside = textAt === undefined ? jsonOf(node) : undefined;
      if (typeof inside === 'object' && inside !== null) this.visitMembers(inside, '$', jsonPath, search);
    } else if (typeof node === 'object' && node !== null) this.visitMembers(node, jsonPath, textAt, search);
  }

  private visitMembers(node: object, jsonPath: string, textAt: string | undefined, search: Search): void {
    if (Array.isArray(node)) {
      node.forEach((item, index) => {
        this.visit(item, jsonPath + pathStep(index), textAt, search);
      });
      return;
    }
    for (const [key, item] of Object.entries(node)) this.visit(item, jsonPath + pathStep(key), textAt, search);
  }
}

class Search {
  best: FoundValue | undefined;
  private length = 0;

  offer(place: Omit<FoundValue, 'excerpt'>, node: unknown, at: number): void {
    const text = typeof node === 'string' ? node : JSON.stringify(node);
    if (this.best !== undefined && !this.isBetter(place.evidence, this.best.evidence, text.length)) return;
    this.best = { ...place, excerpt: excerptOf(text, at) };
    this.length = text.length;
  }

  private isBetter(evidence: Evidence, than: Evidence, length: number): boolean {
    if (evidence === than) return evidence === 'part' && length > this.length;
    return EVIDENCE.indexOf(evidence) < EVIDENCE.indexOf(than);
  }
}
