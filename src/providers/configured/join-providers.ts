// The providers as calls find them: the server's own key of each, and its deployments if the operator
// named some. What a file no longer names stays open until the end, because jobs that it accepted
// are still asked for, and calls in flight may use it.
import type { Deployment, Provider } from '../provider.ts'
import type { ReadModels } from './read-models.ts'

/** `fixed`: the providers that are there without a file. */
export function joinProviders(fixed: ReadonlyMap<string, Provider>, origins: Set<string>) {
  /** Those that have a key without a name. */
  const own = new Map(fixed)
  const providers = new Map<string, Provider>(own)
  const deployed = new Map<string, Map<string, Deployment>>()
  const opened = new Set<Provider>(own.values())

  function join({ endpoints, deployments }: Pick<ReadModels, 'endpoints' | 'deployments'>) {
    for (const [name, { provider, baseUrl, hasKey }] of endpoints) {
      opened.add(provider)
      origins.add(new URL(baseUrl).origin)
      // Without a key of its own, an endpoint with deployments only says how they are called.
      if (hasKey || !deployments.has(name)) own.set(name, provider)
    }
    for (const [name, list] of deployments) {
      const known = deployed.get(name) ?? new Map<string, Deployment>()
      deployed.set(name, known)
      for (const deployment of list) {
        known.set(deployment.name, deployment)
        opened.add(deployment.provider)
        if (deployment.baseUrl !== '') origins.add(new URL(deployment.baseUrl).origin)
      }
    }
    for (const name of [...own.keys(), ...deployments.keys()]) {
      const list = deployments.get(name)
      const base = own.get(name) ?? withoutBatches(list?.[0]?.provider)
      if (base) providers.set(name, list ? { ...base, deployments: list } : base)
    }
  }

  return {
    providers: providers as ReadonlyMap<string, Provider>,
    join,
    providerWith: (provider: string, deployment: string | null): Provider | undefined =>
      deployment === null ? own.get(provider) : deployed.get(provider)?.get(deployment)?.provider,
    close: async () => {
      await Promise.all([...opened].map((provider) => provider.close?.()))
    },
  }
}

/** A batch must be asked for with the key that it was submitted with, and does not name it. */
function withoutBatches(provider: Provider | undefined): Provider | undefined {
  if (!provider) return undefined
  const { batches: _, ...others } = provider
  return others
}
