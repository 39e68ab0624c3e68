import { type Crossing, isSentAgain } from '@reenact/trace-model';
import type { WithRunsBeside } from '../reading/with-runs-beside.ts';

/** What is said of a run whose process went through another one that cannot be had; undefined where all are there that were wanted. */
export function missingRunText(
  root: Crossing,
  { beside: { missing }, lacking, reason }: WithRunsBeside,
): string | undefined {
  if (missing === undefined) {
    if (lacking === undefined) return undefined;
    const { place, traceId } = lacking;
    return `request ${place} (trace ${traceId}) cannot be had, and what only it names is not looked for. ${reason}`;
  }
  const gone = `run ${missing.place} (trace ${missing.traceId}) cannot be had. ${reason}`.trim();
  const rest = isSentAgain(root)
    ? 'Where the service begins that run again, the replay of the request refuses it.'
    : 'So a command cannot replay it; a function can: --entry.';
  return `${gone} ${rest}`;
}

/** What is said of the other runs of a run's process where they are kept with it; empty where there are none. */
export function runsBesideLines(root: Crossing, found: WithRunsBeside): string[] {
  const { runs } = found.beside;
  const held = `${runs.length} other ${runs.length === 1 ? 'run' : 'runs'} of the process of ${root.path}`;
  const missing = missingRunText(root, found);
  if (missing !== undefined) return [`runs: ${held} held here; ${missing}`];
  return runs.length === 0 ? [] : [`runs: ${held} held here, which its command goes through, too`];
}
