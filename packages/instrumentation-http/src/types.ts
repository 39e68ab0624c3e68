import type { IncomingHttpHeaders } from 'node:http';
import type { InstrumentationConfig } from '@opentelemetry/instrumentation';
import type { CaptureLevel } from '@reenact/trace-model';

/** Where a server of this process listens. */
export interface ListeningAddress {
  readonly protocol: 'http' | 'https';
  /** Versions of HTTP that it understands. */
  readonly httpVersions: readonly ('1.1' | '2')[];
  /** Address or, for a Unix socket, path. */
  readonly address: string;
  /** Undefined on a Unix socket. */
  readonly port: number | undefined;
}

/** An inbound request, as `ignore` is asked about it. */
export interface InboundRequest {
  readonly method: string;
  /** As it was sent, most often path and query. */
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
}

/** An outbound request, as `ignoreOutbound` is asked about it. */
export interface OutboundRequest {
  readonly method: string;
  readonly url: URL;
}

/** How `HttpInstrumentation` records. Every function is called inside a try: one that throws counts as not ignoring. */
export interface HttpInstrumentationConfig extends InstrumentationConfig {
  /**
   * How much of each request is kept. Below `full` a recording cannot be replayed, only compared (`digest`) or looked at
   * (`none`). Default `full`.
   */
  readonly capture?: CaptureLevel;
  /** Whether requests this process sends are crossings. Default true. */
  readonly outbound?: boolean;
  /** Whether requests this process answers are runs. Default true. */
  readonly inbound?: boolean;
  /** Inbound requests that are no runs, such as health checks. Called before anything else is done for a request. */
  readonly ignore?: (request: InboundRequest) => boolean;
  /** Outbound requests that are no crossings. What happens to them in a replay is decided by its guard. */
  readonly ignoreOutbound?: (request: OutboundRequest) => boolean;
  /** Told when a server of this process listens. */
  readonly onListening?: (address: ListeningAddress) => void;
}
