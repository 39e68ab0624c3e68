import type { Link, SpanContext } from '@opentelemetry/api';
import { ATTR_HTTP_REQUEST_METHOD } from '@reenact/semconv/core';
import { ATTR_REENACT_PROCESS_REQUEST_BEFORE } from '@reenact/semconv/reenact';
import type { GateCall } from '../gate/gate.ts';

/** Methods that change nothing at the server (RFC 9110, section 9.2.1): such a request counts only once it makes a call. */
const SAFE_METHODS: ReadonlySet<unknown> = new Set(['GET', 'HEAD', 'OPTIONS', 'TRACE']);

/** A request that may have left something in the memory of its process, and its 1-based place among those. */
interface CountedRequest {
  readonly context: SpanContext;
  readonly place: number;
}

/** One request that came in, and what it names. */
export interface RequestTurn {
  /** The link to the latest that had counted when it came; empty for the first. */
  readonly linksBefore: readonly Link[];
  /** Its span has begun. */
  begin(context: SpanContext): void;
  /** Counts it, once: a call was made inside of it. */
  count(): void;
  /** The link to one that counted after it had come and before it did itself; else empty. */
  readonly linksSince: () => readonly Link[];
}

function linksTo(request: CountedRequest | undefined): Link[] {
  if (request === undefined) return [];
  return [{ context: request.context, attributes: { [ATTR_REENACT_PROCESS_REQUEST_BEFORE]: request.place } }];
}

/**
 * Links the requests that came to one process, so that a replay of one finds those that may have left something in memory that it uses
 * (docs/adr/0050). What asks whether a service is well, every few seconds for weeks, makes no call and is none of them.
 */
export class ProcessRequests {
  private latest: CountedRequest | undefined;

  /** A request comes in. */
  next({ span: { slim } }: Pick<GateCall, 'span'>): RequestTurn {
    const atBegin = this.latest;
    const isSafe = SAFE_METHODS.has(slim?.[ATTR_HTTP_REQUEST_METHOD]);
    let own: SpanContext | undefined;
    let before = atBegin;
    let hasCounted = false;
    const count = (): void => {
      if (own === undefined || hasCounted) return;
      hasCounted = true;
      before = this.latest;
      this.latest = { context: own, place: (before?.place ?? 0) + 1 };
    };
    return {
      linksBefore: linksTo(atBegin),
      begin: (context) => {
        own = context;
        if (!isSafe) count();
      },
      count,
      linksSince: () => (before === atBegin ? [] : linksTo(before)),
    };
  }
}
