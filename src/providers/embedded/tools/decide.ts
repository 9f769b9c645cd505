// A model that calls functions, made of rules: it takes the user's goal part by part, picks a
// function for each, fills its parameters, looks again while something is under way, and then
// says what came of it. Never calls a function that was not offered, and never makes up a value.
import type { Json } from '../../json-shape.ts'
import type { TextRequest } from '../../provider.ts'
import { fill } from '../text/json-fill.ts'
import { shapeOf } from '../text/json-shape.ts'
import { asksToTell, asksToWait, clausesOf, isForbidden } from './clauses.ts'
import { type Dialogue, readDialogue, type Step } from './dialogue.ts'
import { type Call, fillArguments, readiness } from './fill-arguments.ts'
import { isReader, type Param, readKit, type Tool } from './kit.ts'
import { matchTools } from './match-tool.ts'
import { failureIn, findKey, isUnderWay } from './results.ts'
import { signature, tell } from './tell.ts'
import { withoutQuoted } from './values.ts'

/** Null where no function fits: then the request is one like any other. */
export type Decision = { call: { name: string; args: Json } } | { text: string } | null

const maxSteps = 200
const maxLooks = 120

export function decide({ messages, tools = [], toolChoice }: TextRequest): Decision {
  const dialogue = readDialogue(messages)
  const kit = readKit(tools)
  if (typeof toolChoice === 'object') return forced(dialogue, kit, toolChoice.name)
  const decision = toolChoice === 'none' ? finished(dialogue) : byGoal(dialogue, kit)
  if (toolChoice === 'required' && !(decision && 'call' in decision)) {
    return lastCall(dialogue, kit, decision?.text) ?? decision
  }
  return decision
}

const finished = ({ steps }: Dialogue): Decision =>
  steps.length > 0 ? { text: tell(steps) } : null

function byGoal(dialogue: Dialogue, kit: readonly Tool[]): Decision {
  const { goal, steps, earlier } = dialogue
  const all = [...earlier, ...steps]
  if (steps.length >= maxSteps)
    return { text: `${tell(steps.slice(-1))}\n\nI stop here: ${steps.length} calls were made.` }
  const left = [...steps]
  const reported: Step[] = []
  let before: Tool | undefined
  for (const clause of clausesOf(goal)) {
    if (isForbidden(clause) || (before && asksToTell(clause))) continue
    if (asksToWait(clause)) {
      const look = lookAgain(all, kit)
      if (look) return look
      continue
    }
    const best = toolFor(clause, { kit, steps: earlier, before })
    if (!best) continue
    before = best
    const at = left.findIndex(({ name }) => name === best.name)
    const [step] = at < 0 ? [] : left.splice(at, 1)
    if (!step) return callOrAsk(best, { clause, all, kit, reported })
    reported.push(step)
    if (failureIn(step.result) !== undefined) return { text: tell(reported) }
  }
  if (reported.length === 0) return finished({ ...dialogue, steps: steps.slice(-1) })
  const look = lookAgain(steps, kit)
  if (look) return look
  const last = steps.at(-1)
  if (!last || reported.includes(last)) return { text: tell(reported) }
  // How it began says nothing once it is known how it ended.
  return { text: tell([...reported.filter((step) => !isUnderWay(step)), last]) }
}

type Context = { kit: readonly Tool[]; steps: readonly Step[]; before: Tool | undefined }

/**
 * Calls made on the way have no say in it: they must not change what was meant.
 * "… in Paris and in London": what has no verb of its own goes on with the one before.
 */
function toolFor(clause: string, { kit, steps, before }: Context): Tool | undefined {
  const meant = /\b(?:it|them|that)\b/i.test(clause)
    ? ` ${before?.words.slice(1).join(' ') ?? ''}`
    : ''
  const [best] = matchTools(withoutQuoted(clause) + meant, kit, (tool) =>
    readiness({ clause, steps, kit, tool }),
  )
  if (best) return best.tool
  return before && /^(?:in|for)\s/i.test(clause) ? before : undefined
}

