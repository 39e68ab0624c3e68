import type { Span } from '@reenact/otlp';
import type { CrossingDraft } from './dialect.ts';
import { reenactDialect } from './reenact/reenact-dialect.ts';
import { addTo, repeatedCalls } from './repeated-calls.ts';
import { VOCABULARIES } from './semconv-attributes.ts';

type Spans = ReadonlyMap<string, Span>;

/** The nearest of these spans around each of them. Ends on parents that form a ring. */
function nearestAround(ids: ReadonlySet<string>, spans: Spans): Map<string, string> {
  const known = new Map<string, string | undefined>();
  const find = (spanId: string): string | undefined => {
    const path: string[] = [];
    let at = spans.get(spanId)?.parentSpanId;
    while (at !== undefined && at !== '' && !ids.has(at) && !known.has(at)) {
      known.set(at, undefined);
      path.push(at);
      at = spans.get(at)?.parentSpanId;
    }
    const found = at === undefined || ids.has(at) ? at : known.get(at);
    for (const passed of path) known.set(passed, found);
    return found;
  };
  const nearest = new Map<string, string>();
  for (const spanId of ids) {
    const around = find(spanId);
    if (around !== undefined && around !== '' && around !== spanId) nearest.set(spanId, around);
  }
  return nearest;
}

function isModelCall({ kind }: CrossingDraft): boolean {
  return kind === 'model' || kind === 'embedding';
}

function isOwn(draft: CrossingDraft | undefined): boolean {
  return draft?.dialect === reenactDialect.name;
}

/** Which of the two tell less: ours are exact, what was captured beats what was not, and the client knows what went over the wire. */
function lesserOf(outer: CrossingDraft, inner: readonly CrossingDraft[]): readonly CrossingDraft[] {
  if (isOwn(outer)) return inner.filter((draft) => !isOwn(draft));
  if (inner.some(isOwn)) return [outer];
  const isBetter = outer.reconstructed === true && !inner.some(({ reconstructed }) => reconstructed === true);
  return isBetter ? inner : [outer];
}

/**
 * Drops what other vocabularies tell of a run that Reenact recorded: it says itself what it did not see, and whatever they told of beside is code that runs
 * again. In its tree a replay would look for calls there that nobody makes. So it is with agents, tools and the rest that a framework tells of in the
 * words of the conventions, in a process that Reenact recorded; calls of models are counted once by `dropRepeatedCalls`, and what other processes did is
 * theirs to tell. `processes`: which process each span is of.
 */
export function dropOtherVocabularies(
  drafts: Map<string, CrossingDraft>,
  processes: ReadonlyMap<string, string>,
): void {
  const own = [...drafts.values()].filter(isOwn);
  if (own.length === 0) return;
  const translated = new Set(VOCABULARIES.map(({ name }) => name));
  const recorded = new Set(own.map(({ spanId }) => processes.get(spanId)));
  for (const draft of [...drafts.values()]) {
    const { spanId, dialect } = draft;
    const isOfRecorded = !isOwn(draft) && !isModelCall(draft) && recorded.has(processes.get(spanId));
    if (translated.has(dialect) || isOfRecorded) drafts.delete(spanId);
  }
}

/**
 * Drops spans that tell of a model call that another span tells of, too: a framework and the client below it are often both instrumented, and
 * a call that stood there twice would be counted and served twice. Where the framework's span is no parent of the client's, the client's
 * takes its place in the tree.
 */
export function dropRepeatedCalls(
  drafts: Map<string, CrossingDraft>,
  spans: Spans,
  scopes: ReadonlyMap<string, string | undefined>,
): void {
  const calls = [...drafts.values()].filter(isModelCall);
  if (calls.every(isOwn)) return;
  const around = new Map<string, string[]>();
  for (const [inner, outer] of nearestAround(new Set(calls.map(({ spanId }) => spanId)), spans))
    addTo(around, outer, inner);
  const beside = repeatedCalls(calls.map((draft) => ({ ...draft, scope: scopes.get(draft.spanId) })));
  for (const pairs of [around, beside]) {
    for (const [outerId, innerIds] of pairs) {
      const outer = drafts.get(outerId);
      const inner = innerIds.flatMap((id) => drafts.get(id) ?? []);
      if (outer === undefined || inner.length === 0) continue;
      const lesser = lesserOf(outer, inner);
      for (const { spanId } of lesser) drafts.delete(spanId);
      if (pairs === beside && lesser.includes(outer)) moveTo(outer, inner, drafts, spans);
    }
  }
}

/** Puts crossings where one stood that is gone. Ours say themselves where they stand. */
function moveTo(
  { spanId: gone }: CrossingDraft,
  moved: readonly CrossingDraft[],
  drafts: Map<string, CrossingDraft>,
  spans: Spans,
): void {
  const visited = new Set<string>();
  let parent = spans.get(gone)?.parentSpanId;
  while (parent !== undefined && parent !== '' && !drafts.has(parent) && !visited.has(parent)) {
    visited.add(parent);
    parent = spans.get(parent)?.parentSpanId;
  }
  if (parent === undefined || !drafts.has(parent)) return;
  for (const draft of moved) {
    if (!isOwn(draft) && draft.spanId !== parent) drafts.set(draft.spanId, { ...draft, parentSpanId: parent });
  }
}
