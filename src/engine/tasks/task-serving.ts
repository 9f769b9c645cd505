// What serves a task: a model and its provider, called with the server's key or with the account's
// key that the task was ordered with. Never substitutes one key for the other.
import { type Catalogue, type CatalogueEntry, withStandIn } from '#core/catalogue.ts'
import { limited, type Timers } from '#core/clock.ts'
import type { JobRef, Provider } from '#providers/provider.ts'
import type { TaskRow } from '#store/engine-store.ts'
import type { OpenedKey, ProviderKeys } from '../calls/provider-keys.ts'

export type ServingDeps = {
  catalogue: Catalogue
  providers: ReadonlyMap<string, Provider>
  providerKeys: Pick<ProviderKeys, 'use'>
}

export type Asked = { provider: Provider; credential?: OpenedKey['credential'] }

/**
 * Makes calls to the provider. A key of the account is read again for each of them, because it may
 * have been replaced or deleted since the last one; a NodeFailure says that it cannot be used.
 */
export type Ask = <T>(calls: (asked: Asked) => Promise<T>) => Promise<T>

export type Serving = { entry: CatalogueEntry; ask: Ask }

export function servingOf(
  { catalogue, providers, providerKeys }: ServingDeps,
  row: Pick<TaskRow, 'account_id' | 'credential_id'> & Partial<Pick<TaskRow, 'request'>>,
  modelId: string,
): Serving | undefined {
  const { account_id: accountId, credential_id: id } = row
  const known = catalogue.known(modelId)
  if (!known) return undefined
  const entry = withStandIn(known, row.request?.value.standIns)
  if (id !== null) {
    const use = { accountId, credential: { id }, provider: entry.provider }
    return { entry, ask: (calls) => providerKeys.use(use, calls) }
  }
  const provider = providers.get(entry.provider)
  return provider && { entry, ask: (calls) => calls({ provider }) }
}

const cancelTimeoutMs = 5_000

/** Asking is all that can be done; polling the job shows what came of it. */
export async function cancelJob({ ask }: Serving, ref: JobRef, timers: Timers): Promise<void> {
  const cancel = (signal: AbortSignal) =>
    ask(async ({ provider }) => provider.cancel?.(ref, { signal }))
  await limited(cancelTimeoutMs, cancel, timers).catch(() => undefined)
}
