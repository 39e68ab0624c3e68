import { type Context, type Link, type SpanContext, type SpanStatus, SpanStatusCode } from '@opentelemetry/api';
import { ATTR_ERROR_TYPE, ATTR_PROCESS_EXIT_CODE } from '@reenact/semconv/core';
import { ATTR_REENACT_MODE, ATTR_REENACT_PROCESS_BESIDE, ATTR_REENACT_RESULT_ARGUMENT } from '@reenact/semconv/reenact';
import {
  type CallShape,
  crossingLabel,
  type EncodedValue,
  type Exchange,
  encodeValue,
  PROCESS_RUN_LABEL,
  PROCESS_RUN_NAME,
  UNSENT_BODY_MARK,
} from '@reenact/trace-model';
import type { BoundaryDefinition, SemconvView } from '../gate/boundary-definition.ts';
import type { CrossingFacts, RecordedOutcome, ReplayMark } from '../gate/crossing-facts.ts';
import type { LiveOutcomeChunks, OpenCrossing, RawOutcome } from '../gate/gate.ts';
import type { LiveOutcome } from '../gate/player.ts';
import { microsecondsBetween, toHrTime, unixNanoNow } from '../host/monotonic-clock.ts';
import { asOwnWork } from '../host/own-work.ts';
import { guarded } from '../host/report-failure.ts';
import { CALLED_BESIDE_MAX } from '../limits.ts';
import { heldBack } from '../redaction/places/held-back.ts';
import { redactChunks, redactEncoded, redactExchange, redactText } from '../redaction/places/redact-crossing.ts';
import type { RedactedExchange } from '../redaction/places/redact-exchange.ts';
import { redactionOf } from '../redaction/places/redaction-facts.ts';
import { redactionKeyId } from '../redaction/redactor/process-redaction.ts';
import { secretsBrought } from '../redaction/redactor/secrets-passed.ts';
import { isUnchangedParameter } from '../results/given-argument.ts';
import { marksOfGivenAnew } from '../results/result-losses.ts';
import { noteEndOf } from '../run/beginning.ts';
import type { OutlivedMoment } from '../run/crossing-scope.ts';
import { heldInput } from '../run/held-input.ts';
import { lateTapes } from '../run/late-draws.ts';
import { isSetUpLink } from '../run/set-up-links.ts';
import { type SettledPlace, settleInRun } from '../run/settle-in-run.ts';
import type { UncaughtError } from '../run/uncaught-error.ts';
import { hostContent } from '../view/host-content.ts';
import { shownContent } from '../view/shown-content.ts';
import { answeredCharacters } from './answered-characters.ts';
import { CrossingDescription } from './crossing-description.ts';
import type { CrossingInput, CrossingListener, CrossingStart } from './crossing-start.ts';
import { drawsOf, lostDrawsOf } from './draws-of-crossing.ts';
import { addLossyBelow, encodedParts, encodeOutcome } from './encode-outcome.ts';
import { hasFailed } from './failed-outcome.ts';
import { saysNoMore, type ToldAnswer, tell, tellOutlived, tellSoon, toldAnswer, toldUntil } from './outlived-run.ts';

interface CrossingEnd {
  readonly endUnixNano: bigint;
  readonly place: SettledPlace | undefined;
  readonly outcome: RecordedOutcome;
  readonly status: SpanStatus;
  /** The exchange that had not ended. */
  readonly underWay?: RedactedExchange | undefined;
  readonly outlivesRun?: ToldAnswer['reader'];
}

const nothingUnderWay = (): undefined => undefined;

/**
 * The one implementation of `OpenCrossing`. Holds encoded values only, so that the host's objects can be collected, and none of them once
 * it has ended: what a `fetch` leaves behind holds the context it was made in, and with it the crossing, until a full garbage collection.
 */
export class GateCrossing implements OpenCrossing {
  readonly context: Context;
  readonly spanId: string;
  private readonly start: CrossingStart;
  private readonly listener: CrossingListener<GateCrossing>;
  private readonly description: CrossingDescription;
  private exchanges: RedactedExchange[] = [];
  private readonly marks: string[] = [];
  private input: EncodedValue | undefined;
  private current: () => Exchange | undefined = nothingUnderWay;
  private viewOf: ((exchange: Exchange) => SemconvView) | undefined;
  private onceReadOn: ((told: () => void) => void) | undefined;
  private call: CallShape | undefined;
  private microtasks: number | undefined;
  private replay: ReplayMark | undefined;
  private chunks: LiveOutcomeChunks | undefined;
  private readerOf: Parameters<OpenCrossing['streams']>[1];
  private calledBeside: Set<string> | undefined;
  private setUpBeside: Link | undefined;
  private isInputAwaited = false;
  private uncaught: (UncaughtError & { readonly begun: number }) | undefined;
  private told: ToldAnswer | undefined;
  private hasEnded = false;

