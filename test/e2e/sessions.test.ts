import type { RunSummary } from '@reenact/trace-model/collector-api';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runsOnceThere } from '../scenarios/runs-of.ts';
import type { Stage } from '../scenarios/stage.ts';
import { replayAsJson, setSmallStage } from './small-stage.ts';

const script = 'session-service.ts';
let stage: Stage;
let runs: readonly RunSummary[];

/** Somebody who asks, and keeps cookies as a browser does. */
class Caller {
  readonly cookies = new Map<string, string>();
  token: string | undefined;
  private readonly port: number;

  constructor(port: number) {
    this.port = port;
  }

  async ask(method: string, path: string, body?: string): Promise<string> {
    const cookie = Array.from(this.cookies, ([name, value]) => `${name}=${value}`).join('; ');
    const headers = this.token === undefined ? { cookie } : { authorization: `Bearer ${this.token}` };
    const url = `http://127.0.0.1:${this.port}${path}`;
    const answer = await fetch(url, { method, headers, ...(body === undefined ? {} : { body }) });
    for (const given of answer.headers.getSetCookie()) {
      const [name = '', value = ''] = given.split(';')[0]?.split('=') ?? [];
      this.cookies.set(name, value);
    }
    return answer.text();
  }
}

function runAt(index: number): RunSummary {
  const run = runs.at(index);
  if (run === undefined) throw new TypeError(`there is no run ${index}`);
  return run;
}

beforeAll(async () => {
  stage = await setSmallStage();
  const service = await stage.start(['--import', 'reenact/register', script]);
  const { port } = JSON.parse(service.firstLine) as { port: number };
  const [ann, bob, cid] = [new Caller(port), new Caller(port), new Caller(port)];
  for (const one of [bob, ann]) await one.ask('GET', '/page');
  for (const [one, name] of [
    [ann, 'ann'],
    [bob, 'bob'],
  ] as const)
    await one.ask('POST', '/login', name);
  cid.token = (JSON.parse(await cid.ask('POST', '/login', 'cid')) as { access_token: string }).access_token;
  for (const said of ['one', 'two']) for (const one of [ann, bob, cid]) await one.ask('POST', '/say', said);
  ann.cookies.set('stale', 'of another service');
  await ann.ask('POST', '/say', 'three');
  await service.stop();
  const found = await runsOnceThere(stage, (all) => (all.length < 12 ? undefined : all));
  runs = found.toSorted((left, right) => left.startedAt.localeCompare(right.startedAt));
});

afterAll(() => stage.stop());

describe('a request with a session', () => {
  it('is replayed with the cookie or token that the replayed log-in gave to its user', async () => {
    for (const { rootSpanId } of runs.slice(8, 11)) {
      const { report } = await replayAsJson(stage, rootSpanId, script, { flags: ['--requests-before', 'all'] });
      // The answer of a log-in holds its token, which is another one each time and of which only that is compared.
      const divergences = [report.divergences, ...(report.runsBeside?.runs ?? []).map((run) => run.divergences)];
      const paths = divergences.flat().map(({ path }) => path);
      expect(new Set(paths)).toEqual(new Set(['agent:POST /login']));
      expect(report.counts).toMatchObject({ stubbed: 1, refused: 0 });
    }
  });

  it('is replayed with those of the pages that its user had seen, which call nothing', async () => {
    const { report } = await replayAsJson(stage, runAt(5).rootSpanId, script, { flags: ['--requests-before', '1'] });
    expect(report.runsBeside?.runs.map(({ path }) => path)).toContain('agent:GET /page');
    expect(report.divergences).toEqual([]);
  });

  it('says alone that an earlier answer gave it its cookie, and so does show', async () => {
    const { report } = await replayAsJson(stage, runAt(5).rootSpanId, script);
    expect(report.verdict).not.toBe('reproduced');
    expect(report.notes.join('\n')).toMatch(
      /without its recorded cookie desk, .* an answer to an earlier request .*`--requests-before all` sends that one first; --header "Cookie: desk=<value>"/,
    );
    const shown = await stage.reenact(['show', runAt(5).rootSpanId]);
    expect(shown.stdout).toMatch(/brought back a cookie or token that .* before it gave .*--requests-before all/);
    expect(shown.stdout).not.toMatch(/desk=(?!\[redacted)/);
  });

  it('names the cookie that no request before it was given', async () => {
    const { report } = await replayAsJson(stage, runAt(-1).rootSpanId, script, { flags: ['--requests-before', 'all'] });
    const notes = report.notes.filter((note) => note.includes('was sent without'));
    expect(notes).toEqual([
      expect.stringMatching(
        /cookie stale, which was redacted, and no request that was sent before it was given it; --header "Cookie: stale=<value>"/,
      ),
    ]);
  });
});
