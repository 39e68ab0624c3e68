import {
  holdsPlaceholder,
  isPlaceholder,
  recordedHeaders,
  redactedUrl,
  type SentRequest,
} from '@reenact/instrumentation';
import {
  attemptHeaders,
  type Crossing,
  canonicalJson,
  diffTrees,
  type Exchange,
  isTree,
  isVolatileHeader,
  type JsonDiff,
} from '@reenact/trace-model';
import { type IgnoredPath, withoutIgnored } from '../plan/ignored-fields.ts';
import { changedLeaves } from './changed-leaves.ts';
import { comparableTree, hasRedactionKeyOf } from './redaction-check.ts';
import { withoutValuesAt } from './without-values-at.ts';

/** What a request asks for beside its body, as it is compared. */
export interface RequestTree {
  readonly headers: Readonly<Record<string, unknown>>;
  readonly query: Readonly<Record<string, unknown>>;
}

/** How the request of an attempt differs from the recorded one. Paths begin with `headers` or `query`: `$` is the input. */
export interface RequestComparison {
  /** Undefined where nothing differs. */
  readonly changed: { readonly difference: JsonDiff; readonly leaves: readonly string[] } | undefined;
  /** Places that were redacted with another key, and are compared by presence only. */
  readonly unverified: readonly string[];
}

const equal: RequestComparison = { changed: undefined, unverified: [] };

/** The parameters of a URL by name, those that are sent more than once as lists. Credentials are no part of what is asked. */
function queryOf(url: string): Record<string, unknown> {
  const [address = ''] = url.split('#');
  const at = address.indexOf('?');
  if (at === -1) return {};
  const parameters = new URLSearchParams(address.slice(at + 1));
  const names = [...new Set(parameters.keys())].filter((name) => !isVolatileHeader(name));
  return Object.fromEntries(
    names.map((name) => {
      const values = parameters.getAll(name);
      return [name, values.length === 1 ? values[0] : values];
    }),
  );
}

/** What a recorded request asked for beside its body; undefined where its headers were not kept. */
export function recordedRequestTree({ request }: Exchange): RequestTree | undefined {
  if (request.headers.length === 0) return undefined;
  return { headers: attemptHeaders(request.headers), query: queryOf(request.url) };
}

/** What a request asks for beside its body. */
export function requestTree({ headers, url }: SentRequest): RequestTree {
  return { headers, query: queryOf(url) };
}

/** A recording from before redaction, or by somebody else, holds what the live side has a token for. */
function redactedRequestTree({ request }: Exchange): RequestTree {
  return { headers: attemptHeaders(recordedHeaders(request.headers)), query: queryOf(redactedUrl(request.url)) };
}

function pointersOf(tree: unknown, isMeant: (text: string) => boolean, above = ''): string[] {
  if (typeof tree === 'string') return isMeant(tree) ? [above] : [];
  if (Array.isArray(tree)) return tree.flatMap((item, index) => pointersOf(item, isMeant, `${above}/${index}`));
  if (!isTree(tree)) return [];
  return Object.entries(tree).flatMap(([key, item]) =>
    pointersOf(item, isMeant, `${above}/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`),
  );
}

function withoutRoot(difference: JsonDiff): JsonDiff {
  return { ...difference, entries: difference.entries.map((entry) => ({ ...entry, path: entry.path.slice(2) })) };
}

/**
 * Compares what an attempt asks for beside its body with what the same attempt asked for when it was recorded: headers and
 * query, without what is declared volatile or ignored.
 */
export function compareRequest(
  recorded: Crossing,
  exchange: Exchange,
  live: SentRequest,
  ignored: readonly IgnoredPath[],
): RequestComparison {
  const before = recordedRequestTree(exchange);
  if (before === undefined) return equal;
  const now = requestTree(live);
  const text = canonicalJson(before);
  if (text === canonicalJson(now) && !holdsPlaceholder(text)) return equal;
  const hasKey = hasRedactionKeyOf(recorded);
  const redacted = redactedRequestTree(exchange);
  const unverified = hasKey ? [] : pointersOf(redacted, holdsPlaceholder);
  const whole = hasKey ? [] : pointersOf(redacted, isPlaceholder);
  const compared = (tree: RequestTree): Record<string, unknown> => {
    const kept = withoutIgnored(withoutValuesAt(tree, whole), ignored);
    return comparableTree(kept, hasKey ? 'kept' : 'dropped') as Record<string, unknown>;
  };
  const [recordedTree, liveTree] = [compared(redacted), compared(now)];
  const difference = diffTrees(recordedTree, liveTree);
  if (difference.total === 0) return { changed: undefined, unverified };
  const leaves = changedLeaves(recordedTree, liveTree);
  return { changed: { difference: withoutRoot(difference), leaves }, unverified };
}