  constructor(start: CrossingStart, { input, content }: CrossingInput, listener: CrossingListener<GateCrossing>) {
    this.start = start;
    this.listener = listener;
    this.context = start.context;
    this.spanId = start.spanContext.spanId;
    this.description = new CrossingDescription(start, content, listener.encodes);
    this.call = start.call;
    this.replay = start.replay;
    this.input = input;
    if (start.parentCrossing === undefined) start.scope.run.openRoots += 1;
  }

  get spanContext(): SpanContext {
    return this.start.spanContext;
  }

  /** See `StartedCrossing`. */
  get spanKey(): string {
    const { traceId, spanId } = this.start.spanContext;
    return `${traceId}:${spanId}`;
  }

  /** Span id of the crossing that encloses it in this process; undefined of a root. */
  get parentCrossing(): string | undefined {
    return this.start.parentCrossing;
  }

  get boundary(): BoundaryDefinition {
    return this.start.boundary;
  }

  get isObserved(): boolean {
    return this.listener.encodes || this.start.span !== undefined;
  }

  /** Whether the run of the process was begun beside it only: no link led there when it began. */
  get isBesideSetUp(): boolean {
    return this.setUpBeside !== undefined;
  }

  private links(): readonly Link[] {
    const { links, linksSince } = this.start;
    if (linksSince === undefined && this.setUpBeside === undefined) return links;
    const since = linksSince?.(() => secretsBrought(this.input, this.description.content)) ?? [];
    return [...links, ...(this.setUpBeside === undefined ? [] : [this.setUpBeside]), ...since];
  }

  /** No more is said of it by its own code. */
  private close(endUnixNano: bigint): void {
    const { scope, parentCrossing, spanContext, beginning, boundary } = this.start;
    noteEndOf(beginning);
    this.hasEnded = true;
    scope.hasEnded = true;
    if (scope.isAgent === true && this.listener.encodes) lateTapes.hasEnded = true;
    scope.answers.crossings?.delete(this);
    if (parentCrossing !== undefined) return;
    scope.run.openRoots -= 1;
    scope.run.endedRoot = spanContext;
    if (crossingLabel(boundary) !== PROCESS_RUN_LABEL) tellOutlived(scope.answers, endUnixNano);
  }

  /** See `AnsweredCrossing`. */
  outliveRun(when: OutlivedMoment): void {
    const { underWay } = this.openEnd();
    if (underWay === undefined || saysNoMore(this.told, underWay.exchange)) return;
    const { exchange } = underWay;
    const told = toldAnswer(exchange);
    // Who reads what came late comes to its end, which is recorded then.
    if (when === 'late' && told.reader === 'waiting') return;
    this.told = told;
    if (this.viewOf !== undefined) this.description.add(this.viewOf(exchange));
    const { scope, startUnixNano } = this.start;
    const end: CrossingEnd = {
      endUnixNano: toldUntil(scope.answers, startUnixNano, when),
      place: undefined,
      status: this.description.complete({ type: 'returned', value: undefined }, this.context, scope.run),
      outcome: { type: 'pending' },
      underWay,
      outlivesRun: told.reader,
    };
    this.listener.outlived(() => this.factsOf(end));
    if (told.reader === 'satisfied') this.onceReadOn?.(() => tell(this, 'read-on'));
  }

  /** Whether all that is known of it was told when its run ended. */
  get isTold(): boolean {
    const last = this.exchanges.at(-1)?.exchange ?? this.current();
    return last !== undefined && saysNoMore(this.told, last);
  }

