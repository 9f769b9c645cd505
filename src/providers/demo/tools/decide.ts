// A model made of rules that calls functions: it takes the user's goal clause by clause, picks a
// function for each, fills its parameters, polls while something is under way, and then reports
// the results. Never calls a function that was not offered.
import type { TextRequest } from '../../provider.ts'
import { fill } from '../text/json-fill.ts'
import { textOf } from '../text/request.ts'
import { quote, withoutQuoted } from '../text/values.ts'
import { type Call, fillArguments } from './arguments.ts'
import { matchTool, readKit, type Tool } from './kit.ts'
import { findKey, hasFailed, isUnderWay, type Step, stepsIn, tell } from './results.ts'

export type { Call }

/** Null if no function fits: then the request is answered like any other. */
type Decision = { call: Call } | { text: string } | null

/** The user's latest goal, the calls made for it, and the calls made before. */
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
  const { steps } = dialogue
  if (toolChoice === 'none') return steps.length > 0 ? { text: tell(steps) } : null
  if (typeof toolChoice === 'object') return forced(dialogue, toolChoice.name)
  const decision = lookAgain(dialogue) ?? byGoal(dialogue)
  if (toolChoice !== 'required' || (decision && 'call' in decision)) return decision
  return lastCall(dialogue, decision?.text) ?? decision
}

const verbs = `list search find show get read fetch check describe give open look run start execute
  submit launch trigger generate make draw create paint render add set write build save delete remove
  update change edit rename cancel stop abort send post verify validate estimate ask chat calculate
  summarize wait tell report do don never`
const separator = String.raw`[;\n]+|[.!?]\s+|,?\s(?:and\s)?then\s|,\s{0,3}(?:and\s)?|\sand\s(?:also\s)?`
/** Skips quoted text as a whole; a further clause must begin with a verb. */
const clauseEnd = new RegExp(
  `${quote.source}|(?<end>(?:${separator})\\s{0,3}(?:(?:please|finally|also|now)\\s){0,2})(?=(?:${verbs.split(/\s+/).join('|')})(?!\\p{L}))`,
  'giu',
)

/** "List the workflows, run the third and wait" is three. Clauses that forbid are left out. */
function clausesOf(goal: string): string[] {
  const clauses: string[] = []
  let from = 0
  for (const { index, 0: found, groups } of goal.matchAll(clauseEnd)) {
    if (groups?.end === undefined) continue
    clauses.push(goal.slice(from, index))
    from = index + found.length
  }
  return [...clauses, goal.slice(from)]
    .map((clause) => clause.trim().replace(/[.!]$/, ''))
    .filter((clause) => clause && !/\b(?:do not|don['’]t|never|without)\b/i.test(clause))
    .slice(0, 20)
}

function byGoal({ goal, steps, earlier, kit }: Dialogue): Decision {
  const left = [...steps]
  const reported: Step[] = []
  for (const clause of clausesOf(goal)) {
    const tool = matchTool(withoutQuoted(clause), kit)
    if (!tool) continue
    const at = left.findIndex(({ name }) => name === tool.name)
    const [step] = at < 0 ? [] : left.splice(at, 1)
    if (!step) {
      const filled = fillArguments({ clause, steps: [...earlier, ...steps], kit, tool })
      if ('call' in filled) return filled
      const [first] = filled.missing
      const plea = `To call ${tool.name} I need ${filled.missing.join(', ')}, and found no value for it. Name it, as in ${first}="…".`
      return { text: tell(reported, plea) }
    }
    reported.push(step)
    if (hasFailed(step)) return { text: tell(reported) }
  }
  const last = steps.at(-1)
  if (!last) return null
  // Earlier states are not worth reporting once the last one is known.
  const ended = reported.filter((step) => step !== last && !isUnderWay(step))
  return { text: tell([...ended, last]) }
}

/** While the last thing that was started is under way, its state is read again. */
function lookAgain({ steps, kit }: Dialogue): Decision {
  const last = steps.at(-1)
  const own = kit.find(({ name }) => name === last?.name)
  if (!last || !own || hasFailed(last)) return null
  if (!isUnderWay(last) && own.does !== 'start') return null
  if (own.does === 'read') {
    const looks = steps.filter(({ name }) => name === own.name).length
    if (looks < maxLooks) return { call: { tool: own, args: last.args } }
    return { text: tell([last], `It has not ended after ${looks} looks; ask me again later.`) }
  }
  const idFor = (name: string) =>
    /id$/i.test(name) && !(name in last.args) ? findKey(last.result, name) : undefined
  const tool = kit.find(
    ({ does, required }) =>
      does === 'read' && required[0] && required.every(({ name }) => idFor(name) !== undefined),
  )
  if (!tool) return null
  const args = Object.fromEntries(tool.required.map(({ name }) => [name, idFor(name)]))
  return { call: { tool, args } }
}

/** The request demands this function, so missing values are taken from the text by their names. */
function forced({ goal, steps, earlier, kit }: Dialogue, name = ''): Decision {
  const tool = kit.find((one) => one.name === name)
  if (!tool) return null
  const filled = fillArguments({ clause: goal, steps: [...earlier, ...steps], kit, tool })
  if ('call' in filled && filled.call.tool === tool) return filled
  const source = { text: goal, answer: goal }
  const args = tool.required.map(({ name, schema }) => [name, fill(schema, name, source)])
  return { call: { tool, args: Object.fromEntries(args) } }
}

/** Some hosts accept the answer itself only as a call. */
function lastCall(dialogue: Dialogue, text: string | undefined): Decision {
  const { kit, steps, goal } = dialogue
  const end = kit.find(({ name }) => /final|finish|answer|respond|reply|done/.test(name))
  if (end && text !== undefined) {
    const into = end.params.find(({ schema }) => schema.type === 'string')
    return { call: { tool: end, args: into ? { [into.name]: text } : {} } }
  }
  return steps.length > 0 ? null : forced(dialogue, (matchTool(goal, kit) ?? kit[0])?.name)
}
