import { HTTP_CLIENTS, type HttpClient, type Send, sendTraffic, startTrafficServer } from './http-traffic.ts';

/** Records traffic, and can then replay it as often as asked with nobody listening. */
export interface Recorded {
  /** Everything from setting the replay up to having checked that all of it was used. */
  replay(act: () => Promise<unknown>): Promise<void>;
}

/** Somebody who can record and replay HTTP. `record` runs the act against the real server. */
export interface HttpContender {
  readonly record: (act: () => Promise<unknown>) => Promise<Recorded>;
}

/** How one contender did: milliseconds for each round, first one first. */
export interface ContenderRounds {
  readonly roundsMs: readonly number[];
}

/** Lets a contender record the traffic of one client once, and replay it in rounds with the server gone. */
export async function measureContender(
  { record }: HttpContender,
  client: HttpClient,
  { count, rounds }: { readonly count: number; readonly rounds: number },
): Promise<ContenderRounds> {
  const send: Send = (url, body) => HTTP_CLIENTS[client](url, body);
  const server = await startTrafficServer();
  let seen: string[] = [];
  const act = async (): Promise<void> => {
    seen = await sendTraffic(send, server.url, count);
  };
  const recorded = await record(act);
  await server.stop();
  if (server.requestCount() !== count) throw new TypeError(`${server.requestCount()} requests instead of ${count}`);
  const expected = seen.join();
  const roundsMs: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    seen = [];
    const startedAt = performance.now();
    await recorded.replay(act);
    roundsMs.push(performance.now() - startedAt);
    if (seen.join() !== expected) throw new TypeError(`Other answers than recorded: ${seen.slice(0, 3).join()} …`);
  }
  return { roundsMs };
}
