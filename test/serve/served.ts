import { type RecordedProvider, serveRecording } from '@reenact/replay';
import type { Recording, ReplayReport } from '@reenact/trace-model';
import type OpenAI from 'openai';
import type { ClientOptions } from 'openai';
import { clientOf } from './recorded-agent.ts';

/** What an act gave against a served recording, and what the report says. */
export interface Served<Value> {
  readonly value: Value;
  readonly report: ReplayReport;
}

/** Serves a recording to an act and stops afterwards. */
export async function serving<Value>(
  recording: Recording,
  act: (client: OpenAI, provider: RecordedProvider) => Promise<Value>,
  options: ClientOptions = {},
): Promise<Served<Value>> {
  const provider = await serveRecording({ recording });
  try {
    const client = clientOf(provider.environment.OPENAI_BASE_URL ?? '', options);
    const value = await act(client, provider);
    return { value, report: provider.report() };
  } finally {
    await provider.stop();
  }
}

/** What a promise rejects with. */
export async function rejectionOf(promise: Promise<unknown>): Promise<unknown> {
  try {
    await promise;
  } catch (error) {
    return error;
  }
  throw new TypeError('it did not reject');
}
