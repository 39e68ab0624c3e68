import {
  type DiffSide,
  diffHeadline,
  firstDifferenceText,
  pathOf,
  type RecordingDiff,
  type StepDifference,
  statusWords,
  type TreeDifference,
  totalsText,
} from '@reenact/recordings';
import { cellText, codeText, inertText } from '../report/markdown-text.ts';
import { valuePair } from '../report/value-pair.ts';
import { DIFFERENCES_SHOWN_MAX, PLACES_SHOWN_MAX } from './limits.ts';

function sideText(letter: string, { rootPath, traceId, service, startedAt }: DiffSide): string {
  const from = service === undefined ? '' : ` of ${codeText(service)}`;
  return `- **${letter}**: ${codeText(rootPath)}${from}, trace ${codeText(traceId)}, started ${startedAt}`;
}

function placeRows(word: string, difference: TreeDifference | undefined): string[] {
  if (difference === undefined) return [];
  const { places, total } = difference;
  const rows = places.slice(0, PLACES_SHOWN_MAX).map(({ path, left, right }) => {
    const values = valuePair(left, right);
    return `| ${word} | ${cellText(path)} | ${cellText(values.recorded)} | ${cellText(values.live)} |`;
  });
  const more = total - rows.length;
  return more > 0 ? [...rows, `| ${word} | … and ${more} more | | |`] : rows;
}

function section(difference: StepDifference, number: number): string[] {
  const rows = [...placeRows('input', difference.input), ...placeRows('outcome', difference.outcome)];
  const table = rows.length === 0 ? [] : ['', '| part | path | a | b |', '| --- | --- | --- | --- |', ...rows];
  return ['', `${number}. ${codeText(pathOf(difference))}: ${inertText(statusWords(difference))}`, ...table];
}

/** A comparison for a pull request. Whatever the agents or the recordings said is shown as data, never as markup. */
export function renderDiffMarkdown(diff: RecordingDiff): string {
  const first = firstDifferenceText(diff);
  const lines = [`## ${diffHeadline(diff)}`, '', sideText('a', diff.left), sideText('b', diff.right)];
  if (first !== undefined) lines.push('', inertText(first));
  if (diff.environment.length > 0) {
    const rows = diff.environment.map(({ name, left, right }) => {
      const values = valuePair(left, right);
      return `| ${cellText(name)} | ${cellText(values.recorded)} | ${cellText(values.live)} |`;
    });
    lines.push('', '### Made of', '', '| fact | a | b |', '| --- | --- | --- |', ...rows);
  }
  if (diff.differences.length > 0) lines.push('', '### Steps that differ');
  diff.differences.slice(0, DIFFERENCES_SHOWN_MAX).forEach((difference, index) => {
    lines.push(...section(difference, index + 1));
  });
  const more = diff.differenceTotal - Math.min(diff.differences.length, DIFFERENCES_SHOWN_MAX);
  if (more > 0) lines.push('', `… and ${more} more steps.`);
  lines.push('', `${totalsText(diff.totals)}.`);
  if (diff.notes.length > 0) lines.push('', '### Notes', '', ...diff.notes.map((note) => `- ${inertText(note)}`));
  return `${lines.join('\n')}\n`;
}
