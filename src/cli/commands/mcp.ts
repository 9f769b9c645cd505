import type { Run } from '../command.ts'
import { runStdio } from '../mcp/stdio.ts'
import { requireKey } from '../settings.ts'
import { exits } from '../terminal/failure.ts'

export const mcp: Run = async ({ settings, signal, stdin }, args) => {
  const output = process.stdout
  const apiKey = requireKey(settings)
  await runStdio({
    baseUrl: settings.url,
    apiKey,
    input: stdin,
    output,
    signal,
    withWorkflows: args.flag('workflows'),
    withSchemas: args.flag('schemas'),
  })
  return signal.aborted ? exits.interrupted : exits.ok
}
