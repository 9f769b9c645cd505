import {
  type CredentialKind,
  hostsMissing,
  keyProblem,
  mayBeSentTo,
  requestProblem,
} from '#core/credential.ts'
import type { ModelLookup } from '../node/models.ts'
import type { Config, NamedCredential, NodeType } from '../node/node-type.ts'
import { findNodeType } from '../types/table.ts'
import { type GraphErrorCode, type GraphWarningCode, type Problem, quote } from './problems.ts'

type SoundNode = {
  type: NodeType
  settings: Config
  /** JSON Pointer of the settings. */
  path: string
  where: { nodeId?: string }
}

export type CredentialFacts = {
  name: string
  kind: CredentialKind
  provider: string | null
  hosts: readonly string[]
}

/** Finds those of the named credentials that the account has. */
export type FindCredentials = (names: readonly string[]) => Promise<readonly CredentialFacts[]>

type CredentialProblems = {
  errors: Problem<GraphErrorCode>[]
  warnings: Problem<GraphWarningCode>[]
}

/**
 * A credential that is missing or would not be sent is a warning: it may be created or changed
 * after the workflow, and is looked up when a node runs. One that can never be used here is an
 * error.
 */
export async function checkCredentials(
  nodes: Iterable<SoundNode>,
  { findCredentials, models }: { findCredentials: FindCredentials; models: ModelLookup },
): Promise<CredentialProblems> {
  const found = [...nodes].flatMap(({ type, settings, path, where }) => {
    const named = type.credential?.(settings, { nodeType: findNodeType })
    return named ? [{ named, path: path + named.path, where }] : []
  })
  const problems: CredentialProblems = { errors: [], warnings: [] }
  if (found.length === 0) return problems
  const names = [...new Set(found.map(({ named }) => named.name))]
  const known = new Map((await findCredentials(names)).map((one) => [one.name, one]))
  for (const { named, path, where } of found) {
    const facts = known.get(named.name)
    const error = facts && mismatch(named, facts, models)
    const warning = facts ? sendingProblem(named, facts) : missing(named)
    if (error) problems.errors.push({ code: 'INVALID_CONFIG', path, message: error, ...where })
    else if (warning) problems.warnings.push({ ...warning, path, ...where })
  }
  return problems
}

const missing = ({ name }: NamedCredential) => ({
  code: 'CREDENTIAL_NOT_FOUND' as const,
  message: `There is no credential ${quote(name)} in this account: create it before a run.`,
})

function mismatch(
  named: NamedCredential,
  facts: CredentialFacts,
  models: ModelLookup,
): string | null {
  if ('url' in named) return requestProblem(facts.name, facts)
  const model = models(named.model)
  return model ? keyProblem(facts.name, facts, model.provider) : null
}

function sendingProblem(named: NamedCredential, { name, hosts }: CredentialFacts) {
  const target = 'url' in named ? URL.parse(named.url) : null
  if (!target || mayBeSentTo(hosts, target)) return null
  const message =
    hosts.length === 0
      ? hostsMissing(name)
      : `Credential ${quote(name)} may not be sent to ${target.origin}: its hosts do not include this address.`
  return { code: 'CREDENTIAL_NOT_ALLOWED' as const, message }
}
