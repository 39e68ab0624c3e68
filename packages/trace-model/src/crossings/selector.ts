import { ReenactError } from '../reenact-error.ts';
import { BOUNDARY_KINDS } from './boundary.ts';

/**
 * Names crossings: a span id, a path (`agent:trader/tool:get_quote#2`), or `kind:name` where each half may be a glob and
 * the kind may be left out. `#n` picks the n-th such crossing of the recording, from 1.
 */
export interface Selector {
  /** As the user wrote it. */
  readonly text: string;
  /** Whether it names crossings without a glob; only such a selector may make a write live (DESIGN section 6). */
  readonly exact: boolean;
  readonly spanId?: string;
  readonly path?: string;
  readonly kind?: string;
  readonly name?: string;
  readonly occurrence?: number;
}

/** What a selector looks at. */
export interface SelectorTarget {
  readonly kind: string;
  readonly name: string;
  readonly spanId?: string;
  readonly path?: string;
  /** Count among the crossings of this kind and name in the recording, from 1. */
  readonly occurrence?: number;
}

const kinds: ReadonlySet<string> = new Set(BOUNDARY_KINDS);

function globMatches(pattern: string, text: string): boolean {
  if (!pattern.includes('*')) return pattern === text;
  const source = pattern
    .split('*')
    .map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'))
    .join('.*');
  return new RegExp(`^${source}$`, 's').test(text);
}

function splitOccurrence(text: string): { body: string; occurrence?: number } {
  const match = /^(.*)#(\d+)$/s.exec(text);
  if (match?.[1] === undefined) return { body: text };
  const occurrence = Number(match[2]);
  if (occurrence < 1) {
    throw new ReenactError('bad-plan', `"${text}" counts from 0; occurrences count from 1.`, { where: text });
  }
  return { body: match[1], occurrence };
}

/** Reads a selector. Throws ReenactError `bad-plan` where it can name nothing. */
export function parseSelector(text: string): Selector {
  const trimmed = text.trim();
  if (trimmed === '') {
    throw new ReenactError('bad-plan', 'A selector is empty.', {
      next: 'Name a crossing, for example --live guardrail:order-size; `reenact show <id>` lists them.',
    });
  }
  if (/^[0-9a-f]{16}$/i.test(trimmed)) return { text, exact: true, spanId: trimmed.toLowerCase() };
  const colon = trimmed.indexOf(':');
  const prefix = colon === -1 ? undefined : trimmed.slice(0, colon);
  const isKind = prefix !== undefined && (kinds.has(prefix) || prefix.includes('*'));
  if (isKind && /\/[a-z*-]+:/.test(trimmed)) return { text, exact: !trimmed.includes('*'), path: trimmed };
  const { body, occurrence } = splitOccurrence(isKind ? trimmed.slice(colon + 1) : trimmed);
  const count = occurrence === undefined ? {} : { occurrence };
  const exact = !trimmed.includes('*');
  return isKind ? { text, exact, kind: prefix, name: body, ...count } : { text, exact, name: body, ...count };
}

/** Whether a selector names this crossing. */
export function selectorMatches(selector: Selector, target: SelectorTarget): boolean {
  if (selector.spanId !== undefined) return selector.spanId === target.spanId;
  if (selector.path !== undefined) return target.path !== undefined && globMatches(selector.path, target.path);
  if (selector.kind !== undefined && !globMatches(selector.kind, target.kind)) return false;
  if (selector.name !== undefined && !globMatches(selector.name, target.name)) return false;
  return selector.occurrence === undefined || selector.occurrence === target.occurrence;
}
