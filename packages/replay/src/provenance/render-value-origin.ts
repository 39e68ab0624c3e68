import { styleText } from 'node:util';
import { wrapText } from '../report/render-text.ts';
import type { Evidence } from './find-value.ts';
import type { Origin, OriginLink, OriginPlace, OriginReason, OriginSource, ValueOrigin } from './value-origin.ts';

/** How an origin is rendered as text. */
export interface OriginTextOptions {
  /** Whether to colour it; the caller knows whether it goes to a terminal. */
  readonly color: boolean;
}

const evidenceWords = {
  equal: 'equal',
  contained: 'contained in a longer text',
  part: 'a part of it',
} as const satisfies Record<Evidence, string>;

const reasonWords = {
  'tool-call': 'the answer that asked for this tool call',
  'earlier-outcome': 'it reached the agent before',
  inside: 'it came out of a call inside',
  'own-input': 'it had gone into the same call',
  'enclosing-input': 'it had gone into the call around it',
} as const satisfies Record<OriginReason, string>;

function placeText({ part, path, jsonPath, insideText }: OriginPlace): string {
  const inside = insideText === undefined ? '' : `, in its JSON text ${insideText}`;
  return `${part} of ${path}  ${jsonPath}${inside}`;
}

/** Where the chain ends, in one sentence. */
function originText(origin: Origin): string {
  switch (origin.type) {
    case 'run-input':
      return `First appeared in the run's own input, ${origin.place.jsonPath} of ${origin.place.path}.`;
    case 'crossing':
      return `First appeared in the outcome of ${origin.place.path}: nothing recorded before it holds the value.`;
    case 'own-code': {
      const between =
        origin.after === undefined
          ? `before ${origin.before.path}`
          : `between ${origin.after.path} and ${origin.before.path}`;
      return `Made by the agent's own code ${between}: nothing recorded before it holds the value.`;
    }
  }
}

class OriginText {
  private readonly lines: string[] = [];
  private readonly options: OriginTextOptions;

  constructor(options: OriginTextOptions) {
    this.options = options;
  }

  private style(style: 'bold' | 'dim', text: string): string {
    return this.options.color ? styleText(style, text, { validateStream: false }) : text;
  }

  private source(source: OriginSource, mark: string): void {
    this.lines.push(
      `${mark}${placeText(source)}  ${this.style('dim', `(${evidenceWords[source.evidence]})  ${source.spanId}`)}`,
    );
    this.lines.push(`${' '.repeat(mark.length)}${source.excerpt}`);
  }

  private link({ reason, source, others, otherTotal }: OriginLink): void {
    this.lines.push('', this.style('dim', `  ${reasonWords[reason]}`));
    this.source(source, '← ');
    for (const other of others) this.source(other, '    also ');
    if (otherTotal > others.length) this.lines.push(`    and ${otherTotal - others.length} more`);
  }

  render({ asked, links, origin, notes }: ValueOrigin): string {
    this.lines.push(
      `${this.style('bold', placeText(asked))}  ${this.style('dim', asked.spanId)}`,
      `  ${asked.excerpt}`,
    );
    for (const link of links) this.link(link);
    this.lines.push('', ...wrapText(originText(origin), '').map((line) => this.style('bold', line)));
    if (origin.type === 'own-code' && origin.parts.length > 0) {
      this.lines.push('It holds these earlier values:');
      for (const part of origin.parts) this.source(part, '  ');
    }
    for (const note of notes) this.lines.push(...wrapText(`Note: ${note}`, ''));
    return `${this.lines.join('\n')}\n`;
  }
}

/** Where a value first appeared, for people: the chain backwards, one place a step, with an excerpt of each. */
export function renderValueOrigin(origin: ValueOrigin, options: OriginTextOptions): string {
  return new OriginText(options).render(origin);
}
