import {
  decodeTracesJson,
  describeRejections,
  encodeTracesJson,
  fromPlain,
  type InstrumentationScope,
  type KeyValue,
  type Resource,
  type Span,
  type TracesData,
  toMap,
} from '@reenact/otlp';
import { ATTR_REENACT_FIXTURE_DIGEST, ATTR_REENACT_FIXTURE_VERSION } from '@reenact/semconv/reenact';
import { canonicalJson, canonicalJsonWith } from '../json/json-tree.ts';
import { PiecewiseDigest } from '../payloads/digest.ts';
import { ReenactError } from '../reenact-error.ts';

/** The fixture format this version writes. */
export const FIXTURE_VERSION = 1;

interface FixtureLine {
  readonly resource: Resource;
  readonly resourceSchemaUrl?: string;
  readonly scope?: InstrumentationScope;
  readonly scopeSchemaUrl?: string;
  readonly span: Span;
}

const ownKeys: ReadonlySet<string> = new Set([ATTR_REENACT_FIXTURE_VERSION, ATTR_REENACT_FIXTURE_DIGEST]);

function withoutOwnKeys(resource: Resource | undefined): Resource {
  return { ...resource, attributes: (resource?.attributes ?? []).filter(({ key }) => !ownKeys.has(key)) };
}

function linesOf(data: TracesData): FixtureLine[] {
  return data.resourceSpans.flatMap(({ resource, scopeSpans, schemaUrl: resourceSchemaUrl }) =>
    scopeSpans.flatMap(({ scope, spans, schemaUrl: scopeSchemaUrl }) =>
      spans.map((span) => ({
        resource: withoutOwnKeys(resource),
        span,
        ...(resourceSchemaUrl === undefined ? {} : { resourceSchemaUrl }),
        ...(scope === undefined ? {} : { scope }),
        ...(scopeSchemaUrl === undefined ? {} : { scopeSchemaUrl }),
      })),
    ),
  );
}

/** By start, then span id: an order that does not depend on how the spans arrived. */
function compareLines({ span: left }: FixtureLine, { span: right }: FixtureLine): number {
  const leftStart = left.startTimeUnixNano.padStart(20, '0');
  const rightStart = right.startTimeUnixNano.padStart(20, '0');
  if (leftStart !== rightStart) return leftStart < rightStart ? -1 : 1;
  return left.spanId < right.spanId ? -1 : 1;
}

/** What all lines of a process say alike is put in order once: its resource is as long as a short span. */
function digestOfLines(lines: readonly FixtureLine[]): string {
  const digest = new PiecewiseDigest();
  const canonicalByText = new Map<string, string>();
  const canonicalHead = (head: Resource | InstrumentationScope): string => {
    const text = JSON.stringify(head);
    const canonical = canonicalByText.get(text) ?? canonicalJson(head);
    canonicalByText.set(text, canonical);
    return canonical;
  };
  for (const [index, line] of lines.entries()) {
    if (index > 0) digest.add('\n');
    const { resource, scope } = line;
    const heads = new Map([['resource', canonicalHead(resource)]]);
    if (scope !== undefined) heads.set('scope', canonicalHead(scope));
    digest.add(canonicalJsonWith({ ...line }, heads));
  }
  return digest.finish();
}

function encodeLine(line: FixtureLine, facts: readonly KeyValue[]): string {
  const { resource, resourceSchemaUrl, scope, scopeSchemaUrl, span } = line;
  return encodeTracesJson({
    resourceSpans: [
      {
        resource: { ...resource, attributes: [...resource.attributes, ...facts] },
        scopeSpans: [
          {
            ...(scope === undefined ? {} : { scope }),
            spans: [span],
            ...(scopeSchemaUrl === undefined ? {} : { schemaUrl: scopeSchemaUrl }),
          },
        ],
        ...(resourceSchemaUrl === undefined ? {} : { schemaUrl: resourceSchemaUrl }),
      },
    ],
  });
}

