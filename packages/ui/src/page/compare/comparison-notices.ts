import type { RunComparison } from '@reenact/trace-model/collector-api';
import { counted } from '@reenact/trace-model/words';

function whatRan({ rootPath, service }: RunComparison['left']): string {
  return service === undefined ? rootPath : `${rootPath} of ${service}`;
}

function pendingNotices({ left, right }: RunComparison): string[] {
  return [
    ['a', left.pendingCrossings],
    ['b', right.pendingCrossings],
  ].flatMap(([side, count]) =>
    typeof count === 'number'
      ? [`${side} had not ended when it was read: ${counted(count, 'crossing')} of it had no end.`]
      : [],
  );
}

/** What must be known before a comparison is believed: that it is one of two other things, or of a run that goes on, or cut. */
export function comparisonNotices(found: RunComparison): string[] {
  const { left, right, totals, leftOutSteps, leftOutDifferences } = found;
  const isOther = left.rootPath !== right.rootPath || left.service !== right.service;
  const pairs =
    totals.equal + totals['input-changed'] + totals['outcome-changed'] + totals['input-and-outcome-changed'];
  const isNothingShared = pairs === 1 && left.crossings > 1 && right.crossings > 1;
  return [
    ...(isOther ? [`These are runs of different programs: a is ${whatRan(left)}, b is ${whatRan(right)}.`] : []),
    ...(isNothingShared ? ['They called nothing in common: every crossing inside is in one of them only.'] : []),
    ...pendingNotices(found),
    ...(leftOutSteps === undefined ? [] : [`${counted(leftOutSteps, 'crossing')} behind these are not listed.`]),
    ...(leftOutDifferences === undefined
      ? []
      : [
          `Where ${counted(leftOutDifferences, 'more crossing')} ${leftOutDifferences === 1 ? 'differs' : 'differ'} is not said here.`,
        ]),
  ];
}
