import { Component, type ComponentChildren } from 'preact';
import { FailureNotice } from './failure-notice.tsx';

interface DrawingGuardProps {
  readonly children: ComponentChildren;
}

/** Shows what went wrong where something could not be drawn; without it, the whole page would be empty. */
export class DrawingGuard extends Component<DrawingGuardProps, { error?: unknown }> {
  override state: { error?: unknown } = {};

  static override getDerivedStateFromError(error: unknown): { error: unknown } {
    return { error };
  }

  override render() {
    if (!('error' in this.state)) return this.props.children;
    return (
      <main>
        <FailureNotice error={this.state.error} onAgain={() => location.reload()} />
      </main>
    );
  }
}
