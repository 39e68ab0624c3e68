import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { context } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { HttpInstrumentation } from '@reenact/instrumentation-http';

/** A server of this process whose clients here are recorded and replayed. */
export interface WatchedServer {
  readonly url: string;
  /** What watches them. */
  readonly instrumentation: HttpInstrumentation;
  stop(): Promise<void>;
}

/** Starts one, on loopback, and has contexts and requests that go out watched until it is stopped. */
export async function startWatchedServer(listener: RequestListener): Promise<WatchedServer> {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  const instrumentation = new HttpInstrumentation({ inbound: false });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    instrumentation,
    stop: async () => {
      instrumentation.disable();
      context.disable();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
