import { isRecord } from '#core/record.ts'
import { Type } from '#core/schema.ts'
import {
  addSpread,
  atMost,
  countedText,
  doubtful,
  known,
  local,
  type Unknown,
  unknownValue,
} from '../node/guess.ts'
import { NodeFailure } from '../node/node-failure.ts'
import {
  type Config as Data,
  defineNode,
  type EstimateEnv,
  type Guess,
  type Spread,
} from '../node/node-type.ts'
import { placeholderNames, placeholderPaths, render } from '../node/placeholders.ts'
import { member } from '../node/values.ts'

type Config = { template: string; values?: Record<string, unknown> }

const ownKeys = new Set(['template', 'values', 'label'])
const maxNames = 100
const maxChars = 200_000
/** For a longer text, an estimate keeps only the number of tokens. */
const maxKeptChars = 100_000

export const textTemplate = defineNode<Config>({
  type: 'text.template',
  canvas: {
    label: 'Template',
    group: 'shape',
    icon: 'text-quote',
    help: 'Inserts values into a text: each {{name}} becomes a port. {{name.member}} reads a member of an object. A member that does not exist fails the node; null becomes nothing.',
    initial: { template: '{{input}}' },
  },
  config: Type.Object({
    template: Type.String({ maxLength: maxChars, description: 'Text with {{name}} placeholders.' }),
    values: Type.Optional(
      Type.Object({}, { description: 'Values for names that have no connection.' }),
    ),
  }),
  pure: true,
  portsDependOn: ['template'],
  placeholders: ({ template }) =>
    typeof template === 'string' ? [{ path: '/template', text: template }] : [],
  ports({ template }) {
    if (typeof template !== 'string' || template.length > maxChars) return null
    const names = placeholderNames(template)
    if (!names || names.length > maxNames) return null
    return {
      inputs: names.map((name) => ({ name, type: 'any' as const, required: true })),
      outputs: [{ name: 'text', type: 'text' as const }],
    }
  },
  fill(data: Data, port) {
    const given = isRecord(data.values) ? member(data.values, port) : undefined
    return given ?? (ownKeys.has(port) ? undefined : member(data, port))
  },
  check({ template }) {
    const names = placeholderNames(template)
    if (names && names.length <= maxNames) return []
    const message = `template may have at most ${maxNames} different names and 1,000 placeholders`
    return [{ path: '/template', message }]
  },
  async estimate({ config, inputs: { ports }, env }) {
    // Without a prototype, because a name may be __proto__.
    const values: Record<string, unknown> = Object.create(null)
    const unknown: Record<string, Unknown> = {}
    for (const [name, guess] of Object.entries(ports)) {
      // Null adds nothing to the text, whichever member is named; what it may add is counted below.
      values[name] = guess.known ? guess.value : null
      if (!guess.known) unknown[name] = guess
    }
    const inserted = insertedIn(config.template, unknown)
    const { text, problem } = tryRender(config.template, values)
    if (problem !== undefined) {
      return doubtful(local({ text: unknownValue() }), `${problem} A run would fail here.`)
    }
    if (inserted.length === 0 && text.length <= maxKeptChars) return local({ text: known(text) })
    return local({ text: await partlyKnown(text, inserted, env) })
  },
  execute: (_, { ports }, { template }) => ({ text: render(template, ports) }),
})

/** Counts the known text and adds the expected tokens of the unknown values. */
async function partlyKnown(
  text: string,
  inserted: readonly Spread[],
  env: EstimateEnv,
): Promise<Guess> {
  return unknownValue(inserted.reduce(addSpread, await countedText(text, env)))
}

/** Each unknown value as often as it is inserted. A member of it may be anything within it. */
const insertedIn = (template: string, unknown: Readonly<Record<string, Unknown>>): Spread[] =>
  placeholderPaths(template).flatMap(({ name, rest }) => {
    const guess = unknown[name]
    if (!guess) return []
    return [rest.length === 0 ? guess.tokens : atMost(guess).tokens]
  })

function tryRender(
  template: string,
  values: Record<string, unknown>,
): { text: string; problem?: undefined } | { text?: undefined; problem: string } {
  try {
    return { text: render(template, values) }
  } catch (error) {
    if (error instanceof NodeFailure) return { problem: error.message }
    throw error
  }
}
