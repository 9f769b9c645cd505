import { useMemo } from 'react'
import { Dialog } from '#console/ui/dialog.tsx'
import { typesThatFit } from './connect-rules.ts'
import { useSessionOf, useView } from './context.ts'
import { findNode } from './graph.ts'
import { graphElement } from './graph-element.ts'
import { NamedIcon } from './icons.tsx'
import { type NodeTypeInfo, type PortType, portNamed } from './node-types.ts'
import { searchTextOf, wordsFor } from './other-words.ts'
import { SearchList } from './search-list.tsx'
import type { Picker } from './view-store.ts'

const things: Record<PortType, string> = {
  text: 'text',
  number: 'a number',
  boolean: 'yes or no',
  image: 'an image',
  video: 'a video',
  json: 'JSON',
  list: 'a list',
  any: 'any value',
}

const pickerTitle = (side: 'source' | 'target', type: PortType): string =>
  `Nodes that ${side === 'source' ? 'take' : 'give'} ${things[type]}`

type NodePickerProps = { onAdd(info: NodeTypeInfo, picker: Picker): void; onClose(): void }

/** Adds a node by name; for a wire that was dropped on empty space, offers only types that fit. */
export function NodePicker({ onAdd, onClose }: NodePickerProps) {
  const picker = useView((state) => state.picker)
  const { store, view } = useSessionOf()
  const offer = useMemo(() => {
    const { types, portsOf } = view.getState()
    if (!picker?.loose) return { title: 'Add a node', infos: types.items }
    const { side, nodeId, port: name } = picker.loose
    const node = findNode(store.getState().history.doc.graph, nodeId)
    const ports = node && portsOf(node)
    const port = portNamed((side === 'source' ? ports?.outputs : ports?.inputs) ?? [], name)
    if (!node || !port) return { title: 'Add a node', infos: types.items }
    const infos = typesThatFit(types, { side, port }).map((fit) => fit.info)
    return { title: pickerTitle(side, port.type), infos }
  }, [picker, store, view])
  return (
    <Dialog open={picker !== null} onClose={onClose} title={offer.title} finalFocus={graphElement}>
      <SearchList
        label="Search node types"
        items={offer.infos.map((info) => ({
          key: info.type,
          label: info.label,
          note: info.help,
          icon: <NamedIcon name={info.icon} />,
          search: searchTextOf(info),
          words: wordsFor(info.type),
        }))}
        onChoose={(type) => {
          const info = offer.infos.find((one) => one.type === type)
          if (info && picker) onAdd(info, picker)
        }}
      />
    </Dialog>
  )
}
