import type { ErrorObject, ValidateFunction } from 'ajv/dist/2020.js'
import { createAjv } from '#core/ajv.ts'
import { once } from '#core/once.ts'
import {
  type CheckEnv,
  type Config,
  type ConfigProblem,
  maxLabelChars,
  type NodeType,
} from './node-type.ts'

// Each setting is checked separately, up to its first mistake. This way every invalid setting is
// reported, and a hostile one cannot make the list of problems larger than its request body.
const ajv = once(() => createAjv({ strict: true, allErrors: false }))

type Checks = { required: readonly string[]; settings: ReadonlyMap<string, ValidateFunction> }

const compiled = new WeakMap<NodeType, Checks>()

/** Compiled for the first node of a type: compiling all would take a tenth of the start-up time. */
export function checksOf(type: NodeType): Checks {
  const ready = compiled.get(type)
  if (ready) return ready
  const settings = new Map(
    Object.entries(type.config.properties).map(([name, schema]) => [name, ajv().compile(schema)]),
  )
  const fresh = { required: type.config.required ?? [], settings }
  compiled.set(type, fresh)
  return fresh
}

/** All problems with the settings of one node; each message says how to fix it. */
export function inspectConfig(type: NodeType, data: Config, env: CheckEnv): ConfigProblem[] {
  const { required, settings } = checksOf(type)
  const problems: ConfigProblem[] = []
  for (const name of required) {
    if (!Object.hasOwn(data, name)) {
      problems.push({ path: `/${name}`, message: `${name} is missing: ${type.type} needs it` })
    }
  }
  for (const [name, check] of settings) {
    if (!Object.hasOwn(data, name) || check(data[name])) continue
    const [error] = check.errors ?? []
    if (error) problems.push(toProblem(name, error))
  }
  if (data.label !== undefined && !isLabel(data.label)) {
    const message = `label must be a string of at most ${maxLabelChars} characters`
    problems.push({ path: '/label', message })
  }
  // The type's own checks rely on settings that match the schema.
  return problems.length > 0 ? problems : (type.check?.(data, env) ?? [])
}

const isLabel = (value: unknown) => typeof value === 'string' && value.length <= maxLabelChars

function toProblem(name: string, error: ErrorObject): ConfigProblem {
  const { missingProperty, allowedValues } = error.params as Record<string, unknown>
  const at = error.instancePath
  const subject = `${name}${at.slice(0, 200).replaceAll('/', '.')}`
  if (typeof missingProperty === 'string') {
    return {
      path: `/${name}${at}/${missingProperty}`,
      message: `${subject} must have "${missingProperty}"`,
    }
  }
  const rule = Array.isArray(allowedValues)
    ? `must be one of ${allowedValues.join(', ')}`
    : error.keyword === 'type'
      ? `must be ${withArticle(String(error.params.type))}`
      : (error.message ?? 'is not acceptable')
  return { path: `/${name}${at.slice(0, 500)}`, message: `${subject} ${rule}` }
}

const withArticle = (type: string) => (/^[aeiou]/.test(type) ? `an ${type}` : `a ${type}`)
