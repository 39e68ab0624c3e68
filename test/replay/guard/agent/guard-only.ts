// Takes part in a replay as `reenact/register` does, with the guard and without any instrumentation: every client is one that
// nobody knows.
import { context } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { NodeTracerProvider } from '@opentelemetry/sdk-trace-node';
import { gate, installDedicatedPlayer } from '@reenact/instrumentation';
import { installGuard, joinReplay } from '@reenact/replay';

const replay = joinReplay(process.env);
if (replay !== undefined) {
  installDedicatedPlayer(replay.player);
  installGuard(replay.guard);
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  gate.configure({ tracerProvider: new NodeTracerProvider() });
}
