import type { Client } from '#client/client.ts'
import type { Cli } from '../command.ts'
import { usageFailure } from '../terminal/failure.ts'
import { readObject } from './inputs.ts'

type Graph = Parameters<Client['workflows']['validate']>[0]

export type WorkflowFile = {
  id: number | null
  version: number | null
  name: string | null
  canvasScale: number | null
  data: Graph
}

/** Accepts a file that `workflow pull` wrote, a workflow as the API returns it, or a bare graph. */
export async function readWorkflowFile(
  cli: Pick<Cli, 'stdin'>,
  source: string,
): Promise<WorkflowFile> {
  const file = await readObject(cli, source)
  const data = 'nodes' in file && !('data' in file) ? file : file.data
  if (typeof data !== 'object' || data === null) {
    throw usageFailure(`${source} has no "data" with nodes and connections.`)
  }
  const numberAt = (name: string) => (typeof file[name] === 'number' ? file[name] : null)
  return {
    id: numberAt('workflowId') ?? numberAt('id'),
    version: numberAt('version'),
    name: typeof file.name === 'string' ? file.name : null,
    canvasScale: numberAt('canvasScale'),
    // Not validated here: the server checks the graph and reports every problem with its path.
    data: data as Graph,
  }
}
