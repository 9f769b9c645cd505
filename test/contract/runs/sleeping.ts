// Runs that wait, and what others do with them.
import type { WaitAnswer } from '#core/wait-facts.ts'
import type { Db } from '#store/db.ts'
import { answerWait, waitsOfRun, wakeRun } from '#store/tables/waits.ts'
import { rowOf } from './setting.ts'

type Node = { id: string; type: string; data: Record<string, unknown> }

/** A text call, a node that waits, and a text call behind one of its ports. */
export const around = (wait: Omit<Node, 'id'>, port: string) => ({
  nodes: [
    { id: 'in', type: 'input.text', data: {} },
    { id: 'before', type: 'text.generate', data: { model: 'm' } },
    { id: 'shaped', type: 'text.template', data: { template: '{{text}}!' } },
    { id: 'wait', ...wait },
    { id: 'both', type: 'text.template', data: { template: '{{value}} {{shaped}}' } },
    { id: 'after', type: 'text.generate', data: { model: 'm' } },
    { id: 'out', type: 'output', data: {} },
  ],
  connections: [
    { source: 'in', target: 'before', targetHandle: 'prompt' },
    { source: 'before', target: 'shaped', targetHandle: 'text' },
    { source: 'before', target: 'wait', targetHandle: 'value' },
    { source: 'wait', sourceHandle: port, target: 'both', targetHandle: 'value' },
    { source: 'shaped', target: 'both', targetHandle: 'shaped' },
    { source: 'both', target: 'after', targetHandle: 'prompt' },
    { source: 'after', target: 'out', targetHandle: 'value' },
  ],
})

export const approval = (data: object = {}) =>
  around({ type: 'wait.approval', data: { title: 'Publish?', ...data } }, 'approved')
export const delay = (seconds: number) => around({ type: 'wait.delay', data: { seconds } }, 'value')

export const isAsleep = async (db: Db, id: string) => (await rowOf(db, id)).wake_at !== null

/** Answers the first open wait whose path begins so. */
export const answer = (db: Db, account: string, runId: string, given: WaitAnswer, at = '') =>
  db.transaction(async (tx) => {
    const woken = await wakeRun(tx, account, runId)
    const waits = await waitsOfRun(tx, account, runId)
    const wait = waits.find(({ status, path }) => status === 'OPEN' && path.startsWith(at))
    if (!woken?.canBeAnswered || !wait) return false
    const held = JSON.stringify(given)
    await answerWait(tx, wait, { held, by: 'somebody', from: null, nowMs: Date.now() })
    return true
  })

/** Time passes: what is due in an hour is due now. */
export const makeDue = (db: Db) =>
  db.writeAll(() => [
    { sql: `update runs set wake_at = 1 where wake_at is not null`, rows: [[]] },
    { sql: `update waits set expires_at = 1 where status = 'OPEN'`, rows: [[]] },
  ])