  /** Names what the process called outside of every run while this one went on. `setUp`: leads to the run of the process, where that holds it. */
  besides(label: string, setUp: Link | undefined): void {
    if (!this.hasEnded && this.setUpBeside === undefined && !this.start.links.some(isSetUpLink))
      this.setUpBeside = setUp;
    this.calledBeside ??= new Set();
    if (this.hasEnded || this.calledBeside.has(label) || this.calledBeside.size >= CALLED_BESIDE_MAX) return;
    this.calledBeside.add(label);
    this.describe({ slim: { [ATTR_REENACT_PROCESS_BESIDE]: [...this.calledBeside] } });
  }

  /** Notes an error of its code that nothing caught; the last one counts. */
  noteUncaught(uncaught: UncaughtError): void {
    if (!this.hasEnded) this.uncaught = { ...uncaught, begun: this.start.scope.nextOrder };
  }

  /**
   * Its process ends. Where an error did it that nothing caught, that is how an agent or request ended; one that the program went on from, by a call or to an
   * exit code of 0, did not. A process has failed by such an error, or by another exit code than 0, as the conventions for spans of processes say. `exitCode`:
   * undefined where it is not known yet.
   */
  processEnds(exitCode: number | undefined): void {
    const { uncaught, start } = this;
    const isProcess = start.boundary.name === PROCESS_RUN_NAME;
    if (exitCode !== undefined && !isProcess) this.describe({ slim: { [ATTR_PROCESS_EXIT_CODE]: exitCode } });
    const isEnd = uncaught !== undefined && exitCode !== 0 && uncaught.begun === start.scope.nextOrder;
    if (isEnd) guarded('saying what ended a run', () => this.description.endsBy(uncaught), undefined);
    if (isEnd && !isProcess) this.settle({ type: 'threw', error: uncaught.error });
    if (!isEnd && isProcess && exitCode) this.describe({ slim: { [ATTR_ERROR_TYPE]: `exit code ${exitCode}` } });
  }

  describe(view: SemconvView): void {
    if (this.hasEnded) return;
    guarded('describing a crossing', () => this.description.add(view), undefined);
  }

  answersAs(call: CallShape): void {
    this.call = call;
  }

  settlesAfter(microtasks: number | undefined): void {
    this.microtasks = microtasks;
  }

  /** Replaces how a replay answers this crossing, where that was found out only after it had begun. */
  replaysAs(mode: ReplayMark['mode']): void {
    if (this.replay === undefined) return;
    this.replay = { ...this.replay, mode };
    this.describe({ slim: { [ATTR_REENACT_MODE]: mode } });
  }

  streams(...[chunks, readerOf]: Parameters<OpenCrossing['streams']>): void {
    if (this.hasEnded) return;
    this.chunks = chunks;
    this.readerOf = readerOf;
  }

  completeInput(input: unknown, redacted?: readonly string[]): void {
    if (!this.hasEnded) this.isInputAwaited = false;
    // Absent from the start where nobody keeps it.
    if (this.hasEnded || this.input === undefined) return;
    this.input = guarded('completing an input', () => redactEncoded(encodeValue(input), redacted), this.input);
  }

  awaitsInput(): void {
    this.isInputAwaited = true;
  }

  markLossy(mark: string): void {
    this.marks.push(mark);
  }

  addExchange(exchange: Exchange): void {
    // Its bytes are looked through once, and only where somebody keeps them.
    if (this.listener.encodes && !this.hasEnded) this.exchanges.push(redactExchange(exchange));
  }

  exchanging(...[current, viewOf, onceReadOn]: Parameters<OpenCrossing['exchanging']>): void {
    if (this.hasEnded) return;
    this.current = current;
    this.viewOf = viewOf;
    this.onceReadOn = onceReadOn;
    const { answers } = this.start.scope;
    answers.crossings ??= new Set();
    answers.crossings.add(this);
  }

  answered(): void {
    if (!this.hasEnded && this.start.scope.answers.runEndUnixNano !== undefined) tellSoon(this);
  }

  elapsedUs(): number {
    return microsecondsBetween(this.start.startUnixNano, unixNanoNow());
  }

