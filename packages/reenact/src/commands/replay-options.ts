import type { Pace } from '@reenact/replay';
import type { DebugFlags } from './debug-flags.ts';
import type { EntryFlags } from './entering.ts';
import type { PlanFlags } from './plan-flags.ts';
import type { RequestsBeforeFlag } from './requests-before-flag.ts';
import type { ServicesFlags } from './services-flags.ts';

/** Flags that `replay` and `check` share. */
export interface ReplayOptions extends EntryFlags, PlanFlags, DebugFlags, ServicesFlags, RequestsBeforeFlag {
  readonly allowHost: string[];
  readonly allowProgram: string[];
  readonly allowPath: string[];
  readonly json?: boolean;
  readonly markdown?: boolean;
  readonly collector?: string;
  readonly header?: string[];
  readonly pace?: Pace;
  /** true: to the collector that the recording comes from. */
  readonly export?: string | true;
}
