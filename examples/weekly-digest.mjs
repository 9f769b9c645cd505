// A workflow that runs every Monday at nine, here fired once at once.
import { AtelierError, createClient } from 'atelier/client'

const baseUrl = process.env.ATELIER_URL ?? 'http://127.0.0.1:8787'
const client = createClient({
  baseUrl,
  apiKey: process.env.ATELIER_API_KEY ?? '',
  signal: AbortSignal.timeout(300_000),
})

try {
  const { items } = await client.templates.list()
  const { name, data, trigger } = items.find(({ id }) => id === 'weekly-digest')
  const { workflowId } = await client.workflows.create({ name, data })
  const { timeZone } = Intl.DateTimeFormat().resolvedOptions()
  const made = await client.triggers.create(workflowId, { ...trigger, timeZone })
  console.log(`workflow ${workflowId}, trigger ${made.triggerId}`)
  for (const at of made.nextFirings) console.log(`fires ${at}`)

  const { runId } = await client.triggers.fire(workflowId, made.triggerId)
  const { status, outputs, nodeErrors } = await client.runs.wait(runId)
  if (status !== 'COMPLETED') throw new Error(nodeErrors[0]?.message ?? status)
  console.log(`digest:\n${outputs.digest}`)
  console.log(`It goes on every Monday: ${baseUrl}/console/workflows/triggers`)
} catch (error) {
  if (!(error instanceof AtelierError)) throw error
  console.error(`${error.code}: ${error.message} [request ${error.requestId}]`)
  process.exitCode = 1
}
