import { DATADOG_KEY } from '../host/suppressed-request.ts';
import { trapLog } from './trap-log.ts';

/** Reports a tracer that is in this process by now and has kept the platform's clock for itself. For the hook, before it records. */
export function reportEarlyTracer(globals: object = globalThis): void {
  if (Reflect.get(globals, DATADOG_KEY) !== undefined) trapLog.report('tracer-first', 'dd-trace');
}
