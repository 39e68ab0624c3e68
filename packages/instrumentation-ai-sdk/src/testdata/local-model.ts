import type {
  LanguageModelV4,
  LanguageModelV4CallOptions,
  LanguageModelV4GenerateResult,
  LanguageModelV4StreamPart,
  LanguageModelV4StreamResult,
} from '@ai-sdk/provider';

const usage = {
  inputTokens: { total: 3, noCache: 3, cacheRead: undefined, cacheWrite: undefined },
  outputTokens: { total: 2, text: 2, reasoning: undefined },
};

/** The parts of a streamed text. */
export function textParts(texts: readonly string[]): LanguageModelV4StreamPart[] {
  return [
    { type: 'stream-start', warnings: [] },
    { type: 'text-start', id: '1' },
    ...texts.map((delta) => ({ type: 'text-delta' as const, id: '1', delta })),
    { type: 'text-end', id: '1' },
    { type: 'finish', usage, finishReason: { unified: 'stop', raw: 'stop' } },
  ];
}

/** What a model without a request of its own does when it is asked. */
export interface LocalScript {
  generate?: () => unknown;
  stream?: (signal: AbortSignal | undefined) => ReadableStream<LanguageModelV4StreamPart>;
}

/** A provider that runs in the process: no fetch, and private members that only its own methods may see. */
export class LocalModel implements LanguageModelV4 {
  readonly specificationVersion = 'v4';
  readonly provider = 'local';
  readonly supportedUrls = {};
  readonly modelId: string;
  /** How often it really ran. */
  calls = 0;
  readonly #script: LocalScript;

  constructor(script: LocalScript, modelId = 'tiny') {
    this.#script = script;
    this.modelId = modelId;
  }

  async doGenerate(): Promise<LanguageModelV4GenerateResult> {
    this.calls += 1;
    const said = (await this.#script.generate?.()) ?? 'Sold.';
    return {
      content: [{ type: 'text', text: String(said) }],
      finishReason: { unified: 'stop', raw: 'stop' },
      usage,
      warnings: [],
      response: { id: 'local-1', modelId: this.modelId, timestamp: new Date(1_700_000_000_000) },
    };
  }

  async doStream({ abortSignal }: LanguageModelV4CallOptions): Promise<LanguageModelV4StreamResult> {
    this.calls += 1;
    const stream = this.#script.stream?.(abortSignal) ?? ReadableStream.from(textParts(['So', 'ld.']));
    return { stream, request: { body: { local: true } }, response: { headers: { 'x-local': 'yes' } } };
  }
}
