import { isHarmlessValue } from '../text/secret-names.ts';
import type { SecretSpan } from './redaction-rule.ts';

const secretKind = /kind\W{1,12}Secret\b/;
const line = /^([ \t]*(?:- +)?)([^\r\n]*)/gm;
const kindLine = /^kind:[ \t]*["']?Secret["']?[ \t]*$/;
/** The first line of a text of JSON has that of the JSON before it. */
const beforeFirst = /^.{0,400}["'](?=(?:kind|data|stringData):)/;
const dataLine = /^(?:data|stringData):[ \t]*$/;
const member = /^["']?[\w.-]{1,253}["']?:[ \t]+(?=\S)(?![|>][+-]?\d?[ \t]*$)["']?/;
const memberName = /^["']?[\w.-]{1,253}["']?:(?:[ \t]|$)/;

/** The members of one object of YAML at one indentation, and the values of what may be its data. */
interface Context {
  readonly indentation: number;
  isSecret: boolean;
  inData: boolean;
  /** How far the names of its data are indented. */
  dataIndentation: number | undefined;
  readonly values: SecretSpan[];
}

/** Whether a text may hold a Secret of Kubernetes. */
export function mayHoldKubernetesSecret(text: string): boolean {
  return text.includes('Secret') && secretKind.test(text);
}

function valueSpan(context: Context, start: number, content: string, indentation: number): SecretSpan | undefined {
  context.dataIndentation ??= indentation;
  const isName = indentation === context.dataIndentation && memberName.test(content);
  const before = isName ? member.exec(content)?.[0].length : 0;
  if (before === undefined) return undefined;
  const value = content.slice(before).trimEnd().replace(/["']$/, '');
  return isHarmlessValue(value)
    ? undefined
    : { start: start + before, end: start + before + value.length, rule: 'named-value' };
}

/** The values of Secrets of Kubernetes in a text of YAML, as `kubectl get secret -o yaml` prints them: whatever they are called, they are secrets. */
export function kubernetesSpans(text: string): SecretSpan[] {
  if (!mayHoldKubernetesSecret(text)) return [];
  const spans: SecretSpan[] = [];
  const open: Context[] = [];
  const close = (indentation: number): void => {
    while ((open.at(-1)?.indentation ?? -1) > indentation) {
      const context = open.pop();
      if (context?.isSecret === true) spans.push(...context.values);
    }
  };
  for (const { index, 1: before = '', 2: written = '' } of text.matchAll(line)) {
    if (written === '') continue;
    const first = beforeFirst.exec(written)?.[0].length;
    const content = written.slice(first ?? 0);
    const indentation = first === undefined ? before.length : 0;
    if (content.startsWith('---')) close(-1);
    close(before.includes('-') ? indentation - 1 : indentation);
    const outer = open.at(-1);
    if (outer?.inData === true && indentation > outer.indentation) {
      const span = valueSpan(outer, index + before.length + (first ?? 0), content, indentation);
      if (span !== undefined) outer.values.push(span);
      continue;
    }
    const context =
      outer?.indentation === indentation
        ? outer
        : { indentation, isSecret: false, inData: false, dataIndentation: undefined, values: [] };
    if (context !== outer) open.push(context);
    context.inData = dataLine.test(content);
    if (context.inData) context.dataIndentation = undefined;
    if (kindLine.test(content)) context.isSecret = true;
  }
  close(-1);
  return spans;
}
