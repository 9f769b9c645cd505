// The functions of a request as this model sees them: the words of their names, their parameters.
import type { ToolDefinition } from '#core/text-stream.ts'
import { isRecord, type Json } from '../../json-shape.ts'
import { stem } from '../text/language.ts'

export type Param = { name: string; schema: Json; isRequired: boolean }

export type Tool = {
  name: string
  description: string
  /** Words of the name, without a prefix that all share. */
  words: string[]
  params: Param[]
}

const maxParams = 100

export function readKit(tools: readonly ToolDefinition[]): Tool[] {
  const named = tools.map(({ name }) => splitName(name))
  const [first] = named[0] ?? []
  const isShared =
    tools.length > 1 && named.every((words) => words.length > 1 && words[0] === first)
  return tools.map(({ name, description = '', parameters }, index) => ({
    name,
    description: description.slice(0, 2000),
    words: (named[index] ?? []).slice(isShared ? 1 : 0),
    params: paramsOf(parameters),
  }))
}

/** "svc_list_workflowRuns" as svc, list, workflow, runs. */
export const splitName = (name: string): string[] =>
  name
    .replace(/([a-z\d])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((word) => word !== '')

export function paramsOf(schema: unknown): Param[] {
  if (!isRecord(schema) || !isRecord(schema.properties)) return []
  const required = Array.isArray(schema.required) ? schema.required : []
  return Object.entries(schema.properties)
    .slice(0, maxParams)
    .map(([name, property]) => ({
      name,
      schema: isRecord(property) ? property : {},
      isRequired: required.includes(name),
    }))
}

/** "workflowId" is about a workflow; "model" about a model. */
export const nounOf = ({ name }: Param): string => {
  const words = splitName(name)
  const noun = words.at(-1) === 'id' ? words.slice(0, -1) : words
  return stem(noun.at(-1) ?? '')
}

const readers = new Set(['get', 'read', 'fetch', 'check', 'poll', 'retrieve', 'describe', 'show'])

export const isReader = ({ words }: Tool): boolean => readers.has(words[0] ?? '')

export const isLister = ({ words }: Tool): boolean =>
  words[0] === 'list' || words[0] === 'search' || words[0] === 'find'
