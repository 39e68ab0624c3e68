import type { Resource } from '@opentelemetry/resources';
import type { ReadableSpan } from '@opentelemetry/sdk-trace';
import type { CrossingFacts, StartedCrossing } from '../gate/crossing-facts.ts';
import { asOwnWork } from '../host/own-work.ts';
import { pristine } from '../host/pristine.ts';
import { guarded } from '../host/report-failure.ts';
import {
  SPOOL_ANSWER_BYTES_MAX,
  SPOOL_BYTES_MAX,
  SPOOL_FRAME_BYTES_MAX,
  SPOOL_LATER_CHARACTERS_MAX,
  SPOOL_SEGMENT_BYTES_MAX,
} from '../limits.ts';
import { AnswersSoFar } from './answers-so-far.ts';
import {
  crossingParts,
  digestParts,
  type ResourceOfCrossing,
  spanKeyOf,
  spanOfParts,
  spanParts,
  type ViewOf,
} from './crossing-frame.ts';
import type { LaterFrame, WholeFrame } from './later-frame.ts';
import { charactersOf, type FrameType, frameBytesAtMost, writeFrame } from './spool-frame.ts';
import type { SpoolSegment, StoredFrame } from './spool-segment.ts';
import { type SegmentLimits, type SpoolPlacement, SpoolSegments } from './spool-segments.ts';
import type { SpoolTicket } from './spool-ticket.ts';
import { resourceParts } from './stored-span.ts';

/** What bounds the spool of one process. */
export interface SpoolLimits extends SegmentLimits {
  readonly frameBytesMax: number;
  /** Of a frame that says how a crossing stands that goes on. */
  readonly answerBytesMax: number;
  readonly laterCharactersMax: number;
}

/** What a spool is told about its process. */
export interface SpoolSettings extends SpoolPlacement, Partial<SpoolLimits> {
  readonly viewOf: ViewOf;
  /** The resource of that view, which is known without building it. */
  readonly resourceOf: ResourceOfCrossing;
}

/** UTF-8 takes at most three bytes for a character, and a frame has a little more than its parts. */
const SCRATCH_SLACK_BYTES = 1_024;

/**
 * The spool of one process: what it recorded and does not know to be delivered, in append-only files that outlive it
 * (docs/adr/0018). Nothing here throws; what cannot be written is counted, and stays in memory as if there were no spool.
 */
export class Spool {
  private readonly settings: SpoolSettings;
  private readonly limits: SpoolLimits;
  private readonly scratch: Buffer;
  private readonly segments: SpoolSegments;
  private readonly starts = new Map<string, StoredFrame>();
  /** Crossings whose start is not written down yet, by span key. */
  private readonly started = new Map<string, StartedCrossing>();
  private isStartDue = false;
  private later: LaterFrame[] = [];
  private laterCharacters = 0;
  private isWritingLater = false;
  private unwritten = 0;
  private readonly answers: AnswersSoFar;
  private isClosed = false;

  constructor(settings: SpoolSettings) {
    this.settings = settings;
    this.limits = {
      frameBytesMax: settings.frameBytesMax ?? SPOOL_FRAME_BYTES_MAX,
      answerBytesMax: settings.answerBytesMax ?? SPOOL_ANSWER_BYTES_MAX,
      segmentBytesMax: settings.segmentBytesMax ?? SPOOL_SEGMENT_BYTES_MAX,
      bytesMax: settings.bytesMax ?? SPOOL_BYTES_MAX,
      laterCharactersMax: settings.laterCharactersMax ?? SPOOL_LATER_CHARACTERS_MAX,
    };
    this.segments = new SpoolSegments(settings, this.limits);
    const { answerBytesMax } = this.limits;
    const write = (spanKey: string, facts: CrossingFacts): boolean =>
      this.writeStart(spanKey, facts, answerBytesMax) === 'whole';
    this.answers = new AnswersSoFar({ write, charactersMax: answerBytesMax });
    this.scratch = Buffer.allocUnsafeSlow(this.limits.frameBytesMax * 3 + SCRATCH_SLACK_BYTES);
  }

  /** The folder of this process, once there is something in it. */
  get directory(): string | undefined {
    return this.segments.directory;
  }

  /** How many spans the disk did not take: they were in memory only. */
  get unwrittenCount(): number {
    return this.unwritten;
  }

  /** How many bytes the spool takes on the disk. */
  get sizeBytes(): number {
    return this.segments.sizeBytes;
  }

  /**
   * Notes that a crossing has started. It is written down as pending when the event loop turns, or before a crossing inside it
   * that has ended, unless it has ended by then: a crossing that never left the stack costs one write and not two.
   */
  start(crossing: StartedCrossing): void {
    this.started.set(crossing.spanKey, crossing);
    if (this.isStartDue) return;
    this.isStartDue = true;
    pristine.setImmediate(() => guarded('spooling starts', () => asOwnWork(() => this.writeStarts()), undefined));
  }

