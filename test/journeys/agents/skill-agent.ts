// A small agent that knows nothing about the service but the text of a skill and a list of tools.
// It follows the numbered steps of a section, and takes every argument from the schema of the
// tool, from the text, or from an earlier answer. It never guesses, and does nothing that the text
// does not say.
import { Ajv2020 } from 'ajv/dist/2020.js'
import ajvFormats from 'ajv-formats'
import type { Body } from '../../support/server.ts'

export type AgentTool = {
  name: string
  input_schema: { properties: Record<string, object>; required?: string[] }
}
export type ToolAnswer = { status: number; body: Body }

export type Host = {
  tools: readonly AgentTool[]
  call(tool: string, args: Record<string, unknown>): Promise<ToolAnswer>
  wait(seconds: number): Promise<void>
  newKey(): string
}

/** What the user wants: the name of a workflow, and words to fill inputs and prompts with. */
export type Goal = { name?: string; words: string }

export type Memory = Record<string, unknown>

/** What one section led to. */
export type Outcome = {
  called: string[]
  memory: Memory
  /** Paths in answers that the text told it to read, with the values found there. */
  read: Map<string, unknown>
}

const ajv = new Ajv2020({ strict: false })
ajvFormats.default(ajv)

/** The numbered steps below a heading. */
export function stepsOf(text: string, heading: string): string[] {
  const section = text.split(`\n## ${heading}\n`)[1]?.split('\n## ')[0]
  if (section === undefined) throw new Error(`the skill has no section "${heading}"`)
  const steps = [...section.matchAll(/^\d+\. (.*)$/gm)].map((match) => match[1] ?? '')
  if (steps.length === 0) throw new Error(`"${heading}" has no steps`)
  return steps
}

export async function follow(
  steps: readonly string[],
  host: Host,
  goal: Goal,
  known: Memory = {},
): Promise<Outcome> {
  const outcome: Outcome = { called: [], memory: { ...known }, read: new Map() }
  let last: Body
  for (const step of steps) {
    if (/Choose `(\w+)` now/.test(step)) {
      outcome.memory[/Choose `(\w+)` now/.exec(step)?.[1] ?? ''] = host.newKey()
    }
    readExamples(step, goal, outcome.memory)
    const tool = /\bcall `(svc_\w+)`/i.exec(step)?.[1]
    if (tool) last = await callTool(tool, step, host, outcome)
    takeFrom(step, last, goal, outcome.memory)
    for (const [, path = ''] of step.matchAll(/\b(?:[Rr]ead|[Tt]ell the user) `(data[\w.]*)`/g)) {
      outcome.read.set(path, valueAt(last, path))
    }
  }
  return outcome
}

/** Calls once, or as often and as slowly as the step says. */
async function callTool(name: string, step: string, host: Host, outcome: Outcome): Promise<Body> {
  const [, statusPath, words = '', waitPath = ''] =
    /Repeat until `([\w.]+)` is (.*?), and wait `([\w.]+)` seconds/.exec(step) ?? []
  const ends = [...words.matchAll(/`(\w+)`/g)].map((match) => match[1])
  for (;;) {
    outcome.called.push(name)
    const { status, body } = await host.call(name, argumentsOf(name, host, outcome.memory))
    if (status >= 400) throw new Error(`${name} was refused: ${JSON.stringify(body)}`)
    if (statusPath === undefined) return body
    if (ends.includes(String(valueAt(body, statusPath)))) return body
    await host.wait(Number(valueAt(body, waitPath)))
  }
}

