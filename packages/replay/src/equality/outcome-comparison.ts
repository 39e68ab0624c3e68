import { type LiveOutcome, mayHoldToken } from '@reenact/instrumentation';
import { errorRecordTree, errorTree } from '@reenact/recordings';
import {
  type Crossing,
  canonicalJson,
  chunkBytes,
  diffTrees,
  type Exchange,
  isTree,
  type JsonDiff,
  type Outcome,
  type Payload,
  payloadTree,
  unwrittenOutcome,
} from '@reenact/trace-model';
import { protocolOf } from '../protocols/protocol-of.ts';
import { answerBody } from '../protocols/response-body.ts';
import { changedLeaves } from './changed-leaves.ts';
import { type FileComparison, fileComparisonOf, withComparableFiles } from './comparable-files.ts';
import { comparableTree, hasRedactionKeyOf, isOutcomeUnverifiable } from './redaction-check.ts';
import { unpackedAnswers } from './unpacked-answers.ts';

/** What comparing a live outcome with the recorded one gave. */
export type OutcomeComparison =
  | { readonly type: 'equal'; readonly recorded: string; readonly live: string }
  | {
      readonly type: 'changed';
      readonly recorded: string;
      readonly live: string;
      readonly difference: JsonDiff;
      readonly leaves: readonly string[];
    }
  /** Nothing can be said of the live one. `isUnverified`: the recording lacks what would say it, so the replay proves nothing there. */
  | { readonly type: 'unknown'; readonly why: string; readonly isUnverified?: true };

interface OutcomeParts {
  readonly value?: Payload | undefined;
  readonly error?: Payload | undefined;
  readonly chunks?: readonly Payload[] | undefined;
}

function recordedParts(outcome: Exclude<Outcome, { type: 'pending' }>): OutcomeParts {
  return {
    value: 'value' in outcome ? outcome.value : undefined,
    error: 'error' in outcome ? outcome.error : undefined,
    chunks: 'chunks' in outcome ? outcome.chunks.map(({ value }) => value) : undefined,
  };
}

function liveParts(outcome: LiveOutcome): OutcomeParts {
  return {
    value: 'value' in outcome ? outcome.value?.payload : undefined,
    error: 'error' in outcome ? outcome.error?.payload : undefined,
    chunks: 'chunks' in outcome ? outcome.chunks.map(({ value }) => value.payload) : undefined,
  };
}

/** One outcome as a tree: what came out, apart from how it ended. */
interface OutcomeTree {
  readonly type: string;
  readonly tree: unknown;
}

function treeOf(type: string, parts: OutcomeParts): OutcomeTree {
  const value = parts.value === undefined ? undefined : payloadTree(parts.value);
  const error = parts.error === undefined ? undefined : errorTree(parts.error);
  if (parts.chunks === undefined) return { type, tree: type === 'threw' ? error : value };
  return { type, tree: { chunks: parts.chunks.map(payloadTree), value, error } };
}

/** One line of JSON, `{"returned":…}` or `{"threw":…}`. */
function textOf({ type, tree }: OutcomeTree): string {
  return canonicalJson({ [type]: tree });
}

