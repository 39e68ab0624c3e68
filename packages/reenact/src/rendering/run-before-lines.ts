import type { Crossing, Recording } from '@reenact/trace-model';
import { requestBeforeOf, runBeforeOf } from '@reenact/trace-model/reading';
import { ownCommand } from '../terminal/own-command.ts';

function runLines(recording: Recording, { spanId, path }: Crossing): string[] {
  const before = runBeforeOf(recording, spanId);
  if (before === undefined) return [];
  return [
    `process: ${path} was run ${before.place + 1} of it; run ${before.place}: ${ownCommand()} show ${before.traceId}`,
  ];
}

function requestLines(recording: Recording, { spanId, path }: Crossing): string[] {
  const before = requestBeforeOf(recording, spanId);
  if (before === undefined) return [];
  const { place, traceId } = before;
  const those = place === 1 ? 'one request that may have left' : `${place} requests that may have left`;
  return [
    `process: ${path} came after ${those} something in memory (replay it after them with --requests-before all); the last: ${ownCommand()} show ${traceId}`,
  ];
}

/** Which run of its process each run was, and where the one before it is; what comes first in a process has no line. */
export function runBeforeLines(recording: Recording): string[] {
  return recording.roots.flatMap((root) => [...runLines(recording, root), ...requestLines(recording, root)]);
}
