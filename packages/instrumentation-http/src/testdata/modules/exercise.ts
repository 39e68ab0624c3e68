import { Readable } from 'node:stream';
import { RecordedCalls, TapePlayer } from '@reenact/instrumentation/testing';
import type { Dispatcher } from 'undici';
import type { HttpInstrumentation } from '../../index.ts';
import { ScriptedServer } from '../scripted-server.ts';

/** What a child process tells about one copy of undici. */
export interface ExerciseReport {
  readonly recorded: unknown;
  readonly replayed: unknown;
  readonly refusals: readonly string[];
  /** Names of crossings whose input was not the recorded one. */
  readonly changed: readonly string[];
  /** Requests that reached the server: recorded, after `disable()`, after `enable()`. */
  readonly requests: readonly number[];
  /** Crossings recorded at the same moments. */
  readonly crossings: readonly number[];
}

type Request = (url: string, options: { method: 'POST'; body: Readable }) => Promise<Dispatcher.ResponseData>;

/** Records one copy of undici, serves it, and switches its instrumentation off and on. Prints an ExerciseReport. */
export async function exercise(request: Request): Promise<void> {
  const { httpInstrumentation } = globalThis as unknown as { httpInstrumentation: HttpInstrumentation };
  const server = await ScriptedServer.start((_request, response) => void response.end('answered'));
  const act = async (): Promise<unknown> => {
    const parts = Readable.from([Buffer.from('in '), Buffer.from('parts')]);
    const { statusCode, body } = await request(server.url, { method: 'POST', body: parts });
    return [statusCode, await body.text()];
  };
  const calls = new RecordedCalls();
  calls.attach();
  const requests: number[] = [];
  const crossings: number[] = [];
  const count = (): void => {
    requests.push(server.requests.length);
    crossings.push(calls.facts.length);
  };
  const recorded = await act();
  count();
  const player = new TapePlayer(calls.crossings());
  const replayed = await player.during(act);
  httpInstrumentation.disable();
  calls.facts.length = 0;
  await act();
  count();
  httpInstrumentation.enable();
  await act();
  count();
  await server.stop();
  const report: ExerciseReport = { recorded, replayed, refusals: player.refusals, changed: player.changed, requests, crossings };
  process.stdout.write(JSON.stringify(report));
}
