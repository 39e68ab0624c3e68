import { absentClasses, type Crossing, isMarkOfCode, type Payload } from '@reenact/trace-model';
import type { EventSink } from '../events/event-sink.ts';
import { listed } from '../listed.ts';

/** Notes what of a crossing that is served is not as it was: what could not be recorded, and classes that are not here. */
export function noteLosses(recorded: Crossing, sink: EventSink): void {
  // What its code drew or connected to is no part of what is served.
  const lost = recorded.lossy.filter((mark) => !mark.startsWith('/input') && !isMarkOfCode(mark));
  const note = (text: string): void => sink.write({ type: 'note', text, path: recorded.path, unverified: false });
  if (lost.length > 0) note(`${recorded.path} was served without what could not be recorded: ${listed(lost)}.`);
  const absent = payloadsOf(recorded)
    .flatMap(absentClasses)
    .filter((name) => !lost.some((mark) => mark.endsWith(`class ${name}`)));
  if (absent.length === 0) return;
  const names = listed([...new Set(absent)]);
  note(`${recorded.path} was served with plain objects, as nothing that is loaded has their class: ${names}.`);
}

function payloadsOf({ outcome }: Crossing): readonly Payload[] {
  const payloads = [
    'value' in outcome ? outcome.value : undefined,
    'error' in outcome ? outcome.error : undefined,
    ...('chunks' in outcome ? outcome.chunks.map(({ value }) => value) : []),
  ];
  return payloads.filter((payload) => payload !== undefined);
}
