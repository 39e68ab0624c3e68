import { inputView, outcomeView } from '@reenact/recordings';
import { type Crossing, type Recording, ReenactError } from '@reenact/trace-model';
import { type JsonPath, jsonPathText, parseJsonPath, valueAt } from '../recorded/json-path.ts';
import { EVIDENCE, excerptOf, WantedValue } from './find-value.ts';
import { LINKS_MAX, OTHER_SOURCES_MAX } from './limits.ts';
import { plainTree } from './plain-tree.ts';
import { RunValues } from './run-values.ts';
import type { Origin, OriginLink, OriginPlace, OriginReason, OriginSource, ValueOrigin } from './value-origin.ts';

type Part = 'input' | 'outcome';

interface Address {
  readonly part: Part;
  readonly path: JsonPath;
}

/** `$.x` and `input:$.x` are in the input, `output:$.x` in the outcome. */
function addressOf(text: string): Address {
  const match = /^(input|output):(.*)$/s.exec(text);
  return { part: match?.[1] === 'output' ? 'outcome' : 'input', path: parseJsonPath(match?.[2] ?? text) };
}

function crossingOf(recording: Recording, spanId: string): Crossing {
  const crossing = recording.bySpanId.get(spanId);
  if (crossing !== undefined) return crossing;
  throw new ReenactError('not-found', `The recording holds no crossing with span id ${spanId}.`, {
    where: spanId,
    next: 'Look at `reenact show <id>` for the span ids it holds.',
  });
}

function treeOf(crossing: Crossing, part: Part): unknown {
  return part === 'input' ? inputView(crossing) : outcomeView(crossing, { exact: false }).tree;
}

/** Where the other half of a crossing has what this one has not; empty where neither has. */
function otherPlace(crossing: Crossing, part: Part, path: JsonPath): string {
  const isAskedOfInput = part === 'input';
  const tree = treeOf(crossing, isAskedOfInput ? 'outcome' : 'input');
  if (tree === undefined || !('value' in valueAt(plainTree(tree), path))) return '';
  const [other, address] = isAskedOfInput ? ['outcome', 'output'] : ['input', 'input'];
  return `Its ${other} has one: ask for ${address}:${jsonPathText(path)}. `;
}

/** The value at an address: as values are recorded, else as the plain JSON they stand for. */
function askedValue(crossing: Crossing, { part, path }: Address): unknown {
  const tree = treeOf(crossing, part);
  const where = `${crossing.path}, ${part}`;
  if (tree === undefined) {
    throw new ReenactError('cold-case', `The ${part} of this crossing was not recorded.`, {
      where,
      next: 'Record with full capture to see where its values come from.',
    });
  }
  const exact = valueAt(tree, path);
  if ('value' in exact) return plainTree(exact.value);
  const plain = valueAt(plainTree(tree), path);
  if ('value' in plain) return plain.value;
  throw new ReenactError('bad-argument', `There is no ${jsonPathText(path)}: ${exact.missingAt} has ${exact.found}.`, {
    where,
    next: `${otherPlace(crossing, part, path)}Look at the whole value with \`reenact show <id> --json\`.`,
  });
}

/** A source that may be followed: where it was found, and as what. */
interface Candidate {
  readonly crossing: Crossing;
  readonly reason: OriginReason;
  readonly source: OriginSource;
}

interface Here {
  readonly crossing: Crossing;
  readonly part: Part;
}

class ValueTracer {
  private readonly run: RunValues;
  private readonly wanted: WantedValue;
  private readonly unrecorded = new Set<string>();
  private readonly visited = new Set<string>();
  readonly links: OriginLink[] = [];

  constructor(run: RunValues, wanted: WantedValue) {
    this.run = run;
    this.wanted = wanted;
  }

  private look(crossing: Crossing, part: Part, reason: OriginReason): Candidate[] {
    const tree = part === 'input' ? this.run.inputOf(crossing) : this.run.outcomeOf(crossing);
    if (tree === undefined) {
      this.unrecorded.add(`${crossing.path} (${part})`);
      return [];
    }
    const found = this.wanted.findIn(tree);
    const { path, spanId } = crossing;
    return found === undefined ? [] : [{ crossing, reason, source: { part, path, spanId, ...found } }];
  }

  /** Everything that could have brought the value to a place, earliest first: what went in around it, then what came out. */
  private candidatesFor({ crossing, part }: Here): Candidate[] {
    if (part === 'outcome') {
      return [
        ...this.look(crossing, 'input', 'own-input'),
        ...this.run.settledInside(crossing).flatMap((inside) => this.look(inside, 'outcome', 'inside')),
      ];
    }
    return [
      ...this.run
        .ancestorsOf(crossing)
        .reverse()
        .flatMap((around) => this.look(around, 'input', 'enclosing-input')),
      ...this.run.settledBefore(crossing).flatMap((earlier) => this.look(earlier, 'outcome', 'earlier-outcome')),
    ];
  }

