import type { Span } from '@reenact/otlp';
import { ATTR_GEN_AI_INPUT_MESSAGES_REF, ATTR_GEN_AI_OUTPUT_MESSAGES_REF } from '@reenact/semconv/gen-ai';
import {
  bearsOnReplay,
  CONNECTIONS_MARK,
  type Crossing,
  type Missing,
  type MissingCause,
  type Replayability,
  replayabilityOf,
  runsAgain,
} from '@reenact/trace-model';
import type { CrossingDraft } from './dialect.ts';
import { CAPTURE_SETTING } from './otel-genai/capture-setting.ts';

type Finding = readonly [cause: MissingCause, detail?: string];

function outcomeFindings(crossing: Crossing): Finding[] {
  const { outcome, call } = crossing;
  // Its outcome is compared then but not needed to go on.
  if (runsAgain(crossing)) return [];
  switch (outcome.type) {
    case 'pending':
      return [['pending']];
    case 'returned':
      return call === 'exchange' || outcome.value?.data !== undefined ? [] : [['no-outcome']];
    case 'threw':
      return call === 'exchange' || outcome.error?.data !== undefined ? [] : [['no-outcome']];
    case 'failed':
      return call === 'exchange' || outcome.error?.data !== undefined ? [] : [['no-outcome']];
    case 'ended':
    case 'aborted':
      return call === 'exchange' || crossing.capture === 'full' ? [] : [['no-outcome']];
  }
}

function exchangeFindings(crossing: Crossing): Finding[] {
  if (crossing.call !== 'exchange' || crossing.outcome.type === 'pending') return [];
  if (crossing.exchanges.length === 0) return [['no-exchange']];
  return crossing.exchanges.some(({ response }) => response?.end === 'open') ? [['exchange-open']] : [];
}

function isModelCall({ kind }: Crossing): boolean {
  return kind === 'model' || kind === 'embedding';
}

function isForeign({ dialect }: Crossing): boolean {
  return dialect !== 'reenact';
}

/** How content that is missing can be had: it was not captured, or lies where nobody read it. */
function contentAdvice({ attributes }: Crossing, referenceKey: string): string {
  const place = attributes.get(referenceKey);
  if (typeof place !== 'string') return CAPTURE_SETTING;
  return `It lies at ${place}, and was not read: see that \`references\` in the configuration of the collector allow that place, and that it holds what was referred to.`;
}

/** A model call that another instrumentation recorded without what was said, or with one side of it. */
function foreignFindings(crossing: Crossing): Finding[] {
  const { input: known, outcome, kind } = crossing;
  if (kind === 'embedding') return [['no-outcome', 'GenAI attributes do not hold vectors. Record it with Reenact.']];
  const input: Finding[] =
    known === undefined ? [['no-input', contentAdvice(crossing, ATTR_GEN_AI_INPUT_MESSAGES_REF)]] : [];
  if (outcome.type === 'threw')
    return [
      ...input,
      ['no-outcome', 'GenAI attributes do not hold the response of a failed call. Record it with Reenact.'],
    ];
  const isAnswered = outcome.type === 'returned' && outcome.value !== undefined;
  return isAnswered ? input : [...input, ['no-outcome', contentAdvice(crossing, ATTR_GEN_AI_OUTPUT_MESSAGES_REF)]];
}

function findings(crossing: Crossing, draft: CrossingDraft | undefined, known: ReadonlySet<string>): Finding[] {
  const found: Finding[] = [];
  if (draft?.unknownVersion !== undefined) found.push(['unknown-version', `schema ${draft.unknownVersion}`]);
  for (const detail of crossing.damage) found.push(['damaged', detail]);
  if (crossing.parentSpanId !== undefined && !known.has(crossing.parentSpanId))
    found.push(['missing-parent', crossing.parentSpanId]);
  if (draft?.unread !== undefined) return [...found, ['unread', draft.unread]];
  if (crossing.reconstructed === true) return [...found, ['reconstructed']];
  if (isForeign(crossing) && isModelCall(crossing)) return [...found, ...foreignFindings(crossing)];
  const isComparable =
    crossing.input?.data !== undefined || (crossing.capture === 'digest' && crossing.key !== undefined);
  if (!isComparable && crossing.damage.length === 0) found.push(['no-input']);
  if (crossing.damage.length === 0) found.push(...outcomeFindings(crossing), ...exchangeFindings(crossing));
  const bearing = crossing.lossy.filter((mark) => bearsOnReplay(mark, crossing));
  for (const mark of bearing) {
    const isConnection = mark.startsWith(CONNECTIONS_MARK);
    found.push(isConnection ? ['unseen-connection', mark.slice(CONNECTIONS_MARK.length)] : ['lossy', mark]);
  }
  return found;
}

/**
 * The crossings that a replay of this recording needs. A trace that other instrumentations recorded can only be replayed
 * from outside the process, where the model's answers are served and everything else runs.
 */
function neededOf(crossings: readonly Crossing[]): readonly Crossing[] {
  const isServable = crossings.every(isForeign) && crossings.some(({ reconstructed }) => reconstructed === true);
  return isServable ? crossings.filter(isModelCall) : crossings;
}

/** What a recording lacks to be replayed fully, crossing by crossing. */
export function judgeReplayability(
  crossings: readonly Crossing[],
  drafts: ReadonlyMap<string, CrossingDraft>,
  spans: ReadonlyMap<string, Span>,
): Replayability {
  const missing: Missing[] = [];
  const known = new Set(crossings.map(({ spanId }) => spanId));
  const needed = neededOf(crossings);
  if (crossings.every(isForeign) && needed.every(({ reconstructed }) => reconstructed !== true)) {
    missing.push({ cause: 'no-crossings', detail: `${spans.size} spans, none recorded by Reenact` });
  }
  for (const crossing of needed) {
    for (const [cause, detail] of findings(crossing, drafts.get(crossing.spanId), known)) {
      missing.push({
        cause,
        where: crossing.path,
        spanId: crossing.spanId,
        ...(detail === undefined ? {} : { detail }),
      });
    }
  }
  return replayabilityOf(missing);
}
