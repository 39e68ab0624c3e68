import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Stage } from '../scenarios/stage.ts';
import { type EchoProvider, startEchoProvider } from './provider.ts';
import { setSmallStage } from './small-stage.ts';

/** Has Node.js say that it is Bun, which no test can count on. */
const asBun =
  "data:text/javascript,Object.defineProperty(process, 'versions', { value: { ...process.versions, bun: '1.4.5' } })";

let provider: EchoProvider;
let stage: Stage;

beforeAll(async () => {
  provider = await startEchoProvider();
  stage = await setSmallStage(provider.environment);
});

afterAll(async () => {
  await stage.stop();
  await provider.stop();
});

describe('an app with its own OpenTelemetry on another runtime than Node.js', () => {
  it('runs on, and is told that calls can go unrecorded', async () => {
    const { exitCode, stderr, stdout } = await stage.node(['--import', asBun, 'bare-calls.ts']);
    expect(exitCode).toBe(0);
    expect(stdout).toMatch(/^one: .*\ntwo: .*\nthree: /);
    expect(stderr).toMatch(/REENACT_OLD_RUNTIME.*\(Bun 1\.4\.5\)/);
    expect(stderr.match(/ReenactWarning/g)).toHaveLength(1);
  });
});
