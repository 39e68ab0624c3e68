import { z } from 'zod';
import { driftAnswerSchema, driftQuerySchema } from './drift-answer.ts';
import type { ParameterSchema } from './read-parameters.ts';
import { comparisonQuerySchema, runComparisonSchema } from './run-comparison.ts';
import { runFilterSchema, runQuerySchema, searchQuerySchema, spanQuerySchema } from './run-filters.ts';
import { runListSchema } from './run-summary.ts';
import { runTreeSchema } from './run-tree.ts';
import { searchAnswerSchema } from './search-answer.ts';
import { tailEventSchema, tailParametersSchema } from './tail-event.ts';
import { usageAnswerSchema } from './token-usage.ts';

/** One question of the API: what server, client and documents have in common. */
export interface ApiOperation {
  /** Below the prefix; one that ends in `/` takes an id after it. */
  readonly path: string;
  readonly summary: string;
  readonly parameters: ParameterSchema;
  /** What an answer holds; of a stream, one of its events. */
  readonly answer: z.ZodType;
  readonly answerType: 'application/json' | 'text/event-stream';
  /** What the id may be of; a trace or any of its spans where nothing is said. */
  readonly idOf?: 'span';
  /** What else it is refused with than every question is, by status. */
  readonly refusals?: Readonly<Record<string, string>>;
}

const none = z.strictObject({});
const otlpJson = z.looseObject({}).describe('OTLP/JSON, as opentelemetry-proto defines it.');
const json = 'application/json';

/** Every question of the API, version 1. Names are operation ids. */
export const API_OPERATIONS = {
  listRuns: {
    path: '/runs',
    summary: 'Runs, newest first.',
    parameters: runQuerySchema,
    answer: runListSchema,
    answerType: json,
  },
  getRun: {
    path: '/runs/',
    summary: 'One run as a tree of crossings.',
    parameters: none,
    answer: runTreeSchema,
    answerType: json,
  },
  searchRuns: {
    path: '/search',
    summary: 'Runs whose content has all of some words, with where.',
    parameters: searchQuerySchema,
    answer: searchAnswerSchema,
    answerType: json,
  },
  sumUsage: {
    path: '/usage',
    summary: 'Tokens by model, summed over runs, and their cost where prices are configured.',
    parameters: runFilterSchema,
    answer: usageAnswerSchema,
    answerType: json,
  },
  tailRuns: {
    path: '/tail',
    summary: 'Runs as they come and change; with Last-Event-ID, from there on.',
    parameters: tailParametersSchema,
    answer: tailEventSchema,
    answerType: 'text/event-stream',
  },
  listDrift: {
    path: '/drift',
    summary: 'Crossings with equal input and different outcomes.',
    parameters: driftQuerySchema,
    answer: driftAnswerSchema,
    answerType: json,
  },
  compareRuns: {
    path: '/comparison',
    summary:
      'Two runs side by side: which crossings are equal, changed, or only in one of them, and where they differ.',
    parameters: comparisonQuerySchema,
    answer: runComparisonSchema,
    answerType: json,
    refusals: {
      '404': 'One of the runs is not stored.',
      '413': 'The runs are too large to be compared here, or comparing them takes too long.',
      '422': 'Nothing was recorded of a run that can be compared.',
    },
  },
  getRecording: {
    path: '/recordings/',
    summary: 'The whole trace.',
    parameters: none,
    answer: otlpJson,
    answerType: json,
  },
  getSpan: {
    path: '/spans/',
    summary: 'One span, with all that was said in it.',
    parameters: spanQuerySchema,
    answer: otlpJson,
    answerType: json,
    idOf: 'span',
  },
  getLogs: {
    path: '/logs/',
    summary: 'The log records of a trace; none is an empty document.',
    parameters: none,
    answer: otlpJson,
    answerType: json,
  },
  getStats: {
    path: '/stats',
    summary: "The collector's own counters; see `reenact docs collector-operation`.",
    parameters: none,
    answer: z.looseObject({}),
    answerType: json,
  },
  getOpenApi: {
    path: '/openapi.json',
    summary: 'This document.',
    parameters: none,
    answer: z.looseObject({ openapi: z.string() }),
    answerType: json,
  },
} as const satisfies Record<string, ApiOperation>;

/** Operation id of one question of the API. */
export type ApiOperationId = keyof typeof API_OPERATIONS;
