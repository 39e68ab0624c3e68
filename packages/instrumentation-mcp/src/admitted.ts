import { type Admission, reportFailure, wireMode } from '@reenact/instrumentation';
import { ReenactError } from '@reenact/trace-model';

/** What the gate says to a call. Where describing the call fails, it passes outside replays and is refused inside them. */
export function admitted(ask: () => Admission): Admission {
  try {
    return ask();
  } catch (thrown) {
    reportFailure('describing a message of MCP', thrown);
    if (wireMode() !== 'replay') return { type: 'pass' };
    const error = new ReenactError('replay-refused', 'Reenact failed while it described a message of MCP.', {
      next: 'Nothing was sent. Report this as a bug of Reenact, with the cause below.',
      cause: thrown,
    });
    return { type: 'refuse', error };
  }
}
