import { readdirSync, readFileSync } from 'node:fs';
import { buildRecording } from '@reenact/recordings/testing';
import { isReenactError, type ReenactError } from '@reenact/trace-model';
import { describe, expect, it } from 'vitest';
import { makePlan, type PlanOptions, parsePlanFile } from '../resolution/plan.ts';
import type { Plan } from './plan-schema.ts';

const recording = buildRecording({
  label: 'agent:trader',
  input: ['Sell everything.'],
  children: [
    { label: 'guardrail:limit', effect: 'read' },
    {
      label: 'tool:get_quote',
      effect: 'read',
      input: [{ requestId: 'r1' }],
      output: { price: 190 },
      children: [{ label: 'http:GET quotes', effect: 'read' }],
    },
    { label: 'tool:get_quote', effect: 'read', input: [{ requestId: 'r2' }], output: { price: 191 } },
    {
      label: 'tool:ticks',
      effect: 'read',
      call: 'async-iterator',
      chunks: [
        [1, 1],
        [2, 2],
      ],
    },
    { label: 'tool:place_order', effect: 'destructive', input: [{ shares: 1 }] },
    { label: 'agent:researcher' },
    {
      label: 'http:GET flags.example',
      call: 'exchange',
      attributes: { 'server.address': 'flags.example', 'server.port': 443 },
    },
  ],
});

const folder = new URL('../testdata/plan-files/', import.meta.url);

function filesIn(name: string): string[] {
  return readdirSync(new URL(`${name}/`, folder)).sort();
}

function planOfFile(path: string, more: PlanOptions = {}): Plan {
  const data: unknown = JSON.parse(readFileSync(new URL(path, folder), 'utf8'));
  return makePlan({ ...more, file: parsePlanFile(data, path) }, recording);
}

function refusal(path: string): ReenactError {
  try {
    planOfFile(path);
  } catch (error) {
    if (isReenactError(error)) return error;
    throw error;
  }
  throw new TypeError(`${path} was accepted`);
}

/** What the message about each bad file says. */
const complaints: Readonly<Record<string, RegExp>> = {
  'bad-ignore-path': /does not start with \$/,
  'chunk-of-no-stream': /it is no stream/,
  'edit-of-an-unknown-part': /names nothing that can be edited/,
  'edit-of-nothing': /the recording has the members price at \$/,
  'edit-without-value': /\$\.rules\[0\]\.value/,
  'edited-run': /names the run itself/,
  'edited-run-input': /what the run itself is given comes from outside/,
  'header-with-line-break': /\$\.rules\[0\]\.with\.headers\.x/,
  'ignore-without-why': /\$\.ignore\[0\]\.why/,
  'inside-a-stub': /would never take effect: it lies inside agent:trader\/tool:get_quote/,
  'misspelt-selector': /Did you mean "tool:get_quote"/,
  'no-version': /\$\.version/,
  'outcome-and-input': /both name agent:trader\/tool:get_quote/,
  'status-of-a-function': /it is no wire exchange/,
  'status-out-of-range': /\$\.rules\[0\]\.with\.status/,
  'telemetry-host-that-is-an-address': /\$\.telemetryHosts\[0\]: not a host such as/,
  'telemetry-host-that-was-called': /names \*\.example as a host of telemetry.* such as http:GET flags\.example/,
  'text-of-a-tool': /not recorded as a wire exchange/,
  'truncation-beyond-the-end': /only 2 chunks/,
  'two-policies': /says live .* says fail/,
  'unknown-failure': /\$\.rules\[0\]\.with\.type/,
  'unknown-key': /Unrecognized key: "rule"/,
  'unknown-key-in-a-rule': /Unrecognized key: "when"/,
  'unknown-policy': /\$\.rules\[0\]\.policy/,
  'unknown-profile': /\$\.profile/,
  'unknown-version': /\$\.version/,
  'whole-input-ignored': /whole input cannot be ignored/,
  'write-by-pattern': /would run code that changes the world: tool:place_order/,
};

describe('a plan file', () => {
  it.each(filesIn('good'))('%s is accepted, and comes to a child process as it is', (name) => {
    const plan = planOfFile(`good/${name}`);
    expect(JSON.parse(JSON.stringify(plan))).toEqual(plan);
  });

  it('is added to by flags, which decide where only one can', () => {
    const more = {
      stub: ['tool:ticks'],
      profile: 'strict',
      ignore: [{ selector: 'tool:ticks', path: '$[0]', why: 'w' }],
    } as const;
    const plan = planOfFile('good/every-member.json', more);
    expect(plan).toMatchObject({ profile: 'strict', stopOnDivergence: true });
    expect(plan.rules).toHaveLength(6);
    expect(plan.ignore.map(({ selector }) => selector)).toEqual(['tool:get_quote', 'tool:ticks']);
  });
});

describe('a bad plan file', () => {
  it('each is listed', () => {
    expect(filesIn('bad')).toEqual(
      Object.keys(complaints)
        .map((name) => `${name}.json`)
        .sort(),
    );
  });

  it.each(Object.entries(complaints))('%s is refused and says why', (name, complaint) => {
    const error = refusal(`bad/${name}.json`);
    expect(error.code).toBe('bad-plan');
    expect(error.message).toMatch(complaint);
    expect(error.next ?? '').not.toBe('');
  });
});
