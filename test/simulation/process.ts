// One simulated process: the engine as `app` joins it, on a clock, a database and a network that
// the seed controls. Killing it takes away everything it has in memory.
import { cancelWorkflowRun } from '#api/public/runs/cancel-workflow-run.ts'
import { openEngine } from '#app/engine.ts'
import type { Base, Stores } from '#app/stores.ts'
import { startWork } from '#app/work.ts'
import type { World } from '#app/world.ts'
import { readConfig } from '#config'
import type { SubmittedTask, TaskSubmission } from '#core/generation.ts'
import { uuidV7 } from '#core/ids.ts'
import { Interruption } from '#core/interruptions.ts'
import type { RunSubmission, SubmittedRun } from '#core/run-submission.ts'
import { uncounted } from '#operate/metrics/open-metrics.ts'
import { type Db, StoreUnavailable } from '#store/db.ts'
import { openChatIntents } from '#store/journals/chat-intents.ts'
import { openSteps } from '#store/journals/step-log.ts'
import type { SecretBox } from '#store/secret-box.ts'
import type { MediaRecord } from '#store/tables/media.ts'
import { answerWait, type WaitRow, waitsOfRun, wakeRun } from '#store/tables/waits.ts'
import { databaseOf, type Network } from './database.ts'
import type { Outside } from './outside.ts'
import { type Actor, clockOf, newActor } from './scheduler.ts'
import { catalogue } from './workflows.ts'

export type SimulatedProcess = {
  actor: Actor
  /** Undefined until it has started. */
  services: Services | undefined
  /** It is stopping, or has never started: requests go elsewhere. */
  isLeaving: boolean
  stop(): Promise<void>
}

export type Services = {
  submitRun(submission: RunSubmission): Promise<SubmittedRun>
  submitTask(submission: TaskSubmission): Promise<SubmittedTask>
  cancelRun(principal: RunSubmission['principal'], runId: string): Promise<unknown>
  /** How the wait of the run ended, if it did so now or before; null if there is none yet. */
  answer(given: Answer): Promise<AnsweredWait | null>
}

/** What somebody decides about a run. */
export type Answer = {
  accountId: string
  runId: string
  by: string
  decision: 'approve' | 'reject'
}
export type AnsweredWait = Pick<WaitRow, 'status' | 'answered_by'>

export const leaseMs = 30_000

const settings = {
  CHAT_TIMEOUT_SECONDS: '30',
  CHAT_TOTAL_SECONDS: '30',
  TASK_IMAGE_TIMEOUT_SECONDS: '120',
  RUN_TIMEOUT_SECONDS: '600',
  LEASE_SECONDS: String(leaseMs / 1000),
  SHUTDOWN_SECONDS: '5',
  MAX_ACTIVE_RUNS: '2',
  MAX_TASKS_IN_FLIGHT: '2',
}
const configOf = {
  shared: readConfig({ ...settings, DATABASE_URL: 'postgres://simulated' }),
  alone: readConfig(settings),
}

export type Setting = { network: Network; outside: Outside; isShared: boolean }

export function startProcess(setting: Setting, name: string): SimulatedProcess {
  const { network, outside, isShared } = setting
  const { scheduler, violate } = network
  const actor = newActor(name)
  const clock = clockOf(scheduler, actor)
  const closing: (() => Promise<unknown>)[] = []
  const db = databaseOf(network, actor, { isShared })
  const own: SimulatedProcess = {
    ...{ actor, services: undefined, isLeaving: false },
    async stop() {
      own.isLeaving = true
      for (const close of closing.reverse()) await close().catch(() => undefined)
    },
  }
  const base: Base = {
    ...{ config: isShared ? configOf.shared : configOf.alone, db, log: logOf(violate), clock },
    onClose: (...closes) => void closing.push(...closes),
  }
  const begin = async () => {
    const stores = await storesOf(base)
    const world = worldOf(outside, actor, clock)
    const engine = await openEngine(base, stores, world)
    const { keeper, runWorker } = engine
    if (!keeper || !runWorker) throw new Error('it does not work')
    const work = await startWork(base, world, { ...engine, keeper, runWorker })
    closing.push(work.stop)
    const { submitTask, runs } = engine.services
    own.services = {
      submitRun: runs.submit,
      submitTask,
      cancelRun: async (principal, runId) =>
        cancelWorkflowRun.handle(
          { services: engine.services, principal } as never,
          { params: { runId }, body: {} } as never,
        ),
      answer: (given) => answerOnce(db, given),
    }
  }
  // One that cannot start exits, and is started again.
  begin().catch((error: unknown) => {
    if (!(error instanceof StoreUnavailable)) violate(`${name} did not start: ${error}`)
    scheduler.kill(actor)
  })
  return own
}

