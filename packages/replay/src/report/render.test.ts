import type { ReplayReport } from '@reenact/trace-model';
import { describe, expect, it } from 'vitest';
import { renderJson } from './render-json.ts';
import { renderMarkdown } from './render-markdown.ts';
import { renderText, wrapText } from './render-text.ts';
import { valuePair } from './value-pair.ts';

const long = 'The quick brown fox jumps over the lazy dog. '.repeat(20);

const diverged: ReplayReport = {
  version: 1,
  replayId: '0123456789abcdef',
  traceId: '4bf92f3577b34da6a3ce929d0e0e4736',
  rootSpanId: '0000000000000001',
  rootPath: 'agent:trader',
  profile: 'strict',
  process: 'dedicated',
  verdict: 'diverged',
  exitCode: 1,
  counts: {
    recorded: 7,
    unrecorded: 1,
    stubbed: 3,
    live: 1,
    rerun: 1,
    refused: 1,
    unconsumed: 1,
    inside: 1,
    compared: 5,
  },
  crossings: [],
  edits: [],
  divergences: [
    {
      id: 'd1',
      kind: 'output-changed',
      message:
        'agent:trader/guardrail:order-size ran and ended differently: it differs in 2 places, first at $.allowed.',
      path: 'agent:trader/guardrail:order-size',
      source: { file: '/app/src/trader.ts', line: 41, column: 18 },
      difference: [
        { path: '$.allowed', recorded: 'true', live: 'false' },
        { path: '$.reason', live: '"blocked: 1,000 shares | over the limit of 500"' },
      ],
      differenceTotal: 2,
      stale: ['agent:trader/model:openai.chat#3'],
      next: 'Check that this is what the changed code should give; record a new run to see where it leads.',
    },
    {
      id: 'd2',
      kind: 'input-changed',
      message: 'agent:trader/model:openai.chat#3 was called with another input than recorded.',
      path: 'agent:trader/model:openai.chat#3',
      ambiguous: true,
      difference: [{ path: '$.messages[7].content', recorded: `"${long}allowed"`, live: `"${long}blocked"` }],
      differenceTotal: 12,
      causedBy: { divergence: 'd1', evidence: 'value' },
      next: 'Find what changed the value at $.messages[7].content.',
    },
    {
      id: 'd3',
      kind: 'unconsumed',
      message: 'agent:trader/tool:place_order was recorded, but the replay did not call it.',
      path: 'agent:trader/tool:place_order',
      causedBy: { divergence: 'd1', evidence: 'order' },
      next: 'Find what took the call away, such as another branch, an early return or a cache; where a cause comes before it, look at that first.',
    },
    {
      id: 'd4',
      kind: 'environment-changed',
      message: 'The time zone is UTC and was Europe/Zurich when this was recorded.',
      path: 'agent:trader',
      next: 'Replay in the recorded environment if the result depends on it.',
    },
  ],
  outcome: {
    path: 'agent:trader',
    recorded: '{"returned":"sold"}',
    replayed: '{"returned":"sold"}',
    equal: true,
    stale: true,
  },
  notes: ['agent:trader/tool:fetch was served without what could not be recorded: /output/socket handle Socket.'],
  durationMs: 38.4,
  agentExit: 'exit code 0',
};

const reproduced: ReplayReport = {
  ...diverged,
  verdict: 'reproduced',
  exitCode: 0,
  counts: {
    recorded: 6,
    unrecorded: 0,
    stubbed: 5,
    live: 0,
    rerun: 1,
    refused: 0,
    unconsumed: 0,
    inside: 0,
    compared: 6,
  },
  divergences: [],
  outcome: {
    path: 'agent:trader',
    recorded: '{"returned":"sold"}',
    replayed: '{"returned":"sold"}',
    equal: true,
    stale: false,
  },
  notes: [],
};

const directory = '/app';

