import { useState } from 'react'
import { Dialog } from '#console/ui/dialog.tsx'
import type { Actions } from './actions.ts'
import { type LooseEnd, portKey, refusals, wireBetween } from './connect-rules.ts'
import { useGraph, useSessionOf, useView } from './context.ts'
import { findNode, type GraphNode, labelOf } from './graph.ts'
import { graphElement } from './graph-element.ts'
import { typeInfo } from './node-types.ts'
import { orderNodes } from './order.ts'
import { SearchList } from './search-list.tsx'

/** Connects nodes without a pointer: first a port of this node, then a port of another. */
export function ConnectDialog({ actions }: { actions: Actions }) {
  const { view } = useSessionOf()
  const nodeId = useView((state) => state.connectFrom)
  const graph = useGraph()
  const node = nodeId === null ? undefined : findNode(graph, nodeId)
  const typeLabel = useView(({ types }) => node && typeInfo(types, node.type)?.label)
  const close = () => view.setState({ connectFrom: null })
  return (
    <Dialog
      open={node !== undefined}
      onClose={close}
      finalFocus={graphElement}
      title={`Connect ${node ? nameOf(node, typeLabel) : ''}`}
    >
      {node && <Steps key={node.id} node={node} actions={actions} onDone={close} />}
    </Dialog>
  )
}

type StepsProps = { node: GraphNode; actions: Actions; onDone(): void }

function Steps({ node, actions, onDone }: StepsProps) {
  const ports = useView((state) => state.portsOf)(node)
  const choices: LooseEnd[] = [
    ...ports.outputs.map(({ name }) => ({ nodeId: node.id, side: 'source' as const, port: name })),
    ...ports.inputs.map(({ name }) => ({ nodeId: node.id, side: 'target' as const, port: name })),
  ]
  const [loose, setLoose] = useState<LooseEnd | null>(
    choices.length === 1 ? (choices[0] ?? null) : null,
  )
  if (loose) return <Targets loose={loose} actions={actions} onDone={onDone} />
  const typeOf = ({ side, port }: LooseEnd) =>
    (side === 'source' ? ports.outputs : ports.inputs).find((one) => one.name === port)?.type
  return (
    <SearchList
      key="from"
      label="Port to connect from"
      items={choices.map((choice) => ({
        key: `${choice.side} ${choice.port}`,
        label: choice.port,
        note: `${choice.side === 'source' ? 'output' : 'input'}, ${typeOf(choice)}`,
      }))}
      onChoose={(key) =>
        setLoose(choices.find((choice) => `${choice.side} ${choice.port}` === key) ?? null)
      }
    />
  )
}

function Targets({ loose, actions, onDone }: { loose: LooseEnd } & Omit<StepsProps, 'node'>) {
  const graph = useGraph()
  const { types, portsOf } = useView((state) => state)
  const all = refusals(graph, loose, { types, portsOf })
  const side = loose.side === 'source' ? 'inputs' : 'outputs'
  const offers = orderNodes(graph).flatMap((node) =>
    portsOf(node)[side].map((port) => ({
      node,
      port,
      refused: all.get(portKey(node.id, side, port.name)) ?? null,
    })),
  )
  // Ports that fit come first; the others stay listed, each with the reason.
  const sorted = offers.sort((a, b) => Number(a.refused !== null) - Number(b.refused !== null))
  return (
    <SearchList
      key="to"
      label={`Port for ${loose.port}`}
      items={sorted.map(({ node, port, refused }) => ({
        key: portKey(node.id, side, port.name),
        label: `${nameOf(node, typeInfo(types, node.type)?.label)}: ${port.name}`,
        note: port.type,
        refused,
      }))}
      onChoose={(key) => {
        const offer = offers.find(({ node, port }) => portKey(node.id, side, port.name) === key)
        if (!offer) return
        actions.connect(wireBetween(loose, offer.node.id, offer.port.name))
        onDone()
      }}
    />
  )
}

const nameOf = (node: GraphNode, typeLabel = node.type) =>
  labelOf(node) === node.id ? `${typeLabel} (${node.id})` : labelOf(node)
