import { type Context, context as contexts } from '@opentelemetry/api';
import {
  admit,
  adoptProcessConnections,
  adoptProcessDraws,
  childOccurrence,
  definedAttributes,
  type GateCall,
  gate,
  type OpenCrossing,
} from '@reenact/instrumentation';
import { ATTR_REENACT_PROCESS_OCCURRENCE } from '@reenact/semconv/reenact';
import { CANONICAL_POLICIES, PROCESS_RUN_NAME } from '@reenact/trace-model';

/** The run of a process that has no `agent()` around its calls. */
export interface ProcessRun {
  /** The context of the run; opened by the first call that asks. */
  readonly context: () => Context | undefined;
  /** The same where it is open already. */
  readonly opened: () => Context | undefined;
  /** Ends what ends with the process, and the run of it, where there is one, with the exit code as its outcome. Synchronous. */
  readonly end: (exitCode: number) => void;
  /** Whether no call was made, so that it was opened only to tell that the process was started and how it ended. */
  readonly wasQuiet: () => boolean;
}

/** Stands where every call has a run of its own around it, or, in a child process, is to stand at `base`. */
export function noProcessRun(base: Context | undefined): ProcessRun {
  const end = (exitCode: number): void => gate.processEnds(exitCode);
  return { context: () => base, opened: () => base, end, wasQuiet: () => false };
}

const processBoundary = {
  kind: 'agent',
  name: PROCESS_RUN_NAME,
  effect: 'write',
  capture: 'full',
  policy: CANONICAL_POLICIES.arguments,
} as const;

function processCall(): GateCall {
  return {
    boundary: processBoundary,
    // The paths of node and script differ from machine to machine; what the user typed after them is the input.
    input: process.argv.slice(2),
    call: 'promise',
    span: {
      name: 'process',
      kind: 'internal',
      slim: definedAttributes({ [ATTR_REENACT_PROCESS_OCCURRENCE]: childOccurrence(process.env) }),
    },
  };
}

/**
 * Makes one run of all calls of this process that nothing encloses, so that three bare model calls are one run and not
 * three traces (DESIGN section 6, "entering"). No span exists until such a call is made. `base`: where in another run the process
 * was started; its run is then a part of that one. `opensAtEnd`: where no such call was made by the end, the run is opened there, so that
 * it tells that the process was started and how it ended.
 */
export function openProcessRun(base: Context | undefined, opensAtEnd: boolean): ProcessRun {
  let crossing: OpenCrossing | undefined;
  let asked = false;
  let isQuiet = false;
  const open = (): Context | undefined => {
    if (!asked) {
      asked = true;
      const admission = contexts.with(base ?? contexts.active(), () => admit(processCall()));
      if (admission.type === 'run') {
        crossing = admission.crossing;
        adoptProcessDraws(crossing.context);
        adoptProcessConnections(crossing.context);
      }
    }
    return crossing?.context ?? base;
  };
  const opened = (): Context | undefined => crossing?.context;
  const end = (exitCode: number): void => {
    if (opensAtEnd && !asked) {
      isQuiet = true;
      open();
    }
    gate.processEnds(exitCode);
    crossing?.settle({ type: 'returned', value: { exitCode } });
  };
  return { context: open, opened, end, wasQuiet: () => isQuiet };
}
