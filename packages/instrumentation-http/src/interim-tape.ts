import { type OpenCrossing, recordedHeaders } from '@reenact/instrumentation';
import type { Exchange, InterimAnswer } from '@reenact/trace-model';
import { INTERIM_ANSWERS_MAX } from './limits.ts';

/** Keeps what a server says before its response. */
export class InterimTape {
  private readonly crossing: OpenCrossing;
  private readonly answers: InterimAnswer[] = [];
  private hasOverflown = false;

  constructor(crossing: OpenCrossing) {
    this.crossing = crossing;
  }

  /** One such answer came. */
  add(answer: InterimAnswer): void {
    if (this.answers.length < INTERIM_ANSWERS_MAX) {
      this.answers.push({ ...answer, headers: recordedHeaders(answer.headers) });
      return;
    }
    if (!this.hasOverflown) this.crossing.markLossy('/exchanges/0/interim too-many');
    this.hasOverflown = true;
  }

  /** A member of the exchange; none where nothing came. */
  get member(): Pick<Exchange, 'interim'> {
    return this.answers.length === 0 ? {} : { interim: [...this.answers] };
  }
}
