import type { BoundaryKind, CanonicalPolicy, CaptureLevel, Effect, ErrorClass, ValueClass } from '@reenact/trace-model';
import type { SemconvView } from '../../gate/boundary-definition.ts';
import type { AnsweredCall } from './answered-call.ts';
import type { ClientStep } from './client-step.ts';
import type { ConnectionState } from './connection-state.ts';
import type { RowFeed } from './row-feed.ts';

export type ClientClass = new (...parameters: unknown[]) => object;

/** One call of a listed method, as the definition's own functions see it. */
export interface ClientCall {
  readonly method: string;
  readonly parameters: readonly unknown[];
  /** How the object was made from the client; empty for the client itself. */
  readonly steps: readonly ClientStep[];
}

/** One call of a method that a definition takes the place of. */
export interface AroundCall {
  readonly parameters: readonly unknown[];
  /** Whether a replay answers, so that the client itself is to be left alone. */
  isReplayed(): boolean;
  /** An object of the client's behind the gate, as if the method had given it; undefined: what stands in for it in a replay. */
  give(shape: ReturnedObject, real: object | undefined): object;
  /** Calls one of the client's own methods. */
  call(method: string, parameters: readonly unknown[]): unknown;
  /** A crossing of its own: `run` is what happened, or what is to happen where it is asked to run live. */
  cross(method: string, description: ClientMethod, run: () => unknown): unknown;
}

/** What a call has asked to be told of, for as long as its connection is there. */
export interface Announcements {
  /** Events of the object that tell it. */
  readonly events: readonly string[];
  /** The function that is told, where it is none of those who listen to the object: of one event, with its arguments. */
  readonly listener?: unknown;
  /** What is recorded of an event's arguments, and is what a replay gives. Default: all of them. */
  keep?(parameters: readonly unknown[]): readonly unknown[];
  /** Whether an event, by its name and arguments, was asked for by this call. */
  isOf(event: string, parameters: readonly unknown[]): boolean;
}

/** What people see of a call, beside its name. */
export interface ClientCallView extends SemconvView {
  /** Name of the span. Default `<kind> <crossing name>`. */
  readonly name?: string;
}

/** An object that a listed method gives: a prepared statement, a cursor, a connection. */
export interface ReturnedObject {
  /** By name, or by symbol for the iterator of a cursor. */
  readonly methods: Readonly<Record<PropertyKey, ClientMethod>>;
  /**
   * Every other method is a step: it is called, or noted, and gives the object itself. For command pipelines. Of a member, all of them may be
   * steps of the object whose member it is, which they give.
   */
  readonly otherMethods?: 'steps' | 'steps of its holder';
  /** Members that hold an object whose methods are crossings, too: what a client with promises stands on. */
  readonly members?: Readonly<Record<string, ReturnedObject>>;
  /**
   * Members that hold plain values and do not change once the object is given, such as whether a statement gives rows: recorded beside it, and
   * a stand-in says the same.
   */
  readonly fields?: readonly string[];
  /** Members whose plain value the server or the object's state tells: each reading is a crossing. */
  readonly getters?: Readonly<Record<string, ClientMethod>>;
  /** How it says whether it is connected. */
  readonly connection?: ConnectionState;
  /** A method that the application added to the object itself; undefined where a member is none. */
  readonly added?: (object: object, name: string) => ClientMethod | undefined;
  /**
   * An object of its class that does nothing and is connected to nothing; `maker`: the object whose method gave it; `holder`: what the
   * application wrapped. A replay reads from it what is no method, `instanceof` sees its class, and listeners are its own. Undefined
   * where there is none.
   */
  readonly likeness?: (maker: object, holder: object) => object | undefined;
}

