// Batches at vendors. A worker that asks for one owns it; if that worker's lease ends, another goes
// on.
//
//   SUBMITTING ── accepted ──▶ SUBMITTED ── the vendor has ended it, results stored ──▶ ENDED
//       │ ▲ nobody heard: it is looked for
//       └─┴── certainly not accepted ──▶ REFUSED, its calls are gathered again or returned
import type { Reader, Tx, Writer } from '../db.ts'
import { bigint, orNull, type Row, table, text, time, uuid } from '../table.ts'

const vendorBatch = table({
  id: uuid,
  account_id: uuid,
  provider: text(),
  credential_id: orNull(uuid),
  pool: text(),
  calls: bigint,
  status: text<'SUBMITTING' | 'SUBMITTED' | 'ENDED' | 'REFUSED'>(),
  /** The vendor's name for it. */
  ref: orNull(text()),
  owner: orNull(text()),
  next_at: time,
  created_at: time,
  /** The vendor has had its time, so it is asked to stop. */
  late_at: time,
  ended_at: orNull(time),
})
const whole = vendorBatch.all
export type VendorBatch = Row<typeof whole>

const columns = whole.columns.split(', ') as (keyof VendorBatch)[]

export const insertBatch = (tx: Writer, batch: VendorBatch) =>
  tx.write(
    `insert into vendor_batches (${whole.columns})
     values (${columns.map((_, i) => `$${i + 1}`).join(', ')})`,
    columns.map((name) => batch[name]),
  )

/** `busy`: batches that this worker is asking for already. */
export type ClaimLimits = { nowMs: number; limit: number; busy: readonly string[] }

/** Takes over batches that are due and that no other living worker has. */
export const claimBatches = (tx: Tx, workerId: string, { nowMs, limit, busy }: ClaimLimits) =>
  whole.write(
    tx,
    `update vendor_batches set owner = $1 where id in
       (select id from vendor_batches where ended_at is null and next_at <= $2
         and (owner is null or owner = $1 or owner not in (select id from workers))
         and not (id ${tx.dialect.inList('$4', 'uuid')})
         order by next_at limit $3 ${tx.dialect.skipLocked})
     returning ${whole.columns}`,
    [workerId, nowMs, limit, tx.dialect.list(busy)],
  )

export type BatchChange = Pick<VendorBatch, 'status' | 'ref' | 'next_at' | 'ended_at'>

/** Releases it. False if another worker has taken it over. */
export async function changeBatch(
  tx: Writer,
  { id, owner }: Pick<VendorBatch, 'id' | 'owner'>,
  { status, ref, next_at, ended_at }: BatchChange,
): Promise<boolean> {
  const rows = await tx.write(
    `update vendor_batches set status = $3, ref = $4, next_at = $5, ended_at = $6, owner = null
     where id = $1 and owner = $2 returning id`,
    [id, owner, status, ref, next_at, ended_at],
  )
  return rows.length > 0
}

/** Keys belong to an account, but one of the server is shared by all. */
export const otherRefs = (db: Reader, { id, provider, credential_id }: VendorBatch) =>
  db
    .query<{ ref: string }>(
      `select ref from vendor_batches where id <> $1 and provider = $2 and ref is not null
         and coalesce(credential_id, id) = coalesce($3, id)`,
      [id, provider, credential_id],
    )
    .then((rows) => rows.map(({ ref }) => ref))

/** Batches that nothing refers to any more. Returns how many it deleted. */
export async function deleteOldBatches(db: Writer, beforeMs: number, limit: number) {
  const rows = await db.write(
    `delete from vendor_batches where id in
       (select id from vendor_batches b where ended_at < $1
         and not exists (select 1 from economy_calls e where e.batch_id = b.id) limit $2)
     returning id`,
    [beforeMs, limit],
  )
  return rows.length
}
