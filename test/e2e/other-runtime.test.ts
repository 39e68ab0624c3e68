import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type EchoStage, setEchoStage } from './small-stage.ts';

/** Has Node.js say that it is Bun, which no test can count on. */
const asBun =
  "data:text/javascript,Object.defineProperty(process, 'versions', { value: { ...process.versions, bun: '1.4.5' } })";

let stage: EchoStage;

beforeAll(async () => {
  stage = await setEchoStage();
});

afterAll(() => stage.stop());

describe('an app with its own OpenTelemetry on another runtime than Node.js', () => {
  it('runs on, and is told that calls can go unrecorded', async () => {
    const { exitCode, stderr, stdout } = await stage.node(['--import', asBun, 'bare-calls.ts']);
    expect(exitCode).toBe(0);
    expect(stdout).toMatch(/^one: .*\ntwo: .*\nthree: /);
    expect(stderr).toMatch(/REENACT_OLD_RUNTIME.*\(Bun 1\.4\.5\)/);
    expect(stderr.match(/ReenactWarning/g)).toHaveLength(1);
  });
});
