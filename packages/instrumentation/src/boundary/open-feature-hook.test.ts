import { InMemoryProvider, OpenFeature } from '@openfeature/server-sdk';
import { CANONICAL_POLICIES } from '@reenact/trace-model';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { admit, agent, type GateCall, gate, openFeatureHook, tool } from '../index.ts';
import { RecordingHost } from '../testdata/recording-host.ts';

function agentCall(): GateCall {
  const boundary = {
    kind: 'agent',
    name: 'process',
    effect: 'write',
    capture: 'full',
    policy: CANONICAL_POLICIES.arguments,
  } as const;
  return { boundary, input: [], span: { name: 'process', kind: 'internal' } };
}

let host: RecordingHost;
beforeEach(async () => {
  host = new RecordingHost();
  const flag = { variants: { on: true, off: false }, defaultVariant: 'on', disabled: false };
  await OpenFeature.setProviderAndWait(new InMemoryProvider({ 'new-prompt': flag }));
  OpenFeature.addHooks(openFeatureHook());
});
afterEach(async () => {
  OpenFeature.clearHooks();
  await OpenFeature.close();
  await host.stop();
});

describe('the OpenFeature hook', () => {
  it('records each evaluation on the crossing around it, failed ones included', async () => {
    const flags = OpenFeature.getClient();
    const ask = tool('flags.ask', () => flags.getStringValue('missing', 'fallback'));
    const run = agent('flags.run', async () => [await flags.getBooleanValue('new-prompt', false), await ask()]);
    expect(await run()).toEqual([true, 'fallback']);
    const [onTool, onRun] = (await host.recorded()).map(({ events }) => events);
    expect(onRun).toMatchObject([
      {
        name: 'feature_flag.evaluation',
        attributes: {
          'feature_flag.key': 'new-prompt',
          'feature_flag.provider.name': 'in-memory',
          'feature_flag.result.variant': 'on',
          'feature_flag.result.value': 'true',
          'feature_flag.result.reason': 'static',
        },
      },
    ]);
    expect(onTool?.[0]?.attributes).toMatchObject({
      'feature_flag.result.value': '"fallback"',
      'error.type': 'flag_not_found',
    });
  });

  it('records those that nothing encloses on the run of the process', async () => {
    const process = admit(agentCall());
    if (process.type !== 'run') throw new TypeError('nobody records');
    gate.configure({ rootContext: () => process.crossing.context });
    await OpenFeature.getClient().getBooleanValue('new-prompt', false);
    process.crossing.settle({ type: 'returned', value: undefined });
    const [span] = await host.recorded();
    expect(span?.events).toMatchObject([{ attributes: { 'feature_flag.key': 'new-prompt' } }]);
  });

  it('does nothing outside runs', async () => {
    expect(await OpenFeature.getClient().getBooleanValue('new-prompt', false)).toBe(true);
    expect(await host.recorded()).toEqual([]);
  });
});
