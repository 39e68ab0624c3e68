import { processState } from '@reenact/trace-model';
import { HELD_ANSWER_MS } from '../limits.ts';
import { pristine } from './pristine.ts';

/** Where telemetry is sent, and by which function. */
export interface TelemetryTarget {
  readonly name: string;
  readonly host: string;
  readonly port: number;
}

/**
 * Where a replay says whether what is sent here is telemetry that it holds back, and notes it then: `holds` never throws. Absent: no replay
 * is guarded in this process.
 */
export const heldTelemetry = processState(
  'held-telemetry.1',
  (): { holds?: ((target: TelemetryTarget) => boolean) | undefined } => ({}),
);

/** Resolves when what is held back is answered: after as many turns of the event loop, too, in which a replay goes on. */
export async function heldAnswerDue(): Promise<undefined> {
  for (let passedMs = 0; passedMs < HELD_ANSWER_MS; passedMs += 1) {
    await new Promise<void>((resolve) => void pristine.setTimeout(resolve, 1));
  }
  return undefined;
}

const exportPath = /\/v1(?:development)?\/(?:traces|metrics|logs|profiles)\/?$/;
const exportMethod = /^\/opentelemetry\.proto\.collector\.[a-z]+\.v1(?:development)?\.[A-Za-z]+Service\/Export$/;

/**
 * Whether a request of such a path, or of gRPC such a method, exports over OTLP, of which an empty answer says that all was taken. What
 * flushes an exporter rejects where it fails, and programs wait for that before they end.
 */
export function isOtlpExport(path: string, contentType?: string): boolean {
  return exportPath.test(path) || exportMethod.test(path) || contentType === 'application/x-protobuf';
}
