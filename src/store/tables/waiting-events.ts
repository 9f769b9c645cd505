// Stores the events of runs that wait for somebody, in the transaction that opens their waits.
import { waitingEvent, waitingType } from '#core/waiting-event.ts'
import type { Tx } from '../db.ts'
import type { Row, Stored } from '../table.ts'
import { insertDeliveries } from './deliveries.ts'
import { runTable } from './runs.ts'
import { type WaitRow, wholeWait } from './waits.ts'

export type RecordWaiting = (tx: Tx, waitIds: readonly string[]) => Promise<void>

const ofRun = runTable.select('workflow_id', 'metadata', 'callback_url', 'callback_events')
type Waiting = WaitRow & Row<typeof ofRun> & { webhook_url: string | null }

/** `runUrl`: where the run can be read. */
export const createWaitRecorder =
  (runUrl: (runId: string) => string): RecordWaiting =>
  async (tx, waitIds) => {
    const waits = (await readWaiting(tx, waitIds)).filter(isTold)
    await insertDeliveries(
      tx,
      waits.map((wait) => ({
        ...{ accountId: wait.account_id, runId: wait.run_id, nowMs: wait.created_at },
        url: receiverOf(wait) ?? '',
        type: waitingType,
        // The same for the same wait, so that a repeated write stores it once.
        webhookId: messageOf(wait),
        body: bodyOf(wait, runUrl(wait.run_id)),
      })),
    )
  }

const messageOf = ({ id }: WaitRow) => `msg_${id.replaceAll('-', '')}`

const isTold = (wait: Waiting): boolean =>
  wait.kind !== 'DELAY' && wait.status === 'OPEN' && receiverOf(wait) !== null

/** The run's own receiver if its caller wants the event there, else that of the account. */
const receiverOf = ({ callback_url, callback_events, webhook_url }: Waiting): string | null =>
  callback_url !== null && callback_events?.includes('waiting') ? callback_url : webhook_url

async function readWaiting(tx: Tx, ids: readonly string[]): Promise<Waiting[]> {
  if (ids.length === 0) return []
  const rows = await tx.query<Stored<WaitRow> & Stored<Row<typeof ofRun>> & WaitRow>(
    `select ${wholeWait.of('w')}, ${ofRun.of('r')}, a.webhook_url from waits w
     join runs r on r.id = w.run_id join accounts a on a.id = r.account_id
     where w.id ${tx.dialect.inList('$1', 'uuid')}
       and (r.callback_events is not null or a.webhook_url is not null)
       and not exists (select 1 from deliveries d
         where d.run_id = w.run_id and d.webhook_id = 'msg_' || replace(${textId}, '-', ''))
     order by w.id`,
    [tx.dialect.list(ids)],
  )
  wholeWait.read(rows)
  ofRun.read(rows)
  return rows as unknown as Waiting[]
}

/** An identifier is text on SQLite and a type of its own on PostgreSQL. */
const textId = 'cast(w.id as text)'

function bodyOf(wait: Waiting, runUrl: string): string {
  const { details, kind } = wait
  return waitingEvent({
    ...{ runId: wait.run_id, workflowId: wait.workflow_id, waitId: wait.id },
    ...{ nodeId: wait.node_id, path: wait.path.replace(/#\d+$/, ''), kind, title: wait.title },
    description: details.description ?? null,
    ...{ sinceMs: wait.created_at, expiresAtMs: wait.expires_at },
    hasAddress: kind === 'CALLBACK' || details.link === true,
    ...{ metadata: wait.metadata, runUrl },
  })
}
