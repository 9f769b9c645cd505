import { isRequired } from '../node/input-node.ts'
import { pointerSegment } from '../node/json-pointer.ts'
import type { Config } from '../node/node-type.ts'
import { mayBeGiven, type Plan } from '../plan/plan.ts'
import type { ValidateEnv } from './validate.ts'

/** `path` is a JSON Pointer into the inputs. */
type InputIssue = { path: string; rule: string; message: string }

const maxIssues = 100

/**
 * Checks the inputs of a run by the rules of the input schema. Schemas that users wrote are checked
 * in an isolated process. An estimate allows missing inputs.
 */
export async function checkInputs(
  plan: Plan,
  given: Config,
  { checkSchemas, missing }: Pick<ValidateEnv, 'checkSchemas'> & { missing: 'refused' | 'allowed' },
): Promise<InputIssue[]> {
  const issues: InputIssue[] = []
  const known = new Set<string>()
  const apart: { id: string; schema: object; value: unknown }[] = []
  for (const node of plan.nodes) {
    const { id, type, config } = node
    // The result of a browser node may be any value and is never required.
    if (mayBeGiven(plan, node)) known.add(id)
    if (!type.inputSchema) continue
    known.add(id)
    if (!Object.hasOwn(given, id)) {
      if (missing === 'refused' && isRequired(config) && !plan.leftOut?.has(node.index)) {
        issues.push({ path: `/${id}`, rule: 'required', message: `input "${id}" is required` })
      }
      continue
    }
    const problem = type.inputProblem?.(config, given[id]) ?? null
    if (problem) issues.push({ path: `/${id}`, rule: 'value', message: `input "${id}" ${problem}` })
    const written = type.userSchema?.(config)
    if (written) apart.push({ id, schema: written.schema, value: given[id] })
  }
  for (const name of Object.keys(given)) {
    if (known.has(name)) continue
    const path = `/${pointerSegment(name.slice(0, 100))}`
    const message = `"${name.slice(0, 100)}" is not an input of this workflow`
    issues.push({ path, rule: 'additionalProperties', message })
    if (issues.length >= maxIssues) break
  }
  return [...issues, ...(await checkApart(apart, checkSchemas))].slice(0, maxIssues)
}

async function checkApart(
  apart: readonly { id: string; schema: object; value: unknown }[],
  checkSchemas: ValidateEnv['checkSchemas'],
): Promise<InputIssue[]> {
  const answers = await checkSchemas(apart.map(({ schema, value }) => ({ schema, value })))
  return apart.flatMap(({ id }, i) => {
    const answer = answers[i]
    if (!answer) return []
    if ('schema' in answer) {
      return [{ path: `/${id}`, rule: 'schema', message: `input "${id}": ${answer.schema}` }]
    }
    return answer.issues.map(({ path, rule, message }) => ({
      path: `/${id}${path}`,
      rule,
      message: `input "${id}"${path} ${message}`,
    }))
  })
}
