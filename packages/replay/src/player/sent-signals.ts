import { type Crossing, isSignalDelivery, type Recording } from '@reenact/trace-model';

/** Names of the signals that the run sent to the process of a crossing. */
function signalsSentTo({ crossings }: Recording, { processId }: Crossing): unknown[] {
  const sent = crossings.flatMap(({ draws }) => draws?.['child_process.kill'] ?? []);
  return sent.flatMap((text) => {
    const [target, signal] = JSON.parse(text) as readonly unknown[];
    return target === processId ? [signal] : [];
  });
}

/** Whether the run sent any signal to the process of a crossing. */
export function isSignalledByRun(recording: Recording, crossing: Crossing): boolean {
  return signalsSentTo(recording, crossing).length > 0;
}

/**
 * Whether a signal that reached a process of the run came from the run itself, which sends it in a replay, too. Of those that reached it by that name the last
 * ones count: who is told to end as a whole group is hands that on to a process that has heard of it, too.
 */
export function isSentByRun(recording: Recording, message: Crossing): boolean {
  const count = signalsSentTo(recording, message).filter((signal) => signal === message.name).length;
  if (count === 0) return false;
  const alike = recording.crossings.filter(
    (other) => isSignalDelivery(other) && other.name === message.name && other.processId === message.processId,
  );
  // The same one in several runs of that process says the same time.
  const times = [...new Set(alike.map(({ startTimeUnixNano }) => startTimeUnixNano))].toSorted((left, right) =>
    left < right ? -1 : 1,
  );
  return times.indexOf(message.startTimeUnixNano) >= times.length - count;
}
