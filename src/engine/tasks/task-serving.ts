// What serves a task: a model and its provider, called with the server's key or with the account's
// key that the task was ordered with. Never substitutes one key for the other: a job is asked for
// with the key that it was submitted with, also if the server has got other keys since.
import { type Catalogue, type CatalogueEntry, withStandIn } from '#core/catalogue.ts'
import { limited, type Timers } from '#core/clock.ts'
import { NodeFailure } from '#graph/node/node-failure.ts'
import type { Deployment, JobRef, Provider } from '#providers/provider.ts'
import type { TaskRow } from '#store/engine-store.ts'
import type { OpenedKey, ProviderKeys } from '../calls/provider-keys.ts'

export type ServingDeps = {
  catalogue: Catalogue
  providers: ReadonlyMap<string, Provider>
  /** With exactly this key of the server; null is the one without a name. */
  providerWith(provider: string, deployment: string | null): Provider | undefined
  providerKeys: Pick<ProviderKeys, 'use'>
}

export type Asked = { provider: Provider; credential?: OpenedKey['credential'] }

/**
 * Makes calls to the provider. A key of the account is read again for each of them, because it may
 * have been replaced or deleted since the last one; a NodeFailure says that it cannot be used.
 */
export type Ask = <T>(calls: (asked: Asked) => Promise<T>) => Promise<T>

export type Serving = {
  entry: CatalogueEntry
  /** The keys of the server, if it has several. */
  deployments?: readonly Deployment[] | undefined
  ask: Ask
}

export function servingOf(
  { catalogue, providers, providerWith, providerKeys }: ServingDeps,
  row: Pick<TaskRow, 'account_id' | 'credential_id' | 'deployment'> &
    Partial<Pick<TaskRow, 'request'>>,
  modelId: string,
): Serving | undefined {
  const { account_id: accountId, credential_id: id } = row
  const listed = catalogue.known(modelId)
  if (!listed) return undefined
  const entry = withStandIn(listed, row.request?.value.standIns)
  if (id !== null) {
    const use = { accountId, credential: { id }, provider: entry.provider }
    return { entry, ask: (calls) => providerKeys.use(use, calls) }
  }
  const known = providers.get(entry.provider)
  if (!known) return undefined
  /** Read for each call: the row names the key once something was submitted with it. */
  const ask: Ask = async (calls) => {
    const provider = providerWith(entry.provider, row.deployment)
    if (!provider) throw keyGone(entry.provider, row.deployment)
    return calls({ provider })
  }
  return { entry, deployments: known.deployments, ask }
}

function keyGone(provider: string, deployment: string | null): NodeFailure {
  const key = deployment === null ? 'key' : `deployment "${deployment}"`
  const message = `The server no longer has the ${key} of ${provider} with which this task was submitted.`
  return new NodeFailure('PROVIDER_OUTCOME_UNKNOWN', message)
}

const cancelTimeoutMs = 5_000

/** Asking is all that can be done; polling the job shows what came of it. */
export async function cancelJob({ ask }: Serving, ref: JobRef, timers: Timers): Promise<void> {
  const cancel = (signal: AbortSignal) =>
    ask(async ({ provider }) => provider.cancel?.(ref, { signal }))
  await limited(cancelTimeoutMs, cancel, timers).catch(() => undefined)
}
