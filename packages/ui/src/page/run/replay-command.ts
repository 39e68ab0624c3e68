import type { RunSummary } from '@reenact/trace-model/collector-api';

/**
 * What to type to replay a run: by the command that started its program; by its function where that does not begin it again; answered from outside where
 * others recorded it. Undefined where it cannot be replayed.
 */
export function replayCommand(run: RunSummary, command: string | undefined): string | undefined {
  const { verdict, missing } = run.replayability;
  if (verdict === 'cold' || run.origin === 'replay') return undefined;
  const lacks = (wanted: string): boolean => missing.some(({ cause }) => cause === wanted);
  const verb = lacks('reconstructed') ? 'serve' : 'replay';
  if (lacks('entry-needed')) return `reenact ${verb} ${run.rootSpanId} --entry '<file>#<function>'`;
  return `reenact ${verb} ${run.rootSpanId} -- ${command ?? '<the command that starts your agent>'}`;
}
