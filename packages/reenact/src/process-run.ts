import type { Context } from '@opentelemetry/api';
import { admit, type OpenCrossing } from '@reenact/instrumentation';
import { CANONICAL_POLICIES } from '@reenact/trace-model';

/** The run of a process that has no `agent()` around its calls. */
export interface ProcessRun {
  /** The context of the run; opened by the first call that asks. */
  readonly context: () => Context | undefined;
  /** Ends the run, where there is one, with the exit code as its outcome. Synchronous. */
  readonly end: (exitCode: number) => void;
}

/**
 * Makes one run of all calls of this process that nothing encloses, so that three bare model calls are one run and not
 * three traces (DESIGN section 6, "entering"). No span exists until such a call is made.
 */
export function openProcessRun(): ProcessRun {
  let crossing: OpenCrossing | undefined;
  let asked = false;
  const open = (): Context | undefined => {
    if (!asked) {
      asked = true;
      const admission = admit({
        boundary: {
          kind: 'agent',
          name: 'process',
          effect: 'write',
          capture: 'full',
          policy: CANONICAL_POLICIES.arguments,
        },
        // The paths of node and script differ from machine to machine; what the user typed after them is the input.
        input: process.argv.slice(2),
        call: 'promise',
        span: { name: 'process', kind: 'internal' },
      });
      if (admission.type === 'run') crossing = admission.crossing;
    }
    return crossing?.context;
  };
  return { context: open, end: (exitCode) => crossing?.settle({ type: 'returned', value: { exitCode } }) };
}