  /** The model whose answer asked for this tool call: known by the call's id, so that no coincidence is followed. */
  private callerOf({ crossing, part }: Here, candidates: readonly Candidate[]): Candidate | undefined {
    const { toolCallId } = crossing;
    if (part !== 'input' || toolCallId === undefined) return undefined;
    const id = new WantedValue(toolCallId);
    const asking = candidates.findLast(
      (candidate) =>
        candidate.reason === 'earlier-outcome' &&
        candidate.crossing.kind === 'model' &&
        id.findIn(this.run.outcomeOf(candidate.crossing))?.evidence === 'equal',
    );
    return asking === undefined ? undefined : { ...asking, reason: 'tool-call' };
  }

  /** One step back, or undefined where nothing before holds the value. */
  private stepBack(here: Here): Candidate | undefined {
    const candidates = this.candidatesFor(here).filter(({ source }) => source.evidence !== 'part');
    const fresh = candidates.filter(({ crossing, source }) => !this.visited.has(`${source.part} ${crossing.spanId}`));
    const byEvidence = EVIDENCE.flatMap((evidence) => fresh.filter(({ source }) => source.evidence === evidence));
    const followed = this.callerOf(here, fresh) ?? byEvidence[0];
    if (followed === undefined) return undefined;
    const others = candidates.filter(
      ({ source }) => source.part !== followed.source.part || source.spanId !== followed.source.spanId,
    );
    this.links.push({
      reason: followed.reason,
      source: followed.source,
      others: others.slice(0, OTHER_SOURCES_MAX).map(({ source }) => source),
      otherTotal: others.length,
    });
    return followed;
  }

  /** Goes back until nothing before holds the value. */
  trace(crossing: Crossing, part: Part, asked: OriginPlace): Origin {
    let here: Here & { readonly place: OriginPlace } = { crossing, part, place: asked };
    while (this.links.length < LINKS_MAX) {
      this.visited.add(`${here.part} ${here.crossing.spanId}`);
      if (here.part === 'input' && here.crossing.spanId === this.run.root.spanId) {
        return { type: 'run-input', place: here.place };
      }
      const followed = this.stepBack(here);
      if (followed === undefined) break;
      here = { crossing: followed.crossing, part: followed.source.part, place: followed.source };
    }
    return this.endAt(here, here.place);
  }

  private endAt(here: Here, place: OriginPlace): Origin {
    const inside = this.run.settledInside(here.crossing);
    if (here.part === 'outcome' && inside.length === 0) return { type: 'crossing', place };
    const parts = this.candidatesFor(here).flatMap(({ source }) => (source.evidence === 'part' ? [source] : []));
    const last = (here.part === 'outcome' ? inside : this.run.settledBefore(here.crossing)).at(-1);
    return {
      type: 'own-code',
      ...(last === undefined ? {} : { after: { path: last.path, spanId: last.spanId } }),
      before: { path: here.crossing.path, spanId: here.crossing.spanId },
      parts: parts.slice(0, OTHER_SOURCES_MAX),
    };
  }

  notes(): string[] {
    const notes: string[] = [];
    if (this.wanted.isCommon) {
      notes.push('The value is short or common: an equal value elsewhere may be a coincidence.');
    }
    if (typeof this.wanted.value === 'object' && this.wanted.value !== null) {
      notes.push('The value has members: they may come from different places, ask for one of them.');
    }
    if (this.unrecorded.size > 0) {
      const [first = ''] = this.unrecorded;
      notes.push(
        `${this.unrecorded.size} earlier inputs and outcomes were not recorded and not searched, first ${first}.`,
      );
    }
    if (this.wanted.wasCut) notes.push('Some values were too large to search whole.');
    if (this.links.length >= LINKS_MAX) notes.push(`The chain was followed for ${LINKS_MAX} steps only.`);
    return notes;
  }
}

/**
 * Says where a value first appeared in its run. `address` is a JSON path into the input of the crossing, or with `output:`
 * before it into the outcome. Goes by values and not by data flow: two equal values are taken for one, and how sure that is
 * is told. Throws ReenactError `not-found`, `bad-argument` where the path leads nowhere, `cold-case` where the crossing's
 * value was not recorded.
 */
export function traceValue(recording: Recording, spanId: string, address: string): ValueOrigin {
  const crossing = crossingOf(recording, spanId);
  const { part, path } = addressOf(address);
  const value = askedValue(crossing, { part, path });
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? 'undefined');
  const asked: OriginPlace = {
    part,
    path: crossing.path,
    spanId,
    jsonPath: jsonPathText(path),
    excerpt: excerptOf(text),
  };
  const tracer = new ValueTracer(new RunValues(recording, crossing), new WantedValue(value));
  const origin = tracer.trace(crossing, part, asked);
  return { version: 1, traceId: recording.traceId, asked, links: tracer.links, origin, notes: tracer.notes() };
}
