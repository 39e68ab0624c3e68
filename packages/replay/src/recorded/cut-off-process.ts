import { type Crossing, crossingLabel, PROCESS_RUN_LABEL, type Recording } from '@reenact/trace-model';

/**
 * The recorded run of the process around a recorded crossing, where the run has started that process and it was ended before it could end: by a signal, or for want of
 * memory. Undefined elsewhere.
 */
export function cutOffProcess(
  { bySpanId }: Recording,
  root: Pick<Crossing, 'spanId'>,
  spanId: string,
): Crossing | undefined {
  let around = bySpanId.get(spanId);
  while (around !== undefined && around.spanId !== root.spanId && crossingLabel(around) !== PROCESS_RUN_LABEL)
    around = bySpanId.get(around.parentSpanId ?? '');
  return around?.spanId !== root.spanId && around?.outcome.type === 'pending' ? around : undefined;
}
