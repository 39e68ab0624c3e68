import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { Langfuse } from 'langfuse';
import { PostHog } from 'posthog-node';
import { agent, tool } from 'reenact';

// As an agent that tells a client of telemetry what it does: ids and times of what it tells last are drawn, and sent, once its run has ended.
interface Telemetry {
  readonly tell: (event: string) => void;
  readonly shutDown: () => Promise<void>;
}

const host = `${process.env.TELEMETRY_URL}`;

/** Draws some promises later, and sends from a timer that was set in the run, and once more behind that. */
function ownTelemetry(): Telemetry {
  const queue: object[] = [];
  const telling: Promise<void>[] = [];
  let sending: Promise<void> | undefined;
  const send = async (): Promise<void> => {
    const events = queue.splice(0);
    if (events.length === 0) return;
    const tick = performance.now();
    const sent = { events, batch: Math.random(), at: new Date().toISOString(), tick };
    const headers = { 'content-type': 'application/json' };
    await (await fetch(`${host}/own`, { method: 'POST', headers, body: JSON.stringify(sent) })).text();
    queue.push({ sent: events.length, uuid: randomUUID(), at: Date.now() });
  };
  const keep = async (event: string): Promise<void> => {
    for (let step = 0; step < 30; step += 1) await undefined;
    if (process.env.DRAWS_MORE === event) randomUUID();
    queue.push({ event, uuid: randomUUID(), at: Date.now() });
    sending ??= pause(30).then(send).then(send);
  };
  const shutDown = async (): Promise<void> => {
    await Promise.all(telling);
    await sending;
  };
  return { tell: (event) => void telling.push(keep(event)), shutDown };
}

function posthogTelemetry(): Telemetry {
  const client = new PostHog('phc_of_nobody', { host, flushAt: 2, flushInterval: 50 });
  const tell = (event: string): void => client.capture({ distinctId: 'user', event, properties: {} });
  return { tell, shutDown: async () => client.shutdown() };
}

function langfuseTelemetry(): Telemetry {
  const client = new Langfuse({ secretKey: 'of-nobody', publicKey: 'of-nobody-too', baseUrl: host, flushAt: 3 });
  let trace: ReturnType<Langfuse['trace']> | undefined;
  const tell = (name: string): void => {
    trace ??= client.trace({ name: 'asked' });
    trace.event({ name });
  };
  return { tell, shutDown: () => client.shutdownAsync() };
}

const clients = { own: ownTelemetry, posthog: posthogTelemetry, langfuse: langfuseTelemetry };
const { tell, shutDown } = clients[process.env.CLIENT as keyof typeof clients]();

const search = tool('search', async (query: string) => `what is known of ${query}`);

const helper = agent('helper', async (query: string) => {
  const found = await search(query);
  tell(`helped with ${query}`);
  return found;
});

const run = agent('asked', async (question: string) => {
  tell('asked');
  const found = [await helper(question), await search(`${question} again`)];
  tell('answered');
  return found.join();
});

process.stdout.write(`${await run('the weather')}\n`);
await shutDown();
