import { mayBeSentTo } from '#core/credentials.ts'
import type { Config, NodeType } from '../node-type.ts'
import { findNodeType } from '../table.ts'
import { type GraphWarningCode, type Problem, quote } from './problems.ts'

type SoundNode = {
  type: NodeType
  settings: Config
  /** JSON Pointer of the settings. */
  path: string
  where: { nodeId?: string }
}

/** Those of these credentials that the account has, with the hosts they may be sent to. */
export type FindCredentials = (
  names: readonly string[],
) => Promise<readonly { name: string; hosts: readonly string[] }[]>

/**
 * Credentials that are missing or would not be sent. These are warnings: a credential may be created
 * after the workflow, and it is looked up when a node runs.
 */
export async function credentialWarnings(
  nodes: Iterable<SoundNode>,
  findCredentials: FindCredentials,
): Promise<Problem<GraphWarningCode>[]> {
  const found = [...nodes].flatMap(({ type, settings, path, where }) => {
    const named = type.credential?.(settings, { nodeType: findNodeType })
    return named ? [{ ...named, path: path + named.path, where }] : []
  })
  if (found.length === 0) return []
  const names = [...new Set(found.map(({ name }) => name))]
  const known = new Map((await findCredentials(names)).map((one) => [one.name, one.hosts]))
  return found.flatMap(({ name, url, path, where }): Problem<GraphWarningCode>[] => {
    const hosts = known.get(name)
    if (!hosts) {
      const message = `There is no credential ${quote(name)} in this account: create it before a run.`
      return [{ code: 'CREDENTIAL_NOT_FOUND', path, message, ...where }]
    }
    const target = URL.parse(url)
    if (!target || mayBeSentTo(hosts, target)) return []
    const message = `Credential ${quote(name)} may not be sent to ${target.origin}: its hosts do not include this address.`
    return [{ code: 'CREDENTIAL_NOT_ALLOWED', path, message, ...where }]
  })
}