  /** Writes down the crossings that have started and not ended. */
  writeStarts(): void {
    this.isStartDue = false;
    for (const crossing of this.started.values()) this.writeStartOf(crossing);
    this.started.clear();
  }

  /** As pending also where chunks had come: by the time the process dies there were more, and nobody had called them off. */
  private writeStartOf(crossing: StartedCrossing): CrossingFacts | undefined {
    const facts = guarded('describing an open crossing', () => crossing.factsSoFar(), undefined);
    if (facts === undefined) return undefined;
    const written = guarded('spooling a start', () => this.writeStart(crossing.spanKey, facts), undefined);
    if (written !== undefined) this.answers.began(crossing, written === 'whole');
    return facts;
  }

  /**
   * What began before it in the same run and has not ended: a recording that ends here would lack it between two that it has, and a replay
   * that calls it would be told of a call too many.
   */
  private writeStartsBefore(spanKey: string, { spanContext }: CrossingFacts): void {
    if (!this.started.has(spanKey)) return;
    const run = `${spanContext.traceId}:`;
    for (const [key, crossing] of this.started) {
      if (key === spanKey) return;
      if (!key.startsWith(run)) continue;
      this.started.delete(key);
      this.writeStartOf(crossing);
    }
  }

  /** What has ended can be replayed only where the crossings around it are known, too, up to the root of the run. */
  private writeStartsAround(inner: CrossingFacts): void {
    for (let facts: CrossingFacts | undefined = inner; facts?.parentCrossing !== undefined && this.started.size > 0; ) {
      const key = `${facts.spanContext.traceId}:${facts.parentCrossing}`;
      const around = this.started.get(key);
      if (around === undefined) return;
      this.started.delete(key);
      facts = this.writeStartOf(around);
    }
  }

  /** What of it was written: digests only where it is too large and nothing stood for it; undefined where nothing was. */
  private writeStart(
    spanKey: string,
    facts: CrossingFacts,
    bytesMax: number = this.limits.frameBytesMax,
  ): 'whole' | 'digests' | undefined {
    const { viewOf, resourceOf } = this.settings;
    const resource = resourceOf(facts);
    const before = this.starts.get(spanKey);
    const whole = this.tryAppend('pending', crossingParts(facts, viewOf), resource, bytesMax);
    // What stood for it says more than digests do.
    const isCut = whole === 'too-large' && before === undefined;
    const frame = isCut ? this.tryAppend('pending', digestParts(facts, viewOf), resource) : whole;
    if (frame === undefined || frame === 'too-large') return undefined;
    frame.segment.expect();
    this.starts.set(spanKey, frame);
    if (before !== undefined) settleAlone(before);
    return isCut ? 'digests' : 'whole';
  }

  /**
   * Writes one crossing that has ended, or what is known of one that is handed over before; where it is larger than a frame, a pending one
   * now and the whole a little later.
   */
  keep(facts: CrossingFacts, resource: Resource): SpoolTicket {
    const spanKey = spanKeyOf(facts.spanContext);
    this.writeStartsAround(facts);
    this.writeStartsBefore(spanKey, facts);
    this.started.delete(spanKey);
    this.answers.ended(spanKey);
    const isOpen = facts.outcome.type === 'pending';
    const pending = this.starts.get(spanKey);
    const ticket: SpoolTicket = { resource, frame: undefined, pending, isSettled: false, isOpen };
    if (pending !== undefined) this.starts.delete(spanKey);
    const parts = crossingParts(facts, this.settings.viewOf);
    const type = isOpen ? 'pending' : 'ended';
    const frame = this.tryAppend(type, parts, resource);
    if (frame === 'too-large') this.keepLater(ticket, facts, { type, parts });
    else this.taken(ticket, frame);
    return ticket;
  }

  /** Writes a span that is no crossing. */
  keepSpan(span: ReadableSpan): SpoolTicket {
    const ticket: SpoolTicket = { resource: span.resource, frame: undefined, pending: undefined, isSettled: false };
    const parts = spanParts(span);
    const frame = this.tryAppend('span', parts, span.resource);
    if (frame === 'too-large') this.addLater({ ticket, type: 'ended', parts });
    else this.taken(ticket, frame);
    return ticket;
  }

  /** Writes a crossing again that says more than it did, in one frame; undefined where it does not fit or the disk is full. */
  keepAmended(span: ReadableSpan): SpoolTicket | undefined {
    const frame = this.tryAppend('span', spanParts(span), span.resource);
    if (frame === undefined || frame === 'too-large') return undefined;
    const ticket: SpoolTicket = { resource: span.resource, frame: undefined, pending: undefined, isSettled: false };
    this.taken(ticket, frame);
    return ticket;
  }

