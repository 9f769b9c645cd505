import { tryConformance } from './conformance.ts'
import { tryFastmcp } from './fastmcp.ts'
import { tryMcpTasks } from './mcp-tasks.ts'

/** Clients of the Model Context Protocol, and its conformance suite. Returns how many failed. */
export async function proveMcp(say: (line: string) => void): Promise<number> {
  let failures = 0
  const trials = {
    'fastmcp with OAuth': tryFastmcp,
    'the client of Tasks': tryMcpTasks,
    'the conformance suite': () => tryConformance(say),
  }
  for (const [name, trial] of Object.entries(trials)) {
    try {
      say(`✔ mcp: ${name} ${JSON.stringify(await trial())}`)
    } catch (error) {
      failures++
      say(`✖ mcp: ${name}\n${error instanceof Error ? error.message : error}`)
    }
  }
  return failures
}
