import type { PlainValue, Span } from '@reenact/otlp';
import { ATTR_TELEMETRY_SDK_LANGUAGE } from '@reenact/semconv/core';
import { ATTR_GEN_AI_INPUT_MESSAGES_REF, ATTR_GEN_AI_OUTPUT_MESSAGES_REF } from '@reenact/semconv/gen-ai';
import {
  BEGUN_MARK,
  bearsOnReplay,
  CANONICAL_POLICIES,
  CONNECTIONS_MARK,
  type Crossing,
  INPUT_MARK,
  type Missing,
  type MissingCause,
  type Replayability,
  replayabilityOf,
  runsAgain,
  startersOfProcesses,
  unwrittenOutcome,
} from '@reenact/trace-model';
import type { Attributes } from './attributes.ts';
import type { CrossingDraft } from './dialect.ts';
import { CAPTURE_SETTING } from './otel-genai/capture-setting.ts';
import { VOCABULARIES } from './semconv-attributes.ts';

type Finding = readonly [cause: MissingCause, detail?: string | undefined];

function outcomeFindings(crossing: Crossing): Finding[] {
  const { outcome, call } = crossing;
  // Its outcome is compared then but not needed to go on.
  if (runsAgain(crossing)) return [];
  switch (outcome.type) {
    case 'pending':
      return crossing.outlivesRun === undefined ? [['pending', unwrittenOutcome(crossing)]] : [['read-on']];
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
  const isUnknown = crossing.exchanges.some(
    ({ response }) => response?.end === 'open' && response.reader === undefined,
  );
  return isUnknown ? [['exchange-open']] : [];
}

function isModelCall({ kind }: Crossing): boolean {
  return kind === 'model' || kind === 'embedding';
}

function isForeign({ dialect }: Crossing): boolean {
  return dialect !== 'reenact';
}

/** What would have recorded such a call exactly; nothing of ours runs in a process of another language. */
function exactAdvice(language: PlainValue | undefined, otherwise: string): string {
  return language === undefined || language === 'nodejs' ? 'Record it with Reenact.' : otherwise;
}

function captureSetting({ dialect }: Crossing): string {
  return VOCABULARIES.find(({ name }) => name === dialect)?.captureSetting ?? CAPTURE_SETTING;
}

/** How content that is missing can be had: it was not captured, or lies where nobody read it. */
function contentAdvice(crossing: Crossing, referenceKey: string): string {
  const place = crossing.attributes.get(referenceKey);
  if (typeof place !== 'string') return captureSetting(crossing);
  return `It lies at ${place}, and was not read: see that \`references\` in the configuration of the collector allow that place, and that it holds what was referred to.`;
}

function incompleteFinding(incomplete: string): Finding {
  return [
    'no-input',
    `Not all that was said is there: ${incomplete}. Raise OTEL_SPAN_ATTRIBUTE_COUNT_LIMIT where the agent runs.`,
  ];
}

/** A model call that another instrumentation recorded without what was said, or with one side of it. */
function foreignFindings(
  crossing: Crossing,
  answerLacks: string | undefined,
  language: PlainValue | undefined,
): Finding[] {
  const { input: known, outcome, kind } = crossing;
  if (kind === 'embedding') {
    const advice = exactAdvice(language, 'Give the agent a stub of its embeddings.');
    return [['no-outcome', `Vectors are not rebuilt: GenAI attributes do not hold them. ${advice}`]];
  }
  const input: Finding[] =
    known === undefined ? [['no-input', contentAdvice(crossing, ATTR_GEN_AI_INPUT_MESSAGES_REF)]] : [];
  if (outcome.type === 'threw') {
    const advice = exactAdvice(language, 'In this language nothing records it.');
    return [...input, ['no-outcome', `GenAI attributes do not hold the response of a failed call. ${advice}`]];
  }
  if (answerLacks !== undefined) {
    const advice = exactAdvice(language, 'Its instrumentation leaves that out.');
    return [...input, ['no-outcome', `Not all of the answer is there: ${answerLacks}. ${advice}`]];
  }
  const isAnswered = outcome.type === 'returned' && outcome.value !== undefined;
  return isAnswered ? input : [...input, ['no-outcome', contentAdvice(crossing, ATTR_GEN_AI_OUTPUT_MESSAGES_REF)]];
}

/** What is known beside a crossing and its draft. */
interface Circumstances {
  /** Span ids of all crossings. */
  readonly known: ReadonlySet<string>;
  /** Start orders of what is directly inside, by the span id of what encloses it. */
  readonly orders: ReadonlyMap<string, ReadonlySet<number>>;
  /** Span ids of those that started processes which were recorded. */
  readonly starters: ReadonlySet<string>;
  /** What the traced process was written in. */
  readonly language: PlainValue | undefined;
}

/**
 * Which parts of a request that enters the run again are not what came: whatever checks a signature of the body, or looks up the session that
 * the address names, refuses it. Headers can be given.
 */
function sentRedacted({ canonicalPolicy, parentSpanId, redacted }: Crossing): string[] {
  if (canonicalPolicy !== CANONICAL_POLICIES.httpEntry.name || parentSpanId !== undefined) return [];
  return ['/input/url', '/input/body'].filter((part) =>
    redacted.some((pointer) => pointer === part || pointer.startsWith(`${part}/`)),
  );
}

function ordersInside(crossings: readonly Crossing[]): Map<string, Set<number>> {
  const orders = new Map<string, Set<number>>();
  for (const { parentSpanId, order } of crossings) {
    if (parentSpanId === undefined) continue;
    const known = orders.get(parentSpanId) ?? new Set();
    orders.set(parentSpanId, known.add(order));
  }
  return orders;
}

/** How many of the calls that began inside a crossing are not there. */
function missingCalls(begun: number, orders: ReadonlySet<number> = new Set()): number {
  let arrived = 0;
  for (const order of orders) if (order < begun) arrived += 1;
  return Math.max(begun - arrived, 0);
}

function findingOfMark(mark: string): Finding {
  if (mark === INPUT_MARK) return ['input-needed'];
  if (mark.startsWith(CONNECTIONS_MARK)) return ['unseen-connection', mark.slice(CONNECTIONS_MARK.length)];
  return mark.startsWith(BEGUN_MARK) ? ['entry-needed', mark.slice(BEGUN_MARK.length)] : ['lossy', mark];
}

function findings(crossing: Crossing, draft: CrossingDraft | undefined, circumstances: Circumstances): Finding[] {
  const { known, orders, starters, language } = circumstances;
  const found: Finding[] = [];
  if (draft?.unknownVersion !== undefined) found.push(['unknown-version', `schema ${draft.unknownVersion}`]);
  for (const detail of crossing.damage) found.push(['damaged', detail]);
  if (crossing.parentSpanId !== undefined && !known.has(crossing.parentSpanId))
    found.push(['missing-parent', crossing.parentSpanId]);
  if (draft?.unread !== undefined) return [...found, ['unread', draft.unread]];
  const missingCount = missingCalls(draft?.begun ?? 0, orders.get(crossing.spanId));
  if (missingCount > 0) found.push(['missing-call', `${missingCount} of ${draft?.begun}`]);
  if (crossing.reconstructed === true) return [...found, ['reconstructed']];
  if (draft?.incomplete !== undefined) return [...found, incompleteFinding(draft.incomplete)];
  if (isForeign(crossing) && isModelCall(crossing))
    return [...found, ...foreignFindings(crossing, draft?.answerLacks, language)];
  const isComparable =
    crossing.input?.data !== undefined || (crossing.capture === 'digest' && crossing.key !== undefined);
  if (!isComparable && crossing.damage.length === 0) found.push(['no-input']);
  if (crossing.damage.length === 0) found.push(...outcomeFindings(crossing), ...exchangeFindings(crossing));
  for (const part of sentRedacted(crossing)) found.push(['lossy', `${part} redacted`]);
  const bearing = crossing.lossy.filter((mark) => bearsOnReplay(mark, crossing, starters.has(crossing.spanId)));
  return [...found, ...bearing.map(findingOfMark)];
}

/**
 * The crossings that a replay of this recording needs. A trace that other instrumentations recorded can only be replayed
 * from outside the process, where the model's answers are served and everything else runs.
 */
function neededOf(crossings: readonly Crossing[]): readonly Crossing[] {
  const calls = crossings.every(isForeign) ? crossings.filter(isModelCall) : [];
  return calls.length > 0 ? calls : crossings;
}

/** What a recording lacks to be replayed fully, crossing by crossing. */
export function judgeReplayability(
  crossings: readonly Crossing[],
  drafts: ReadonlyMap<string, CrossingDraft>,
  { spans, resource }: { readonly spans: ReadonlyMap<string, Span>; readonly resource: Attributes },
): Replayability {
  const missing: Missing[] = [];
  const known = new Set(crossings.map(({ spanId }) => spanId));
  const starters = startersOfProcesses(crossings);
  const language = resource.get(ATTR_TELEMETRY_SDK_LANGUAGE);
  const circumstances = { known, orders: ordersInside(crossings), starters, language };
  const needed = neededOf(crossings);
  if (crossings.every(isForeign) && needed.every(({ reconstructed }) => reconstructed !== true)) {
    missing.push({ cause: 'no-crossings', detail: `${spans.size} spans, none recorded by Reenact` });
  }
  for (const crossing of needed) {
    for (const [cause, detail] of findings(crossing, drafts.get(crossing.spanId), circumstances)) {
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
