import { useMutation } from '@tanstack/react-query'
import { toApiFailure } from '#console/api/api-failure.ts'
import { consoleCall } from '#console/api/console-api.ts'
import type { ConsoleCalls } from '#console/api/types.ts'
import { saveText } from '#console/lib/save-text.ts'

export type Which = Pick<ConsoleCalls['bulkWorkflows']['body'], 'ids' | 'filter' | 'expectedCount'>
type Change = Omit<ConsoleCalls['bulkWorkflows']['body'], keyof Which>

/** Fails with 412, and changes nothing, if these are not as many workflows by now. */
export const bulk = (which: Which, change: Change) =>
  consoleCall('POST /workflows/bulk', { body: { ...which, ...change } })

/** One file, which the page for new workflows imports again. */
export async function exportFile(which: Which): Promise<void> {
  const { workflows = [] } = await bulk(which, { action: 'export' })
  saveText(JSON.stringify({ workflows }, null, 2), 'workflows.json', 'application/json')
}

/** These workflows are others by now: what is shown of them is to be read again. */
export type OnChanged = (goneIds: ReadonlySet<number>) => void

/** A change of many. What was refused because they have changed says which of them are gone. */
export const useBulk = <T>(change: (asked: T) => Promise<unknown>, hooks: BulkHooks<T>) =>
  useMutation({
    mutationFn: change,
    onSuccess: (_, asked) => hooks.onDone(asked),
    onError: (error) => {
      const { code, details } = toApiFailure(error)
      if (code !== 'PRECONDITION_FAILED') return
      hooks.onChanged(new Set(Array.isArray(details.goneIds) ? details.goneIds : []))
    },
  })

type BulkHooks<T> = { onDone(asked: T): void; onChanged: OnChanged }
