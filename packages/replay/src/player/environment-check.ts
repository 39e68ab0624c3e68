import { ATTR_PROCESS_RUNTIME_VERSION } from '@reenact/semconv/core';
import { ATTR_REENACT_ENVIRONMENT_LOCALE, ATTR_REENACT_ENVIRONMENT_TIME_ZONE } from '@reenact/semconv/reenact';
import type { Recording } from '@reenact/trace-model';
import type { EventSink } from '../events/event-sink.ts';

interface Precondition {
  readonly name: string;
  readonly recorded: string;
  readonly live: string;
}

function major(version: string): string {
  return version.replace(/^v/, '').split('.')[0] ?? version;
}

/** The platform loads its tables of all languages for this, which takes tens of milliseconds: asked for only to be compared. */
function placeDifferences({ resource }: Recording): Precondition[] {
  const texts = [
    ['The time zone', ATTR_REENACT_ENVIRONMENT_TIME_ZONE, 'timeZone'],
    ['The locale', ATTR_REENACT_ENVIRONMENT_LOCALE, 'locale'],
  ] as const;
  if (!texts.some(([, key]) => typeof resource.get(key) === 'string')) return [];
  const here = Intl.DateTimeFormat().resolvedOptions();
  return texts.flatMap(([name, key, member]) => {
    const recorded = resource.get(key);
    const live = here[member];
    return typeof recorded === 'string' && recorded !== live ? [{ name, recorded, live }] : [];
  });
}

function preconditions(recording: Recording): Precondition[] {
  const recordedVersion = recording.resource.get(ATTR_PROCESS_RUNTIME_VERSION);
  const found: Precondition[] = [];
  if (typeof recordedVersion === 'string' && major(recordedVersion) !== major(process.version)) {
    found.push({ name: 'Node.js', recorded: recordedVersion, live: process.version.replace(/^v/, '') });
  }
  return [...found, ...placeDifferences(recording)];
}

/**
 * Reports what this process is made of differently from the recorded one, where the recording says it: a precondition,
 * told apart from what the agent did. A recorded fact that is missing is not compared.
 */
export function reportEnvironment(recording: Recording, rootSpanId: string, sink: EventSink): void {
  const path = recording.bySpanId.get(rootSpanId)?.path ?? '';
  for (const { name, recorded, live } of preconditions(recording)) {
    sink.write({
      type: 'divergence',
      kind: 'environment-changed',
      message: `${name} is ${live} and was ${recorded} when this was recorded.`,
      path,
      next: 'Replay in the recorded environment if the result depends on it.',
      difference: [{ path: '$', recorded: JSON.stringify(recorded), live: JSON.stringify(live) }],
      differenceTotal: 1,
      takesEffect: 'at-once',
      insideAtOnce: false,
      recordedAtUs: 0,
    });
  }
}