describe('the text report', () => {
  it('leads with the verdict, then causes with their consequences', () => {
    expect(renderText(diverged, { color: false, directory })).toMatchSnapshot();
  });

  it('of a reproduced run is short', () => {
    expect(renderText(reproduced, { color: false, directory })).toMatchSnapshot();
    const wide = renderText(reproduced, { color: false, directory });
    expect(renderText(reproduced, { color: false, directory, columns: 500 })).toBe(wide);
  });

  it('says that the answer is the recorded one only where it is', () => {
    const text = (equal: boolean): string => {
      const outcome = { path: 'agent:trader', replayed: '{"returned":"kept"}', equal, stale: true };
      return renderText({ ...diverged, outcome }, { color: false, directory });
    };
    expect(text(true)).toContain('The final answer is the recorded one');
    expect(text(false)).not.toContain('The final answer');
    expect(text(false)).toContain('Served stale after this');
  });

  it('keeps to a narrow terminal, except for values and words that are wider', () => {
    const narrow = renderText(diverged, { color: false, directory, columns: 60 });
    const words = (text: string): string => text.replaceAll(/\s+/g, ' ');
    expect(words(narrow)).toBe(words(renderText(diverged, { color: false, directory })));
    const paragraphs = narrow
      .split('\n')
      .filter((line) => / \w+ \w+ \w+ /.test(line) && !/^Replay|recorded {2}|live {6}/.test(line));
    expect(paragraphs.length).toBeGreaterThan(3);
    expect(Math.max(...paragraphs.map((line) => line.length))).toBeLessThanOrEqual(60);
  });

  it('says the same in every verdict, and is coloured only when asked', () => {
    for (const verdict of ['nothing-compared', 'unverified', 'unusable', 'forbidden'] as const) {
      const report = { ...reproduced, verdict, exitCode: verdict === 'forbidden' ? 3 : 2 } as const;
      const plain = renderText(report, { color: false, directory });
      const coloured = renderText(report, { color: true, directory });
      // biome-ignore lint/suspicious/noControlCharactersInRegex: escape codes are what is looked for.
      const escapes = /\u001b\[[0-9;]*m/g;
      expect(plain).not.toMatch(escapes);
      expect(coloured).toMatch(escapes);
      expect(coloured.replace(escapes, '')).toBe(plain);
    }
  });
});

describe('a report of more than people read', () => {
  const [first, second] = diverged.divergences as [ReplayReport['divergences'][0], ReplayReport['divergences'][0]];
  const causes = Array.from({ length: 200 }, (_, index) => ({ ...first, id: `d${index + 1}`, path: `tool:${index}` }));
  const consequences = causes.map(({ path }, index) => ({ ...second, id: `d${index + 201}`, path }));
  const report = { ...diverged, divergences: [...causes, ...consequences] };

  it.each([
    ['text', renderText(report, { color: false, directory })],
    ['Markdown', renderMarkdown(report, { directory })],
  ])('counts all of it, shows some, and says where the rest is: %s', (_, rendered) => {
    expect(rendered).toContain('200 causes, 200 consequences');
    expect(rendered).toContain('… and 180 more causes: the report as JSON (--json) lists them.');
    expect(rendered).toContain('… and 188 more consequences: the report as JSON (--json) lists them.');
    expect(rendered.length).toBeLessThan(60_000);
  });

  it('shows what nobody planned behind many edits, and advises on that', () => {
    const edit = { policy: 'fail', message: 'It failed.', path: 'tool:edited', next: 'Change the plan.' } as const;
    const edits = Array.from({ length: 30 }, (_, index) => ({ ...edit, id: `e${index + 1}` }));
    const text = renderText({ ...diverged, edits, divergences: [first] }, { color: false, directory, columns: 400 });
    expect(text).toContain(`Cause d1: ${first.kind}`);
    expect(text).toContain('… and 10 more edits');
    expect(text).toMatch(new RegExp(`Next: ${first.next}\nExit code 1\n$`));
  });
});

describe('a difference that goes on', () => {
  const path = 'agent:trader/model:openai.chat';
  const difference = [{ path: '$.messages[0].content', recorded: '"be kind"', live: '"be brief"' }];
  const first = {
    id: 'd1',
    kind: 'input-changed',
    path,
    message: `${path} was called with another input than recorded.`,
    difference,
    differenceTotal: 1,
    next: 'Find what changed it.',
  } as const;
  const later = { ...first, id: 'd2', path: `${path}#2`, causedBy: { divergence: 'd1', evidence: 'order' } } as const;
  const reportOf = (second: ReplayReport['divergences'][number]): ReplayReport => ({
    ...reproduced,
    verdict: 'diverged',
    exitCode: 1,
    divergences: [first, second],
  });

  it('is told once, with the calls in which it is found again', () => {
    for (const text of [renderText(reportOf(later), { color: false }), renderMarkdown(reportOf(later))]) {
      expect(text).toContain('1 consequence');
      expect(text).toMatch(/The same difference is in 1 later call:\s+\S+chat#2`? \\?\(d2\\?\)/);
      expect(text).not.toContain('It came after d1');
    }
  });

  it('is told again where anything else of it differs', () => {
    const other = { ...later, difference: [...difference, { path: '$.model', recorded: '"a"', live: '"b"' }] };
    const text = renderText(reportOf({ ...other, differenceTotal: 2 }), { color: false });
    expect(text).not.toContain('The same difference');
    expect(text).toContain('It came after d1');
  });
});

describe('what to do next of a program that got to no run', () => {
  const [first] = diverged.divergences as [ReplayReport['divergences'][0]];
  const nextOf = (next: string): string => {
    const divergences = [{ ...first, kind: 'forbidden' as const, next }];
    const report = { ...diverged, verdict: 'forbidden' as const, divergences, enterBy: 'Check the command.' };
    return renderText(report, { color: false, columns: 400 }).split('\nNext: ')[1] ?? '';
  };

  it.each(['--allow-path /srv/a', '--allow-program git'])('is to let it go on, where %s would', (flag) => {
    expect(nextOf(`To let it happen: ${flag}.`)).toContain(flag);
  });

  it('is how to get to the run, where it may have waited for a message', () => {
    expect(nextOf('To let it happen: --allow-host queue:5672.')).toContain('Check the command.');
  });
});

describe('the Markdown report', () => {
  it('is made for a pull request', () => {
    expect(renderMarkdown(diverged, { directory })).toMatchSnapshot();
  });

  it('words its commands as whoever asked for it can type them', () => {
    const [first] = diverged.divergences as [ReplayReport['divergences'][0]];
    const divergences = [{ ...first, next: 'Look at `reenact show 1`.' }];
    const advice = (next: string): string => next.replace('`reenact ', '`npx reenact ');
    const beside = { place: 1, traceId: '1', rootSpanId: '2', path: 'agent:other', ended: 'ended' } as const;
    const runs = [{ ...beside, stubbed: 1, refused: 0, divergences }];
    const runsBeside = { place: 2, recorded: 1, begun: 1, diverged: 1, stubbed: 1, refused: 0, runs };
    const notes = ['Say `reenact runs`.'];
    const report = { ...diverged, divergences, enterBy: 'Say `reenact replay 1`.', runsBeside, notes };
    for (const rendered of [
      renderMarkdown(report, { advice }),
      renderText(report, { color: false, columns: 400, advice }),
    ]) {
      for (const command of ['show 1', 'replay 1', 'replay 2', 'runs'])
        expect(rendered).toContain(`npx reenact ${command}`);
    }
  });

  it('shows what an agent said as data: no markup, link or mention gets out', () => {
    const hostile = {
      ...reproduced,
      notes: ['<img src=x onerror=alert(1)> @everyone [click](http://evil) `code` | cell'],
      divergences: [{ ...(diverged.divergences[0] as ReplayReport['divergences'][0]), path: 'tool:`|x` <b>' }],
    };
    const rendered = renderMarkdown(hostile, { directory });
    expect(rendered).toContain('\\<img');
    expect(rendered).toContain('`@everyone` `[click](http://evil)`');
    expect(rendered).toContain('`` tool:`|x` <b> ``');
  });
});

describe('the JSON report', () => {
  it('is the report', () => {
    expect(JSON.parse(renderJson(diverged))).toEqual(diverged);
  });
});

describe('long values', () => {
  it('are cut around the place where they differ', () => {
    const { recorded, live } = valuePair(`"${long}allowed"`, `"${long}blocked"`);
    expect(recorded).toContain('allowed');
    expect(live).toContain('blocked');
    expect(live.length).toBeLessThan(200);
  });

  it('keep the text within the width, except words nobody can break', () => {
    const lines = wrapText(`${long} ${'x'.repeat(300)}`, '    ');
    expect(lines.filter((line) => line.length > 100)).toHaveLength(1);
    expect(lines.join(' ').replaceAll(/\s+/g, ' ').trim()).toBe(`${long} ${'x'.repeat(300)}`.replaceAll(/\s+/g, ' '));
  });
});

describe("how the agent's process ended", () => {
  it('says what Node.js means by exit code 13, which is told nowhere else but among what the agent printed', () => {
    const words = (report: ReplayReport): string =>
      renderText(report, { color: false, directory }).replaceAll(/\s+/g, ' ');
    const why = "The agent's process ended with exit code 13: an await at the top level of a module was waiting";
    expect(words({ ...reproduced, agentExit: 'exit code 13' })).toContain(why);
    expect(words({ ...reproduced, agentExit: 'exit code 1' })).toContain('process ended with exit code 1. ');
  });
});