/** As the operation does it: the row of the run comes first, and the time decides before a timer. */
const answerOnce = (db: Db, { accountId, runId, by, decision }: Answer) =>
  db.transaction(async (tx) => {
    const woken = await wakeRun(tx, accountId, runId)
    const wait = (await waitsOfRun(tx, accountId, runId)).find(({ kind }) => kind === 'APPROVAL')
    if (!wait) return woken ? null : { status: 'CANCELLED' as const, answered_by: null }
    const [now] = await tx.query<{ now: number }>(`select ${tx.dialect.nowMs} as now`)
    const isDue = wait.expires_at <= (now?.now ?? 0)
    if (!woken?.canBeAnswered || wait.status !== 'OPEN' || isDue) {
      return { status: wait.status, answered_by: wait.answered_by }
    }
    const held = JSON.stringify({ decision })
    await answerWait(tx, wait, { held, by, from: null, nowMs: now?.now ?? 0 })
    return { status: 'ANSWERED' as const, answered_by: by }
  })

async function storesOf({ db, clock, onClose }: Base): Promise<Stores> {
  const chats = openChatIntents(db, clock)
  const steps = await openSteps({ db, clock, onError: () => {} })
  onClose(chats.close, steps.close)
  return { chats, steps, box: openBox, keys: {} as Stores['keys'] }
}

/** Secrets as they are: sealing them takes longer than everything else. */
const openBox = {
  seal: (_, plain) => plain,
  open: (_, sealed) => Buffer.from(sealed),
} as Pick<SecretBox, 'seal' | 'open'> as SecretBox

const nothing = () => {}

/** What no fault explains is a violation, even if the work is tried again and ends well. */
const logOf = (violate: (what: string) => void) =>
  ({
    ...{ warn: nothing, info: nothing, debug: nothing },
    error({ err }: { err?: unknown }, what: string) {
      const isOfFault = err instanceof StoreUnavailable || err instanceof Interruption
      if (!isOfFault) violate(`${what}: ${err}`)
    },
  }) as never

const unused = (what: string) => () => {
  throw new Error(`${what} is not simulated`)
}

type PriceMember = 'pricesText' | 'readPricesAgain' | 'priceAgain' | 'pricesFile' | 'pricedBy'
/** The rest is for the files of an operator. Whole, so that the compiler asks for what is new. */
type ProvidersAtWork = Omit<
  World['set'],
  'origins' | 'modelsText' | 'readAgain' | 'close' | PriceMember
>

/** Media is kept nowhere: a record says all that a run needs. */
function worldOf(outside: Outside, actor: Actor, clock: Base['clock']): World {
  const provider = outside.providerOf(actor)
  const record = (accountId: string): MediaRecord => ({
    ...{ id: uuidV7(clock.nowMs()), accountId, hash: 'h', createdAtMs: clock.nowMs() },
    ...{ mimeType: 'image/png', sizeBytes: 1 },
  })
  const world: Partial<Record<keyof World, unknown>> = {
    baseUrl: 'http://atelier.test',
    gateway: outside.gatewayOf(actor),
    set: {
      catalogue,
      providers: new Map([[provider.name, provider]]),
      configured: () => new Set([provider.name]),
      keyable: () => new Map(),
      providerWith: () => provider,
      deploymentsOf: () => undefined,
      limitsOf: () => undefined,
    } satisfies ProvidersAtWork,
    metrics: uncounted,
    blobs: {},
    media: {
      publicMedia: ({ accountId, hash, createdAtMs, ...facts }: MediaRecord) => ({
        ...facts,
        url: `http://atelier.test/${facts.id}`,
      }),
      deleteExpired: async () => 0,
      recognise: () => null,
    },
    mediaIo: {
      acceptImage: unused('a picture'),
      loadImage: unused('a picture'),
      storeOutputs: async ({ accountId }: { accountId: string }) =>
        JSON.stringify([record(accountId)]),
    },
    graphTools: {
      evaluate: unused('an expression'),
      ...{ checkRunSchemas: async () => [], checkSchemas: async () => [] },
      checkExpressions: async () => [],
    },
  }
  return world as World
}
