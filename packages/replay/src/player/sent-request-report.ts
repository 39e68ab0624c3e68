import type { SentRequest } from '@reenact/instrumentation';
import {
  attemptHeaders,
  type Crossing,
  canonicalJson,
  type Exchange,
  type JsonDiff,
  ReenactError,
  senderVersions,
  toReenactError,
} from '@reenact/trace-model';
import type { OwnSpanIds } from '../equality/own-span-ids.ts';
import {
  compareRequest,
  type RequestComparison,
  recordedRequestTree,
  requestTree,
} from '../equality/request-comparison.ts';
import type { EventSink } from '../events/event-sink.ts';
import { ignoredValues } from '../plan/ignored-fields.ts';
import type { ResolvedPlan } from '../resolution/resolved-plan.ts';
import type { ArrivalReporter, DivergenceDetails, Match } from './arrival-reporter.ts';
import * as wording from './divergence-wording.ts';
import { SenderComparison } from './sender-comparison.ts';

/** One call whose requests are compared. */
export interface ComparedCall {
  readonly recorded: Crossing;
  readonly reporter: ArrivalReporter;
  /** When the crossing was recorded to end, microseconds since the run started. */
  readonly recordedAtUs: number;
}

/** One call that is answered from recorded exchanges. */
export interface AnsweredCall extends Omit<ComparedCall, 'recorded'> {
  readonly match: Match & { readonly recorded: Crossing };
}

interface ReportedAs extends Pick<DivergenceDetails, 'takesEffect' | 'insideAtOnce'> {
  readonly isServed: boolean;
}

/** Told of each attempt of one call; gives the error to fail the call with where the plan wants no answer for it. */
export type AttemptListener = (request: SentRequest) => ReenactError | undefined;

/** Some inputs hold headers or a query, too: what they tell is not told again. */
function withoutTold({ entries, total }: JsonDiff, reporter: ArrivalReporter): JsonDiff {
  const news = entries.filter(({ path }) => !reporter.hasTold(`$.${path}`));
  return { entries: news, total: total - (entries.length - news.length) };
}

/** What was told of an input, and what was found in the request behind it: one change of one call. */
function joined(
  told: DivergenceDetails,
  { difference, inputLeaves }: { readonly difference: JsonDiff; readonly inputLeaves: readonly string[] },
): { readonly difference: JsonDiff; readonly inputLeaves: readonly string[]; readonly replaces: true } {
  const { entries, total } = told.difference ?? { entries: [], total: 0 };
  return {
    difference: { entries: [...entries, ...difference.entries], total: total + difference.total },
    inputLeaves: [...(told.inputLeaves ?? []), ...inputLeaves],
    replaces: true,
  };
}

function notCompared(reporter: ArrivalReporter, thrown: unknown): ReenactError {
  const cause = toReenactError(thrown);
  reporter.note(`What ${reporter.path} sends was not compared: ${cause.message}`, true);
  return cause;
}

/** Says how what a client sends beside the input of a crossing differs from what it sent when it was recorded. */
export class SentRequestReport {
  private readonly plan: ResolvedPlan;
  private readonly sink: EventSink;
  private readonly ownIds: OwnSpanIds;
  private readonly senders = new SenderComparison();

  constructor(plan: ResolvedPlan, sink: EventSink, ownIds: OwnSpanIds) {
    this.plan = plan;
    this.sink = sink;
    this.ownIds = ownIds;
  }

  /** The listener for one call. Attempts that differ alike are reported once. Never throws: where ours fails, the call is refused. */
  listener(call: AnsweredCall): AttemptListener {
    let reported: Set<string> | undefined;
    return (request) => {
      reported ??= new Set();
      try {
        return this.answered(call, request, reported);
      } catch (thrown) {
        const { path } = call.reporter;
        const cause = notCompared(call.reporter, thrown);
        return new ReenactError('replay-refused', `The replay failed to compare what ${path} sends: ${cause.message}`, {
          where: path,
          next: 'Please report this with the recording if it can be shared.',
          cause,
        });
      }
    };
  }

