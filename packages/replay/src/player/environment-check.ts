import { ATTR_PROCESS_RUNTIME_VERSION } from '@reenact/semconv/core';
import { ATTR_REENACT_ENVIRONMENT_LOCALE, ATTR_REENACT_ENVIRONMENT_TIME_ZONE } from '@reenact/semconv/reenact';
import type { Recording } from '@reenact/trace-model';
import type { EventSink } from '../events/event-sink.ts';
import { localeOfProcess, timeZoneOfProcess } from './place-of-process.ts';

interface Precondition {
  readonly name: string;
  readonly recorded: string;
  readonly live: string;
}

function major(version: string): string {
  return version.replace(/^v/, '').split('.')[0] ?? version;
}

function placeDifferences({ resource }: Recording): Precondition[] {
  const texts = [
    ['The time zone', ATTR_REENACT_ENVIRONMENT_TIME_ZONE, timeZoneOfProcess],
    ['The locale', ATTR_REENACT_ENVIRONMENT_LOCALE, localeOfProcess],
  ] as const;
  return texts.flatMap(([name, key, ofProcess]) => {
    const recorded = resource.get(key);
    if (typeof recorded !== 'string') return [];
    const live = ofProcess(recorded);
    return recorded === live ? [] : [{ name, recorded, live }];
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
