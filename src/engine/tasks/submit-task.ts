import { type Catalogue, type CatalogueEntry, ownerOf } from '#core/catalogue.ts'
import type { TimedClock } from '#core/clock.ts'
import type {
  InputImage,
  SubmitTask,
  SubmitTasks,
  TaskRequest,
  TaskSubmission,
} from '#core/generation.ts'
import { TimeUp } from '#core/interruptions.ts'
import type { StandIns } from '#core/pricing.ts'
import { choicesOf } from '#core/principal.ts'
import { toSearchText } from '#core/search-text.ts'
import { Stop } from '#core/stop.ts'
import type { Ledger, NewTask } from '#store/engine-store.ts'
import { hasSpendLimit, unpricedModel } from '../calls/spend-limit.ts'
import type { Admission, SpendQueue } from '../calls/spend-queue.ts'
import { mostOfAny, priceKnown, taskModels } from './task-models.ts'

export type SubmitTaskDeps = {
  ledger: Pick<Ledger, 'store'>
  clock: TimedClock
  spending: Pick<SpendQueue, 'admit'>
  catalogue: Catalogue
  /** Checks an address, or saves the bytes of a data URL in the media store. */
  acceptImage(accountId: string, url: string, role?: 'mask'): Promise<InputImage>
  queueTimeoutMs: number
  /** How long a submission may wait for room under a spend limit. */
  roomTimeoutMs: number
}

const previewLength = 200

/** `deadlineMs`: replaces the time limits of the task. `key`: under which others find its answer. */
type OrderingRun = {
  runId: string
  nodeId: string
  deadlineMs: number | undefined
  key: string | null
}

/** A task ordered by a caller or by a node of a run. */
export type TaskOrder = TaskSubmission & {
  run?: OrderingRun
  /** A provider key of the account, which is used in place of the server's. */
  credentialId?: string | null
  /** The run that orders it has a maxCost. */
  isCostLimited?: boolean
}

/** `spend`: what must fit the spender's limits when it is stored; null if nothing limits it. */
export type OrderedTask = {
  spend: Pick<Admission, 'spender' | 'neededMicros'> | null
  task(): NewTask
}

/** Stores the task; once this resolves it survives anything. */
export function createTaskSubmitter(deps: SubmitTaskDeps): SubmitTask {
  const submitAll = createTasksSubmitter(deps)
  return async (submission) => {
    const [task] = await submitAll([submission])
    if (!task) throw new Error('a submission stored no task')
    return task
  }
}

/** The same for several tasks of one account, in one transaction. */
export function createTasksSubmitter(deps: SubmitTaskDeps): SubmitTasks {
  const order = createTaskOrders(deps)
  return async (submissions) => {
    const orders: OrderedTask[] = []
    for (const submission of submissions) orders.push(await order(submission))
    const intent = { tasks: () => orders.map(({ task }) => task()) }
    const spend = together(orders)
    if (!spend) return deps.ledger.store(submissions[0]?.principal.accountId ?? '', intent)
    const until = new Stop()
    const callOff = deps.clock.after(deps.roomTimeoutMs, () => until.abort(new TimeUp()))
    return deps.spending.admit({ ...spend, until, isOfRun: false, intent }).finally(callOff)
  }
}

/** They are stored together, so that they need room together. */
function together(orders: readonly OrderedTask[]): OrderedTask['spend'] {
  const spends = orders.map(({ spend }) => spend).filter((spend) => spend !== null)
  const [first] = spends
  if (!first) return null
  const neededMicros = spends.reduce<number | null>(
    (sum, { neededMicros }) => (sum === null || neededMicros === null ? null : sum + neededMicros),
    0,
  )
  return { spender: first.spender, neededMicros }
}

/** Accepts the pictures of a task; whoever orders the task stores it. */
export function createTaskOrders(deps: SubmitTaskDeps) {
  return async (order: TaskOrder): Promise<OrderedTask> => {
    const { principal, kind, modelId, run, credentialId = null } = order
    const { imageUrl, referenceUrls = [], maskUrl, ...rest } = order.request
    const accept = (url: string) => deps.acceptImage(principal.accountId, url)
    const image = imageUrl === undefined ? undefined : await accept(imageUrl)
    const references: InputImage[] = []
    for (const url of referenceUrls) references.push(await accept(url))
    const mask =
      maskUrl === undefined
        ? undefined
        : await deps.acceptImage(principal.accountId, maskUrl, 'mask')
    const accepted = {
      ...rest,
      ...(image ? { image } : {}),
      ...(references.length > 0 ? { references } : {}),
      ...(mask ? { mask } : {}),
    }
    const owner = ownerOf(credentialId)
    const choices = { ...choicesOf(principal), owner }
    const { entry, makers } = taskModels(deps.catalogue, modelId, choices)
    const route = entry?.route
    const neededMicros = mostOfAny(makers, kind, accepted)
    const isLimited = hasSpendLimit(principal)
    const isCostLimited = isLimited || order.isCostLimited === true
    // A fallback without a price is left out; a model that was asked for is refused by name.
    const [first] = route ? [] : makers
    const isUnpriced = neededMicros === null || (first && !priceKnown(first, kind, accepted))
    if (isCostLimited && entry && isUnpriced) throw unpricedModel(modelId)
    const request: TaskRequest = {
      ...accepted,
      ...(isCostLimited ? { isCostLimited } : {}),
      ...standInsFor(entry, principal.standIns),
      ...(route ? { route } : {}),
    }
    // What is free passes every limit.
    const spend = isLimited && neededMicros !== 0 ? { spender: principal, neededMicros } : null
    const task = (): NewTask => {
      const nowMs = deps.clock.nowMs()
      return {
        account_id: principal.accountId,
        key_id: principal.keyId,
        kind,
        model: modelId,
        prompt_preview: preview(order),
        search_text: toSearchText(order.request.prompt),
        request: JSON.stringify(request),
        source: run ? 'WORKFLOW' : 'DIRECT',
        run_id: run?.runId ?? null,
        node_id: run?.nodeId ?? null,
        credential_id: credentialId,
        tag: principal.tag ?? null,
        ignored: order.ignored?.length ? JSON.stringify(order.ignored) : null,
        reserved_micros: neededMicros ?? 0,
        run_at: nowMs,
        deadline_at: run?.deadlineMs ?? nowMs + deps.queueTimeoutMs,
        must_end_by: run?.deadlineMs ?? null,
        reuse_key: run?.key ?? null,
      }
    }
    return { spend, task }
  }
}

/** Kept with the task, because the worker that executes it does not know who ordered it. */
function standInsFor(entry: CatalogueEntry | undefined, standIns: StandIns | undefined) {
  if (!entry || !standIns) return {}
  // Of a route, the fallbacks are only those that can be used without stand-ins.
  const routed = entry.route?.candidates.map(({ model }) => model) ?? []
  const served = [entry.model.id, ...entry.fallbacks, ...routed]
  const own = Object.entries(standIns).filter(([model]) => served.includes(model))
  return own.length > 0 ? { standIns: Object.fromEntries(own) } : {}
}

/** Cut between characters, without those that a text column cannot hold. */
function preview({ request: { prompt } }: TaskSubmission): string {
  const clean = prompt
    .slice(0, previewLength * 2)
    .toWellFormed()
    .replaceAll('\0', ' ')
  return Array.from(clean).slice(0, previewLength).join('')
}