/**
 * Writes a recording as a fixture (DESIGN section 7): OTLP/JSON lines, one span a line in start order, so that any OTel
 * tool can open it and a review shows a readable diff. The first line carries a digest over all. Gives one line after the other, each with
 * its end: all of a large recording may be longer than a text may be.
 */
export function* fixtureLines(data: TracesData): Generator<string> {
  const lines = linesOf(data).sort(compareLines);
  const digest = digestOfLines(lines);
  for (const [index, line] of lines.entries()) {
    const facts: KeyValue[] = [{ key: ATTR_REENACT_FIXTURE_VERSION, value: fromPlain(FIXTURE_VERSION) }];
    if (index === 0) facts.push({ key: ATTR_REENACT_FIXTURE_DIGEST, value: fromPlain(digest) });
    yield `${encodeLine(line, facts)}\n`;
  }
}

/** The same as one text. */
export function writeFixture(data: TracesData): string {
  return [...fixtureLines(data)].join('');
}

function damaged(where: string, message: string): ReenactError {
  return new ReenactError('fixture-damaged', message, {
    where,
    next: 'Export it again with `reenact export <id> --out <file>`, or take the file back from version control.',
  });
}

function decodeLine(text: string, where: string): TracesData {
  const decoded = decodeTracesJson(text);
  if (!decoded.ok) throw damaged(where, `This line is not OTLP/JSON: ${decoded.problem.message}`);
  if (decoded.rejected.count > 0)
    throw damaged(where, `A span of this line is damaged: ${describeRejections(decoded.rejected, 'span')}`);
  return decoded.data;
}

function checkVersion(data: TracesData, where: string): { isOurs: boolean; digest: string | undefined } {
  const attributes = toMap(data.resourceSpans[0]?.resource?.attributes?.filter(({ key }) => ownKeys.has(key)));
  const version = attributes.get(ATTR_REENACT_FIXTURE_VERSION);
  if (version !== undefined && version !== FIXTURE_VERSION) {
    throw new ReenactError(
      'unsupported',
      `This fixture has format version ${String(version)}; this Reenact reads version ${FIXTURE_VERSION}.`,
      {
        where,
        next: 'Upgrade reenact to the version that wrote the fixture.',
      },
    );
  }
  const digest = attributes.get(ATTR_REENACT_FIXTURE_DIGEST);
  return { isOurs: version !== undefined, digest: typeof digest === 'string' ? digest : undefined };
}

/**
 * Reads a fixture, or any OTLP/JSON lines file. Throws ReenactError `fixture-damaged` with the line where something is
 * not as it was written (a changed, cut or missing line included), `unsupported` for a newer format. `name` is the file's, whose lines
 * are given as one text or one by one.
 */
export function readFixture(text: string | Iterable<string>, name = 'fixture'): TracesData {
  const decoded: TracesData[] = [];
  let expected: string | undefined;
  let isOurs = false;
  let lineNumber = 0;
  for (const line of typeof text === 'string' ? text.split('\n') : text) {
    lineNumber += 1;
    if (line.trim() === '') continue;
    const where = `${name}:${lineNumber}`;
    const data = decodeLine(line, where);
    const facts = checkVersion(data, where);
    isOurs ||= facts.isOurs;
    expected ??= facts.digest;
    decoded.push(data);
  }
  const data: TracesData = { resourceSpans: decoded.flatMap(({ resourceSpans }) => resourceSpans) };
  const lines = linesOf(data);
  if (lines.length === 0) throw damaged(name, 'There is no span in this file.');
  if (isOurs && expected === undefined) throw damaged(name, 'The first line of this fixture is missing.');
  if (expected !== undefined && digestOfLines(lines.sort(compareLines)) !== expected) {
    throw damaged(name, 'This fixture was changed after it was exported: its content does not match its digest.');
  }
  return { resourceSpans: data.resourceSpans.map((group) => ({ ...group, resource: withoutOwnKeys(group.resource) })) };
}
