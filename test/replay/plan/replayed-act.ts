import { context } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { instrumentOpenAI } from '@reenact/instrumentation-openai';
import { type ReplayResult, type ReplaySettings, replay } from '@reenact/replay';
import type { Recording } from '@reenact/trace-model';
import type { ClientOptions } from 'openai';
import { agent } from 'reenact';
import { type Act, clientOf } from '../../serve/recorded-agent.ts';

/** Nobody listens there: a call that goes out fails. */
const nowhere = 'http://127.0.0.1:9/v1';

/** What a replayed act is given beside the recording. */
export interface ReplayedActOptions extends Omit<ReplaySettings, 'recording'> {
  /** Base URL of the live provider. Default: nobody. */
  readonly liveUrl?: string;
  readonly client?: ClientOptions;
}

/** Replays an act that `recordAct` recorded, with the real client. What the act throws is in `error`. */
export async function replayAct(
  recording: Recording,
  act: Act,
  { liveUrl = nowhere, client: clientOptions, ...settings }: ReplayedActOptions = {},
): Promise<ReplayResult<unknown>> {
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  const client = instrumentOpenAI(clientOf(liveUrl, clientOptions));
  try {
    return await replay({ ...settings, recording, run: () => agent('asker', () => act(client))() });
  } finally {
    context.disable();
  }
}
