import { context } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { agent } from '@reenact/instrumentation';
import { HttpInstrumentation } from '@reenact/instrumentation-http';
import { replay } from '@reenact/replay';
import { recordRun } from '../replay/recorded-run.ts';
import type { HttpContender } from './http-contender.ts';

/** Reenact, as an agent whose HTTP is recorded. What it does beside: it compares each request, and writes a report. */
export const contenderReenact: HttpContender = {
  record: async (act) => {
    context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
    new HttpInstrumentation({ inbound: false }).enable();
    const client = agent('client', async () => {
      await act();
    });
    const recording = await recordRun(client);
    return {
      replay: async () => {
        const report = await replay({ recording, run: () => client() });
        if (report.verdict === 'reproduced') return;
        throw new TypeError(`${report.verdict}: ${report.divergences[0]?.message ?? report.notes.join()}`);
      },
    };
  },
};
