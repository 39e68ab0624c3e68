import type { Crossing, Exchange } from '@reenact/trace-model';
import type { StubAdmission } from '../results/served-value.ts';

/** The one exchange of a recorded request. Throws the replay's error where there is none that can be served at this layer. */
export function servableExchange(admission: StubAdmission, layer: Exchange['layer']): Exchange {
  const { recorded } = admission;
  const [exchange] = recorded.exchanges;
  if (exchange === undefined) throw admission.exhausted(`${recorded.path} was recorded without its exchange.`);
  if (exchange.layer !== layer) {
    throw admission.exhausted(
      `${recorded.path} was recorded at layer ${exchange.layer} and is asked for at layer ${layer}: another client sends it now.`,
    );
  }
  const cut = exchange.response?.cut;
  if (cut !== undefined) {
    throw admission.exhausted(`The answer to ${recorded.path} was too long to keep: ${cut.bytes} bytes.`);
  }
  return exchange;
}

/** Microseconds from the start of the recorded crossing to the start of an exchange of it. */
export function startedAfterUs(recorded: Crossing, exchange: Exchange): number {
  return Math.max(0, Number((BigInt(exchange.startedAtUnixNano) - recorded.startTimeUnixNano) / 1_000n));
}
