import type { WorkerLink } from '../../threads/worker-link.ts';
import type { RetentionTimes } from '../index/run-ages.ts';
import type { Settlement, SettlementPlan } from '../pack/settler.ts';
import type { TextsOfRun } from '../search/search-file.ts';
import type { AppendResult, RebuiltIndex, RetentionAges, SummarisedTrace, ThreadAccess, TraceName } from '../store.ts';
import type { ControlBody, ControlRequest } from './control-frame.ts';
import type { GivenUp } from './eraser.ts';
import type { Releasable, SettleScope } from './settlement-book.ts';

/** A summary without its texts. */
export interface WrittenSummary extends SummarisedTrace {
  /** Whether other texts were kept of the same revision, as where content that lies elsewhere was away: nothing else of the summary may tell. */
  readonly hasOtherTexts?: boolean;
}

/** Summaries without their texts. */
export interface WrittenSummaries {
  readonly summaries: readonly WrittenSummary[];
  /** Generation of the search file that holds their texts; 0 where no text is kept. */
  readonly searchGeneration: number;
}

/** What a commit made of one append. */
export interface CommitFacts {
  readonly commits: number;
  readonly appends: number;
  readonly lastCommitMs: number;
  /** Why appends were refused when one was tried last; absent where they are taken. */
  readonly refusal?: string;
}

/** What the writer's thread can be asked for, and what it answers. */
export interface WriterCalls {
  /** One frame: a batch behind headroom; its memory moves to the writer, and back with the answer. */
  append: { ask: Uint8Array<ArrayBuffer>; answer: { readonly result: AppendResult; readonly memory: ArrayBuffer } };
  control: { ask: ControlRequest; answer: ControlBody };
  /** Done a few at a time, between what else is asked for. */
  writeSummaries: { ask: WrittenSummaries; answer: null };
  /** Rows of traces whose texts have left the search file. */
  forgotten: { ask: readonly number[]; answer: null };
  settleQueue: { ask: readonly number[]; answer: null };
  /** Drops some of what is queued for a destination, and answers with how many entries: 0 where none is left. */
  dropQueue: { ask: string; answer: number };
  /** Ends the current segment of the log; answers with the last that has ended. */
  seal: { ask: null; answer: number };
  /** `upTo`: the last segment that counts for everything there is. */
  plan: { ask: { scope: SettleScope; nowMs: number; upTo?: number }; answer: SettlementPlan | null };
  /** A pack that was made in a hurry, to be compressed again; none of those named. */
  planAgain: { ask: readonly number[]; answer: SettlementPlan | null };
  apply: { ask: Settlement; answer: Releasable };
  release: { ask: Releasable; answer: null };
  /** What the start made again of an index that was lost; null where there was one. */
  rebuilt: { ask: null; answer: RebuiltIndex | null };
  /** Fails where the log is no longer in its directory: by the file that is open, for on some file systems the number of a directory changes in place. */
  checkPlace: { ask: null; answer: null };
  /** Fails as an append would. */
  probe: { ask: null; answer: null };
  tidy: { ask: { isFull: boolean }; answer: null };
  /** Notes that `scrub` is to be called: a process that ends before then is not the last to know. */
  scrubLater: { ask: null; answer: null };
  /** Has everything leave the disk that retention took out, where some of it has been there for long enough; answers whether `scrub` is to be called for it. */
  eraseExpired: { ask: { nowMs: number }; answer: boolean };
  /** Leaves nothing of what was deleted in unused parts of the index, before the page `end` or all; answers with where the next step ends, 0 once all is done. */
  scrub: { ask: { end: number }; answer: number };
  /** Gives back files that were kept to be written again and some free pages of the index; answers with how many of these are left. */
  reclaim: { ask: null; answer: number };
  /** Gives back what the log has allocated ahead, which writes nothing. */
  giveUpRoom: { ask: null; answer: null };
  expired: {
    ask: { nowMs: number; ages: RetentionAges; times: RetentionTimes };
    answer: readonly (readonly [string, string])[];
  };
  /** Enough for so many bytes, where one step may delete as many. */
  oldest: { ask: { ages: RetentionAges; graceMs: number; bytes: number }; answer: GivenUp };
  /** The first of these traces, at least one, that one step may delete. */
  inOneStep: { ask: readonly TraceName[]; answer: readonly TraceName[] };
  ofTenant: { ask: string; answer: readonly (readonly [string, string])[] };
  close: { ask: null; answer: null };
}

/** The writer's thread, which says with every answer how commits have gone. */
export type WriterLink = WorkerLink<WriterCalls, CommitFacts>;

/** What the settler's thread is started with. */
export interface SettlerData extends ThreadAccess {
  /** Says when what it does in idle time has to give way. */
  readonly idleMemory: SharedArrayBuffer;
}

/** What the settler's thread can be asked for. */
export interface SettlerCalls {
  settle: { ask: SettlementPlan; answer: Settlement };
  /** The same, until it is told to give way: null then, with nothing left behind. */
  settleIdly: { ask: SettlementPlan; answer: Settlement | null };
  /** Copies the index's own log back into it. */
  copyBack: { ask: null; answer: null };
  close: { ask: null; answer: null };
}

/** What the thread that copies a data directory can be asked for. */
export interface BackupCalls {
  copy: { ask: { readonly target: string; readonly keepsText: boolean }; answer: null };
}

/** What the thread that writes the search file can be asked for. */
export interface TextCalls {
  /** Answers with the generation that holds these texts, whose memory moves to the thread. */
  keep: { ask: readonly TextsOfRun[]; answer: number };
  /** Rows of traces; answers how many of the first of them are gone. */
  forget: { ask: readonly number[]; answer: number };
  tidy: { ask: { isFull: boolean }; answer: null };
  /** As that of the writer. */
  scrub: { ask: { end: number }; answer: number };
  isWorthCompacting: { ask: null; answer: boolean };
  /** Answers whether there is more to do. */
  compact: { ask: { isBegun: boolean }; answer: boolean };
  close: { ask: null; answer: null };
}
