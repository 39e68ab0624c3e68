import { ATTR_VCS_REF_HEAD_REVISION } from '@reenact/semconv/core';
import { ATTR_REENACT_ENVIRONMENT_DIRTY, ATTR_REENACT_ENVIRONMENT_LOCKFILE_DIGEST } from '@reenact/semconv/reenact';
import type { Recording, ReplayReport } from '@reenact/trace-model';
import { codeFacts } from '../recording/code-facts.ts';

/** Facts of a process or of a folder, by their resource attributes. */
interface Facts {
  get(attribute: string): unknown;
}

/** As many characters of a commit as name it in all but the largest repositories. */
const COMMIT_CHARACTERS = 10;

/** A commit, shortened. What is none is not told: people type what the note says. */
function commitOf(facts: Facts): string | undefined {
  const revision = facts.get(ATTR_VCS_REF_HEAD_REVISION);
  const isCommit = typeof revision === 'string' && /^[0-9a-f]{10,64}$/i.test(revision);
  return isCommit ? revision.slice(0, COMMIT_CHARACTERS) : undefined;
}

function commitNote(recorded: Facts, here: Facts): string | undefined {
  const [before, now] = [commitOf(recorded), commitOf(here)];
  if (before === undefined || now === undefined) return undefined;
  const wasChanged = recorded.get(ATTR_REENACT_ENVIRONMENT_DIRTY) === true;
  const isChanged = here.get(ATTR_REENACT_ENVIRONMENT_DIRTY) === true;
  if (before !== now) {
    const then = wasChanged ? ', with changes that were not committed' : '';
    const today = isChanged ? ', with changes that are not committed' : '';
    return `Recorded at commit ${before}${then}; the code here is at ${now}${today}. \`git diff ${before}\` shows what lies between, where that commit is in this repository (a shallow clone may have to fetch it).`;
  }
  // Where both had changes, nothing tells whether they are the same.
  if (wasChanged || !isChanged) return undefined;
  return `Recorded at commit ${before}, unchanged; the code here has changes that are not committed: \`git diff\` shows them.`;
}

function lockFileNote(recorded: Facts, here: Facts): string | undefined {
  const [before, now] = [recorded, here].map((facts) => facts.get(ATTR_REENACT_ENVIRONMENT_LOCKFILE_DIGEST));
  if (typeof before !== 'string' || typeof now !== 'string' || before === now) return undefined;
  return 'The lock file is another one than when this was recorded: packages may have other versions.';
}

/**
 * The report, and where the run did not come out as recorded, what of the code around it is another than when it was recorded: the first
 * question of whoever replays last week's run. `folder`: the work tree of the code that was replayed.
 */
export function withChangesSince(report: ReplayReport, recording: Recording, folder = process.cwd()): ReplayReport {
  if (report.verdict === 'reproduced') return report;
  const here = new Map(Object.entries(codeFacts(folder)));
  const notes = [commitNote(recording.resource, here), lockFileNote(recording.resource, here)];
  return { ...report, notes: [...report.notes, ...notes.filter((note) => note !== undefined)] };
}
