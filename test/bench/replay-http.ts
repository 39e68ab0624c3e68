import { bareEnvironment } from '../scenarios/bare-environment.ts';
import { runCommand } from '../scenarios/run-command.ts';
import { type BenchResult, type BenchSize, type Figure, medianOf } from './bench-result.ts';
import type { ContenderRounds } from './http-contender.ts';
import { HTTP_CLIENTS, type HttpClient } from './http-traffic.ts';

const folder = new URL('.', import.meta.url).pathname;
const others = { nock: 'nock 15', polly: 'PollyJS 6' } as const;
const contenders = ['reenact', 'nock', 'polly'] as const;

type Contender = (typeof contenders)[number];

interface Size {
  readonly count: number;
  readonly rounds: number;
}

async function settledMs(contender: Contender, client: HttpClient, { count, rounds }: Size): Promise<number> {
  const parameters = [contender, client, String(count), String(rounds)];
  const command = [process.execPath, '--conditions=@reenact/source', `${folder}run-contender.ts`, ...parameters];
  const environment = bareEnvironment();
  const { stdout, stderr, exitCode } = await runCommand(command, { cwd: folder, environment });
  if (exitCode !== 0) throw new TypeError(`${parameters.join(' ')} failed: ${stderr}`);
  const { roundsMs } = JSON.parse(stdout) as ContenderRounds;
  // The first rounds are those in which V8 compiles.
  return medianOf(roundsMs.slice(Math.floor(rounds / 3)));
}

async function comparedWith(client: HttpClient, size: Size, passes: number): Promise<Figure[]> {
  const measured: Record<Contender, number[]> = { reenact: [], nock: [], polly: [] };
  // In turn, so that whatever else the machine does meets all of them.
  for (let pass = 0; pass < passes; pass += 1) {
    for (const contender of contenders) measured[contender].push(await settledMs(contender, client, size));
  }
  const own = Math.min(...measured.reenact);
  const against = (['nock', 'polly'] as const).map((other): Figure => {
    const times = Math.min(...measured[other]) / own;
    const goal = { words: 'above 1', isMet: times > 1 };
    return { name: `${client}: faster than ${others[other]}`, value: times, unit: 'times', goal };
  });
  return [{ name: `${client}: Reenact, one request`, value: own / size.count, unit: 'ms' }, ...against];
}

/**
 * The same recorded HTTP traffic replayed by Reenact, nock and PollyJS, each in a process of its own, from memory, with the
 * server gone. Reenact compares every request and writes a report meanwhile; the others match.
 */
export async function replayHttp({ isSmoke }: BenchSize): Promise<BenchResult> {
  const size = isSmoke ? { count: 3, rounds: 1 } : { count: 200, rounds: 9 };
  const passes = isSmoke ? 1 : 2;
  const figures: Figure[] = [];
  for (const client of Object.keys(HTTP_CLIENTS) as HttpClient[]) {
    figures.push(...(await comparedWith(client, size, passes)));
  }
  return {
    name: 'http',
    what: `${size.count} requests with JSON both ways, replayed ${size.rounds} times, the best of ${passes} processes each`,
    figures,
  };
}
