import { Copy, Group as GroupIcon, Trash2, Ungroup, X } from 'lucide-react'
import type { Actions } from '#console/canvas/actions.ts'
import { useReadOnly } from '#console/canvas/context.ts'
import { groupOf, type Note } from '#console/canvas/drawings.ts'
import type { Graph } from '#console/canvas/graph.ts'
import { counted } from '#console/lib/counted.ts'
import { Button } from '#console/ui/button.tsx'
import { Field } from '#console/ui/field.tsx'
import { IconButton } from '#console/ui/icon-button.tsx'
import { TextArea } from '#console/ui/text-area.tsx'
import { TextInput } from '#console/ui/text-input.tsx'
import { Fields } from './fields.tsx'

type ManyProps = { nodes: ReadonlySet<string>; graph: Graph; actions: Actions }

/** Several nodes. If they are a group, its title. */
export function Many({ nodes, graph, actions }: ManyProps) {
  const group = groupOf(graph, nodes)
  return (
    <div className="flex flex-col items-start gap-3 p-4">
      <h2 className="font-semibold text-lg">{counted(nodes.size, 'node')}</h2>
      {group && (
        <Fields>
          <Field label="Title of the group">
            {(control) => (
              <TextInput
                {...control}
                value={group.title}
                maxLength={200}
                onChange={(event) => actions.setTitle(group.id, event.currentTarget.value)}
              />
            )}
          </Field>
        </Fields>
      )}
      {!useReadOnly() && (
        <>
          <Button
            icon={group ? <Ungroup size={16} aria-hidden /> : <GroupIcon size={16} aria-hidden />}
            onClick={group ? actions.ungroup : actions.group}
          >
            {group ? 'Ungroup' : 'Group'}
          </Button>
          <Both actions={actions} />
        </>
      )}
    </div>
  )
}

const Both = ({ actions }: { actions: Actions }) => (
  <>
    <Button icon={<Copy size={16} aria-hidden />} onClick={actions.duplicate}>
      Duplicate
    </Button>
    <Button
      variant="danger"
      icon={<Trash2 size={16} aria-hidden />}
      onClick={actions.deleteSelected}
    >
      Delete
    </Button>
  </>
)

type NoteFormProps = { note: Note; actions: Actions; onClose(): void }

export function NoteForm({ note, actions, onClose }: NoteFormProps) {
  return (
    <div className="flex flex-col items-start gap-3 p-4">
      <header data-bar className="flex w-full items-start justify-between gap-2">
        <h2 className="font-semibold text-lg">Note</h2>
        <IconButton label="Close" icon={<X size={16} aria-hidden />} onClick={onClose} />
      </header>
      <div className="w-full">
        <Fields>
          <Field label="Text" hint="For people only: a run does not see it.">
            {(control) => (
              <TextArea
                {...control}
                rows={6}
                value={note.text}
                maxLength={2_000}
                onChange={(event) => actions.setNote(note.id, event.currentTarget.value)}
              />
            )}
          </Field>
        </Fields>
      </div>
      {!useReadOnly() && <Both actions={actions} />}
    </div>
  )
}