/** What is known about one method. Its call shape is not told but seen: synchronous, promise, iterator. */
export interface ClientMethod {
  /** Of the crossing. Default `<name of the client>.<method>`. */
  readonly name?: string;
  /** Default: the client's. */
  readonly effect?: Effect | ((call: ClientCall) => Effect);
  /**
   * A function given as the last argument is a callback. Its arguments are the outcome; a replay calls it with them once,
   * asynchronously where it was called asynchronously. Of a driver whose methods give a promise as well, a replay gives one, too.
   */
  readonly callback?: true | 'beside a promise';
  /**
   * What the method gives, or its promise or callback: an object whose methods are crossings too, or (`this`) the object
   * the method was called on, or (`alike`) another one of its kind. Such an outcome is not recorded: it holds a live connection.
   */
  readonly returns?: ReturnedObject | 'this' | 'alike';
  /**
   * `step`: no crossing but a step towards one, which does nothing to the world by itself. `setting`: a step of which the
   * last one counts. `aside`: not even a step, such as listening to an event; a replay without a live object leaves it out.
   * `composed`: made of the object's other methods, and does nothing to the world but by them. Its own code runs, in a replay, too,
   * and the listed methods that it calls are crossings.
   */
  readonly as?: 'crossing' | 'step' | 'setting' | 'aside' | 'composed';
  /**
   * Of a composed method of that object: calls `run`, which is its own code, where that does not find the other methods by itself.
   * `proxy`: what the host holds in the place of the object.
   */
  readonly composing?: (
    object: object,
    parameters: readonly unknown[],
    run: (parameters: readonly unknown[]) => unknown,
    proxy: object,
  ) => unknown;
  /** Told of each call before it is made or answered, with what the host holds in the place of the object. */
  readonly asked?: (proxy: object) => void;
  /** Takes the method's place, for one that runs the host's code, such as a transaction. */
  readonly around?: (call: AroundCall) => unknown;
  /**
   * It ends the connection; `at once`: without a promise. Answered in a replay in which calls ran live, it is called on the client as well, or
   * theirs stayed open.
   */
  readonly closes?: true | 'at once';
  /** The arguments are not recorded: they hold credentials. */
  readonly hidesArguments?: true;
  /** What comes of a call beside its result and is not recorded, in a word or two: a replay goes without it, and says so. */
  readonly loses?: string | ((call: ClientCall) => string | undefined);
  /** What the call asks to be told of later; undefined where nothing. It is recorded for as long as the run goes on. */
  readonly announces?: (call: ClientCall) => Announcements | undefined;
  /** Told in the same tick of a live object that the method gave. */
  readonly gave?: (given: object) => void;
  /** The part of the result that is recorded, where the whole of it cannot be: a replay gives that part. */
  readonly keep?: (result: unknown) => unknown;
  /** What the client does to its arguments before it asks anybody: done in a replay, too, inside the crossing. */
  readonly prepare?: (call: AnsweredCall) => void;
  /** What a replay gives for the part that was recorded, where the driver's own class can be made again without a connection. */
  readonly revive?: (kept: unknown, call: AnsweredCall) => unknown;
  /** How rows come through an object of the driver, where the method gives one that iteration does not show. */
  readonly feed?: RowFeed;
}

/** As `Reflect.construct`. */
export type MakeHeld = (
  target: ClientClass,
  parameters: readonly unknown[],
  newTarget: { readonly prototype: object },
) => object;

/** How `boundary.client` records a client. */
export interface ClientDefinition<MethodName extends string = string> {
  readonly kind: BoundaryKind;
  /** First part of the crossings' names. Default: the name of the object's class. */
  readonly name?: string;
  /** What the application calls this client, in the place of that first part: one of several of a driver (docs/adr/0046). */
  readonly ownName?: string;
  /** Methods that are crossings; everything else is left to the client. */
  readonly methods: readonly MethodName[] | { readonly [Name in MethodName]?: ClientMethod };
  /** Members that hold an object whose methods are crossings, too. */
  readonly members?: Readonly<Record<string, ReturnedObject>>;
  /** Members whose plain value the server or the client's state tells: each reading is a crossing. */
  readonly getters?: Readonly<Record<string, ClientMethod>>;
  /** The constructor of a wrapped class does nothing to the world, and runs in a replay, too: then members are there to be read. */
  readonly isInert?: true;
  /** Makes an instance of a wrapped class in a replay, which connects only where a call of it runs live. Without it none is made there. */
  readonly makeHeld?: MakeHeld;
  /**
   * The constructor of a wrapped class puts no members on what it makes: one that is not of the class, such as a mark that a library may have left,
   * is undefined on a stand-in. Without it reading that is refused.
   */
  readonly isBare?: true;
  /**
   * The list of methods has all that ask the server. Another method that gives a promise, a stream or an object of the client's is then a gap: the agent that
   * calls it is marked, as one that opens a connection which nothing records.
   */
  readonly isWhole?: true;
  /** How the client says whether it is connected, which in a replay it never is. */
  readonly connection?: ConnectionState;
  /** A method that the application added to a client; undefined where a member is none. */
  readonly added?: (client: object, name: string) => ClientMethod | undefined;
  /** Of methods that say nothing else. Default: by kind; a database counts as write. */
  readonly effect?: Effect;
  readonly capture?: CaptureLevel;
  /** Error classes whose instances a replay throws again as themselves. */
  readonly errors?: readonly ErrorClass[];
  /** Classes whose instances, as arguments or results, a replay makes again as themselves. */
  readonly values?: readonly ValueClass[];
  readonly policy?: CanonicalPolicy;
  /** What is recorded and compared of a call's arguments, where some hold what is alive, such as a session with its client. */
  readonly keptArguments?: (parameters: readonly unknown[]) => readonly unknown[];
  /** The arguments as the client itself gets them, where the application gives objects that stand behind the gate. */
  readonly ownArguments?: (parameters: readonly unknown[]) => readonly unknown[];
  /**
   * A replay has answered a call in the place of `object`: notes what the client would know by its own answer. `error`: what the call
   * failed with.
   */
  readonly answered?: (call: ClientCall, object: object | undefined, error?: unknown) => void;
  readonly view?: (call: ClientCall) => ClientCallView;
}