  private keepLater(ticket: SpoolTicket, facts: CrossingFacts, whole: Pick<LaterFrame, 'type' | 'parts'>): void {
    const stand = this.tryAppend('pending', digestParts(facts, this.settings.viewOf), ticket.resource);
    if (stand !== undefined && stand !== 'too-large') {
      stand.segment.expect();
      if (ticket.pending !== undefined) settleAlone(ticket.pending);
      ticket.pending = stand;
    }
    this.addLater({ ticket, ...whole });
  }

  /** What waits is bounded; beyond that the host waits for the disk, as with small frames: memory may let go of the span, and what stands for it says nothing. */
  private addLater(frame: WholeFrame): void {
    const characters = charactersOf(frame.parts);
    if (this.later.length > 0 && this.laterCharacters + characters > this.limits.laterCharactersMax) {
      this.writeAtOnce(frame);
      return;
    }
    this.laterCharacters += characters;
    this.later.push({ ...frame, written: Promise.withResolvers() });
    if (!this.isWritingLater) void this.writeLater();
  }

  private writeAtOnce(frame: WholeFrame): void {
    try {
      const stored = this.appendWhole('current', frame);
      if (stored === undefined) this.unwritten += 1;
      this.takenLater(frame, stored);
    } catch (thrown) {
      this.refused(thrown);
    }
  }

  private async writeLater(): Promise<void> {
    this.isWritingLater = true;
    await new Promise((resolve) => pristine.setImmediate(resolve));
    for (let next = this.later[0]; next !== undefined && !this.isClosed; next = this.later[0]) {
      const { ticket } = next;
      try {
        if (!ticket.isSettled) this.takenLater(next, await this.appendWide(next));
      } catch (thrown) {
        this.refused(thrown);
      }
      next.written.resolve();
      // At exit what is left was written by another way meanwhile.
      if (this.later[0] !== next) continue;
      this.later.shift();
      this.laterCharacters -= charactersOf(next.parts);
    }
    this.isWritingLater = false;
  }

  /**
   * Resolves when none of these spans waits to be written. Who exports one earlier and dies leaves a collector that has it whole,
   * and a spool that says it is pending: two tellings of one crossing.
   */
  async written(tickets: readonly SpoolTicket[]): Promise<void> {
    if (this.later.length === 0) return;
    await Promise.all(
      this.later.filter(({ ticket }) => tickets.includes(ticket)).map(({ written }) => written.promise),
    );
  }

  private async appendWide({ ticket: { resource }, type, parts }: LaterFrame): Promise<StoredFrame | undefined> {
    const segment = this.segments.segmentFor('wide');
    if (segment === undefined) return undefined;
    if (segment.resource !== resource) {
      await this.appendFrame(segment, 'resource', resourceParts(resource));
      segment.resource = resource.asyncAttributesPending === true ? undefined : resource;
    }
    return this.appendFrame(segment, type, parts);
  }

  private appendFrame(segment: SpoolSegment, type: FrameType, parts: readonly string[]): Promise<StoredFrame> {
    const buffer = Buffer.allocUnsafe(frameBytesAtMost(parts));
    return segment.appendLater(buffer, writeFrame(buffer, type, parts));
  }

  private taken(ticket: SpoolTicket, frame: StoredFrame | undefined): void {
    if (frame === undefined) return;
    frame.segment.expect();
    ticket.frame = frame;
    if (ticket.isSettled) settleAlone(frame);
  }

  /** Of frames that say a crossing goes on the last file's counts, and what stood for this one may lie in a later file. */
  private takenLater({ ticket, type }: WholeFrame, frame: StoredFrame | undefined): void {
    const stand = ticket.pending;
    this.taken(ticket, frame);
    if (type !== 'pending' || frame === undefined || stand === undefined || ticket.isSettled) return;
    ticket.pending = undefined;
    settleAlone(stand);
  }

  /** The frame as written; undefined where the disk did not take it, which is counted. */
  private tryAppend(
    type: FrameType,
    parts: readonly string[],
    resource: Resource,
    bytesMax: number = this.limits.frameBytesMax,
  ): StoredFrame | 'too-large' | undefined {
    const characters = charactersOf(parts);
    if (characters > bytesMax) return 'too-large';
    try {
      const segment = this.segments.segmentFor('current');
      if (segment === undefined) {
        this.unwritten += 1;
        return undefined;
      }
      if (segment.resource !== resource) this.appendResource(segment, resource);
      const isLarge = characters > this.limits.frameBytesMax;
      const buffer = isLarge ? Buffer.allocUnsafe(frameBytesAtMost(parts)) : this.scratch;
      const bytes = writeFrame(buffer, type, parts);
      if (bytes > bytesMax) return 'too-large';
      return segment.append(buffer, bytes);
    } catch (thrown) {
      this.refused(thrown);
      return undefined;
    }
  }

