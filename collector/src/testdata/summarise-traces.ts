import { ContentReferences } from '../query/traces/content-references.ts';
import { TraceSummaries } from '../query/summaries/trace-summaries.ts';
import type { StaleTrace, SummarisedTrace, ThreadAccess } from '../store/store.ts';
import { ThreadReader } from '../store/thread-reader.ts';

/** Makes summaries of traces as a collector's threads do, on this one. */
export async function summariseTraces(
  access: ThreadAccess,
  traces: readonly StaleTrace[],
): Promise<readonly SummarisedTrace[]> {
  const reader = new ThreadReader(access);
  try {
    const summaries = new TraceSummaries(reader, new ContentReferences(undefined));
    const names = traces.map(({ tenant, traceId }) => [tenant, traceId] as const);
    const made = await summaries.summarise({ traces: names, keepsText: true });
    return made.flatMap(({ run }, index) => {
      const trace = traces[index];
      return run === null || trace === undefined ? [] : [{ trace, run }];
    });
  } finally {
    reader.rest();
  }
}
