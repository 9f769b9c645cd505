import type { Actions } from '#console/canvas/actions.ts'
import { modeOf } from '#console/canvas/draw-actions.ts'
import type { GraphNode } from '#console/canvas/graph.ts'
import { Field } from '#console/ui/field.tsx'
import { Select } from '#console/ui/select.tsx'
import { Fields } from './fields.tsx'

const options = [
  { value: 'run', label: 'Runs' },
  { value: 'mute', label: 'Muted' },
  { value: 'bypass', label: 'Bypassed' },
] as const

const hints = {
  run: undefined,
  mute: 'It does not run, and what needs it is skipped.',
  bypass: 'It does not run, and passes on its input of the same type.',
}

/** Whether the node takes part in runs. */
export function ModeField({ node, actions }: { node: GraphNode; actions: Actions }) {
  const value = modeOf(node) ?? 'run'
  return (
    <Fields>
      <Field label="When the workflow runs" hint={hints[value]}>
        {(control) => (
          <Select
            {...control}
            options={options}
            value={value}
            onChange={(next) => actions.setMode(new Set([node.id]), next === 'run' ? null : next)}
          />
        )}
      </Field>
    </Fields>
  )
}
