import type { Recording } from '@reenact/trace-model';
import { expect, it } from 'vitest';
import { replayingCommand } from './replaying-command.ts';

function runOf(...crossings: readonly object[]): Recording {
  return { crossings } as unknown as Recording;
}

it('answers what was rebuilt of what others recorded from outside, and replays our own', () => {
  expect(replayingCommand(runOf({ dialect: 'langfuse', reconstructed: true }, { dialect: 'langfuse' }))).toBe('serve');
  expect(replayingCommand(runOf({ dialect: 'reenact' }))).toBe('replay');
});
