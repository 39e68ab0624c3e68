import { type Answer, type Arrival, httpMembers, type Position } from '@reenact/instrumentation';
import { ATTR_GEN_AI_OPERATION_NAME, ATTR_GEN_AI_PROVIDER_NAME } from '@reenact/semconv/gen-ai';
import type { Crossing } from '@reenact/trace-model';
import type { ArrivalReporter, DivergenceDetails } from './arrival-reporter.ts';
import * as wording from './divergence-wording.ts';
import type { LookUp } from './look-up.ts';

/** One call of a client that no crossing of its own is left for. */
export interface ClientCall {
  readonly arrival: Arrival;
  /** Where it was looked up. */
  readonly under: string;
  readonly path: string;
  readonly reporter: ArrivalReporter;
  readonly details: DivergenceDetails;
}

interface Passed {
  readonly request: Crossing;
  hasSent: boolean;
}

/**
 * Clients of ours whose calls were recorded by the requests they send, for they were loaded before their instrumentation or were a version that
 * nothing patches. Each call may send what one request to that provider was recorded for; nothing else passes, and nothing unseen.
 */
export class UnpatchedClients {
  private readonly lookUp: LookUp;
  private readonly passed = new WeakMap<Position, Passed>();
  private readonly reserved = new Set<string>();

  constructor(lookUp: LookUp) {
    this.lookUp = lookUp;
  }

  /** Lets its code run where a request is left that it may be about to send; undefined where none is. */
  answer({ arrival, under, path, reporter, details }: ClientCall): Answer | undefined {
    const { sends } = arrival;
    // Code that stands nowhere sends nothing that is looked up here.
    if (sends === undefined || arrival.position === undefined) return undefined;
    // Where nothing asks for the request, as in a test without HttpInstrumentation, it would go out.
    if (!httpMembers.isPatched(globalThis.fetch)) return undefined;
    const [operation, provider] = [sends[ATTR_GEN_AI_OPERATION_NAME], sends[ATTR_GEN_AI_PROVIDER_NAME]];
    if (operation === undefined || provider === undefined) return undefined;
    const request = this.lookUp.uncalledUnder(
      under,
      ({ kind, attributes, spanId }) =>
        kind === 'http' &&
        attributes.get(ATTR_GEN_AI_OPERATION_NAME) === operation &&
        attributes.get(ATTR_GEN_AI_PROVIDER_NAME) === provider &&
        !this.reserved.has(spanId),
    );
    if (request === undefined) return undefined;
    // One of its own: what is sent from there was sent by this call.
    const position = { ...arrival.position };
    const passed = { request, hasSent: false };
    this.passed.set(position, passed);
    this.reserved.add(request.spanId);
    const ended = (): void => {
      this.reserved.delete(request.spanId);
      if (passed.hasSent) {
        reporter.note(wording.sentUnpatched(path, request), false);
        return;
      }
      reporter.divergence('never-recorded', wording.sentNothing(path, request), details);
      reporter.met('live', { compared: false });
    };
    return { type: 'pass', position, ended };
  }

  /** A call was answered, which one of these may have made. */
  answered({ boundary, position }: Arrival, { type }: Answer): void {
    const passed = position && this.passed.get(position);
    if (passed !== undefined && boundary.kind === 'http' && (type === 'stub' || type === 'run')) passed.hasSent = true;
  }
}
