import type { LaneLimits } from '#core/lane.ts'
import { type ModelsFile, ModelsFileError } from './models-file.ts'

/** The limits of the file by provider. Accounts may have keys of providers that the server has not. */
export function buildLimits(
  written: NonNullable<ModelsFile['limits']>,
  known: ReadonlySet<string>,
): ReadonlyMap<string, LaneLimits> {
  const limits = new Map<string, LaneLimits>()
  const named = new Set<string>()
  for (const { provider, ...most } of written) {
    if (!known.has(provider))
      throw new ModelsFileError(`has limits of "${provider}", which is no provider`)
    if (named.has(provider)) throw new ModelsFileError(`has limits of "${provider}" twice`)
    named.add(provider)
    if (Object.keys(most).length > 0) limits.set(provider, most)
  }
  return limits
}
