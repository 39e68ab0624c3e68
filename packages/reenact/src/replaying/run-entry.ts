import { pristine } from '@reenact/instrumentation';
import { ENTRY_LINGER_MS } from '../limits.ts';
import { joinedEntry } from './joined-entry.ts';

const EXIT_UNUSABLE = 2;
// The user's code may replace it while it is loaded.
const exit = process.exit.bind(process);

/** What the function left running may end by itself; a server or an interval it left open must not hold the replay up. */
function endSoon(): void {
  pristine.setTimeout(() => exit(), ENTRY_LINGER_MS).unref();
}

/** The program of a replay that a function enters: loads it, calls it with the recorded input, and ends. */
async function runEntry(): Promise<void> {
  const entry = joinedEntry();
  if (entry === undefined) {
    process.stderr.write('This program is started by `reenact replay` and does nothing by itself.\n');
    exit(EXIT_UNUSABLE);
  }
  const call = await entry?.prepare();
  if (call === undefined) exit(EXIT_UNUSABLE);
  await call?.();
  endSoon();
}

void runEntry();
