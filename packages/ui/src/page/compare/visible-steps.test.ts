import type { ComparedStep } from '@reenact/trace-model/collector-api';
import { expect, it } from 'vitest';
import { visibleSteps } from './visible-steps.ts';

/** `depth status`, such as `1 equal`. */
function stepsOf(...told: readonly string[]): ComparedStep[] {
  return told.map((text, place) => {
    const [depth = '0', status = 'equal'] = text.split(' ');
    return { depth: Number(depth), status: status as ComparedStep['status'], name: `tool:${place}` };
  });
}

function linesOf(steps: readonly ComparedStep[], ...opened: readonly number[]): string[] {
  return visibleSteps(steps, new Set(opened)).map((line) =>
    line.type === 'step' ? line.step.name : `${line.steps.length} equal from ${line.place}`,
  );
}

it('folds equal crossings in a row, and nothing that has a difference inside', () => {
  const steps = stepsOf('0', '1', '2', '2', '1', '2', '2 removed', '1', '1', '1');
  expect(linesOf(steps)).toEqual(['tool:0', '3 equal from 1', 'tool:4', 'tool:5', 'tool:6', '3 equal from 7']);
});

it('shows those that were opened', () => {
  const steps = stepsOf('0', '1', '1', '1', '1 inserted');
  expect(linesOf(steps)).toEqual(['tool:0', '3 equal from 1', 'tool:4']);
  expect(linesOf(steps, 1)).toEqual(['tool:0', 'tool:1', 'tool:2', 'tool:3', 'tool:4']);
});

it('always shows the run itself, also of two that are equal, and has no line where there is no crossing', () => {
  expect(linesOf(stepsOf('0', '1', '1', '1'))).toEqual(['tool:0', '3 equal from 1']);
  expect(linesOf(stepsOf('0'))).toEqual(['tool:0']);
  expect(linesOf([])).toEqual([]);
});