  settle(outcome: RawOutcome): void {
    if (this.hasEnded) return;
    heldInput.hand?.();
    const endUnixNano = unixNanoNow();
    this.close(endUnixNano);
    const { run } = this.start.scope;
    const place = settleInRun(run);
    const live = guarded<LiveOutcome | undefined>('encoding an outcome', () => this.encode(outcome), undefined);
    guarded('comparing a parameter', () => this.sayArgument(outcome, live), undefined);
    const status = guarded<SpanStatus>(
      'describing an outcome',
      () => this.description.complete(outcome, this.context, run),
      {
        code: hasFailed(outcome) ? SpanStatusCode.ERROR : SpanStatusCode.UNSET,
      },
    );
    const end = { endUnixNano, place, status, outcome: live ?? { type: outcome.type } };
    this.showContent(end);
    guarded('ending a span', () => asOwnWork(() => this.endSpan(status, endUnixNano)), undefined);
    guarded('keeping a crossing', () => this.listener.ended(this, () => this.factsOf(end)), undefined);
    const { settled, over } = this.listener;
    const tell = (): void => (live === undefined ? undefined : settled?.(live, this.keptExchanges(), this.spanContext));
    guarded('telling the replay', settled === undefined ? () => over?.() : tell, undefined);
    this.letGo();
  }

  /** Says that a call gave a parameter as it had got it; one that it changed comes as a copy, like other results. */
  private sayArgument(outcome: RawOutcome, live: LiveOutcome | undefined): void {
    if (outcome.type !== 'returned' || outcome.argument === undefined) return;
    const { input } = this;
    if (input === undefined || live?.type !== 'returned') return;
    if (isUnchangedParameter(input, outcome.argument, live.value))
      this.description.add({ slim: { [ATTR_REENACT_RESULT_ARGUMENT]: outcome.argument } });
  }

  private letGo(): void {
    this.input = undefined;
    this.uncaught = undefined;
    this.description.letGo();
    this.exchanges = [];
    this.chunks = undefined;
    this.readerOf = undefined;
    this.current = nothingUnderWay;
    this.viewOf = undefined;
    this.onceReadOn = undefined;
  }

  private encode(outcome: RawOutcome): LiveOutcome | undefined {
    return this.listener.encodes ? encodeOutcome(outcome) : undefined;
  }

  /** The app's own exporters see as much of the content as its policy says. */
  private showContent(end: CrossingEnd): void {
    const { span } = this.start;
    const policy = hostContent();
    if (policy.content === 'none' || span === undefined || !this.listener.encodes) return;
    guarded(
      'showing content',
      () => asOwnWork(() => span.setAttributes(shownContent(this.factsOf(end), policy))),
      span,
    );
  }

  private endSpan(status: SpanStatus, endUnixNano: bigint): void {
    const { span } = this.start;
    if (span === undefined) return;
    if (status.code !== SpanStatusCode.UNSET) guarded('setting a span status', () => span.setStatus(status), span);
    span.end(toHrTime(endUnixNano));
  }

  abandon(): void {
    if (this.hasEnded) return;
    this.close(unixNanoNow());
    const sayWhoFor = (): void => this.description.sayWhoFor(this.context, this.start.scope.run);
    guarded('saying whom a crossing was for', sayWhoFor, undefined);
    const end = this.openEnd();
    this.showContent(end);
    guarded('ending a span', () => asOwnWork(() => this.endSpan(end.status, unixNanoNow())), undefined);
    guarded('keeping a crossing', () => this.listener.ended(this, () => this.factsOf(end)), undefined);
    this.letGo();
  }

  /** The facts as they stand while the crossing is open, for a process that ends now. */
  pendingFacts(): CrossingFacts {
    const { viewOf } = this;
    const end = this.openEnd();
    const exchange = end.underWay?.exchange;
    if (exchange !== undefined && viewOf !== undefined)
      guarded('describing an open exchange', () => this.description.add(viewOf(exchange)), undefined);
    return this.factsOf(end);
  }

  /**
   * The facts as they stand while the crossing goes on: pending also where an answer has begun to arrive, so that what is recorded at
   * its end takes the place of this.
   */
  factsSoFar(): CrossingFacts {
    const { underWay, ...end } = this.openEnd();
    const { chunks: open } = this;
    // All of it is looked through for secrets; what may be half of one waits for the rest.
    const chunks = open === undefined ? undefined : end.outcome.chunks?.slice(0, open.length - heldBack(open));
    const outcome: RecordedOutcome = chunks === undefined ? { type: 'pending' } : { type: 'pending', chunks };
    const pending = { ...end, endUnixNano: this.start.startUnixNano, outcome };
    return this.factsOf(underWay === undefined ? pending : { ...pending, underWay });
  }

