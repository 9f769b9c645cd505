import { CornerDownRight, Unplug } from 'lucide-react'
import { type Actions, removeWire } from '#console/canvas/actions.ts'
import { selectNode } from '#console/canvas/canvas-keys.ts'
import { wiresInto } from '#console/canvas/connect-rules.ts'
import { useGraph, useSessionOf, useView } from '#console/canvas/context.ts'
import { findNode, type GraphNode } from '#console/canvas/graph.ts'
import { type Port, titleOf } from '#console/canvas/node-types.ts'
import type { PlacedProblem } from '#console/canvas/placed-problem.ts'
import { PortMark } from '#console/canvas/port-mark.tsx'
import { Remedies } from '#console/canvas/remedies.tsx'
import { IconButton } from '#console/ui/icon-button.tsx'
import { Fields } from './fields.tsx'
import { SettingField } from './setting-field.tsx'
import { type SettingSchema, settingKind } from './setting-kind.ts'

type InputsFormProps = {
  node: GraphNode
  problems: readonly PlacedProblem[]
  actions: Actions
  onConnect(): void
}

const fillable: Partial<Record<string, SettingSchema>> = {
  text: { type: 'string' },
  number: { type: 'number' },
  boolean: { type: 'boolean' },
  json: {},
  list: {},
  any: {},
}

/** Ports that people know by another name than the contract has for them. */
const inputWords: Partial<Record<string, { label: string; help: string }>> = {
  'text.generate system': { label: 'Instructions', help: 'The system prompt. ' },
}

/** The input ports: where their wires come from, or the value used if there is no wire. */
export function InputsForm({ node, problems, actions, onConnect }: InputsFormProps) {
  const { inputs } = useView((state) => state.portsOf)(node)
  if (inputs.length === 0) return null
  return (
    <section className="flex flex-col gap-3">
      <h3 className="font-semibold text-soft text-xs uppercase">Inputs</h3>
      {inputs.map((port) => (
        <InputPort key={port.name} {...{ node, port, problems, actions, onConnect }} />
      ))}
    </section>
  )
}

function InputPort({ node, port, problems, actions, onConnect }: InputsFormProps & { port: Port }) {
  const session = useSessionOf()
  const graph = useGraph()
  const portsOf = useView((state) => state.portsOf)
  const types = useView((state) => state.types)
  const wires = wiresInto(graph, node, port, portsOf)
  const { label, help } = inputWords[`${node.type} ${port.name}`] ?? { label: port.name, help: '' }
  const own = problems.filter((one) => one.port === port.name || one.field === port.name)
  const problem = own.map((one) => one.words).join(' ') || null
  if (wires.length > 0) {
    return (
      <div className="text-sm" data-setting={port.name}>
        <div className="flex items-center gap-2">
          <PortMark type={port.type} />
          <span className="font-semibold">{label}</span>
          <span className="text-soft text-xs">{port.type}</span>
        </div>
        {wires.map((wire) => {
          const source = findNode(graph, wire.source)
          return (
            <div
              key={`${wire.source} ${wire.sourceHandle}`}
              className="flex items-center gap-1 pl-5"
            >
              <CornerDownRight size={14} className="shrink-0 text-soft" aria-hidden />
              <button
                type="button"
                className="min-w-0 grow truncate text-left text-accent hover:underline"
                onClick={() => selectNode(session, wire.source)}
              >
                {source ? titleOf(types, source) : wire.source}
                {wire.sourceHandle && `: ${wire.sourceHandle}`}
              </button>
              {!session.isReadOnly && (
                <IconButton
                  label={`Disconnect ${port.name} from ${source ? titleOf(types, source) : wire.source}`}
                  icon={<Unplug size={14} aria-hidden />}
                  onClick={() => actions.disconnect(removeWire(wire))}
                />
              )}
            </div>
          )
        })}
        {node.data[port.name] !== undefined && (
          <p className="pl-5 text-soft text-xs">The wire overrides the value set here.</p>
        )}
        {problem && (
          <div className="flex flex-col gap-1 pl-5">
            <p className="text-bad text-xs">{problem}</p>
            {own.map((one) => (
              <Remedies key={one.path} problem={one} actions={actions} />
            ))}
          </div>
        )}
      </div>
    )
  }
  const schema = port.multi ? undefined : fillable[port.type]
  const kind = schema && settingKind(port.name, schema, { hasModels: false })
  if (!schema || !kind || kind.kind === 'group') {
    return (
      <div className="flex flex-wrap items-center gap-2 text-sm" data-setting={port.name}>
        <PortMark type={port.type} />
        <span className="font-semibold">{port.name}</span>
        <span className="text-soft text-xs">{port.type}</span>
        {!session.isReadOnly && (
          <button
            type="button"
            className="ml-auto text-accent text-sm hover:underline"
            onClick={onConnect}
          >
            Connect
          </button>
        )}
        {problem && <span className="text-bad text-xs">{problem}</span>}
      </div>
    )
  }
  return (
    <div data-setting={port.name}>
      <Fields>
        <SettingField
          label={label}
          schema={{ ...schema, description: `${help}Set a value, or connect a wire.` }}
          kind={kind}
          value={node.data[port.name]}
          onChange={(value) => actions.set(node.id, port.name, value)}
          required={port.required ?? false}
          problem={problem}
          modelKinds={[]}
          code={{ names: [], tryOn: null }}
        />
      </Fields>
    </div>
  )
}
