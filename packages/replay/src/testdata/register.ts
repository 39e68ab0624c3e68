import { context } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { installDedicatedPlayer } from '@reenact/instrumentation';
import { describeError, toReenactError } from '@reenact/trace-model';
import { joinReplay } from '../join-replay.ts';

context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());

try {
  const joined = joinReplay();
  if (joined !== undefined) installDedicatedPlayer(joined.player);
} catch (thrown) {
  process.stderr.write(`${describeError(toReenactError(thrown))}\n`);
  process.exit(2);
}