  private appendResource(segment: SpoolSegment, resource: Resource): void {
    const parts = resourceParts(resource);
    const buffer = Buffer.allocUnsafe(frameBytesAtMost(parts));
    segment.append(buffer, writeFrame(buffer, 'resource', parts));
    // Attributes that are still being looked for are written again when they are there.
    segment.resource = resource.asyncAttributesPending === true ? undefined : resource;
  }

  private refused(thrown: unknown): void {
    this.unwritten += 1;
    this.segments.rest(thrown);
  }

  /** Whether a span can be read back. */
  holds(ticket: SpoolTicket): boolean {
    return (
      ticket.frame !== undefined ||
      ticket.pending !== undefined ||
      this.later.some((waiting) => waiting.ticket === ticket)
    );
  }

  /** Whether the frame that stands for a span is all there is of it: what it came to is lost. */
  holdsStandOnly(ticket: SpoolTicket): boolean {
    return !this.holdsWhole(ticket) && this.holds(ticket) && ticket.pending?.segment.isGone === false;
  }

  /** Whether the whole of a span is on the disk, and not only the frame that stands for it. */
  holdsWhole({ frame }: SpoolTicket): boolean {
    return frame !== undefined;
  }

  /** Where a span is that is on the disk whole: the only frame of it from now on, for nobody may remember that it had started. */
  forget(ticket: SpoolTicket): StoredFrame | undefined {
    const { frame, pending } = ticket;
    if (frame === undefined) return undefined;
    ticket.pending = undefined;
    if (pending !== undefined) settleAlone(pending);
    return frame;
  }

  /** Reads a span back that memory had no room for; undefined where its segment was given up. */
  read(ticket: SpoolTicket): ReadableSpan | undefined {
    const { frame = ticket.pending, resource } = ticket;
    const parts = this.later.find((waiting) => waiting.ticket === ticket)?.parts ?? frame?.segment.read(frame);
    return parts === undefined ? undefined : spanOfParts(parts, resource);
  }

  /** Notes that these spans need no delivery any more: they were delivered, or given up for good. */
  settle(tickets: readonly SpoolTicket[]): void {
    const offsets = new Map<SpoolSegment, number[]>();
    for (const ticket of tickets) {
      if (ticket.isSettled) continue;
      ticket.isSettled = true;
      for (const frame of [ticket.frame, ticket.pending]) {
        if (frame === undefined) continue;
        const known = offsets.get(frame.segment);
        if (known === undefined) offsets.set(frame.segment, [frame.offset]);
        else known.push(frame.offset);
      }
    }
    for (const [segment, settled] of offsets) segment.settle(settled);
    // Not before each of them has its note: a start that is left without its end would be delivered as one that never ended.
    for (const segment of offsets.keys()) segment.removeIfDone();
  }

  /** Writes at once what waits to be written; what the disk does not take is not held any more. Synchronous. Never throws. */
  writeWaiting(): void {
    if (this.later.length > 0) guarded('spooling what is left', () => this.writeRest(), undefined);
  }

  /**
   * Ends with the process: writes what was waiting to be written, and removes the folder where nothing in it waits for
   * delivery. Returns the folder where something does. Synchronous.
   */
  close(): string | undefined {
    if (this.isClosed) return this.directory;
    this.writeWaiting();
    this.isClosed = true;
    this.answers.close();
    return this.segments.close();
  }

  /** A write may be under way in the wide segment: what is left goes to a file of its own, and the reader takes one of both. */
  private writeRest(): void {
    for (const { written } of this.later) written.resolve();
    const rest = this.later.filter(({ ticket }) => !ticket.isSettled);
    this.later = [];
    this.segments.leaveWide();
    for (const waiting of rest) {
      try {
        this.takenLater(waiting, this.appendWhole('wide', waiting));
      } catch (thrown) {
        // A shorter one may still have room.
        this.refused(thrown);
      }
    }
  }

  private appendWhole(which: 'current' | 'wide', { ticket, type, parts }: WholeFrame): StoredFrame | undefined {
    const segment = this.segments.segmentFor(which);
    if (segment === undefined) return undefined;
    this.appendResource(segment, ticket.resource);
    const buffer = Buffer.allocUnsafe(frameBytesAtMost(parts));
    return segment.append(buffer, writeFrame(buffer, type, parts));
  }
}

/** For a frame whose span has no other one that waits. */
function settleAlone({ segment, offset }: StoredFrame): void {
  segment.settle([offset]);
  segment.removeIfDone();
}
