// One instrumentation of the openai package in a process of its own, for all patch the same classes. Started by recorder-clients.ts.
import { createRequire } from 'node:module';
import type OpenAI from 'openai';
import { askModel, type ClientRounds, clientAt, instrumentModelClients, MODEL_CLIENTS } from './model-client.ts';
import { setUpContext } from './set-up-context.ts';

const [wanted = '', origin = '', sinkUrl = '', calls = '1', rounds = '1'] = process.argv.slice(2);
const name = MODEL_CLIENTS.find((known) => known === wanted);
if (name === undefined) throw new TypeError(`There is no client "${wanted}".`);

// The package's CommonJS copy has classes of its own, which nobody patches: it is loaded before anybody looks at what is.
const { OpenAI: Bare } = createRequire(import.meta.url)('openai') as { readonly OpenAI: typeof OpenAI };
setUpContext();
const host = instrumentModelClients(name, sinkUrl);
const instrumented = clientAt(origin);
const bare = clientAt(origin, Bare);

/** Microseconds of processor time that a call takes, with everything that is exported. */
async function roundUs(openai: OpenAI): Promise<number> {
  const before = process.cpuUsage();
  for (let call = 0; call < Number(calls); call += 1) await askModel(openai);
  await host.flush();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / Number(calls);
}

const bareUs: number[] = [];
const instrumentedUs: number[] = [];
for (let round = 0; round < Number(rounds); round += 1) {
  bareUs.push(await roundUs(bare));
  instrumentedUs.push(await roundUs(instrumented));
}
await host.stop();
const told: ClientRounds = { bareUs, instrumentedUs, exported: host.exportedCount() };
console.log(JSON.stringify(told));
