import type { SentRequest } from '@reenact/instrumentation';
import {
  type Crossing,
  canonicalJson,
  type Exchange,
  type JsonDiff,
  ReenactError,
  toReenactError,
} from '@reenact/trace-model';
import type { EventSink } from '../events/event-sink.ts';
import { ignoredValues } from '../plan/ignored-fields.ts';
import type { ResolvedPlan } from '../plan/resolved-plan.ts';
import type { ArrivalReporter, Match } from './arrival-reporter.ts';
import * as wording from './divergence-wording.ts';
import { compareRequest, type RequestComparison, recordedRequestTree, requestTree } from './request-comparison.ts';

/** One call that is answered from recorded exchanges. */
export interface AnsweredCall {
  readonly match: Match & { readonly recorded: Crossing };
  readonly reporter: ArrivalReporter;
  /** When the crossing was recorded to end, microseconds since the run started. */
  readonly recordedAtUs: number;
}

/** Told of each attempt of one call; gives the error to fail the call with where the plan wants no answer for it. */
export type AttemptListener = (request: SentRequest) => ReenactError | undefined;

/** Some inputs hold headers or a query, too: what they tell is not told again. */
function withoutTold({ entries, total }: JsonDiff, reporter: ArrivalReporter): JsonDiff {
  const news = entries.filter(({ path }) => !reporter.hasTold(`$.${path}`));
  return { entries: news, total: total - (entries.length - news.length) };
}

/** Says how what a client sends beside the input of a crossing differs from what it sent when it was recorded. */
export class SentRequestReport {
  private readonly plan: ResolvedPlan;
  private readonly sink: EventSink;

  constructor(plan: ResolvedPlan, sink: EventSink) {
    this.plan = plan;
    this.sink = sink;
  }

  /** The listener for one call. Attempts that differ alike are reported once. Never throws: where ours fails, the call is refused. */
  listener(call: AnsweredCall): AttemptListener {
    let reported: Set<string> | undefined;
    return (request) => {
      reported ??= new Set();
      try {
        return this.compare(call, request, reported);
      } catch (thrown) {
        const { path } = call.reporter;
        const cause = toReenactError(thrown);
        call.reporter.note(`What ${path} sends was not compared: ${cause.message}`, true);
        return new ReenactError('replay-refused', `The replay failed to compare what ${path} sends: ${cause.message}`, {
          where: path,
          next: 'Please report this with the recording if it can be shared.',
          cause,
        });
      }
    };
  }

  private compare(call: AnsweredCall, request: SentRequest, reported: Set<string>): ReenactError | undefined {
    const { recorded } = call.match;
    const exchange = recorded.exchanges[request.attempt];
    if (exchange === undefined) return undefined;
    this.reportIgnored(recorded, exchange, request, reported);
    const ignored = this.plan.ignoredPathsOf(recorded, 'request');
    const comparison = compareRequest(recorded, exchange, request, ignored);
    const text = canonicalJson([comparison.changed?.difference.entries ?? [], comparison.unverified]);
    if (reported.has(text)) return undefined;
    reported.add(text);
    return this.report(call, comparison);
  }

  private report(
    { match, reporter, recordedAtUs }: AnsweredCall,
    { changed, unverified }: RequestComparison,
  ): ReenactError | undefined {
    const { recorded } = match;
    if (unverified.length > 0) {
      const places = unverified.join(', ');
      reporter.note(`What ${reporter.path} sends is redacted at ${places}, and is unverified there.`, true);
    }
    if (changed === undefined) return undefined;
    const { leaves } = changed;
    const difference = withoutTold(changed.difference, reporter);
    if (difference.total === 0) return undefined;
    const { profile, stopOnDivergence } = this.plan;
    if (profile === 'edit-tolerant' && recorded.kind === 'model') {
      const members = difference.entries.map(({ path }) => path);
      reporter.note(wording.toleratedInput(recorded, members, difference), false);
      return undefined;
    }
    const words = wording.inputChanged(recorded, reporter.path, difference, !stopOnDivergence);
    reporter.divergence('input-changed', words, {
      candidate: recorded,
      recordedAtUs,
      takesEffect: stopOnDivergence ? 'at-once' : 'on-settle',
      insideAtOnce: false,
      difference,
      inputLeaves: leaves,
    });
    return stopOnDivergence ? reporter.refuse(match).error : undefined;
  }

  /** Which ignore rules found something in this request; told once per call. */
  private reportIgnored(recorded: Crossing, exchange: Exchange, live: SentRequest, reported: Set<string>): void {
    const before = recordedRequestTree(exchange);
    if (before === undefined) return;
    for (const { index, path, matched } of this.plan.ignores) {
      const told = `ignored ${index}`;
      if (path.of !== 'request' || !matched.has(recorded) || reported.has(told)) continue;
      const [was, is] = [ignoredValues(before, path), ignoredValues(requestTree(live), path)];
      if (was.length === 0 && is.length === 0) continue;
      reported.add(told);
      this.sink.write({ type: 'ignored', rule: index, differs: canonicalJson(was) !== canonicalJson(is) });
    }
  }
}
