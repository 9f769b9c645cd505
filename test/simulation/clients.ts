// Those who use the server: they submit runs and tasks, ask again if no answer comes, and cancel.
import type { Spender } from '#core/generation.ts'
import { CommitUnknown } from '#store/db.ts'
import type { Answer, Services, SimulatedProcess } from './process.ts'
import { newActor, type Scheduler } from './scheduler.ts'
import { accounts, approvalSeconds, limitOf, type StoredWorkflow } from './workflows.ts'

export type Promised = {
  /** Answered with 202: the id of the run, by key. */
  runs: Map<
    string,
    { id: string; accountId: string; hasWebhook: boolean; maxCostMicros: number | null }
  >
  tasks: Set<string>
  /** Who was told that their decision counts, and what it was, by key of the run. */
  decisions: Map<string, { by: string; decision: Answer['decision'] }>
  /** Everybody has their answer. */
  isDone(): boolean
}

type ClientDeps = {
  scheduler: Scheduler
  workflows: ReadonlyMap<string, readonly StoredWorkflow[]>
  /** A process that takes requests, if there is one. */
  reachable(): SimulatedProcess | undefined
  violate(what: string): void
  isLarge: boolean
}

const spenderOf = (accountId: string): Spender => ({
  ...{ accountId, keyId: null, limits: {} },
  accountSpendPerMonthMicros: limitOf(accountId),
})

const patienceMs = 10_000

export function startClients(deps: ClientDeps): Promised {
  const { random } = deps.scheduler
  const promised: Promised = {
    ...{ runs: new Map(), tasks: new Set(), decisions: new Map() },
    isDone: () => waiting === 0,
  }
  let waiting = 0
  const ask = (
    name: string,
    inMs: number,
    call: (services: Services) => Promise<'done' | 'again'>,
  ) => {
    waiting++
    keepAsking(deps, name, inMs, call, () => void waiting--)
  }
  const runs = deps.isLarge ? 2 + random.below(2) : random.chance(0.08) ? 2 : 1
  for (let i = 1; i <= runs; i++) {
    const submission = chooseRun(deps, `k${i}`)
    const submit = submitting(deps, promised, submission)
    ask(`client ${i}`, random.below(2_000), submit)
    // Somebody who is impatient asks twice.
    if (random.chance(0.15)) ask(`client ${i}'`, random.below(2_000), submit)
    for (const by of submission.isWaiting ? ['ann', 'bob'].filter(() => random.chance(0.6)) : []) {
      ask(
        `${by} ${i}`,
        random.below(1_500 * approvalSeconds),
        deciding(deps, promised, submission, by),
      )
    }
    if (random.chance(0.2)) {
      const { key, principal } = submission
      ask(`canceller ${i}`, random.below(15_000), async ({ cancelRun }) => {
        const run = promised.runs.get(key)
        if (run) await cancelRun(principal, run.id)
        return 'done'
      })
    }
  }
  if (random.chance(0.2)) ask('client of a task', random.below(2_000), ordering(deps, promised))
  return promised
}

/** Room for two texts that are lost, or for two pictures and some texts. */
const maxCosts = [2_500, 85_000]

type Submission = Parameters<Services['submitRun']>[0] & { isWaiting: boolean }

function chooseRun({ scheduler: { random }, workflows }: ClientDeps, key: string): Submission {
  const accountId = random.pick(accounts)
  const workflow = random.pick(workflows.get(accountId) ?? [])
  return {
    principal: spenderOf(accountId),
    ...{ key, fingerprint: key, metadata: {}, retryOf: null },
    workflow: { id: workflow.id, name: 'w', version: 1, dataVersion: 1 },
    ...{ called: workflow.called, nodeCount: workflow.nodeCount },
    inputs: JSON.stringify(workflow.inputsFor(key)),
    callbackUrl: random.chance(0.6) ? 'https://hook.test/' : null,
    maxCostMicros: random.chance(0.2) ? random.pick(maxCosts) : null,
    isWaiting: workflow.isWaiting,
  }
}

const submitting =
  ({ violate }: ClientDeps, promised: Promised, submission: Submission) =>
  async ({ submitRun }: Services) => {
    const { isWaiting, ...order } = submission
    const { key, principal, callbackUrl, maxCostMicros } = order
    const { id } = await submitRun(order)
    const known = promised.runs.get(key)
    if (known && known.id !== id) violate(`the key ${key} has two runs`)
    const { accountId } = principal
    promised.runs.set(key, { id, accountId, hasWebhook: callbackUrl !== null, maxCostMicros })
    return 'done' as const
  }

/** Somebody decides about a run that waits for it; two may do so at once. */
function deciding(
  { violate, scheduler: { random } }: ClientDeps,
  { runs, decisions }: Promised,
  { key, isWaiting }: Submission,
  by: string,
) {
  const decision = random.chance(0.7) ? ('approve' as const) : ('reject' as const)
  return async ({ answer }: Services) => {
    const run = runs.get(key)
    if (!isWaiting || !run) return isWaiting ? ('again' as const) : ('done' as const)
    const wait = await answer({ accountId: run.accountId, runId: run.id, by, decision })
    if (!wait) return 'again' as const
    if (wait.status === 'ANSWERED' && wait.answered_by === by) {
      const earlier = decisions.get(key)
      if (earlier && earlier.by !== by) violate(`${earlier.by} and ${by} decided ${key}`)
      decisions.set(key, { by, decision })
    }
    return 'done' as const
  }
}

/** A task has no key: it is asked for again only if it was certainly not stored. */
const ordering =
  ({ scheduler: { random } }: ClientDeps, promised: Promised) =>
  async ({ submitTask }: Services) => {
    const request = { prompt: `direct ${random.below(1000)}` }
    const order = { modelId: 'pictures', kind: 'IMAGE' as const, request }
    try {
      const { id } = await submitTask({ ...order, principal: spenderOf(accounts[0]) })
      promised.tasks.add(id)
    } catch (error) {
      if (!(error instanceof CommitUnknown)) return 'again' as const
    }
    return 'done' as const
  }

/** Asks some process, and another one if there is no answer in time. */
function keepAsking(
  { scheduler, reachable }: ClientDeps,
  name: string,
  inMs: number,
  call: (services: Services) => Promise<'done' | 'again'>,
  done: () => void,
): void {
  const actor = newActor(name)
  let isDone = false
  const end = () => {
    if (!isDone) done()
    isDone = true
  }
  const attempt = () => {
    if (isDone) return
    const again = (afterMs: number) => scheduler.addIn(afterMs, actor, 'asks', attempt)
    const services = reachable()?.services
    if (!services) return void again(1_000)
    const cancel = again(patienceMs)
    const retry = () => {
      cancel()
      again(1_000)
    }
    const ended = () => {
      cancel()
      end()
    }
    call(services).then((how) => (how === 'done' ? ended() : retry()), retry)
  }
  scheduler.addIn(inMs, actor, 'asks', attempt)
}
