// Workflows that were made to show something carry a tag, so that one click removes them all.
import { consoleCall } from '#console/api/console-api.ts'
import { publicCall } from '#console/api/public-api.ts'
import type { Workflow } from '#console/api/types.ts'

export const sampleTag = 'sample'

export async function createSample(sample: Pick<Workflow, 'name' | 'data'>): Promise<Workflow> {
  const workflow = await publicCall<Workflow>('/workflows', { method: 'POST', body: sample })
  await consoleCall('POST /workflows/bulk', {
    body: { action: 'tag', ids: [workflow.id], expectedCount: 1, addTags: [sampleTag] },
  })
  return workflow
}

/** Returns how many there were. */
export async function removeSamples(): Promise<number> {
  const { total } = await consoleCall('GET /workflows', { query: { tag: sampleTag, size: 1 } })
  if (total > 0)
    await consoleCall('POST /workflows/bulk', {
      body: { action: 'delete', filter: { tag: sampleTag }, expectedCount: total },
    })
  return total
}
