import type { Crossing, Recording } from '@reenact/trace-model';

/** Kinds of what is sent to another service. Only where the instrumentation asks that service first does it take part (`asksToJoin`). */
const hopKinds: ReadonlySet<string> = new Set(['http', 'rpc']);

/** The requests and calls among these crossings inside which the run of another service was recorded. */
export function hopsIn(crossings: readonly Crossing[], recording: Recording): ReadonlySet<Crossing> {
  const hops = new Set<Crossing>();
  for (const { kind, parentSpanId } of crossings) {
    const around = kind === 'agent' && parentSpanId !== undefined ? recording.bySpanId.get(parentSpanId) : undefined;
    if (around !== undefined && hopKinds.has(around.kind)) hops.add(around);
  }
  return hops;
}
