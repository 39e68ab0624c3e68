import type { Context } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { withSender } from '@reenact/instrumentation';

/** OpenTelemetry's context manager, in whose contexts exporters are told from others that suppress tracing around what they do. */
export class SenderAwareContexts extends AsyncLocalStorageContextManager {
  override with<Parameters extends unknown[], Work extends (...parameters: Parameters) => ReturnType<Work>>(
    entered: Context,
    work: Work,
    self?: ThisParameterType<Work>,
    ...parameters: Parameters
  ): ReturnType<Work> {
    return super.with(withSender(entered, this.with), work, self, ...parameters);
  }

  override bind<Target>(entered: Context, target: Target): Target {
    return super.bind(withSender(entered, this.bind), target);
  }
}