  /** See `StartedCrossing`. */
  answeredCharacters(): number | undefined {
    const open = this.current();
    const exchanges = open === undefined ? this.keptExchanges() : [...this.keptExchanges(), open];
    return answeredCharacters(exchanges, this.chunks ?? []);
  }

  /** Whether this is the crossing of a span, or directly inside it. */
  isAtOrIn({ traceId, spanId }: SpanContext): boolean {
    const { spanContext, parentCrossing } = this.start;
    return spanContext.traceId === traceId && (spanContext.spanId === spanId || parentCrossing === spanId);
  }

  private openEnd(): CrossingEnd {
    const status = { code: SpanStatusCode.UNSET };
    const { start } = this;
    const open = guarded('describing an open exchange', () => this.current(), undefined);
    const underWay = open === undefined ? undefined : redactExchange(open);
    // The answer had begun to arrive: what came of it can be served.
    const chunks = this.chunks ?? (underWay === undefined ? undefined : []);
    if (chunks === undefined) {
      return { endUnixNano: start.startUnixNano, place: undefined, status, outcome: { type: 'pending' } };
    }
    const outcome = { type: 'aborted', chunks: redactChunks([...chunks]), reader: this.readerOf?.() } as const;
    return { endUnixNano: unixNanoNow(), place: undefined, status, outcome, underWay };
  }

  private shape(outcome: RecordedOutcome): CallShape {
    if (this.call !== undefined) return this.call;
    if (this.exchanges.length > 0) return 'exchange';
    if (outcome.chunks !== undefined) return 'async-iterator';
    return outcome.type === 'pending' ? 'sync' : 'promise';
  }

  private keptExchanges(): Exchange[] {
    return this.exchanges.map(({ exchange }) => exchange);
  }

  private lossyMarks(parts: ReturnType<typeof encodedParts>, ofRedaction: readonly string[]): string[] {
    const { scope } = this.start;
    const marks: string[] = [];
    if (this.input !== undefined) addLossyBelow(marks, '/input', this.input.lossy);
    if (this.isInputAwaited) marks.push(UNSENT_BODY_MARK);
    for (const [member, { lossy }] of parts) addLossyBelow(marks, member, lossy);
    for (const mark of ofRedaction) marks.push(mark);
    for (const mark of this.marks) marks.push(redactText(mark));
    marks.push(...lostDrawsOf(this.start));
    if (scope.connections !== undefined) marks.push(...scope.connections.marks().map(redactText));
    if (scope.givenAnew !== undefined) marks.push(...marksOfGivenAnew(scope).map(redactText));
    return marks;
  }

  private factsOf(end: CrossingEnd): CrossingFacts {
    const { start } = this;
    const { outcome } = end;
    const parts = encodedParts(outcome);
    const exchanges = end.underWay === undefined ? this.exchanges : [...this.exchanges, end.underWay];
    const redaction = redactionOf({ input: this.input, parts, exchanges });
    // One literal with every member: objects of one shape are made at once, and nothing is copied into them.
    return {
      boundary: start.boundary,
      spanContext: start.spanContext,
      parentSpanContext: start.parentSpanContext,
      spanName: start.spanName,
      spanKind: start.spanKind,
      startTime: toHrTime(start.startUnixNano),
      endTime: toHrTime(end.endUnixNano),
      duration: toHrTime(end.endUnixNano - start.startUnixNano),
      status: end.status,
      links: this.links(),
      slim: this.description.slim,
      content: this.description.content,
      parentCrossing: start.parentCrossing,
      order: start.order,
      begun: start.scope.nextOrder,
      settled: end.place?.settled,
      isSettledWithPrevious: end.place?.isWithPrevious === true ? true : undefined,
      settledMicrotasks: end.place === undefined ? undefined : this.microtasks,
      outlivesRun: end.outlivesRun,
      call: this.shape(outcome),
      input: this.input,
      outcome,
      exchanges: exchanges.map(({ exchange }) => exchange),
      lossy: this.lossyMarks(parts, redaction.lossy),
      redacted: redaction.redacted,
      redactionKey: redaction.redacted.length === 0 ? undefined : redactionKeyId(),
      unread: redaction.unread,
      draws: drawsOf(start),
      processDraws: start.processDraws,
      flags: start.scope.flags === undefined ? undefined : [...start.scope.flags],
      replay: this.replay,
      span: start.span,
    };
  }
}