function bodyOf(exchange: Exchange): unknown {
  const { response } = exchange;
  if (response === undefined) return undefined;
  const text = Buffer.concat(response.chunks.map(chunkBytes)).toString('utf8');
  const contentType = response.headers.find(([name]) => name.toLowerCase() === 'content-type')?.[1] ?? '';
  if (contentType.includes('event-stream')) {
    const lines = text.split(/\r?\n/).filter((line) => line.startsWith('data:'));
    return lines.map((line) => parsed(line.slice('data:'.length).trim()));
  }
  return parsed(text);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

function exchangesTree(exchanges: readonly Exchange[]): unknown {
  return exchanges.map((exchange) => ({
    status: exchange.response?.status,
    end: exchange.response?.end,
    body: bodyOf(exchange),
    error: exchange.error === undefined ? undefined : errorRecordTree(exchange.error),
  }));
}

/** What a model's answer says, where its protocol is known; undefined for everything else. */
function meaningOf(exchange: Exchange | undefined): unknown {
  const body = exchange === undefined ? undefined : answerBody(exchange);
  const meaning = body === undefined ? undefined : protocolOf(exchange)?.meaning(body);
  return exchange?.response?.end === 'complete' ? meaning : undefined;
}

/** Whether a crossing is compared by what the model said in its last attempt, and not by ids, times and counts. */
export function isComparedByMeaning(recorded: Crossing, live: readonly Exchange[]): boolean {
  return meaningOf(recorded.exchanges.at(-1)) !== undefined && meaningOf(live.at(-1)) !== undefined;
}

function answerTree(exchange: Exchange): OutcomeTree {
  const { response, error } = exchange;
  const said = meaningOf(exchange);
  const answer = said === undefined ? { body: bodyOf(exchange) } : { answer: said };
  return {
    type: response === undefined ? 'failed' : 'answered',
    tree: {
      status: response?.status,
      ...(response === undefined || response.end === 'complete' ? {} : { end: response.end }),
      ...answer,
      ...(error === undefined ? {} : { error: errorRecordTree(error) }),
    },
  };
}

function servedTree({ exchanges, outcome }: Crossing): OutcomeTree {
  const last = exchanges.at(-1);
  if (last !== undefined) return answerTree(last);
  return outcome.type === 'pending' ? { type: 'pending', tree: null } : treeOf(outcome.type, recordedParts(outcome));
}

/** How the outcome that a plan puts in the place of the recorded one differs from it. */
export function outcomeDifference(
  recorded: Crossing,
  served: Crossing,
): { readonly difference: JsonDiff; readonly leaves: readonly string[] } {
  const comparison = compareTrees(servedTree(recorded), servedTree(served));
  if (comparison.type === 'changed') return comparison;
  return { difference: { entries: [], total: 0 }, leaves: [] };
}

/** Looked for in the text: hardly any outcome holds a token, and trees can be large. */
function withComparableTokens(tree: unknown, macs: 'kept' | 'dropped'): unknown {
  return mayHoldToken(JSON.stringify(tree) ?? '') ? comparableTree(tree, macs) : tree;
}

function compareTrees(before: OutcomeTree, now: OutcomeTree, macs: 'kept' | 'dropped' = 'kept'): OutcomeComparison {
  const recorded = { ...before, tree: withComparableTokens(before.tree, macs) };
  const live = { ...now, tree: withComparableTokens(now.tree, macs) };
  const recordedText = textOf(recorded);
  const liveText = textOf(live);
  if (recordedText === liveText) return { type: 'equal', recorded: recordedText, live: liveText };
  const leaves = changedLeaves(recorded.tree, live.tree);
  const isSameEnd = recorded.type === live.type;
  // A changed way of ending must show as such: then both sides are compared with their type around them.
  const difference = isSameEnd
    ? diffTrees(recorded.tree, live.tree)
    : diffTrees({ [recorded.type]: recorded.tree }, { [live.type]: live.tree });
  return { type: 'changed', recorded: recordedText, live: liveText, difference, leaves };
}

function isRecorded({ outcome, capture }: Crossing): boolean {
  switch (outcome.type) {
    case 'pending':
      return false;
    case 'returned':
      return outcome.value?.data !== undefined;
    case 'threw':
    case 'failed':
      return outcome.error?.data !== undefined;
    case 'ended':
    case 'aborted':
      // Below full capture a stream has none of its chunks.
      return capture === 'full' || outcome.chunks.length > 0;
  }
}

const NOT_RECORDED: OutcomeComparison = { type: 'unknown', why: 'its outcome was not recorded', isUnverified: true };

/**
 * Compares by what is there of an outcome below full capture: the way it ended, and the digest of a value. An error's covers its stack, which
 * differs from place to place, so that another digest says nothing of it.
 */
function compareByDigest(recorded: Crossing, live: LiveOutcome): OutcomeComparison {
  const { outcome } = recorded;
  if (outcome.type !== live.type) {
    return compareTrees({ type: outcome.type, tree: 'not recorded' }, treeOf(live.type, liveParts(live)));
  }
  const [was, is] = [digestIn(outcome), digestIn(live)];
  if (was === undefined || is === undefined || !hasRedactionKeyOf(recorded)) return NOT_RECORDED;
  if (was !== is && outcome.type !== 'returned') return NOT_RECORDED;
  return compareTrees({ type: outcome.type, tree: `digest ${was}` }, { type: live.type, tree: `digest ${is}` });
}

function digestIn(outcome: Outcome | LiveOutcome): string | undefined {
  if (outcome.type !== 'returned' && outcome.type !== 'threw') return undefined;
  const held = outcome.type === 'returned' ? outcome.value : outcome.error;
  return held === undefined || 'digest' in held ? held?.digest : held.payload.digest;
}

/**
 * Compares how a live crossing ended with how it ended when it was recorded. `exchanges`: what the live call sent and
 * received on the wire; a crossing that was recorded as exchanges is compared by their responses.
 */
export function compareOutcome(
  recorded: Crossing,
  live: LiveOutcome,
  exchanges: readonly Exchange[],
): OutcomeComparison {
  const { outcome } = recorded;
  const macs = isOutcomeUnverifiable(recorded) ? 'dropped' : 'kept';
  if (isComparedByMeaning(recorded, exchanges)) {
    const said = (exchange: Exchange | undefined): OutcomeTree => ({ type: 'answer', tree: meaningOf(exchange) });
    return compareTrees(said(recorded.exchanges.at(-1)), said(exchanges.at(-1)), macs);
  }
  if (recorded.exchanges.length > 0 && exchanges.length > 0) {
    return compareTrees(
      { type: 'responses', tree: exchangesTree(recorded.exchanges) },
      { type: 'responses', tree: exchangesTree(exchanges) },
      macs,
    );
  }
  if (exchanges.length > 0 && isResponseAlone(outcome))
    return { type: 'unknown', why: 'what its response said was not recorded' };
  const liveTree = treeOf(live.type, liveParts(live));
  const isWithoutExchanges = recorded.call === 'exchange' && recorded.exchanges.length > 0;
  if (isWithoutExchanges && live.type === outcome.type) return { type: 'unknown', why: 'its exchanges were not seen' };
  const unwritten = unwrittenOutcome(recorded);
  if (unwritten !== undefined) return { type: 'unknown', why: unwritten, isUnverified: true };
  if (outcome.type === 'pending') {
    return compareTrees({ type: 'pending', tree: 'had not ended when its process stopped' }, liveTree);
  }
  if (!isRecorded(recorded)) return compareByDigest(recorded, live);
  const files = fileComparisonOf(recorded, 'outcome');
  const before = treeOf(outcome.type, recordedParts(outcome));
  const [recordedTree, comparedTree] = unpackedAnswers(recorded, before.tree, liveTree.tree);
  const [was, is] = [
    { ...before, tree: recordedTree },
    { ...liveTree, tree: comparedTree },
  ];
  return compareTrees(withFiles(was, files), withFiles(is, files), macs);
}

function withFiles({ type, tree }: OutcomeTree, files: FileComparison): OutcomeTree {
  return { type, tree: withComparableFiles(tree, files) };
}

/** A response that a call gave, as recordings of before hold it: that it was one. */
function isResponseAlone(outcome: Outcome): boolean {
  if (outcome.type !== 'returned' || outcome.value === undefined) return false;
  const tree = payloadTree(outcome.value);
  return isTree(tree) && tree.$ === 'handle' && tree.class === 'Response';
}

/** The recorded outcome as one line of canonical JSON, or undefined where it was not recorded. */
export function recordedOutcomeText(recorded: Crossing): string | undefined {
  const { outcome } = recorded;
  if (outcome.type === 'pending' || !isRecorded(recorded)) return undefined;
  return textOf(treeOf(outcome.type, recordedParts(outcome)));
}