  /**
   * Reports how what a call sent that ran for real differs. Its client makes its headers when nothing can be refused any more, so
   * that the plan does not stop it. Never throws.
   */
  sent(ran: ComparedCall, exchanges: readonly Exchange[]): void {
    // The input of a plain request is the request, and who makes one that comes in again sends their own headers.
    if (ran.recorded.canonicalPolicy.startsWith('http-request/')) return;
    try {
      this.compareSent(ran, exchanges);
    } catch (thrown) {
      notCompared(ran.reporter, thrown);
    }
  }

  private compareSent(ran: ComparedCall, exchanges: readonly Exchange[]): void {
    const reported = new Set<string>();
    for (const { attempt, request } of exchanges) {
      const comparison = this.compare(
        ran,
        {
          attempt,
          url: request.url,
          headers: attemptHeaders(request.headers),
          senders: senderVersions(request.headers),
        },
        reported,
      );
      if (comparison !== undefined)
        this.report(ran, comparison, { isServed: false, takesEffect: 'on-settle', insideAtOnce: true });
    }
  }

  private answered(call: AnsweredCall, request: SentRequest, reported: Set<string>): ReenactError | undefined {
    const { match, reporter, recordedAtUs } = call;
    const compared = { recorded: match.recorded, reporter, recordedAtUs };
    const comparison = this.compare(compared, request, reported);
    if (comparison === undefined) return undefined;
    const { stopOnDivergence } = this.plan;
    const takesEffect = stopOnDivergence ? 'at-once' : 'on-settle';
    const isReported = this.report(compared, comparison, {
      isServed: !stopOnDivergence,
      takesEffect,
      insideAtOnce: false,
    });
    return isReported && stopOnDivergence ? reporter.refuse(match).error : undefined;
  }

  /** Undefined where there is nothing to compare with, or nothing that an earlier attempt has not shown. */
  private compare(call: ComparedCall, sent: SentRequest, reported: Set<string>): RequestComparison | undefined {
    const { recorded } = call;
    const exchange = recorded.exchanges[sent.attempt];
    // Model clients send by `fetch`; metadata of gRPC belongs to its input.
    if (exchange?.layer !== 'fetch') return undefined;
    const request = this.ownIds.inRequest(sent);
    this.senders.compare({ ...call, exchange, request });
    this.reportIgnored(recorded, exchange, request, reported);
    const ignored = this.plan.ignoredPathsOf(recorded, 'request');
    const comparison = compareRequest(recorded, exchange, request, ignored);
    const text = canonicalJson([comparison.changed?.difference.entries ?? [], comparison.unverified]);
    if (reported.has(text)) return undefined;
    reported.add(text);
    return comparison;
  }

  /** Gives whether a divergence was reported. */
  private report(
    { recorded, reporter, recordedAtUs }: ComparedCall,
    { changed, unverified }: RequestComparison,
    { isServed, takesEffect, insideAtOnce }: ReportedAs,
  ): boolean {
    if (unverified.length > 0) {
      const places = unverified.join(', ');
      reporter.note(`What ${reporter.path} sends is redacted at ${places}, and is unverified there.`, true);
    }
    if (changed === undefined) return false;
    const { leaves: inputLeaves } = changed;
    const difference = withoutTold(changed.difference, reporter);
    if (difference.total === 0) return false;
    if (this.plan.profile === 'edit-tolerant' && recorded.kind === 'model') {
      const members = difference.entries.map(({ path }) => path);
      reporter.note(wording.toleratedInput(recorded, members, difference), false, recorded.path);
      return false;
    }
    const told = reporter.toldInput;
    const details = { candidate: recorded, recordedAtUs, takesEffect, insideAtOnce, difference, inputLeaves };
    const whole = told === undefined ? details : { ...told, ...joined(told, details) };
    reporter.divergence(
      'input-changed',
      wording.inputChanged(recorded, reporter.path, whole.difference, isServed),
      whole,
    );
    return true;
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
