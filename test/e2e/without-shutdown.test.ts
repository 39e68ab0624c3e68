import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type EchoStage, listRuns, setEchoStage } from './small-stage.ts';

let stage: EchoStage;

beforeAll(async () => {
  stage = await setEchoStage();
});

afterAll(() => stage.stop());

describe('an app with its own OpenTelemetry that ends without shutting it down', () => {
  it('has delivered all that it recorded', async () => {
    const recorded = await stage.node(['bare-calls.ts'], { FORGETS_SHUTDOWN: '1' });
    expect([recorded.exitCode, recorded.stderr]).toEqual([0, '']);
    expect((await listRuns(stage)).map(({ name }) => name)).toEqual(
      Array.from({ length: 3 }, () => 'model:openai.chat'),
    );
  });

  it('ends as it would where nothing answers', async () => {
    const away = { FORGETS_SHUTDOWN: '1', OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9' };
    const recorded = await stage.node(['bare-calls.ts'], away);
    expect([recorded.exitCode, recorded.stderr]).toEqual([0, '']);
    expect(recorded.stdout.split('\n')).toHaveLength(4);
  });

  it('leaves a spool on the disk only where something waits in it', async () => {
    const spooling = { FORGETS_SHUTDOWN: '1', SPOOLS: '1' };
    const left = (): string[] => readdirSync(join(stage.folder, 'spool'));
    expect((await stage.node(['bare-calls.ts'], spooling)).exitCode).toBe(0);
    expect(left()).toEqual([]);
    const away = { ...spooling, OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9' };
    expect((await stage.node(['bare-calls.ts'], away)).exitCode).toBe(0);
    expect(left()).toHaveLength(1);
  });
});
