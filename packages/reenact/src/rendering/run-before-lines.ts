import type { Recording } from '@reenact/trace-model';
import { runBeforeOf } from '@reenact/trace-model/reading';
import { ownCommand } from '../terminal/own-command.ts';

/** Which run of its process each run was, and where the one before it is; the first of a process has no line. */
export function runBeforeLines(recording: Recording): string[] {
  return recording.roots.flatMap(({ spanId, path }) => {
    const before = runBeforeOf(recording, spanId);
    if (before === undefined) return [];
    return [
      `process: ${path} was run ${before.place + 1} of it; run ${before.place}: ${ownCommand()} show ${before.traceId}`,
    ];
  });
}
