import { counted } from '@reenact/trace-model/words';
import { fillLines, paint, type Terminal } from '../terminal/terminal.ts';

/** Which run it is, and how large: what is known without reading its tree. */
export interface RunHeading {
  readonly traceId: string;
  readonly service: string;
  /** ISO 8601. */
  readonly startedAt: string | undefined;
  readonly spanCount: number;
  readonly crossingCount: number;
}

/** The first line of a run; more than one where a terminal is narrower. */
export function runHeading(run: RunHeading, terminal: Terminal): string[] {
  const trace = `trace ${run.traceId}`;
  const counts = `${counted(run.spanCount, 'span')}, ${counted(run.crossingCount, 'crossing')}`;
  const facts = [trace, run.service, run.startedAt, counts].filter((fact) => fact !== undefined);
  const [first = '', ...rest] = terminal.wraps ? fillLines(facts, '', terminal.columns) : [facts.join(' · ')];
  return [`${paint(terminal, 'strong', trace)}${first.slice(trace.length)}`, ...rest];
}
