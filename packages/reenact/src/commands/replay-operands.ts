import { isLatest } from '../reading/named-runs.ts';
import { isRecordingId } from '../reading/recording-source.ts';

/** What the words of `reenact replay` name. */
export interface ReplayOperands {
  /** Recordings: ids and files. */
  readonly ids: readonly string[];
  /** How the agent is started; empty where a function enters the replay. */
  readonly command: readonly string[];
}

function namesRecording(word: string): boolean {
  return isRecordingId(word) || isLatest(word) || /\.jsonl?$/.test(word);
}

/**
 * Tells recordings from the command. Two dashes part them; without any the first word is a recording, and so are those after
 * it that look like one. `words`: all operands in order. `raw`: the command line as it was given. With `session` no recording
 * is to be named, and only what looks like one is taken for it.
 */
export function replayOperands(
  words: readonly string[],
  raw: readonly string[],
  { session }: { readonly session?: string | undefined },
): ReplayOperands {
  const dashes = raw.indexOf('--');
  if (dashes !== -1) {
    const count = Math.max(0, words.length - (raw.length - dashes - 1));
    return { ids: words.slice(0, count), command: words.slice(count) };
  }
  const end = words.findIndex((word, index) => (index > 0 || session !== undefined) && !namesRecording(word));
  return end === -1 ? { ids: words, command: [] } : { ids: words.slice(0, end), command: words.slice(end) };
}
