import type { DivergenceKind } from '@reenact/trace-model';
import { MemorySink } from '../events/event-sink.ts';
import type { DivergenceEvent, ReplayEvent } from '../events/replay-event.ts';

/** What to do next about a difference that a served provider saw; nothing can be made to run live here. */
function nextStep({ kind, next, difference }: DivergenceEvent): string {
  switch (kind) {
    case 'input-changed':
      return `Find what changed the value at ${difference?.[0]?.path ?? '$'}, or record a new run if that was on purpose.`;
    case 'never-recorded':
      return 'Take the request out, or record a new run that makes it.';
    case 'exhausted':
      return 'Find what added the request, such as a retry or a loop, or record a new run that makes it.';
    default:
      return next;
  }
}

/** Keeps what a served provider's player reports. */
export class ServeSink extends MemorySink {
  private latest: DivergenceKind | undefined;

  override write(event: ReplayEvent): void {
    if (event.type === 'divergence') this.latest = event.kind;
    super.write(event.type === 'divergence' ? { ...event, next: nextStep(event) } : event);
  }

  /** The kind of the divergence reported last; reading it forgets it. */
  takeLatest(): DivergenceKind | undefined {
    const { latest } = this;
    this.latest = undefined;
    return latest;
  }
}
