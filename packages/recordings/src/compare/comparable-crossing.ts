import { createHash } from 'node:crypto';
import { type Crossing, canonicalJson, crossingLabel, type Payload, type Recording } from '@reenact/trace-model';
import { canonicalInputView, inputView } from '../recorded/input-view.ts';
import { outcomeView } from '../recorded/outcome-view.ts';
import { subtreeOf } from '../recorded/subtree.ts';
import { MadeAnew } from './made-anew.ts';

/** One half of a crossing, ready to be compared. */
export interface ComparablePart {
  /** Canonical JSON; undefined where only a digest or nothing was recorded. */
  readonly text: string | undefined;
  /** Digest of the exact value where the value itself was not recorded. */
  readonly digest: string | undefined;
}

/** A crossing with what comparing it needs, computed once. */
export interface ComparableCrossing {
  readonly crossing: Crossing;
  readonly label: string;
  readonly input: ComparablePart;
  readonly outcome: ComparablePart;
  /** How it ended. */
  readonly outcomeType: string;
  readonly children: readonly ComparableCrossing[];
  /** How many crossings it stands for: itself and all below. */
  readonly size: number;
  /** Equal for crossings that are equal with everything below them. */
  readonly fingerprint: string;
}

/** The comparable form of a run or a part of one. */
export interface ComparableTree {
  readonly root: ComparableCrossing;
  /** Places whose value a provider makes anew for every answer and that were therefore put into words. */
  readonly madeAnew: number;
}

function textOf(tree: unknown): string | undefined {
  return tree === undefined ? undefined : canonicalJson(tree);
}

function digestOfPayload(payload: Payload | undefined): string | undefined {
  return payload === undefined || payload.digest === '' ? undefined : payload.digest;
}

function outcomeDigest({ outcome }: Crossing): string | undefined {
  if ('value' in outcome) return digestOfPayload(outcome.value);
  return 'error' in outcome ? digestOfPayload(outcome.error) : undefined;
}

interface Parts {
  readonly input: ComparablePart;
  readonly outcome: ComparablePart;
  readonly outcomeType: string;
}

function partsOf(crossing: Crossing, exact: boolean, madeAnew: MadeAnew): Parts {
  const { type, tree } = outcomeView(crossing, { exact });
  const input = canonicalInputView(crossing);
  return {
    input: {
      text: textOf(exact ? input : madeAnew.inWords(input)),
      digest: crossing.key ?? digestOfPayload(crossing.input),
    },
    outcome: {
      text: textOf(exact ? tree : madeAnew.outcomeInWords(crossing, tree)),
      digest: outcomeDigest(crossing),
    },
    outcomeType: type,
  };
}

function partFact({ text, digest }: ComparablePart): string {
  return text === undefined ? `digest ${digest ?? 'none'}` : `text ${text}`;
}

function fingerprintOf(label: string, parts: Parts, children: readonly ComparableCrossing[]): string {
  const hash = createHash('sha256');
  hash.update(JSON.stringify([label, partFact(parts.input), parts.outcomeType, partFact(parts.outcome)]));
  for (const { fingerprint } of children) hash.update(fingerprint);
  return hash.digest('base64');
}

/** Puts the crossing of a span id and everything below it into comparable form. Undefined where the recording lacks it. */
export function comparableTree(recording: Recording, rootSpanId: string, exact: boolean): ComparableTree | undefined {
  const crossings = subtreeOf(recording, rootSpanId);
  const madeAnew = new MadeAnew();
  if (!exact) {
    for (const crossing of crossings) {
      madeAnew.learn(crossing, inputView(crossing), outcomeView(crossing, { exact }).tree);
    }
  }
  const children = new Map<string, ComparableCrossing[]>();
  // Children come after their parents in a recording, so walking backwards meets every child before its parent.
  for (const crossing of crossings.toReversed()) {
    const below = (children.get(crossing.spanId) ?? []).reverse();
    const label = crossingLabel(crossing);
    const parts = partsOf(crossing, exact, madeAnew);
    const made: ComparableCrossing = {
      crossing,
      label,
      ...parts,
      children: below,
      size: below.reduce((sum, { size }) => sum + size, 1),
      fingerprint: fingerprintOf(label, parts, below),
    };
    if (crossing.spanId === rootSpanId) return { root: made, madeAnew: madeAnew.replaced };
    const siblings = children.get(crossing.parentSpanId ?? '');
    if (siblings === undefined) children.set(crossing.parentSpanId ?? '', [made]);
    else siblings.push(made);
  }
  return undefined;
}
