import { context as contexts, ROOT_CONTEXT } from '@opentelemetry/api';
import type { Exchange } from '@reenact/trace-model';
import { unixNanoNow } from '../host/monotonic-clock.ts';
import { asOwnWork } from '../host/own-work.ts';
import { pristine } from '../host/pristine.ts';
import { guarded } from '../host/report-failure.ts';
import type { AnsweredCrossing, OpenAnswers, OutlivedMoment } from '../run/crossing-scope.ts';

/** What was told of an answer that went on when its run ended. */
export interface ToldAnswer {
  /** How the agent stood to it; who cannot be told from one that waits for more counts as such. */
  readonly reader: 'satisfied' | 'waiting';
  readonly attempt: number;
  readonly chunks: number;
}

/** What is remembered of what was told: no byte of the answer. */
export function toldAnswer({ attempt, response }: Exchange): ToldAnswer {
  return { reader: response?.reader ?? 'waiting', attempt, chunks: response?.chunks.length ?? 0 };
}

/** Whether an exchange is what was told of it: nobody has asked for more of the answer since. */
export function saysNoMore(told: ToldAnswer | undefined, exchange: Exchange): boolean {
  if (told?.reader !== 'satisfied' || exchange.response?.end !== 'open') return false;
  const { reader, attempt, chunks } = toldAnswer(exchange);
  return reader === 'satisfied' && attempt === told.attempt && chunks === told.chunks;
}

/** When what is told of counts as over: with its run. What came behind that, or began there, is over when it is told of. */
export function toldUntil({ runEndUnixNano }: OpenAnswers, startUnixNano: bigint, when: OutlivedMoment): bigint {
  const isWithRun = when !== 'late' && runEndUnixNano !== undefined && runEndUnixNano >= startUnixNano;
  return isWithRun ? runEndUnixNano : unixNanoNow();
}

/** Has a crossing told of as its answer stands. Never throws. */
export function tell(crossing: AnsweredCrossing, when: OutlivedMoment): void {
  guarded('telling of an open answer', () => asOwnWork(() => crossing.outliveRun(when)), undefined);
}

/** Has `work` done once the event loop has turned: who has begun to read by then has asked for what comes. */
function afterThisTurn(work: () => void): void {
  contexts.with(ROOT_CONTEXT, () => pristine.setImmediate(work));
}

/** Tells of the answers that go on now that their run has ended. What goes on at the end of the run of the process is told as the process ends. */
export function tellOutlived(answers: OpenAnswers, runEndUnixNano: bigint): void {
  answers.runEndUnixNano = runEndUnixNano;
  if (answers.crossings === undefined || answers.crossings.size === 0) return;
  afterThisTurn(() => {
    for (const crossing of answers.crossings ?? []) tell(crossing, 'at-end');
  });
}

/** The same of an answer that comes when the run is over, unless somebody has begun to read it when the event loop turns. */
export function tellSoon(crossing: AnsweredCrossing): void {
  afterThisTurn(() => tell(crossing, 'late'));
}
