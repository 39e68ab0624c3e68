import { type ComponentChildren, options, type VNode } from 'preact';

/** What turns the direction of the text behind it. */
const TURNS = /[\u202a-\u202e\u2066-\u2069]/g;

/**
 * Text with such characters written out, `\u202e`, as commands show it: obeyed, they have what a model or a customer wrote read as something else.
 * Scripts that are written from right to left need none of them.
 */
export function visibleDirections(text: string): string {
  return text.replace(TURNS, (turn) => `\\u${turn.charCodeAt(0).toString(16)}`);
}

function withVisible(children: ComponentChildren): ComponentChildren {
  if (typeof children === 'string') return visibleDirections(children);
  return Array.isArray(children) ? children.map(withVisible) : children;
}

/** Attributes of an element that are read, as texts are. */
const LABELS: readonly string[] = ['title', 'aria-label', 'alt'];

function showLabels(props: Record<string, unknown>): void {
  for (const label of LABELS) {
    const text = props[label];
    if (typeof text === 'string') props[label] = visibleDirections(text);
  }
}

/** Has every text and label of the page shown so, wherever it is drawn; the title of the page is its own affair. To be called before the first is. */
export function showDirections(): void {
  const before = options.vnode;
  options.vnode = (node: VNode) => {
    const { children } = node.props;
    if (typeof children === 'string' || Array.isArray(children)) node.props.children = withVisible(children);
    if (typeof node.type === 'string') showLabels(node.props as Record<string, unknown>);
    before?.(node);
  };
}
