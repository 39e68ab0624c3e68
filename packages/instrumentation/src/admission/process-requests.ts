import type { Link, SpanContext } from '@opentelemetry/api';
import { ATTR_HTTP_REQUEST_METHOD, ATTR_URL_PATH } from '@reenact/semconv/core';
import {
  ATTR_REENACT_PROCESS_REQUEST_BEFORE,
  ATTR_REENACT_PROCESS_REQUEST_GIVEN,
  ATTR_REENACT_PROCESS_REQUEST_LATEST,
} from '@reenact/semconv/reenact';
import type { GateCall } from '../gate/gate.ts';
import { GIVEN_SECRETS_MAX } from '../limits.ts';

/**
 * Methods that change nothing at the server (RFC 9110, section 9.2.1): such a request counts only once it makes a call, or where one for the same path
 * has made one.
 */
const SAFE_METHODS: ReadonlySet<unknown> = new Set(['GET', 'HEAD', 'OPTIONS', 'TRACE']);

/** How many paths are remembered: those of a service with an id in each are without end. */
const CALLING_PATHS_MAX = 1_000;

/** A request that may have left something in the memory of its process, and its 1-based place among those. */
interface CountedRequest {
  readonly context: SpanContext;
  readonly place: number;
}

/** A request whose answer gave a secret. */
interface Giver {
  readonly context: SpanContext;
  /** Its place among those that count, 0 where it is none of them. */
  readonly place: () => number;
}

/** One request that came in, and what it names. */
export interface RequestTurn {
  /**
   * The links to the latest that had counted when it came, and where that was still going on, as a stream that is watched for days, to the latest that
   * had ended, too; empty for the first.
   */
  readonly linksBefore: readonly Link[];
  /** Its span has begun. */
  begin(context: SpanContext): void;
  /** A call was made inside of it: it counts, once. */
  called(): void;
  /** It has come to its end. */
  end(): void;
  /** It has ended, and its answer gave these secrets, each by the digits of its token. */
  gave(secrets: readonly string[]): void;
  /**
   * At its end, the links to one that counted after it had come and before it did itself, to the latest that has counted since, and to those
   * whose answers gave the secrets that it brought.
   */
  readonly linksSince: (brought: () => readonly string[]) => readonly Link[];
}

function linksTo(request: CountedRequest | undefined, key: string): Link[] {
  return request === undefined ? [] : [{ context: request.context, attributes: { [key]: request.place } }];
}

/**
 * Links the requests that came to one process, so that a replay of one finds those that may have left something in memory that it uses
 * (docs/adr/0050). What asks whether a service is well, every few seconds for weeks, makes no call and is none of them; what is answered from a cache that
 * an earlier one for its path has filled is, for it may have moved the order in which the cache drops what it holds.
 */
export class ProcessRequests {
  private latest: CountedRequest | undefined;
  private latestEnded: CountedRequest | undefined;
  /** Of the safe ones that made a call: the paths that were last called for at the end. */
  private readonly callingPaths = new Set<unknown>();
  /** By the digits of its token, the first request whose answer gave a secret; those that were brought or given last at the end. */
  private readonly givers = new Map<string, Giver>();

  private noteGiven(secret: string, giver: Giver): void {
    const first = this.givers.get(secret) ?? giver;
    this.givers.delete(secret);
    this.givers.set(secret, first);
    if (this.givers.size <= GIVEN_SECRETS_MAX) return;
    const [oldest = ''] = this.givers.keys();
    this.givers.delete(oldest);
  }

  /** The links to those whose answers gave what a request brought; never to itself. */
  private linksToGivers(brought: readonly string[], own: SpanContext | undefined): Link[] {
    const found = new Set<Giver>();
    for (const secret of brought) {
      const giver = this.givers.get(secret);
      if (giver === undefined || giver.context.spanId === own?.spanId) continue;
      this.noteGiven(secret, giver);
      found.add(giver);
    }
    return Array.from(found, ({ context, place }) => ({
      context,
      attributes: { [ATTR_REENACT_PROCESS_REQUEST_GIVEN]: place() },
    }));
  }

  private noteCalling(path: unknown): void {
    if (path === undefined) return;
    this.callingPaths.delete(path);
    this.callingPaths.add(path);
    if (this.callingPaths.size <= CALLING_PATHS_MAX) return;
    const [oldest] = this.callingPaths;
    this.callingPaths.delete(oldest);
  }

  /** A request comes in. */
  next({ span: { slim } }: Pick<GateCall, 'span'>): RequestTurn {
    const atBegin = this.latest;
    const endedAtBegin = this.latestEnded === atBegin ? undefined : this.latestEnded;
    const path = SAFE_METHODS.has(slim?.[ATTR_HTTP_REQUEST_METHOD]) ? slim?.[ATTR_URL_PATH] : undefined;
    const countsAtOnce = !SAFE_METHODS.has(slim?.[ATTR_HTTP_REQUEST_METHOD]) || this.callingPaths.has(path);
    let hasCalled = false;
    let own: SpanContext | undefined;
    let before = atBegin;
    let counted: CountedRequest | undefined;
    const count = (): void => {
      if (own === undefined || counted !== undefined) return;
      before = this.latest;
      counted = { context: own, place: (before?.place ?? 0) + 1 };
      this.latest = counted;
    };
    const end = (): void => {
      if (counted !== undefined && counted.place > (this.latestEnded?.place ?? 0)) this.latestEnded = counted;
    };
    const gave = (secrets: readonly string[]): void => {
      if (own === undefined) return;
      const giver = { context: own, place: () => counted?.place ?? 0 };
      for (const secret of secrets) this.noteGiven(secret, giver);
    };
    const linksSince = (brought: () => readonly string[]): Link[] => {
      const { latest } = this;
      const isLater = latest !== undefined && latest !== before && latest.context.spanId !== own?.spanId;
      return [
        ...(before === atBegin ? [] : linksTo(before, ATTR_REENACT_PROCESS_REQUEST_BEFORE)),
        ...(isLater ? linksTo(latest, ATTR_REENACT_PROCESS_REQUEST_LATEST) : []),
        ...this.linksToGivers(this.givers.size === 0 ? [] : brought(), own),
      ];
    };
    return {
      linksBefore: [atBegin, endedAtBegin].flatMap((one) => linksTo(one, ATTR_REENACT_PROCESS_REQUEST_BEFORE)),
      begin: (context) => {
        own = context;
        if (countsAtOnce) count();
      },
      called: () => {
        if (!hasCalled) this.noteCalling(path);
        hasCalled = true;
        count();
      },
      end,
      gave,
      linksSince,
    };
  }
}
