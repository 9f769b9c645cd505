// Submits a task to a provider, once: the intent is stored before the call, a refusal after it.
import type { CatalogueEntry } from '#core/catalogue.ts'
import { ProviderError, type Submitted } from '#providers/provider.ts'
import { firstOfKeys, providerOf } from '../calls/deployments.ts'
import { asProviderError } from '../calls/provider-failure.ts'
import { untilCertain } from '../work/lease-keeper.ts'
import { holdTaskPictures } from './task-pictures.ts'
import type { Asked, Serving } from './task-serving.ts'
import { inLane, mediaRequest, type TaskDeps, type TaskWork } from './task-work.ts'
import { recordIntent, recordRefusal } from './task-writes.ts'

/** With one key after the other, if the server has several: each only if the one before refused. */
export function submit(deps: TaskDeps, work: TaskWork, serving: Serving): Promise<Submitted> {
  const { entry, deployments, ask } = serving
  if (!deployments) return ask(async (asked) => submitTo(deps, work, { entry, ...asked }))
  return firstOfKeys(deps, { entry, deployments, medium: 'media' }, async (at) => {
    const provider = providerOf(deps.providers, at)
    if (!provider) throw new Error(`the deployment ${at.deployment} is gone`)
    return submitTo(deps, work, { entry: at, provider })
  })
}

async function submitTo(
  deps: TaskDeps,
  work: TaskWork,
  { entry, provider, credential }: { entry: CatalogueEntry } & Asked,
): Promise<Submitted> {
  const { row } = work
  const makeCall = provider.submit
  if (!makeCall)
    throw new ProviderError('invalid', {
      outcome: 'not_sent',
      message: `${provider.name} makes no ${row.kind.toLowerCase()}s`,
    })
  const served = { ...entry, credentialId: row.credential_id }
  return inLane(deps, work, served, async () => {
    const { release, ...pictures } = await holdTaskPictures(deps, work, entry.model)
    try {
      await recordIntent(deps, work, { entry, credential: credential?.name })
      await untilCertain(work, deps.clock)
      const call = { signal: work.signal, taskId: row.id }
      const request = mediaRequest(work, entry.providerModel, pictures)
      return await makeCall(request, call).catch(async (thrown: unknown) => {
        const error = asProviderError(thrown)
        if (error.outcome !== 'unknown' && !error.billed) await recordRefusal(deps, work)
        throw error
      })
    } finally {
      release()
    }
  })
}
