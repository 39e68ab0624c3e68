import { type Stage, setStage } from '../../stage.ts';
import { ledgerPath } from './ledger.ts';
import { startTradingProvider, type TradingProvider } from './trading-provider.ts';

/** The provider, the collector and the trading agent. */
export interface TradingStage extends Stage {
  readonly provider: TradingProvider;
}

const agentFolder = new URL('../agent', import.meta.url).pathname;

/** With a key of the user's the agent talks to the real provider, unless TRADING_LOCAL_PROVIDER=1. */
function providerEnvironment(provider: TradingProvider): NodeJS.ProcessEnv {
  const isReal = (process.env.OPENAI_API_KEY ?? '') !== '' && process.env.TRADING_LOCAL_PROVIDER !== '1';
  return isReal ? {} : { OPENAI_BASE_URL: provider.baseUrl, OPENAI_API_KEY: 'local' };
}

/** Sets the stage for the incident. */
export async function setTradingStage(): Promise<TradingStage> {
  const provider = await startTradingProvider();
  try {
    const stage = await setStage({
      agentFolder,
      environment: (folder) => ({
        OTEL_SERVICE_NAME: 'trading',
        TRADING_LEDGER: ledgerPath(folder),
        ...providerEnvironment(provider),
      }),
    });
    const stop = async (): Promise<void> => {
      await stage.stop();
      await provider.stop();
    };
    return {
      folder: stage.folder,
      collectorUrl: stage.collectorUrl,
      grpcUrl: stage.grpcUrl,
      access: stage.access,
      node: (parameters, environment) => stage.node(parameters, environment),
      start: (parameters, environment) => stage.start(parameters, environment),
      reenact: (parameters, environment) => stage.reenact(parameters, environment),
      reenactCommand: (parameters, environment) => stage.reenactCommand(parameters, environment),
      stopCollector: () => stage.stopCollector(),
      provider,
      stop,
    };
  } catch (error) {
    await provider.stop();
    throw error;
  }
}
