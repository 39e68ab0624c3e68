import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buildRecording, type CrossingPlan } from '@reenact/recordings/testing';
import {
  ATTR_GEN_AI_OPERATION_NAME,
  ATTR_GEN_AI_PROVIDER_NAME,
  ATTR_GEN_AI_REQUEST_MODEL,
} from '@reenact/semconv/gen-ai';
import {
  ATTR_REENACT_CANONICAL,
  ATTR_REENACT_CAPTURE,
  ATTR_REENACT_EXCHANGES,
  ATTR_REENACT_FIXTURE_VERSION,
  ATTR_REENACT_INPUT,
  ATTR_REENACT_OUTPUT,
  ATTR_REENACT_SCHEMA,
} from '@reenact/semconv/reenact';
import { type ErrorCode, MISSING_CAUSES, type MissingCause } from '@reenact/trace-model';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { withAttribute } from '../mutations/changed-recording.ts';
import { TableStage } from './table-stage.ts';

/** What keeps a replay from taking place, and what is said of it. */
interface FailureCase {
  readonly name: string;
  readonly code: ErrorCode;
  /** Parameters of `reenact replay`, before the command. */
  readonly parameters: (table: TableStage) => readonly string[] | Promise<readonly string[]>;
  /** In the message and in what to do next. */
  readonly says: readonly RegExp[];
}

const child: CrossingPlan = { label: 'tool:look', input: [1], output: 2 };

/** A fixture of one run with one call. */
function oneCall(table: TableStage, name: string, given: Partial<CrossingPlan>): readonly string[] {
  const recording = buildRecording({ label: 'agent:clerk', children: [{ ...child, ...given }] });
  return [table.write(`${name}.otlp.jsonl`, recording)];
}

function text(table: TableStage, name: string, change: (lines: string[]) => string[]): readonly string[] {
  const [first = '', ...rest] = table.fixtureText.trimEnd().split('\n');
  return [table.write(`${name}.otlp.jsonl`, `${change([first, ...rest]).join('\n')}\n`)];
}

const files: readonly FailureCase[] = [
  {
    name: 'no such file',
    code: 'fixture-unreadable',
    parameters: () => ['nowhere.otlp.jsonl'],
    says: [/no file nowhere\.otlp\.jsonl/, /reenact runs/],
  },
  {
    name: 'a folder',
    code: 'fixture-unreadable',
    parameters: ({ stage }) => [stage.folder],
    says: [/is a folder/, /Name one file in it/],
  },
  {
    name: 'an empty file',
    code: 'fixture-damaged',
    parameters: (table) => [table.write('empty.otlp.jsonl', '')],
    says: [/no span in this file/, /reenact export/],
  },
  {
    name: 'something else than a fixture',
    code: 'fixture-damaged',
    parameters: (table) => [table.write('notes.md', '# Notes\n')],
    says: [/notes\.md:1/, /not OTLP\/JSON/],
  },
  {
    name: 'JSON that is no telemetry',
    code: 'fixture-damaged',
    parameters: (table) => [table.write('other.json', '{"a":1}\n')],
    says: [/no span in this file/],
  },
  {
    name: 'a line cut short',
    code: 'fixture-damaged',
    parameters: (table) => text(table, 'cut', (lines) => [...lines.slice(0, -1), lines.at(-1)?.slice(0, -40) ?? '']),
    says: [/cut\.otlp\.jsonl:\d+/, /not OTLP\/JSON/],
  },
  {
    name: 'the last line missing',
    code: 'fixture-damaged',
    parameters: (table) => text(table, 'short', (lines) => lines.slice(0, -1)),
    says: [/does not match its digest/, /version control/],
  },
  {
    name: 'the first line missing',
    code: 'fixture-damaged',
    parameters: (table) => text(table, 'headless', (lines) => lines.slice(1)),
    says: [/first line of this fixture is missing/],
  },
  {
    name: 'another letter in a payload',
    code: 'fixture-damaged',
    parameters: (table) => text(table, 'letter', (lines) => lines.map((line) => line.replace('190', '191'))),
    says: [/does not match its digest/],
  },
  {
    name: 'a payload that does not match its own digest',
    code: 'recording-damaged',
    parameters: (table) => [
      table.write(
        'payload.otlp.jsonl',
        withAttribute(table.recording, {
          path: 'agent:clerk/tool:look',
          key: ATTR_REENACT_OUTPUT,
          change: (value) => value.replace('190', '191'),
          hasNewDigest: false,
        }),
      ),
    ],
    says: [/agent:clerk\/tool:look: reenact\.output does not match its digest/, /reenact export/],
  },
  {
    name: 'a fixture of a later version',
    code: 'unsupported',
    parameters: (table) =>
      text(table, 'later', (lines) =>
        lines.map((line) =>
          line.replace(new RegExp(`("key":"${ATTR_REENACT_FIXTURE_VERSION}","value":\\{"intValue":)"?1"?`), '$1"99"'),
        ),
      ),
    says: [/format version 99; this Reenact reads version 1/, /Upgrade/],
  },
];

