import { canonicalJson, diffTrees, isTree, type JsonDiff } from '@reenact/trace-model';
import { changedLeaves } from '../equality/changed-leaves.ts';

/** The two inputs of a model call as they are compared. */
export interface InputTrees {
  readonly recorded: unknown;
  readonly live: unknown;
}

/** What differs in one part of two inputs. */
export interface PartDifference {
  readonly difference: JsonDiff;
  readonly leaves: readonly string[];
}

/** What became of the tools of a call, by their names; none of all where only their order differs. */
export interface ToolChanges {
  /** Each with its name before and now: nothing else of it differs. */
  readonly renamed: readonly (readonly [was: string, now: string])[];
  readonly changed: readonly string[];
  readonly removed: readonly string[];
  readonly added: readonly string[];
}

/** How two inputs of a model call differ: in the tools that it may use, and in everything else. */
export interface ModelInputDifference {
  readonly tools: (PartDifference & { readonly changes: ToolChanges }) | undefined;
  readonly rest: (PartDifference & { readonly members: readonly string[] }) | undefined;
}

type Tree = Record<string, unknown>;

const toolMembers = ['tools', 'functions'] as const;

/** The request of a call: a wrapper's only argument, or the body of an API request. */
function requestOf(tree: unknown): Tree {
  const request: unknown = Array.isArray(tree) ? tree[0] : tree;
  return isTree(request) ? request : {};
}

function toolName(tool: unknown, index: number): string {
  if (!isTree(tool)) return String(index);
  const { name } = isTree(tool.function) ? tool.function : tool;
  return typeof name === 'string' ? name : typeof tool.type === 'string' ? tool.type : String(index);
}

/** Tools by name, so that one that was put in between does not look like a change of all after it. */
function toolsByName(tree: unknown): Tree {
  const request = requestOf(tree);
  const named = toolMembers.flatMap((member) => {
    const tools: unknown[] = Array.isArray(request[member]) ? request[member] : [];
    return tools.map((tool, index) => [toolName(tool, index), tool] as const);
  });
  return Object.fromEntries(named);
}

function toolList(tree: unknown): unknown {
  const request = requestOf(tree);
  return toolMembers.map((member) => request[member] ?? null);
}

function onlyTools(tree: unknown): unknown {
  const request = requestOf(tree);
  return Object.fromEntries(toolMembers.flatMap((member) => (member in request ? [[member, request[member]]] : [])));
}

/** Whether both calls may use exactly the same tools. */
export function sameTools({ recorded, live }: InputTrees): boolean {
  return canonicalJson(toolList(recorded)) === canonicalJson(toolList(live));
}

function withoutTools(tree: unknown): unknown {
  if (Array.isArray(tree)) return [withoutTools(tree[0]), ...tree.slice(1)];
  if (!isTree(tree)) return tree;
  return Object.fromEntries(Object.entries(tree).filter(([key]) => !(toolMembers as readonly string[]).includes(key)));
}

function differenceOf(recorded: unknown, live: unknown): PartDifference | undefined {
  const difference = diffTrees(recorded, live);
  return difference.total === 0 ? undefined : { difference, leaves: changedLeaves(recorded, live) };
}

/** A description that names its tool is renamed with it. */
function withoutName(tool: unknown, name: string): string {
  return canonicalJson(tool).replaceAll(name, '');
}

function toolChanges(before: Tree, after: Tree): ToolChanges {
  const changed = Object.keys(before).filter(
    (name) => name in after && canonicalJson(before[name]) !== canonicalJson(after[name]),
  );
  const removed = Object.keys(before).filter((name) => !(name in after));
  const added = new Set(Object.keys(after).filter((name) => !(name in before)));
  const renamed: [string, string][] = [];
  for (const was of removed) {
    const now = [...added].find((name) => withoutName(after[name], name) === withoutName(before[was], was));
    if (now === undefined) continue;
    added.delete(now);
    renamed.push([was, now]);
  }
  const isRenamed = new Set(renamed.map(([was]) => was));
  return { renamed, changed, removed: removed.filter((name) => !isRenamed.has(name)), added: [...added] };
}

function toolDifference({ recorded, live }: InputTrees): ModelInputDifference['tools'] {
  const [before, after] = [toolsByName(recorded), toolsByName(live)];
  const changes = toolChanges(before, after);
  const byName = differenceOf({ tools: before }, { tools: after });
  if (byName !== undefined) return { ...byName, changes };
  // The same tools in another order, or under another member.
  const asListed = differenceOf(onlyTools(recorded), onlyTools(live));
  return asListed === undefined ? undefined : { ...asListed, changes };
}

/** The first step of a JSON path, below the list of arguments. */
function memberOf(path: string): string {
  return /^\$(?:\[0\])?\.?([\w-]+)/.exec(path)?.[1] ?? path;
}

/** Says how two inputs of a model call differ. */
export function modelInputDifference(trees: InputTrees): ModelInputDifference {
  const rest = differenceOf(withoutTools(trees.recorded), withoutTools(trees.live));
  const members = rest === undefined ? [] : [...new Set(rest.difference.entries.map(({ path }) => memberOf(path)))];
  return { tools: toolDifference(trees), rest: rest === undefined ? undefined : { ...rest, members } };
}
