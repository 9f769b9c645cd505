import type { Reader } from '#store/db.ts'
import { seriesNames, type UsageSplit } from '#store/tables/usage.ts'

type Named = { key: string; label: string }

const other: Named = { key: '(other)', label: 'Other' }
const untagged: Named = { key: 'none', label: 'No tag' }
/** Calls without a key or workflow: the value in the store, and the name that people see. */
const without = {
  key: { stored: '', named: { key: 'none', label: 'No key' } },
  workflow: { stored: '0', named: { key: 'none', label: 'No workflow' } },
}

/** The names of series; null stands for all the others together. */
export async function namesOf(
  db: Reader,
  accountId: string,
  split: UsageSplit,
  series: readonly string[],
): Promise<(one: string | null) => Named> {
  if (split === 'model' || split === 'tag') {
    return (one) => (one === null ? other : one === '' ? untagged : { key: one, label: one })
  }
  const none = without[split]
  const ids = series.filter((one) => one !== none.stored)
  const names = await seriesNames(db, accountId, split, ids)
  return (one) => {
    if (one === null) return other
    if (one === none.stored) return none.named
    return { key: one, label: names.get(one) ?? (split === 'key' ? 'A key' : `Workflow ${one}`) }
  }
}
