// Tries every vendor whose key is set, one check after the other, within the budget.

import type { Catalogue, CatalogueEntry } from '#core/catalogue.ts'
import { highestPrice, priceOf } from '#core/pricing.ts'
import { mostMicros } from '#engine/tasks/task-work.ts'
import type { Budget } from './budget.ts'
import { type Check, checks, maxInputTokens, maxTokens, type Used } from './checks.ts'
import { type Recorded, startRecording } from './recording.ts'
import type { Vendor } from './vendors.ts'

export type Row = {
  vendor: string
  model: string
  check: string
  outcome: 'passed' | 'failed' | 'skipped'
  why?: string
  micros: number
}

export type LiveOptions = {
  vendors: readonly Vendor[]
  catalogue: Pick<Catalogue, 'known'>
  budget: Budget
  onRow?(row: Row): void
  /** The answers of one check, as they came. */
  keep?(row: Row, answers: Recorded[], vendor: Vendor): Promise<void>
}

export async function runLive(options: LiveOptions): Promise<Row[]> {
  const rows: Row[] = []
  for (const vendor of options.vendors) {
    if (vendor.key === '') {
      add({ vendor: vendor.name, model: '', check: 'all', ...skipped(`no ${vendor.keyVariable}`) })
      continue
    }
    for (const check of checks) {
      const id = check.kind === 'TEXT' ? vendor.textModel : vendor.imageModel
      const entry = id === undefined ? undefined : options.catalogue.known(id)
      if (entry) add(await tryOne(options, vendor, entry, check))
    }
  }
  return rows

  function add(row: Row) {
    rows.push(row)
    options.onRow?.(row)
  }
}

const skipped = (why: string) => ({ outcome: 'skipped' as const, why, micros: 0 })

async function tryOne(
  { budget, keep }: LiveOptions,
  vendor: Vendor,
  entry: CatalogueEntry,
  check: Check,
): Promise<Row> {
  const { model, providerModel } = entry
  const named = { vendor: vendor.name, model: model.id, check: check.name }
  const notFor = check.notFor?.(model)
  if (notFor) return { ...named, ...skipped(notFor) }
  const most = mostOf(entry, check)
  const permission = budget.ask(most)
  if (!permission.granted) return { ...named, ...skipped(permission.why) }
  const { dispatcher, answers } = startRecording()
  const provider = vendor.open(dispatcher)
  const subject = { provider, model, providerModel, image: vendor.image ?? {} }
  const row = await check.run(subject).then(
    (used): Row => ({
      ...named,
      outcome: 'passed',
      micros: costOf(entry, check, used) ?? most ?? 0,
    }),
    // What failed may have been billed all the same.
    (error: Error): Row => ({ ...named, outcome: 'failed', why: error.message, micros: most ?? 0 }),
  )
  budget.spend(row.micros)
  await keep?.(row, answers, vendor)
  await dispatcher.close()
  return row
}

function mostOf({ model }: CatalogueEntry, { kind, calls }: Check): number | null {
  if (calls === 0) return 0
  if (kind === 'IMAGE') return mostMicros('IMAGE', { prompt: 'x'.repeat(100) }, model)
  const most = { inputTokens: maxInputTokens, outputTokens: maxTokens }
  const each = highestPrice(model.pricing, most)
  return each === null ? null : each * calls
}

function costOf({ model }: CatalogueEntry, { calls }: Check, used: Used): number | null {
  if (calls === 0) return 0
  if (used === undefined) return priceOf(model.pricing, { images: 1 })
  return used.reduce<number | null>((sum, usage) => {
    const cost = priceOf(model.pricing, usage)
    return sum === null || cost === null ? null : sum + cost
  }, 0)
}
