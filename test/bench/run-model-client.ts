// One instrumentation of the openai package in a process of its own, for all patch the same classes. Started by recorder-clients.ts.
import { askModel, clientAt, instrumentModelClients, MODEL_CLIENTS } from './model-client.ts';
import { setUpContext } from './set-up-context.ts';

const [wanted = '', origin = '', sinkUrl = '', calls = '1', rounds = '1'] = process.argv.slice(2);
const name = MODEL_CLIENTS.find((known) => known === wanted);
if (name === undefined) throw new TypeError(`There is no client "${wanted}".`);

setUpContext();
const host = instrumentModelClients(name, sinkUrl);
const openai = clientAt(origin);
const roundsUs: number[] = [];
for (let round = 0; round < Number(rounds); round += 1) {
  const before = process.cpuUsage();
  for (let call = 0; call < Number(calls); call += 1) await askModel(openai);
  await host.flush();
  const { user, system } = process.cpuUsage(before);
  roundsUs.push((user + system) / Number(calls));
}
await host.stop();
console.log(JSON.stringify({ roundsUs, exported: host.exportedCount() }));
