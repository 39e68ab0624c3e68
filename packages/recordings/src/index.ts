export { type DiffInput, type DiffOptions, diffRecordings } from './compare/diff-recordings.ts';
export { diffHeadline, firstDifferenceText, pathOf, statusWords, totalsText } from './compare/diff-wording.ts';
export {
  DIFF_EXIT_CODES,
  type DiffSide,
  type DiffStep,
  type RecordingDiff,
  type StepDifference,
} from './compare/recording-diff.ts';
export type { TreeDifference } from './compare/tree-difference.ts';
export { errorRecordTree, errorTree } from './recorded/error-tree.ts';
export { inputView } from './recorded/input-view.ts';
export { comparedRoot, namedRoot } from './recorded/named-root.ts';
export { outcomeView, parsedText } from './recorded/outcome-view.ts';
export { type RecordedTimeline, recordedTimeline } from './recorded/recorded-timeline.ts';
export { subtreeOf } from './recorded/subtree.ts';
