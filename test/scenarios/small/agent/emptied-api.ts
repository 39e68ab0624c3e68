// What Sentry's SDK does to what another version of OpenTelemetry's API has set up: contexts are gone for whoever has that version.
import { setTimeout as pause } from 'node:timers/promises';
import { agent, tool } from 'reenact';

const quote = tool('quote', async (symbol: string) => symbol.length);
const run = agent('emptied', async () => quote('ACME'));

Reflect.set(globalThis, Symbol.for('opentelemetry.js.api.1'), undefined);
for (let round = 0; round < 3; round += 1) {
  console.log(await run());
  // As long as deliveries are put off: each is a request of the process.
  await pause(1_200);
}