function callOrAsk(
  tool: Tool,
  {
    clause,
    all,
    kit,
    reported,
  }: { clause: string; all: Step[]; kit: readonly Tool[]; reported: Step[] },
): Decision {
  const filled = fillArguments({ clause, steps: all, kit, tool })
  if ('missing' in filled) {
    const told = reported.length > 0 ? `${tell(reported).replace(`\n\n${signature}`, '')}\n\n` : ''
    return {
      text: `${told}To call ${tool.name} I need ${filled.missing.join(', ')}, and found no value for it. Name it, as in ${filled.missing[0]}="…".\n\n${signature}`,
    }
  }
  return asCall('first' in filled ? filled.first : filled)
}

const asCall = ({ tool, args }: Call): Decision => ({ call: { name: tool.name, args } })

/** While the newest thing that was begun is under way, its state is read again. */
function lookAgain(steps: readonly Step[], kit: readonly Tool[]): Decision {
  const last = steps.at(-1)
  if (!last || failureIn(last.result) !== undefined) return null
  const own = kit.find(({ name }) => name === last.name)
  const isJob = own !== undefined && starters.has(own.words[0] ?? '')
  if (!isUnderWay(last) && !isJob) return null
  if (own && isReader(own)) {
    const looks = steps.filter(({ name }) => name === own.name).length
    if (looks >= maxLooks) {
      return {
        text: `${tell([last])}\n\nIt has not ended after ${looks} looks; ask me again later.`,
      }
    }
    return { call: { name: own.name, args: last.args } }
  }
  const reader = kit
    .filter((tool) => isReader(tool) && requiredOf(tool).length > 0)
    .find((tool) =>
      requiredOf(tool).every(
        ({ name }) =>
          /id$/i.test(name) && findKey(last.result, name) !== undefined && !(name in last.args),
      ),
    )
  if (!reader) return null
  const args = Object.fromEntries(
    requiredOf(reader).map(({ name }) => [name, findKey(last.result, name)]),
  )
  return { call: { name: reader.name, args } }
}

const requiredOf = ({ params }: Tool): Param[] => params.filter(({ isRequired }) => isRequired)

/** What they begin is read at least once: their answer only names it. */
const starters = new Set(['run', 'start', 'execute', 'generate', 'submit', 'launch'])

/** Told to call this very function: what was not said is taken from the text by its name. */
function forced(dialogue: Dialogue, kit: readonly Tool[], name: string): Decision {
  const tool = kit.find((one) => one.name === name)
  if (!tool) return null
  const { goal, steps, earlier } = dialogue
  const filled = fillArguments({ clause: goal, steps: [...earlier, ...steps], kit, tool })
  if (!('missing' in filled) && !('first' in filled)) return asCall(filled)
  const source = { text: goal, ask: goal, answer: goal }
  const args = Object.fromEntries(
    tool.params
      .filter(({ isRequired }) => isRequired)
      .map((param) => [param.name, fill(shapeOf(param.schema), param.name, source)]),
  )
  return asCall({ tool, args })
}

const endings = new Set(
  'final finish finished answer respond reply done complete return submit'.split(' '),
)

/** Some hosts take the answer itself as a call, and allow nothing else. */
function lastCall(dialogue: Dialogue, kit: readonly Tool[], text: string | undefined): Decision {
  const end = kit.find(({ words }) => words.some((word) => endings.has(word)))
  if (end && text !== undefined) {
    const into = end.params.find(({ schema }) => schema.type === 'string')
    return asCall({ tool: end, args: into ? { [into.name]: text } : {} })
  }
  const [only] = kit
  if (dialogue.steps.length > 0 || !only) return null
  const { goal, earlier } = dialogue
  const [best] = matchTools(goal, kit, () => 0)
  return forced({ goal, steps: [], earlier }, kit, (best?.tool ?? only).name)
}
