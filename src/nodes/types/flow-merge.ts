import { Type } from '#core/schema.ts'
import { known, local, unknownValue } from '../estimates/guess.ts'
import { assertBounded } from '../execution/values.ts'
import { defineNode, type Guess, type NodeInputs } from '../node-type.ts'

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
  estimate({ config, inputs }) {
    const branches = branchesOf(inputs)
    if (config.mode === undefined || config.mode === 'first') {
      return local({ output: branches[0]?.value ?? known(null) })
    }
    const values: { source: string; value: unknown }[] = []
    for (const { source, value } of branches) {
      if (!value.known) return local({ output: sizedUnknown(branches.length) })
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

function sizedUnknown(count: number): Guess {
  const guess = unknownValue()
  return guess.known ? guess : { ...guess, items: { low: 0, expected: count, high: count } }
}
