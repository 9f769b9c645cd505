import type { TestContext } from 'node:test'
import { systemClock } from '#core/clock.ts'
import { ClaimLoop, type WorkKind } from '#engine/work/claim-loop.ts'
import { createSlots, perAccount } from '#engine/work/slots.ts'
import type { ClaimedRow, ClaimStore } from '#store/tables/claims.ts'
import { claimKey } from '#store/tables/claims.ts'

export type Row = ClaimedRow & { queue: string }

/** Waiting and owned rows in memory, with a claim that can be held, fail, or lose its answer. */
export function fakeClaims() {
  const rows: (Row & { owner: string | null })[] = []
  const log: string[] = []
  let onWake = () => {}
  const next: { claim: 'make' | 'refuse' | 'lose-answer'; held: Promise<void> } = {
    claim: 'make',
    held: Promise.resolve(),
  }
  const waiting = () => rows.filter(({ owner }) => owner === null)
  /** Work of queues with such names comes in masses. */
  const masses = { prefix: '' }
  const queues = (which: 'masses' | 'others', after: string | null) =>
    queuesOf(waiting(), masses.prefix)[which].filter((name) => after === null || name > after)
  const one = loggedIn(log)
  const store: ClaimStore<Row> = {
    isShared: false,
    async listen(wake) {
      onWake = wake
      return async () => {
        onWake = () => {}
      }
    },
    queues: (cursor, limit) => one('queues', async () => queues('others', cursor).slice(0, limit)),
    pacedQueues: () => queues('masses', null),
    claim: (owner, plan) =>
      one('claim', async () => {
        const { claim } = next
        next.claim = 'make'
        await next.held
        if (claim === 'refuse') throw new Error('refused')
        const claimed = plan.map(({ queue, limit }) =>
          waiting()
            .filter((row) => row.queue === queue)
            .slice(0, limit),
        )
        for (const row of claimed.flat()) Object.assign(row, { owner, epoch: row.epoch + 1 })
        if (claim === 'lose-answer') throw new Error('the answer was lost')
        return claimed.map((list) => list.map((row) => ({ ...row })))
      }),
    async release(_owner, released) {
      log.push(`release ${released.map(({ id }) => id).join(' ')}`)
      for (const row of rows) if (released.some(({ id }) => id === row.id)) row.owner = null
    },
    async releaseOrphaned(owner, working) {
      log.push('release orphaned')
      for (const row of rows) {
        if (row.owner === owner && !working.has(claimKey(row))) row.owner = null
      }
    },
  }
  return {
    store,
    log,
    next,
    masses,
    waiting: () => waiting().map(({ id }) => id),
    /** Rows that appear without a wake-up, as when its message is lost. */
    add(queue: string, ...ids: string[]) {
      for (const id of ids) rows.push({ id, queue, epoch: 0, owner: null })
    },
    /** A row that was stored as claimed. */
    addClaimed(queue: string, id: string, owner: string): Row {
      rows.push({ id, queue, epoch: 1, owner })
      return { id, queue, epoch: 1 }
    },
    wake: () => onWake(),
    rounds: () => log.filter((entry) => entry.startsWith('claim')).length,
  }
}

function loggedIn(log: string[]) {
  let underWay = 0
  return async <T>(name: string, work: () => Promise<T>): Promise<T> => {
    log.push(underWay++ > 0 ? `${name} while another was under way` : name)
    try {
      return await work()
    } finally {
      underWay--
    }
  }
}

function queuesOf(waiting: readonly Row[], prefix: string) {
  const names = [...new Set(waiting.map(({ queue }) => queue))].sort()
  const isOfMasses = (name: string) => prefix !== '' && name.startsWith(prefix)
  return { masses: names.filter(isOfMasses), others: names.filter((name) => !isOfMasses(name)) }
}

/** Unlike any other time here. */
const paceMs = 7

/** A loop on such a store; work goes on until `end` is called, or the test has ended. */
export function openLoop(
  t: TestContext,
  fake: ReturnType<typeof fakeClaims>,
  options: Partial<WorkKind<Row>> & {
    inProcess?: number
    account?: number
    /** Queues whose names begin with it are let in at a pace: so many, until `pass` is called. */
    paced?: { prefix: string; max: number }
  } = {},
) {
  const { inProcess = 10, account = 10, paced, ...kind } = options
  fake.masses.prefix = paced?.prefix ?? ''
  const lost = new AbortController()
  const errors: string[] = []
  const begun: string[] = []
  const ends = new Map<string, () => void>()
  const timers: (() => void)[] = []
  const loop = new ClaimLoop<Row>({
    store: fake.store,
    slots: createSlots({
      ...{ inProcess, of: perAccount(account) },
      beginning: (queue) =>
        paced && queue.startsWith(paced.prefix)
          ? { key: 'beginning', max: paced.max, forMs: paceMs }
          : undefined,
    }),
    clock: {
      ...systemClock,
      after(ms, callBack, options) {
        if (ms !== paceMs) return systemClock.after(ms, callBack, options)
        timers.push(callBack)
        return () => {}
      },
    },
    keeper: { current: () => ({ workerId: 'w', lost: lost.signal, isCertain: () => true }) },
    queuesPerRound: 10,
    carryOut: ({ id }) => {
      begun.push(id)
      return new Promise((resolve) => ends.set(id, resolve))
    },
    stopGraceMs: 1_000,
    onError: (error) => void errors.push((error as Error).message),
    ...kind,
  })
  const end = (id: string) => ends.get(id)?.()
  const pass = () => {
    for (const callBack of timers.splice(0)) callBack()
  }
  t.after(async () => {
    const stopped = loop.stop()
    for (const id of begun) end(id)
    await stopped
  })
  return { loop, begun, errors, lost, end, pass }
}

/** Everything that needs no timer has happened. */
export const settled = () => new Promise<void>((resolve) => setImmediate(resolve))
