import { fileURLToPath } from 'node:url';
import { installDedicatedPlayer } from '@reenact/instrumentation';
import { describeError, toReenactError } from '@reenact/trace-model';
import { hideOwnGlobals } from './recording/hide-own-globals.ts';
import { loadReplay } from './replaying/load-replay.ts';

// Loaded by `--require` in a worker thread that a replay starts, before any code of the thread: it is guarded, and answers no call.
try {
  hideOwnGlobals();
  const { installGuard, installThreadNumbers, joinThread } = loadReplay();
  const { player, guard } = joinThread(process.env);
  installDedicatedPlayer(player);
  installThreadNumbers();
  installGuard({ ...guard, threadHook: fileURLToPath(import.meta.url) });
} catch (thrown) {
  const error = toReenactError(thrown);
  process.stderr.write(`✗ ${error.code} ${describeError(error)}\n`);
  // Of a thread it ends the thread alone: its code must not run unguarded.
  process.exit(2);
}
