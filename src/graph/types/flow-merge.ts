import { Type } from '#core/schema.ts'
import {
  addSpread,
  anyOf,
  exactly,
  known,
  listOf,
  local,
  sizeOf,
  type Unknown,
} from '../node/guess.ts'
import { defineNode, type Guess, type NodeInputs } from '../node/node-type.ts'
import { assertBounded } from '../node/values.ts'

type Mode = 'first' | 'list' | 'object'
type Config = { mode?: Mode }

export const flowMerge = defineNode<Config>({
  type: 'flow.merge',
  canvas: {
    label: 'Merge',
    group: 'flow',
    icon: 'merge',
    help: 'Joins branches: the first one that has a value, all as a list, or all as an object keyed by node.',
  },
  config: Type.Object({
    mode: Type.Optional(
      Type.Unsafe<Mode>({
        type: 'string',
        enum: ['first', 'list', 'object'],
        default: 'first',
        description:
          'first: the first value, in the order of the connections. list: all values. object: all values, keyed by source node.',
      }),
    ),
  }),
  pure: true,
  portsDependOn: ['mode'],
  ports: ({ mode }) => ({
    inputs: [{ name: 'in', type: 'any', required: true, multi: true }],
    outputs: [
      { name: 'output', type: mode === 'list' ? 'list' : mode === 'object' ? 'json' : 'any' },
    ],
  }),
  async estimate({ config, inputs, env }) {
    const branches = branchesOf(inputs)
    const sizes = async () => Promise.all(branches.map(({ value }) => sizeOf(value, env)))
    if (config.mode === undefined || config.mode === 'first') {
      const first = branches[0]?.value ?? known(null)
      // Which value is the first one is known only if that one is.
      return local({ output: first.known || branches.length === 1 ? first : anyOf(await sizes()) })
    }
    const values: { source: string; value: unknown }[] = []
    for (const { source, value } of branches) {
      if (!value.known) return local({ output: joined(await sizes()) })
      values.push({ source, value: value.value })
    }
    return local({ output: known(join(values, config.mode)) })
  },
  execute: (_, inputs, { mode = 'first' }) => {
    const output = join(branchesOf(inputs), mode)
    assertBounded(output)
    return { output }
  },
})

/** A merge without connections may take its value from `data.in`. */
function branchesOf<V>({ ports, merged }: NodeInputs<V>): readonly { source: string; value: V }[] {
  const filled = ports.in
  return merged.length === 0 && filled !== undefined ? [{ source: 'in', value: filled }] : merged
}

function join(branches: readonly { source: string; value: unknown }[], mode: Mode): unknown {
  switch (mode) {
    case 'first':
      return branches[0]?.value ?? null
    case 'list':
      return branches.map((branch) => branch.value)
    case 'object':
      return Object.fromEntries(branches.map((branch) => [branch.source, branch.value]))
    default:
      return mode satisfies never
  }
}

function joined(sizes: readonly Unknown[]): Guess {
  const each = sizes.map(({ tokens }) => listOf(tokens, exactly(1)).tokens)
  const items = { low: 0, expected: sizes.length, high: sizes.length }
  return { known: false, tokens: each.reduce(addSpread, exactly(0)), items }
}
