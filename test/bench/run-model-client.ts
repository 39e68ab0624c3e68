// One instrumentation of the openai package in a process of its own, for all patch the same classes. Started by recorder-clients.ts.
import { createRequire } from 'node:module';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type OpenAI from 'openai';
import { medianOf } from './bench-result.ts';
import { askModel, type ClientRounds, clientAt, instrumentModelClients, MODEL_CLIENTS } from './model-client.ts';
import { setUpContext } from './set-up-context.ts';

/** So many rounds tell what a call leaves behind, each of so few calls that the platform collects nothing while spans wait. */
const LEFT_ROUNDS = 10;
const LEFT_CALLS = 20;

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
async function roundUs(openai: OpenAI, count = Number(calls)): Promise<number> {
  const before = process.cpuUsage();
  for (let call = 0; call < count; call += 1) await askModel(openai);
  await host.flush();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / count;
}

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as (options?: { readonly type: 'minor' }) => void;

/** What is young and in nobody's hands goes, as it does in a process that runs on. */
function collectYoung(): void {
  for (let time = 0; time < 4; time += 1) collect({ type: 'minor' });
}

/** Bytes that a call leaves on the heap, though all is exported, until there is a full garbage collection. */
async function leftBytes(openai: OpenAI): Promise<number> {
  await roundUs(openai, LEFT_CALLS);
  collect();
  const left: number[] = [];
  for (let round = 0; round < LEFT_ROUNDS; round += 1) {
    const before = process.memoryUsage().heapUsed;
    await roundUs(openai, LEFT_CALLS);
    collectYoung();
    left.push(process.memoryUsage().heapUsed - before);
  }
  // The platform may have made a full one in between.
  return medianOf(left) / LEFT_CALLS;
}

const bareUs: number[] = [];
const instrumentedUs: number[] = [];
for (let round = 0; round < Number(rounds); round += 1) {
  bareUs.push(await roundUs(bare));
  instrumentedUs.push(await roundUs(instrumented));
}
const exported = host.exportedCount();
const told: ClientRounds = {
  bareUs,
  instrumentedUs,
  exported,
  bareLeftBytes: await leftBytes(bare),
  instrumentedLeftBytes: await leftBytes(instrumented),
};
await host.stop();
console.log(JSON.stringify(told));
