import { ATTR_REENACT_RECORDER_VERSION } from '@reenact/semconv/reenact';
import { type Crossing, crossingLabel } from '../crossings/crossing.ts';
import { isSentAgain } from './is-sent-again.ts';
import { PROCESS_RUN_LABEL } from './process-run.ts';
import { recordedCommand } from './recorded-command.ts';
import type { Recording } from './recording.ts';
import { BEGUN_MARK } from './replayability.ts';

const START = '<the command that starts your agent>';

/** What decides how a recording is replayed. */
export interface OfferedRecording extends Pick<Recording, 'resource' | 'roots' | 'bySpanId' | 'crossings'> {
  readonly replayability: Pick<Recording['replayability'], 'verdict'>;
}

/** Whether a function of the user stands for it: none does for a process, a request, which is sent again, or a call of a client library. */
export function isEnterable(root: Crossing | undefined): root is Crossing {
  if (root === undefined || root.call === 'exchange') return false;
  return crossingLabel(root) !== PROCESS_RUN_LABEL && !isSentAgain(root);
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

/** Which command replays a run: what others recorded, and was rebuilt of it, is answered from outside of the process. */
export function replayingCommand({ crossings }: Pick<Recording, 'crossings'>): 'replay' | 'serve' {
  return crossings.some(({ reconstructed }) => reconstructed === true) ? 'serve' : 'replay';
}

/**
 * What to type behind `reenact` to replay a recording: by the command that started it, else by its function, as a run of a worker thread is.
 * Undefined where nothing says how.
 */
export function replayWords(recording: Omit<OfferedRecording, 'replayability'>, operand: string): string | undefined {
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

/**
 * The same for whoever looks at a run. Undefined where it cannot be replayed, or is one of several of its trace and no operand says which:
 * without one, it is named by its root. Calls of models that are served are named by their trace, which serves all of them.
 */
export function offeredReplay(recording: OfferedRecording, operand?: string): string | undefined {
  const [root, another] = recording.roots;
  const isServed = replayingCommand(recording) === 'serve';
  const ownName = another === undefined ? root?.spanId : isServed ? root?.traceId : undefined;
  const named = operand ?? ownName;
  if (named === undefined || recording.replayability.verdict === 'cold') return undefined;
  return replayWords(recording, named);
}
