import { guarded } from '@reenact/instrumentation';
import type { CaptureLevel } from '@reenact/trace-model';
import type { GrpcInstrumentationConfig } from './types.ts';

/** What every patched method needs to know. */
export interface RpcSettings {
  readonly capture: CaptureLevel;
  /** False once the patch was undone and a method lives on in somebody else's hands. */
  isActive(): boolean;
  /** Whether nobody wants to do anything with calls of this path. Never throws. */
  ignores(direction: 'inbound' | 'outbound', path: string): boolean;
}

/** Telemetry on its way to a collector is no part of any run, whoever sends it. */
const telemetry = /^\/opentelemetry\.proto\.collector\./;
const administration = /^\/grpc\.(health|reflection)\./;

/** The settings of one patch, by how the instrumentation is set up. */
export function rpcSettings(config: GrpcInstrumentationConfig, isActive: () => boolean): RpcSettings {
  const { ignore = ({ path }) => administration.test(path), ignoreOutbound = () => false } = config;
  return {
    capture: config.capture ?? 'full',
    isActive,
    ignores: (direction, path) => {
      const asked = direction === 'inbound' ? ignore : ignoreOutbound;
      return guarded('asking whether to ignore a call', () => telemetry.test(path) || asked({ path }), false);
    },
  };
}
