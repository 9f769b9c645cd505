// A run that draws, then sleeps until a person approves, and only then makes the video.
import { setTimeout } from 'node:timers/promises'
import { AtelierError, createClient } from 'atelier/client'

const baseUrl = process.env.ATELIER_URL ?? 'http://127.0.0.1:8787'
const client = createClient({ baseUrl, apiKey: process.env.ATELIER_API_KEY ?? '' })

try {
  const { items } = await client.templates.list()
  const { name, data, sampleInputs } = items.find(({ id }) => id === 'approved-video')
  const { workflowId } = await client.workflows.create({ name, data })
  const idea = process.argv[2] ?? sampleInputs.idea
  const { runId } = await client.runs.submit(workflowId, { inputs: { idea } })
  console.log(`workflow ${workflowId}, run ${runId}`)

  let run = await client.runs.get(runId)
  let asked
  while (run.completedAt === null) {
    const [wait] = run.waitingFor ?? []
    if (wait && wait.waitId !== asked) {
      asked = wait.waitId
      console.log(`${wait.title} ${baseUrl}/console/inbox?run=${runId}&wait=${asked}`)
    }
    await setTimeout(1_000)
    run = await client.runs.get(runId)
  }
  const { status, outputs, nodeErrors, cost } = run
  if (status !== 'COMPLETED') throw new Error(nodeErrors[0]?.message ?? status)
  if (outputs.video) console.log(`approved: ${outputs.video.url}`)
  else console.log(outputs.dropped ? 'rejected: no video was made' : 'nobody answered in time')
  console.log(`cost: ${cost.amount} ${cost.currency}`)
} catch (error) {
  if (!(error instanceof AtelierError)) throw error
  console.error(`${error.code}: ${error.message} [request ${error.requestId}]`)
  process.exitCode = 1
}