/** All known arguments of the tool. Required ones must be known. */
function argumentsOf(name: string, { tools }: Host, memory: Memory): Record<string, unknown> {
  const tool = tools.find((one) => one.name === name)
  if (!tool) throw new Error(`there is no tool ${name}`)
  const { properties, required = [] } = tool.input_schema
  const unknown = required.find((argument) => memory[argument] === undefined)
  if (unknown) throw new Error(`the skill does not say where ${unknown} of ${name} comes from`)
  const args = Object.fromEntries(
    Object.keys(properties)
      .filter((argument) => memory[argument] !== undefined)
      .map((argument) => [argument, memory[argument]]),
  )
  if (!ajv.validate(tool.input_schema, args)) throw new Error(`${name}: ${ajv.errorsText()}`)
  return args
}

/** `messages`: `[{"role":"user","content":"…"}]` */
function readExamples(step: string, goal: Goal, memory: Memory) {
  for (const [, name = '', json = ''] of step.matchAll(/`(\w+)`(?: such as|:) `([[{].*?[\]}])`/g)) {
    memory[name] = JSON.parse(json.replaceAll('…', goal.words))
  }
}

function takeFrom(step: string, answer: Body, goal: Goal, memory: Memory) {
  for (const [, name = '', path = ''] of step.matchAll(/Take `(\w+)` as `([\w.]+)` describes/g)) {
    memory[name] = sampleOf(valueAt(answer, path) as JsonSchema, goal)
  }
  const taking = /Take `(\w+)` from `([\w.[\]]+)`(?: where `(\w+)` is `(\w+)`)?/g
  for (const [, name = '', path = '', field, wanted] of step.matchAll(taking)) {
    const [listPath = '', member] = path.split('[].')
    if (member === undefined) {
      memory[name] = valueAt(answer, path)
      continue
    }
    const items = valueAt(answer, listPath) as Record<string, unknown>[]
    const chosen = items.filter(
      (item) =>
        (field === undefined || item[field] === wanted) &&
        isNamed(step, item, goal) &&
        looksLike(step, item, goal, memory),
    )
    if (chosen.length === 0) throw new Error(`nothing in ${listPath} fits: ${step}`)
    if (field !== undefined) memory[field] = wanted
    memory[name] = chosen[0]?.[member]
  }
}

/** "Choose by `data.items[].name`." */
const isNamed = (step: string, item: Record<string, unknown>, goal: Goal) =>
  !/Choose by `data\.items\[\]\.name`/.test(step) || item.name === goal.name

/** "Look for an item whose `kind` … are the ones you sent, whose `promptPreview` begins like your prompt". */
function looksLike(step: string, item: Record<string, unknown>, goal: Goal, memory: Memory) {
  const sentence = /Look for an item (whose .*?)\. /.exec(step)?.[1] ?? ''
  const same = /((?:`\w+`(?: and )?)+) are the ones you sent/.exec(sentence)?.[1] ?? ''
  const literal = /whose `(\w+)` is `(\w+)`/.exec(sentence)
  const begins = /whose `(\w+)` begins like your prompt/.exec(sentence)?.[1]
  return (
    [...same.matchAll(/`(\w+)`/g)].every(([, field = '']) => item[field] === memory[field]) &&
    (!literal || item[literal[1] ?? ''] === literal[2]) &&
    (!begins || goal.words.startsWith(String(item[begins])))
  )
}

type JsonSchema = {
  type?: string
  enum?: unknown[]
  minimum?: number
  properties?: Record<string, JsonSchema>
  required?: string[]
}

function sampleOf(schema: JsonSchema, goal: Goal): unknown {
  if (schema.enum) return schema.enum[0]
  if (schema.type === 'string') return goal.words
  if (schema.type === 'boolean') return true
  if (schema.type === 'number' || schema.type === 'integer') return schema.minimum ?? 1
  const { properties = {}, required = [] } = schema
  return Object.fromEntries(required.map((name) => [name, sampleOf(properties[name] ?? {}, goal)]))
}

function valueAt(answer: Body, path: string): unknown {
  const value = path.split('.').reduce((at, name) => at?.[name], answer)
  if (value === undefined) throw new Error(`the answer has no ${path}: ${JSON.stringify(answer)}`)
  return value
}
