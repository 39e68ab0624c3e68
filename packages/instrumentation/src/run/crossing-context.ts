import { type Context, type Span, trace } from '@opentelemetry/api';
import type { Position } from '../gate/player.ts';
import { type CrossingScope, SCOPE_KEY, withScope } from './crossing-scope.ts';
import { POSITION_KEY, withPosition } from './position.ts';

/** What a crossing sets for all that is inside it. */
export interface InsideCrossing {
  readonly span: Span;
  readonly scope: CrossingScope;
  /** Undefined: as around it. */
  readonly position: Position | undefined;
}

/** The key is the API's own: it is learnt by watching the API ask for it. */
function spanKeyOfApi(): symbol | undefined {
  let key: symbol | undefined;
  const probe: Context = {
    getValue: (asked) => {
      key = asked;
      return undefined;
    },
    setValue: () => probe,
    deleteValue: () => probe,
  };
  trace.getSpan(probe);
  return key;
}

const SPAN_KEY = spanKeyOfApi();

/**
 * A context with three values of its own over another one. The API's contexts copy all their values and make three functions for
 * each value that is set, which is much of what a crossing costs. It never lies on top of another of its kind.
 */
class CrossingContext implements Context {
  readonly below: Context;
  private readonly span: unknown;
  private readonly scope: unknown;
  readonly position: unknown;

  constructor(below: Context, span: unknown, scope: unknown, position: unknown) {
    this.below = below;
    this.span = span;
    this.scope = scope;
    this.position = position;
  }

  getValue(key: symbol): unknown {
    if (key === SPAN_KEY) return this.span;
    if (key === SCOPE_KEY) return this.scope;
    if (key === POSITION_KEY) return this.position;
    return this.below.getValue(key);
  }

  setValue(key: symbol, value: unknown): Context {
    const { below, span, scope, position } = this;
    if (key === SPAN_KEY) return new CrossingContext(below, value, scope, position);
    if (key === SCOPE_KEY) return new CrossingContext(below, span, value, position);
    if (key === POSITION_KEY) return new CrossingContext(below, span, scope, value);
    return new CrossingContext(below.setValue(key, value), span, scope, position);
  }

  deleteValue(key: symbol): Context {
    const isOwn = key === SPAN_KEY || key === SCOPE_KEY || key === POSITION_KEY;
    if (isOwn) return this.setValue(key, undefined);
    const { below, span, scope, position } = this;
    return new CrossingContext(below.deleteValue(key), span, scope, position);
  }
}

/** The context for what is inside a crossing: the values of `base`, and the crossing's span, scope and position. */
export function crossingContext(base: Context, { span, scope, position }: InsideCrossing): Context {
  if (SPAN_KEY === undefined) {
    const inside = withScope(trace.setSpan(base, span), scope);
    return position === undefined ? inside : withPosition(inside, position);
  }
  const below = base instanceof CrossingContext ? base.below : base;
  return new CrossingContext(below, span, scope, position ?? base.getValue(POSITION_KEY));
}
