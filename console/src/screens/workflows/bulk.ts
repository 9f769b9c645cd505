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
