// A model that calls functions, made of rules: it takes the user's goal clause by clause, picks a
// function for each, fills its parameters, looks again while something is under way, and then
// says what came of it. Never calls a function that was not offered.
import type { Json } from '../../json-shape.ts'
import type { TextRequest } from '../../provider.ts'
import { fill } from '../text/json-fill.ts'
import { textOf } from '../text/request.ts'
import { type Call, type Filled, fillArguments } from './arguments.ts'
import { clausesOf, isForbidden } from './clauses.ts'
import { isReader, isStarter, matchTool, readKit, requiredOf, type Tool } from './kit.ts'
import { failureIn, findKey, isUnderWay, type Step, signature, stepsIn, tell } from './results.ts'
import { withoutQuoted } from './values.ts'

/** Null where no function fits: then the request is one like any other. */
export type Decision = { call: { name: string; args: Json } } | { text: string } | null

/** What was wanted last, the calls made for it, and those made before. */
type Dialogue = { goal: string; steps: Step[]; earlier: Step[]; kit: Tool[] }

const maxGoalLength = 4000
const maxLooks = 120

export function decide({ messages, tools = [], toolChoice }: TextRequest): Decision {
  const last = messages.findLastIndex(({ role }) => role === 'user')
  const asked = messages[last]
  const dialogue: Dialogue = {
    goal: asked ? textOf(asked).slice(0, maxGoalLength).trim() : '',
    steps: stepsIn(messages.slice(last + 1)),
    earlier: stepsIn(messages.slice(0, Math.max(0, last))),
    kit: readKit(tools),
  }
  if (typeof toolChoice === 'object') return forced(dialogue, toolChoice.name)
  if (toolChoice === 'none')
    return dialogue.steps.length > 0 ? { text: tell(dialogue.steps) } : null
  const decision = lookAgain(dialogue) ?? byGoal(dialogue)
  if (toolChoice !== 'required' || (decision && 'call' in decision)) return decision
  return lastCall(dialogue, decision?.text) ?? decision
}

function byGoal({ goal, steps, earlier, kit }: Dialogue): Decision {
  const left = [...steps]
  const reported: Step[] = []
  for (const clause of clausesOf(goal)) {
    const tool = isForbidden(clause) ? undefined : matchTool(withoutQuoted(clause), kit)
    if (!tool) continue
    const at = left.findIndex(({ name }) => name === tool.name)
    const [step] = at < 0 ? [] : left.splice(at, 1)
    if (!step) {
      const filled = fillArguments({ clause, steps: [...earlier, ...steps], kit, tool })
      return callOrAsk(filled, tool, reported)
    }
    reported.push(step)
    if (failureIn(step.result) !== undefined) return { text: tell(reported) }
  }
  const last = steps.at(-1)
  if (!last) return null
  // How it began says nothing once it is known how it ended.
  const ended = reported.filter((step) => step !== last && !isUnderWay(step))
  return { text: tell([...ended, last]) }
}

function callOrAsk(filled: Filled, tool: Tool, reported: readonly Step[]): Decision {
  if (!('missing' in filled)) return asCall('first' in filled ? filled.first : filled)
  const before = reported.length > 0 ? tell(reported).replace(signature, '') : ''
  const names = filled.missing.join(', ')
  return {
    text: `${before}To call ${tool.name} I need ${names}, and found no value for it. Name it, as in ${filled.missing[0]}="…".\n\n${signature}`,
  }
}

const asCall = ({ tool, args }: Call): Decision => ({ call: { name: tool.name, args } })

/** While the newest thing that was begun is under way, its state is read again. */
function lookAgain({ steps, kit }: Dialogue): Decision {
  const last = steps.at(-1)
  const own = kit.find(({ name }) => name === last?.name)
  if (!last || failureIn(last.result) !== undefined) return null
  if (!isUnderWay(last) && !(own && isStarter(own))) return null
  if (own && isReader(own)) {
    const looks = steps.filter(({ name }) => name === own.name).length
    if (looks < maxLooks) return { call: { name: own.name, args: last.args } }
    return { text: `${tell([last])}\n\nIt has not ended after ${looks} looks; ask me again later.` }
  }
  const reader = kit.find((tool) => {
    const required = requiredOf(tool)
    const isServed = ({ name }: { name: string }) =>
      /id$/i.test(name) && !(name in last.args) && findKey(last.result, name) !== undefined
    return isReader(tool) && required.length > 0 && required.every(isServed)
  })
  if (!reader) return null
  const args = requiredOf(reader).map(({ name }) => [name, findKey(last.result, name)])
  return asCall({ tool: reader, args: Object.fromEntries(args) })
}

/** Told to call this very function: what was not said is taken from the text by its name. */
function forced({ goal, steps, earlier, kit }: Dialogue, name: string): Decision {
  const tool = kit.find((one) => one.name === name)
  if (!tool) return null
  const filled = fillArguments({ clause: goal, steps: [...earlier, ...steps], kit, tool })
  if ('tool' in filled) return asCall(filled)
  const source = { text: goal, answer: goal }
  const args = requiredOf(tool).map((param) => [param.name, fill(param.schema, param.name, source)])
  return asCall({ tool, args: Object.fromEntries(args) })
}

/** Some hosts take the answer itself as a call, and allow nothing else. */
function lastCall(dialogue: Dialogue, text: string | undefined): Decision {
  const { kit, steps, goal } = dialogue
  const end = kit.find(({ name }) => /final|finish|answer|respond|reply|done/.test(name))
  if (end && text !== undefined) {
    const into = end.params.find(({ schema }) => schema.type === 'string')
    return asCall({ tool: end, args: into ? { [into.name]: text } : {} })
  }
  const tool = matchTool(goal, kit) ?? kit[0]
  return steps.length > 0 || !tool ? null : forced(dialogue, tool.name)
}
