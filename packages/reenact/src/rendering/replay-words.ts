import { isInboundRequest, isInboundRpc } from '@reenact/replay';
import { BEGUN_MARK, type Crossing, type Recording } from '@reenact/trace-model';
import { recordedCommand } from '../reading/recorded-command.ts';
import { isProcessRun } from '../recording/process-run.ts';
import { replayingCommand } from './replaying-command.ts';

/** Whether a function of the user stands for it: none does for a process, a request, which is sent again, or a call of a client library. */
export function isEnterable(root: Crossing | undefined): root is Crossing {
  if (root === undefined || root.call === 'exchange') return false;
  return !isProcessRun(root) && !isInboundRequest(root) && !isInboundRpc(root);
}

/** Whether the command of its program does not begin a run again. That of a process is the program, whatever it waits for. */
export function needsEntry(root: Crossing | undefined): boolean {
  return isEnterable(root) && root.lossy.some((mark) => mark.startsWith(BEGUN_MARK));
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
  return verb === 'replay' && isEnterable(crossing) ? `replay ${operand} --entry '<file>#<function>'` : undefined;
}
