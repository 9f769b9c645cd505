import type { Client, Model } from '#client/client.ts'
import { CliFailure, exits } from '../terminal/failure.ts'

/** Picks the first model of this kind, and a demonstration model only if there is no other. */
export async function chooseModel(
  client: Client,
  kind: Model['kind'],
  given: string | undefined,
  signal: AbortSignal,
): Promise<string> {
  if (given !== undefined) return given
  const { items } = await client.models.list({ signal })
  const fitting = items.filter((model) => model.kind === kind)
  const chosen = fitting.find(({ demo }) => !demo) ?? fitting[0]
  if (!chosen) {
    throw new CliFailure(`The server has no ${kind} model.`, {
      exitCode: exits.failed,
      code: 'MODEL_NOT_FOUND',
      hint: 'Give the server the key of a provider (docs/configuration.md), or choose with --model.',
    })
  }
  return chosen.id
}