const ids: readonly FailureCase[] = [
  { name: 'an unknown id', code: 'not-found', parameters: () => ['0123456789abcdef'], says: [/reenact runs/] },
  {
    name: 'no collector',
    code: 'collector-unreachable',
    parameters: ({ recording }) => [recording.traceId, '--collector', 'http://127.0.0.1:1'],
    says: [/reenact collect/],
  },
  {
    name: 'a file with several runs',
    code: 'bad-argument',
    parameters: (table) => [
      table.write('two.otlp.jsonl', buildRecording([{ label: 'agent:a' }, { label: 'agent:b' }])),
    ],
    says: [/holds 2 runs/, /0000000000000001 \(agent:a\), 0000000000000002 \(agent:b\)/],
  },
  {
    name: 'a part of a run for a command',
    code: 'unsupported',
    parameters: ({ recording }) => [recording.crossings.find(({ name }) => name === 'note')?.spanId ?? ''],
    says: [/only a part of one/, /`reenact replay [0-9a-f]{16} -- /, /reenact\.config\.ts/],
  },
];

const plans: readonly FailureCase[] = [
  {
    name: 'a selector that names nothing',
    code: 'bad-plan',
    parameters: ({ fixture }) => [fixture, '--live', 'tool:lok'],
    says: [/tool:lok/, /tool:look/],
  },
  {
    name: 'a plan that is no JSON',
    code: 'bad-plan',
    parameters: (table) => [table.fixture, '--plan', table.write('plan.json', '{')],
    says: [/not JSON/, /`reenact docs plan-file`/],
  },
  {
    name: 'a configuration that is not there',
    code: 'bad-config',
    parameters: ({ fixture, stage }) => [fixture, '--config', `${stage.folder}/none.ts`],
    says: [/There is no configuration/],
  },
];

/** One line as the OpenTelemetry Collector writes what an instrumentation recorded that keeps no content. */
const foreignTrace = `${JSON.stringify({
  resourceSpans: [
    {
      scopeSpans: [
        {
          spans: [
            {
              traceId: '4bf92f3577b34da6a3ce929d0e0e4736',
              spanId: '00f067aa0ba902b7',
              name: 'chat gpt-5-mini',
              kind: 3,
              startTimeUnixNano: '1790000000000000000',
              endTimeUnixNano: '1790000001000000000',
              attributes: [
                { key: ATTR_GEN_AI_OPERATION_NAME, value: { stringValue: 'chat' } },
                { key: ATTR_GEN_AI_PROVIDER_NAME, value: { stringValue: 'openai' } },
                { key: ATTR_GEN_AI_REQUEST_MODEL, value: { stringValue: 'gpt-5-mini' } },
              ],
            },
          ],
        },
      ],
    },
  ],
})}\n`;

/** What can be missing, and what it means for a replay: refused, or noted. */
const missing: Readonly<Record<MissingCause, FailureCase | 'a note'>> = {
  'no-crossings': {
    name: 'spans of another instrumentation without payloads',
    code: 'cold-case',
    parameters: (table) => [table.write('foreign.otlp.jsonl', foreignTrace)],
    says: [
      /No span of this trace \(of 1\) was recorded by Reenact/,
      /model:openai\.chat: no-input/,
      /model:openai\.chat: no-outcome/,
      /node --import reenact\/register/,
      /OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT=SPAN_AND_EVENT/,
    ],
  },
  'no-input': {
    name: 'an input that was not recorded',
    code: 'cold-case',
    parameters: (table) =>
      oneCall(table, 'no-input', { without: [ATTR_REENACT_INPUT, `${ATTR_REENACT_INPUT}.digest`] }),
    says: [/agent:clerk\/tool:look: no-input/, /capture: "full"/],
  },
  'no-outcome': {
    name: 'an outcome that was not recorded',
    code: 'cold-case',
    parameters: (table) =>
      oneCall(table, 'no-outcome', {
        without: [ATTR_REENACT_OUTPUT, `${ATTR_REENACT_OUTPUT}.digest`],
        attributes: { [ATTR_REENACT_CAPTURE]: 'digest' },
      }),
    says: [/agent:clerk\/tool:look: no-outcome/, /capture: "full"/],
  },
  'no-exchange': {
    name: 'a model call without its bytes',
    code: 'cold-case',
    parameters: (table) =>
      oneCall(table, 'no-exchange', {
        label: 'model:openai.chat',
        call: 'exchange',
        without: [ATTR_REENACT_EXCHANGES],
      }),
    says: [/agent:clerk\/model:openai\.chat: no-exchange/, /raw exchange was not recorded/],
  },
  'unknown-version': {
    name: 'an input policy of a later version',
    code: 'cold-case',
    parameters: (table) => oneCall(table, 'policy', { attributes: { [ATTR_REENACT_CANONICAL]: 'arguments/99' } }),
    says: [/agent:clerk\/tool:look: unknown-version/, /Upgrade/],
  },
  damaged: {
    name: 'a payload without its digest',
    code: 'recording-damaged',
    parameters: (table) => oneCall(table, 'no-digest', { without: [`${ATTR_REENACT_OUTPUT}.digest`] }),
    says: [/agent:clerk\/tool:look: reenact\.output has no digest/],
  },
  reconstructed: 'a note',
  pending: 'a note',
  'read-on': 'a note',
  'exchange-open': 'a note',
  'unseen-connection': 'a note',
  'entry-needed': 'a note',
  'input-needed': 'a note',
  lossy: 'a note',
  'missing-parent': 'a note',
  'missing-call': 'a note',
  unread: 'a note',
};

const schema: readonly FailureCase[] = [
  {
    name: 'payloads of a later version',
    code: 'cold-case',
    parameters: (table) => oneCall(table, 'schema', { attributes: { [ATTR_REENACT_SCHEMA]: '99' } }),
    says: [/agent:clerk\/tool:look: unknown-version/, /Upgrade/],
  },
];

let table: TableStage;
let refusing: Server;

beforeAll(async () => {
  table = await TableStage.set('clerk.ts');
  refusing = createServer((_, response) => response.writeHead(503).end('busy'));
  await new Promise<void>((resolve) => refusing.listen(0, '127.0.0.1', resolve));
});

afterAll(async () => {
  await table.stage.stop();
  await new Promise((resolve) => refusing.close(resolve));
});

async function expectRefused({ code, parameters, says }: FailureCase): Promise<void> {
  const command = ['replay', ...(await parameters(table)), '--json', '--', 'node', 'clerk.ts'];
  const { exitCode, stdout, stderr } = await table.stage.reenact(command);
  expect(`${exitCode} ${stderr}`).toMatch(new RegExp(`^2 ✗ ${code} `));
  // Nothing of the agent's, and for programs the same as for people.
  expect(JSON.parse(stdout)).toMatchObject({ error: { code, next: expect.any(String) } });
  for (const words of says) expect(stderr.replaceAll(/\s+/g, ' ')).toMatch(words);
  expect(stderr).not.toMatch(/^\s+at /m);
  // A message of its own, and what to do next.
  expect(stderr.trim().split('\n').length).toBeGreaterThan(1);
}

const refusedMissing = Object.entries(missing).flatMap(([, row]) => (row === 'a note' ? [] : [row]));
const everything = [...files, ...ids, ...plans, ...refusedMissing, ...schema];

describe('what keeps a replay from taking place', () => {
  it('has a case for everything that can be missing', () => {
    expect(Object.keys(missing).sort()).toEqual(Object.keys(MISSING_CAUSES).sort());
  });

  it.each(everything.map((row) => [row.name, row] as const))(
    '%s: exit code 2, a message of its own, and no agent code runs',
    async (_, row) => {
      await expectRefused(row);
    },
    120_000,
  );

  it('says of a collector that does not serve what it answered', async () => {
    const url = `http://127.0.0.1:${(refusing.address() as AddressInfo).port}`;
    await expectRefused({
      name: 'a collector that is busy',
      code: 'collector-refused',
      parameters: () => ['0123456789abcdef', '--collector', url],
      says: [/503/],
    });
  });
});
