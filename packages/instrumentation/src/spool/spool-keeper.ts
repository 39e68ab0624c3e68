import type { SpanExporter } from '@opentelemetry/sdk-trace';
import { outsideContexts } from '../host/outside-contexts.ts';
import { pristine } from '../host/pristine.ts';
import { SPOOL_ADOPT_DELAY_MS, SPOOL_DESCENDANTS_MS_MAX, SPOOL_HEARTBEAT_MS } from '../limits.ts';
import { addressWithoutSecrets } from '../sending/address-without-secrets.ts';
import {
  adoptDescendants,
  deliverDescendants,
  deliverLeftovers,
  hasOfDescendants,
  type LeftoverDelivery,
} from './deliver-leftovers.ts';
import { LeftInSpool } from './left-in-spool.ts';
import { LeftoverRound } from './leftover-round.ts';
import { Spool, type SpoolLimits, type SpoolSettings } from './spool.ts';
import { destinationKey, thisOwner } from './spool-owner.ts';
import { isSpoolOff, ownPlaces, preparePlace, spoolPlaces } from './spool-place.ts';
import { senderOf, UNKNOWN_SENDER } from './spool-sender.ts';
import type { SpoolTicket } from './spool-ticket.ts';
import { tracesEndpoint } from './traces-endpoint.ts';

/** Where the spool is and for whom; every limit has a default in limits.ts. */
export interface SpoolOptions extends Partial<SpoolLimits> {
  /** The folder for the spools of all processes. Default: `REENACT_SPOOL_DIR`, else a folder of the user's own state. */
  readonly directory?: string;
  /**
   * The URL that spans go to: what another process left in the spool is delivered by those with the same one only. Default: as
   * the OTEL_EXPORTER_OTLP_* variables say.
   */
  readonly destination?: string;
  /**
   * As whom spans are sent, such as a name of the token: what another process left is not delivered by one that says otherwise. Default: a
   * digest of the headers that the OTEL_EXPORTER_OTLP_* variables name.
   */
  readonly sender?: string;
}

/** What a spool holds and could not hold. */
export interface SpoolState {
  /** The folder of this process; undefined before its first crossing, and where nothing can be written. */
  readonly directory: string | undefined;
  readonly sizeBytes: number;
  /** Spans that the disk did not take: they were in memory only. */
  readonly unwrittenCount: number;
  /** Spans that wait there and of which memory has no room even for where they are. */
  readonly leftCount: number;
}

/** Who delivers what others left. */
type Self = Pick<LeftoverDelivery, 'owner' | 'sender'>;

/** The spool of one process, and its care for those of processes that are gone. */
export class SpoolKeeper {
  readonly spool: Spool;
  readonly left = new LeftInSpool();
  private readonly places: readonly string[];
  private readonly self: Self;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private round: LeftoverRound | undefined;
  private isClosed = false;
  private isLeavingDescendants = false;
  private isExpecting = false;

  private constructor(places: readonly string[], self: Self, spool: Spool) {
    this.places = places;
    this.self = self;
    this.spool = spool;
  }

  /** Opens a spool: nothing is written yet, and where nothing can be is told when something is to be: of most processes nothing is recorded, and who started one may read what it says. Undefined where `REENACT_SPOOL=off` says so. */
  static open(options: SpoolOptions, spans: Pick<SpoolSettings, 'viewOf' | 'resourceOf'>): SpoolKeeper | undefined {
    if (isSpoolOff(process.env)) return undefined;
    const { directory, destination = tracesEndpoint(process.env), sender = senderOf(process.env), ...limits } = options;
    const places = directory === undefined ? spoolPlaces(process.env) : [directory];
    const owner = thisOwner(destinationKey(destination));
    return new SpoolKeeper(
      places,
      // An exporter may have a token that was given in code: nothing that was sent with another one is to leave with it.
      { owner, sender: sender ?? UNKNOWN_SENDER },
      new Spool({ ...limits, places, owner, about: addressWithoutSecrets(destination), sender, ...spans }),
    );
  }

  /** Calls back a little later, and then now and then, as long as the process runs. A further call does nothing. */
  adoptSoon(adopt: () => void): void {
    if (this.timer !== undefined || this.isClosed) return;
    this.wait(SPOOL_ADOPT_DELAY_MS, adopt);
  }

  private wait(delayMs: number, adopt: () => void): void {
    const wake = (): void => {
      adopt();
      if (!this.isClosed) this.wait(SPOOL_HEARTBEAT_MS, adopt);
    };
    this.timer = outsideContexts(() => pristine.setTimeout(wake, delayMs));
    this.timer.unref();
  }

  /** Delivers what processes that are gone left for the same destination. */
  async deliverLeftovers(exporter: SpanExporter): Promise<void> {
    const place = preparePlace(this.places);
    if (place === undefined || this.isClosed) return;
    const round = new LeftoverRound();
    this.round = round;
    await deliverLeftovers({ place, ...this.self, exporter, mayGoOn: () => round.mayGoOn() });
  }

  /** Ends what goes on of it after the request under way: whoever flushes does not wait for what others left. */
  leaveLeftovers(): void {
    this.round?.end();
  }

  /** Delivers what processes left that this one, or one of them, has started, and that are gone: they are a part of what it did. Begins no request once that takes too long. */
  async deliverDescendants(exporter: SpanExporter): Promise<void> {
    const untilMs = pristine.performanceNow() + SPOOL_DESCENDANTS_MS_MAX;
    const mayGoOn = async (): Promise<boolean> => pristine.performanceNow() < untilMs;
    this.isLeavingDescendants = false;
    if (this.isClosed) return;
    for (const place of ownPlaces(this.places)) {
      if (await deliverDescendants({ place, ...this.self, exporter, mayGoOn })) continue;
      this.isLeavingDescendants = true;
      return;
    }
  }

  /** From now on there may be something of theirs at any time: it is a part of a run, and nobody who looks at that is to wait for the next round. */
  expectDescendants(): void {
    this.isExpecting = true;
  }

  /** Whether it was said that there may be. */
  get expectsDescendants(): boolean {
    return this.isExpecting;
  }

  /** Whether there is anything of theirs, and the last try did not fail. */
  hasOfDescendants(): boolean {
    const hasAny = (place: string): boolean => hasOfDescendants({ place, ...this.self });
    return !this.isLeavingDescendants && ownPlaces(this.places).some(hasAny);
  }

  /** Makes the folders of the same processes one's own, for a process that ends now. Synchronous. */
  adoptDescendants(): string[] {
    return ownPlaces(this.places).flatMap((place) => adoptDescendants({ place, ...this.self }));
  }

  /** What there is to say about it. */
  state(): SpoolState {
    const { directory, sizeBytes, unwrittenCount } = this.spool;
    return { directory, sizeBytes, unwrittenCount, leftCount: this.left.total };
  }

  /** Forgets where a span is that memory has no room for. */
  leave(ticket: SpoolTicket): void {
    const frame = this.spool.forget(ticket);
    if (frame !== undefined) this.left.leave(frame);
  }

  /** Ends with the process (Spool.close). */
  close(): string | undefined {
    this.isClosed = true;
    if (this.timer !== undefined) pristine.clearTimeout(this.timer);
    return this.spool.close();
  }
}
