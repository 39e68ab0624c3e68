import type { InstrumentationConfig } from '@opentelemetry/instrumentation';
import type { CaptureLevel } from '@reenact/trace-model';

/** Where a gRPC server of this process listens. */
export interface ListeningRpcServer {
  readonly protocol: 'grpc' | 'grpcs';
  /** Address or, for a Unix socket, path. */
  readonly address: string;
  /** Undefined on a Unix socket. */
  readonly port: number | undefined;
}

/** A call as `ignore` and `ignoreOutbound` are asked about it. */
export interface RpcCall {
  /** `/<package>.<service>/<method>`. */
  readonly path: string;
}

/** How `GrpcInstrumentation` records. Every function is called inside a try: one that throws counts as not ignoring. */
export interface GrpcInstrumentationConfig extends InstrumentationConfig {
  /**
   * How much of each call is kept. Below `full` a recording cannot be replayed, only compared (`digest`) or looked at
   * (`none`). Default `full`.
   */
  readonly capture?: CaptureLevel;
  /** Whether calls this process makes are crossings. Default true. */
  readonly outbound?: boolean;
  /** Whether calls this process answers are runs. Default true. */
  readonly inbound?: boolean;
  /** Inbound calls that are no runs. Default: health checks and reflection. */
  readonly ignore?: (call: RpcCall) => boolean;
  /** Outbound calls that are no crossings. What happens to them in a replay is decided by its guard. */
  readonly ignoreOutbound?: (call: RpcCall) => boolean;
  /** Told when a server of this process listens. */
  readonly onListening?: (server: ListeningRpcServer) => void;
}
