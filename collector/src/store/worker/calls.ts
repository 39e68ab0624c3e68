import type { RunSummary } from '@reenact/trace-model/collector-api';
import { isReenactError, ReenactError } from '@reenact/trace-model/reenact-error';
import type { Settlement, SettlementPlan } from '../pack/settler.ts';
import type { AppendResult, RunFacets, StaleTrace } from '../store.ts';
import { toStoreError } from '../store-error.ts';
import type { ControlBody, ControlRequest } from './control-frame.ts';
import type { RetentionTimes } from './eraser.ts';
import type { Releasable, SettleScope } from './settlement-book.ts';
import type { CommitFacts } from './store-writer.ts';

/** What the writer's thread can be asked for, and what it answers. */
export interface WriterCalls {
  /** One frame: a batch behind headroom; its memory moves to the writer. */
  append: { ask: Uint8Array; answer: AppendResult };
  control: { ask: ControlRequest; answer: ControlBody };
  writeSummary: { ask: { trace: StaleTrace; summary: RunSummary; facets: RunFacets }; answer: null };
  settleQueue: { ask: readonly number[]; answer: null };
  plan: { ask: { scope: SettleScope; nowMs: number }; answer: SettlementPlan | null };
  apply: { ask: Settlement; answer: Releasable };
  release: { ask: Releasable; answer: null };
  tidy: { ask: { isFull: boolean }; answer: null };
  expired: { ask: { nowMs: number; times: RetentionTimes }; answer: readonly (readonly [string, string])[] };
  oldest: { ask: { nowMs: number; graceMs: number }; answer: readonly (readonly [string, string])[] };
  ofTenant: { ask: string; answer: readonly (readonly [string, string])[] };
  close: { ask: null; answer: null };
}

/** What the settler's thread can be asked for. */
export interface SettlerCalls {
  settle: { ask: SettlementPlan; answer: Settlement };
  close: { ask: null; answer: null };
}

/** One question to a thread. */
export interface CallMessage {
  readonly id: number;
  readonly type: string;
  readonly ask: unknown;
}

/** An error as it travels between threads. */
export interface SentError {
  readonly code: ReenactError['code'];
  readonly message: string;
  readonly where: string | undefined;
  readonly next: string | undefined;
  readonly retryable: boolean;
}

/** One answer of a thread; id 0 says that it is ready, or why it could not start. */
export interface AnswerMessage {
  readonly id: number;
  readonly answer?: unknown;
  readonly error?: SentError;
  readonly facts?: CommitFacts;
}

/** An error of the store as it travels between threads. */
export function sendError(thrown: unknown, where: string): SentError {
  const {
    code,
    message,
    where: place,
    next,
    retryable,
  } = isReenactError(thrown) ? thrown : toStoreError(thrown, where);
  return { code, message, where: place, next, retryable };
}

/** The error again on the other side. */
export function receiveError({ code, message, where, next, retryable }: SentError): ReenactError {
  return new ReenactError(code, message, {
    retryable,
    ...(where === undefined ? {} : { where }),
    ...(next === undefined ? {} : { next }),
  });
}
