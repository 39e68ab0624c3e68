import { isSentAgain } from '@reenact/replay';
import { ATTR_REENACT_RECORDER_VERSION } from '@reenact/semconv/reenact';
import { BEGUN_MARK, type Crossing, type Recording, recordedCommand } from '@reenact/trace-model';
import { isProcessRun } from '../recording/process-run.ts';
import { replayingCommand } from './replaying-command.ts';

const START = '<the command that starts your agent>';

/** Whether a function of the user stands for it: none does for a process, a request, which is sent again, or a call of a client library. */
export function isEnterable(root: Crossing | undefined): root is Crossing {
  if (root === undefined || root.call === 'exchange') return false;
  return !isProcessRun(root) && !isSentAgain(root);
}

/** Whether the command of its program does not begin a run again. That of a process is the program, whatever it waits for. */
export function needsEntry(root: Crossing | undefined): boolean {
  return isEnterable(root) && root.lossy.some((mark) => mark.startsWith(BEGUN_MARK));
}

/**
 * Whether nothing says how the program was started, and it may well begin the run again: in an app that sets recording up itself, without the
 * resource detector of processes. The hook leaves the command out only where it begins nothing, as in a worker thread.
 */
export function isStartUntold(recording: Pick<Recording, 'resource'>): boolean {
  return recordedCommand(recording) === undefined && !recording.resource.has(ATTR_REENACT_RECORDER_VERSION);
}

/**
 * What to type behind `reenact` to replay a recording: by the command that started it, else by its function, as a run of a worker thread is.
 * Undefined where nothing says how.
 */
export function replayWords(recording: Recording, operand: string): string | undefined {
  const verb = replayingCommand(recording);
  const [root] = recording.roots;
  const crossing = root === undefined ? undefined : recording.bySpanId.get(root.spanId);
  const command = needsEntry(crossing) ? undefined : recordedCommand(recording);
  if (command !== undefined) return `${verb} ${operand} -- ${command}`;
  if (verb === 'serve') return `serve ${operand} -- ${START}`;
  if (!isEnterable(crossing)) return undefined;
  if (isStartUntold(recording) && !needsEntry(crossing)) return `replay ${operand} -- ${START}`;
  return `replay ${operand} --entry '<file>#<function>'`;
}
