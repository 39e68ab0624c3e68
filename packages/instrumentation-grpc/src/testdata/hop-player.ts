import type { Answer, Arrival, Position } from '@reenact/instrumentation';
import { TapePlayer } from '@reenact/instrumentation/testing';

/** Lets every gRPC call through to services that take part, as a replay through running services does. */
export class HopPlayer extends TapePlayer {
  /** Services whose calls were served instead. */
  readonly unjoined: string[] = [];
  /** Tokens that were asked about. */
  readonly asked: string[] = [];
  /** What a process that takes part says. */
  proof = 'proven';

  override answer(arrival: Arrival): Answer {
    const answer = super.answer(arrival);
    if (answer.type !== 'stub' || arrival.asksToJoin !== true) return answer;
    const { recorded, position } = answer;
    const unjoined = (address: string): Exclude<Answer, { type: 'run' | 'pass' }> => {
      this.unjoined.push(address);
      return answer;
    };
    const settled: Extract<Answer, { type: 'run' }>['settled'] = (outcome) => this.outcomes.push(outcome);
    return { type: 'run', mode: 'rerun', recorded, position, unjoined, settled };
  }

  positionToken({ cursor }: Position): string {
    return `replay-1.${cursor ?? '-'}.signed`;
  }

  positionOfToken(token: string): Position | undefined {
    const [, cursor, mac] = token.split('.');
    return mac === 'signed' ? { player: this, cursor } : undefined;
  }

  joinProof(token: string): string {
    this.asked.push(token);
    return this.proof;
  }

  isJoinProof(_token: string, proof: string): boolean {
    return proof === 'proven';
  }
}
